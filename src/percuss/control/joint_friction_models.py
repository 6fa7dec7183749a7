"""Friction in a joint as a controller may model it, in order to cancel it.

Each model gives the torque of friction on the joint (N m, against the rate) from the rate (rad/s)
and a state that only bristles have. A model may differ from what the plant really does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Protocol

from percuss.algebra.scalars import (
    Scalar,
    formula,
    is_constant,
    namespace,
    plain,
    sqrt,
    terms,
    where,
)
from percuss.model.checks import as_scalar, shown, violates
from percuss.model.errors import ModelError


class FrictionModel(Protocol):
    """Friction of one joint; `bristles` says whether it has a state of its own."""

    @property
    def bristles(self) -> bool:
        """Whether `torque` depends on a deflection (rad) that has to be remembered."""
        ...

    def torque(self, rate: Scalar, deflection: Scalar = 0.0) -> Scalar:
        """The torque of friction on the joint (N m)."""
        ...

    def deflected(self, rate: Scalar, deflection: Scalar, period: float) -> Scalar:
        """The deflection (rad) a period (s) later."""
        ...


@dataclass(frozen=True)
class DryFriction:
    """-(viscous + coulomb / √(ω² + smoothing²)) ω: viscous, Coulomb's, or both.

    `viscous` in N m s/rad, `coulomb` in N m; `smoothing` (rad/s) is the rate around which dry
    friction changes sign. The same as the friction of a model's joints (`Friction`).
    """

    viscous: Scalar = 0.0
    coulomb: Scalar = 0.0
    smoothing: Scalar = 1e-3
    bristles = False

    def __post_init__(self) -> None:
        _check(self, positive=("smoothing",))

    @formula
    def torque(self, rate: Scalar, deflection: Scalar = 0.0) -> Scalar:
        del deflection
        s = terms(self.smoothing)
        speed = sqrt(rate * rate + s * s)
        return -((self.viscous + self.coulomb / speed) * rate)

    def deflected(self, rate: Scalar, deflection: Scalar, period: float) -> Scalar:
        del rate, period
        return deflection


@dataclass(frozen=True)
class LuGre:
    """The LuGre model: bristles of deflection z that bend, slip and damp (Canudas de Wit 1995).

    ż = ω - |ω| z / z_s(ω),  z_s = (coulomb + (static - coulomb) exp(-(ω / stribeck)²)) / stiffness,
    torque -(stiffness z + damping ż + viscous ω).

    `stiffness` in N m/rad, `damping` and `viscous` in N m s/rad, `coulomb` and `static` in N m,
    `stribeck` in rad/s.
    """

    stiffness: Scalar
    coulomb: Scalar
    static: Scalar
    stribeck: Scalar = 1e-2
    damping: Scalar = 0.0
    viscous: Scalar = 0.0
    bristles = True

    def __post_init__(self) -> None:
        _check(self, positive=("stiffness", "coulomb", "static", "stribeck"))

    @formula
    def steady_deflection(self, rate: Scalar) -> Scalar:
        """z_s (rad): what the bristles bend to at a constant rate, its size."""
        ratio = rate / self.stribeck
        sticking = _exponential(plain(-(ratio * ratio)))
        level = self.coulomb + (terms(self.static) - self.coulomb) * sticking
        return level / self.stiffness

    @formula
    def deflection_rate(self, rate: Scalar, deflection: Scalar) -> Scalar:
        """ż (rad/s)."""
        slip = terms(_size(rate)) / self.steady_deflection(rate)
        return rate - slip * deflection

    @formula
    def torque(self, rate: Scalar, deflection: Scalar = 0.0) -> Scalar:
        bent = self.stiffness * deflection
        moving = self.damping * terms(self.deflection_rate(rate, deflection))
        return -(bent + moving + self.viscous * rate)

    @formula
    def deflected(self, rate: Scalar, deflection: Scalar, period: float) -> Scalar:
        """The deflection after a period (s), by the implicit Euler step.

        It stays within ±z_s however long the period is.
        """
        slip = terms(_size(rate)) / self.steady_deflection(rate)
        return (deflection + period * rate) / (1.0 + period * slip)


@formula
def _size(rate: Scalar) -> Scalar:
    return where(rate < 0.0, -rate, rate)


def _exponential(x: Scalar) -> Scalar:
    return math.exp(x) if is_constant(x) else namespace(x).exp(x)


def _check(model: Any, positive: tuple[str, ...]) -> None:
    """Fields as scalars, finite, and ≥ 0 or > 0."""
    kind = type(model).__name__
    for entry in fields(model):
        value = as_scalar(getattr(model, entry.name), f"{kind}: {entry.name}")
        object.__setattr__(model, entry.name, value)
        if entry.name in positive and violates(value, lambda x: (x > 0) & (x < math.inf)):
            raise ModelError(f"{kind}: {entry.name} must be finite and > 0, got {shown(value)}")
        if violates(value, lambda x: (x >= 0) & (x < math.inf)):
            raise ModelError(f"{kind}: {entry.name} must be finite and ≥ 0, got {shown(value)}")
