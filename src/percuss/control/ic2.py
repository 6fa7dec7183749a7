"""IC²: impact compensation using the centre of percussion, while a force is felt at the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import Scalar, is_constant, mul, pack, sub, unpack, where
from percuss.control.laws import ControlLaw, Felt
from percuss.control.plant import Plant
from percuss.model.checks import shown, violates
from percuss.model.errors import ModelError
from percuss.model.systems import Frame

if TYPE_CHECKING:
    from percuss.control.ic2_compensation import Friction


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
    from percuss.control.ic2_compensation import compensation

    made = compensation(
        plant, tool, rule=rule, base_torque=base_torque, friction=friction, offset=offset
    )
    if violates(threshold, lambda x: (x >= 0) & (x < float("inf"))):
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

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, felt: Felt) -> tuple[Any, Any]:
        kept, bristles = memory if made.remembered else (memory, ())
        u, kept = law.command(t, q, v, kept, *((felt,) if law.feels else ()))
        normal = unpack(u, own, "the command")
        states = unpack(bristles, len(made.remembered), "bristles")
        acts = _acts(felt, least)
        chosen = normal
        if acts is not False:
            torques = made.torques(q, v, felt.force, normal, bristles=states)
            chosen = tuple(where(acts, a, b) for a, b in zip(torques, normal, strict=True))
        if not made.remembered:
            return pack(chosen), kept
        return pack(chosen), (kept, pack(made.deflected(v, states, step)))

    memory = (law.memory, np.zeros(len(made.remembered))) if made.remembered else law.memory
    return ControlLaw(command, memory, period, feels=True)


def _acts(felt: Felt, least: Scalar) -> Any:
    """Whether a force is felt whose square exceeds `least` (N²)."""
    if felt.touching is False:
        return False
    if felt.touching and is_constant(least) and least == 0.0:
        # Also where the force of a contact begins and ends with zero: a law that jumped there
        # would not let an integration set out.
        return True
    size = felt.force.dot(felt.force)
    return sub(size, least) > 0.0
