"""Bodies inside each other at contact are noticed, those that touch are not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.encounter.overlap import Shape, overlaps, penetration
from percuss.scenario import build, loads, with_overrides
from tests.scenario.examples import PLANAR

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) / 2


def test_the_thesis_pair_touches() -> None:
    assert overlaps(build(loads(PLANAR))) == ()
    other = with_overrides(loads(PLANAR), {"target.velocity.linear": [0, -1]})
    assert overlaps(build(other)) == ()


def test_a_link_through_the_target() -> None:
    """Touched on the far side: the link goes 2 m through the disk, past its centre."""
    turned = with_overrides(loads(PLANAR), {"target.angle": math.pi / 2 - 0.5})
    (warning,) = overlaps(build(turned))
    assert warning.startswith("'link2' of the chaser and 'target' of the target overlap by 1 m")


def test_the_base_in_the_target() -> None:
    """A large disk touched by a folded arm reaches the base, too."""
    folded = {"chaser.joints": "[0, 175 deg]", "target.radius": 3, "target.contact": [3, 0]}
    found = overlaps(build(with_overrides(loads(PLANAR), folded)))
    assert any(w.startswith("'base' of the chaser") for w in found)


def test_bodies_of_unknown_size_do_not_count() -> None:
    text = PLANAR.replace("  shape: disk\n", "  inertia: 7.5\n").replace("  radius: 1.0\n", "")
    text = text.replace("contact: {angle: 0.5}", "contact: [0.1, 0]")
    text = text.replace("angle: 4.21", "# angle: 4.21")
    assert overlaps(build(loads(text))) == ()


def test_cubes_in_space() -> None:
    text = """
chaser: {robot: demo-7, joints: [0, -10 deg, 0, 50 deg, 0, 50 deg, 0]}
target: {object: cube, contact: [-0.5, 0, 0]}
impact: {closure: weld}
duration: 1
"""
    assert overlaps(build(loads(text))) == ()
    inside = overlaps(build(loads(text.replace("[-0.5, 0, 0]", "[0.5, 0, 0]"))))
    assert any("'link7'" in warning for warning in inside)


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(0.1, 1.0), st.floats(0.1, 1.0))
def test_disks(x: float, y: float, a: float, b: float) -> None:
    first = Shape(np.zeros((1, 3)), a)
    second = Shape(np.array([[x, y, 0.0]]), b)
    wanted = a + b - math.hypot(x, y)
    assert penetration(first, second, planar=True) == pytest.approx(wanted, abs=1e-9)


@given(st.tuples(*[st.floats(-2, 2)] * 3), st.floats(0.1, 1.0))
def test_a_ball_and_a_cube(center: tuple[float, float, float], radius: float) -> None:
    """Outside: the distance to the nearest point of the cube. Inside: out by the nearest face."""
    c = np.array(center)
    outside = np.linalg.norm(c - np.clip(c, -0.5, 0.5))
    wanted = radius - outside if outside > 0 else radius + (0.5 - np.abs(c)).min()
    found = penetration(Shape(CORNERS, 0.0), Shape(c[None], radius))
    assert found == pytest.approx(wanted, abs=2e-3)


@given(st.tuples(*[st.floats(-2, 2)] * 3))
def test_two_cubes(shift: tuple[float, float, float]) -> None:
    s = np.array(shift)
    gap = np.maximum(np.abs(s) - 1.0, 0.0)
    wanted = -np.linalg.norm(gap) if gap.any() else (1.0 - np.abs(s)).min()
    found = penetration(Shape(CORNERS, 0.0), Shape(CORNERS + s, 0.0))
    assert found == pytest.approx(wanted, abs=2e-3)
