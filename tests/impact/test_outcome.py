"""The outcome of an impact: reactions, base impulse, verdict and warnings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import percuss
from percuss.algebra import Force, Pose
from percuss.dynamics import momentum
from percuss.impact import Contact, assess, bounce, pin, weld
from percuss.kinematics import frame_pose, poses
from percuss.model import WORLD, Frame, ModelError, Prismatic, Revolute, System, free_body
from percuss.sources.published import published
from tests.impact.captures import (
    Capture,
    captures,
    closed,
    random_contact,
    six,
    thesis,
    three,
)
from tests.truth.compare import assert_same


@given(captures(max_joints=6))
@settings(max_examples=12)
def test_joint_reactions_carry_what_hangs_from_them(capture: Capture) -> None:
    """Impulse through a joint = change of momentum of all outboard of it, less the impact's."""
    contact, chaser = capture.contact, capture.contact.chaser
    outcome = assess(contact, weld(contact), "weld")
    placed = poses(chaser, contact.chaser_coordinates)
    change = outcome.chaser_rates - np.asarray(contact.chaser_rates)
    for joint in chaser.joints:
        if joint.parent == WORLD:
            assert joint.name not in outcome.joint_reactions
            continue
        outboard = {
            node.body.name
            for node in chaser.tree
            if any(a.joint is joint for a in chaser.ancestors(node))
        }
        gained = np.zeros(6)
        for node in chaser.tree:
            if node.body.name in outboard:
                at = Frame(node.body.name, node.body.name)
                velocity = percuss.frame_velocity(
                    chaser, contact.chaser_coordinates, change, at, reference="body"
                )
                own = node.body.spatial_inertia @ velocity
                gained += six(placed[node.body.name].act(own))
        if contact.tool.body in outboard:
            push = Force(percuss.Vector3.of(outcome.impulse), percuss.Vector3.of(outcome.moment))
            gained -= six(Pose(position=contact.point).act(push))
        origin = joint.child_placement.act_inverse(percuss.Vector3.zero())
        at_joint = placed[joint.child] @ Pose(position=origin)
        found = six(at_joint.act(outcome.joint_reactions[joint.name]))
        size = float(np.linalg.norm(gained)) + float(np.linalg.norm(outcome.impulse))
        assert_same(found, gained, f"impulse through {joint.name!r}", 1e-10, size)


@given(captures(max_joints=6))
@settings(max_examples=8)
def test_nothing_passes_along_a_free_axis(capture: Capture) -> None:
    """No motor acts in an instant: a revolute joint takes no moment about its axis."""
    contact = capture.contact
    rng = np.random.default_rng(capture.seed)
    for closure in ("pin", "weld", "bounce"):
        outcome = assess(contact, closed(closure, contact, rng), closure)
        size = sum(float(np.linalg.norm(six(r))) for r in outcome.joint_reactions.values())
        for joint in contact.chaser.joints:
            if not isinstance(joint.motion, (Revolute, Prismatic)):
                continue
            reaction = outcome.joint_reactions[joint.name]
            turned = joint.child_placement.rotation.inverse() @ joint.motion.axis
            part = reaction.angular if isinstance(joint.motion, Revolute) else reaction.linear
            assert abs(three(turned) @ three(part)) <= 1e-11 * (size + 1.0)


def test_numbers_of_the_thesis() -> None:
    """A pin by hand: link 2 gains momentum from joint 2 and from the target."""
    outcome = assess(thesis(1), pin(thesis(1)), "pin")
    x, _, _, q1, q2 = outcome.chaser_rates
    center = x - 2.0 * q1 - 1.5 * (q1 + q2)  # x velocity of link 2's centre
    through = 10.0 * center - outcome.impulse[0]
    link_frame = np.array([0.0, -through, 0.0])  # link 2 points along y: its y axis is -x
    np.testing.assert_allclose(
        three(outcome.joint_reactions["joint2"].linear), link_frame, atol=1e-13
    )
    assert set(outcome.joint_reactions) == {"joint1", "joint2"}
    assert not six(outcome.base_impulse).any()
    assert outcome.effective_mass is None
    assert outcome.normal is None
    assert outcome.is_planar


def test_verdicts() -> None:
    first = assess(thesis(1), pin(thesis(1)), "pin")
    linear, angular, energy = first.verdict
    assert linear.startswith("linear momentum: conserved (change ")
    assert angular.startswith("angular momentum: conserved (change ")
    assert energy == "energy: 7.5 → 6.579 J, 0.9207 J (12 %) lost"
    assert first.warnings == ()
    elastic = assess(thesis(2), bounce(thesis(2), 1.0), "bounce")
    assert elastic.verdict[2] == "energy: conserved (7.5 J)"
    still = replace(thesis(1), target_rates=(0.0, 0.0, 0.0))
    nothing = assess(still, weld(still), "weld")
    assert nothing.verdict[:2] == (
        "linear momentum: conserved (nothing moves)",
        "angular momentum: conserved (nothing moves)",
    )
    assert nothing.verdict[2] == "energy: conserved (0 J)"


