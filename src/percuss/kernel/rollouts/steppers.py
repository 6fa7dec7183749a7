"""One step of an ordinary differential equation: classical RK4 and Dormand–Prince 5(4).

Both work on a flat vector z whose first entries are the state and whose last are integrals
(running statistics). Quaternions are four consecutive entries of the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError

Array = Any
Rates = Callable[[Array, Array], Array]
"""(t, z) → dz/dt, the command, memory and parameters being bound."""


@dataclass(frozen=True)
class RK4:
    """Classical Runge–Kutta of order 4 with a fixed step (s).

    Steps lie on the grid start + k·step; the last one, and those around chosen times and
    events, are shortened so that they land exactly. `most_steps` limits a case only where
    events may restart it without end.
    """

    step: float
    most_steps: int | None = None

    def __post_init__(self) -> None:
        if not (self.step > 0 and math.isfinite(self.step)):
            raise KernelError(f"RK4 needs a step > 0 s, got {self.step!r}")
        if self.most_steps is not None and self.most_steps < 1:
            raise KernelError(f"most_steps must be at least 1, got {self.most_steps}")


@dataclass(frozen=True)
class Adaptive:
    """Dormand–Prince 5(4): each case chooses its own steps from an error estimate.

    A step is accepted when the root mean square of error / (absolute + relative·|x|) is at
    most 1. A quaternion counts as the three angles (rad) of its error in the tangent space.

    Attributes:
        relative: relative tolerance.
        absolute: absolute tolerance, one number or one per flat entry of the state.
        first_step: s; by default 1 % of the time in which the state changes by itself.
        smallest_step: s; a case that needs less stops with STEP_UNDERFLOW. Steps below a few
            units in the last place of t count as too small in any case.
        largest_step: s; keeps events from being stepped over.
        most_steps: attempts, accepted or not, before a case stops with MAX_STEPS.
    """

    relative: float = 1e-9
    absolute: float | tuple[float, ...] = 1e-12
    first_step: float | None = None
    smallest_step: float = 1e-14
    largest_step: float = math.inf
    most_steps: int = 100_000

    def __post_init__(self) -> None:
        # Arrays and lists are welcome; a tuple keeps the method hashable.
        if not isinstance(self.absolute, (int, float)):
            values = tuple(float(a) for a in np.ravel(np.asarray(self.absolute)))
            object.__setattr__(self, "absolute", values)
        smallest = min(np.ravel(self.absolute), default=0.0)
        if not (self.relative >= 0 and smallest >= 0 and self.relative + smallest > 0):
            raise KernelError(
                "tolerances must be at least 0 and not both 0, got "
                f"relative={self.relative!r}, absolute={self.absolute!r}"
            )
        if self.first_step is not None and not self.first_step > 0:
            raise KernelError(f"first_step must be > 0 s or None, got {self.first_step!r}")
        if not 0 <= self.smallest_step < self.largest_step:
            raise KernelError(
                "steps must satisfy 0 <= smallest_step < largest_step, got "
                f"{self.smallest_step!r} and {self.largest_step!r}"
            )
        if self.most_steps < 1:
            raise KernelError(f"most_steps must be at least 1, got {self.most_steps}")


Method = RK4 | Adaptive

# --- quaternions --------------------------------------------------------------------------------


def _on_quaternions(z: Array, offsets: Sequence[int], change: Callable[[Array], Array]) -> Array:
    """z with each quaternion replaced by change(quaternion)."""
    if not offsets:
        return z
    parts, at = [], 0
    for offset in offsets:
        parts += [z[at:offset], change(z[offset : offset + 4])]
        at = offset + 4
    return np.concatenate([*parts, z[at:]])


def projected(z: Array, offsets: Sequence[int]) -> Array:
    """z with unit quaternions, to rounding."""
    return _on_quaternions(z, offsets, lambda q: q * (1.0 / np.sqrt(np.sum(q * q))))


def nearly_unit(z: Array, offsets: Sequence[int]) -> Array:
    """z with quaternions that are unit to second order in their deviation.

    One Newton correction, without root or division: within a step a quaternion leaves the
    sphere by the square of the angle turned, and the fourth power of that is below any error
    of the step.
    """
    return _on_quaternions(z, offsets, lambda q: q * (1.5 - 0.5 * np.sum(q * q)))


# --- classical RK4 ------------------------------------------------------------------------------


def rk4_step(rates: Rates, t: Array, z: Array, h: Array, k1: Array) -> Array:
    """z after h, not projected. Sums as it goes, so that few vectors are alive at a time."""
    half = 0.5 * h
    third = h * (1.0 / 3.0)
    sixth = h * (1.0 / 6.0)
    total = z + sixth * k1
    k2 = rates(t + half, z + half * k1)
    total = total + third * k2
    k3 = rates(t + half, z + half * k2)
    total = total + third * k3
    k4 = rates(t + h, z + h * k3)
    return total + sixth * k4


def hermite(
    z0: Array, k0: Array, z1: Array, k1: Array, h: Array
) -> tuple[Callable[[Array], Array], Callable[[], Array]]:
    """The cubic through both states and rates, by θ in [0, 1], and its bend at θ = 0."""
    change = z1 - z0
    c1 = h * k0
    c2 = 3.0 * change - h * (2.0 * k0 + k1)
    c3 = h * (k0 + k1) - 2.0 * change
    return lambda theta: z0 + theta * (c1 + theta * (c2 + theta * c3)), lambda: 2.0 * c2


# --- Dormand–Prince 5(4) ------------------------------------------------------------------------
# J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math.
# 6 (1980) 19–26; the continuous extension of order 4 is L. F. Shampine, Math. Comp. 46 (1986).

_C = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
_A: tuple[tuple[float, ...], ...] = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
_B = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
_E = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""Fifth-order minus fourth-order weights."""
_P = (
    (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
    (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
    (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
    (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
    (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
)
"""Weights of θ, θ², θ³, θ⁴ in the continuous extension, one row a stage."""


@dataclass(frozen=True)
class Trial:
    """A step not yet accepted: z1 is not projected, `rates` are those at the end."""

    z: Array
    rates: Array
    error: Array
    dense: Callable[[Array], Array]
    """The state by θ in [0, 1]; it begins with the slope h·k1."""
    bend: Callable[[], Array]
    """Its second derivative by θ at the beginning."""


def dormand_prince_step(rates: Rates, t: Array, z: Array, h: Array, k1: Array) -> Trial:
    """One step with its error estimate; six evaluations after k1."""
    stages = [k1]
    for c, row in zip(_C[1:], _A[1:], strict=True):
        stages.append(rates(t + c * h, z + h * _weighted(row, stages)))
    after = z + h * _weighted(_B, stages)
    last = rates(t + h, after)
    stages.append(last)

    made: list[Array] = []

    def powers() -> list[Array]:
        if not made:
            made.extend(_weighted(column, stages) for column in zip(*_P, strict=True))
        return made

    def dense(theta: Array) -> Array:
        inner = powers()[3]
        for power in powers()[2::-1]:
            inner = power + theta * inner
        return z + (h * theta) * inner

    def bend() -> Array:
        return (2.0 * h) * powers()[1]

    return Trial(after, last, h * _weighted(_E, stages), dense, bend)


def _weighted(weights: Sequence[float], vectors: Sequence[Array]) -> Array:
    """Sum of weight times vector, leaving zero weights out."""
    total = None
    for weight, vector in zip(weights, vectors, strict=True):
        if weight != 0.0:
            term = weight * vector
            total = term if total is None else total + term
    return total


class ErrorNorm:
    """Root mean square of errors relative to the tolerances, quaternions in the tangent space."""

    def __init__(self, method: Adaptive, size: int, quaternions: Sequence[int]) -> None:
        absolute = np.ravel(np.asarray(method.absolute, float))
        if absolute.size not in (1, size):
            raise KernelError(
                f"`absolute` has {absolute.size} tolerances but the flat state has {size} "
                "entries; give one number, or one per entry"
            )
        self._absolute = np.broadcast_to(absolute, size)
        self._relative = method.relative
        self._quaternions = tuple(quaternions)
        inside = {offset + k for offset in quaternions for k in range(4)}
        self._others = [k for k in range(size) if k not in inside]

    def scale(self, *states: Array) -> Array:
        """Tolerance of each entry."""
        size = np.abs(states[0])
        for other in states[1:]:
            size = np.maximum(size, np.abs(other))
        return self._absolute + self._relative * size

    def __call__(self, vector: Array, state: Array, scale: Array) -> Array:
        """Norm of a vector (error or rate) at a state; 1 is just within tolerance."""
        terms = [(vector[k] / scale[k]) ** 2 for k in self._others]
        for offset in self._quaternions:
            q, e = state[offset : offset + 4], vector[offset : offset + 4]
            tangent = 2.0 * (e - q * np.sum(q * e))  # an angle: δq = ½ q ∘ δφ
            allowed = float(np.min(self._absolute[offset : offset + 4])) + self._relative
            terms.append(np.sum(tangent * tangent) / allowed**2)
        count = len(self._others) + 3 * len(self._quaternions)
        return np.sqrt(np.sum(np.stack(terms)) / count)


def first_step(norm: ErrorNorm, z: Array, k: Array) -> Array:
    """1 % of the time in which the state would change by its own size; 1e-6 s when it is zero."""
    scale = norm.scale(z)
    size, speed = norm(z, np.zeros_like(z), scale), norm(k, np.zeros_like(z), scale)
    usable = (size > 1e-5) & (speed > 1e-5)
    return np.where(usable, 0.01 * size / np.where(usable, speed, 1.0), 1e-6)


def step_factor(error: Array, previous: Array, accepted: Array) -> Array:
    """How much longer the next step may be: proportional and integral control of the error.

    E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.2, β = 0.04.
    """
    known = np.isfinite(error)
    bounded = np.where(known, np.maximum(error, 1e-8), 1.0)
    proportional = bounded**-0.17
    good = np.clip(0.9 * proportional * np.maximum(previous, 1e-4) ** 0.04, 0.2, 5.0)
    bad = np.where(known, np.clip(0.9 * proportional, 0.1, 0.9), 0.1)
    return np.where(accepted, good, bad)
