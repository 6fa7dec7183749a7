"""The motion after the published closure, as the thesis prints it: (4.15)–(4.19) and (4.21)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from percuss.algebra.arrays import Accelerations, Commands, Coordinates, Rates
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.motions import Force, Motion
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, add, div, pack, sub, unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.forward import forward_dynamics
from percuss.dynamics.inverse import inverse_dynamics
from percuss.impact.contact import Contact, added, mobility, velocity_jump, weightless
from percuss.kinematics.frames import (
    frame_acceleration,
    frame_pose,
    frame_velocity,
    planar_angle,
)
from percuss.kinematics.manifold import difference
from percuss.model.joints import Scalars
from percuss.model.systems import Frame, System
from percuss.sources.published.jump import Carried, in_plane, refuse_unpublished, solve_plane

_UP = Vector3(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class PublishedPlant:
    """M′(p) p̈ + C′(p, ṗ) = u with M′ = M + Aᵀ M_O A, A = J_O⁺ J, C′ = C + Aᵀ M_O Ȧ ṗ.

    The target turns with the tool's link, θ_O(t) = θ_O(0) + Σ(t) - Σ(0), while its velocity is
    A ṗ: the two do not agree, and momentum drifts, but ½ ṗᵀ M′ ṗ is conserved without forces.
    States are the chaser's own. Functions take any scalar.
    """

    contact: Contact

    def __post_init__(self) -> None:
        refuse_unpublished(self.contact)

    # --- what control laws ask of a plant -----------------------------------------------------

    @property
    def system(self) -> System:
        """The chaser, whose coordinates and rates are the plant's."""
        return self.contact.chaser

    @property
    def rate_count(self) -> int:
        return self.system.rate_count

    @property
    def coordinate_count(self) -> int:
        return self.system.coordinate_count

    @property
    def own_rates(self) -> int:
        return self.system.rate_count

    @property
    def own_coordinates(self) -> int:
        return self.system.coordinate_count

    @property
    def actuated(self) -> tuple[bool, ...]:
        return self.system.actuated

    def accelerations(
        self, q: Coordinates, v: Rates, u: Commands, loads: Sequence[tuple[Frame, Force]] = ()
    ) -> Any:
        """p̈ = M′⁻¹ (u - C′), shape (nv,), m/s² and rad/s².

        A command u (N, N m) on a rate that nothing drives does nothing. `loads` act on the chaser
        at the origins of frames, world axes.
        """
        chaser, tool = self.system, self.contact.tool
        alone = forward_dynamics(chaser, q, v, self._driven(u, "u"), wrenches=loads)
        W = mobility(chaser, q, tool)
        carried, drift = self._carried(q), self._drift(q, v)
        point = frame_acceleration(chaser, q, v, alone, frame=tool).linear
        moved = solve_plane(W, carried.inertia, point - W @ drift)
        pull = Force(-(carried.inertia @ moved) - drift, Vector3.zero())
        return added(alone, velocity_jump(chaser, q, tool, pull))

    def commands(self, q: Coordinates, v: Rates, a: Accelerations) -> Any:
        """u = M′ a + C′, shape (nv,), N and N m, where every rate is driven.

        Otherwise u makes the driven rates accelerate as `a` says while the others move as they
        must without a force; u is 0 there.
        """
        wanted = list(self._driven(a, "a"))
        loose = [k for k, driven in enumerate(self.actuated) if not driven]
        if loose:
            forces = unpack(self._forces(q, v, wanted), self.rate_count, "forces")
            inertia = [self._resistance(q, k) for k in loose]
            block = [[column[k] for column in inertia] for k in loose]
            found = solve_symmetric(block, [-forces[k] for k in loose])
            for k, acceleration in zip(loose, found, strict=True):
                wanted[k] = acceleration
        return pack(self._driven(self._forces(q, v, wanted), "forces"))

    def error(self, goal: Any, q: Coordinates) -> Any:
        """q - goal, shape (nv,), m and rad."""
        return difference(self.system, goal, q)

    # --- what an encounter asks of what moves -------------------------------------------------

    @property
    def conserves(self) -> bool:
        """Whether energy and momentum stay: momentum drifts."""
        return False

    @property
    def passengers(self) -> tuple[CarriedTarget, ...]:
        """The target, which is not in the chaser's tree."""
        return (CarriedTarget(self),)

    def with_systems(self, change: Callable[[System], System]) -> PublishedPlant:
        """The same plant with chaser and target changed."""
        contact = self.contact
        chaser, target = change(contact.chaser), change(contact.target)
        return PublishedPlant(replace(contact, chaser=chaser, target=target))

    # --- the target ---------------------------------------------------------------------------

    def target_state(self, q: Coordinates, v: Rates) -> tuple[Any, Any]:
        """(x, y, θ_O) in m and rad and (vx, vy, ω) in m/s and rad/s of the target's centre.

        The position follows from the tool point and θ_O, the velocity is A ṗ, world frame.
        """
        turn = self._turn(q)
        carried = self._carried(q)
        offset = _UP.cross(carried.arm)  # z × (z × r) = -r, from the contact point to the centre
        at = frame_pose(self.system, q, self.contact.tool).position + offset
        target = self.contact.target
        start = planar_angle(target, self.contact.target_coordinates, target.base.name)
        velocity = frame_velocity(self.system, q, v, self.contact.tool).linear
        return pack((at.x, at.y, add(start, turn))), pack(carried.follows(in_plane(velocity)))

    def contact_force(self, q: Coordinates, v: Rates, a: Accelerations) -> Vector3:
        """f_I of (4.17): the target's force on the tool at accelerations a, world axes (N)."""
        point = frame_acceleration(self.system, q, v, a, frame=self.contact.tool).linear
        return -(self._carried(q).inertia @ point) - self._drift(q, v)

    # --- parts --------------------------------------------------------------------------------

    def _turn(self, q: Coordinates) -> Scalar:
        """Σ(t) - Σ(0) (rad)."""
        tool, start = self.contact.tool, self.contact.chaser_coordinates
        return sub(planar_angle(self.system, q, tool), planar_angle(self.system, start, tool))

    def _carried(self, q: Coordinates) -> Carried:
        return Carried.turned(self.contact, Rotation.about(_UP, self._turn(q)))

    def _drift(self, q: Coordinates, v: Rates) -> Vector3:
        """(J_O⁺)ᵀ M_O (J̇_O⁺ J ṗ - g): the load at the tool that its acceleration does not make."""
        velocity = frame_velocity(self.system, q, v, self.contact.tool)
        carried, moving = self._carried(q), in_plane(velocity.linear)
        arm = carried.arm
        arm_rate = _UP.cross(arm) * velocity.angular.z
        turning = div(arm_rate.dot(moving), carried.size)
        linear = -(arm_rate * div(arm.dot(moving), carried.size)) - arm * turning
        gravity = self.contact.target.gravity
        return carried.felt(Vector3(sub(linear.x, gravity.x), sub(linear.y, gravity.y), turning))

    def _forces(self, q: Coordinates, v: Rates, a: Accelerations) -> Any:
        """M′ a + C′, less friction in the joints."""
        pull = Force(self.contact_force(q, v, a), Vector3.zero())
        return inverse_dynamics(self.system, q, v, a, wrenches=[(self.contact.tool, pull)])

    def _resistance(self, q: Coordinates, index: int) -> Scalars:
        """A column of M′."""
        chaser, tool = weightless(self.system), self.contact.tool
        rest = (0.0,) * self.rate_count
        unit = tuple(1.0 if k == index else 0.0 for k in range(self.rate_count))
        point = frame_acceleration(chaser, q, rest, unit, frame=tool).linear
        pull = Force(-(self._carried(q).inertia @ point), Vector3.zero())
        forces = inverse_dynamics(chaser, q, rest, unit, wrenches=[(tool, pull)])
        return unpack(forces, self.rate_count, "forces")

    def _driven(self, values: Any, what: str) -> Scalars:
        """Entries on the rates, zero where nothing is driven."""
        entries = unpack(values, self.rate_count, what, self.system.rate_names)
        return tuple(
            entry if driven else 0.0 for driven, entry in zip(self.actuated, entries, strict=True)
        )


@dataclass(frozen=True)
class CarriedTarget:
    """The target as a passenger of the chaser's tree."""

    plant: PublishedPlant

    @property
    def system(self) -> System:
        """The target."""
        return self.plant.contact.target

    def state(self, q: Coordinates, v: Rates) -> tuple[Any, Any]:
        """(x, y, θ_O) and (vx, vy, ω), which are the coordinates and rates of a planar body."""
        return self.plant.target_state(q, v)

    def center_velocity(self, q: Coordinates, v: Rates) -> Motion:
        """(vx, vy, 0) and (0, 0, ω)."""
        vx, vy, turning = unpack(self.state(q, v)[1], 3, "rates")
        return Motion(Vector3(vx, vy, 0.0), Vector3(0.0, 0.0, turning))

    def pull(self, q: Coordinates, v: Rates, a: Accelerations) -> tuple[Frame, Force]:
        """f_I at the tool."""
        force = self.plant.contact_force(q, v, a)
        return self.plant.contact.tool, Force(force, Vector3.zero())
