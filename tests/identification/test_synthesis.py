"""Measurements made from scenarios: the motion itself, and errors as the sensors have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2, kstest

import percuss
from percuss.identification.data.biases import unbiased
from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import Sensors, sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.model.errors import ModelError
from percuss.scenario import Scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
THESIS = percuss.load(SCENARIOS / "thesis-1.yaml")
SPATIAL = percuss.load(SCENARIOS / "pin-3d.yaml", {"duration": "4 s"})
PLAIN = sensors_of(
    {
        "joint": {"noise": 1e-4},
        "base.position": {"noise": 1e-3},
        "base.angle": {"noise": 1e-3},
        "gyro": {"noise": 1e-4},
    }
)
IN_SPACE = sensors_of(
    {
        "base.orientation": {"noise": 1e-3, "rate": 1000},
        "gyro": {"noise": 1e-4, "bias": [1e-3, 2e-3, 3e-3], "rate": 1000},
    }
)


@pytest.fixture(scope="module")
def exact() -> Measured:
    return synthesise(THESIS, PLAIN, noise=False)


def test_the_motion_is_that_of_the_thesis(exact: Measured) -> None:
    """States at 10 s of simulation 1 with a pin; times k/100 s."""
    np.testing.assert_array_equal(exact.time, np.arange(1, 1001) / 100)
    found = [exact.columns[name][-1] for name in exact.names[:5]]
    known = [1.5838892, -0.33408078, 0.86385934, 2.8880422, np.pi / 2]
    np.testing.assert_allclose(found, known, atol=1e-7)


def test_samples_are_as_accurate_as_the_integration() -> None:
    """Odd rates fall between the steps: nothing is interpolated coarsely."""
    sharp = THESIS.document | {"integration": {"method": "dop853", "relative-tolerance": 1e-13}}
    odd = {"rate": 13.37, "noise": False}
    rough, fine = (synthesise(s, PLAIN, **odd) for s in (THESIS, Scenario(**sharp)))
    for name in rough.names:
        np.testing.assert_allclose(rough.columns[name], fine.columns[name], atol=2e-9, err_msg=name)


def test_the_seed_decides() -> None:
    one, same, other = (synthesise(THESIS, PLAIN, seed) for seed in (3, 3, 4))
    fewer = synthesise(THESIS, PLAIN, 3, names=("base.x", "joint.2"))
    assert fewer.names == ("base.x", "joint.joint2")
    for name in one.names:
        np.testing.assert_array_equal(one.columns[name], same.columns[name])
        assert np.abs(one.columns[name] - other.columns[name]).max() > 0
    for name in fewer.names:
        np.testing.assert_array_equal(
            one.columns[name], fewer.columns[name], "noise does not depend on what else is measured"
        )


def test_noise_is_normal_with_its_standard_deviation(exact: Measured) -> None:
    noisy = synthesise(THESIS, PLAIN, seed=11)
    sigmas = dict.fromkeys(exact.names, 1e-3) | {"joint.joint1": 1e-4, "joint.joint2": 1e-4}
    sigmas["gyro.z"] = 1e-4
    errors = np.concatenate(
        [(noisy.columns[name] - exact.columns[name]) / sigmas[name] for name in exact.names]
    )
    assert kstest(errors, "norm").pvalue > 1e-3
    low, high = chi2.ppf([5e-4, 1 - 5e-4], len(errors))
    assert low < float(errors @ errors) < high
    table = errors.reshape(len(exact.names), -1)
    correlation = np.corrcoef(table) - np.eye(len(table))
    assert np.abs(correlation).max() < 0.15, "channels have errors of their own"


def test_attitude_errors_are_rotation_vectors() -> None:
    from scipy.spatial.transform import Rotation

    noisy, true = (synthesise(SPATIAL, IN_SPACE, 2, noise=noise) for noise in (True, False))
    names = ("base.qx", "base.qy", "base.qz", "base.qw")
    turns = [Rotation.from_quat(np.stack([m.columns[n] for n in names], -1)) for m in (noisy, true)]
    errors = (turns[0] * turns[1].inv()).as_rotvec() / 1e-3
    for component in errors.T:
        assert kstest(component, "norm").pvalue > 1e-3
    lengths = sum(noisy.columns[name] ** 2 for name in names)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-14)


def test_gyros_turn_with_the_base() -> None:
    """ω in base axes is 2 q* ∘ q̇, here by differences of the attitude."""
    from scipy.spatial.transform import Rotation

    tumbling = percuss.load(SCENARIOS / "tumbling-3d.yaml", {"duration": "1 s"})
    plain = sensors_of({"base.orientation": {"noise": 1}, "gyro": {"noise": 1}})
    found = synthesise(tumbling, plain, noise=False, rate=1000)
    names = ("base.qx", "base.qy", "base.qz", "base.qw")
    turn = Rotation.from_quat(np.stack([found.columns[n] for n in names], -1))
    by_steps = (turn[:-2].inv() * turn[2:]).as_rotvec() / 2e-3
    gyro = np.stack([found.columns[f"gyro.{axis}"] for axis in "xyz"], -1)[1:-1]
    assert np.abs(gyro).max() > 1e-4
    np.testing.assert_allclose(by_steps, gyro, atol=1e-6 * max(1.0, np.abs(gyro).max()))


def test_bias_delay_rate_and_losses(exact: Measured) -> None:
    """Each sensor as its own description says."""
    sensors = sensors_of(
        {
            "joint": {"noise": 1e-4, "bias": [0.1, 0.2], "delay": "30 ms"},
            "base.angle": {"noise": 1e-3, "rate": 20},
            "base.position": {"noise": 1e-3, "missing": 0.3, "rate": 100},
        }
    )
    found = synthesise(THESIS, sensors, 5, noise=False)
    joint, known = found.columns["joint.joint2"], exact.columns["joint.joint2"]
    early = found.time < 0.03
    assert np.isnan(joint[early]).all(), "before the impact nothing of it is seen"
    late = found.time > 0.03
    earlier = np.round((found.time[late] - 0.03) * 100).astype(int) - 1
    np.testing.assert_allclose(joint[late], known[earlier] + 0.2, atol=1e-9)
    there = np.isfinite(found.columns["base.angle"])
    np.testing.assert_array_equal(found.time[there], np.arange(1, 201) / 20)
    lost = np.isnan(found.columns["base.x"])
    assert 0.25 < lost.mean() < 0.35
    np.testing.assert_array_equal(lost, np.isnan(found.columns["base.y"]))
    back = unbiased(found, sensors, THESIS.start.chaser)
    np.testing.assert_allclose(back.columns["joint.joint1"] + 0.1, found.columns["joint.joint1"])


def test_known_biases_of_an_attitude_are_taken_off() -> None:
    document = {"base.orientation": {"noise": 1e-3, "bias": [0.1, -0.2, 0.3]}}
    sensors = sensors_of(document)
    none = sensors_of({"base.orientation": {"noise": 1e-3}})
    shown, true = (synthesise(SPATIAL, s, noise=False) for s in (sensors, none))
    back = unbiased(shown, sensors, SPATIAL.start.chaser)
    assert np.abs(shown.columns["base.qx"] - true.columns["base.qx"]).max() > 0.01
    for name in back.names:
        np.testing.assert_allclose(back.columns[name], true.columns[name], atol=1e-15)


def test_the_force_at_the_tool_moves_the_target() -> None:
    """Its integral, with the opposite sign, is what the target's momentum changes by."""
    force = sensors_of({"tool_force": {"noise": 1, "rate": 200}})
    found = synthesise(THESIS, force, noise=False)
    run = percuss.run(THESIS)
    velocity, when = run.data["target_velocity"].values, run.data["time"].values
    for axis, name in enumerate(("tool_force.x", "tool_force.y")):
        values = found.columns[name]
        area = np.trapezoid(values, found.time)
        begins, ends = (np.interp(t, when, velocity[:, axis]) for t in found.time[[0, -1]])
        assert -area == pytest.approx(15 * (ends - begins), abs=2e-3)


