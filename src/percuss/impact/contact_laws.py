"""The laws of compliant contact: each a class that knows its physics and describes itself.

The depth δ (m) is how far the tool's point is inside the target's surface, δ̇ (m/s) the speed at
which it goes deeper, k the stiffness and c the damping, in the law's own units. A law is known by
its name in `CONTACT_LAWS`; closures, scenarios, reports and messages take from there what they
need. Forces, energies and margins work for any scalar; what one mass does, for numbers and NumPy
batches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from percuss.algebra.scalars import Scalar, formula, sqrt, where
from percuss.algebra.vectors import Vector3
from percuss.impact import compliant_hunt_crossley as hunt_crossley
from percuss.impact import compliant_linear as linear
from percuss.model.checks import values
from percuss.model.errors import ModelError


class ContactLaw(ABC):
    """How a contact's force follows from its depth and speed.

    What one mass m (kg) does that touches at speed v (m/s) is known of some laws; a law of which
    it is not known refuses to tell, and needs a damping where a restitution would do.

    Attributes:
        name: as in scenario files.
        words: what the law is, in a report.
        stiffness_unit: of k.
        damping_unit: of c.
        only_pushes: whether there is a surface, which cannot pull; else a spring between points.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    stiffness_unit: ClassVar[str] = "N/m"
    damping_unit: ClassVar[str] = "N s/m"
    only_pushes: ClassVar[bool]

    @abstractmethod
    def trial_force(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """The force (N) that the law gives if it may also pull, smooth through δ = 0."""

    def damping(self, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
        """The damping with which one mass rebounds with a restitution, in the law's unit."""
        del restitution, stiffness, mass, speed
        raise self._not_known("damping for a restitution")

    def restitution(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        """The speed at which one mass leaves over the speed at which it touched."""
        del stiffness, damping, mass, speed
        raise self._not_known("restitution")

    def duration(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        """How long one mass is in contact (s)."""
        del stiffness, damping, mass, speed
        raise self._not_known("duration")

    def peak_force(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        """The greatest force on one mass (N)."""
        del stiffness, damping, mass, speed
        raise self._not_known("greatest force")

    def _not_known(self, what: str) -> ModelError:
        return ModelError(f"the {what} of one mass is not known of the law {self.name!r}")


class SurfaceLaw(ContactLaw):
    """A law of a surface that gives way: F = max(0, trial force) for δ > 0, else 0."""

    only_pushes: ClassVar[bool] = True

    @abstractmethod
    def elastic_energy(self, k: Scalar, depth: Scalar) -> Scalar:
        """What the surface has stored (J) at a depth δ ≥ 0: ∫ F dδ without damping."""

    @abstractmethod
    def push_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """A length (m) that inside, δ > 0, is positive exactly where the surface pushes.

        It has a slope where the contact begins and ends, so that integrators find these instants.
        """

    def release_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """A length (m) that falls through zero, with a slope, where one mass leaves."""
        return self.push_margin(k, c, depth, speed)


class SpringLaw(ContactLaw):
    """A law of a spring and a damper between two points, without a surface: it also pulls.

    The elongation d (m) leads from the tool to the grip; the velocity u (m/s) is that of the tool
    relative to the target's point at the same place.
    """

    only_pushes: ClassVar[bool] = False

    @abstractmethod
    def pull(self, k: Scalar, c: Scalar, elongation: Vector3, relative: Vector3) -> Vector3:
        """The force on the tool (N)."""

    @abstractmethod
    def elastic_energy(self, k: Scalar, elongation: Vector3) -> Scalar:
        """What the spring has stored (J)."""

    @abstractmethod
    def dissipation(self, c: Scalar, relative: Vector3) -> Scalar:
        """Power that the damper turns into heat (W), never negative."""


@final
@dataclass(frozen=True)
class Linear(SurfaceLaw):
    """F = max(0, k δ + c δ̇): it begins with a force c δ̇, and ends while still dented."""

    name: ClassVar[str] = "linear"
    words: ClassVar[str] = "linear spring and damper, pushes only"

    @formula
    def trial_force(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        return k * depth + c * speed

    @formula
    def elastic_energy(self, k: Scalar, depth: Scalar) -> Scalar:
        return 0.5 * (k * (depth * depth))

    @formula
    def push_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """The force over the stiffness, δ + (c/k) δ̇ (m)."""
        return depth + c / k * speed

    def damping(self, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
        del speed
        return each(
            lambda e, k, m: linear.damping_of_ratio(linear.pushed_ratio(e), k, m),
            restitution,
            stiffness,
            mass,
        )

    def restitution(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        del speed
        return each(
            lambda k, c, m: linear.pushed_restitution(linear.damping_ratio(k, c, m)),
            stiffness,
            damping,
            mass,
        )

    def duration(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(
            lambda k, c, m, _: linear.pushed_duration(k, c, m), stiffness, damping, mass, speed
        )

    def peak_force(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(linear.peak_force, stiffness, damping, mass, speed)


@final
@dataclass(frozen=True)
class HuntCrossley(SurfaceLaw):
    """F = max(0, k δ^1.5 + c δ^1.5 δ̇): it begins and ends with no force."""

    name: ClassVar[str] = "hunt-crossley"
    words: ClassVar[str] = "Hunt–Crossley"
    stiffness_unit: ClassVar[str] = "N/m^1.5"
    damping_unit: ClassVar[str] = "N s/m^2.5"

    @formula
    def trial_force(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """|δ|^1.5 (k sign δ + c δ̇), which is smooth through δ = 0 (N)."""
        size = _power(_absolute(depth), 1.5)
        signed = where(depth < 0.0, -size, size)
        return k * signed + c * size * speed

    @formula
    def elastic_energy(self, k: Scalar, depth: Scalar) -> Scalar:
        return 0.4 * (k * _power(depth, 2.5))

    @formula
    def push_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """The force over the stiffness and over √δ, δ (1 + (c/k) δ̇) (m)."""
        return depth + depth * (c / k * speed)

    def release_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        """The depth itself (m): one mass alone is never so fast that 1 + (c/k) δ̇ vanishes."""
        del k, c, speed
        return depth

    def damping(self, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
        del mass
        return each(
            lambda e, k, v: k / v * hunt_crossley.drop_of_restitution(e),
            restitution,
            stiffness,
            speed,
        )

    def restitution(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        del mass
        return each(
            lambda k, c, v: hunt_crossley.restitution_of_drop(c / k * v), stiffness, damping, speed
        )

    def duration(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(
            lambda k, c, m, v: hunt_crossley.duration(k, c / k * v, m, v),
            stiffness,
            damping,
            mass,
            speed,
        )

    def peak_force(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(
            lambda k, c, m, v: hunt_crossley.peak_force(k, c / k * v, m, v),
            stiffness,
            damping,
            mass,
            speed,
        )


@final
@dataclass(frozen=True)
class Bilateral(SpringLaw):
    """k d - c u on the tool (N): a linear spring and a damper between two points."""

    name: ClassVar[str] = "bilateral"
    words: ClassVar[str] = "linear spring and damper between two points, pushes and pulls"

    @formula
    def trial_force(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        return k * depth + c * speed

    def pull(self, k: Scalar, c: Scalar, elongation: Vector3, relative: Vector3) -> Vector3:
        return elongation * k - relative * c

    @formula
    def elastic_energy(self, k: Scalar, elongation: Vector3) -> Scalar:
        return 0.5 * (k * elongation.dot(elongation))

    @formula
    def dissipation(self, c: Scalar, relative: Vector3) -> Scalar:
        return c * relative.dot(relative)

    def damping(self, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
        del speed
        return each(
            lambda e, k, m: linear.damping_of_ratio(linear.swung_ratio(e), k, m),
            restitution,
            stiffness,
            mass,
        )

    def restitution(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        del speed
        return each(
            lambda k, c, m: linear.swung_restitution(linear.damping_ratio(k, c, m)),
            stiffness,
            damping,
            mass,
        )

    def duration(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(
            lambda k, c, m, _: linear.swung_duration(k, c, m), stiffness, damping, mass, speed
        )

    def peak_force(self, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
        return each(linear.peak_force, stiffness, damping, mass, speed)


CONTACT_LAWS: dict[str, ContactLaw] = {
    law.name: law for law in (Linear(), HuntCrossley(), Bilateral())
}
"""By name; a law that is entered here can be asked for wherever a contact gives way."""

USUAL_LAW = HuntCrossley.name
"""The law of a compliant contact for which none is given."""


def law_named(name: Any) -> ContactLaw:
    """The law of a name; ModelError for what is not the name of one."""
    if not isinstance(name, str) or name not in CONTACT_LAWS:
        allowed = ", ".join(repr(known) for known in CONTACT_LAWS)
        raise ModelError(f"law must be one of {allowed}, got {name!r}")
    return CONTACT_LAWS[name]


def each(formula: Callable[..., float], *arguments: Any) -> Any:
    """The formula for numbers, or for each of a batch."""
    arrays = np.broadcast_arrays(*(values(x) for x in arguments))
    if arrays[0].ndim == 0:
        return formula(*(float(x) for x in arrays))
    found = [
        formula(*(float(x) for x in case)) for case in zip(*map(np.ravel, arrays), strict=True)
    ]
    return np.array(found).reshape(arrays[0].shape)


@formula
def _power(x: Scalar, exponent: float) -> Scalar:
    """x^1.5 or x^2.5 for x ≥ 0, with the derivative 0 at 0."""
    positive = x > 0.0
    root = where(positive, sqrt(where(positive, x, 1.0)), 0.0)
    size = x * root
    return size if exponent == 1.5 else x * size


def _absolute(x: Scalar) -> Scalar:
    return where(x < 0.0, -x, x)
