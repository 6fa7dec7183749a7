"""Identification by the encounter engine: numbers by name, contact in time, bounces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from typer.testing import CliRunner

from percuss.cli.commands import app
from percuss.identification.coverage import coverage
from percuss.identification.data.channels import all_names
from percuss.identification.data.sensors import sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.forward.choice import model_for
from percuss.identification.forward.engine_model import EngineModel
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.identification import identify
from percuss.identification.result import Identification
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS

TIMES = np.arange(1, 61) / 20
CHANNELS = ("joint.1", "joint.2", "base.x", "base.y", "base.angle")
SENSORS = sensors_of({kind: {"noise": NOISE[kind], "rate": 20} for kind in list(NOISE)[:3]})


def capture(**impact: object) -> Scenario:
    """A disk caught by two links, three seconds long."""
    known = {"linear": [-0.4, -0.1], "angular": 0.2}
    return load(
        SCENARIOS / "identify" / "capture.yaml",
        {"impact": impact, "target.velocity": known, "duration": 3.0},
    )


SPRING = {"closure": "compliant", "law": "bilateral", "stiffness": 200.0, "damping": 20.0}
SURFACE = {
    "closure": "compliant",
    "law": "hunt-crossley",
    "stiffness": 1e5,
    "damping": 5e4,
    "friction": 0.3,
}
SOFT = ("velocity", "impact.stiffness", "impact.damping")


def glancing() -> Scenario:
    """A bounce in which friction slides all the way."""
    return load(SCENARIOS / "bounce.yaml", {"duration": 3.0})


def found_of(scenario: Scenario, truth: Mapping[str, object], *unknown: str) -> Identification:
    """What is identified of a record of the truth, measured by a run."""
    measured = synthesise(with_overrides(scenario, dict(truth)), SENSORS, seed=3)
    return identify(scenario, measured, SENSORS, unknown, advice=False)


def held(found: Identification, truth: Mapping[str, float]) -> None:
    """Every number is given, within four standard deviations, and the residuals are noise."""
    assert set(truth) <= set(found.estimate)
    for name, value in truth.items():
        assert abs(found.estimate[name] - value) < 4.0 * found.sigma[name], name
    assert 0.8 < found.fit.rms < 1.2


GROUPS = ("velocity", "attitude", "mass", "com", "inertia", "contact", "robot")
ERRORS = {"joint": 1e-3, "joint_rate": 1e-3, "base.position": 1e-3, "base.attitude": 1e-3}


@pytest.mark.parametrize("closure", ["pin", "weld", "bounce"])
@pytest.mark.parametrize("name", ["identify/capture", "pin-3d"])
def test_it_agrees_with_the_quick_model(name: str, closure: str) -> None:
    """Two ways from the same θ to values and derivatives, in other steps: of every group."""
    if name == "pin-3d" and closure == "bounce":
        pytest.skip("friction in space takes a minute to compile twice")
    more = {"restitution": 0.4, "friction": 0.2} if closure == "bounce" else {}
    known = {} if name == "pin-3d" else {"linear": [-0.4, -0.1], "angular": 0.2}
    changed = {"impact": {"closure": closure, **more}, "duration": 3.0}
    scenario = load(
        SCENARIOS / f"{name}.yaml", changed | ({"target.velocity": known} if known else {})
    )
    groups = (*GROUPS, "restitution") if closure == "bounce" else GROUPS
    unknowns = Unknowns(scenario, groups, robot=ERRORS)
    place = [0.3, 0.1] if scenario.is_planar else [0.3, 0.1, -0.2]
    given = {"markers": {"a": place}, "delays": {"joint": 0.01}, "biases": {"joint": 0.5}}
    kinds = ("joint", "joint_rate", "base.position", "gyro")
    names = [*all_names(scenario.start.chaser, kinds), "marker.a.x", "marker.a.y"]
    names += [] if closure == "bounce" else ["tool_force.x"]
    theta = unknowns.start + 0.05 * unknowns.scale * np.cos(np.arange(len(unknowns)))
    engine = EngineModel(scenario, unknowns, names, TIMES, **given).linearised(theta)
    quick = ForwardModel(scenario, unknowns, names, TIMES, **given).linearised(theta)
    for one, other in zip(engine, quick, strict=True):
        sizes = np.maximum(1.0, np.abs(other).max(axis=0))
        assert (np.abs(one - other) < 3e-8 * sizes).all()


@pytest.mark.parametrize(
    ("impact", "unknown"),
    [
        (SPRING, (*SOFT, "chaser.arm[2].mass")),
        (SURFACE, (*SOFT, "impact.friction")),
        ({"closure": "weld"}, ("velocity", "chaser.arm[2].mass", "chaser.mount")),
    ],
)
def test_derivatives_are_those_of_the_values(
    impact: dict[str, object], unknown: tuple[str, ...]
) -> None:
    scenario = capture(**impact)
    unknowns = Unknowns(scenario, unknown)
    model = EngineModel(scenario, unknowns, CHANNELS, TIMES)
    count = len(unknowns)
    theta = unknowns.start + 0.01 * unknowns.scale
    step = 1e-3 * np.diag(unknowns.scale)
    beside = [theta[:, None] + share * step for share in (-2.0, -1.0, 1.0, 2.0)]
    a, b, c, d = np.split(model(np.concatenate(beside, axis=1)), 4, axis=1)
    differences = (8.0 * (c - b) - (d - a)) / (12.0 * 1e-3 * unknowns.scale)
    values, slopes = model.linearised(theta)
    np.testing.assert_array_equal(slopes.shape, (len(CHANNELS) * len(TIMES), count))
    np.testing.assert_allclose(values, model(theta), rtol=0, atol=1e-12)
    sizes = np.abs(slopes).max(axis=0)
    assert (sizes > 0).all()
    assert (np.abs(slopes - differences).max(axis=0) < 2e-3 * sizes).all()


def test_stiffness_and_damping_are_told_by_contact_that_takes_time() -> None:
    truth = {"impact.stiffness": 260.0, "impact.damping": 26.0}
    speeds = {"target.velocity.linear": [-0.35, -0.15], "target.velocity.angular": 0.25}
    found = found_of(capture(**SPRING), truth | speeds, *SOFT)
    held(found, truth | {"vx": -0.35, "vy": -0.15, "omega": 0.25})
    assert found.unknowns.units[3:] == ("N/m", "N s/m")


def test_restitution_and_friction_are_told_by_a_bounce() -> None:
    truth = {"impact.restitution": 0.5, "impact.friction": 0.2}
    held(found_of(glancing(), truth, *truth), truth)


def test_what_slides_nowhere_tells_nothing_of_friction() -> None:
    """Points that meet along the normal and stick: any larger coefficient does the same."""
    along = {"linear": [-0.15, -0.15 * float(np.sqrt(3.0))], "angular": 0.0}
    head_on = with_overrides(glancing(), {"target.velocity": along, "impact.friction": 0.9})
    found = found_of(head_on, {}, "impact.friction")
    assert found.estimate == {}
    assert [hidden.words for hidden in found.unobservable] == ["impact.friction"]
    assert [row.how for row in found.rows] == ["cannot be known"]


def test_the_mass_of_a_link_is_told_after_a_weld() -> None:
    truth = {"chaser.arm[2].mass": 11.0}
    speeds = {"target.velocity.linear": [-0.35, -0.15]}
    found = found_of(capture(closure="weld"), truth | speeds, "velocity", *truth)
    held(found, truth | {"vx": -0.35, "vy": -0.15, "omega": 0.2})


def test_the_damping_of_a_joint_is_told_after_a_weld() -> None:
    damping = "chaser.arm[1].friction.viscous"
    scenario = with_overrides(capture(closure="weld"), {"chaser.arm[1].friction": 5.0})
    found = found_of(scenario, {"chaser.arm[1].friction": 6.0}, "velocity", damping)
    held(found, {damping: 6.0, "vx": -0.4, "vy": -0.1, "omega": 0.2})
    assert found.unknowns.units[-1] == "N m s/rad"


def test_stated_uncertainties_are_true() -> None:
    scenario = capture(**SPRING)
    model = model_for(scenario, Unknowns(scenario, SOFT), CHANNELS, TIMES)
    assert isinstance(model, EngineModel)
    found = coverage(model, NOISE, 24, seed=2, share=0.1, starts=2)
    inside = sum(counted.held for counted in found.counts)
    given = sum(counted.given for counted in found.counts)
    assert given > 0.95 * 24 * len(model.unknowns)
    assert binomtest(inside, given, 0.95).pvalue > 1e-3, f"{inside} of {given}"
    assert found.worst < 6.0


@pytest.mark.parametrize(
    ("impact", "unknown", "words"),
    [
        (SURFACE, "impact.frction", "Did you mean 'impact.friction'"),
        (SURFACE, "frction", "'frction' cannot be unknown"),
        (SURFACE, "target.mass", "target.mass: ask for 'mass'"),
        (SURFACE, "time", "time: cannot be unknown together with contact that takes time"),
        (SURFACE, "duration", "duration: cannot be unknown"),
        (
            {**SURFACE, "damping": 0.0},
            "impact.damping",
            r"impact.damping: is 0 in the scenario, at the edge.*--set impact.damping=",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    impact: dict[str, object], unknown: str, words: str
) -> None:
    scenario = capture(**impact)
    with pytest.raises(ModelError, match=words):
        EngineModel(scenario, Unknowns(scenario, [unknown]), CHANNELS, TIMES)


def test_a_force_that_is_not_known_is_refused() -> None:
    scenario = capture(**SURFACE)
    with pytest.raises(ModelError, match=r"'tool_force.x': the force at the tool is known of a"):
        EngineModel(scenario, Unknowns(scenario, SOFT), ["tool_force.x"], TIMES)


def test_numbers_that_cannot_be_have_no_values() -> None:
    """A mass far below what can be computed: its case is NaN, the one beside it is not touched."""
    scenario = capture(**SPRING)
    unknowns = Unknowns(scenario, ["velocity", "chaser.arm[2].mass"])
    model = EngineModel(scenario, unknowns, CHANNELS, TIMES)
    theta = np.stack([unknowns.start, unknowns.start], axis=1)
    theta[-1, 1] = -60.0
    values = model(theta)
    assert np.isnan(values[:, 1]).all()
    np.testing.assert_array_equal(values[:, 0], model(unknowns.start))


def test_the_command_identifies_a_stiffness(tmp_path: Path) -> None:
    text = (SCENARIOS / "identify" / "capture.yaml").read_text()
    spring = "{closure: compliant, law: bilateral, stiffness: 200, damping: 20}"
    known = "\n  velocity: {linear: [-0.4, -0.1], angular: 0.2}"
    text = text.replace("impact: {closure: pin}", f"impact: {spring}")
    text = text.replace("  contact: {angle: 0.5}", f"  contact: {{angle: 0.5}}{known}")
    scenario, sensors = tmp_path / "soft.yaml", SCENARIOS / "identify" / "sensors.yaml"
    scenario.write_text(text)
    runner = CliRunner()
    made = runner.invoke(
        app,
        [
            *("run", str(scenario), "--set", "impact.stiffness=230", "--measure", str(sensors)),
            *("--seed", "4", "--out", str(tmp_path / "made")),
        ],
    )
    assert made.exit_code == 0, made.output
    ask = ["identify", str(tmp_path / "made" / "measured.csv"), "--scenario", str(scenario)]
    ask += ["--sensors", str(sensors), "--out", str(tmp_path / "found"), "--unknown"]
    done = runner.invoke(app, [*ask, "impact.stiffness"])
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "found" / "identify.json").read_text())
    away = found["estimate"]["impact.stiffness"] - 230.0
    assert abs(away) < 4.0 * found["sigma"]["impact.stiffness"]
    assert found["unknown"] == ["impact.stiffness"]
    wrong = runner.invoke(app, [*ask, "impact.stifness"])
    assert wrong.exit_code != 0
    assert "Did you mean .impact.stiffness." in str(wrong.exception).replace("'", ".")
