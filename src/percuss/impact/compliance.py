"""Contact that takes time: a surface that gives way, with friction, and pushes back.

The depth δ (m) is how far the tool's point is inside the target's surface, δ̇ (m/s) the speed at
which it goes deeper. A unilateral contact only pushes, F ≥ 0:

    linear           F = max(0, k δ + c δ̇)              for δ > 0, else 0
    hunt-crossley    F = max(0, k δ^1.5 + c δ^1.5 δ̇)    for δ > 0, else 0

and Coulomb's friction on the tool is -μ F v_t/√(v_t² + s²) for the slip v_t, smooth within the
slip speed s. The bilateral law has no surface: a spring and a damper between two points, which
also pull. Everything works for any scalar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.scalars import (
    Scalar,
    add,
    div,
    is_constant,
    mul,
    neg,
    sqrt,
    sub,
    where,
)
from percuss.algebra.vectors import Vector3
from percuss.model.checks import as_scalar, is_not_negative, is_positive, shown, violates
from percuss.model.errors import ModelError

LAWS = ("linear", "hunt-crossley", "bilateral")

UNITS = {
    "linear": ("N/m", "N s/m"),
    "hunt-crossley": ("N/m^1.5", "N s/m^2.5"),
    "bilateral": ("N/m", "N s/m"),
}
"""Of stiffness and damping, by law."""


@dataclass(frozen=True)
class Compliance:
    """How a contact gives way.

    `stiffness` k and `damping` c are in N/m and N s/m, under "hunt-crossley" in N/m^1.5 and
    N s/m^2.5 (see `damping_for`). `friction` is Coulomb's μ; friction builds up around
    `slip_speed` (m/s): at three times that speed it has 95 % of its full size. Slower than that
    the points creep where they would stick, by about `slip_speed` for as long as they touch.
    """

    law: str
    stiffness: Scalar
    damping: Scalar = 0.0
    friction: Scalar = 0.0
    slip_speed: Scalar = 1e-3

    def __post_init__(self) -> None:
        check_law(self.law)
        for name, allowed, words in (
            ("stiffness", is_positive, "> 0"),
            ("damping", is_not_negative, "≥ 0"),
            ("friction", is_not_negative, "≥ 0"),
            ("slip_speed", is_positive, "> 0"),
        ):
            value = as_scalar(getattr(self, name), name)
            if violates(value, allowed):
                unit = self._unit(name)
                raise ModelError(f"{name} must be finite and {words}{unit}, got {shown(value)}")
            object.__setattr__(self, name, value)
        if self.law == "bilateral" and self.has_friction:
            raise ModelError(
                f"friction must be 0 under the law 'bilateral', which has no surface to slide on, "
                f"got {shown(self.friction)}"
            )

    def _unit(self, name: str) -> str:
        units = dict(zip(("stiffness", "damping"), UNITS[self.law], strict=True))
        unit = {**units, "friction": "", "slip_speed": "m/s"}[name]
        return f" {unit}" if unit else ""

    @property
    def has_friction(self) -> bool:
        """Whether there may be friction: false only where μ is the number 0."""
        return not (is_constant(self.friction) and self.friction == 0)


def check_law(law: Any) -> None:
    """Refuses what is not the name of a law."""
    if law not in LAWS:
        allowed = ", ".join(repr(name) for name in LAWS)
        raise ModelError(f"law must be one of {allowed}, got {law!r}")


def trial_force(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """The normal force (N) that the law would give if the contact could also pull.

    Smooth through δ = 0, where a contact under the linear law begins with a force c δ̇ already;
    there the law of Hunt and Crossley goes on as |δ|^1.5 (k sign δ + c δ̇).
    """
    depth, closing_speed = as_scalar(depth, "depth"), as_scalar(closing_speed, "closing_speed")
    k, c = compliance.stiffness, compliance.damping
    if compliance.law == "hunt-crossley":
        size = _power(_absolute(depth), 1.5)
        signed = where(depth < 0.0, neg(size), size)  # type: ignore[operator]
        return add(mul(k, signed), mul(mul(c, size), closing_speed))
    return add(mul(k, depth), mul(c, closing_speed))


def normal_force(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """The normal force F ≥ 0 (N) with which the surface pushes the tool out."""
    _refuse_bilateral(compliance, "normal_force")
    depth = as_scalar(depth, "depth")
    # The law is not evaluated outside: not even its derivative is asked for there.
    inside = where(depth <= 0.0, 0.0, depth)  # type: ignore[operator]
    trial = trial_force(compliance, inside, closing_speed)
    # Not a number is not hidden: it fails both comparisons and reaches the force.
    pushing = where(trial <= 0.0, 0.0, trial)  # type: ignore[operator]
    return where(depth <= 0.0, 0.0, pushing)  # type: ignore[operator]


def release_margin(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """What falls through zero where a unilateral contact ends (m), with a slope: δ + (c/k) δ̇.

    The linear law's force ends there, before the surface has its shape back. That of Hunt and
    Crossley ends with the depth itself, which is returned.
    """
    _refuse_bilateral(compliance, "release_margin")
    if compliance.law == "hunt-crossley":
        return depth
    return add(depth, mul(div(compliance.damping, compliance.stiffness), closing_speed))


def contact_force(
    compliance: Compliance,
    surface_normal: Vector3,
    depth: Scalar,
    relative_velocity: Vector3,
    *,
    made: bool = False,
) -> Vector3:
    """The force on the tool (N); the opposite acts on the target. World axes.

    F n - μ F v_t/√(v_t² + s²) with v_t = v - (v · n) n. A contact that is `made` has the
    `trial_force` for F, which is smooth where the contact begins and ends.

    Args:
        surface_normal: n, unit, out of the target's surface.
        depth: δ (m), positive inside.
        relative_velocity: v of the tool less that of the target's point at the same place (m/s).
    """
    along = relative_velocity.dot(surface_normal)
    law = trial_force if made else normal_force
    size = law(compliance, depth, neg(along))
    force = surface_normal * size
    if not compliance.has_friction:
        return force
    slip = relative_velocity - surface_normal * along
    return force - slip * mul(mul(compliance.friction, size), _grip(compliance, slip))


def elastic_energy(compliance: Compliance, depth: Scalar) -> Scalar:
    """What the surface has stored (J): ½ k δ², under Hunt and Crossley's law 0.4 k δ^2.5."""
    _refuse_bilateral(compliance, "elastic_energy")
    depth = as_scalar(depth, "depth")
    inside = where(depth <= 0.0, 0.0, depth)  # type: ignore[operator]
    if compliance.law == "hunt-crossley":
        return mul(0.4, mul(compliance.stiffness, _power(inside, 2.5)))
    return mul(0.5, mul(compliance.stiffness, mul(inside, inside)))


