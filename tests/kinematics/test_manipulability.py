"""Manipulability, singular values in one unit, and directions lost in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.kinematics import dexterity, jacobian
from percuss.kinematics.dexterity_measures import manipulability
from percuss.model import ModelError
from tests.truth.compare import assert_same

ARM = percuss.robot("2r-fixed")


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_two_link_arm_loses_a_direction_when_stretched(q1: float, q2: float) -> None:
    """w = l1 l2 |sin q2|."""
    J = jacobian(ARM, [q1, q2], "tool")[:2]
    assert_same(manipulability(J), abs(math.sin(q2)), "Yoshikawa's manipulability", 1e-13, 1.0)


def test_manipulability_in_symbols() -> None:
    q = sympy.symbols("q1 q2", real=True)
    J = jacobian(ARM, q, "tool")[:2, :]
    squared: Any = manipulability(J)
    assert sympy.simplify(squared**2 - sympy.sin(q[1]) ** 2) == 0


@given(st.integers(0, 2**32 - 1))
def test_units_of_length_do_not_matter_if_the_length_is_given(seed: int) -> None:
    """Metres or millimetres: the scaled singular values are the same."""
    arm = percuss.robot("demo-7").with_mode("fixed")
    J = jacobian(arm, np.random.default_rng(seed).uniform(-3, 3, 7), "tool")
    in_metres = dexterity(J, "pose", length=0.8)
    in_millimetres = dexterity(J * np.repeat([1e3, 1.0], 3)[:, None], "pose", length=800.0)
    assert_same(in_metres.singular_values, in_millimetres.singular_values, "singular values")
    assert in_metres.distance == in_metres.singular_values[-1]
    gap = J / np.repeat([0.8, 1.0], 3)[:, None]
    closest = gap - in_metres.distance * np.outer(
        in_metres.hardest, in_metres.hardest @ gap / in_metres.distance
    )
    assert np.linalg.matrix_rank(closest, 1e-9) < 6, "that change of J makes it singular"


def test_directions_lost_in_words() -> None:
    stretched = dexterity(jacobian(ARM, [0.0, 0.0], "tool")[:2], "planar position")
    assert [str(lost) for lost in stretched.lost] == ["no velocity along x"]
    assert stretched.condition_number > 1e15
    turned = dexterity(jacobian(ARM, [math.pi / 4, 0.0], "tool")[:2], "planar position")
    assert str(turned.lost[0]) == "no velocity along 0.71 x + 0.71 y"
    assert "smallest singular value" in str(turned)
    assert str(turned.lost[0]) in str(turned)
    J = jacobian(ARM, [0.2, 0.9], "tool")[[0, 1, 5]]
    words = [str(lost) for lost in dexterity(J, "planar pose", length=1.0).lost]
    assert len(words) == 1, "two joints cannot move three ways"
    assert "combined with a turn about" in words[0]
    near = dexterity(jacobian(ARM, [0.0, 1e-8], "tool")[:2], "planar position")
    assert str(near.lost[0]).startswith("hardly any (gain 4.5e-09) velocity along x")
    spatial = percuss.robot("demo-7").with_mode("fixed")
    up = dexterity(jacobian(spatial, np.zeros(7), "tool"), "pose", length=1.0)
    assert sorted(map(str, up.lost)) == [
        "no turn about x",
        "no velocity along y",
        "no velocity along z",
    ]


def test_a_regular_arm_loses_nothing() -> None:
    arm = percuss.robot("demo-7").with_mode("fixed")
    found = dexterity(jacobian(arm, np.linspace(0.3, 1.2, 7), "tool"), "pose", length=1.0)
    assert found.lost == ()
    assert 1 < found.condition_number < 100


@pytest.mark.parametrize(
    ("J", "rows", "options", "complaint"),
    [
        (np.ones((6, 7)), "pose", {}, "cannot be compared without a length"),
        (np.ones((6, 7)), "pose", {"length": -1.0}, "length must be finite and > 0 m, got -1"),
        (np.ones((2, 7)), "pose", {"length": 1.0}, r"6 rows \(x, y, z, wx, wy, wz\)"),
        (np.full((3, 7), np.nan), "position", {}, "finite"),
        (np.ones((3, 7)), ("x", "y", "t"), {}, "rows are named x, y, z, wx, wy, wz, got 't'"),
        (np.ones((3, 7)), "place", {}, "task must be one of 'position'"),
    ],
)
def test_refused(J: Any, rows: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        dexterity(J, rows, **options)
