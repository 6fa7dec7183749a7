"""The verdict on each conservation law: what counts as rounding, and how it is said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose
from percuss.impact import Contact, assess, bounce, pin, weld
from percuss.impact.sizes import momentum_sizes
from percuss.impact.verdict import ConservationLaw, ImpactBalance, State, laws, percent, warnings
from percuss.kinematics import frame_pose
from percuss.kinematics.trees import tree_poses, tree_velocities
from percuss.model import Frame, PlanarArm, PlanarLink, System, free_body, planar_robot
from tests.impact.captures import captures as random_captures
from tests.impact.captures import six, thesis, three
from tests.strategies import random_state, random_system

CLOSURES = ("pin", "weld", "bounce")


def jump(contact: Contact, closure: str) -> Any:
    if closure == "bounce":
        return bounce(contact, 0.4)
    return pin(contact) if closure == "pin" else weld(contact)


def states(outcome: percuss.Impact | Any) -> list[str]:
    return [str(law.state) for law in outcome.laws]


# --- everything on one line through the origin --------------------------------------------------


def planar_line(mode: str, turn: float, speed: float) -> Contact:
    """A stretched arm from the world's origin along a line; a disk comes head-on down that line."""
    base = percuss.disk("base", 1.0, 100.0)
    arm = PlanarArm([PlanarLink(2.0, 10.0), PlanarLink(3.0, 10.0)])
    chaser = planar_robot({"": arm}, base=base).with_mode(mode, Pose.planar(0.0, 0.0, turn))
    target = free_body(percuss.disk("disk", 1.0, 15.0), planar=True)
    grip = Frame("rim", "disk", Pose.at((-1.0, 0.0)))
    q = [0.0, 0.0] if mode == "fixed" else [0.0, 0.0, turn, 0.0, 0.0]
    along = np.array([np.cos(turn), np.sin(turn)])
    at = three(frame_pose(chaser, q, "tool").position)[:2] + along
    return Contact(
        chaser=chaser,
        target=target,
        tool=chaser.frame("tool"),
        grip=grip,
        chaser_coordinates=q,
        chaser_rates=[0.0] * len(q),
        target_coordinates=[*at, turn],
        target_rates=[*(-speed * along), 0.0],
    )


def spatial_line(mode: str, axis: tuple[float, ...], speed: float) -> Contact:
    """Balls and boxes in a row along a line through the origin, hit head-on."""
    way = np.array(axis) / np.linalg.norm(axis)
    chaser = free_body(percuss.box("hull", (1.0, 1.0, 1.0), 50.0), planar=False)
    chaser = chaser.with_mode(mode)
    target = free_body(percuss.box("crate", (0.5, 0.5, 0.5), 20.0), planar=False)
    tool = Frame("touching", "hull", Pose.at(0.5 * way))
    grip = Frame("touched", "crate", Pose.at(-0.25 * way))
    q = [] if mode == "fixed" else [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    rates = [] if mode == "fixed" else [0.0] * 6
    return Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=q,
        chaser_rates=rates,
        target_coordinates=[*(0.75 * way), 1.0, 0.0, 0.0, 0.0],
        target_rates=[*(-speed * way), 0.0, 0.0, 0.0],
    )


@given(
    turn=st.floats(-3.0, 3.0),
    speed=st.floats(1e-6, 1e3),
    closure=st.sampled_from(CLOSURES),
)
@settings(max_examples=25)
def test_planar_line_keeps_its_momentum(turn: float, speed: float, closure: str) -> None:
    """No angular momentum before or after, and none is said to be missing."""
    contact = planar_line("free-floating", turn, speed)
    outcome = assess(contact, jump(contact, closure), closure)
    assert states(outcome) == ["kept", "kept", "lost"]
    assert outcome.warnings == ()


def test_the_first_scenario_without_an_angle() -> None:
    """Base at the origin, arm along x, target from the right: everything on the x axis."""
    contact = planar_line("free-flying", 0.0, 1.0)
    outcome = assess(contact, pin(contact), "pin")
    assert states(outcome) == ["kept", "kept", "lost"]
    assert outcome.angular_momentum_before[2] == 0.0
    found = re.search(r"of ([\d.]+) N m s", outcome.verdict[1])
    assert found
    assert float(found[1]) > 15 * 5, "what rounding is relative to: r p of the target and more"


