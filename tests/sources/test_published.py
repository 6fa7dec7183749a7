"""The published closure and its motion are the thesis's formulas, literally."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.control.plant import Plant
from percuss.dynamics import bias_forces, forward_dynamics, mass_matrix
from percuss.impact import Contact
from percuss.kernel import fingerprint
from percuss.kinematics import frame_pose, jacobian, planar_angle
from percuss.model import ModelError
from percuss.sources.published import published
from percuss.sources.published.plant import PublishedPlant
from tests.impact.captures import Capture, after, before, captures, random_contact, thesis, three
from tests.strategies import Array
from tests.truth.compare import assert_same, derivative


def arm_of(contact: Contact, turn: float) -> Array:
    """From the target's centre to the contact point, with the target turned since."""
    body = contact.target.base
    center = frame_pose(contact.target, contact.target_coordinates, body.name).act(body.com)
    x, y, _ = three(contact.point - center)
    return np.array(
        [math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y]
    )


def matrices(contact: Contact, q: Array) -> tuple[Array, Array, Array, Array]:
    """M, J, J_O (of the centre), M_O at the chaser's coordinates q, (4.21) for the target."""
    body = contact.target.base
    start = planar_angle(contact.chaser, contact.chaser_coordinates, contact.tool)
    turn = float(planar_angle(contact.chaser, q, contact.tool)) - float(start)  # type: ignore[arg-type]
    x, y = arm_of(contact, turn)
    J_O = np.array([[1.0, 0.0, -y], [0.0, 1.0, x]])
    M_O = np.diag([body.mass, body.mass, body.inertia.zz])  # type: ignore[list-item]
    return mass_matrix(contact.chaser, q), jacobian(contact.chaser, q, contact.tool)[:2], J_O, M_O


def center_rates(contact: Contact, rates: Array) -> Array:
    """(vx, vy, ω) of the target's centre of mass."""
    x, y = arm_of(contact, 0.0)
    vx, vy, _ = three(replace(contact, target_rates=rates).grip_velocity.linear)
    return np.array([vx + rates[2] * y, vy - rates[2] * x, rates[2]])


@given(captures(space="plane", max_joints=5))
@settings(max_examples=15)
def test_the_closure(capture: Capture) -> None:
    """(4.9)–(4.11) with dense matrices."""
    contact = capture.contact
    M, J, J_O, M_O = matrices(contact, contact.chaser_coordinates)
    A = np.linalg.pinv(J_O) @ J
    old, psi = contact.chaser_rates, center_rates(contact, contact.target_rates)
    p = np.linalg.solve(M + A.T @ M_O @ A, M @ old + A.T @ M_O @ psi)
    impulse = -np.linalg.pinv(J_O.T) @ M_O @ (A @ p - psi)
    jump = published(contact)
    size = float(np.linalg.norm(old) + np.linalg.norm(psi))
    assert_same(jump.chaser_rates, p, "ṗ_f", 1e-10, size)
    assert_same(center_rates(contact, jump.target_rates), A @ p, "ψ̇_f", 1e-10, size)
    assert_same(three(jump.impulse)[:2], impulse, "P", 1e-10, size)
    assert after(contact, jump).energy <= before(contact).energy * (1 + 1e-12)


def literal(contact: Contact, q: Array, v: Array) -> tuple[Array, Array]:
    """M′ and C′ of (4.19), with Ȧ by differences."""
    M, J, J_O, M_O = matrices(contact, q)
    A = np.linalg.pinv(J_O) @ J

    def later(t: float) -> Array:
        _, J, J_O, _ = matrices(contact, q + t * v)
        return np.linalg.pinv(J_O) @ J

    weight = M_O @ np.append(three(contact.target.gravity)[:2], 0.0)
    C = bias_forces(contact.chaser, q, v)
    return M + A.T @ M_O @ A, C + A.T @ (M_O @ derivative(later) @ v - weight)


