"""What an impact did: velocities, impulses, reactions, and a verdict on each conservation law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Rates
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import momentum, total_inertia, total_mass
from percuss.dynamics.energy import kinetic_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.impact.closures import Jump
from percuss.impact.contact import Contact, about, weightless
from percuss.impact.sizes import momentum_sizes
from percuss.impact.verdict import ConservationLaw, ImpactBalance, laws, warnings
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import WORLD, System

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Impact:
    """An impact in numbers. Vectors have three entries, world axes, in the plane too.

    `chaser_rates` are the chaser's own after it, shape (nv,). `target_rates` are those of the
    target's centre of mass: (vx, vy, ω) in the plane, linear and angular velocity (6,) in space;
    none (0,) of a push from outside, which has no target.
    `impulse` (N s) and `moment` (N m s, about the contact point) act on the chaser; the latter is
    zero unless the closure `passes_moment`.
    `base_impulse` is what the chaser's base passes on to the world, about the origin of the base
    frame: zero unless the base is held. Energies (J) and momenta (N s; N m s about the world's
    origin) are of both systems together; a held base adds nothing. `joint_reactions` are the
    impulses on the outboard link at each joint of the chaser, in the link's axes, moment about
    the joint.
    """

    closure: str
    is_planar: bool
    chaser_rates: Array
    target_rates: Array
    impulse: Array
    moment: Array
    base_impulse: Force
    effective_mass: float | None
    normal: Array | None
    energy_before: float
    energy_after: float
    linear_momentum_before: Array
    linear_momentum_after: Array
    angular_momentum_before: Array
    angular_momentum_after: Array
    joint_reactions: Mapping[str, Force]
    laws: tuple[ConservationLaw, ...]
    warnings: tuple[str, ...]
    passes_moment: bool = False

    def __repr__(self) -> str:
        size = float(np.linalg.norm(self.impulse))
        return (
            f"<Impact {self.closure}: impulse {size:.4g} N s, energy {self.energy_before:.4g} → "
            f"{self.energy_after:.4g} J>"
        )

    @property
    def verdict(self) -> tuple[str, ...]:
        """A line on each conservation law."""
        return tuple(law.text for law in self.laws)


def assess(contact: Contact, jump: Jump, closure: str) -> Impact:
    """The outcome of a jump that `closure` (pin, weld, bounce, …) made of a contact.

    Everything must be plain numbers.
    """
    chaser_rates = _numbers(jump.chaser_rates, "the chaser's rates after the impact")
    target_rates = _numbers(jump.target_rates, "the target's rates after the impact")
    before = _momenta(contact, contact.chaser_rates, contact.target_rates)
    after = _momenta(contact, chaser_rates, target_rates)
    reactions = _reactions(contact, jump, chaser_rates)
    on_world = passed_on(contact, reactions)
    base_at = frame_pose(
        contact.chaser, contact.chaser_coordinates, contact.chaser.base.name
    ).position
    base_impulse = about(base_at, on_world)
    loads = _load_sizes(base_impulse, base_at)
    balance = ImpactBalance(
        energy_before=before.energy,
        energy_after=after.energy,
        before=before.total,
        after=after.total,
        sizes=np.maximum.reduce([before.sizes, after.sizes, loads]),
        passed_on=_six(on_world),
        mass=_free_mass(contact),
    )
    approach = None
    if jump.normal is not None:
        relative = contact.grip_velocity.linear - contact.tool_velocity.linear
        approach = float(jump.normal.dot(relative))  # type: ignore[arg-type]
    return Impact(
        closure=closure,
        is_planar=contact.is_planar,
        chaser_rates=chaser_rates,
        target_rates=_center_rates(contact, target_rates),
        impulse=_three(jump.impulse),
        moment=_three(jump.moment),
        base_impulse=base_impulse,
        effective_mass=None if jump.effective_mass is None else float(jump.effective_mass),  # type: ignore[arg-type]
        normal=None if jump.normal is None else _three(jump.normal),
        energy_before=before.energy,
        energy_after=after.energy,
        linear_momentum_before=before.total[:3],
        linear_momentum_after=after.total[:3],
        angular_momentum_before=before.total[3:],
        angular_momentum_after=after.total[3:],
        joint_reactions=_at_joints(contact.chaser, reactions),
        laws=laws(balance),
        warnings=warnings(balance, closure, approach, conserves=jump.conserves),
        passes_moment=jump.passes_moment,
    )


@dataclass(frozen=True)
class _Momenta:
    """Energy (J), momentum (6,) about the world's origin, and the sizes of the bodies' momenta.

    `sizes` are sums over all bodies, see `momentum_sizes`: what rounding is relative to.
    """

    energy: float
    total: Array
    sizes: Array


def _momenta(contact: Contact, chaser_rates: Rates, target_rates: Rates) -> _Momenta:
    energy, total, sizes = 0.0, np.zeros(6), np.zeros(2)
    for system, q, v in (
        (contact.chaser, contact.chaser_coordinates, chaser_rates),
        (contact.target, contact.target_coordinates, target_rates),
    ):
        energy += float(kinetic_energy(system, q, v))  # type: ignore[arg-type]
        total += _six(momentum(system, q, v))
        sizes += momentum_sizes(system, q, v)
    return _Momenta(energy, total, sizes)


def _load_sizes(load: Force, at: Vector3) -> Array:
    """|f| and |n| + |r||f| of a load at r from the world's origin: how its moment rounds."""
    force, moment, reach = (
        float(np.linalg.norm(_three(part))) for part in (load.linear, load.angular, at)
    )
    return np.array([force, moment + reach * force])