def test_the_published_closure_is_warned_of() -> None:
    outcome = assess(thesis(1), published(thesis(1)), "published")
    (warning,) = outcome.warnings
    assert "loses 5.853 N s of linear momentum (39 %)" in warning
    assert "52.68 N m s of angular momentum (44 %)" in warning
    assert warning.endswith("use pin or weld")
    assert outcome.verdict[0] == "linear momentum: NOT conserved, 5.853 N s (39 %) missing"
    agrees = assess(thesis(2), published(thesis(2)), "published")
    assert "happens to agree with pin" in agrees.warnings[0]
    assert "NOT" not in " ".join(agrees.verdict)


def test_a_wrong_jump_is_found_out() -> None:
    contact = thesis(1)
    jump = pin(contact)
    wrong = replace(jump, target_rates=2.0 * np.asarray(jump.target_rates))
    outcome = assess(contact, wrong, "pin")
    assert "NOT conserved" in outcome.verdict[0]
    assert "GAINED" in outcome.verdict[2]
    assert any("missing" in warning for warning in outcome.warnings)
    assert any("energy grew" in warning for warning in outcome.warnings)


def test_a_fixed_base_by_hand() -> None:
    """A heavy pendulum of 1 m is hit at its end: the bearing takes what is left."""
    rod = percuss.planar_arm([percuss.PlanarLink(1.0, 3.0)], name="pendulum")
    ball = free_body(percuss.disk("ball", 0.1, 2.0), planar=True)
    tool, grip = rod.frame("tool"), Frame("rim", "ball", Pose.at((0.0, -0.1)))
    contact = Contact(
        chaser=rod,
        target=ball,
        tool=tool,
        grip=grip,
        chaser_coordinates=(0.0,),
        chaser_rates=(0.0,),
        target_coordinates=(1.0, 0.1, 0.0),
        target_rates=(0.0, -1.0, 0.0),
    )
    outcome = assess(contact, pin(contact), "pin")
    # I ω = 1 and (2 v) lost by the ball: ω = -2 / (1 + 2), impulse -2 (1 + ω) at the tip.
    spin = -2.0 / 3.0
    np.testing.assert_allclose(outcome.chaser_rates, [spin], rtol=1e-14)
    np.testing.assert_allclose(outcome.impulse, [0, -2 * (1 + spin), 0], atol=1e-14)
    bearing = 3.0 * 0.5 * spin + 2 * (1 + spin)  # on the rod, y
    np.testing.assert_allclose(six(outcome.base_impulse), [0, -bearing, 0, 0, 0, 0], atol=1e-14)
    assert "the held base passed 0.3333 N s to the world" in outcome.verdict[0]
    assert outcome.verdict[1].startswith("angular momentum: conserved")
    assert outcome.warnings == ()
    assert list(outcome.joint_reactions) == ["joint1"]


def test_base_impulse_is_about_the_base_frame() -> None:
    contact = random_contact(np.random.default_rng(41), 3, planar=False, fixed=True)
    outcome = assess(contact, weld(contact), "weld")
    chaser, q = contact.chaser, contact.chaser_coordinates
    base = frame_pose(chaser, q, chaser.base.name).position
    change = outcome.chaser_rates - np.asarray(contact.chaser_rates)
    gained = six(momentum(chaser, q, change, about=base))
    push = Force(percuss.Vector3.of(outcome.impulse), percuss.Vector3.of(outcome.moment))
    given = six(Pose(position=contact.point - base).act(push))
    assert_same(six(outcome.base_impulse), given - gained, "base impulse", 1e-11)


def test_target_rates_are_those_of_the_centre_of_mass() -> None:
    for planar in (True, False):
        contact = random_contact(np.random.default_rng(42), 2, planar)
        jump = weld(contact)
        outcome = assess(contact, jump, "weld")
        body = contact.target.base
        at = Frame("centre", body.name, Pose(position=body.com))
        found = percuss.frame_velocity(
            contact.target, contact.target_coordinates, jump.target_rates, at
        )
        expected = np.array(found.array(), float)
        expected = expected[[0, 1, 5]] if planar else expected
        assert_same(outcome.target_rates, expected, "target rates", 1e-13)


def test_articulated_targets() -> None:
    """A target with an arm of its own: momentum of all of it is conserved."""
    robot = percuss.robot("2r-floating")
    target: System = robot.prefixed("t_")
    rng = np.random.default_rng(43)
    chaser = percuss.robot("thesis")
    q, v = rng.normal(size=5), rng.normal(size=5)
    tool = chaser.frame("tool")
    point = three(frame_pose(chaser, q, tool).position)
    grip = Frame("hub", target.base.name)
    at = (point[0], point[1], 0.3, 0.4, -0.8)
    contact = Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=q,
        chaser_rates=v,
        target_coordinates=at,
        target_rates=rng.normal(size=5),
    )
    for closure in ("pin", "weld", "bounce"):
        outcome = assess(contact, closed(closure, contact, rng), closure)
        assert all("conserved (change" in line for line in outcome.verdict[:2])
        assert outcome.energy_after < outcome.energy_before


def test_symbols_and_batches_cannot_be_assessed() -> None:
    contact = thesis(1)
    jump = replace(pin(contact), chaser_rates=np.ones((5, 3)))
    with pytest.raises(ModelError, match="one case"):
        assess(contact, jump, "pin")
    with pytest.raises(ModelError, match="finite"):
        assess(contact, replace(jump, chaser_rates=np.full(5, np.nan)), "pin")
    with pytest.raises(ModelError, match="plain numbers"):
        assess(contact, replace(jump, chaser_rates=["a"] * 5), "pin")
