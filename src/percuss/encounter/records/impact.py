"""Records of what passed between chaser and target: impacts, and contacts that took time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Vector: TypeAlias = tuple[float, ...]
"""A vector has two entries in the plane and three in space."""

Axial: TypeAlias = float | tuple[float, ...]
"""An axial vector is one number in the plane and has three entries in space."""


@dataclass(frozen=True)
class EnergyChange:
    """The kinetic energy of chaser and target together before and after an impact, J."""

    before: float
    after: float

    @property
    def lost(self) -> float:
        """The energy before minus the energy after, J; a residue of rounding is zero."""
        lost = self.before - self.after
        return 0.0 if abs(lost) <= 1e-12 * abs(self.before) else lost


@dataclass(frozen=True)
class LinearMomentumChange:
    """The linear momentum of chaser and target together before and after, N s, world axes."""

    before: Vector
    after: Vector


@dataclass(frozen=True)
class AngularMomentumChange:
    """The angular momentum of both about the world's origin before and after, N m s, world axes."""

    before: Axial
    after: Axial


@dataclass(frozen=True)
class JointReaction:
    """The impulse on the outboard link at a joint, in the axes of that link."""

    force: Vector
    """The integral of the force over the impact has the unit N s."""
    moment: Axial
    """The integral of the moment about the joint over the impact has the unit N m s."""
    magnitude: float
    """The Euclidean length of `force` has the unit N s."""


@dataclass(frozen=True)
class ImpactRecord:
    """One impact: an instantaneous one, or a contact that took time, seen as a whole.

    Velocities are those just after the impact, world axes. Energies and momenta are of chaser and
    target together.
    """

    time: float
    """The impact begins at this time of the run, s."""
    duration: float | None
    """The impact lasts this long, s: 0 for an instantaneous one, None where it did not end."""
    closure: str
    """The closure is pin, weld, published, bounce, compliant or pulse."""
    chaser_velocity: Vector
    """The generalized velocity of the chaser is (x, y, angle, joints) in the plane and (linear,
    angular, joints) in space; m/s and rad/s."""
    target_velocity: Vector | None
    """The velocity of the target's centre of mass is (vx, vy, omega) in the plane and (linear,
    angular) in space; m/s and rad/s. It is None without a target."""
    relative_velocity: Vector | None
    """The velocity of the target's contact point seen from the tool just before, m/s; None where
    there is no surface that the tool meets."""
    impulse: Vector
    """The impulse on the chaser at the contact point, N s."""
    moment: Axial | None
    """The angular impulse on the chaser about the contact point, N m s; None but for a weld."""
    base_impulse: Vector
    """The impulse that a fixed base passes on to the world, N s; zero for other bases."""
    base_moment: Axial
    """The angular impulse that a fixed base passes on, about the base's origin, N m s."""
    effective_mass: float | None
    """The effective mass along the normal, kg; None but for a bounce."""
    normal: Vector | None
    """The unit normal from chaser to target; None where there is no surface."""
    normal_speed: float | None
    """The speed at which the points come together along the normal just before, m/s."""
    surface: str | None
    """The surface of the target that the tool meets, in words."""
    energy: EnergyChange
    linear_momentum: LinearMomentumChange
    angular_momentum: AngularMomentumChange
    joint_reactions: Mapping[str, JointReaction]
    """The reactions of the chaser's joints, by joint name."""


@dataclass(frozen=True)
class TouchRecord:
    """One touch of a contact that takes time, from its begin to its end."""

    begin: float
    """The touch begins at this time of the run, s."""
    end: float | None
    """The touch ends at this time of the run, s; None where it was not over when the run was."""
    duration: float | None
    """The touch lasts this long, s; None where it was not over."""
    peak_force: float
    """The largest contact force, N."""
    impulse: Vector
    """The impulse on the chaser at the tool, N s, world axes."""
    restitution: float | None
    """The speed at which the points part over that at which they met, along the normals; None
    where the touch did not end or has no surface."""
    energy_lost: float | None
    """The energy that the contact took from the bodies, J; None for a pulse."""


@dataclass(frozen=True)
class ContactRecord:
    """A contact that takes time: its law, its parameters and its touches, in order."""

    law: str
    """The law is pulse, or a name in `percuss.impact.CONTACT_LAWS`."""
    stiffness: float | None
    """The stiffness, in the unit of its law, N/m for a linear one; None for a pulse."""
    damping: float | None
    """The damping, in the unit of its law, N s/m for a linear one; None for a pulse."""
    friction: float | None
    """Coulomb's coefficient; None for a pulse."""
    slip_speed: float | None
    """The speed below which friction is smoothed, m/s; None where nothing rubs."""
    surface: str | None
    """The surface of the target that is touched, in words; None for a pulse."""
    touches: tuple[TouchRecord, ...]

    @property
    def peak_force(self) -> float | None:
        """The largest force of all touches, N; None without any."""
        return max((touch.peak_force for touch in self.touches), default=None)
