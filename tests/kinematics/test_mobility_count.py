"""The count of Grübler and Kutzbach, with the ground counted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import percuss
from percuss.kinematics import degrees_of_freedom, mobility
from percuss.model import ModelError, System
from tests.strategies import planar_systems, systems


@given(systems())
def test_a_tree_has_as_many_freedoms_as_rates(system: System) -> None:
    assert mobility(system) == system.rate_count, "a tree closes no loop, so every rate is free"


@given(planar_systems())
def test_a_planar_tree_counted_in_the_plane(system: System) -> None:
    assert mobility(system) == system.rate_count


@pytest.mark.parametrize(
    ("bodies", "joints", "planar", "count"),
    [
        (4, ["revolute"] * 4, True, 1),  # four-bar linkage
        (4, ["revolute", "revolute", "revolute", "prismatic"], True, 1),  # slider-crank
        (5, [1] * 5, True, 2),  # five-bar linkage
        (3, ["revolute"] * 3, True, 0),  # a truss
        (4, ["planar", "revolute", "revolute"], True, 5),  # the thesis's robot, ground counted
        (4, ["revolute"] * 4, False, -2),  # the same linkage as if in space: over-constrained
        (14, ["spherical"] * 6 + ["prismatic"] * 6 + [2] * 6, False, 6),  # Stewart platform
        (7, ["revolute"] * 7, False, 1),  # closed loop of seven hinges
        (1, [], True, 0),
        (2, ["free"], False, 6),
    ],
)
def test_known_mechanisms(bodies: int, joints: list[Any], planar: bool, count: int) -> None:
    assert degrees_of_freedom(bodies, joints, planar) == count


def test_the_thesis_robot_needs_the_ground_as_a_body() -> None:
    robot = percuss.robot("thesis")
    kinds = [joint.motion for joint in robot.joints]
    assert degrees_of_freedom(len(robot.bodies) + 1, kinds, True) == robot.rate_count == 5
    assert degrees_of_freedom(len(robot.bodies), kinds, True) == 2, "the thesis's own count"


@pytest.mark.parametrize(
    ("bodies", "joints", "planar", "complaint"),
    [
        (0, [], True, "1 or more"),
        (2.0, [], True, "whole number"),
        (True, [], True, "whole number"),
        (2, ["hinge"], True, "joint 1 of a planar mechanism"),
        (2, ["spherical"], True, "revolute, prismatic, fixed, planar"),
        (2, [4], True, "0 to 3"),
        (2, [1, 7], False, "joint 2: its freedoms must be a whole number from 0 to 6"),
        (2, [True], False, "got True"),
    ],
)
def test_refused(bodies: Any, joints: list[Any], planar: bool, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        degrees_of_freedom(bodies, joints, planar)
