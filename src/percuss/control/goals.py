"""Where the chaser should be: coordinates, rates and accelerations wanted at a time.

A goal is a function of time written for any scalar, so that it can be compiled with the law that
follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import (
    Scalar,
    dot,
    formula,
    is_constant,
    pack,
    plain,
    sub,
    terms,
    to_scalar,
    where,
)
from percuss.algebra.vectors import Vector3
from percuss.control.attitude import acceleration_of_turn, velocity_of_turn
from percuss.control.layout import Layout
from percuss.control.plant import Plant, layout_of
from percuss.kernel.provenance import is_own
from percuss.model.checks import is_finite, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import System


@dataclass(frozen=True)
class Goal:
    """`at`(t) → (q_d, v_d, a_d) of the chaser at time t (s).

    Shapes (own_coordinates,), (own_rates,), (own_rates,); in m, rad, and per second.
    """

    at: Callable[[Any], tuple[Any, Any, Any]]

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """(q_d, v_d, a_d) at time t."""
        return self.at(t)

    def __fingerprint__(self) -> Any:
        """Its function, where that is one of percuss; a user's may look at anything."""
        return (self.at,) if is_own(self.at) else None


def hold(subject: Plant | System, q: Coordinates) -> Goal:
    """Stay at the chaser's coordinates q, at rest."""
    layout = layout_of(subject)
    place = _coordinates(layout, q, "q")
    rest = pack([0.0] * layout.rate_count)
    return Goal(lambda _: (pack(place), rest, rest))


def rest_to_rest(subject: Plant | System, q0: Any, q1: Any, duration: Scalar) -> Goal:
    """A goal that leads from q0 at t = 0 to q1 at `duration` (s), at rest before and after.

    Along 10 s³ - 15 s⁴ + 6 s⁵ with s = t / duration, whose first and second derivatives vanish
    at both ends. An orientation turns about one axis, by at most half a turn.
    """
    layout = layout_of(subject)
    start, end = _coordinates(layout, q0, "q0"), _coordinates(layout, q1, "q1")
    length = to_scalar(duration)
    if violates(length, is_positive):
        raise ModelError(f"duration must be finite and > 0 s, got {shown(length)}")
    step = layout.difference(start, end)

    def at(t: Any) -> tuple[Any, Any, Any]:
        T = terms(length)
        s = terms(_clipped(plain(to_scalar(t) / T), 1.0))
        rest = 1.0 - s
        path = s * (s * s) * (10.0 + s * (6.0 * s - 15.0))
        speed = 30.0 * (s * s * (rest * rest)) / length
        change = 60.0 * (s * rest * (1.0 - 2.0 * s))
        change = change / (T * T)
        # The axis of a turn is fixed: its rates are those of the angle along it.
        return (
            pack(layout.integrated(start, plain([path * x for x in step]))),
            pack(speed * x for x in step),
            pack(change * x for x in step),
        )

    return Goal(at)


def through(subject: Plant | System, times: Sequence[float], knots: Any) -> Goal:
    """A goal that leads through coordinates `knots` (n, coordinates) at `times` (n,), s.

    Times are numbers, coordinates any scalar; orientations that are not known turn by less than
    half a turn from the first of them.

    The cubic spline with continuous accelerations inside and zero rates at both ends; at rest
    before the first time and after the last. The orientations of a joint go along the spline
    through their rotation vectors from the first of them.
    """
    from scipy.interpolate import CubicSpline

    layout = layout_of(subject)
    when = _times(times)
    places = [_coordinates(layout, knot, f"knot {k}") for k, knot in enumerate(knots)]
    if len(places) != len(when):
        raise ModelError(f"{len(when)} times need as many knots, got {len(places)}")
    start = places[0]
    # c[power][interval][rate], highest power first, in the time since the interval began.
    if all(is_constant(x) for place in places for x in place):
        steps = _continuous(layout, [layout.difference(start, place) for place in places])
        c: Any = CubicSpline(when, steps, bc_type="clamped").c
    else:
        rates = list(zip(*(layout.difference(start, place) for place in places), strict=True))
        # A spline is linear in its knots: that of each unit knot is known.
        units = CubicSpline(when, np.eye(len(when)), bc_type="clamped").c.tolist()
        c = [[[dot(unit, rate) for rate in rates] for unit in power] for power in units]

    def at(t: Any) -> tuple[Any, Any, Any]:
        since = sub(to_scalar(t), float(when[0]))
        s = _clipped(since, float(when[-1] - when[0]))
        coefficients, begun = _piece(s, when - when[0], c)
        moving = _within(since, float(when[-1] - when[0]))
        local = sub(s, begun)
        step, speed, change = zip(*(_cubic(local, *four) for four in coefficients), strict=True)
        speed, change = (tuple(where(moving, x, 0.0) for x in part) for part in (speed, change))
        speed, change = turning_rates(layout, step, speed, change)
        return pack(layout.integrated(start, step)), pack(speed), pack(change)

    return Goal(at)


