"""Closures against a second formulation, and what they must not depend on."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.algebra import Force, Pose
from percuss.impact import Contact, Jump, bounce, pin, weld
from percuss.impact.contact import mobility, velocity_jump
from percuss.model import WORLD, Body, Fixed, Frame, Free, Planar, Prismatic, System
from percuss.sources.published import published
from tests.impact.captures import CLOSURES, Capture, approaching, captures, closed, thesis, three
from tests.oracles import to_pinocchio
from tests.strategies import Array, random_pose
from tests.truth.compare import assert_same

pinocchio: Any = import_module("pinocchio")


def matrices(system: System, q: Array, frame: Frame) -> tuple[Array, Array]:
    """Mass matrix and world-aligned Jacobian by Pinocchio, on our rates."""
    twin = to_pinocchio(system.with_frames(frame))
    data, Q, P = twin.model.createData(), twin.coordinates(q), twin.rate_matrix(q)
    M = pinocchio.crba(twin.model, data, Q).reshape(P.shape)
    M = np.triu(M) + np.triu(M, 1).T
    aligned = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pinocchio.computeFrameJacobian(
        twin.model, data, Q, twin.frame_ids[frame.name], aligned
    ).reshape(6, -1)
    return P.T @ M @ P, J @ P


@given(captures(space="space"), st.booleans())
@pytest.mark.parametrize("closure", ["pin", "weld"])
@settings(max_examples=15)
def test_constrained_solve_with_pinocchio(closure: str, capture: Capture, held: bool) -> None:
    """[M -Jᵀ; J 0] (v⁺, P) = (M v, 0) over both systems, J the rows that the closure stops."""
    contact = capture.contact
    if held:
        base = contact.chaser.base_joint
        moved = base.motion.pose(tuple(contact.chaser_coordinates[:7]))
        joint = replace(base, motion=Fixed(), placement=base.placement @ moved)
        chaser = replace(contact.chaser, joints=(joint, *contact.chaser.joints[1:]), mode="fixed")
        contact = replace(
            contact,
            chaser=chaser,
            chaser_coordinates=contact.chaser_coordinates[7:],
            chaser_rates=contact.chaser_rates[6:],
        )
    M, J = matrices(contact.chaser, contact.chaser_coordinates, contact.tool)
    M_O, J_O = matrices(contact.target, contact.target_coordinates, contact.grip)
    n, m, rows = len(M), len(M_O), 3 if closure == "pin" else 6
    stopped = np.hstack([J[:rows], -J_O[:rows]])
    inertia = np.block([[M, np.zeros((n, m))], [np.zeros((m, n)), M_O]])
    matrix = np.block([[inertia, -stopped.T], [stopped, np.zeros((rows, rows))]])
    v = np.concatenate([contact.chaser_rates, contact.target_rates])
    theirs = np.linalg.solve(matrix, np.concatenate([inertia @ v, np.zeros(rows)]))

    jump = pin(contact) if closure == "pin" else weld(contact)
    size = float(np.linalg.norm(v))
    assert_same(jump.chaser_rates, theirs[:n], "chaser rates", 1e-10, size)
    assert_same(jump.target_rates, theirs[n : n + m], "target rates", 1e-10, size)
    push = np.concatenate([three(jump.impulse), three(jump.moment)])[:rows]
    assert_same(push, theirs[n + m :], "impulse on the chaser", 1e-10)


@given(captures())
@settings(max_examples=12)
def test_the_impulse_makes_the_jump(capture: Capture) -> None:
    """M Δv = Jᵀ P on either side, whichever closure found P."""
    contact = capture.contact
    rng = np.random.default_rng(capture.seed)
    for name in CLOSURES:
        jump = closed(name, contact, rng)
        push = Force(jump.impulse, jump.moment)
        for sign, system, q, frame, old, new in (
            (
                1,
                contact.chaser,
                contact.chaser_coordinates,
                contact.tool,
                contact.chaser_rates,
                jump.chaser_rates,
            ),
            (
                -1,
                contact.target,
                contact.target_coordinates,
                contact.grip,
                contact.target_rates,
                jump.target_rates,
            ),
        ):
            change = velocity_jump(system, q, frame, push * sign)
            size = float(np.linalg.norm(old) + np.linalg.norm(new))
            assert_same(new - np.asarray(old), change, f"{name}: jump", 1e-11, size)


@given(captures(space="space"))
@settings(max_examples=12)
def test_mobility_is_that_of_pinocchio(capture: Capture) -> None:
    contact = capture.contact
    M, J = matrices(contact.chaser, contact.chaser_coordinates, contact.tool)
    W = np.array(mobility(contact.chaser, contact.chaser_coordinates, contact.tool).array())
    assert_same(W, J[:3] @ np.linalg.solve(M, J[:3].T), "mobility of the tool", 1e-10)
    assert_same(W, W.T, "mobility is symmetric", 1e-11)


# --- what the answer must not depend on -----------------------------------------------------------


def each_jump(contact: Contact, seed: int, turn: Array | None = None) -> dict[str, Jump]:
    """All closures; bounces along a direction that turns with the world."""
    rng = np.random.default_rng(seed)
    normal = np.zeros(3)
    normal[: 2 if contact.is_planar else 3] = rng.normal(size=2 if contact.is_planar else 3)
    normal = normal if turn is None else turn @ normal
    normal = approaching(contact, normal)
    return {
        "pin": pin(contact),
        "weld": weld(contact),
        "bounce": bounce(contact, 0.6, normal=normal),
        "bounce with friction": bounce(contact, 0.6, 0.3, normal),
    }


@given(captures(max_joints=5), st.booleans())
@settings(max_examples=10)
def test_the_world_frame_does_not_matter(capture: Capture, far: bool) -> None:
    contact, rng = capture.contact, np.random.default_rng(capture.seed)
    x, y, angle = 10 * rng.normal(size=3)
    move = Pose.planar(float(x), float(y), float(angle)) if contact.is_planar else random_pose(rng)
    if far:
        move = Pose(move.rotation, move.position * 100.0)
    moved = replace(
        contact, chaser=placed_by(move, contact.chaser), target=placed_by(move, contact.target)
    )
    turn = np.array(move.rotation.array(), float)
    ours, theirs = each_jump(contact, capture.seed), each_jump(moved, capture.seed, turn)
    for name, jump in ours.items():
        # Rates are along the axes of the base joints, which moved with everything.
        same_jump(name, jump, theirs[name], turn, 1e-9 if far else 1e-10)


def placed_by(move: Pose, system: System) -> System:
    joints = tuple(
        replace(joint, placement=move @ joint.placement) if joint.parent == WORLD else joint
        for joint in system.joints
    )
    turned = move.rotation @ system.gravity
    return replace(system, joints=joints, gravity=turned)


def same_jump(name: str, ours: Jump, theirs: Jump, turn: Array, tolerance: float) -> None:
    size = float(np.linalg.norm(ours.chaser_rates) + np.linalg.norm(ours.target_rates))
    assert_same(theirs.chaser_rates, ours.chaser_rates, f"{name}: chaser", tolerance, size)
    assert_same(theirs.target_rates, ours.target_rates, f"{name}: target", tolerance, size)
    push = float(np.linalg.norm(three(ours.impulse)))
    assert_same(three(theirs.impulse), turn @ three(ours.impulse), f"{name}: P", tolerance, push)
    assert_same(three(theirs.moment), turn @ three(ours.moment), f"{name}: moment", tolerance, push)


@given(captures(max_joints=6))
@settings(max_examples=10)
def test_the_order_of_bodies_and_joints_does_not_matter(capture: Capture) -> None:
    contact, rng = capture.contact, np.random.default_rng(capture.seed)
    chaser = contact.chaser
    order = [0, *(1 + rng.permutation(len(chaser.joints) - 1))]
    bodies = tuple(chaser.bodies[i] for i in rng.permutation(len(chaser.bodies)))
    shuffled = replace(chaser, bodies=bodies, joints=tuple(chaser.joints[i] for i in order))

    def reordered(values: Array, kind: str) -> Array:
        parts = [values[getattr(chaser.node(j.child), kind)] for j in shuffled.joints]
        return np.concatenate(parts)

    other = replace(
        contact,
        chaser=shuffled,
        chaser_coordinates=reordered(contact.chaser_coordinates, "coordinates"),
        chaser_rates=reordered(contact.chaser_rates, "rates"),
    )
    ours, theirs = each_jump(contact, capture.seed), each_jump(other, capture.seed)
    for name, jump in ours.items():
        expected = replace(jump, chaser_rates=reordered(jump.chaser_rates, "rates"))
        same_jump(name, expected, theirs[name], np.eye(3), 1e-11)


@given(captures(max_joints=5))
@settings(max_examples=10)
def test_units_do_not_matter(capture: Capture) -> None:
    """Feet, pounds and minutes: the same motion in other numbers."""
    contact = capture.contact
    length, mass, time = 3.2808399, 2.2046226, 1 / 60
    other = replace(
        contact,
        chaser=in_units(contact.chaser, length, mass, time),
        target=in_units(contact.target, length, mass, time),
        tool=resized(contact.tool, length),
        grip=resized(contact.grip, length),
        chaser_coordinates=contact.chaser_coordinates * coordinate_units(contact.chaser, length),
        target_coordinates=contact.target_coordinates * coordinate_units(contact.target, length),
        chaser_rates=contact.chaser_rates * rate_units(contact.chaser, length, time),
        target_rates=contact.target_rates * rate_units(contact.target, length, time),
    )
    ours, theirs = each_jump(contact, capture.seed), each_jump(other, capture.seed)
    for name, jump in ours.items():
        found = theirs[name]
        back = replace(
            found,
            chaser_rates=found.chaser_rates / rate_units(contact.chaser, length, time),
            target_rates=found.target_rates / rate_units(contact.target, length, time),
            impulse=found.impulse * (time / (mass * length)),
            moment=found.moment * (time / (mass * length**2)),
        )
        same_jump(name, jump, back, np.eye(3), 1e-10)


def resized(frame: Frame, length: float) -> Frame:
    return replace(
        frame, placement=Pose(frame.placement.rotation, frame.placement.position * length)
    )


def in_units(system: System, length: float, mass: float, time: float) -> System:
    def body(old: Body) -> Body:
        inertia = old.inertia * (mass * length**2)
        return replace(old, mass=old.mass * mass, com=old.com * length, inertia=inertia)

    def pose(old: Pose) -> Pose:
        return Pose(old.rotation, old.position * length)

    return replace(
        system,
        bodies=tuple(body(b) for b in system.bodies),
        joints=tuple(
            replace(j, placement=pose(j.placement), child_placement=pose(j.child_placement))
            for j in system.joints
        ),
        frames=tuple(resized(f, length) for f in system.frames),
        gravity=system.gravity * (length / time**2),
    )


def coordinate_units(system: System, length: float) -> Array:
    units = []
    for joint in system.joints:
        count, own = joint.motion.coordinate_count, joint.motion
        lengths = {Prismatic: 1, Planar: 2, Free: 3}.get(type(own), 0)
        units += [length] * lengths + [1.0] * (count - lengths)
    return np.array(units)


def rate_units(system: System, length: float, time: float) -> Array:
    return np.array([(length if unit == "m/s" else 1.0) / time for unit in system.rate_units])


def test_the_published_closure_depends_on_the_unit_of_length() -> None:
    """The fault that gives it away: m/s were added to rad/s."""
    contact = thesis(1)
    other = replace(
        contact,
        chaser=in_units(contact.chaser, 100.0, 1.0, 1.0),
        target=in_units(contact.target, 100.0, 1.0, 1.0),
        tool=resized(contact.tool, 100.0),
        grip=resized(contact.grip, 100.0),
        chaser_coordinates=contact.chaser_coordinates * coordinate_units(contact.chaser, 100.0),
        target_coordinates=contact.target_coordinates * coordinate_units(contact.target, 100.0),
        target_rates=contact.target_rates * rate_units(contact.target, 100.0, 1.0),
    )
    in_metres = published(contact).chaser_rates[4]
    in_centimetres = published(other).chaser_rates[4]
    assert abs(in_metres - in_centimetres) > 0.1, "rad/s of the same joint"
    assert abs(pin(contact).chaser_rates[4] - pin(other).chaser_rates[4]) < 1e-13
