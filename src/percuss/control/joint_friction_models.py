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
    add,
    div,
    is_constant,
    mul,
    namespace,
    neg,
    sqrt,
    sub,
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

    def torque(self, rate: Scalar, deflection: Scalar = 0.0) -> Scalar:
        del deflection
        speed = sqrt(add(mul(rate, rate), mul(self.smoothing, self.smoothing)))
        return neg(mul(add(self.viscous, div(self.coulomb, speed)), rate))

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

    def steady_deflection(self, rate: Scalar) -> Scalar:
        """z_s (rad): what the bristles bend to at a constant rate, its size."""
        ratio = div(rate, self.stribeck)
        sticking = _exponential(neg(mul(ratio, ratio)))
        level = add(self.coulomb, mul(sub(self.static, self.coulomb), sticking))
        return div(level, self.stiffness)

    def deflection_rate(self, rate: Scalar, deflection: Scalar) -> Scalar:
        """ż (rad/s)."""
        slip = div(_size(rate), self.steady_deflection(rate))
        return sub(rate, mul(slip, deflection))

    def torque(self, rate: Scalar, deflection: Scalar = 0.0) -> Scalar:
        bent = mul(self.stiffness, deflection)
        moving = mul(self.damping, self.deflection_rate(rate, deflection))
        return neg(add(add(bent, moving), mul(self.viscous, rate)))

    def deflected(self, rate: Scalar, deflection: Scalar, period: float) -> Scalar:
        """By the implicit Euler step, which stays within ±z_s however long the period is."""
        slip = div(_size(rate), self.steady_deflection(rate))
        return div(add(deflection, mul(period, rate)), add(1.0, mul(period, slip)))


def _size(rate: Scalar) -> Scalar:
    return where(rate < 0.0, neg(rate), rate)  # type: ignore[operator]


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
