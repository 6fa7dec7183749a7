"""Ordinary bad data: each fault has its sentence, before anything is searched."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import Sensors, sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.identification import identify
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import SCENARIOS

CAPTURE = SCENARIOS / "identify" / "capture.yaml"
KNOWN = load(CAPTURE)
TRUE = load(CAPTURE, {"target.velocity.linear": [-0.4, -0.1], "target.velocity.angular": 0.2})
PLANE = sensors_of(
    {
        "joint": {"noise": 1e-4, "rate": 50},
        "joint_rate": {"noise": 1e-3, "rate": 50},
        "base.position": {"noise": 1e-3, "rate": 50},
        "base.angle": {"noise": 1e-3, "rate": 50},
        "gyro": {"noise": 1e-3, "rate": 50},
    }
)
SPACE = sensors_of(
    {
        "joint": {"noise": 1e-4, "rate": 50},
        "base.position": {"noise": 1e-3, "rate": 50},
        "base.orientation": {"noise": 1e-3, "rate": 50},
    }
)
TURNED = with_overrides(
    load(SCENARIOS / "pin-3d.yaml", {"duration": "2 s"}),
    {"chaser.orientation": {"quaternion": [0.8, 0.0, 0.6, 0.0]}},
)
Columns = dict[str, np.ndarray]
Odd = Callable[[np.ndarray, Columns], tuple[np.ndarray, Columns]]


@pytest.fixture(scope="module")
def plane() -> Measured:
    return synthesise(TRUE, PLANE, seed=8)


def odd(record: Measured, change: Odd) -> Measured:
    columns = {name: np.array(values) for name, values in record.columns.items()}
    return Measured(*change(np.array(record.time), columns))


def refused(
    record: Measured,
    scenario: Scenario = KNOWN,
    sensors: Sensors = PLANE,
    unknown: tuple[str, ...] = ("velocity",),
    *,
    robust: bool = False,
) -> str:
    with pytest.raises(ModelError) as caught:
        identify(scenario, record, sensors, unknown, starts=2, advice=False, robust=robust)
    text = str(caught.value)
    assert "\n" not in text
    return text


def scaled(factor: float, *stems: str) -> Odd:
    def change(time: np.ndarray, columns: Columns) -> tuple[np.ndarray, Columns]:
        return time, {k: v * factor if k.startswith(stems) else v for k, v in columns.items()}

    return change


def with_entry(name: str, place: int | slice, value: float) -> Odd:
    def change(time: np.ndarray, columns: Columns) -> tuple[np.ndarray, Columns]:
        columns[name][place] = value
        return time, columns

    return change


def with_times(change: Callable[[np.ndarray], np.ndarray]) -> Odd:
    return lambda time, columns: (change(time), columns)


def moved(name: str, by: float, first: int = 0) -> Odd:
    def change(time: np.ndarray, columns: Columns) -> tuple[np.ndarray, Columns]:
        columns[name][first:] += by
        return time, columns

    return change


def exchanged(time: np.ndarray, columns: Columns) -> tuple[np.ndarray, Columns]:
    a, b = "joint.joint1", "joint.joint2"
    return time, {**columns, a: columns[b], b: columns[a]}


def only(names: tuple[str, ...], rows: slice) -> Odd:
    return lambda time, columns: (time[rows], {name: columns[name][rows] for name in names})


DEGREE = 180.0 / math.pi


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (scaled(DEGREE, "joint."), "the joints look like degrees (joint.joint1, joint.joint2)"),
        (scaled(DEGREE, "joint_rate", "gyro"), "joint_rate.joint1 looks like deg/s"),
        (scaled(-1.0, "joint_rate.joint2"), "joint.joint2 and joint_rate.joint2 have opposite"),
        (scaled(-1.0, "joint."), "its sign looks reversed"),
        (scaled(1e3, "base.x", "base.y"), "is the column in m"),
        (exchanged, "joint.joint1 and joint.joint2 look exchanged"),
        (with_entry("base.x", 30, 4.0), "sample 31 of base.x (0.62 s) is 4,000 σ from its"),
        (with_entry("joint.joint2", 0, 1e6), "sample 1 of joint.joint2 (0.02 s) is 1e+10 σ"),
        (with_entry("joint.joint2", -1, 1e300), "sample 250 of joint.joint2 (5 s) is 1e+300 σ"),
        (with_entry("gyro.z", 9, -50.0), "sample 10 of gyro.z"),
        (with_entry("base.angle", 9, 1e6), "sample 10 of base.angle"),
        (moved("joint.joint1", 0.05, 100), "joint.joint1 leaps by"),
        (moved("joint.joint1", 2 * math.pi, 100), "whole turns: write the joint without them"),
        (moved("joint.joint1", 0.05), "joint.joint1 begins at 0.39"),
        (moved("joint.joint1", 2 * math.pi), "1 whole turn away"),
        (moved("base.x", 1e200), "base.x begins at 1e+200 m, where the scenario has it at 0 m"),
        (with_entry("joint.joint1", slice(100, None), 0.3), "joint.joint1 leaps by"),
        (with_times(lambda t: t + 1.7e9), "times start 1.7e+09 s after the impact"),
        (with_times(lambda t: t + 1.7e9), "--impact-at"),
        (with_times(lambda t: t + 3600.0), "times start 3600 s after the impact"),
        (with_times(lambda t: t * 1e3), "the times look like milliseconds"),
        (with_times(lambda t: t * 1e6), "the times look like microseconds"),
        (with_times(lambda t: t * 1e-6), "times in seconds?"),
        (with_times(lambda t: np.r_[t[:9], t[8] + 1e-12 * np.arange(1, 242)]), "s apart, at 0.18"),
        (only(("joint.joint1", "joint.joint2"), slice(7, 8)), "2 samples in 1 row, too few"),
    ],
)
def test_each_fault_has_its_sentence(plane: Measured, change: Odd, said: str) -> None:
    assert said in refused(odd(plane, change))


def test_a_sensor_that_stands_still_is_named(plane: Measured) -> None:
    last = float(plane.columns["joint.joint1"][149])
    text = refused(odd(plane, with_entry("joint.joint1", slice(150, None), last)))
    assert "in all samples from 150 to 250 (3 to 5 s)" in text
    assert "frozen" in text


def test_a_column_that_never_changes_is_noted(plane: Measured) -> None:
    still = odd(plane, with_entry("base.x", slice(None), 0.0))
    found = identify(KNOWN, still, PLANE, starts=2, advice=False)
    assert any("base.x shows 0 in all 250 samples" in note for note in found.notes)
    assert found.warnings


def test_many_rows_are_refused_with_what_to_do() -> None:
    time = np.arange(1, 100_001) / 1000
    record = Measured(time, {"joint.1": np.full(len(time), math.radians(20))})
    assert "100000 rows" in (text := refused(record))
    assert "keep one row in 2" in text


def test_nothing_fits_the_first_instants() -> None:
    """Rates alone begin anywhere: a motion of a thousand radians a second is none."""
    time = np.arange(1, 51) / 50
    record = Measured(time, {"joint_rate.1": np.where(time < 0.5, 1e3, -1e3)})
    text = refused(record)
    assert "no motion of this scenario fits even the first" in text
    assert "joint_rate.joint1" in text


@pytest.mark.parametrize(
    ("order", "signs", "said"),
    [
        ("xyzw", (1, 1, 1, 1), "they look like x, y, z, w"),
        ("wxyz", (1, -1, -1, -1), "they look like base ← world"),
        ("ywxz", (1, 1, 1, 1), "Columns are w, x, y, z, world ← base"),
    ],
)
def test_quaternions_in_another_order(order: str, signs: tuple[int, ...], said: str) -> None:
    record = synthesise(TURNED, SPACE, seed=4)

    def change(time: np.ndarray, columns: Columns) -> tuple[np.ndarray, Columns]:
        shown = [columns[f"base.q{axis}"] * s for axis, s in zip(order, signs, strict=True)]
        return time, columns | {f"base.q{a}": v for a, v in zip("wxyz", shown, strict=True)}

    assert said in refused(odd(record, change), TURNED, SPACE)


def test_a_far_beginning_may_be_right(plane: Measured) -> None:
    """A longer duration says that times so late are meant."""
    late = odd(plane, only(("joint.joint1", "joint.joint2"), slice(100, 104)))
    short = with_overrides(KNOWN, {"duration": "10 ms"})
    assert "times start 2.02 s after the impact" in refused(late, short)
    assert identify(KNOWN, late, PLANE, starts=1, advice=False).fit.samples == 8


def said_of(record: Measured) -> tuple[str, ...]:
    """The warnings of an identification, or the sentence that refuses it."""
    try:
        return identify(KNOWN, record, PLANE, starts=2, advice=False).warnings
    except ModelError as error:
        return (str(error),)


def test_records_of_other_motions_end(plane: Measured) -> None:
    """What passes every check ends, in numbers with warnings or in one sentence."""
    generator = np.random.default_rng(5)
    for strength in (1e-2, 0.3):
        table = {
            name: values + strength * np.cumsum(generator.standard_normal(len(values))) * 0.02
            for name, values in plane.columns.items()
        }
        said = said_of(Measured(plane.time, table))
        assert said
        assert not any("\n" in text for text in said)
