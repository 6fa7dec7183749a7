"""Impacts of chasers in which joints follow others: momentum is exact, energy never gained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from percuss.dynamics import mass_matrix
from percuss.impact import assess, pin, weld
from percuss.kinematics import jacobian
from percuss.model import Mimic
from percuss.percussion import Holding
from percuss.percussion.multibody import capture_reactions
from tests.impact.captures import CLOSURES, Capture, after, before, captures, closed, three
from tests.truth.compare import assert_same


@pytest.mark.parametrize("closure", CLOSURES)
@given(captures(follows=True, max_joints=7))
@settings(max_examples=15)
def test_momentum_is_conserved_and_energy_is_not_gained(closure: str, capture: Capture) -> None:
    contact = capture.contact
    jump = closed(closure, contact, np.random.default_rng(capture.seed))
    old, new = before(contact), after(contact, jump)
    sizes = np.maximum(old.sizes, new.sizes)
    change = new.momentum - old.momentum
    linear, angular = np.linalg.norm(change[:3]), np.linalg.norm(change[3:])
    assert linear <= 1e-12 * sizes[0], f"linear momentum changes by {linear / sizes[0]:.1e}"
    assert angular <= 1e-12 * sizes[1], f"angular momentum changes by {angular / sizes[1]:.1e}"
    gain = (new.energy - old.energy) / old.energy
    assert gain <= 1e-12, f"energy grows by {gain:.1e} of itself"


@given(captures(follows=True, max_joints=7))
@settings(max_examples=15)
def test_the_jump_is_that_of_the_coupled_equations(capture: Capture) -> None:
    """M (v⁺ - v) = Jᵀ (impulse, moment) on the rates that there are, for both closures."""
    contact = capture.contact
    chaser, q = contact.chaser, contact.chaser_coordinates
    for closure in (pin, weld):
        jump = closure(contact)
        change = np.asarray(jump.chaser_rates) - np.asarray(contact.chaser_rates)
        push = np.concatenate([three(jump.impulse), three(jump.moment)])
        M, J = mass_matrix(chaser, q), jacobian(chaser, q, contact.tool)
        scale = float(np.linalg.norm(M) * np.linalg.norm(change))
        assert_same(M @ change, J.T @ push, closure.__name__, 1e-11, scale)


@given(captures(follows=True, max_joints=6))
@settings(max_examples=10)
def test_the_loads_of_followers_are_told(capture: Capture) -> None:
    """Impulses through a leader and its followers, each along its axis, need no motor's help."""
    contact = capture.contact
    chaser = contact.chaser
    outcome = assess(contact, weld(contact), "weld")
    for joint in chaser.movable_joints:
        followers = [j for j in chaser.followers if chaser.leader(j) is joint]
        if not followers:
            continue
        total = size = 0.0
        for one in (joint, *followers):
            factor = float(one.motion.multiplier) if isinstance(one.motion, Mimic) else 1.0  # type: ignore[arg-type]
            back = one.child_placement.rotation.inverse()
            (axis,) = one.motion.uncoupled.subspace
            load = outcome.joint_reactions[one.name]
            along = (back @ axis.linear).dot(load.linear), (back @ axis.angular).dot(load.angular)
            total += factor * sum(float(x) for x in along)  # type: ignore[arg-type]
            size += abs(factor) * float(np.linalg.norm(np.array(load.array(), float)))
        assert abs(total) <= 1e-10 * size, f"{joint.name!r}: {total} of {size}"


@given(captures(follows=True, max_joints=6))
@settings(max_examples=10)
def test_captures_by_reactions_are_the_same_jumps(capture: Capture) -> None:
    """With everything free; and a leader that is held holds its followers."""
    contact = capture.contact
    chaser, before_it = contact.chaser, np.asarray(contact.chaser_rates)
    for name, closure in (("pin", pin), ("weld", weld)):
        jump = closure(contact)
        found = capture_reactions(contact, name)
        change = np.asarray(jump.chaser_rates) - before_it
        assert_same(found.rate_jump, change, name, 1e-9, scale=float(np.linalg.norm(before_it)))
        assert set(found.joints) >= {joint.name for joint in chaser.followers}
    leader = chaser.leader(chaser.followers[0])
    held = capture_reactions(contact, "pin", Holding("free", {leader.name: "locked"}))
    assert held.rate_jump[chaser.node(leader.child).rates][0] == 0.0
