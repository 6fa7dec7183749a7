"""What impact compensation did in a run, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.control import TreePlant
from percuss.control.ic2_advice import ic2_advice, impact_place
from percuss.control.ic2_compensation import compensation
from percuss.dynamics.inverse import joint_reactions
from percuss.encounter.assembly import Assembly
from percuss.encounter.laws.compensating import ImpactCompensation
from percuss.encounter.observation import Observation
from percuss.encounter.phase import CONTACT, Phase
from percuss.model.joints import Free, Planar


def compensation_advice(law: ImpactCompensation, phases: Sequence[Phase]) -> tuple[str, ...]:
    """Sentences on the contact with the largest force; none where nothing touched."""
    contacts = [phase.observation for phase in phases if phase.kind == CONTACT]
    sizes = [
        float(np.linalg.norm(observation.load_force, axis=1).max()) for observation in contacts
    ]
    if not sizes or max(sizes) == 0.0:
        return ()
    return (*_said(law, contacts[int(np.argmax(sizes))]), *_cost(contacts))


def _said(law: ImpactCompensation, observation: Observation) -> tuple[str, ...]:
    assembly, plant = observation.assembly, observation.assembly.plant
    assert isinstance(plant, TreePlant)
    size = np.linalg.norm(observation.load_force, axis=1)
    k = int(np.argmax(size >= 0.999 * size.max()))
    q, force = observation.q[:, k], observation.load_force[k]
    asked = [
        compensation(plant, assembly.tool, rule=rule, base_torque=law.base_torque)
        for rule in ("acceleration", "force")
    ]
    torques = [
        np.abs(np.array(x.torques(q, observation.v[:, k], Vector3(*force)), float)) for x in asked
    ]
    return ic2_advice(
        impact_place(plant, assembly.tool, q, force),
        _largest(observation, observation.a),
        _largest(observation, _idle(observation, plant)),
        rule=law.rule,
        base_torque=_follows(assembly, law.base_torque),
        torques=(float(torques[0].max()), float(torques[1].max())),
    )


def _idle(observation: Observation, plant: TreePlant) -> np.ndarray:
    """Accelerations in the same states if no motor did anything."""
    still = np.zeros((plant.own_rates, observation.motion.time.size))
    return np.asarray(
        plant.accelerations(observation.q, observation.v, still, observation.wrenches)
    )


def _largest(observation: Observation, accelerations: np.ndarray) -> dict[str, float]:
    """Largest force through each joint (N) of a motion with these accelerations."""
    loads = joint_reactions(
        observation.assembly.tree,
        observation.q,
        observation.v,
        accelerations,
        wrenches=observation.wrenches,
    )
    return {
        joint.name: float(np.linalg.norm(observation.rows(loads[joint.name].linear), axis=1).max())
        for joint in observation.assembly.chaser.moving_joints
    }


def _follows(assembly: Assembly, wanted: bool) -> bool:
    """Whether the base gets the torque of the first joint, or needs none."""
    joint = assembly.chaser.base_joint
    if not isinstance(joint.motion, (Free, Planar)):
        return True
    driven = assembly.plant.actuated[assembly.chaser.node(joint.child).rates]
    turning = [
        a for a, unit in zip(driven, joint.motion.rate_units, strict=True) if unit == "rad/s"
    ]
    return wanted and all(turning)


def _cost(contacts: Sequence[Observation]) -> tuple[str, ...]:
    """What the motors gave meanwhile."""
    chaser = contacts[0].assembly.chaser
    peaks = np.max(
        [np.abs(observation.motion.commands).max(axis=1) for observation in contacts], axis=0
    )
    shown = [
        f"{name} {peak:.4g} {'N m' if unit == 'rad/s' else 'N'}"
        for name, unit, peak in zip(chaser.rate_names, chaser.rate_units, peaks, strict=True)
        if peak > 1e-9 * peaks.max()
    ]
    if not shown:
        return ("Impact compensation did nothing: no motor on the way to the tool was driven.",)
    return (f"Impact compensation took at most {', '.join(shown)} while the contact lasted.",)
