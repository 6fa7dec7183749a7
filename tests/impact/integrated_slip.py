"""An oracle for sliding in space: the turning of slip integrated by a method of order 8.

With the slip r (cos φ, sin φ) and dτ = dp / r,

    d ln r/dτ = g(φ),    dφ/dτ = h(φ),    dp/dτ = r,

so that the end of slip, which p reaches with ever faster turning, moves to τ → ∞ and is
approached smoothly. φ runs to a direction in which slip no longer turns; from there the motion
is straight and exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from percuss.dynamics.dop853 import HostDop853, Point, StepUnderflowError
from percuss.impact.friction_law import SlidingLaw
from percuss.impact.sliding import (
    Progress,
    direction_of,
    is_compressing,
    straight,
    straight_slide,
)

Array = NDArray[np.float64]

_RELATIVE, _ABSOLUTE = 1e-13, 1e-15
_SMALLEST_SLIP = 1e-14
"""Of the relative speed before the impact, about one: what is left of slip then is straight."""
_MOST_STEPS = 20_000

Measure = Callable[[Array], float]


def integrated_impulse(W: Array, u: Array, friction: float, e: float) -> list[float]:
    """Impulse along two tangents and the normal, for a mobility (3, 3) and velocities before."""
    size = float(np.max(np.abs(u)))
    law = SlidingLaw(W[:2, :2].tolist(), W[:2, 2].tolist(), float(W[2, 2]), friction, e)
    *slip, velocity = (u / size).tolist()
    state = Progress(slip, velocity, 0.0, [0.0, 0.0])
    direction, speed = direction_of(slip)
    turns = speed > 0.0 and law.is_turning(direction)
    slid = turning(law, state) if turns else straight_slide(law, state)
    end = straight(law, slid, law.force_at_rest(), math.inf)
    return [size * float(x) for x in (*end.tangential_impulse, end.impulse)]  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Path:
    """The equations in τ for y = (ln r, φ, p, F₁, F₂, work), from a state on."""

    law: SlidingLaw
    start: Progress

    @cached_property
    def numbers(self) -> tuple[Array, Array, float, float, float]:
        """T, b, c, μ and the velocity at the start."""
        law, velocity = self.law, self.start.velocity
        scalars = (float(x) for x in (law.normal, law.friction, velocity))  # type: ignore[arg-type]
        return np.array(law.tangential, float), np.array(law.coupling, float), *scalars  # type: ignore[return-value]

    @cached_property
    def compressing(self) -> bool:
        """Whether the points press together, or are about to."""
        direction, _ = direction_of(self.start.slip)
        stiffness = self.law.stiffness(self.law.sliding_force(direction))
        return bool(is_compressing(self.start.velocity, stiffness))

    def initial(self) -> Array:
        x, y = np.array(self.start.slip, float)
        return np.array([math.log(math.hypot(x, y)), math.atan2(y, x), 0.0, 0.0, 0.0, 0.0])

    def rates(self, _: float, y: Array) -> Array:
        T, b, _, friction, _ = self.numbers
        r, direction = math.exp(y[0]), _unit(y[1])
        change = b - friction * T @ direction
        push = -friction * r * direction
        turning_rate = float(direction[0] * change[1] - direction[1] * change[0])
        work_rate = r * self.velocity(y)
        return np.array([float(direction @ change), turning_rate, r, *push, work_rate])

    def velocity(self, y: Array) -> float:
        """v = v₀ + c p + b · F."""
        _, b, c, _, start = self.numbers
        return start + c * float(y[2]) + float(b @ y[3:5])

    @cached_property
    def owed(self) -> float:
        """Work that restitution still has to give back."""
        return float(self.start.owed)  # type: ignore[arg-type]

    def measures(self) -> dict[str, Measure]:
        """What rises through zero where this part of the path ends."""
        if self.compressing:
            return {"released": self.velocity}
        return {
            "returned": lambda y: float(y[5]) - self.owed,
            "pressed": lambda y: -self.velocity(y),
        }

    def state(self, y: Array, velocity: float | None = None) -> Progress:
        e = float(self.law.restitution)  # type: ignore[arg-type]
        paid = float(y[5]) * (e * e if self.compressing else 1.0)
        return Progress(
            [float(x) for x in math.exp(y[0]) * _unit(y[1])],
            self.velocity(y) if velocity is None else velocity,
            self.start.impulse + float(y[2]),
            [float(a + b) for a, b in zip(self.start.tangential_impulse, y[3:5], strict=True)],
            self.owed - paid,
        )


def turning(law: SlidingLaw, state: Progress) -> Progress:
    """Until the impact is over or slip has ended, in units in which speeds are about one."""
    while True:
        path = _Path(law, state)
        if not path.compressing and path.owed <= 0.0:
            return replace(state, over=True)
        y, ended = _follow(path)
        if ended == "returned":
            return replace(path.state(y), over=True)
        if ended == "straight":
            return straight_slide(law, path.state(y))
        # Compression ended; or, pressed together again before all work is returned, it goes on.
        state = path.state(y, velocity=0.0)


def _follow(path: _Path) -> tuple[Array, str]:
    """Along the path to the end of compression or restitution, or until slip goes straight."""
    measures = path.measures()
    method = HostDop853(path.rates, math.inf, _RELATIVE, _ABSOLUTE)
    point = method.start(0.0, path.initial())
    for _ in range(_MOST_STEPS):
        before, point = point, _stepped(method, point)
        for name, measure in measures.items():
            if measure(before.x) < 0.0 <= measure(point.x):
                return _at_zero(path, measure, before.x, point.t - before.t), name
        slow = math.exp(point.x[0]) < _SMALLEST_SLIP
        if slow or not path.law.is_turning(_unit(point.x[1]).tolist()):
            return point.x, "straight"
    raise ArithmeticError(
        f"sliding was not over after {_MOST_STEPS} steps: friction {path.law.friction!r}, "
        f"mobility {path.numbers[0].tolist()!r}, {path.numbers[1].tolist()!r} (scaled)"
    )


def _at_zero(path: _Path, measure: Measure, start: Array, span: float) -> Array:
    """Where the measure is zero within one step of the solver, by bracketed Newton steps."""
    low, high, tau = 0.0, span, 0.5 * span
    y = start
    for _ in range(60):
        y = _moved(path, start, tau)
        found = measure(y)
        low, high = (tau, high) if found < 0.0 else (low, tau)
        step = 1e-6 * span
        slope = (measure(y + step * path.rates(0.0, y)) - found) / step
        guess = tau - found / slope if slope > 0.0 else math.nan
        if abs(guess - tau) <= 2e-15 * span:
            break
        tau = guess if low < guess < high else 0.5 * (low + high)
    return y


def _moved(path: _Path, start: Array, span: float) -> Array:
    """The path's state after `span` of τ."""
    method = HostDop853(path.rates, span, _RELATIVE, _ABSOLUTE)
    point = method.start(0.0, start)
    while point.t < span:
        point = _stepped(method, point)
    return point.x


def _stepped(method: HostDop853, point: Point) -> Point:
    try:
        return method.step(point)
    except StepUnderflowError as error:
        raise ArithmeticError(f"sliding could not be integrated: {error}") from error


def _unit(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle)])
