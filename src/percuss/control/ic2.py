"""IC²: impact compensation using the centre of percussion, while a force is felt at the tool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, is_constant, mul, neg, pack, sub, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control.ic2_chain import Chain, chain_of
from percuss.control.ic2_loop import force_torques, loop_torques
from percuss.control.joint_friction_models import FrictionModel
from percuss.control.laws import ControlLaw, Felt
from percuss.control.plant import Plant, TreePlant, key_of
from percuss.dynamics.loads import joint_friction
from percuss.model.checks import padded, shown, violates
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
    chain: Chain
    rule: str = "acceleration"
    friction: Mapping[str, FrictionModel] | None = None

    def torques(
        self, q: Any, v: Any, force: Vector3, others: Scalars = (), bristles: Scalars = ()
    ) -> Scalars:
        """n_cop + n_fr, (54), on the chaser's rates (N, N m), for a force at the tool (N, world).

        `others` are the commands of a law that drives on what is not on the way to the tool;
        `bristles` the deflections of the friction models that have them.
        """
        own = self.plant.own_rates
        aside = self._aside(others or (0.0,) * own)
        friction = self.against_friction(v, bristles)
        given = tuple(add(a, b) for a, b in zip(aside, friction, strict=True))
        if self.rule == "force":
            found = force_torques(self.plant, self.chain, q, force)
        else:
            found = loop_torques(self.plant, self.chain, q, v, force, given)
        return tuple(add(a, b) for a, b in zip(found, given, strict=True))

    def against_friction(self, v: Any, bristles: Scalars = ()) -> Scalars:
        """n_fr: what cancels the friction that the controller believes in (N m)."""
        own, system = self.plant.own_rates, self.chain.system
        rates = unpack(v, system.rate_count, "v")
        values: list[Scalar] = [0.0] * own
        if self.friction is None:
            believed = unpack(joint_friction(system, rates), system.rate_count, "friction")
            for axis in self.chain.axes:
                values[axis.rate] = neg(believed[axis.rate]) if axis.driven else 0.0
            return tuple(values)
        states = dict(zip(self.remembered, bristles or (0.0,) * own, strict=False))
        for name, model in self.friction.items():
            k = system.node(system.joint(name).child).rates.start
            values[k] = neg(model.torque(rates[k], states.get(name, 0.0)))
        return tuple(values)

    @property
    def remembered(self) -> tuple[str, ...]:
        """Joints whose friction model has bristles."""
        models = self.friction or {}
        return tuple(name for name, model in models.items() if model.bristles)

    def deflected(self, v: Any, bristles: Scalars, period: float) -> Scalars:
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


def ic2(
    plant: Plant,
    tool: str | Frame,
    law: ControlLaw,
    *,
    rule: str = "acceleration",
    base_torque: bool = True,
    threshold: Any = 0.0,
    friction: Friction = "ideal",
    offset: Any = (0.0, 0.0, 0.0),
    period: float | None = None,
) -> ControlLaw:
    """IC² while a force is felt at the tool, `law` before, between and after.

    While |F| > `threshold` the motors give (51)–(54):

        n_i = -r_i × m_i (ω̇_i × r_C,i) + n_{i+1} + friction compensation,

    r_i from the centre of percussion of link i to the next joint, or to the impact point. ω̇ is
    what the torques themselves cause together with F: the loop is solved with the believed
    plant's dynamics at every instant. Each motor gives the component of n_i along its own axis;
    what is across that, bearings carry. The base gets n_1, the torque of the first joint.

    Args:
        plant: what the controller believes, a `TreePlant`.
        tool: the frame at which the force is felt and believed to act.
        law: the normal law, such as `computed_torque` for (56)–(57).
        rule: "acceleration" for (51)–(53) as they stand, or "force" for n_N = -r × F on all
            joints, which is the same as long as the joints do not accelerate, needs no loop and
            leaves an impact at the centre of percussion alone.
        base_torque: whether the base is turned along; without effect where nothing can turn it.
        threshold: N, ≥ 0.
        friction: what is compensated: "ideal" (the believed plant's own joint friction), "none",
            one model for all joints on the way to the tool, or models by joint.
        offset: where the controller believes the force to act, from the tool (m, axes of the
            tool's link); two entries lie in the plane.
        period: s; the law is sampled. Needed where a friction model has bristles.

    Returns:
        A law that feels.
    """
    made = compensation(
        plant, tool, rule=rule, base_torque=base_torque, friction=friction, offset=offset
    )
    if violates(threshold, lambda x: 0 <= x < float("inf")):
        raise ModelError(f"threshold must be finite and ≥ 0 N, got {shown(threshold)}")
    if period is None:
        period = law.period
    elif law.period not in (None, period):
        raise ModelError(f"period: the law is sampled every {law.period} s, IC² every {period} s")
    if made.remembered and period is None:
        raise ModelError(
            f"friction: bristles of {', '.join(made.remembered)} have to be remembered, which a "
            "sampled law does; give a period in s, such as 1e-3"
        )
    own, least = made.plant.own_rates, mul(threshold, threshold)
    step = 0.0 if period is None else period

    def command(t: Any, q: Any, v: Any, memory: Any, felt: Felt) -> tuple[Any, Any]:
        kept, bristles = memory if made.remembered else (memory, ())
        u, kept = law.command(t, q, v, kept, *((felt,) if law.feels else ()))
        normal = unpack(u, own, "the command")
        states = unpack(bristles, len(made.remembered), "bristles")
        acts = _acts(felt, least)
        chosen = normal
        if acts is not False:
            torques = made.torques(q, v, felt.force, normal, states)
            chosen = tuple(where(acts, a, b) for a, b in zip(torques, normal, strict=True))
        if not made.remembered:
            return pack(chosen), kept
        return pack(chosen), (kept, pack(made.deflected(v, states, step)))

    memory = (law.memory, np.zeros(len(made.remembered))) if made.remembered else law.memory
    return ControlLaw(command, memory, period, _key(made, law, threshold, period), feels=True)


def _acts(felt: Felt, least: Scalar) -> Any:
    """Whether a force is felt whose square exceeds `least` (N²)."""
    if felt.touching is False:
        return False
    if felt.touching and is_constant(least) and least == 0.0:
        # Also where the force of a contact begins and ends with zero: a law that jumped there
        # would not let an integration set out.
        return True
    size = felt.force.dot(felt.force)
    return sub(size, least) > 0.0  # type: ignore[operator]


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


def _friction(chain: Chain, friction: Friction) -> Mapping[str, FrictionModel] | None:
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


def _key(made: Compensation, law: ControlLaw, threshold: Any, period: float | None) -> str | None:
    plant = key_of(made.plant)
    place = made.chain.point.placement.position
    if plant is None or law.key is None or not all(is_constant(x) for x in (threshold, *place)):
        return None
    parts = (made.rule, made.chain.point, made.chain.axes, made.friction, threshold, period)
    return f"ic2 | {plant} | {parts!r} | {law.key}"