@given(
    axis=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1),
    speed=st.floats(1e-6, 1e3),
    closure=st.sampled_from(CLOSURES),
)
@settings(max_examples=25)
def test_spatial_line_keeps_its_momentum(
    axis: tuple[float, ...], speed: float, closure: str
) -> None:
    contact = spatial_line("free-floating", axis, speed)
    outcome = assess(contact, jump(contact, closure), closure)
    assert states(outcome) == ["kept", "kept", "lost"]
    assert outcome.warnings == ()


@pytest.mark.parametrize("closure", CLOSURES)
@pytest.mark.parametrize("turn", [0.0, 0.7, -2.9])
def test_fixed_base_on_the_line(closure: str, turn: float) -> None:
    """The bolts take the push along the line, and no moment about the origin."""
    contact = planar_line("fixed", turn, 1.0)
    outcome = assess(contact, jump(contact, closure), closure)
    linear, angular, energy = states(outcome)
    assert linear == "passed on"
    assert angular == "kept"
    assert energy == "lost"
    assert outcome.warnings == ()
    if closure == "weld":
        assert outcome.verdict[2] == "energy: 7.5 → 0 J, all of it lost"


@pytest.mark.parametrize("make", [planar_line, spatial_line])
def test_a_fault_on_the_line_is_found(make: Any) -> None:
    """A millionth of a radian a second too much is no rounding."""
    contact = make("free-floating", 0.4 if make is planar_line else (1.0, 2.0, 3.0), 1.0)
    right = pin(contact)
    rates = np.array(right.target_rates, float)
    rates[-1] += 1e-6
    outcome = assess(contact, replace(right, target_rates=rates), "pin")
    assert states(outcome)[1] == "broken"
    assert "angular momentum: NOT conserved" in outcome.verdict[1]
    assert any("missing" in warning for warning in outcome.warnings)


# --- sizes ------------------------------------------------------------------------------------


def by_hand(system: System, q: Any, v: Any) -> tuple[float, float]:
    poses = tree_poses(system, q)
    linear = angular = 0.0
    bodies = tree_velocities(poses, v).bodies
    for node, pose, velocity in zip(system.tree, poses.world_poses(), bodies, strict=True):
        own = six(pose.act(node.body.spatial_inertia @ velocity))
        at = three(pose.act(node.body.com))
        size = float(np.linalg.norm(own[:3]))
        linear += size
        angular += float(np.linalg.norm(own[3:] - np.cross(at, own[:3])))
        angular += float(np.linalg.norm(at)) * size
    return linear, angular


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_sizes_of_random_systems(seed: int) -> None:
    """Σ|p_i| and Σ(|L_i| + |r_i||p_i|), one case at a time and many at once."""
    rng = np.random.default_rng(seed)
    system = random_system(rng, 4)
    cases = [random_state(rng, system) for _ in range(3)]
    q, v = (np.stack([getattr(case, name) for case in cases], axis=-1) for name in ("q", "v"))
    linear, angular = momentum_sizes(system, q, v)
    for k, case in enumerate(cases):
        expected = by_hand(system, case.q, case.v)
        np.testing.assert_allclose(momentum_sizes(system, case.q, case.v), expected, rtol=1e-12)
        together = [np.broadcast_to(part, 3)[k] for part in (linear, angular)]
        np.testing.assert_allclose(together, expected, rtol=1e-12)


@given(random_captures(max_joints=4))
@settings(max_examples=10)
def test_angular_size_bounds_the_angular_momentum(capture: Any) -> None:
    """|Σ(L_i + r_i × p_i)| ≤ Σ(|L_i| + |r_i||p_i|)."""
    contact = capture.contact
    chaser, q, v = contact.chaser, contact.chaser_coordinates, contact.chaser_rates
    linear, angular = momentum_sizes(chaser, q, v)
    total = six(percuss.momentum(chaser, q, v))
    assert np.linalg.norm(total[:3]) <= linear * (1 + 1e-12)
    assert np.linalg.norm(total[3:]) <= angular * (1 + 1e-12)


# --- words ------------------------------------------------------------------------------------


