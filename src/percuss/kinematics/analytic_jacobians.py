"""Analytic Jacobians: the rates of the numbers that describe a pose.

The geometric Jacobian gives the angular velocity, which is no derivative of three angles. These
give derivatives: of roll-pitch-yaw, of Euler angles z-y-x, of a quaternion, of a planar angle.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from percuss.algebra.linear import plus
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, formula, is_constant, pack, plain, sqrt, terms
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
from percuss.kinematics.matrices import Rows, product, rows_of
from percuss.kinematics.trees import Configuration, Velocities
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System


class Representation(StrEnum):
    """How an orientation is written as numbers; the position (x, y, z) in m stands before it."""

    RPY = "rpy"
    """(roll, pitch, yaw) with R = Rz(yaw) Ry(pitch) Rx(roll), pitch in [-90°, 90°]: six rows."""
    ZYX = "zyx"
    """Euler angles (yaw, pitch, roll): the same numbers in the order of the turns, six rows."""
    QUATERNION = "quaternion"
    """(w, x, y, z), of length one: seven rows."""
    PLANAR = "planar"
    """(x, y, angle about z) of a planar system: three rows."""

    @classmethod
    def _missing_(cls, value: object) -> Representation:
        allowed = ", ".join(repr(member.value) for member in cls)
        raise ModelError(f"representation must be one of {allowed}, got {value!r}")


def analytic_jacobian(
    system: System,
    q: Configuration,
    frame: str | Frame,
    representation: Representation | str = Representation.RPY,
) -> Any:
    """J_a with d/dt (position, orientation) = J_a v: shape (6, nv), (7, nv) or (3, nv).

    World frame; m/s per rate, and rad/s (or 1/s for a quaternion) per rate. J_a = diag(1, E) J
    with the geometric Jacobian J and `orientation_rate_matrix` E.
    """
    representation = Representation(representation)
    rows = rows_of(jacobian(system, q, frame))
    if representation == Representation.PLANAR:
        _refuse_spatial(system)
        return pack([rows[0], rows[1], rows[5]])
    matrix = _rate_matrix(frame_pose(system, q, frame).rotation, representation)
    return pack([*rows[:3], *product(matrix, rows[3:])])


def analytic_jacobian_time_derivative(
    system: System,
    q: Configuration,
    v: Velocities,
    frame: str | Frame,
    *,
    representation: Representation | str = Representation.RPY,
) -> Any:
    """dJ_a/dt = diag(1, E) J̇ + diag(0, Ė) J along the motion with rates v, shaped as J_a."""
    representation = Representation(representation)
    change = rows_of(jacobian_time_derivative(system, q, v, frame))
    if representation == Representation.PLANAR:
        _refuse_spatial(system)
        return pack([change[0], change[1], change[5]])
    rotation = frame_pose(system, q, frame).rotation
    turning = frame_velocity(system, q, v, frame).angular
    matrix = _rate_matrix(rotation, representation)
    drift = _rate_matrix_derivative(rotation, turning, representation)
    angular = rows_of(jacobian(system, q, frame))[3:]
    rows = zip(product(matrix, change[3:]), product(drift, angular), strict=True)
    turned = [list(plus(one, other)) for one, other in rows]
    return pack([*change[:3], *turned])


def orientation_rate_matrix(rotation: Rotation, representation: Representation | str) -> Any:
    """E with d/dt (orientation numbers) = E ω, ω in world axes (rad/s): shape (3, 3) or (4, 3).

    Angles have none at pitch ±90°, where roll and yaw turn about one axis.
    """
    return pack(_rate_matrix(rotation, Representation(representation)))


def _rate_matrix(rotation: Rotation, representation: Representation) -> Rows:
    if representation == Representation.PLANAR:
        return [[0.0, 0.0, 1.0]]
    if representation == Representation.QUATERNION:
        return _quaternion_matrix(*rotation.to_quaternion())
    roll, pitch, yaw = _angle_rows(rotation)
    return [roll, pitch, yaw] if representation == Representation.RPY else [yaw, pitch, roll]


def _rate_matrix_derivative(
    rotation: Rotation, turning: Vector3, representation: Representation
) -> Rows:
    if representation == Representation.QUATERNION:
        # E is linear in the quaternion, whose rate is E ω.
        matrix = _quaternion_matrix(*rotation.to_quaternion())
        column = [[w] for w in turning]
        return _quaternion_matrix(*(row[0] for row in product(matrix, column)))
    roll, pitch, yaw = _angle_row_derivatives(rotation, turning)
    return [roll, pitch, yaw] if representation == Representation.RPY else [yaw, pitch, roll]


@formula
def _quaternion_matrix(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Rows:
    """q̇ = ½ (0, ω) ⊗ q."""
    w, x, y, z = (0.5 * part for part in (w, x, y, z))
    return [
        [-x, -y, -z],
        [w, z, -y],
        [-z, w, x],
        [y, -x, w],
    ]


def _angle_rows(rotation: Rotation) -> Rows:
    """Rows of E for roll, pitch, yaw, from the first column (c_ψ c_θ, s_ψ c_θ, -s_θ) of R.

    roll̇ = (c_ψ ω_x + s_ψ ω_y) / c_θ, pitcḣ = c_ψ ω_y - s_ψ ω_x, yaẇ = ω_z + s_θ roll̇.
    """
    x, y, z = terms(*(row.x for row in rotation.matrix.rows))
    squared = terms(_squared_cosine(x, y))
    cosine = sqrt(squared)
    roll = [x / squared, y / squared, 0.0]
    pitch = [-(y / cosine), x / cosine, 0.0]
    yaw = [-(z * roll[0]), -(z * roll[1]), 1.0]
    return plain([roll, pitch, yaw])


def _angle_row_derivatives(rotation: Rotation, turning: Vector3) -> Rows:
    column = Vector3(*(row.x for row in rotation.matrix.rows))
    change = turning.cross(column)  # Ṙ = ω× R
    x, y, z = terms(*column)
    dx, dy, dz = terms(*change)
    squared = terms(_squared_cosine(x, y))
    cosine = sqrt(squared)
    # d/dt ln c_θ = (x ẋ + y ẏ) / c_θ².
    growth = (x * dx + y * dy) / squared
    roll = [(slope - 2.0 * growth * part) / squared for part, slope in ((x, dx), (y, dy))]
    pitch = [(slope - growth * part) / cosine for part, slope in ((-y, -dy), (x, dx))]
    yaw = [-(dz * (part / squared) + z * slope) for part, slope in ((x, roll[0]), (y, roll[1]))]
    return plain([[*roll, 0.0], [*pitch, 0.0], [*yaw, 0.0]])


def _squared_cosine(x: Scalar, y: Scalar) -> Scalar:
    """cos² of the pitch; numbers are refused where it vanishes."""
    squared = plain(x * x + y * y)
    if is_constant(squared) and squared < 1e-24:
        raise ModelError(
            "the pitch is ±90°, where roll and yaw turn about one axis and their rates are not "
            "determined; use the representation 'quaternion' there"
        )
    return squared


def _refuse_spatial(system: System) -> None:
    if not system.is_planar:
        raise ModelError(
            f"system {system.name!r} is not planar: its frames have no single angle; use the "
            "representation 'rpy', 'zyx' or 'quaternion'"
        )
