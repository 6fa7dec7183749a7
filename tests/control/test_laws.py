"""Control laws: gains, PD, feed-forward, saturation, sampling, memory, a user's own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.control import (
    ControlLaw,
    TreePlant,
    computed_torque,
    gains,
    hold,
    pd,
    pd_gains,
    rest_to_rest,
    sampled,
    saturated,
    user_law,
)
from percuss.control.laws import feed_forward, no_control, restricted
from percuss.model import ModelError
from tests.control.closed_loop import (
    GOAL,
    captured,
    errors,
    linear_error,
    motion,
    small_robot,
    thesis_contact,
)
from tests.tracers import traced

THESIS = percuss.robot("thesis")
PLANT = TreePlant(THESIS)
TIMES = np.linspace(0.0, 3.0, 16)


def run(plant: TreePlant, law: ControlLaw, **options: Any) -> kernel.Rollout:
    """The law in a rollout of the plant, on a state {"q", "v"}."""

    def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, p
        change = percuss.coordinate_rates(plant.system, x["q"], x["v"])
        return {"q": change, "v": plant.accelerations(x["q"], x["v"], u)}

    controller = kernel.Controller(
        lambda t, x, memory, _: law.command(t, x["q"], x["v"], memory), law.memory, law.period
    )
    state = {"q": np.zeros(plant.coordinate_count), "v": np.zeros(plant.rate_count)}
    return kernel.rollout(rates, state=state, controller=controller, **options)


# --- gains --------------------------------------------------------------------------------------


def test_gains_from_frequency_and_damping() -> None:
    kp, kd = gains([1.0, 2.0], [1.0, 0.5], 2)
    np.testing.assert_array_equal(kp, [1.0, 4.0])
    np.testing.assert_array_equal(kd, [2.0, 2.0])
    kp, kd = gains(3.0, 0.0, 4)
    np.testing.assert_array_equal(kp, [9.0] * 4)
    np.testing.assert_array_equal(kd, [0.0] * 4)


@pytest.mark.parametrize(
    ("frequency", "ratio", "complaint"),
    [
        (0.0, 1.0, r"natural-frequency \(rad/s\): entry 0 must be finite and > 0, got 0"),
        (-1.0, 1.0, "natural-frequency"),
        (math.nan, 1.0, "natural-frequency"),
        (math.inf, 1.0, "natural-frequency"),
        (1.0, -0.1, "damping-ratio: entry 0 must be finite and ≥ 0, got -0.1"),
        (1.0, math.nan, "damping-ratio"),
        ([1.0, 2.0], 1.0, "must be one number or 3, one for each rate of the chaser, got 2"),
        (1.0, [1.0] * 4, "damping-ratio must be one number or 3"),
        ([1.0, 1.0, math.nan], 1.0, "entry 2"),
    ],
)
def test_gains_that_are_refused(frequency: Any, ratio: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        gains(frequency, ratio, 3)


@pytest.mark.parametrize("make", [pd, computed_torque])
@pytest.mark.parametrize(
    ("kp", "kd", "complaint"),
    [
        (math.nan, 1.0, "kp: entry 0 must be finite and ≥ 0, got nan"),
        (1.0, [1.0, 1.0, -2.0, 1.0, 1.0], "kd: entry 2 must be finite and ≥ 0, got -2"),
        ([1.0] * 4, 1.0, "kp must be one number or 5"),
        (1.0, np.ones(6), "kd must be one number or 5"),
        (math.inf, 1.0, "kp: entry 0"),
    ],
)
def test_laws_refuse_impossible_gains(make: Any, kp: Any, kd: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        make(PLANT, hold(PLANT, GOAL), kp, kd)


def test_pd_gains_are_scaled_by_the_inertia() -> None:
    kp, kd = pd_gains(PLANT, GOAL, 2.0, 0.5)
    inertia = np.diag(percuss.mass_matrix(THESIS, GOAL))
    np.testing.assert_allclose(kp, 4.0 * inertia)
    np.testing.assert_allclose(kd, 2.0 * inertia)


def test_pd_gains_count_the_target() -> None:
    """Its swing about the pin is free: on joint 2 it weighs as a point mass would."""
    attachment, q, _, _ = captured(thesis_contact(), "pin")
    kp, _ = pd_gains(TreePlant(attachment.joined, 5), q, 1.0, 1.0)
    M = np.asarray(percuss.mass_matrix(attachment.joined, q), float)
    reduced = M[:5, :5] - np.outer(M[:5, 5], M[5, :5]) / M[5, 5]
    np.testing.assert_allclose(kp, np.diag(reduced), rtol=1e-12)
    welded, q, _, _ = captured(thesis_contact(), "weld")
    kp, _ = pd_gains(TreePlant(welded.joined, 5), q, 1.0, 1.0)
    np.testing.assert_allclose(kp, np.diag(percuss.mass_matrix(welded.joined, q)), rtol=1e-12)


def test_pd_gains_of_what_is_not_driven_are_zero() -> None:
    kp, kd = pd_gains(TreePlant(THESIS.with_mode("free-floating")), GOAL, 2.0, 0.5)
    assert (np.asarray(kp)[:3] == 0.0).all()
    assert (np.asarray(kd)[:3] == 0.0).all()
    assert (np.asarray(kp)[3:] > 0.0).all()


# --- the laws -----------------------------------------------------------------------------------


def test_no_control_is_free_motion() -> None:
    law = no_control(PLANT)
    u, memory = law.command(0.0, GOAL, np.ones(5), None)
    np.testing.assert_array_equal(u, np.zeros(5))
    assert memory is None


def test_pd_on_one_joint_is_the_oscillator_it_was_tuned_for() -> None:
    """A single pendulum without gravity: M is constant, so the closed loop is linear."""
    arm = percuss.planar_arm([percuss.PlanarLink(length=1.5, mass=4.0)])
    plant = TreePlant(arm)
    kp, kd = pd_gains(plant, [0.3], 2.0, 0.4)
    law = pd(plant, hold(plant, [0.3]), kp, kd)
    q, v = np.array([0.8]), np.array([-0.2])
    q_at, _, _ = motion(plant, law, q, v, TIMES)
    expected = linear_error(q - 0.3, v, 4.0, 1.6, TIMES)
    np.testing.assert_allclose(errors(plant, [0.3], q_at), expected, atol=1e-10)


def test_pd_leaves_what_is_not_driven_alone() -> None:
    plant = TreePlant(THESIS.with_mode("free-floating"))
    u, _ = pd(plant, hold(plant, GOAL), 10.0, 1.0).command(0.0, GOAL + 1.0, np.ones(5), None)
    np.testing.assert_allclose(u, [0, 0, 0, -11.0, -11.0])


def test_pd_brings_a_spatial_base_home() -> None:
    """u = -Kp φ - Kd ω turns it back to its goal."""
    plant = TreePlant(small_robot("free-flying"))
    goal = percuss.neutral(plant.system)
    start = percuss.integrate(plant.system, goal, [0.3, 0, 0, 0.9, -0.6, 0.4, 0.2, -0.3])
    law = pd(plant, hold(plant, goal), *pd_gains(plant, goal, 1.5, 1.0))
    q_at, v_at, _ = motion(plant, law, start, np.zeros(8), [0.0, 20.0], tolerance=1e-8)
    assert np.abs(errors(plant, goal, q_at)[-1]).max() < 1e-4
    assert np.abs(v_at[-1]).max() < 1e-4


@pytest.mark.parametrize("mode", ["free-flying", "free-floating", "attitude-controlled"])
def test_feed_forward_with_the_true_model_stays_on_its_goal(mode: str) -> None:
    """Open loop, from rest on the goal: actuated rates go where they should (4.22)."""
    plant = TreePlant(small_robot(mode))
    start = percuss.neutral(plant.system)
    step = np.array([0.2, -0.1, 0.3, 0.5, 0.4, -0.3, 0.9, -0.7])
    goal = rest_to_rest(plant, start, percuss.integrate(plant.system, start, step), 2.0)
    q_at, _, _ = motion(plant, feed_forward(plant, goal), start, np.zeros(8), TIMES)
    driven = np.array(plant.actuated)
    found = [plant.error(goal(t)[0], q) for t, q in zip(TIMES, q_at, strict=True)]
    assert np.abs(np.array(found)[:, driven]).max() < 1e-8


def test_feed_forward_with_a_pinned_target() -> None:
    attachment, q, v, _ = captured(thesis_contact(), "pin")
    plant = TreePlant(attachment.joined, 5)
    v = np.concatenate([np.zeros(5), [0.7]])  # the robot at rest, the target swinging
    law = feed_forward(plant, hold(plant, GOAL))
    q_at, _, u = motion(plant, law, q, v, TIMES)
    assert np.abs(q_at[:, :5] - GOAL).max() < 1e-9, "the robot stands still"
    assert np.abs(u).max() > 1.0, "against the pull of the swinging target"


def test_feed_forward_does_not_look_at_the_error() -> None:
    law = feed_forward(PLANT, hold(PLANT, GOAL))
    u, _ = law.command(0.0, GOAL + 0.3, np.ones(5), None)
    np.testing.assert_allclose(u, np.zeros(5), atol=1e-12)


# --- wrappers -----------------------------------------------------------------------------------


def test_saturation_clips_each_entry() -> None:
    law = user_law(lambda _t, q, _v, memory: (q, memory))
    clipped = saturated(law, [1.0, math.inf, 0.0, 2.0, 0.5])
    q = np.array([3.0, -7.0, 4.0, -5.0, 0.2])
    np.testing.assert_array_equal(clipped.command(0.0, q, q, None)[0], [1.0, -7.0, 0.0, -2.0, 0.2])
    assert math.isnan(clipped.command(0.0, np.full(5, math.nan), q, None)[0][0])


def test_saturated_forces_stay_within_their_limits_in_a_rollout() -> None:
    attachment, q, v, _ = captured(thesis_contact(), "weld")
    plant = TreePlant(attachment.joined, 5)
    limits = np.array([10.0, math.inf, 40.0, 60.0, 100.0])
    law = saturated(computed_torque(plant, hold(plant, GOAL), 1.0, 2.0), limits)
    peak = kernel.Maximum(lambda _t, _x, u, _p: np.abs(u))
    result = run(plant, law, method=kernel.RK4(0.01), statistics={"peak": peak})(
        {"q": q, "v": v}, duration=3.0
    )
    found = result.statistics["peak"]
    assert (found <= limits).all()
    np.testing.assert_array_equal(found[[0, 2, 3, 4]], limits[[0, 2, 3, 4]])


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [([1.0, math.nan], "entry 1 must be ≥ 0"), ([-1.0, 1.0], "entry 0 must be ≥ 0")],
)
def test_limits_that_are_refused(limits: list[float], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        saturated(no_control(PLANT), limits)


def test_limits_of_another_length_are_refused() -> None:
    with pytest.raises(
        ModelError, match=r"returns 2 generalized forces .* must have 2 entries, got 5"
    ):
        saturated(no_control(PLANT), [1.0, 2.0]).command(0.0, GOAL, GOAL, None)


def test_restricted_laws_only_act_where_there_are_actuators() -> None:
    plant = TreePlant(THESIS.with_mode("attitude-controlled"))
    law = restricted(user_law(lambda _t, _q, v, memory: (v, memory)), plant)
    np.testing.assert_array_equal(
        law.command(0.0, GOAL, np.arange(1.0, 6.0), None)[0], [0, 0, 3, 4, 5]
    )


def test_sampled_laws_hold_their_command() -> None:
    """One joint of 1 kg m² under a command held for T: an exact map from sample to sample."""
    arm = percuss.planar_arm([percuss.PlanarLink(length=1.0, mass=3.0)])
    plant = TreePlant(arm)
    T = 0.25
    law = sampled(pd(plant, hold(plant, [0.0]), 2.0, 0.5), T)
    assert law.period == T
    result = run(plant, law, method=kernel.RK4(T / 5))(
        {"q": np.array([1.0]), "v": np.array([0.0])}, duration=2.0
    )
    q, v = 1.0, 0.0
    for _ in range(8):
        a = -2.0 * q - 0.5 * v
        q, v = q + T * v + 0.5 * T**2 * a, v + T * a
    np.testing.assert_allclose(result.state["q"], [q], atol=1e-13)
    np.testing.assert_allclose(result.state["v"], [v], atol=1e-13)


@pytest.mark.parametrize("period", [0.0, -1.0, math.nan, math.inf])
def test_periods_that_are_refused(period: float) -> None:
    with pytest.raises(ModelError, match="period must be finite and > 0 s"):
        sampled(no_control(PLANT), period)
    with pytest.raises(ModelError, match="period must be"):
        user_law(lambda _t, _q, v, memory: (v, memory), period=period)


def test_a_users_law_with_memory() -> None:
    """An integral part removes what a constant load leaves of the error under PD alone."""
    arm = percuss.planar_arm([percuss.PlanarLink(length=1.0, mass=3.0)], gravity=(0.0, -1.0, 0.0))
    plant = TreePlant(arm)

    def pid(t: Any, q: Any, v: Any, memory: Any) -> tuple[Any, Any]:
        del t
        error = q - 0.4
        return -(8.0 * error + 5.0 * v + 6.0 * memory), memory + 0.05 * error

    law = user_law(pid, memory=np.zeros(1), period=0.05)
    assert kernel.fingerprint(law) is None
    start = {"q": np.zeros(1), "v": np.zeros(1)}
    with_memory = run(plant, law, method=kernel.RK4(0.01))(start, duration=30.0)
    assert abs(with_memory.state["q"][0] - 0.4) < 1e-6
    alone = sampled(pd(plant, hold(plant, [0.4]), 8.0, 5.0), 0.05)
    without = run(plant, alone, method=kernel.RK4(0.01))(start, duration=30.0)
    assert abs(without.state["q"][0] - 0.4) > 0.05


def test_a_law_is_a_function() -> None:
    with pytest.raises(ModelError, match="a control law is a function"):
        user_law(3.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "complaint"),
    [
        (np.zeros(5), r"a control law returns two things, \(u, memory\)"),
        ((np.zeros(4), None), "returns 5 generalized forces .* must have 5 entries, got 4"),
        ((0.0, None), "returns 5 generalized forces .* got 0.0"),
        ((["a"] * 5, None), "returns 5 generalized forces .* not a scalar: str"),
    ],
)
def test_what_a_users_law_may_not_return(result: Any, complaint: str) -> None:
    law = user_law(lambda *_: result)
    for checked in (saturated(law, np.ones(5)), restricted(law, PLANT)):
        with pytest.raises(ModelError, match=complaint):
            checked.command(0.0, GOAL, GOAL, None)


def test_zero_actuators() -> None:
    plant = TreePlant(percuss.robot("cube"))
    goal = hold(plant, percuss.neutral(plant.system))
    q, v = percuss.neutral(plant.system), np.arange(6.0)
    for law in (
        no_control(plant),
        feed_forward(plant, goal),
        pd(plant, goal, 1.0, 1.0),
        computed_torque(plant, goal, 1.0, 1.0),
    ):
        np.testing.assert_array_equal(law.command(0.0, q, v, None)[0], np.zeros(6))


def test_fingerprints_tell_laws_apart() -> None:
    here, there = hold(PLANT, GOAL), hold(PLANT, np.zeros(5))
    other = TreePlant(THESIS.with_parameters({"base.mass": 90.0}))
    law = pd(PLANT, here, 1.0, 2.0)
    laws = [
        no_control(PLANT),
        feed_forward(PLANT, here),
        feed_forward(other, here),
        law,
        pd(PLANT, there, 1.0, 2.0),
        pd(PLANT, here, 1.0, 2.5),
        pd(PLANT, here, [1.0, 1.0, 1.0, 1.0, 1.5], 2.0),
        computed_torque(PLANT, here, 1.0, 2.0),
        computed_torque(other, here, 1.0, 2.0),
        saturated(law, np.ones(5)),
        saturated(law, 2 * np.ones(5)),
        sampled(law, 0.1),
        sampled(saturated(law, np.ones(5)), 0.1),
    ]
    keys = [kernel.fingerprint(one) for one in laws]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert kernel.fingerprint(pd(PLANT, here, 1.0, 2.0)) == kernel.fingerprint(law)

    def unknown(gain: Any) -> Any:
        assert kernel.fingerprint(pd(PLANT, here, gain, 2.0)) is None
        return gain

    traced(unknown, 1.0)


def damped(_t: Any, _q: Any, v: Any, memory: Any) -> tuple[Any, Any]:
    return -v, memory


@pytest.mark.parametrize("law", [user_law(damped), ControlLaw(damped)], ids=["wrapped", "bare"])
def test_a_users_law_has_no_fingerprint(law: ControlLaw) -> None:
    """It may look at files and at other modules: nothing of it is kept from run to run."""
    assert kernel.fingerprint(damped) is not None, "its code alone could be told apart"
    within = saturated(law, np.ones(5))
    for made in (law, within, sampled(law, 0.1), restricted(law, PLANT)):
        assert kernel.fingerprint(made) is None


def test_a_law_says_whether_it_drives_nothing() -> None:
    idle, law = no_control(PLANT), pd(PLANT, hold(PLANT, GOAL), 1.0, 2.0)
    assert idle.idle
    assert saturated(idle, np.ones(5)).idle
    assert not law.idle
    assert not saturated(law, np.zeros(5)).idle
