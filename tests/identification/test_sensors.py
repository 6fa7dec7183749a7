"""Descriptions of sensors: what is read, and what is refused."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest

from percuss.identification.data.sensors import RATE, Sensor, Sensors, read_sensors, sensors_of
from percuss.model.errors import ModelError
from percuss.scenario import ScenarioError

GOOD = """\
joint: {noise: 0.1 mrad, bias: [1.0e-4, 0], delay: 2 ms, rate: 1 kHz, missing: 0.05}
base.position: {noise: 1 mm}
base.angle: {noise: 1e-3}
gyro: {noise: 0.01 deg/s}
marker:
  noise: 2 mm
  points: {corner: [0.5, 20 cm]}
robot: {joint: 1e-4, base.attitude: 0.1 deg}
"""


def test_units_and_defaults(tmp_path: Path) -> None:
    (tmp_path / "sensors.yaml").write_text(GOOD)
    sensors = read_sensors(tmp_path / "sensors.yaml")
    joint = sensors["joint"]
    assert joint.noise == pytest.approx(1e-4, rel=1e-15)
    assert joint.delay == pytest.approx(2e-3, rel=1e-15)
    assert (joint.bias, joint.rate, joint.missing) == ((1e-4, 0.0), 1000.0, 0.05)
    assert sensors["base.angle"] == Sensor(1e-3)
    assert sensors["base.position"].rate == RATE
    assert sensors["gyro"].noise == pytest.approx(1.7453292519943296e-4, rel=1e-15)
    assert sensors.markers == {"corner": (0.5, 0.2)}
    assert sensors.robot["base.attitude"] == pytest.approx(1.7453292519943295e-3, rel=1e-14)
    assert type(joint.noise) is float
    assert pickle.loads(pickle.dumps(sensors)) == sensors


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "must be a mapping by kind"),
        ("- joint\n", "must be a mapping by kind"),
        ("joint: 1e-4\n", "line 1: joint: must be a mapping with noise, bias, delay"),
        ("joint:\n  {nois: 1}\n", "line 2: joint.nois: unknown key 'nois'"),
        ("jiont: {noise: 1}\n", "Did you mean 'joint'?"),
        ("base.postion: {noise: 1}\n", "Did you mean 'base.position'?"),
        ("joint: {rate: 5}\n", "joint.noise: is missing. Give noise: one standard deviation"),
        ("joint: {noise: 0}\n", "must be a number in rad or m > 0, got 0"),
        ("joint: {noise: -1}\n", "got -1"),
        ("joint: {noise: .nan}\n", "must be finite"),
        ("joint: {noise: 2 kg}\n", "which is a mass"),
        ("base.position: {noise: 2 deg}\n", "which is an angle"),
        ("joint: {noise: yes}\n", "must be a number"),
        ("joint: {noise: 1, delay: -1 ms}\n", "joint.delay: must be a number in s ≥ 0"),
        ("joint: {noise: 1, rate: 0 Hz}\n", "joint.rate: must be a number in Hz > 0"),
        ("joint: {noise: 1, rate: 3 m}\n", "joint.rate: must be a number in Hz > 0"),
        ("joint: {noise: 1, missing: 1}\n", "joint.missing: must be a number ≥ 0 and ≤ 0.99"),
        ("joint: {noise: 1, points: {a: [0, 0]}}\n", "unknown key 'points'"),
        ("marker: {noise: 1, points: {a: [0]}}\n", "'a' must be a list of 2 or 3 numbers in m"),
        ("marker: {noise: 1, points: []}\n", "must be a mapping by name"),
        ("joint: {noise: 1}\njoint: {noise: 2}\n", "joint"),
        ("joint: {noise: }\n", "is empty"),
        ("robot: {joint: 1}\n", "no sensor is described"),
        ("robot: {joints: 1}\njoint: {noise: 1}\n", "robot.joints: unknown key"),
        ("joint: {noise: 1\n", "line"),
    ],
)
def test_errors_say_where_and_what(tmp_path: Path, text: str, told: str) -> None:
    place = tmp_path / "sensors.yaml"
    place.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        read_sensors(place)
    assert told in str(caught.value)
    assert str(place) in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no such file; expected sensors \(YAML\)"):
        read_sensors(tmp_path / "none.yaml")
    (tmp_path / "s.yaml").write_bytes(b"joint: {noise: 1} # \xff\n")
    with pytest.raises(ModelError, match="line 1: not text in UTF-8"):
        read_sensors(tmp_path / "s.yaml")


def test_a_kind_that_is_not_described() -> None:
    sensors = sensors_of({"joint": {"noise": 1e-4}})
    with pytest.raises(ModelError, match="no sensor 'gyro': its noise is needed"):
        _ = sensors["gyro"]
    with pytest.raises(ModelError, match="Did you mean 'gyro'"):
        Sensors({"giro": Sensor(1.0)})
    with pytest.raises(ModelError, match="noise must be a finite number > 0"):
        Sensor(0.0)


def _refusal(place: Path) -> str | None:
    """What is said of a file that is no good."""
    try:
        read_sensors(place)
    except ModelError as error:
        return str(error)
    return None


def test_damaged_descriptions_never_crash(tmp_path: Path) -> None:
    rng = random.Random(7)
    letters = "abj:{}[],-.#&*!|>'\"%@` \n0123e\t"
    place = tmp_path / "s.yaml"
    for _ in range(400):
        text = list(GOOD)
        for _ in range(rng.randint(1, 5)):
            text[rng.randrange(len(text))] = rng.choice(letters)
        place.write_text("".join(text))
        told = _refusal(place)
        assert told is None or str(place) in told