def test_markers_ride_on_the_target() -> None:
    markers = {"centre": [0, 0], "rim": [1, 0]}
    found = synthesise(
        THESIS, sensors_of({"marker": {"noise": 1, "points": markers, "rate": 1}}), noise=False
    )
    run = percuss.run(THESIS)
    end = [found.columns[f"marker.centre.{axis}"][-1] for axis in "xy"]
    np.testing.assert_allclose(end, run.summary["final"]["target"]["position"], atol=1e-8)
    apart = [found.columns[f"marker.rim.{a}"] - found.columns[f"marker.centre.{a}"] for a in "xy"]
    np.testing.assert_allclose(np.hypot(*apart), 1.0, atol=1e-12)
    angle = run.summary["final"]["target"]["angle"]
    np.testing.assert_allclose([d[-1] for d in apart], [np.cos(angle), np.sin(angle)], atol=1e-8)


@pytest.mark.parametrize("closure", ["weld", "published"])
def test_other_closures_can_be_measured(closure: str) -> None:
    scenario = percuss.load(SCENARIOS / "thesis-1.yaml", {"impact.closure": closure})
    found = synthesise(scenario, PLAIN, noise=False)
    known = {"weld": 1.6367699, "published": 1.264582}[closure]
    assert found.columns["joint.joint1"][-1] == pytest.approx(known, abs=1e-6)


def test_an_approach_counts_time_from_the_impact() -> None:
    scenario = percuss.load(SCENARIOS / "tumbling-2d.yaml")
    found = synthesise(scenario, sensors_of({"joint": {"noise": 1, "rate": 10}}), noise=False)
    assert found.time[0] == 0.1
    assert found.time[-1] == pytest.approx(scenario.duration)


@pytest.mark.parametrize(
    ("scenario", "sensors", "options", "told"),
    [
        (THESIS, IN_SPACE, {}, "a planar chaser has base.angle"),
        (SPATIAL, PLAIN, {}, "a spatial chaser has base.orientation"),
        (THESIS, PLAIN, {"names": ["joint.9"]}, "numbers from 1 to 2"),
        (THESIS, PLAIN, {"names": ["tool_force.x"]}, "no sensor 'tool_force'"),
        (THESIS, PLAIN, {"duration": 11}, "duration must be > 0 and ≤ 10 s"),
        (THESIS, PLAIN, {"seed": -1}, "seed must be a whole number"),
        (THESIS, PLAIN, {"rate": 1e6}, "samples; at most"),
        (THESIS, PLAIN, {"rate": 0.01}, "no sample is left"),
        (THESIS, sensors_of({"gyro": {"noise": 1, "bias": [1, 2]}}), {}, "gyro.bias: must be one"),
        (
            THESIS,
            sensors_of({"marker": {"noise": 1, "points": {"a": [0, 0, 0]}}}),
            {},
            "must have 2 numbers",
        ),
        (
            percuss.load(SCENARIOS / "miss.yaml"),
            PLAIN,
            {},
            "nothing to measure after an impact: the run ended 'missed'",
        ),
    ],
)
def test_what_cannot_be_measured(
    scenario: Scenario, sensors: Sensors, options: dict[str, object], told: str
) -> None:
    with pytest.raises(ModelError) as caught:
        synthesise(scenario, sensors, **options)  # type: ignore[arg-type]
    assert told in str(caught.value)