# --- parts --------------------------------------------------------------------------------------


def _coordinates(layout: Layout, q: Coordinates, what: str) -> Scalars:
    values = layout.coordinates(q, what)
    for k, value in enumerate(values):
        if violates(value, is_finite):
            raise ModelError(f"{what}: coordinate {k} must be finite, got {shown(value)}")
    for turn in layout.turns:
        part = values[turn.coordinates]
        if all(is_constant(x) and x == 0 for x in part):
            raise ModelError(f"{what}: the quaternion (w, x, y, z) is zero: no orientation")
    return values


def _times(times: Sequence[float]) -> np.ndarray:
    when = np.asarray(times, float)
    if when.ndim != 1 or len(when) < 2 or not np.isfinite(when).all() or (np.diff(when) <= 0).any():
        raise ModelError(f"times must be two or more, finite and increasing (s), got {times}")
    return when


def _clipped(x: Scalar, most: float) -> Scalar:
    """x in [0, most]."""
    raised = where(x < 0.0, 0.0, x)
    return where(raised > most, most, raised)


def _within(x: Scalar, most: float) -> Any:
    inside = where(x < 0.0, 0.0, 1.0)
    return where(x > most, 0.0, inside) > 0.5


def _piece(s: Scalar, begins: np.ndarray, c: Any) -> tuple[list[list[Scalar]], Scalar]:
    """Coefficients by rate of the interval that holds s, and when it began."""
    intervals = [
        [[to_scalar(x) for x in four] for four in zip(*powers, strict=True)]
        for powers in zip(*c, strict=True)
    ]
    chosen: list[list[Scalar]] = intervals[0]
    begun: Scalar = 0.0
    for k, now in enumerate(intervals[1:], start=1):
        later = s >= float(begins[k])
        begun = where(later, float(begins[k]), begun)
        chosen = [
            [where(later, new, old) for new, old in zip(*fours, strict=True)]
            for fours in zip(now, chosen, strict=True)
        ]
    return chosen, begun


@formula
def _cubic(
    x: Scalar, c3: Scalar, c2: Scalar, c1: Scalar, c0: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Value, first and second derivative of ((c3 x + c2) x + c1) x + c0."""
    value = c0 + x * (c1 + x * (c2 + x * c3))
    slope = c1 + x * (2.0 * c2 + x * (3.0 * c3))
    return value, slope, 2.0 * c2 + x * (6.0 * c3)


def turning_rates(
    layout: Layout, step: Scalars, speed: Scalars, change: Scalars
) -> tuple[Scalars, Scalars]:
    """Rates and accelerations when rotation vectors, not angular velocities, have these."""
    rates, accelerations = list(speed), list(change)
    for turn in layout.turns:
        three = (Vector3(*values[turn.rates]) for values in (step, speed, change))
        phi, rate, second = (turn.outward(vector) for vector in three)
        rates[turn.rates] = turn.outward(velocity_of_turn(phi, rate))
        accelerations[turn.rates] = turn.outward(acceleration_of_turn(phi, rate, second))
    return tuple(rates), tuple(accelerations)


def _continuous(layout: Layout, steps: list[Scalars]) -> np.ndarray:
    """Rotation vectors that do not jump by a turn from knot to knot."""
    values = np.asarray(steps, float)
    for turn in layout.turns:
        for before, now in zip(values[:-1, turn.rates], values[1:, turn.rates], strict=True):
            angle = float(np.linalg.norm(now))
            if angle:
                turns = np.arange(-1, 2)[:, None] * 2 * np.pi / angle
                others = now + turns * now
                now[:] = others[np.argmin(np.linalg.norm(others - before, axis=1))]
    return values