def balance(**changes: Any) -> ImpactBalance:
    """10 J and (3, 0, 0) N s, (0, 0, 5) N m s, kept."""
    momentum = np.array([3.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    kept = ImpactBalance(
        energy_before=10.0,
        energy_after=10.0,
        before=momentum,
        after=momentum,
        sizes=np.array([3.0, 5.0]),
        passed_on=np.zeros(6),
    )
    return replace(kept, **changes)


def test_states() -> None:
    momentum = balance().before
    assert [law.state for law in laws(balance())] == [State.KEPT] * 3
    assert [law.name for law in laws(balance())] == [
        "linear momentum",
        "angular momentum",
        "energy",
    ]
    assert laws(balance(energy_after=4.0))[2].state == State.LOST
    assert laws(balance(energy_after=11.0))[2].state == State.BROKEN
    lossy = laws(balance(after=0.5 * momentum))
    assert [law.state for law in lossy] == [State.BROKEN, State.BROKEN, State.KEPT]
    held = laws(balance(after=0.5 * momentum, passed_on=0.5 * momentum))
    assert [law.state for law in held] == [State.PASSED_ON, State.PASSED_ON, State.KEPT]
    assert str(State.PASSED_ON) == "passed on"
    assert laws(balance())[0] == ConservationLaw(
        "linear momentum", State.KEPT, "linear momentum: conserved (change 0 N s of 3 N s)"
    )


@pytest.mark.parametrize(
    ("after", "text"),
    [
        (0.0, "energy: 10 → 0 J, all of it lost"),
        (1e-15, "energy: 10 → 0 J, all of it lost"),
        (1e-6, "energy: 10 → 1e-06 J, 10 J (> 99.9 %) lost"),
        (0.04, "energy: 10 → 0.04 J, 9.96 J (99.6 %) lost"),
        (5.0, "energy: 10 → 5 J, 5 J (50 %) lost"),
        (9.999, "energy: 10 → 9.999 J, 0.001 J (< 0.1 %) lost"),
        (10.0 - 1e-14, "energy: conserved (10 J)"),
        (10.0 + 1e-14, "energy: conserved (10 J)"),
        (12.0, "energy: GAINED, 10 → 12 J"),
    ],
)
def test_energy_in_words(after: float, text: str) -> None:
    assert laws(balance(energy_after=after))[2].text == text


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, " (all of it)"), (0.5, " (50 %)"), (-2.0, " (300 %)"), (0.9995, " (< 0.1 %)")],
)
def test_missing_momentum_in_words(share: float, said: str) -> None:
    found = laws(balance(after=share * balance().before))
    assert found[0].text.endswith(f" N s{said} missing")
    lossy = balance(after=share * balance().before)
    assert f"of linear momentum{said} and" in warnings(lossy, "published", None, conserves=False)[0]


def test_missing_of_none_has_no_share() -> None:
    """Momentum out of nothing, or out of what is rounding beside the bodies' momenta."""
    for was in (0.0, 1e-15):
        before = np.array([was, 0.0, 0.0, 0.0, 0.0, 5.0])
        found = laws(balance(before=before))[0]
        assert found.text == "linear momentum: NOT conserved, 3 N s missing"


@given(st.floats(0.0, 1e6))
def test_percentages_are_short_and_right(share: float) -> None:
    text = percent(share)
    assert "e" not in text
    found = re.fullmatch(r"([<>]? ?)(\d+(?:\.\d+)?) %", text)
    assert found, text
    value = float(found[2]) / 100
    if found[1].strip() == "<":
        assert share < value
    elif found[1].strip() == ">":
        assert value < share < 1.0
    else:
        assert share == pytest.approx(value, rel=0.06, abs=0)
        assert len(found[2].replace(".", "").lstrip("0")) <= max(3, len(f"{100 * share:.0f}"))


@pytest.mark.parametrize("share", [np.nan, np.inf])
def test_share_of_nothing_is_a_dash(share: float) -> None:
    assert percent(share) == "–"


def test_energy_is_judged_by_who_moves_along() -> None:
    """A capture in orbit loses the same energy as one at rest, and the verdict says so."""
    slow = thesis(1)
    fast = replace(
        slow,
        chaser_rates=np.array([7500.0, 0.0, 0.0, 0.0, 0.0]),
        target_rates=np.array([7499.0, 0.0, 0.0]),
    )
    for contact in (slow, fast):
        energy = assess(contact, pin(contact), "pin").laws[-1]
        assert energy.state == "lost", energy.text
        assert "0.92" in energy.text
