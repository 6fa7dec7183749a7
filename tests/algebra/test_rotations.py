"""Rotations, quaternions and poses against SciPy and their group laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as SciPyRotation

from percuss import Pose, Quaternion, Rotation, Vector3

angles = st.floats(-10.0, 10.0)
vectors = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


def scipy_of(q: tuple[float, ...]) -> SciPyRotation:
    return SciPyRotation.from_quat(np.roll(q, -1))


@given(quaternions)
def test_quaternion_to_matrix_agrees_with_scipy_at_any_norm(q: tuple[float, ...]) -> None:
    ours = Quaternion.of(q).to_rotation().array()
    np.testing.assert_allclose(ours, scipy_of(q).as_matrix(), atol=1e-14)


@given(quaternions)
def test_matrix_to_quaternion_and_back(q: tuple[float, ...]) -> None:
    rotation = Quaternion.of(q).to_rotation()
    back = rotation.to_quaternion()
    assert np.linalg.norm(back.array()) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(back.to_rotation().array(), rotation.array(), atol=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0, 0.6, -0.8)])
def test_half_turns_survive_the_conversion(axis: tuple[float, ...]) -> None:
    rotation = Rotation.about(Vector3.of(axis), math.pi)
    again = rotation.to_quaternion().to_rotation()
    np.testing.assert_allclose(again.array(), rotation.array(), atol=1e-15)


@given(st.tuples(angles, angles, angles))
def test_roll_pitch_yaw_is_about_fixed_axes_in_that_order(rpy: tuple[float, ...]) -> None:
    ours = Rotation.from_rpy(*rpy)
    np.testing.assert_allclose(
        ours.array(), SciPyRotation.from_euler("xyz", rpy).as_matrix(), atol=1e-14
    )
    again = Rotation.from_rpy(*ours.to_rpy())
    np.testing.assert_allclose(again.array(), ours.array(), atol=1e-15)


def test_roll_pitch_yaw_at_gimbal_lock_gives_the_same_rotation() -> None:
    ours = Rotation.from_rpy(0.4, math.pi / 2, -0.3)
    np.testing.assert_allclose(Rotation.from_rpy(*ours.to_rpy()).array(), ours.array(), atol=1e-15)


@given(vectors)
def test_exponential_and_logarithm_agree_with_scipy(v: tuple[float, ...]) -> None:
    quaternion = Quaternion.from_rotation_vector(Vector3.of(v))
    expected = SciPyRotation.from_rotvec(v)
    np.testing.assert_allclose(quaternion.to_rotation().array(), expected.as_matrix(), atol=2e-15)
    log = quaternion.to_rotation_vector().array()
    np.testing.assert_allclose(log, expected.as_rotvec(), atol=1e-13)


@given(vectors, vectors, quaternions)
def test_rotated_tensors_agree_with_the_matrix_product(
    a: tuple[float, ...], b: tuple[float, ...], q: tuple[float, ...]
) -> None:
    tensor = Vector3.of(a).outer(Vector3.of(b))
    for rotation in (
        Quaternion.of(q).to_rotation(),
        Rotation.about(Vector3(0.0, 0.0, 1.0), q[0]),
        Rotation.about(Vector3(1.0, 0.0, 0.0), math.pi / 2)
        @ Rotation.about(Vector3(0.0, 0.0, 1.0), q[0]),
        Rotation.about(Vector3(0.0, 1.0, 0.0), math.pi),
    ):
        r = rotation.array()
        np.testing.assert_allclose(
            rotation.conjugate(tensor).array(), r @ tensor.array() @ r.T, atol=1e-13
        )


@given(vectors)
@example((1e-160, 0.0, -1.0))
@example((5e-324, 5e-324, -1.0))
@example((1e-144, -1e-145, -1.0))
def test_a_rotation_that_takes_z_to_an_axis(axis: tuple[float, ...]) -> None:
    length = float(np.linalg.norm(axis))
    if length < 1e-3:
        return
    unit = Vector3.of(np.array(axis) / length)
    r = Rotation.taking_z_to(unit).array()
    np.testing.assert_allclose(r @ [0, 0, 1], unit.array(), atol=1e-12)
    np.testing.assert_allclose(r @ r.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(r) == pytest.approx(1.0)


def test_quarter_turns_are_exact() -> None:
    quarter = Rotation.from_rpy(math.pi / 2, 0.0, -math.pi / 2)
    assert set(np.abs(quarter.array()).ravel()) == {0.0, 1.0}


@given(vectors, quaternions, vectors, quaternions, vectors)
def test_poses_compose_and_invert_like_homogeneous_matrices(
    p1: tuple[float, ...],
    q1: tuple[float, ...],
    p2: tuple[float, ...],
    q2: tuple[float, ...],
    x: tuple[float, ...],
) -> None:
    a, b = Pose.at(p1, quaternion=q1), Pose.at(p2, quaternion=q2)
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-13)
    np.testing.assert_allclose(a.inverse().matrix(), np.linalg.inv(a.matrix()), atol=1e-12)
    point = Vector3.of(x)
    np.testing.assert_allclose(a.act_inverse(a.act(point)).array(), x, atol=1e-13)
    assert (a.matrix() @ [*x, 1])[:3] == pytest.approx(a.act(point).array(), abs=1e-13)


@given(st.floats(-1e-7, 1e-7), vectors, vectors)
def test_tiny_turns_are_not_lost_when_their_cosine_rounds_to_one(
    angle: float, a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    tensor = Vector3.of(a).outer(Vector3.of(b))
    for axis in (Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)):
        r = Rotation.about(axis, angle)
        expected = r.array() @ tensor.array() @ r.array().T
        np.testing.assert_allclose(r.conjugate(tensor).array(), expected, atol=1e-14)


@given(st.floats(-3, 3), st.floats(-1e-6, 1e-6), st.floats(-3, 3))
def test_roll_pitch_yaw_near_gimbal_lock(roll: float, off: float, yaw: float) -> None:
    ours = Rotation.from_rpy(roll, math.pi / 2 + off, yaw)
    np.testing.assert_allclose(Rotation.from_rpy(*ours.to_rpy()).array(), ours.array(), atol=1e-15)
