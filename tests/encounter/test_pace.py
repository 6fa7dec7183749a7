"""Motions that will not come to their end: they stop early, and name what makes them slow."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.control import user_law
from percuss.encounter.failure import SimulationError
from tests.encounter.scenes import THESIS, scene

ROD: dict[str, Any] = {
    "name": "a rod that is pushed",
    # A rod of 3 kg and 1 m that turns about its end: 1 kg m².
    "chaser": {
        "base": {"mass": 100, "inertia": 10},
        "mode": "fixed",
        "arm": [{"length": 1.0, "mass": 3}],
        "joints": [0],
    },
    "impact": {"closure": "pulse", "force": [0, -10], "duration": "1 s"},
    "duration": 1,
}


def refused(scenario: percuss.Scenario) -> str:
    """What is said where a method is insisted on; by default DOP853, which stiffness stops."""
    how = scenario.integration
    if how.method == "auto":
        how = how.model_copy(update={"method": "dop853"})
    with pytest.raises(SimulationError) as caught:
        percuss.run(scenario.model_copy(update={"integration": how}))
    return str(caught.value)


@pytest.mark.parametrize("viscous", [1e7, 1e9])
def test_friction_is_named_with_its_rate(viscous: float) -> None:
    """Friction d on an inertia of 1 kg m² acts at d / (1 kg m²)."""
    message = refused(scene(ROD, chaser__arm=[rod({"viscous": viscous})]))
    found = re.search(r"friction of joint 'joint1' \((.*)\), which .* at (\S+) 1/s", message)
    assert found is not None, message
    assert found[1] == f"viscous {viscous:.4g} N m s/rad"
    assert float(found[2]) == pytest.approx(viscous, rel=1e-2)
    assert "control" not in message, "there is none"


def test_dry_friction_is_named_with_where_it_changes_sign() -> None:
    message = refused(scene(ROD, chaser__arm=[rod({"coulomb": 1e4, "smoothing": 1e-4})]))
    assert "friction of joint 'joint1' (coulomb 1e+04 N m" in message
    assert "within 0.0001 rad/s" in message


def rod(friction: dict[str, float]) -> dict[str, Any]:
    return {"length": 1.0, "mass": 3, "friction": friction}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"control": {"law": "pd", "natural-frequency": 1e6}},
            "control (law pd, natural-frequency 1000000.0)",
        ),
        (
            {"control": {"law": "computed-torque", "kp": 1, "kd": 1e8}},
            "control (law computed-torque, kp 1.0, kd 100000000.0)",
        ),
        (
            {
                "impact": {
                    "closure": "compliant",
                    "law": "bilateral",
                    "stiffness": 1e10,
                    "damping": 0,
                }
            },
            "impact.stiffness 1e+10",
        ),
        (
            {
                "impact": {
                    "closure": "compliant",
                    "law": "bilateral",
                    "stiffness": 1e3,
                    "damping": 1e8,
                }
            },
            "impact.damping 1e+08",
        ),
        ({"target__velocity": {"linear": [-1, 0], "angular": 1e6}}, "the motion itself: rate"),
        ({"duration": 1e6}, "a shorter duration"),
    ],
)
def test_what_makes_a_motion_slow_is_named(settings: dict[str, Any], told: str) -> None:
    message = refused(scene(THESIS, **settings))
    assert told in message
    assert "integration.most-steps is 50,000" in message
    assert ("control (" in message) == ("control" in settings), "another is blamed"


def test_a_light_link_is_named_by_its_friction() -> None:
    """What is slow is not the friction alone but the mass that it acts on."""
    light = {"length": 1.0, "mass": 3e-8, "friction": {"viscous": 1.0}}
    assert "or make what the joint moves heavier" in refused(scene(ROD, chaser__arm=[light]))


def test_most_steps_can_be_chosen() -> None:
    scenario = scene(THESIS, integration={"most-steps": 20})
    assert "20 steps were not enough (integration.most-steps is 20)" in refused(scenario)
    enough = percuss.run(scene(THESIS, duration=1, integration={"most-steps": 1_000_000}))
    usual = percuss.run(scene(THESIS, duration=1))
    np.testing.assert_array_equal(enough.record["rates"], usual.record["rates"])


def test_fixed_steps_are_counted_beforehand() -> None:
    message = refused(scene(THESIS, integration={"method": "rk4", "step": 2e-7}))
    assert message.startswith("integration.step: 2e-07 s makes 5e+07 steps in 10 s")
    assert "steps of 1e-06 s or more" in message


def test_fixed_steps_that_are_too_long_say_how_long_they_may_be() -> None:
    """RK4 is stable to 2.785 on the negative real axis; the rate is 1e4 1/s."""
    integration = {"method": "rk4", "step": 1e-3}
    arm = [rod({"viscous": 1e4})]
    message = refused(scene(ROD, chaser__arm=arm, integration=integration))
    assert "no longer finite" in message
    assert "steps below 0.00028 s" in message


def test_a_motion_that_runs_away_says_what_drives_it() -> None:
    def explosive(plant: Any) -> Any:
        del plant
        return user_law(lambda t, q, v, m: (1e3 * v[:5] ** 3, m))  # noqa: ARG005

    with pytest.raises(SimulationError, match=r"runs away; .* It is driven by control"):
        percuss.run(scene(THESIS, impact__closure="weld"), control=explosive)


def test_the_actuator_and_its_gain_are_named() -> None:
    """kd on an inertia of 1 kg m² acts at kd / (1 kg m²)."""
    control = {"law": "pd", "kp": 1.0, "kd": 1e7}
    message = refused(scene(ROD, control=control))
    assert "the actuator of 'joint1': a gain of 1e+07 N m s/rad on its rate" in message
    assert "against an inertia of 1 kg m². Lower control.kp or control.kd." in message


def test_a_stiff_spring_of_a_law_is_told_from_its_damper() -> None:
    control = {"law": "pd", "kp": 1e13, "kd": 1.0}
    message = refused(scene(ROD, control=control))
    assert "'joint1': a gain of 1e+13 N m/rad on the coordinates" in message


def test_of_two_actuators_the_one_with_the_high_gain_is_named() -> None:
    control = {"law": "pd", "kp": 1.0, "kd": [1, 1, 1, 1e8, 1]}
    message = refused(scene(THESIS, control=control))
    assert "the actuator of 'joint1': a gain of 1e+08 N m s/rad" in message


def test_gains_meant_for_a_heavy_target_say_what_they_were_tuned_to() -> None:
    """A light arm of four joints and a target of 1000 t: the arm alone feels gains for both."""
    light = {"length": 1.0, "mass": 1.0}
    message = refused(
        scene(
            THESIS,
            chaser__mode="fixed",
            chaser__arm=[light] * 4,
            chaser__joints=[0.1, 0.5, -0.9, 0.4],
            target__mass=1e6,
            impact__closure="weld",
            control={"law": "pd", "natural-frequency": 10.0},
        )
    )
    assert "with the other actuators held)" in message
    assert "let masses differ less" in message


def test_actuators_at_their_limits_are_named() -> None:
    """The gains are modest: what is fast is a law that reckons with torques it does not get."""
    settings = {
        "chaser__arm": [
            {"length": 2.0, "mass": 10, "torque": "1 N m"},
            {"length": 3.0, "mass": 10},
        ],
        "target__mass": 1e9,
        "impact__closure": "weld",
        "control": {"law": "computed-torque", "natural-frequency": 1.0},
    }
    message = refused(scene(THESIS, **settings))
    assert "whose actuators are at their limits: that of 'joint1' gives 1 N m" in message
    assert "raise the limits (control.limits, torque of a joint)" in message


def test_gravity_that_runs_away_is_named_as_such() -> None:
    message = refused(scene(THESIS, gravity=[0, -1e9], control={"law": "none"}))
    assert "runs away; rate 'base.y'" in message
    assert "driven by gravity, 1e+09 m/s²: lower it." in message
    assert "gains" not in message


def test_detumbling_too_fast_asks_for_a_longer_time() -> None:
    message = refused(scene(THESIS, control={"law": "detumble", "time-constant": 1e-7}))
    assert "Raise control.time-constant." in message


def test_a_stiff_motion_is_integrated_by_a_stiff_method_and_says_so() -> None:
    """A rod with a heavy brake: pushed by 10 N m, it creeps at 10 / c rad/s, and stops."""
    viscous = 1e7
    run = percuss.run(scene(ROD, chaser__arm=[rod({"viscous": viscous})]))
    assert run.summary["integration"]["method"] == "rosenbrock"
    assert any("integrated by a Rosenbrock method" in line for line in run.summary["advice"])
    turned = float(run.data["coordinates"].isel(coordinate=-1, time=-1))
    assert turned == pytest.approx(-10.0 / viscous, rel=1e-3)


def test_a_law_without_a_derivative_is_integrated_as_usual() -> None:
    """The length of a vector has none at zero, and a stiff method would need it."""

    def law(t: Any, _: Any, v: Any, memory: Any) -> tuple[Any, Any]:
        nothing = np.sqrt(np.sum((0.0 * v[:5]) ** 2))
        return (nothing + np.sin(2e4 * t)) * np.eye(5)[4], memory

    run = percuss.run(
        scene(THESIS, duration=0.5, impact__closure="weld"), control=lambda _: user_law(law)
    )
    assert run.summary["integration"]["method"] == "dop853"
    assert run.summary["integration"]["steps"] > 3_000
