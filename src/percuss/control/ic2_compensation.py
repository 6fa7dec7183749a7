"""The torques of impact compensation: centre of percussion, and friction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import plus
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, unpack
from percuss.algebra.vectors import Vector3
from percuss.control.ic2_chain import ImpactChain, chain_of
from percuss.control.ic2_loop import force_torques, loop_torques
from percuss.control.joint_friction_models import FrictionModel
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.loads import joint_friction
from percuss.model.checks import padded, violates
from percuss.model.errors import ModelError, choices
from percuss.model.joints import Free, Planar, Revolute, Scalars
from percuss.model.systems import Frame, unknown

Friction = str | FrictionModel | Mapping[str, FrictionModel]
RULES = ("acceleration", "force")
FRICTIONS = ("ideal", "none")


@dataclass(frozen=True)
class Compensation:
    """How the torques of IC² are found.

    Attributes:
        chain: links from the base to where the controller believes the force acts.
        rule: "acceleration" for (51)–(53), "force" for n_N = -r × F.
        friction: models by joint; None for the believed plant's own.
    """

    plant: TreePlant
    chain: ImpactChain
    rule: str = "acceleration"
    friction: Mapping[str, FrictionModel] | None = None

    def torques(
        self,
        q: Coordinates,
        v: Rates,
        force: Vector3,
        others: Scalars = (),
        *,
        bristles: Scalars = (),
    ) -> Scalars:
        """n_cop + n_fr, (54), on the chaser's rates (N, N m), for a force at the tool (N, world).

        `others` are the commands of a law that drives on what is not on the way to the tool;
        `bristles` the deflections of the friction models that have them.
        """
        own = self.plant.own_rates
        aside = self._aside(others or (0.0,) * own)
        friction = self.against_friction(v, bristles)
        given = plus(aside, friction)
        if self.rule == "force":
            found = force_torques(self.plant, self.chain, q, force)
        else:
            found = loop_torques(self.plant, self.chain, q, v, force=force, given=given)
        return plus(found, given)

    def against_friction(self, v: Rates, bristles: Scalars = ()) -> Scalars:
        """n_fr: what cancels the friction that the controller believes in (N m)."""
        own, system = self.plant.own_rates, self.chain.system
        rates = unpack(v, system.rate_count, "v")
        values: list[Scalar] = [0.0] * own
        if self.friction is None:
            believed = unpack(joint_friction(system, rates), system.rate_count, "friction")
            for axis in self.chain.axes:
                values[axis.rate] = -believed[axis.rate] if axis.driven else 0.0
            return tuple(values)
        states = dict(zip(self.remembered, bristles or (0.0,) * own, strict=False))
        for name, model in self.friction.items():
            k = system.node(system.joint(name).child).rates.start
            values[k] = -model.torque(rates[k], states.get(name, 0.0))
        return tuple(values)

    @property
    def remembered(self) -> tuple[str, ...]:
        """Joints whose friction model has bristles."""
        models = self.friction or {}
        return tuple(name for name, model in models.items() if model.bristles)

    def deflected(self, v: Rates, bristles: Scalars, period: float) -> Scalars:
        """The bristles a period (s) later."""
        system, models = self.chain.system, self.friction or {}
        rates = unpack(v, system.rate_count, "v")
        places = [system.node(system.joint(name).child).rates.start for name in self.remembered]
        return tuple(
            models[name].deflected(rates[k], z, period)
            for name, k, z in zip(self.remembered, places, bristles, strict=True)
        )

    def _aside(self, others: Scalars) -> Scalars:
        """Commands on rates that IC² leaves alone: other arms go on, thrusters do not push."""
        system = self.chain.system
        taken = {axis.rate for axis in self.chain.axes}
        base = system.base_joint
        if isinstance(base.motion, (Free, Planar)):
            taken |= set(range(system.rate_count)[system.node(base.child).rates])
        return tuple(0.0 if k in taken else command for k, command in enumerate(others))


def compensation(
    plant: Plant,
    tool: str | Frame,
    *,
    rule: str = "acceleration",
    base_torque: bool = True,
    friction: Friction = "ideal",
    offset: Any = (0.0, 0.0, 0.0),
) -> Compensation:
    """The torques of IC² alone, without the switch; arguments as of `ic2`."""
    if not isinstance(plant, TreePlant):
        raise ModelError(f"impact compensation needs a TreePlant, got {type(plant).__name__}")
    if rule not in RULES:
        raise ModelError(f"rule must be one of {choices(rule, RULES)}, got {rule!r}")
    frame = plant.system.frame(tool)
    place = frame.placement.position + _offset(offset)
    point = Frame(frame.name, frame.body, Pose(frame.placement.rotation, place))
    chain = chain_of(plant, point, base_torque)
    return Compensation(plant, chain, rule, _friction(chain, friction))


def _offset(offset: Any) -> Vector3:
    try:
        found = padded(offset, "offset")
    except (TypeError, ValueError) as error:
        raise ModelError(f"offset must be two or three lengths in m, got {offset!r}") from error
    if any(violates(x, math.isfinite) for x in found):
        raise ModelError(f"offset must be two or three lengths in m, got {offset!r}")
    return found


def _friction(chain: ImpactChain, friction: Friction) -> Mapping[str, FrictionModel] | None:
    system = chain.system
    nodes = {axis.node for axis in chain.axes if axis.driven}
    joints = [
        system.tree[k].joint.name
        for k in sorted(nodes)
        if isinstance(system.tree[k].joint.motion, Revolute)
    ]
    if isinstance(friction, str):
        if friction not in FRICTIONS:
            raise ModelError(
                f"friction must be one of {choices(friction, FRICTIONS)}, a friction model or "
                f"models by joint, got {friction!r}"
            )
        return None if friction == "ideal" else {}
    if not isinstance(friction, Mapping):
        return dict.fromkeys(joints, friction)
    for name in friction:
        if name not in joints:
            raise unknown("driven revolute joint on the way to the tool", name, joints, system)
    return dict(friction)
