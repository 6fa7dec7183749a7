"""Sliding in space, where the direction of slip turns while the impulse grows.

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

from percuss.impact.friction import Array, Law, Progress, is_turning, straight_slide

_RELATIVE, _ABSOLUTE = 1e-13, 1e-15
_SMALLEST_SLIP = 1e-14
"""Of the relative speed before the impact, about one: what is left of slip then is straight."""
_MOST_STEPS = 20_000

Measure = Callable[[Array], float]


@dataclass(frozen=True)
class _Path:
    """The equations in τ for y = (ln r, φ, p, F₁, F₂, work), from a state on."""

    law: Law
    start: Progress

    @cached_property
    def compressing(self) -> bool:
        """Whether the points press together, or are about to."""
        force = -self.law.friction * self.start.slip / np.linalg.norm(self.start.slip)
        velocity = self.start.velocity
        return velocity < 0.0 or (velocity == 0.0 and self.law.stiffness(force) < 0.0)

    def initial(self) -> Array:
        x, y = self.start.slip
        return np.array([math.log(math.hypot(x, y)), math.atan2(y, x), 0.0, 0.0, 0.0, 0.0])

    def rates(self, _: float, y: Array) -> Array:
        r, direction = math.exp(y[0]), _unit(y[1])
        grows, turning_rate = self.law.along(direction)
        push = -self.law.friction * r
        return np.array(
            [grows, turning_rate, r, push * direction[0], push * direction[1], r * self.velocity(y)]
        )

    def velocity(self, y: Array) -> float:
        """v = v₀ + c p + b · F."""
        return self.start.velocity + self.law.normal * y[2] + float(self.law.coupling @ y[3:5])

    @cached_property
    def owed(self) -> float:
        """Work that restitution still has to give back."""
        return self.start.owed(self.law)

    def measures(self) -> dict[str, Measure]:
        """What rises through zero where this part of the path ends."""
        if self.compressing:
            return {"released": self.velocity}
        return {
            "returned": lambda y: float(y[5]) - self.owed,
            "pressed": lambda y: -self.velocity(y),
        }

    def state(self, y: Array, velocity: float | None = None) -> Progress:
        work = float(y[5])
        compressing = self.compressing
        return replace(
            self.start,
            slip=math.exp(y[0]) * _unit(y[1]),
            velocity=self.velocity(y) if velocity is None else velocity,
            impulse=self.start.impulse + float(y[2]),
            tangential_impulse=self.start.tangential_impulse + y[3:5],
            absorbed=self.start.absorbed - (work if compressing else 0.0),
            returned=self.start.returned + (0.0 if compressing else work),
        )


def turning(law: Law, state: Progress) -> Progress:
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
    from scipy.integrate import DOP853

    measures = path.measures()
    solver = DOP853(path.rates, 0.0, path.initial(), math.inf, rtol=_RELATIVE, atol=_ABSOLUTE)
    for _ in range(_MOST_STEPS):
        before, since = solver.y.copy(), solver.t
        message = solver.step()
        if message is not None:
            raise ArithmeticError(f"sliding could not be integrated: {message}")
        for name, measure in measures.items():
            if measure(before) < 0.0 <= measure(solver.y):
                return _at_zero(path, measure, before, solver.t - since), name
        slow = math.exp(solver.y[0]) < _SMALLEST_SLIP
        if slow or not is_turning(path.law, _unit(solver.y[1])):
            return solver.y, "straight"
    raise ArithmeticError(
        f"sliding was not over after {_MOST_STEPS} steps: friction {path.law.friction!r}, "
        f"mobility {path.law.tangential.tolist()!r}, {path.law.coupling.tolist()!r} (scaled)"
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
    from scipy.integrate import DOP853

    solver = DOP853(path.rates, 0.0, start, span, rtol=_RELATIVE, atol=_ABSOLUTE)
    while solver.status == "running":
        message = solver.step()
        if message is not None:
            raise ArithmeticError(f"sliding could not be integrated: {message}")
    return solver.y


def _unit(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle)])
