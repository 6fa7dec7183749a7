"""Dynamic singularities: check values, ends of intervals, double zeros, arms to spare."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.dynamics import generalized_task_jacobian, singularities_along, singularity_map
from percuss.dynamics.dynamic_singularities import nearest_singularity
from percuss.dynamics.free_floating import generalized_jacobian
from percuss.dynamics.sampled_zeros import crossings
from percuss.kinematics import (
    determinant,
    two_link_angles,
)
from percuss.model import ModelError
from tests.truth.compare import assert_same

SEEDS = st.integers(0, 2**32 - 1)
TWO = percuss.robot("2r-floating")
SEVEN = percuss.robot("demo-7")


# --- check values -------------------------------------------------------------------------------


def test_determinants_of_the_case_study() -> None:
    """PHYSICS section 6: elbow case 2 at the start of the circle."""
    angles = two_link_angles(1.0, 1.0, 1.4, 1.2).negative
    q = np.array([0.0, 0.0, 0.0, *angles], float)
    floating = determinant(generalized_task_jacobian(TWO, q, "tool", "planar position"))
    fixed = determinant(generalized_task_jacobian(TWO, q, "tool", "planar position", mode="fixed"))
    assert_same(floating, -0.24725502, "free-floating", 2e-8)
    assert_same(fixed, -0.71414284, "fixed", 1e-8)


def test_dynamic_singularities_of_the_case_study() -> None:
    q = [0.0, 0.0, 0.0, math.pi / 2, 0.0]
    found = singularities_along(TWO, q, "tool", "joint2", task="planar position")
    assert_same(found, (-2.9388798, 0.2718164), "q2 at q1 = 90°", 2e-8)
    for q2 in found:
        at = np.array([1.0, -2.0, 0.7, math.pi / 2, q2])
        Jg = generalized_task_jacobian(TWO, at, "tool", "planar position")
        assert np.linalg.svd(Jg)[1][-1] < 1e-14, "singular wherever the base is"


def test_published_dynamic_singularity() -> None:
    """Papadopoulos & Dubowsky: q = (-65°, -11.41°)."""
    robot = percuss.robot("papadopoulos")
    q = [0.0, 0.0, 0.0, math.radians(-65), 0.0]
    found = np.degrees(singularities_along(robot, q, "tool", "joint2", task="planar position"))
    assert np.abs(found + 11.41).min() < 0.005
    near = nearest_singularity(
        robot, [0, 0, 0, math.radians(-65), -0.3], "tool", task="planar position"
    )
    Jg = generalized_task_jacobian(robot, near, "tool", "planar position")
    assert abs(float(determinant(Jg))) < 1e-13  # type: ignore[arg-type]
    assert np.abs(near[3:] - [math.radians(-65), -0.3]).max() < 0.15


def test_fixed_arms_are_singular_when_stretched_and_free_ones_elsewhere() -> None:
    grid = {"joint1": np.linspace(-3, 3, 25), "joint2": np.linspace(-3, 3, 25)}
    options: dict[str, Any] = {"task": "planar position"}
    fixed = singularity_map(TWO, np.zeros(5), "tool", grid, mode="fixed", **options)
    assert_same(
        fixed.values,
        np.broadcast_to(np.sin(grid["joint2"]), (25, 25)),
        "l1 l2 sin q2 on a base at rest",
        1e-13,
    )
    floating = singularity_map(TWO, np.zeros(5), "tool", grid, **options)
    assert np.ptp(np.sign(floating.values[:, 12])) > 0, "stretched is not singular everywhere"
    assert floating.joints == ("joint1", "joint2")
    smallest = singularity_map(
        TWO, np.zeros(5), "tool", grid, measure="smallest singular value", **options
    )
    assert (smallest.values >= 0).all()
    place, value = smallest.least()
    assert value == smallest.values.min()
    assert place.shape == (2,)


def test_singularities_of_an_arm_with_joints_to_spare() -> None:
    """Three joints for two rows: no determinant, the smallest singular value tells."""
    links = [percuss.PlanarLink(1.0, mass) for mass in (4.0, 3.0, 2.0)]
    base = percuss.Body.planar("base", 40.0, 6.667)
    robot = percuss.planar_arm(links, base=base, mount=(0.5, 0.0))
    found = singularities_along(
        robot, np.zeros(6), "tool", "joint3", task="planar position", samples=180
    )
    assert np.abs(found).min() < 1e-6, "outstretched along the line of the base: no motion in x"
    Jg = generalized_task_jacobian(robot, np.zeros(6), "tool", "planar position")
    assert np.linalg.svd(Jg)[1][-1] < 1e-14
    bent = [0, 0, 0, 0.4, 0.9, 0.0]
    assert not singularities_along(robot, bent, "tool", "joint3", task="planar position").size


@pytest.mark.parametrize("samples", [10, 11, 180, 721])
@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ((-math.pi, math.pi), [-math.pi, 0.0, math.pi]),
        ((0.0, math.pi), [0.0, math.pi]),
        ((-math.pi, 0.0), [-math.pi, 0.0]),
        ((-1.0, math.pi), [0.0, math.pi]),
        ((0.1, 3.0), []),
    ],
)
def test_singularities_at_the_ends_of_the_interval(
    between: tuple[float, float], expected: list[float], samples: int
) -> None:
    """On a base at rest stretched and folded arms are singular: sin q2 = 0, ends included."""
    options: dict[str, Any] = {"task": "planar position", "mode": "fixed", "samples": samples}
    found = singularities_along(TWO, [0, 0, 0, 1, 0], "tool", "joint2", between=between, **options)
    assert len(found) == len(expected)
    assert_same(found, expected, "zeros of the determinant", 1e-14, scale=1.0)
    three = percuss.robot("air-bearing-3r")
    at = [0, 0, 0, 0.4, 0, 0]
    found = singularities_along(three, at, "tool", "joint2", between=between, **options)
    assert len(found) == len(expected)
    assert_same(found, expected, "minima of the smallest singular value", 1e-9, scale=1.0)


@given(st.floats(-3.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.booleans())
@settings(max_examples=20)
def test_each_singularity_is_found_once(q1: float, below: float, above: float, spare: bool) -> None:
    system = percuss.robot("air-bearing-3r") if spare else TWO
    q = [0, 0, 0, q1, 0, 0][: system.coordinate_count]
    between = (-below - 1e-3, above + 1e-3)
    found = singularities_along(
        system, q, "tool", "joint2", task="planar position", mode="fixed", between=between
    )
    assert found.shape == (1,)
    assert abs(found[0]) < 1e-9


def test_zeros_that_do_not_change_the_sign() -> None:
    """(1 - cos x)^n touches zero; flat zeros are one, not a row of samples."""
    points = np.linspace(-1.0, 2.0, 100)
    for power in (1, 2, 3):
        for function in (
            lambda x, n=power: (1 - np.cos(x)) ** n,
            lambda x, n=power: -((1 - np.cos(x - 2.0)) ** n),
            lambda x, n=power: x ** (2 * n + 1),
        ):
            values = function(points)
            zero = 1e-12 * float(np.abs(values).max())
            found = crossings(points, values, function, zero)
            assert found.shape == (1,)
            assert min(abs(found[0]), abs(found[0] - 2)) < 2e-2, "flat zeros are wide"
            assert abs(function(found[0])) <= zero


def test_singular_everywhere_is_said() -> None:
    """Outstretched, the arm stays singular however its first joint turns."""
    complaint = r"singular everywhere along 'joint1' between -3.14159 and 3.14159: the {}"
    options: dict[str, Any] = {"task": "planar position", "mode": "fixed"}
    with pytest.raises(ModelError, match=complaint.format("determinant")):
        singularities_along(TWO, np.zeros(5), "tool", "joint1", **options)
    three = percuss.robot("air-bearing-3r")
    with pytest.raises(ModelError, match=complaint.format("smallest singular value")):
        singularities_along(three, np.zeros(6), "tool", "joint1", **options)
    nearly = singularities_along(TWO, [0, 0, 0, 0, 1e-6], "tool", "joint1", **options)
    assert nearly.size == 0, "nearly singular everywhere is not singular"


@given(SEEDS)
@settings(max_examples=20)
def test_the_base_does_not_matter(seed: int) -> None:
    """Turning or moving the base turns the generalized Jacobian: its singular values stay."""
    rng = np.random.default_rng(seed)
    joints = rng.uniform(-3, 3, 7)
    values = []
    for _ in range(2):
        turn = rng.normal(size=4)
        q = np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn), joints])
        values.append(np.linalg.svd(generalized_jacobian(SEVEN, q, "tool"))[1])
    assert_same(values[0], values[1], "singular values", 1e-12)
