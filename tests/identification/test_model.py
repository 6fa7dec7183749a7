"""The forward model: the motion after the impact as the simulation has it, and its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss.identification.data.channels import all_names, channels_of
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import SCENARIOS, thesis
from tests.identification.reference import simulated

TIMES = np.linspace(0.1, 2.0, 20)
PLANAR = (
    "joint",
    "joint_rate",
    "joint_torque",
    "base.position",
    "base.angle",
    "gyro",
    "tool_force",
)
SPATIAL = (*PLANAR[:4], "base.orientation", "gyro", "tool_force")
LAWS: dict[str, dict[str, Any]] = {
    "free": {},
    "computed torque": {"control": {"law": "computed-torque", "natural-frequency": 1.0}},
    "pd": {"control": {"law": "pd", "natural-frequency": 0.5, "damping-ratio": 1.0}},
    "a wrong belief": {
        "control": {
            "law": "computed-torque",
            "natural-frequency": 1.0,
            "believes": {"target.mass": 12.0},
        }
    },
}


def spatial(closure: str = "pin", **more: Any) -> Scenario:
    scenario = load(SCENARIOS / "pin-3d.yaml")
    return with_overrides(scenario, {"impact.closure": closure, "duration": 2.0, **more})


def model_of(scenario: Scenario, groups: list[str], kinds: tuple[str, ...], **more: Any) -> Any:
    names = [*all_names(scenario.start.chaser, kinds)]
    names += [f"marker.{name}.{axis}" for name in more.get("markers", {}) for axis in "xy"]
    robot = more.pop("robot", None)
    unknowns = Unknowns(scenario, groups, robot=robot)
    return ForwardModel(scenario, unknowns, names, more.pop("times", TIMES), **more)


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("law", LAWS)
def test_planar_values_are_those_of_an_independent_simulation(closure: str, law: str) -> None:
    scenario = with_overrides(thesis(1), {"impact.closure": closure, **LAWS[law]})
    scenario = with_overrides(scenario, {"target.velocity.angular": 0.3, "duration": 2.0})
    markers = {"edge": (0.3, -0.2)}
    model = model_of(scenario, ["velocity"], PLANAR, markers=markers)
    values = model(model.unknowns.start).reshape(len(model.channels), -1)
    np.testing.assert_allclose(values, simulated(scenario, model), rtol=0, atol=2e-8)


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_spatial_values_are_those_of_an_independent_simulation(closure: str) -> None:
    scenario = spatial(closure)
    model = model_of(scenario, ["velocity"], SPATIAL, markers={"edge": (0.3, -0.2, 0.1)})
    values = model(model.unknowns.start).reshape(len(model.channels), -1)
    np.testing.assert_allclose(values, simulated(scenario, model), rtol=0, atol=2e-8)


def test_values_after_a_bounce_are_those_of_an_independent_simulation() -> None:
    scenario = with_overrides(
        thesis(2),
        {"impact": {"closure": "bounce", "restitution": 0.4, "friction": 0.2}, "duration": 2.0},
    )
    scenario = with_overrides(scenario, {"target.velocity.angular": 0.3})
    kinds = ("joint", "base.position", "base.angle")
    model = model_of(scenario, ["velocity", "restitution"], kinds, markers={"edge": (0.3, -0.2)})
    values = model(model.unknowns.start).reshape(len(model.channels), -1)
    np.testing.assert_allclose(values, simulated(scenario, model), rtol=0, atol=2e-8)


CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "everything in the plane": (
        ["velocity", "attitude", "mass", "com", "inertia", "contact", "time", "robot"],
        {
            "robot": {
                "joint": 1e-3,
                "base.attitude": 1e-3,
                "joint_rate": 1e-3,
                "base.velocity": 1e-3,
            }
        },
    ),
    "delays": (["velocity", "mass"], {"delays": {"joint": 0.13, "base.position": 0.25}}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("law", ["free", "computed torque"])
def test_planar_derivatives_are_differences(case: str, law: str) -> None:
    groups, more = CASES[case]
    scenario = with_overrides(thesis(1), LAWS[law] | {"target.velocity.angular": 0.3})
    model = model_of(scenario, groups, PLANAR, markers={"edge": (0.3, -0.2)}, **more)
    check_derivatives(model)


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_spatial_derivatives_are_differences(closure: str) -> None:
    groups = ["velocity", "attitude", "mass", "com", "inertia", "contact", "robot"]
    robot = {"joint": 1e-3, "base.attitude": 1e-3}
    model = model_of(spatial(closure), groups, SPATIAL[:2] + SPATIAL[3:6], robot=robot)
    check_derivatives(model)


def check_derivatives(model: ForwardModel) -> None:
    theta = model.unknowns.start + 0.05 * model.unknowns.scale
    # Between the errors of the integration, divided by a step, and what the curvature adds.
    step = 3e-5 * model.unknowns.scale
    values, slopes = model.linearised(theta)
    np.testing.assert_allclose(values, model(theta), rtol=0, atol=1e-12)
    batch = np.concatenate([np.diag(step), -np.diag(step)], axis=1) + theta[:, None]
    plus, minus = np.split(model(batch), 2, axis=1)
    found = (plus - minus) / (2.0 * step)
    size = np.abs(slopes).max(axis=0) + 1.0
    np.testing.assert_allclose(slopes / size, found / size, rtol=0, atol=1e-6)


def test_a_batch_is_its_cases() -> None:
    model = model_of(thesis(1), ["velocity", "mass"], PLANAR)
    theta = model.unknowns.start[:, None] + 0.1 * np.random.default_rng(0).normal(size=(4, 11))
    values, slopes = model.linearised(theta)
    for k in (0, 7, 10):
        one, slope = model.linearised(theta[:, k])
        np.testing.assert_array_equal(values[:, k], one)
        np.testing.assert_array_equal(slopes[..., k], slope)


def test_a_later_impact_shifts_the_motion_and_leaves_the_robot_at_rest_before_it() -> None:
    model = model_of(thesis(1), ["velocity", "time"], ("joint", "base.position"))
    sooner = model_of(thesis(1), ["velocity"], ("joint", "base.position"), times=TIMES - 0.035)
    theta = np.array([*sooner.unknowns.start, 0.035])
    np.testing.assert_allclose(model(theta), sooner(theta[:3]), rtol=0, atol=1e-9)
    late = np.array([*sooner.unknowns.start, 0.15])
    first = model(late).reshape(len(model.channels), -1)[:, 0]
    np.testing.assert_allclose(first, [0.0, 0.0, 1.0, 2.0], atol=1e-15)


def test_a_delay_shows_the_past() -> None:
    late = model_of(thesis(1), ["velocity"], ("joint",), delays={"joint": 0.05})
    prompt = model_of(thesis(1), ["velocity"], ("joint",), times=TIMES - 0.05)
    start = late.unknowns.start
    np.testing.assert_allclose(late(start), prompt(start), rtol=0, atol=1e-11)


def test_a_bias_is_added() -> None:
    plain, biased = (
        model_of(thesis(1), ["velocity"], ("joint", "gyro"), biases=biases)
        for biases in ({}, {"gyro": 0.01})
    )
    gap = biased(plain.unknowns.start) - plain(plain.unknowns.start)
    np.testing.assert_allclose(gap, np.repeat([0.0, 0.0, 0.01], len(TIMES)), atol=1e-15)


def test_times_of_any_spacing_and_halved_steps_agree() -> None:
    times = np.sort(np.random.default_rng(3).uniform(0.0, 3.0, 40))
    model = model_of(thesis(1), ["velocity"], ("joint",), times=times)
    finer = model_of(thesis(1), ["velocity"], ("joint",), times=times, step=model.step / 4)
    assert model.step_error(model.unknowns.start) < 3e-10
    start = model.unknowns.start
    np.testing.assert_allclose(model(start), finer(start), rtol=0, atol=5e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": [0.1, 0.1]}, "times must rise"),
        ({"times": [np.nan]}, "finite seconds"),
        ({"delays": {"joints": 0.1}}, "no kind of measurement 'joints'"),
        ({"biases": {"joint": np.inf}}, "must be finite"),
        ({"markers": {"edge": [1.0]}}, "edge must be two or three finite numbers"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    scenario = thesis(1)
    arguments = {"times": TIMES, **change}
    with pytest.raises(ModelError, match=message):
        ForwardModel(scenario, Unknowns(scenario, ["velocity"]), ["joint.1"], **arguments)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["joint.3"], "no joint '3'"),
        (["joint.1", "joint.joint1"], "measured twice|no joint"),
        (["base.z"], "in the plane base.position has x and y only"),
        (["base.qw"], "planar chaser"),
        (["gyro.x"], "in the plane gyro has z only"),
        (["jiont.1"], "no measurement 'jiont.1'"),
        (["marker.edge"], "no measurement 'marker.edge'"),
    ],
)
def test_bad_channels_are_refused_by_name(names: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        channels_of(thesis(1).start.chaser, names)


def test_an_orientation_needs_four_columns() -> None:
    with pytest.raises(ModelError, match=r"base\.qz missing"):
        channels_of(spatial().start.chaser, ["base.qw", "base.qx", "base.qy"])


def test_closures_without_an_instant_are_refused() -> None:
    scenario = with_overrides(thesis(1), {"impact.closure": "published"})
    with pytest.raises(ModelError, match="needs one of pin, weld, bounce"):
        model_of(scenario, ["velocity"], ("joint",))
