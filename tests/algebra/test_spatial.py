"""Motions, forces and inertias: what physics demands of a change of frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss import Force, Motion, Pose, SpatialInertia, Symmetric3, Vector3
from percuss.algebra.inertias import ArticulatedInertia, principal_moments

numbers = st.floats(-2.0, 2.0)
sixes = st.tuples(*[numbers] * 6)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)
frames = st.builds(lambda p, q: Pose.at(p, quaternion=q), st.tuples(*[numbers] * 3), quaternions)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[SpatialInertia, np.ndarray, np.ndarray]:
    """Inertia of a few point masses, with the masses and their positions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    masses, points = rng.uniform(0.1, 3.0, 5), rng.normal(size=(5, 3))
    total = SpatialInertia.zero()
    for mass, point in zip(masses, points, strict=True):
        at_point = SpatialInertia.about_center_of_mass(mass, Vector3.of(point), Symmetric3.zero())
        total = total + at_point
    return total, masses, points


@given(frames, sixes, sixes)
def test_power_is_the_same_in_every_frame(pose: Pose, m: tuple[float], f: tuple[float]) -> None:
    motion, force = Motion.of(m), Force.of(f)
    power = motion.dot(force)
    assert pose.act(motion).dot(pose.act(force)) == pytest.approx(power, abs=1e-12)
    assert pose.act_inverse(motion).dot(pose.act_inverse(force)) == pytest.approx(power, abs=1e-12)


@given(frames, sixes)
def test_moving_back_undoes_moving(pose: Pose, x: tuple[float]) -> None:
    for quantity in (Motion.of(x), Force.of(x)):
        again = pose.act_inverse(pose.act(quantity))
        np.testing.assert_allclose(again.array(), x, atol=1e-12)


@given(sixes, sixes, sixes)
def test_cross_products_are_dual(a: tuple[float], b: tuple[float], f: tuple[float]) -> None:
    v, m, force = Motion.of(a), Motion.of(b), Force.of(f)
    assert v.cross(m).dot(force) == pytest.approx(-m.dot(v.cross(force)), abs=1e-12)  # type: ignore[operator]


@given(bodies(), sixes)
def test_momentum_and_energy_are_sums_over_points(
    body: tuple[SpatialInertia, np.ndarray, np.ndarray], m: tuple[float]
) -> None:
    inertia, masses, points = body
    v, w = np.array(m[:3]), np.array(m[3:])
    speeds = v + np.cross(w, points)
    linear = masses @ speeds
    angular = np.sum(masses[:, None] * np.cross(points, speeds), axis=0)
    found = inertia @ Motion.of(m)
    np.testing.assert_allclose(found.array(), [*linear, *angular], atol=1e-12)
    np.testing.assert_allclose(inertia.matrix() @ m, found.array(), atol=1e-12)
    energy = 0.5 * np.sum(masses * np.sum(speeds**2, axis=1))
    assert inertia.kinetic_energy(Motion.of(m)) == pytest.approx(energy, abs=1e-12)


@given(bodies(), frames)
def test_inertias_move_as_their_points_do(
    body: tuple[SpatialInertia, np.ndarray, np.ndarray], pose: Pose
) -> None:
    inertia, masses, points = body
    placed = np.array([pose.act(Vector3.of(point)).array() for point in points])
    expected = SpatialInertia.zero()
    for mass, point in zip(masses, placed, strict=True):
        at_point = SpatialInertia.about_center_of_mass(mass, Vector3.of(point), Symmetric3.zero())
        expected = expected + at_point
    np.testing.assert_allclose(pose.act(inertia).matrix(), expected.matrix(), atol=1e-11)
    np.testing.assert_allclose(
        pose.act(ArticulatedInertia.of_body(inertia)).matrix(), expected.matrix(), atol=1e-11
    )
    homogeneous = np.vstack([placed.T, np.ones(5)])
    pseudo = (homogeneous * masses) @ homogeneous.T
    found = pose.act(inertia.pseudo_inertia())
    np.testing.assert_allclose(found.matrix(), pseudo, atol=1e-11)
    congruent = pose.matrix() @ inertia.pseudo_inertia().matrix() @ pose.matrix().T
    np.testing.assert_allclose(found.matrix(), congruent, atol=1e-11)
    np.testing.assert_allclose(found.spatial_inertia().matrix(), expected.matrix(), atol=1e-11)


@given(bodies())
def test_centre_of_mass_and_central_inertia_come_back(
    body: tuple[SpatialInertia, np.ndarray, np.ndarray],
) -> None:
    inertia, masses, points = body
    com = masses @ points / masses.sum()
    np.testing.assert_allclose(inertia.center_of_mass.array(), com, atol=1e-13)
    again = SpatialInertia.about_center_of_mass(
        inertia.mass, inertia.center_of_mass, inertia.central_inertia
    )
    np.testing.assert_allclose(again.matrix(), inertia.matrix(), atol=1e-12)
    assert principal_moments(inertia.central_inertia)[0] > 0


@given(bodies(), sixes)
def test_a_released_axis_feels_no_inertia(
    body: tuple[SpatialInertia, np.ndarray, np.ndarray], s: tuple[float]
) -> None:
    inertia = ArticulatedInertia.of_body(body[0])
    for axis in (Motion.of(s), Motion.of((0.0, 0.0, 0.0, 0.0, 1.0, 0.0))):
        if np.linalg.norm(axis.array()) < 1e-2:
            continue
        force = inertia @ axis
        freed = inertia.released(axis, force, force * (1 / axis.dot(force)))  # type: ignore[operator]
        np.testing.assert_allclose((freed @ axis).array(), 0.0, atol=1e-9)
