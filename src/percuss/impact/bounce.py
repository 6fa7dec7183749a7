"""A bounce: the contact points meet, and part again."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.scalars import (
    Scalar,
    formula,
    is_constant,
    is_symbolic,
    plain,
    terms,
    where,
)
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.dynamics.composite import center_of_mass
from percuss.impact.closures import Jump
from percuss.impact.contact import Contact, added, mobility, velocity_jump
from percuss.model.checks import as_scalar, is_not_negative, known, padded, shown, values, violates
from percuss.model.errors import ModelError


def bounce(
    contact: Contact, restitution: Scalar, friction: Scalar = 0.0, normal: Any = None
) -> Jump:
    """The velocities after the contact points have hit each other and come apart.

    Frictionless, the impulse on the chaser is (1 + e) m_eff v_n n with v_n = n · (v_grip -
    v_tool) and m_eff = 1 / (nᵀ W n), for v_n < 0; points that do not approach feel nothing. With
    friction the impulse is integrated through sliding, sticking and sliding back.

    Args:
        restitution: e from 0 to 1, the energetic coefficient: the normal impulse gives back e²
            of the work that it took in. Without friction it is Newton's, v_n⁺ = -e v_n.
        friction: Coulomb's coefficient μ ≥ 0. Numbers, batches and JAX values: to rounding in
            the plane, in space (where slip turns) to about 1e-12 of the impulse for numbers and
            1e-10 for the others; symbols only with friction 0. A traced impact in space that
            takes more steps than it has, which is rare, is not a number.
        normal: from chaser to target, world frame, any length; default from the contact point
            to the target's centre of mass.
    """
    restitution = as_scalar(restitution, "restitution")
    if violates(restitution, lambda e: np.isfinite(e) & (e >= 0) & (e <= 1)):
        raise ModelError(f"restitution must be from 0 to 1, got {shown(restitution)}")
    friction = as_scalar(friction, "friction")
    if violates(friction, is_not_negative):
        raise ModelError(f"friction must be finite and ≥ 0, got {shown(friction)}")
    n = _normal(contact, normal)
    joint_mobility = mobility(contact.chaser, contact.chaser_coordinates, contact.tool)
    joint_mobility += mobility(contact.target, contact.target_coordinates, contact.grip)
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    effective_mass = plain(1.0 / terms(n.dot(joint_mobility @ n)))
    if is_constant(friction) and friction == 0:
        approach = n.dot(relative)
        e, m, v = terms(restitution, effective_mass, approach)
        size = plain(-((1.0 + e) * m * v))
        # Not a number is not hidden: it fails the comparison and reaches the impulse.
        on_target = n * where(approach >= 0.0, 0.0, size)
    else:
        on_target = _with_friction(
            contact, joint_mobility, n, relative, restitution=restitution, friction=friction
        )
    return _after(contact, on_target, n, effective_mass)


def _after(contact: Contact, on_target: Vector3, n: Vector3, effective_mass: Scalar) -> Jump:
    push = Force(on_target, Vector3.zero())
    of_chaser = velocity_jump(contact.chaser, contact.chaser_coordinates, contact.tool, -push)
    of_target = velocity_jump(contact.target, contact.target_coordinates, contact.grip, push)
    return Jump(
        chaser_rates=added(contact.chaser_rates, of_chaser),
        target_rates=added(contact.target_rates, of_target),
        impulse=-on_target,
        moment=Vector3.zero(),
        normal=n,
        effective_mass=effective_mass,
    )


# --- the normal -----------------------------------------------------------------------------


def _normal(contact: Contact, given: Any) -> Vector3:
    """A unit vector from chaser to target, world frame; in the plane if both systems are."""
    direction = _towards_target(contact) if given is None else _given(contact, given)
    length = direction.norm()
    if known(length) and not np.all((values(length) > 0) & np.isfinite(values(length))):
        raise ModelError(
            f"normal must be a finite direction other than zero, got {_shown(direction)}"
        )
    return direction / length


def _towards_target(contact: Contact) -> Vector3:
    towards = center_of_mass(contact.target, contact.target_coordinates) - contact.point
    if contact.is_planar:
        towards = Vector3(towards.x, towards.y, 0.0)
    length, reach = towards.norm(), contact.point.norm()
    if known(length) and np.any(values(length) <= 1e-12 * (1.0 + values(reach))):
        raise ModelError(
            f"the contact point is the centre of mass of the target {contact.target.name!r}, so "
            "that no direction leads from one to the other: give normal, a vector in the world "
            "frame from chaser to target"
        )
    return towards


def _given(contact: Contact, given: Any) -> Vector3:
    try:
        direction = padded(given, "normal")
    except (TypeError, ValueError) as error:
        raise ModelError(f"normal must be two or three numbers, got {given!r}") from error
    sizes = [values(x) for x in direction if known(x)]
    if not all(np.all(np.isfinite(x)) for x in sizes):
        raise ModelError(f"normal must be finite, got {_shown(direction)}")
    if contact.is_planar and known(direction.z):
        if np.any(np.abs(values(direction.z)) > 1e-12 * max(np.max(np.abs(x)) for x in sizes)):
            raise ModelError(
                f"normal must lie in the plane (z = 0) of two planar systems, got "
                f"{_shown(direction)}"
            )
        direction = Vector3(direction.x, direction.y, 0.0)
    # Very short and very long ones alike: their squares may not overflow or vanish.
    largest = max((float(np.max(np.abs(x))) for x in sizes), default=1.0)
    return direction * (1.0 / largest) if 0.0 < largest < np.inf else direction


def _shown(direction: Vector3) -> str:
    return f"({', '.join(shown(x) for x in direction)})"


# --- friction -------------------------------------------------------------------------------


def _with_friction(
    contact: Contact,
    joint_mobility: Matrix3,
    normal: Vector3,
    relative: Vector3,
    *,
    restitution: Scalar,
    friction: Scalar,
) -> Vector3:
    """The impulse on the target (N s), world axes."""
    # Two thirds of the sources of impacts are about friction, and few impacts have any.
    from percuss.impact.friction import frictional_impulse
    from percuss.impact.friction_law import SlidingLaw

    numbers = [*normal, *relative, *(x for row in joint_mobility.rows for x in row)]
    if any(is_symbolic(x) for x in (*numbers, restitution, friction)):
        raise ModelError(
            "a bounce with friction needs numbers, batches of them or JAX values: its course "
            "depends on them, and a symbol leaves it open; symbols work with friction 0, pin and "
            "weld"
        )
    approach = normal.dot(relative)
    parts = approach >= 0.0
    if isinstance(parts, (bool, np.bool_)) and parts:
        return Vector3.zero()
    tangents = _tangents(normal, contact.is_planar)
    responses = [joint_mobility @ t for t in tangents]
    law = SlidingLaw(
        tangential=[
            [_mean(t.dot(w), s.dot(m)) for s, w in zip(tangents, responses, strict=True)]
            for t, m in zip(tangents, responses, strict=True)
        ],
        coupling=[normal.dot(w) for w in responses],
        normal=normal.dot(joint_mobility @ normal),
        friction=friction,
        restitution=restitution,
    )
    # Where they part anyway, any approach keeps the formulas finite.
    slip = [t.dot(relative) for t in tangents]
    along_normal, along_tangents = frictional_impulse(law, slip, where(parts, -1.0, approach))
    impulse = normal * along_normal
    for tangent, size in zip(tangents, list(along_tangents), strict=True):
        impulse = impulse + tangent * size
    return Vector3(*(where(parts, 0.0, x) for x in impulse))


@formula
def _tangents(normal: Vector3, planar: bool) -> list[Vector3]:
    """Unit vectors across the normal: one in the plane, two in space."""
    if planar:
        return [Vector3(-normal.y, normal.x, 0.0)]
    # Across the axis that the normal is least along, where there is most room.
    x, y, z = (n * n for n in terms(*normal))
    least_x = (x <= y) & (x <= z)
    least_y = y <= z
    axis = (
        where(least_x, 1.0, 0.0),
        where(least_x, 0.0, where(least_y, 1.0, 0.0)),
        where(least_x, 0.0, where(least_y, 0.0, 1.0)),
    )
    first = normal.cross(Vector3(*axis))
    first = first / first.norm()
    return [first, normal.cross(first)]


@formula
def _mean(a: Scalar, b: Scalar) -> Scalar:
    return 0.5 * (a + b)
