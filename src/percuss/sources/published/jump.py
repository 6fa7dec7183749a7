"""The plastic closure as the thesis prints it, kept for comparison: it loses momentum.

Its step from equal velocities of the contact point, J ṗ = J_O ψ̇, to ψ̇ = J_O⁺ J ṗ (4.9) adds
metres per second to radians per second: of all motions of the target with that contact velocity
it takes the one that is smallest in these units, which no law of mechanics asks for. `pin` and
`weld` are the closures to use.

Below, x is the contact point, K = (J_O⁺)ᵀ M_O J_O⁺ the inertia that (4.11) and (4.19) put there,
and W = J M⁻¹ Jᵀ the chaser's mobility. (M + Jᵀ K J) a = … then needs a 2×2 solve only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, add, div, mul, plain, terms
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.impact.closures import Jump
from percuss.impact.contact import Contact, added, mobility, velocity_jump
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.errors import ModelError
from percuss.model.systems import Frame

_ALONG, _ACROSS, _UP = Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class PublishedJump(Jump):
    """A jump in which momentum may be lost."""

    conserves: ClassVar[bool] = False


def published(contact: Contact) -> PublishedJump:
    """Velocities after a plastic impact by (4.9)–(4.11) of the thesis; planar, single target.

    G ṗ_f = H with G = M + Jᵀ(J_O⁺)ᵀ M_O J_O⁺ J and H = M ṗ_i + Jᵀ(J_O⁺)ᵀ M_O ψ̇_i, then
    ψ̇_f = J_O⁺ J ṗ_f, and P = -(J_Oᵀ)⁺ M_O (ψ̇_f - ψ̇_i) on the chaser. Energy never grows, but
    momentum is lost unless ψ̇_f happens to be the true motion.
    """
    refuse_unpublished(contact)
    chaser, q = contact.chaser, contact.chaser_coordinates
    target, q_target = contact.target, contact.target_coordinates
    carried = Carried.turned(contact, Rotation.identity())
    W = mobility(chaser, q, contact.tool)
    motion = frame_velocity(target, q_target, contact.target_rates, center(contact))
    before = Vector3(motion.linear.x, motion.linear.y, motion.angular.z)  # ψ̇_i

    # P = (J_O⁺)ᵀ M_O ψ̇_i - K ẋ_f and ẋ_f = ẋ_i + W P.
    brought = carried.felt(before)
    after = solve_plane(W, carried.inertia, contact.tool_velocity.linear + W @ brought)
    impulse = brought - carried.inertia @ after
    change = velocity_jump(chaser, q, contact.tool, Force(impulse, Vector3.zero()))

    gained = carried.follows(after) - before
    push = Vector3(mul(carried.mass, gained.x), mul(carried.mass, gained.y), 0.0)
    turn = Vector3(0.0, 0.0, mul(carried.moment, gained.z))
    target_change = velocity_jump(target, q_target, center(contact), Force(push, turn))
    return PublishedJump(
        added(contact.chaser_rates, change),
        added(contact.target_rates, target_change),
        impulse,
        Vector3.zero(),
    )


@dataclass(frozen=True)
class Carried:
    """What (4.9) makes of the target at an arm a = z × r, r from its centre to the contact point.

    With J_O = [1, a], J_O⁺ = [1 - a aᵀ / s; aᵀ / s], s = 1 + a · a. The 1 is a pure number next
    to a square of metres: this is where the unit of length gets into the result.
    """

    mass: Scalar
    moment: Scalar
    arm: Vector3

    @staticmethod
    def turned(contact: Contact, turn: Rotation) -> Carried:
        """What is carried, with the target turned since the impact."""
        body = contact.target.base
        middle = frame_pose(contact.target, contact.target_coordinates, center(contact)).position
        offset = turn @ in_plane(contact.point - middle)
        return Carried(body.mass, body.inertia.zz, _UP.cross(offset))

    @cached_property
    def size(self) -> Scalar:
        return add(1.0, self.arm.dot(self.arm))

    def follows(self, velocity: Vector3) -> Vector3:
        """ψ̇ = J_O⁺ ẋ as (vx, vy, ω) for a velocity of the contact point."""
        spin = div(self.arm.dot(velocity), self.size)
        linear = velocity - self.arm * spin
        return Vector3(linear.x, linear.y, spin)

    def felt(self, motion: Vector3) -> Vector3:
        """(J_O⁺)ᵀ M_O ψ̇: a momentum or a force, as the contact point is said to feel it."""
        linear = Vector3(motion.x, motion.y, 0.0) * self.mass
        turned = mul(self.moment, motion.z)
        along = plain((terms(turned) - self.arm.dot(linear)) / self.size)
        return linear + self.arm * along

    @cached_property
    def inertia(self) -> Matrix3:
        """K = (J_O⁺)ᵀ M_O J_O⁺ (kg), zero out of the plane."""
        x, y = (self.felt(self.follows(unit)) for unit in (_ALONG, _ACROSS))
        return Matrix3(x, y, Vector3.zero()).transpose()


def in_plane(vector: Vector3) -> Vector3:
    """The vector without its component out of the plane."""
    return Vector3(vector.x, vector.y, 0.0)


def solve_plane(W: Matrix3, K: Matrix3, right: Vector3) -> Vector3:
    """y with (1 + W K) y = right, in the plane."""
    product = W @ K
    a, b = add(1.0, product.row1.x), product.row1.y
    c, d = product.row2.x, add(1.0, product.row2.y)
    size = plain(terms(a) * d - terms(b) * c)
    x = plain((terms(d) * right.x - terms(b) * right.y) / size)
    y = plain((terms(a) * right.y - terms(c) * right.x) / size)
    return Vector3(x, y, 0.0)


def center(contact: Contact) -> Frame:
    """The target's centre of mass as a frame of it."""
    body = contact.target.base
    return Frame("centre of mass", body.name, Pose(position=body.com))


def refuse_unpublished(contact: Contact) -> None:
    """The thesis's formulas are for the plane, and for a target of one body."""
    if not contact.is_planar:
        raise ModelError(
            "the published closure is for planar systems only; in space use pin or weld"
        )
    if len(contact.target.bodies) != 1:
        raise ModelError(
            f"the published closure is for a target of one body, and {contact.target.name!r} has "
            f"{len(contact.target.bodies)}; use pin or weld"
        )