def center_velocity(contact: Contact, rates: Any) -> Motion:
    """Velocity of the target's centre of mass, and the angular velocity of its base, world axes.

    At rates of the target, any scalar.
    """
    target, q = contact.target, contact.target_coordinates
    linear = momentum(target, q, rates).linear / total_inertia(target, q).mass
    return Motion(linear, frame_velocity(target, q, rates, target.base.name).angular)


def _center_rates(contact: Contact, rates: Array) -> Array:
    """The velocity of the target's centre of mass as numbers, world axes (m/s, rad/s).

    (vx, vy, ω) in the plane, linear and angular velocity in space.
    """
    velocity = center_velocity(contact, rates)
    linear, angular = _three(velocity.linear), _three(velocity.angular)
    if contact.is_planar:
        return np.array([linear[0], linear[1], angular[2]])
    return np.concatenate([linear, angular])


def _free_mass(contact: Contact) -> float | None:
    """Mass of both systems (kg) where the chaser is free; None where its base is held."""
    joint = contact.chaser.base_joint
    if not isinstance(joint.motion, (Free, Planar)):
        return None
    masses = (total_mass(system) for system in (contact.chaser, contact.target))
    return float(sum(np.asarray(mass, float) for mass in masses))


def _reactions(contact: Contact, jump: Jump, rates_after: Array) -> dict[str, Force]:
    """Impulse through each of the chaser's joints: the dynamics of an instant, at rest."""
    chaser = weightless(contact.chaser)
    change = rates_after - _numbers(contact.chaser_rates, "the chaser's rates before the impact")
    push = [(contact.tool, Force(jump.impulse, jump.moment))]
    return joint_reactions(chaser, contact.chaser_coordinates, 0.0 * change, change, wrenches=push)


def _at_joints(chaser: System, reactions: dict[str, Force]) -> dict[str, Force]:
    """Without the joints through which nothing can pass."""
    return {
        joint.name: reactions[joint.name]
        for joint in chaser.joints
        if not (joint.parent == WORLD and isinstance(joint.motion, (Free, Planar)))
    }


def passed_on(contact: Contact, reactions: Mapping[str, Force]) -> Force:
    """What the chaser's joints on the world pass on to it, about the world's origin, any scalar."""
    chaser = contact.chaser
    total = Force.zero()
    for node in chaser.tree:
        motion = node.joint.motion
        free = isinstance(motion, Free) or (isinstance(motion, Planar) and contact.is_planar)
        if node.parent is not None or free:
            continue
        # The reaction is about the moved joint's origin, in the axes of the body on it.
        origin = node.joint.child_placement.act_inverse(Vector3.zero())
        at = frame_pose(chaser, contact.chaser_coordinates, node.body.name)
        placed = at @ Pose(position=origin)
        total = total - placed.act(reactions[node.joint.name])
    return total


def _numbers(values: object, what: str) -> Array:
    try:
        numbers = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be plain numbers to be assessed, got {values!r}") from error
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
        raise ModelError(f"{what} must be finite numbers of one case, got {values!r}")
    return numbers


def _three(vector: Vector3) -> Array:
    return np.array(vector.array(), float) + 0.0  # no negative zeros


def _six(force: Force) -> Array:
    return np.array(force.array(), float)
