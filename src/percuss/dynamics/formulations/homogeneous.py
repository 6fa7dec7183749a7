"""Homogeneous matrices: poses, velocities, actions and bodies as 4×4 arrays over any scalar.

========  ==============================  ==================================================
matrix    is                              changes frame with the pose matrix M by
========  ==============================  ==================================================
M         a pose, [R p; 0 1]              chaining
W         a velocity, Ṁ M⁻¹ = [ω× v; 0]   similarity M W M⁻¹
L         W per unit of a joint's rate    similarity
H         an acceleration, M̈ M⁻¹          similarity
J         a body, ∫ [P; 1][P; 1]ᵀ dm      congruence M J Mᵀ
Φ         an action, [c× f; -fᵀ 0]        congruence M Φ Mᵀ
========  ==============================  ==================================================

v is the velocity of the body's point at the origin, c the moment about the origin. Arguments are
NumPy or JAX arrays, SymPy matrices or nested sequences; results are arrays of the scalars' kind.
"""

from __future__ import annotations

from typing import Any

from percuss.algebra.inertias import PseudoInertia, SpatialInertia
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, div, dot, is_constant, mul
from percuss.algebra.vectors import Vector3
from percuss.dynamics.formulations.matrices import (
    Rows,
    minus,
    packed,
    plus,
    product,
    rows_of,
    trace_of_product,
    transposed,
)
from percuss.model.bodies import Body
from percuss.model.errors import ModelError


def pose_matrix(pose: Pose) -> Any:
    """M = [R p; 0 1], shape (4, 4)."""
    return pose.matrix()


def velocity_matrix(velocity: Any) -> Any:
    """W = [ω× v; 0 0], shape (4, 4), of a `Motion` or six scalars (v, ω) in m/s and rad/s.

    v is the velocity of the body's point that is at the origin of the frame.
    """
    motion = velocity if isinstance(velocity, Motion) else Motion.of(velocity)
    return packed(velocity_rows(motion))


def velocity_from_poses(pose: Any, pose_rate: Any) -> Any:
    """W = Ṁ M⁻¹ of a pose matrix M and its time derivative Ṁ, shape (4, 4), frame of M."""
    return packed(product(rows_of(pose_rate, "Ṁ"), inverse_rows(rows_of(pose, "M"))))


def velocity_motion(velocity: Any) -> Motion:
    """(v, ω) of a velocity matrix W (m/s, rad/s)."""
    rows = rows_of(velocity, "W")
    return Motion(Vector3(*(row[3] for row in rows[:3])), _axial(rows))


def l_matrix(velocity: Any, rate: Scalar) -> Any:
    """L = W / (signed rate), shape (4, 4): the direction of a joint's motion.

    With the absolute value of the rate instead, the direction of a joint that turns backwards
    would be lost.
    """
    if is_constant(rate) and rate == 0:
        raise ModelError("rate must not be 0: a joint at rest shows no direction of motion")
    return packed(tuple(tuple(div(x, rate) for x in row) for row in rows_of(velocity, "W")))


def pseudo_inertia(body: Body | SpatialInertia | PseudoInertia) -> Any:
    """J = ∫ [P; 1][P; 1]ᵀ dm of a body in its own frame: kg m², kg m, kg; shape (4, 4)."""
    return packed(pseudo_inertia_rows(body))


def action_matrix(action: Any) -> Any:
    """Φ = [c× f; -fᵀ 0], shape (4, 4), of a `Force` or six scalars (f, c): N, N m about the origin.

    Also of a momentum, with the same layout.
    """
    force = action if isinstance(action, Force) else Force.of(action)
    return packed(action_rows(force))


def action_force(action: Any) -> Force:
    """(f, c) of an action matrix Φ (N, N m)."""
    rows = rows_of(action, "Φ")
    return Force(Vector3(*(row[3] for row in rows[:3])), _axial(rows))


def pseudo_scalar_product(action: Any, velocity: Any) -> Scalar:
    """Φ ⊗ W = f · v + c · ω: power (W) of an action on a velocity, in one frame.

    With L in place of W it is the generalized force of that joint (N m or N).
    """
    return pseudo_product(rows_of(action, "Φ"), rows_of(velocity, "W"))


def similar(pose: Any, velocity: Any) -> Any:
    """ᵐW = ᵐₙM ⁿW ₙᵐM: a velocity, L or acceleration matrix in another frame."""
    return packed(similar_rows(rows_of(pose, "M"), rows_of(velocity, "W")))


