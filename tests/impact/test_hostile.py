"""Input that cannot be right is refused, with the field, the value and what is allowed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.impact import Contact, bounce, pin, weld
from percuss.kinematics import frame_pose
from percuss.model import Frame, ModelError, free_body
from tests.impact.captures import POSE, SIMULATIONS, TARGET_POSE, random_contact, thesis, three


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, "half", None])
def test_restitution(value: Any) -> None:
    with pytest.raises(ModelError, match="restitution must be"):
        bounce(thesis(2), value)


@pytest.mark.parametrize("value", [-1e-9, math.nan, math.inf, "slippery"])
def test_friction(value: Any) -> None:
    with pytest.raises(ModelError, match="friction must be"):
        bounce(thesis(2), 0.5, value)


@pytest.mark.parametrize(
    ("normal", "complaint"),
    [
        ((0, 0), "other than zero"),
        ((math.nan, 1), "finite"),
        ((math.inf, 1), "finite"),
        ((0, 1, 0.1), "in the plane"),
        ((0, 0, 1), "in the plane"),
        ((1,), "two or three"),
        ((1, 2, 3, 4), "two or three"),
        (3.0, "two or three"),
        ("up", "two or three"),
    ],
)
def test_normal(normal: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        bounce(thesis(2), 0.5, normal=normal)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_a_normal_of_any_length(scale: float) -> None:
    jump = bounce(thesis(2), 0.5, 0.2, normal=(0.1 * scale, scale))
    expected = bounce(thesis(2), 0.5, 0.2, normal=(0.1, 1.0, 0.0))
    assert np.allclose(three(jump.impulse), three(expected.impulse), rtol=1e-14)


def test_a_contact_at_the_centre_of_mass_needs_a_normal() -> None:
    contact = thesis(2)
    middle = Frame("middle", "target")
    point = three(contact.point)
    centred = replace(contact, grip=middle, target_coordinates=(point[0], point[1], 0.3))
    with pytest.raises(ModelError, match="give normal"):
        bounce(centred, 0.5)
    assert bounce(centred, 0.5, normal=(0, 1)).impulse.y == pytest.approx(-20.0)


def test_points_that_are_apart() -> None:
    with pytest.raises(ModelError, match=r"contact points are 0\.25 m apart.*'tool'.*'grip'"):
        replace(thesis(1), target_coordinates=(1.25, 8.0, TARGET_POSE[2]))


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("chaser_coordinates", POSE[:4], "chaser coordinates must have 5 entries"),
        ("chaser_rates", (0.0,) * 6, "chaser rates must have 5 entries"),
        ("target_coordinates", 3.0, "target coordinates must be a sequence"),
        ("target_rates", ("fast", 0, 0), "target rates"),
        ("target_rates", (math.nan, 0, 0), r"target rates: base.x must be finite, got nan"),
        ("chaser_coordinates", (*POSE[:4], math.inf), "joint2 must be finite, got inf"),
    ],
)
def test_states(field: str, value: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        replace(thesis(1), **{field: value})


def test_unknown_bodies() -> None:
    with pytest.raises(ModelError, match="has no body 'link7'"):
        replace(thesis(1), tool=Frame("tool", "link7"))
    with pytest.raises(ModelError, match="has no body 'hook'"):
        replace(thesis(1), grip=Frame("grip", "hook"))


def test_a_target_must_be_free() -> None:
    contact = thesis(1)
    fixed = contact.target.with_mode("fixed", percuss.Pose.planar(*TARGET_POSE))
    with pytest.raises(ModelError, match=r"on a fixed joint.*has to be free"):
        replace(contact, target=fixed, target_coordinates=(), target_rates=())


def test_a_planar_target_in_space() -> None:
    robot = percuss.robot("demo-7")
    flat = percuss.robot("disk")
    q = percuss.neutral(robot)
    tool = robot.frame("tool")
    point = three(frame_pose(robot, q, tool).position)
    with pytest.raises(ModelError, match=r"on a planar joint.*has to be free"):
        Contact(
            chaser=robot,
            target=flat,
            tool=tool,
            grip=flat.frame(flat.base.name),
            chaser_coordinates=q,
            chaser_rates=np.zeros(13),
            target_coordinates=(point[0], point[1], 0.0),
            target_rates=np.zeros(3),
        )


def test_the_grip_must_be_on_the_root_of_the_target() -> None:
    contact = random_contact(np.random.default_rng(51), 2, planar=True)
    target = percuss.robot("2r-floating").prefixed("t_").with_gravity(contact.chaser.gravity)
    grip = target.frame("t_tool")
    q = np.array([0.0, 0.0, 0.1, 0.2, 0.3])
    q[:2] = three(contact.point)[:2] - three(frame_pose(target, q, grip).position)[:2]
    touching = replace(
        contact, target=target, grip=grip, target_coordinates=q, target_rates=np.ones(5)
    )
    for closure in (pin, weld):
        with pytest.raises(ModelError, match=r"percuss\.reroot"):
            closure(touching)
    away = bounce(touching, 0.5, 0.2, normal=(1.0, 0.0))
    assert np.isfinite(away.chaser_rates).all(), "a bounce takes any point of the target"


def test_names_that_clash() -> None:
    contact = random_contact(np.random.default_rng(52), 2, planar=True)
    other = replace(contact.target.base, name="body 0")
    target = free_body(other, planar=True).with_gravity(contact.chaser.gravity)
    clash = replace(contact, target=target, grip=replace(contact.grip, body="body 0"))
    with pytest.raises(ModelError, match=r"rename with guest\.prefixed"):
        pin(clash)


def test_tiny_and_huge_numbers() -> None:
    """A speck at orbital speed, a mountain at a crawl: finite, and momentum is kept."""
    for mass, speed in ((1e-12, 7.8e3), (1e12, 1e-9), (1.0, 1e-200), (1.0, 1e100)):
        contact = thesis(1)
        target = contact.target.with_parameters(
            {
                "target.mass": mass,
                "target.inertia.xx": 0.25 * mass,
                "target.inertia.yy": 0.25 * mass,
                "target.inertia.zz": 0.5 * mass,
            }
        )
        rates = tuple(speed * x for x in (0.3, -1.0, 0.2))
        contact = replace(contact, target=target, target_rates=rates)
        for closure in (pin, weld, lambda c: bounce(c, 0.5, 0.3)):
            jump = closure(contact)
            values = [*jump.chaser_rates, *jump.target_rates, *three(jump.impulse)]
            assert np.isfinite(values).all()
            assert np.any(np.asarray(jump.target_rates) != 0)
        usual = bounce(replace(contact, target_rates=(0.3, -1.0, 0.2)), 0.5, 0.3).target_rates
        fast = bounce(contact, 0.5, 0.3).target_rates
        assert np.allclose(np.asarray(fast) / speed, usual, rtol=1e-13, atol=0), "as fast as hit"


def test_simulations_are_not_changed_by_use() -> None:
    contact = thesis(1)
    pin(contact)
    assert contact.target_rates == SIMULATIONS[1]
