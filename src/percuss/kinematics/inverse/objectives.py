"""What a redundant arm does with the freedom that its task leaves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import multiple, plus
from percuss.algebra.scalars import Scalar, add, dot, is_constant, mul, to_scalar, unpack
from percuss.kinematics.manifold import difference
from percuss.model.checks import is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import System


@dataclass(frozen=True)
class Objective:
    """h(q) to be made small among the configurations that fulfil the task.

    `value`(q) and `gradient`(q), on all rates, are written for any scalar; `stiffness`, one
    positive number per rate, is about the second derivative of h and sets the length of steps.
    """

    value: Callable[[Any], Scalar]
    gradient: Callable[[Any], Scalars]
    stiffness: tuple[float, ...]

    def __add__(self, other: Objective) -> Objective:
        """Both together."""
        return Objective(
            lambda q: add(self.value(q), other.value(q)),
            lambda q: plus(self.gradient(q), other.gradient(q)),
            tuple(a + b for a, b in zip(self.stiffness, other.stiffness, strict=True)),
        )

    def __mul__(self, factor: float) -> Objective:
        """More or less important."""
        if violates(to_scalar(factor), is_positive):
            raise ModelError(f"the factor of an objective must be > 0, got {shown(factor)}")
        return Objective(
            lambda q: mul(factor, self.value(q)),
            lambda q: multiple(factor, self.gradient(q)),
            tuple(factor * s for s in self.stiffness),
        )

    __rmul__ = __mul__


def stay_near(system: System, posture: Any, weights: Any = None) -> Objective:
    """h = ½ Σ wᵢ dᵢ², d leading from the posture to q on the rates (rad, m).

    Args:
        posture: coordinates, shape (nq,).
        weights: one number > 0 per rate, default 1.
    """
    place = _numbers(posture, system.coordinate_count, "posture", system.coordinate_names)
    wanted = weights if weights is not None else [1.0] * system.rate_count
    stiffness = _numbers(wanted, system.rate_count, "weights", system.rate_names)
    for name, weight in zip(system.rate_names, stiffness, strict=True):
        if not weight > 0:
            raise ModelError(f"weights: that of {name} must be > 0, got {weight:g}")
    return _quadratic(system, place, stiffness, stiffness)


def avoid_limits(system: System) -> Objective:
    """h = ½ Σ ((q - middle) / half range)² over the joints with two finite limits."""
    place: list[float] = [0.0] * system.coordinate_count
    weights, stiffness = [0.0] * system.rate_count, [1.0] * system.rate_count
    for node in system.independent:
        joint, limits = node.joint, node.limits
        place[node.coordinates] = [float(x) for x in joint.motion.neutral()]  # type: ignore[arg-type]
        half = (limits.upper - limits.lower) / 2
        if joint.motion.coordinate_count != 1 or not math.isfinite(half):
            continue
        place[node.coordinates.start] = (limits.upper + limits.lower) / 2
        weights[node.rates.start] = stiffness[node.rates.start] = half**-2
    if not any(weights):
        raise ModelError(f"no joint of {system.name!r} has two limits to stay away from")
    return _quadratic(system, tuple(place), tuple(weights), tuple(stiffness))


def _quadratic(
    system: System,
    place: tuple[float, ...],
    weights: tuple[float, ...],
    stiffness: tuple[float, ...],
) -> Objective:
    def gradient(q: Coordinates) -> Scalars:
        steps = unpack(difference(system, place, q), system.rate_count, "d")
        return tuple(mul(w, d) for w, d in zip(weights, steps, strict=True))

    def value(q: Coordinates) -> Scalar:
        steps = unpack(difference(system, place, q), system.rate_count, "d")
        return mul(0.5, dot(steps, tuple(mul(w, d) for w, d in zip(weights, steps, strict=True))))

    return Objective(value, gradient, stiffness)


def _numbers(values: Any, size: int, what: str, names: tuple[str, ...]) -> tuple[float, ...]:
    try:
        entries = unpack(values, size, what, names)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from error
    for name, entry in zip(names, entries, strict=True):
        if not (is_constant(entry) and math.isfinite(entry)):
            raise ModelError(f"{what}: {name} must be a finite number, got {entry}")
    return tuple(float(entry) for entry in entries)  # type: ignore[arg-type]