def congruent(pose: Any, matrix: Any) -> Any:
    """ᵐX = ᵐₙM ⁿX ᵐₙMᵀ: a pseudo-inertia or an action matrix in another frame."""
    return packed(congruent_rows(rows_of(pose, "M"), rows_of(matrix, "X")))


def kinetic_energy_of(velocity: Any, body: Any) -> Scalar:
    """T = ½ Tr(W J Wᵀ) (J), both in one frame."""
    return energy_rows(rows_of(velocity, "W"), rows_of(body, "J"))


def acceleration_matrix(velocity: Any, velocity_rate: Any) -> Any:
    """H = Ẇ + W² = M̈ M⁻¹, shape (4, 4), in a frame at rest: P̈ = H P for every point of the body."""
    w = rows_of(velocity, "W")
    return packed(plus(rows_of(velocity_rate, "Ẇ"), product(w, w)))


def inertial_action(acceleration: Any, body: Any) -> Any:
    """Φ = H J - J Hᵀ: what acts on a body of pseudo-inertia J that accelerates with H."""
    return packed(inertial_rows(rows_of(acceleration, "H"), rows_of(body, "J")))


def weight_action(gravity: Any, body: Any) -> Any:
    """Φ of the weight of a body: `gravity` (m/s²) and J in one frame."""
    g = Vector3.of(gravity, "gravity")
    return packed(inertial_rows(velocity_rows(Motion(g, Vector3.zero())), rows_of(body, "J")))


# --- the same on rows -------------------------------------------------------------------------


def velocity_rows(motion: Motion) -> Rows:
    """[ω× v; 0 0]."""
    spin = [tuple(row) for row in motion.angular.skew().rows]
    rows = [(*row, v) for row, v in zip(spin, motion.linear, strict=True)]
    return (*rows, (0.0, 0.0, 0.0, 0.0))


def action_rows(force: Force) -> Rows:
    """[c× f; -fᵀ 0]."""
    rows = velocity_rows(Motion(force.linear, force.angular))
    return (*rows[:3], (*(-f for f in force.linear), 0.0))


def pseudo_inertia_rows(body: Body | SpatialInertia | PseudoInertia) -> Rows:
    """[Σ h; hᵀ m]."""
    if isinstance(body, Body):
        body = body.spatial_inertia
    if isinstance(body, SpatialInertia):
        body = body.pseudo_inertia()
    rows = [(*row, h) for row, h in zip(body.second.matrix().rows, body.first, strict=True)]
    return (*rows, (*body.first, body.mass))


def pose_rows(pose: Pose) -> Rows:
    """[R p; 0 1]."""
    rows = [(*row, p) for row, p in zip(pose.rotation.matrix.rows, pose.position, strict=True)]
    return (*rows, (0.0, 0.0, 0.0, 1.0))


def inverse_rows(pose: Rows) -> Rows:
    """[Rᵀ -Rᵀp; 0 1]."""
    turned = tuple(zip(*(row[:3] for row in pose[:3]), strict=True))
    position = tuple(row[3] for row in pose[:3])
    return (*((*row, -dot(row, position)) for row in turned), (0.0, 0.0, 0.0, 1.0))


def similar_rows(pose: Rows, velocity: Rows) -> Rows:
    """M W M⁻¹."""
    return product(pose, velocity, inverse_rows(pose))


def congruent_rows(pose: Rows, matrix: Rows) -> Rows:
    """M X Mᵀ."""
    return product(pose, matrix, transposed(pose))


def inertial_rows(acceleration: Rows, body: Rows) -> Rows:
    """H J - J Hᵀ."""
    half = product(acceleration, body)
    return minus(half, transposed(half))


def energy_rows(velocity: Rows, body: Rows) -> Scalar:
    """½ Tr(W J Wᵀ)."""
    return mul(0.5, trace_of_product(product(velocity, body), velocity))


def pseudo_product(action: Rows, velocity: Rows) -> Scalar:
    """f · v + c · ω."""
    f, v = ([row[3] for row in rows[:3]] for rows in (action, velocity))
    return add(dot(f, v), _axial(action).dot(_axial(velocity)))


def _axial(rows: Rows) -> Vector3:
    """a of the block a×."""
    return Vector3(rows[2][1], rows[0][2], rows[1][0])
