"""Control laws: what the chaser's actuators do, from time, state and memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import (
    Scalar,
    formula,
    is_constant,
    pack,
    plain,
    terms,
    unpack,
    where,
)
from percuss.algebra.vectors import Vector3
from percuss.control.attitude import tracking_turn
from percuss.control.gains import spread
from percuss.control.goals import Goal
from percuss.control.layout import Layout
from percuss.control.plant import Plant, layout_of
from percuss.kernel.provenance import is_own
from percuss.kernel.tracing.parts import traced_by_itself
from percuss.model.checks import shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars


@dataclass(frozen=True)
class Felt:
    """What a sensor at the tool tells a law.

    `force` on the chaser there (N, world axes). `touching` says whether something is in contact
    for all of the stretch of motion that is computed (True), for none of it (False), or whether
    only the force tells (None).
    """

    force: Vector3
    touching: bool | None = None


@dataclass(frozen=True)
class ControlLaw:
    """A control law for the chaser.

    Attributes:
        command: (t, q, v, memory) → (u, memory). q and v are those of the whole plant, u are
            generalized forces on the chaser's rates, shape (own_rates,), N and N m. A law that
            `feels` takes one argument more, what is `Felt` at the tool.
        memory: before the first call; nested containers of numbers or arrays, or None.
        period: s. The law is sampled that often and its command held; None: continuous.
        feels: whether the law reads a force sensor at the tool.
        unlimited: the law before its commands were clipped, None where they are not.
        idle: whether it drives nothing, whatever happens.
    """

    command: Callable[..., tuple[Any, Any]]
    memory: Any = None
    period: float | None = None
    feels: bool = False
    unlimited: ControlLaw | None = None
    idle: bool = False

    def __post_init__(self) -> None:
        if self.period is not None and not (self.period > 0 and math.isfinite(self.period)):
            raise ModelError(f"period must be finite and > 0 s, or None, got {self.period!r}")

    def __fingerprint__(self) -> Any:
        """All of it, where the command is one of percuss; a user's may look at anything."""
        if not is_own(self.command):
            return None
        return [getattr(self, field.name) for field in fields(self)]


def no_control(plant: Plant) -> ControlLaw:
    """u = 0: the joints turn freely."""
    count = plant.own_rates

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        del t, q, v
        return pack([0.0] * count), memory

    return ControlLaw(command, idle=True)


def feed_forward(plant: Plant, goal: Goal) -> ControlLaw:
    """What the believed plant needs along the goal, with no look at the error (thesis 4.22).

    u = M(q_d) a_d + h(q_d, v_d) on the actuated rates. Coordinates and rates that nothing drives
    cannot follow a goal: there the measured motion stands in (the base of a free-floating robot,
    the swing of a pinned target).
    """
    layout = layout_of(plant)

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        q_d, v_d, a_d = goal(t)
        measured_q = unpack(q, plant.coordinate_count, "q")
        measured_v = unpack(v, plant.rate_count, "v")
        wanted_q, wanted_v = _where_driven(plant, layout, measured_q, measured_v, q_d=q_d, v_d=v_d)
        return plant.commands(pack(wanted_q), pack(wanted_v), a_d), memory

    return ControlLaw(command)


def pd(plant: Plant, goal: Goal, kp: Any, kd: Any) -> ControlLaw:
    """u = -Kp e - Kd (v - v_d) on the actuated rates, 0 elsewhere.

    `kp` in N/m and N m/rad, `kd` in N s/m and N m s/rad, one for all or one for each of the
    chaser's rates; see `pd_gains`. e is the plant's error; of orientations the rotation vector.
    """
    kp, kd = spread(kp, plant.own_rates, "kp"), spread(kd, plant.own_rates, "kd")

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        q_d, v_d, _ = goal(t)
        e = unpack(plant.error(q_d, q), plant.own_rates, "error")
        rates = unpack(v, plant.rate_count, "v")
        u = [
            _pulled(p, d, x, rate, wanted=wanted) if driven else 0.0
            for driven, p, d, x, rate, wanted in zip(
                plant.actuated,
                kp,
                kd,
                e,
                rates[: plant.own_rates],
                _own(plant, v_d),
                strict=True,
            )
        ]
        return pack(u), memory

    return ControlLaw(command)


def computed_torque(plant: Plant, goal: Goal, kp: Any, kd: Any) -> ControlLaw:
    """u with which the believed plant obeys ë + Kd ė + Kp e = 0 (thesis 4.26 and 4.27).

    `plant` is what the controller believes; where it is right the error obeys that equation on
    every actuated rate, and of an orientation the rotation vector does. `kp` in 1/s², `kd` in
    1/s, one for all or one for each of the chaser's rates; see `gains`.
    """
    layout = layout_of(plant)
    kp, kd = spread(kp, plant.own_rates, "kp"), spread(kd, plant.own_rates, "kd")

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        q_d, v_d, a_d = goal(t)
        e = unpack(plant.error(q_d, q), plant.own_rates, "error")
        rates = unpack(v, plant.rate_count, "v")[: plant.own_rates]
        wanted, change = _own(plant, v_d), _own(plant, a_d)
        return plant.commands(
            q, v, pack(tracking(layout, e, rates, wanted, a_d=change, kp=kp, kd=kd))
        ), memory

    return ControlLaw(command)