def dissipation(
    compliance: Compliance, surface_normal: Vector3, depth: Scalar, relative_velocity: Vector3
) -> Scalar:
    """Power that turns into heat (W), never negative: arguments as for `contact_force`.

    (F - F_elastic) δ̇ + μ F v_t²/√(v_t² + s²). Where the linear law has stopped pushing while the
    surface is still dented, the surface loses what it has stored as it comes back by itself.
    """
    closing = neg(relative_velocity.dot(surface_normal))
    size = normal_force(compliance, depth, closing)
    elastic = trial_force(compliance, where(depth <= 0.0, 0.0, depth), 0.0)  # type: ignore[operator]
    lost = mul(sub(size, elastic), closing)
    if not compliance.has_friction:
        return lost
    slip = relative_velocity + surface_normal * closing
    rubbed = mul(mul(compliance.friction, size), mul(slip.dot(slip), _grip(compliance, slip)))
    return add(lost, rubbed)


def _grip(compliance: Compliance, slip: Vector3) -> Scalar:
    """1/√(v_t² + s²) (s/m)."""
    s = compliance.slip_speed
    return div(1.0, sqrt(add(slip.dot(slip), mul(s, s))))


def _power(x: Scalar, exponent: float) -> Scalar:
    """x^1.5 or x^2.5 for x ≥ 0, with the derivative 0 at 0."""
    positive = x > 0.0  # type: ignore[operator]
    root = where(positive, sqrt(where(positive, x, 1.0)), 0.0)
    size = mul(x, root)
    return size if exponent == 1.5 else mul(x, size)


def _absolute(x: Scalar) -> Scalar:
    return where(x < 0.0, neg(x), x)  # type: ignore[operator]


def _refuse_bilateral(compliance: Compliance, what: str) -> None:
    if compliance.law == "bilateral":
        raise ModelError(
            f"{what} belongs to a contact that only pushes, 'linear' or 'hunt-crossley': the law "
            "'bilateral' is a spring between two points and has no surface"
        )
