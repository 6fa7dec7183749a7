"""Reactions of whole robots: the paper's robot, Pinocchio, captures, held joints and bases."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import WORLD, Fixed, Force, Frame, ModelError, System, frame_pose, robot
from percuss.dynamics import forward_dynamics, joint_reactions, momentum
from percuss.impact import pin as pin_closure
from percuss.impact import weld
from percuss.impact.contact import velocity_jump
from percuss.kinematics import frame_velocity, integrate
from percuss.percussion import (
    Holding,
    fixed_axis_reaction,
    impact_reactions,
    with_joints_at_percussion_points,
)
from percuss.percussion.links import effective_coefficient
from percuss.percussion.multibody import capture_reactions
from tests.impact.captures import Capture, captures, thesis
from tests.oracles import to_pinocchio
from tests.strategies import cases, random_coordinates, random_system
from tests.tracers import traced

pin: Any = import_module("pinocchio")

Array = NDArray[np.float64]

ROBOT = robot("percussion")
NORMAL = np.array([0.0, 0.0, 0.0, -math.pi / 2, math.pi / 2])
COP_2 = 0.3 + 2.5 / 6
seeds = st.integers(0, 2**32 - 1)


def array(quantity: Any) -> Array:
    return np.array(quantity.array(), float)


def struck(at: float) -> Frame:
    return Frame.point("link2", (at, 0.0, 0.0))


def blow(system: System, q: Array, at: float, degrees: float, size: float = 1000.0) -> Any:
    """-F (cos φ, sin φ) in the frame of link 2."""
    phi = math.radians(degrees)
    turn = np.array(frame_pose(system, q, "link2").rotation.array(), float)
    force = turn @ (-size * np.array([math.cos(phi), math.sin(phi), 0.0]))
    return impact_reactions(system, q, struck(at), force)


@pytest.mark.parametrize(
    ("at", "force"), [(0.1, 800.7), (0.5, 281.3), (0.9, 238.1), (1.0, 367.9), (COP_2, 0.0)]
)
def test_section_6_1_of_the_paper_at_onset(at: float, force: float) -> None:
    found = blow(ROBOT, NORMAL, at, 90.0)
    assert float(found.joints["joint2"].bearing) == pytest.approx(force, abs=0.05)


def test_at_the_centre_of_percussion_but_oblique() -> None:
    found = blow(ROBOT, NORMAL, COP_2, 60.0)
    assert float(found.joints["joint2"].bearing) == pytest.approx(115.0, abs=0.05)


@pytest.mark.parametrize("degrees", [90.0, 60.0, 20.0, -45.0])
def test_joint_2_on_the_centre_of_percussion_of_link_1_shields_joint_1(degrees: float) -> None:
    moved = with_joints_at_percussion_points(ROBOT, ["joint2"])
    assert moved.joint("joint2").placement.position.x == pytest.approx(0.67)
    found = blow(moved, NORMAL, COP_2, degrees)
    assert float(found.joints["joint1"].bearing) < 1e-10
    if degrees != 90.0:
        assert float(found.joints["joint2"].bearing) > 10.0


def test_a_fixed_axis_overestimates_what_is_felt_off_the_centre() -> None:
    free = blow(ROBOT, NORMAL, 1.0, 90.0)
    fixed = fixed_axis_reaction(ROBOT, NORMAL, struck(1.0), (0.0, -1000.0))
    assert float(free.joints["joint2"].bearing) == pytest.approx(367.9, abs=0.05)
    assert np.linalg.norm(array(fixed.linear)) == pytest.approx(395.3, abs=0.05)


def test_effective_coefficients_on_free_and_fixed_bases() -> None:
    bolted = Holding("fixed", {"joint1": "locked"})  # only then is joint 2 fixed in space
    for at, exact in ((1.0, 1.3953488), (COP_2, 1.0), (0.1, 0.13953488)):
        push = (0.0, -1.0)
        still = effective_coefficient(ROBOT, NORMAL, struck(at), push, holding=bolted)
        assert still == pytest.approx(exact, abs=5e-8)
        free = effective_coefficient(ROBOT, NORMAL, struck(at), push)
        assert abs(free - 1.0) <= abs(still - 1.0) + 1e-12, "a joint that gives way feels less"  # type: ignore[operator]
    tip = effective_coefficient(ROBOT, NORMAL, struck(1.0), (0.0, -1.0))
    assert tip == pytest.approx(1.3679, abs=5e-5)
    with pytest.raises(ModelError, match="'base' floats"):
        effective_coefficient(ROBOT, NORMAL, "base", (0.0, 1.0))


def test_locked_joints_at_onset() -> None:
    held = Holding.all_joints(ROBOT, "locked", "free")
    found = impact_reactions(ROBOT, NORMAL, struck(1.0), (0.0, -100.0), holding=held)
    assert found.joints["joint2"].bearing == pytest.approx(71.18, abs=5e-3)
    assert found.joints["joint1"].bearing == pytest.approx(39.04, abs=5e-3)
    assert np.allclose(np.array(found.rate_jump, float)[3:], 0.0)


def test_the_reaction_stays_small_within_the_pulse_of_the_paper() -> None:
    """1 kN for 10 ms at the centre of percussion, following the link: at most 3.84 N."""
    q, v, step, peak = NORMAL.copy(), np.zeros(5), 1e-4, 0.0

    def rates(q: Array, v: Array) -> Array:
        return np.array(
            forward_dynamics(ROBOT, q, v, None, wrenches=[(struck(COP_2), push(q))]), float
        )

    def push(q: Array) -> Force:
        turn = np.array(frame_pose(ROBOT, q, "link2").rotation.array(), float)
        return Force.of([*(turn @ [0.0, -1000.0, 0.0]), 0.0, 0.0, 0.0])

    for _ in range(100):
        a1 = rates(q, v)
        reaction = joint_reactions(ROBOT, q, v, a1, wrenches=[(struck(COP_2), push(q))])["joint2"]
        peak = max(peak, float(np.linalg.norm(array(reaction.linear))))
        a2 = rates(q + step / 2 * v, v + step / 2 * a1)
        q, v = q + step * (v + step / 2 * a1), v + step * a2
    reaction = joint_reactions(ROBOT, q, v, rates(q, v), wrenches=[(struck(COP_2), push(q))])[
        "joint2"
    ]
    peak = max(peak, float(np.linalg.norm(array(reaction.linear))))
    assert peak == pytest.approx(3.84, abs=5e-3)


# --- against Pinocchio --------------------------------------------------------------------------


class Twin:
    """The same system in Pinocchio, at rest or in motion, without gravity."""

    def __init__(self, system: System, q: Array, v: Array) -> None:
        self.twin = to_pinocchio(system.with_gravity((0.0, 0.0, 0.0)))
        self.system, self.model = system, self.twin.model
        self.data = self.model.createData()
        self.q, self.v = self.twin.coordinates(q), self.twin.rates(q, v)
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        pin.updateFramePlacements(self.model, self.data)

    def forces(self, frame: Frame, push: Force) -> Any:
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        at = self.data.oMf[self.twin.frame_ids[frame.body]]
        point = at.act(array(frame.placement.position))
        force, moment = np.split(array(push), 2)
        joint = self.twin.joint_ids[self.system.node(frame.body).joint.name]
        at_origin = pin.Force(force, moment + np.cross(point, force))
        forces[joint] = self.data.oMi[joint].actInv(at_origin)
        return forces

    def reactions(self, acceleration: Array, forces: Any) -> dict[str, Array]:
        """Through each joint on its outboard body, in that body's axes, about the joint."""
        pin.rnea(self.model, self.data, self.q, self.v, acceleration, forces)
        found = {}
        for joint in self.system.joints:
            if isinstance(joint.motion, Fixed):
                continue
            force = self.data.f[self.twin.joint_ids[joint.name]]
            back = np.array(joint.child_placement.rotation.array(), float).T
            found[joint.name] = np.concatenate([back @ force.linear, back @ force.angular])
        return found


