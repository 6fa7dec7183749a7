"""What impact compensation did in a run, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.control import TreePlant
from percuss.control.ic2_advice import ic2_advice, impact_place
from percuss.dynamics.inverse import joint_reactions
from percuss.scenario.control import Control
from percuss.simulate.leg import CONTACT, Leg
from percuss.simulate.observation import Observation


def compensation_advice(control: Control, legs: Sequence[Leg]) -> tuple[str, ...]:
    """Sentences on the contact with the largest force; none where nothing touched."""
    contacts = [leg.seen for leg in legs if leg.phase == CONTACT]
    if not contacts:
        return ()
    sizes = [float(np.linalg.norm(seen.load_force, axis=1).max()) for seen in contacts]
    seen = contacts[int(np.argmax(sizes))]
    k = int(np.argmax(np.linalg.norm(seen.load_force, axis=1)))
    if not sizes or max(sizes) == 0.0:
        return ()
    return (*_said(control, seen, k), *_cost(contacts))


def _said(control: Control, seen: Observation, k: int) -> tuple[str, ...]:
    stage, plant = seen.stage, seen.stage.plant
    assert isinstance(plant, TreePlant)
    q, v = seen.q[:, k], seen.v[:, k]
    names = [joint.name for joint in stage.chaser.movable_joints]
    felt = {name: float(np.linalg.norm(seen.reaction(name)[0][k])) for name in names}
    load = seen.equations.load
    assert load is not None
    wrenches = load(seen.motion.time[k], q, v).wrenches
    idle = plant.accelerations(q, v, np.zeros(plant.own_rates), wrenches)
    loads = joint_reactions(plant.system, q, v, idle, wrenches)
    free = {name: float(np.linalg.norm(np.array(loads[name].linear.array()))) for name in names}
    joint = stage.chaser.base_joint
    turns = [
        driven
        for driven, unit in zip(
            plant.actuated[stage.chaser.node(joint.child).rates],
            joint.motion.rate_units,
            strict=True,
        )
        if unit == "rad/s"
    ]
    # A base that is on the ground needs none.
    floats = len(turns) > 0 and joint not in stage.chaser.movable_joints
    turned = all(turns) and control.compensation.base_torque == "follow"
    return ic2_advice(
        impact_place(plant, stage.tool, q, seen.load_force[k]),
        felt,
        free,
        rule=control.compensation.rule,
        base_torque=turned or not floats,
    )


def _cost(contacts: Sequence[Observation]) -> tuple[str, ...]:
    """What the motors gave meanwhile."""
    chaser = contacts[0].stage.chaser
    peaks = np.max([np.abs(seen.motion.commands).max(axis=1) for seen in contacts], axis=0)
    shown = [
        f"{name} {peak:.4g} {'N m' if unit == 'rad/s' else 'N'}"
        for name, unit, peak in zip(chaser.rate_names, chaser.rate_units, peaks, strict=True)
        if peak > 0.0
    ]
    if not shown:
        return ("Impact compensation did nothing: no motor on the way to the tool was driven.",)
    return (f"Impact compensation took at most {', '.join(shown)} while the contact lasted.",)