@given(captures(space="plane", max_joints=4))
@settings(max_examples=20)
def test_the_motion_after(capture: Capture) -> None:
    """M′ p̈ + C′ = u, both ways, away from the pose of the impact."""
    rng = np.random.default_rng(capture.seed)
    contact = capture.contact
    contact = replace(contact, chaser=contact.chaser.with_mode("free-flying"))
    plant = PublishedPlant(contact)
    q, v, u = rng.normal(size=(3, plant.rate_count))
    M, C = literal(contact, q, v)
    a = np.linalg.solve(M, u - C)
    size = float(np.linalg.norm(C) + np.linalg.norm(u))
    assert_same(M @ plant.accelerations(q, v, u), M @ a, "M′ p̈ = u - C′", 1e-9, size)
    assert_same(plant.commands(q, v, a), u, "u = M′ p̈ + C′", 1e-9, size)
    there = plant.accelerations(q, v, u)
    assert_same(plant.commands(q, v, there), u, "one undoes the other", 1e-11, size)


@given(
    captures(space="plane", max_joints=4), st.sampled_from(["free-floating", "attitude-controlled"])
)
@settings(max_examples=15)
def test_commands_where_the_base_is_not_driven(capture: Capture, mode: str) -> None:
    rng = np.random.default_rng(capture.seed)
    contact = replace(capture.contact, chaser=capture.contact.chaser.with_mode(mode))
    plant = PublishedPlant(contact)
    q, v, a = rng.normal(size=(3, plant.rate_count))
    u = plant.commands(q, v, a)
    driven = np.array(plant.actuated)
    assert not u[~driven].any()
    found = plant.accelerations(q, v, u)
    size = float(np.linalg.norm(found) + np.linalg.norm(a))
    assert_same(found[driven], a[driven], "driven rates accelerate as asked", 1e-10, size)
    pushed = plant.accelerations(q, v, u + 5.0 * ~driven)
    assert_same(pushed, found, "a command on what nothing drives does nothing")


def test_a_plant_for_control_laws() -> None:
    plant: Plant = PublishedPlant(thesis(1))
    assert plant.rate_count == plant.own_rates == plant.coordinate_count == 5
    assert plant.own_coordinates == 5
    assert plant.actuated == (True,) * 5
    goal, q = np.zeros(5), np.arange(5.0)
    assert np.array_equal(plant.error(goal, q), q)
    known = fingerprint(PublishedPlant(thesis(1)))
    assert known == fingerprint(plant) is not None
    heavier = thesis(1).chaser.with_parameters({"link1.mass": 11.0})
    assert fingerprint(PublishedPlant(replace(thesis(1), chaser=heavier))) != known


def test_a_very_light_target_leaves_the_chaser_alone() -> None:
    contact = thesis(1)
    light = replace(contact, target=contact.target.with_parameters(
        {"target.mass": 1e-9, "target.inertia.zz": 1e-9, "target.inertia.xx": 5e-10,
         "target.inertia.yy": 5e-10}
    ))  # fmt: skip
    plant = PublishedPlant(light)
    rng = np.random.default_rng(31)
    q, v, u = rng.normal(size=(3, 5))
    alone = forward_dynamics(contact.chaser, q, v, u)
    assert_same(plant.accelerations(q, v, u), alone, "accelerations", 1e-7)


def test_only_in_the_plane_and_for_one_body() -> None:
    spatial = random_contact(np.random.default_rng(32), 2, planar=False)
    for use in (published, PublishedPlant):
        with pytest.raises(ModelError, match="planar systems only; in space use pin or weld"):
            use(spatial)
    robot = percuss.robot("2r-floating")
    contact = random_contact(np.random.default_rng(33), 2, planar=True)
    point = three(contact.point)
    two = replace(
        contact,
        chaser=contact.chaser.with_gravity((0.0, 0.0)),
        target=robot,
        grip=robot.frame(robot.base.name),
        target_coordinates=(point[0], point[1], 0.0, 0.3, 0.4),
        target_rates=np.ones(5),
    )
    for use in (published, PublishedPlant):
        with pytest.raises(ModelError, match=r"a target of one body, and .* has 3"):
            use(two)