def random_blow(rng: np.random.Generator, system: System) -> tuple[Frame, Force]:
    body = str(rng.choice([b.name for b in system.bodies]))
    return Frame.point(body, rng.normal(size=3)), Force.of(rng.normal(size=6))


@given(seeds, st.integers(1, 7))
@settings(max_examples=40)
def test_impulses_through_free_joints_are_pinocchios_joint_forces(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_system(rng, count, friction=True)
    q = random_coordinates(rng, system)
    frame, push = random_blow(rng, system)
    found = impact_reactions(system, q, frame, push)
    twin = Twin(system, q, np.zeros(system.rate_count))
    forces = twin.forces(frame, push)
    zero = np.zeros(twin.model.nv)
    jump = pin.aba(twin.model, twin.data, twin.q, twin.v, zero, forces)
    for name, theirs in twin.reactions(jump, forces).items():
        if name in found.joints:
            ours = array(found.joints[name].reaction)
            assert np.allclose(ours, theirs, rtol=0, atol=1e-9), f"impulse through {name!r}"


@given(seeds, st.integers(2, 7))
@settings(max_examples=40)
def test_impulses_through_held_joints_are_pinocchios_joint_forces(seed: int, count: int) -> None:
    """Held rates are struck out of Pinocchio's mass matrix; the rest is its own algorithm."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "spherical")
    system = random_system(rng, count, kinds, ("free",))
    q = random_coordinates(rng, system)
    base = str(rng.choice(["free", "held attitude", "fixed"]))
    states = {
        joint.name: str(rng.choice(["free", "locked", "driven"])) for joint in system.movable_joints
    }
    holding = Holding(base, states)
    frame, push = random_blow(rng, system)
    found = impact_reactions(system, q, frame, push, holding=holding)

    twin = Twin(system, q, np.zeros(system.rate_count))
    forces = twin.forces(frame, push)
    rest = np.zeros(twin.model.nv)
    M = pin.crba(twin.model, twin.data, twin.q).reshape(twin.model.nv, twin.model.nv)
    P = twin.twin.rate_matrix(q)
    M = P.T @ (np.triu(M) + np.triu(M, 1).T) @ P
    pushed = -P.T @ pin.rnea(twin.model, twin.data, twin.q, twin.v, rest, forces)
    free = ~np.array(holding.mask(system))
    jump = np.zeros(system.rate_count)
    jump[free] = np.linalg.solve(M[np.ix_(free, free)], pushed[free])
    assert np.allclose(np.array(found.rate_jump, float), jump, rtol=0, atol=1e-9)
    theirs = twin.reactions(P @ jump, forces)
    for name, load in found.joints.items():
        ours = array(load.reaction)
        assert np.allclose(ours, theirs[name], rtol=0, atol=1e-9), f"impulse through {name!r}"
        effort = np.array(load.effort, float)
        if states[name] == "free":
            assert np.allclose(effort, 0.0, atol=1e-9), f"{name!r} is free but carries {effort}"


@given(seeds)
@settings(max_examples=8)
def test_pulses_on_random_chains_give_pinocchios_joint_forces(seed: int) -> None:
    """A force that lasts, on a chain that moves under it: reactions at every instant."""
    rng = np.random.default_rng(seed)
    system = random_system(rng, 5, ("revolute", "prismatic"), ("free",))
    system = system.with_gravity((0.0, 0.0, 0.0))
    q, v = random_coordinates(rng, system), 0.1 * rng.normal(size=system.rate_count)
    frame, push = random_blow(rng, system)
    first, step = impact_reactions(system, q, frame, push), 2e-3
    at_rest = 0.0 * v
    onset = np.array(forward_dynamics(system, q, at_rest, None, wrenches=[(frame, push)]), float)
    assert np.allclose(np.array(first.rate_jump, float), onset, rtol=1e-10, atol=1e-10)
    for _ in range(6):
        a = np.array(forward_dynamics(system, q, v, None, wrenches=[(frame, push)]), float)
        ours = joint_reactions(system, q, v, a, wrenches=[(frame, push)])
        twin = Twin(system, q, v)
        forces = twin.forces(frame, push)
        theirs = pin.aba(twin.model, twin.data, twin.q, twin.v, np.zeros(twin.model.nv), forces)
        for name, force in twin.reactions(theirs, forces).items():
            size = max(1.0, float(np.linalg.norm(force)))
            assert np.allclose(array(ours[name]), force, rtol=0, atol=1e-9 * size), name
        q = np.array(integrate(system, q, v + 0.5 * step * a, step), float)
        v = v + step * a


# --- conservation, held bases, captures ---------------------------------------------------------


@given(cases(max_bodies=6, base=("free",), kinds=("revolute", "prismatic", "spherical")))
@settings(max_examples=25)
def test_a_free_robot_gains_the_impulse_as_momentum(case: Any) -> None:
    """Whatever the joints do inside, and with a base held in attitude all but the turning."""
    system, q = case.system, case.state.q
    assume(sum(joint.parent == WORLD for joint in system.joints) == 1)
    rng = np.random.default_rng(case.seed)
    frame, push = random_blow(rng, system)
    at = array(frame_pose(system, q, frame).position)
    force, moment = np.split(array(push), 2)
    incoming = np.concatenate([force, moment + np.cross(at, force)])
    for base in ("free", "held attitude", "fixed"):
        holding = Holding.all_joints(system, str(rng.choice(["free", "locked"])), base)
        found = impact_reactions(system, q, frame, push, holding=holding)
        gained = array(momentum(system, q, found.rate_jump))
        root = array(frame_pose(system, q, system.base.name).position)
        hold = array(found.base_hold)
        hold[3:] += np.cross(root, hold[:3])
        assert np.allclose(gained, incoming + hold, rtol=0, atol=1e-9), base
        if base == "free":
            assert np.all(array(found.base_hold) == 0.0)
        else:
            assert np.allclose(array(found.base_motion.angular), 0.0, atol=1e-12)


def test_a_robot_on_the_ground_passes_the_impulse_on() -> None:
    arm = robot("2r-fixed")
    found = impact_reactions(arm, [0.3, 0.5], "tool", (1.0, -2.0))
    assert set(found.joints) == {"joint1", "joint2"}
    turn = np.array(frame_pose(arm, [0.3, 0.5], "link1").rotation.array(), float)
    world = turn @ array(found.joints["joint1"].reaction.linear)
    assert np.allclose(world, array(found.base_hold.linear))


@given(captures())
@settings(max_examples=25)
def test_captures_with_free_joints_are_those_of_the_closures(case: Capture) -> None:
    contact = case.contact
    for closure, name in ((pin_closure, "pin"), (weld, "weld")):
        jump = closure(contact)
        found = capture_reactions(contact, name)
        size = 1.0 + float(np.linalg.norm(array(jump.impulse)))
        assert np.allclose(array(found.impulse.linear), array(jump.impulse), atol=1e-9 * size)
        assert np.allclose(array(found.impulse.angular), array(jump.moment), atol=1e-9 * size)
        after = np.array(contact.chaser_rates, float) + np.array(found.rate_jump, float)
        assert np.allclose(after, np.array(jump.chaser_rates, float), atol=1e-9 * size)


def test_a_capture_with_locked_joints_closes_the_gap_in_motion() -> None:
    contact = thesis(1)
    for closure, rows in (("pin", (0, 1)), ("weld", (0, 1, 5))):
        for holding in (Holding.all_joints(contact.chaser, "locked", "free"), Holding("fixed")):
            found = capture_reactions(contact, closure, holding)
            after = np.array(contact.chaser_rates, float) + np.array(found.rate_jump, float)
            tool = array(frame_velocity(contact.chaser, contact.chaser_coordinates, after, "tool"))
            back = -array(found.impulse)
            jump = velocity_jump(
                contact.target, contact.target_coordinates, contact.grip, Force.of(back)
            )
            rates = np.array(contact.target_rates, float) + np.array(jump, float)
            grip = array(
                frame_velocity(contact.target, contact.target_coordinates, rates, contact.grip)
            )
            assert np.allclose(tool[list(rows)], grip[list(rows)], atol=1e-14), closure


def test_locked_and_driven_joints_differ_only_in_who_carries_the_effort() -> None:
    free, locked, driven = (
        impact_reactions(
            ROBOT, NORMAL, struck(1.0), (0.0, -1.0), holding=Holding("free", {"joint2": s})
        )
        for s in ("free", "locked", "driven")
    )
    assert np.array_equal(array(locked.joints["joint2"].reaction),
                          array(driven.joints["joint2"].reaction))  # fmt: skip
    assert float(locked.joints["joint2"].effort[0]) == pytest.approx(0.78820, abs=5e-6)  # type: ignore[arg-type]
    assert abs(float(free.joints["joint2"].effort[0])) < 1e-15  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Holding("loose"), "the base is one of free, held attitude, fixed"),
        (lambda: Holding("free", {"joint2": "lockd"}), "Did you mean 'locked'"),
        (lambda: Holding("free", {"joint3": "locked"}).mask(ROBOT), "no movable joint 'joint3'"),
        (lambda: Holding("free", {"base": "locked"}).mask(ROBOT), "no movable joint 'base'"),
        (lambda: impact_reactions(ROBOT, NORMAL, "tool", (1.0,)), "impulse"),
        (lambda: impact_reactions(ROBOT, NORMAL, "tol", (1.0, 0.0)), "no frame or body 'tol'"),
        (lambda: with_joints_at_percussion_points(ROBOT, ["joint1"]), "has no centre of percuss"),
    ],
)
def test_bad_input_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_capture_refuses_other_closures() -> None:
    with pytest.raises(ModelError, match="closure must be 'pin' or 'weld', got 'bounce'"):
        capture_reactions(None, "bounce")  # type: ignore[arg-type]


def test_batches_symbols_and_tracers() -> None:
    import sympy

    at = np.array([0.1, 0.5, 1.0])
    many = impact_reactions(ROBOT, NORMAL, struck(at), (0.0, -1000.0))  # type: ignore[arg-type]
    assert np.asarray(many.joints["joint2"].bearing) == pytest.approx(
        [800.7384564633365, 281.3405387573885, 367.9068583750465], rel=1e-12
    )
    q2 = sympy.Symbol("q2", real=True)
    exact = impact_reactions(robot("2r-fixed"), [0, q2], "tool", (0.0, 1.0)).joints["joint2"]
    value = float(exact.reaction.linear.y.subs(q2, 0.3))  # type: ignore[union-attr]
    numbers = impact_reactions(robot("2r-fixed"), [0.0, 0.3], "tool", (0.0, 1.0)).joints["joint2"]
    assert value == pytest.approx(float(numbers.reaction.linear.y), rel=1e-12)  # type: ignore[arg-type]

    def felt(at: Any) -> Any:
        return impact_reactions(ROBOT, NORMAL, struck(at), (0.0, -1.0)).joints["joint2"].bearing

    for tracer, found in traced(felt, 0.5).items():
        assert float(found) == pytest.approx(0.2813405387573885, rel=1e-12), tracer


def test_a_pose_keeps_the_reaction() -> None:
    """Where the robot is and how it is turned does not matter, if the blow turns with it."""
    turned = np.array([3.0, -1.0, 0.7, *NORMAL[3:]])
    there = blow(ROBOT, turned, 0.8, 75.0)
    here = blow(ROBOT, NORMAL, 0.8, 75.0)
    for name in ("joint1", "joint2"):
        ours = array(there.joints[name].reaction)
        assert np.allclose(ours, array(here.joints[name].reaction), atol=1e-9)
