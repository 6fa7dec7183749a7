"""Contact that takes time: a surface that gives way, with friction, and pushes back.

The depth δ (m) is how far the tool's point is inside the target's surface, δ̇ (m/s) the speed at
which it goes deeper. The law of `contact_laws` gives the normal force F(δ, δ̇): a unilateral contact
only pushes, F ≥ 0, and Coulomb's friction on the tool is -μ F v_t/√(v_t² + s²) for the slip v_t,
smooth within the slip speed s. The bilateral law has no surface: a spring and a damper between two
points, which also pull. Everything works for any scalar.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from percuss.algebra.scalars import (
    Scalar,
    is_constant,
    plain,
    sqrt,
    terms,
    where,
)
from percuss.algebra.vectors import Vector3
from percuss.impact.contact_laws import CONTACT_LAWS, ContactLaw, SurfaceLaw, law_named
from percuss.model.checks import as_scalar, is_not_negative, is_positive, shown, violates
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class Compliance:
    """How a contact gives way.

    `law` is a name in `CONTACT_LAWS`; `stiffness` k and `damping` c are in its units, N/m and
    N s/m, under "hunt-crossley" N/m^1.5 and N s/m^2.5 (see `damping_for`). `friction` is
    Coulomb's μ; friction builds up around `slip_speed` (m/s): at three times that speed it has
    95 % of its full size. Slower than that the points creep where they would stick, by about
    `slip_speed` for as long as they touch.
    """

    law: str
    stiffness: Scalar
    damping: Scalar = 0.0
    friction: Scalar = 0.0
    slip_speed: Scalar = 1e-3

    def __post_init__(self) -> None:
        law = law_named(self.law)
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
        if not law.only_pushes and self.has_friction:
            raise ModelError(
                f"friction must be 0 under the law {law.name!r}, which has no surface to slide on, "
                f"got {shown(self.friction)}"
            )

    def _unit(self, name: str) -> str:
        law = self.contact_law
        units = {"stiffness": law.stiffness_unit, "damping": law.damping_unit, "slip_speed": "m/s"}
        return f" {units[name]}" if name in units else ""

    @property
    def contact_law(self) -> ContactLaw:
        """The law itself."""
        return law_named(self.law)

    @property
    def has_friction(self) -> bool:
        """Whether there may be friction: false only where μ is the number 0."""
        return not (is_constant(self.friction) and self.friction == 0)

    def __fingerprint__(self) -> Any:
        """Its values, and the law itself: under one name another may be entered."""
        return [getattr(self, field.name) for field in fields(self)], self.contact_law


def trial_force(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """The normal force (N) that the law would give if the contact could also pull.

    Smooth through δ = 0, where a contact under the linear law begins with a force c δ̇ already;
    there the law of Hunt and Crossley goes on as |δ|^1.5 (k sign δ + c δ̇).
    """
    depth, closing_speed = as_scalar(depth, "depth"), as_scalar(closing_speed, "closing_speed")
    k, c = compliance.stiffness, compliance.damping
    return compliance.contact_law.trial_force(k, c, depth, closing_speed)


def normal_force(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """The normal force F ≥ 0 (N) with which the surface pushes the tool out."""
    _surface_law(compliance, "normal_force")
    depth = as_scalar(depth, "depth")
    # The law is not evaluated outside: not even its derivative is asked for there.
    inside = where(depth <= 0.0, 0.0, depth)
    trial = trial_force(compliance, inside, closing_speed)
    # Not a number is not hidden: it fails both comparisons and reaches the force.
    pushing = where(trial <= 0.0, 0.0, trial)
    return where(depth <= 0.0, 0.0, pushing)


def release_margin(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """What falls through zero where a unilateral contact ends (m), with a slope: δ + (c/k) δ̇.

    The linear law's force ends there, before the surface has its shape back. That of Hunt and
    Crossley ends with the depth itself, which is returned.
    """
    law = _surface_law(compliance, "release_margin")
    return law.release_margin(compliance.stiffness, compliance.damping, depth, closing_speed)


def push_margin(compliance: Compliance, depth: Scalar, closing_speed: Scalar) -> Scalar:
    """What is positive exactly where a unilateral contact pushes (m), with a slope at either end.

    Under the linear law min(δ, δ + (c/k) δ̇), under Hunt and Crossley's min(δ, δ (1 + (c/k) δ̇)).
    """
    law = _surface_law(compliance, "push_margin")
    trial = law.push_margin(compliance.stiffness, compliance.damping, depth, closing_speed)
    return where(trial < depth, trial, depth)


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
    size_of = trial_force if made else normal_force
    size = size_of(compliance, depth, -along)
    force = surface_normal * size
    if not compliance.has_friction:
        return force
    slip = relative_velocity - surface_normal * along
    return force - slip * plain(terms(compliance.friction) * size * _grip(compliance, slip))


def elastic_energy(compliance: Compliance, depth: Scalar) -> Scalar:
    """What the surface has stored (J): ½ k δ², under Hunt and Crossley's law 0.4 k δ^2.5."""
    law = _surface_law(compliance, "elastic_energy")
    depth = as_scalar(depth, "depth")
    inside = where(depth <= 0.0, 0.0, depth)
    return law.elastic_energy(compliance.stiffness, inside)


def dissipation(
    compliance: Compliance, surface_normal: Vector3, depth: Scalar, relative_velocity: Vector3
) -> Scalar:
    """Power that turns into heat (W), never negative: arguments as for `contact_force`.

    (F - F_elastic) δ̇ + μ F v_t²/√(v_t² + s²). Where the linear law has stopped pushing while the
    surface is still dented, the surface loses what it has stored as it comes back by itself.
    """
    closing = -relative_velocity.dot(surface_normal)
    size = normal_force(compliance, depth, closing)
    elastic = trial_force(compliance, where(depth <= 0.0, 0.0, depth), 0.0)
    lost = plain((terms(size) - elastic) * closing)
    if not compliance.has_friction:
        return lost
    slip = relative_velocity + surface_normal * closing
    rubbed = terms(compliance.friction) * size * (terms(slip.dot(slip)) * _grip(compliance, slip))
    return plain(lost + rubbed)


def _grip(compliance: Compliance, slip: Vector3) -> Scalar:
    """1/√(v_t² + s²) (s/m)."""
    s = terms(compliance.slip_speed)
    return plain(1.0 / sqrt(slip.dot(slip) + s * s))


def _surface_law(compliance: Compliance, what: str) -> SurfaceLaw:
    """The law of a contact that only pushes; ModelError under one that has no surface."""
    law = compliance.contact_law
    if isinstance(law, SurfaceLaw):
        return law
    pushing = " or ".join(repr(name) for name, one in CONTACT_LAWS.items() if one.only_pushes)
    raise ModelError(
        f"{what} belongs to a contact that only pushes, {pushing}: the law {law.name!r} is a "
        "spring between two points and has no surface"
    )
