"""Plants: what is driven follows, what is not moves as it must."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.control import TreePlant, computed_torque, hold, pd, pd_gains
from percuss.control.laws import feed_forward
from percuss.control.plant import Plant, layout_of
from percuss.control.wheels import wheel_rates
from percuss.kernel import fingerprint
from percuss.model import ModelError
from percuss.sources.published.plant import PublishedPlant
from tests.control.closed_loop import small_robot, thesis_contact
from tests.strategies import Array, random_state
from tests.tracers import traced
from tests.truth.compare import assert_same, derivative

seeds = st.integers(0, 2**32 - 1)
MODES = ["fixed", "free-floating", "attitude-controlled", "free-flying"]
THESIS = percuss.robot("thesis")


def robot_with_target(mode: str, joint: str | None, planar: bool) -> TreePlant:
    robot = THESIS.with_mode(mode) if planar else small_robot(mode, 3)
    if joint is None:
        return TreePlant(robot)
    target = percuss.robot("disk" if planar else "cube").prefixed("target_")
    joint = "pin" if planar and joint == "spherical" else joint
    relative = percuss.Pose.at((0.8, 0.0, 0.0), rpy=(0.0, 0.0, 0.4))
    joined = percuss.attach(robot, target, "tool", relative, joint=joint).joined
    return TreePlant(joined, robot.rate_count)


@given(
    seeds,
    st.sampled_from(MODES),
    st.sampled_from([None, "fixed", "spherical"]),
    st.booleans(),
    st.booleans(),
)
def test_commands_make_what_is_driven_accelerate_as_wanted(
    seed: int, mode: str, joint: str | None, planar: bool, rubs: bool
) -> None:
    plant = robot_with_target(mode, joint, planar)
    if rubs:
        rubbed = plant.system.with_parameters({"joint1.friction.viscous": 0.7})
        plant = TreePlant(rubbed.with_gravity((0.3, -0.5)), plant.own)
    state = random_state(np.random.default_rng(seed), plant.system)
    wanted = state.a[: plant.own_rates]
    driven = np.array(plant.actuated, bool)
    u = plant.commands(state.q, state.v, wanted)
    assert u.shape == (plant.own_rates,)
    assert not u[~driven].any(), "a command where there is no actuator"
    found = plant.accelerations(state.q, state.v, u)
    assert_same(found[: plant.own_rates][driven], wanted[driven], "v̇ of what is driven", 1e-10)
    assert found.shape == (plant.rate_count,)


@given(seeds, st.sampled_from(["free-floating", "attitude-controlled"]), st.booleans())
def test_inner_forces_do_not_push_the_whole(seed: int, mode: str, planar: bool) -> None:
    """The momentum of a robot without thrusters changes by what the wheels take up, no more."""
    plant = robot_with_target(mode, "spherical", planar)
    rng = np.random.default_rng(seed)
    state = random_state(rng, plant.system)
    u = rng.normal(size=plant.own_rates)  # also where nothing is driven: there it does nothing
    a = plant.accelerations(state.q, state.v, u)
    q, v = state.q, state.v
    change = derivative(
        lambda t: percuss.momentum(
            plant.system, percuss.integrate(plant.system, q, v, t), v + t * a
        ).array(),
        1e-3,
    )
    taken = np.zeros(6)
    wheels = np.asarray(wheel_rates(plant, u), float)
    assert wheels.shape == ((0,) if mode == "free-floating" else (1,) if planar else (3,))
    if len(wheels):
        taken[6 - len(wheels) :] = wheels
    # The forces inside cancel in the sum; differences in time see their size.
    inside = float(np.linalg.norm(percuss.mass_matrix(plant.system, q)) * np.linalg.norm(a))
    assert_same(change, -taken, "rate of change of the momentum (N, N m)", 1e-11, scale=inside)


def test_wheels_of_a_base_whose_joint_is_turned() -> None:
    """The momentum of the wheels is in world axes whatever the axes of the base joint are."""
    robot = small_robot("attitude-controlled")
    turned = percuss.Pose.at(rpy=(0.3, -0.4, 0.5))
    joints = (replace(robot.joints[0], placement=turned), *robot.joints[1:])
    plant = TreePlant(replace(robot, joints=joints))
    u = np.concatenate([np.zeros(3), [1.0, 2.0, 3.0], np.zeros(2)])
    expected = -np.asarray(turned.rotation.array()) @ [1.0, 2.0, 3.0]
    np.testing.assert_allclose(wheel_rates(plant, u), expected, atol=1e-15)


def test_error_is_on_the_chasers_rates() -> None:
    plant = robot_with_target("free-flying", "spherical", False)
    q = percuss.neutral(plant.system)
    step = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.7, 0.8, -0.9, 1.0, 1.1, 1.2])
    there = percuss.integrate(plant.system, q, step)
    goal = q[: plant.own_coordinates]
    np.testing.assert_allclose(plant.error(goal, there), step[:9], atol=1e-14)
    assert (plant.own_coordinates, plant.own_rates) == (10, 9)
    assert (plant.coordinate_count, plant.rate_count) == (14, 12)


def test_the_chaser_alone() -> None:
    plant = TreePlant(THESIS)
    assert plant.own_rates == plant.rate_count == 5
    assert plant.actuated == (True,) * 5


def test_nothing_is_driven() -> None:
    """A tumbling body has no actuators: commands are zero, and the motion is free."""
    plant = TreePlant(percuss.robot("cube"))
    q, v = percuss.neutral(plant.system), np.arange(6.0)
    assert not any(plant.actuated)
    u = plant.commands(q, v, np.ones(6))
    np.testing.assert_array_equal(u, np.zeros(6))
    np.testing.assert_array_equal(
        plant.accelerations(q, v, np.ones(6)), percuss.forward_dynamics(plant.system, q, v)
    )


def test_commands_on_batches_and_compiled() -> None:
    plant = robot_with_target("free-floating", "spherical", False)
    rng = np.random.default_rng(1)
    states = [random_state(rng, plant.system) for _ in range(3)]
    one = [plant.commands(s.q, s.v, s.a[:9]) for s in states]
    q = np.stack([s.q for s in states], axis=-1)
    v = np.stack([s.v for s in states], axis=-1)
    a = np.stack([s.a[:9] for s in states], axis=-1)
    np.testing.assert_allclose(plant.commands(q, v, a).T, one, rtol=1e-9, atol=1e-9)
    compiled = kernel.compile(lambda q, v, a: plant.commands(q, v, a), q[:, 0], v[:, 0], a[:, 0])
    np.testing.assert_allclose(compiled(q, v, a).T, one, rtol=1e-9, atol=1e-9)


def test_commands_are_short() -> None:
    """With every base rate driven, a pinned target costs little more than inverse dynamics."""
    plant = robot_with_target("free-flying", "spherical", True)
    q, v = np.zeros(6), np.zeros(6)
    count = kernel.trace(plant.commands, q, v, np.zeros(5)).program.operation_count
    inverse = kernel.trace(
        lambda q, v, a: percuss.inverse_dynamics(plant.system, q, v, a), q, v, v
    ).program.operation_count
    assert count <= 1.2 * inverse, f"{count} operations, inverse dynamics {inverse}"


def test_fingerprints_tell_plants_apart() -> None:
    contact = thesis_contact()
    pinned = contact.attached("pin").joined
    heavier = pinned.with_parameters({f"{contact.target.base.name}.mass": 16.0})
    plants = [
        TreePlant(THESIS),
        TreePlant(THESIS.with_mode("free-floating")),
        TreePlant(pinned, 5),
        TreePlant(pinned, 3),
        TreePlant(heavier, 5),
        TreePlant(contact.attached("fixed").joined, 5),
        TreePlant(pinned.with_gravity((0.0, -1.0)), 5),
    ]
    keys = [fingerprint(plant) for plant in plants]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert fingerprint(TreePlant(percuss.robot("thesis"))) == keys[0]

    def uncertain(mass: Any) -> Any:
        assert fingerprint(TreePlant(THESIS.with_parameters({"link1.mass": mass}))) is None
        return mass

    traced(uncertain, 3.0)


@pytest.mark.parametrize("own", [-1, 1, 2, 6, 2.5])
def test_own_rates_end_with_a_joint(own: Any) -> None:
    with pytest.raises(ModelError, match=r"own = .* one of \[0, 3, 4, 5\]"):
        TreePlant(THESIS, own)


@pytest.mark.parametrize("call", ["accelerations", "commands"])
def test_wrong_lengths_are_refused(call: str) -> None:
    with pytest.raises(ValueError, match=r"must have 5 entries \(base.x, base.y"):
        getattr(TreePlant(THESIS), call)(np.zeros(5), np.zeros(5), np.zeros(4))


class Carriage:
    """A plant that is no tree: two masses of 2 and 3 kg on a line, the second one unseen."""

    rate_count = coordinate_count = 2
    own_rates = own_coordinates = 1
    actuated = (True,)

    def accelerations(self, q: Any, v: Any, u: Any) -> Array:
        del q, v
        return np.array([u[0] / 2.0, 0.0])

    def commands(self, q: Any, v: Any, a: Any) -> Array:
        del q, v
        return np.array([2.0 * a[0]])

    def error(self, goal: Any, q: Any) -> Array:
        return np.array([q[0] - goal[0]])


def test_any_plant_of_the_protocol_will_do() -> None:
    plant: Plant = Carriage()
    goal = hold(plant, [1.0])
    state = [3.0, 0.0], [0.5, 0.0]
    assert computed_torque(plant, goal, 4.0, 1.0).command(0.0, *state, None)[0] == [-17.0]
    assert pd(plant, goal, 4.0, 1.0).command(0.0, *state, None)[0] == [-8.5]
    assert feed_forward(plant, goal).command(0.0, *state, None)[0] == [0.0]
    assert fingerprint(computed_torque(plant, goal, 4.0, 1.0)) is None
    kp, kd = pd_gains(plant, [0.0, 0.0], 3.0, 0.5)
    assert (kp, kd) == ([18.0], [6.0])
    assert not len(wheel_rates(plant, [0.0]))


def test_a_plant_with_quaternions_must_be_a_tree() -> None:
    class Spinning(Carriage):
        own_coordinates = 2

    with pytest.raises(ModelError, match="only a TreePlant may have orientations"):
        layout_of(Spinning())


@pytest.mark.parametrize("mode", ["free-flying", "attitude-controlled"])
def test_the_published_plant(mode: str) -> None:
    """The thesis's own equations fit the same laws; wheels are those of its chaser."""
    contact = replace(thesis_contact(), chaser=THESIS.with_mode(mode))
    plant = PublishedPlant(contact)
    q, v = contact.chaser_coordinates, np.array([0.1, -0.2, 0.3, -0.4, 0.5])
    law = computed_torque(plant, hold(plant, q), 1.0, 2.0)
    u, _ = law.command(0.0, q, v, None)
    driven = np.array(plant.actuated)
    found = np.asarray(plant.accelerations(q, v, u), float)
    np.testing.assert_allclose(found[driven], -2.0 * v[driven], atol=1e-12)
    kp, _ = pd_gains(plant, q, 1.0, 1.0)
    assert ((np.asarray(kp) > 0) == driven).all()
    expected = [-u[2]] if mode == "attitude-controlled" else []
    np.testing.assert_array_equal(wheel_rates(plant, u), expected)
