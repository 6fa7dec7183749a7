"""What an actuation cannot do is said, with numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

import percuss
from percuss.control import TreePlant, advice
from percuss.model import ModelError
from tests.control.closed_loop import captured, thesis_contact

THESIS = percuss.robot("thesis")


def said(mode: str, joint: str = "weld", **given: Any) -> str:
    attachment, _, _, _ = captured(thesis_contact(), joint)
    plant = TreePlant(attachment.joined.with_mode(mode, percuss.Pose.identity()), 5)
    return " ".join(advice(plant, mode, **given))


def test_free_floating() -> None:
    """Of 135 kg, 15 N s drift at 1/9 m/s."""
    text = said(
        "free-floating", linear_momentum=[-15.0, 0.0, 0.0], angular_momentum=[0.0, 0.0, 42.5]
    )
    assert "nothing drives it, so only the joints are controlled" in text
    assert "15 N s, cannot be removed by the joints: the centre of mass drifts on at 0.1111" in text
    assert "42.5 N m s about the centre of mass" in text
    assert "keeps turning" in text


def test_free_floating_without_momentum_says_less() -> None:
    text = said("free-floating", linear_momentum=[0.0, 0.0], angular_momentum=[1e-16])
    assert "momentum after the capture" not in text


def test_attitude_controlled() -> None:
    text = said("attitude-controlled", linear_momentum=[3.0, 4.0], angular_momentum=[42.5])
    assert "wheels must absorb 42.5 N m s" in text
    assert "5 N s, cannot be removed by wheels and joints: the centre of mass drifts" in text


def test_free_flying() -> None:
    text = said("free-flying", linear_momentum=[15.0], angular_momentum=[2.0])
    assert (
        "free-flying, not free-floating: the control needs forces and torques on the base" in text
    )
    assert "15 N s and 2 N m s" in text


@pytest.mark.parametrize("mode", ["free-flying", "free-floating", "attitude-controlled"])
def test_a_pinned_target_swings(mode: str) -> None:
    assert "1 rate is free" in said(mode, "pin")
    assert "swinging" not in said(mode, "weld")


def test_a_fixed_base_has_nothing_to_be_said() -> None:
    plant = TreePlant(percuss.robot("2r-fixed"))
    assert advice(plant, "fixed", linear_momentum=[1.0]) == ()


def test_joints_without_motors() -> None:
    idle = percuss.Limits(effort=0.0)
    links = [
        percuss.PlanarLink(length=1.0, mass=1.0),
        percuss.PlanarLink(length=1.0, mass=1.0, limits=idle),
    ]
    assert "No motor drives joint2" in advice(TreePlant(percuss.planar_arm(links)), "fixed")[0]
    cube = TreePlant(percuss.robot("cube"))
    assert "No actuator drives anything" in advice(cube, "free-floating")[-1]


def test_a_target_that_is_let_go_does_not_swing() -> None:
    plant = TreePlant(percuss.robot("thesis"), 3)
    assert "swinging" in " ".join(advice(plant, "free-flying"))
    assert "swinging" not in " ".join(advice(plant, "free-flying", held=False))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"linear_momentum": [math.nan, 0.0]}, r"linear_momentum \(N s\) must be finite"),
        ({"linear_momentum": [1.0], "mass": 0.0}, "mass must be finite and > 0 kg"),
        ({"mode": "floating"}, "base mode 'floating' is not one of"),
    ],
)
def test_what_is_refused(given: dict[str, Any], complaint: str) -> None:
    mode = given.pop("mode", "free-floating")
    with pytest.raises(ModelError, match=complaint):
        advice(TreePlant(THESIS), mode, **given)