def saturated(law: ControlLaw, limits: Any) -> ControlLaw:
    """The law with each entry of its command clipped to ± a limit (N, N m; infinite: none)."""
    bounds = unpack(limits, len(tuple(limits)), "limits")
    for k, bound in enumerate(bounds):
        if violates(bound, lambda x: x >= 0):
            raise ModelError(f"limits: entry {k} must be ≥ 0 N or N m, got {shown(bound)}")

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, *felt: Any) -> tuple[Any, Any]:
        u, memory = law.command(t, q, v, memory, *felt)
        entries = _entries(u, len(bounds))
        return pack(_clipped(x, bound) for x, bound in zip(entries, bounds, strict=True)), memory

    return replace(law, command=command, unlimited=law)


def sampled(law: ControlLaw, period: float) -> ControlLaw:
    """The law evaluated every `period` (s), its command held in between."""
    return replace(law, period=period)


def restricted(law: ControlLaw, plant: Plant) -> ControlLaw:
    """The law with zeros where the plant has no actuator."""

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, *felt: Any) -> tuple[Any, Any]:
        u, memory = law.command(t, q, v, memory, *felt)
        both = zip(plant.actuated, _entries(u, plant.own_rates), strict=True)
        return pack(x if driven else 0.0 for driven, x in both), memory

    return replace(law, command=command)


def user_law(
    function: Callable[..., tuple[Any, Any]],
    memory: Any = None,
    period: float | None = None,
    *,
    feels: bool = False,
) -> ControlLaw:
    """A law written by hand: `function`(t, q, v, memory) → (u, memory), as one writes NumPy.

    It is compiled with the dynamics, so it may use what `percuss.kernel` supports. u has one
    entry for each of the chaser's rates. With a `period` (s) it is sampled and held. One that
    `feels` is called as `function`(t, q, v, memory, force): the force on the chaser at the tool,
    shape (3,), N, world axes.
    """
    if not callable(function):
        raise ModelError(f"a control law is a function (t, q, v, memory), got {function!r}")
    by_itself = traced_by_itself(function)

    def command(t: Any, q: Coordinates, v: Rates, memory: Any, *felt: Felt) -> tuple[Any, Any]:
        result = by_itself(t, q, v, memory, *(sensed.force.array() for sensed in felt))
        if not isinstance(result, tuple) or len(result) != 2:
            given = f"{len(result)} of them" if isinstance(result, tuple) else _kind(result)
            raise ModelError(f"a control law returns two things, (u, memory); got {given}")
        return result

    return ControlLaw(command, memory, period, feels=feels)


# --- parts --------------------------------------------------------------------------------------


def _kind(value: Any) -> str:
    """What a function has returned, in a word; a traced value says nothing to its author."""
    if value is None:
        return "nothing"
    return "one array" if hasattr(value, "shape") else f"a {type(value).__name__}"


def _own(plant: Plant, values: Any) -> Scalars:
    """The goal's rates or accelerations, one for each of the chaser's rates."""
    return unpack(values, plant.own_rates, "the goal")


def _entries(u: Any, count: int) -> Scalars:
    """The entries of a command, which a user's function may have made."""
    try:
        return unpack(u, count, "the command")
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"a control law returns {count} generalized forces (N, N m): {error}"
        ) from error


@formula
def _pulled(kp: Scalar, kd: Scalar, error: Scalar, rate: Scalar, *, wanted: Scalar) -> Scalar:
    """-kp e - kd (v - v_d) (N or N m)."""
    return -(kp * error + kd * (rate - wanted))


def tracking(
    layout: Layout, e: Scalars, v: Scalars, v_d: Scalars, *, a_d: Scalars, kp: Scalars, kd: Scalars
) -> Scalars:
    """The accelerations with which the error obeys ë = -Kd ė - Kp e."""
    values: list[Scalar] = [0.0] * layout.rate_count
    for _, k in layout.lines:
        p, d, error, rate = terms(kp[k], kd[k], e[k], v[k])
        values[k] = plain(a_d[k] - (d * (rate - v_d[k]) + p * error))
    for turn in layout.turns:
        phi, rate, wanted, change = (
            turn.outward(Vector3(*x[turn.rates])) for x in (e, v, v_d, a_d)
        )
        stiff, damped = Vector3(*kp[turn.rates]), Vector3(*kd[turn.rates])
        values[turn.rates] = turn.outward(
            tracking_turn(phi, rate, wanted, change, kp=stiff, kd=damped)
        )
    return tuple(values)


def _where_driven(
    plant: Plant, layout: Layout, q: Scalars, v: Scalars, *, q_d: Coordinates, v_d: Rates
) -> tuple[Scalars, Scalars]:
    """The goal where actuators can follow it, the measured motion elsewhere."""
    coordinates, rates = list(q), list(v)
    goal_q, goal_v = layout.coordinates(q_d, "the goal"), layout.rates(v_d, "the goal")
    for coordinate, k in layout.lines:
        if plant.actuated[k]:
            coordinates[coordinate], rates[k] = goal_q[coordinate], goal_v[k]
    for turn in layout.turns:
        if all(plant.actuated[turn.rates]):
            coordinates[turn.coordinates] = goal_q[turn.coordinates]
            rates[turn.rates] = goal_v[turn.rates]
    return tuple(coordinates), tuple(rates)


def _clipped(x: Scalar, bound: Scalar) -> Scalar:
    if is_constant(bound) and bound == math.inf:
        return x
    lowered = where(x > bound, bound, x)
    return where(lowered < -bound, -bound, lowered)
