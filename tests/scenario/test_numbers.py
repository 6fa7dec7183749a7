"""Numbers of a scenario: found by name, replaced by numbers and by values of compiled programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss.kernel as kernel
from percuss.algebra.scalars import is_traced, pack
from percuss.encounter.postures import joint_coordinates
from percuss.impact.surfaces import surface_of
from percuss.scenario import Scenario, ScenarioError, load, with_overrides
from percuss.scenario.numbers import ScenarioNumbers
from percuss.scenario.posture import joint_settings

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = (
    "thesis-1",
    "two-arms",
    "saturation",
    "air-bearing",
    "three-bounces",
    "ic2",
    "fixed-base",
    "wrong-model",
    "stiff/joint-friction",
    "tumbling-3d",
    "mission-3d",
    "orbit-3d",
    "urdf-on-satellite",
)
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")

OWN: dict[str, dict[str, Any]] = {
    "pulse": {
        "chaser": {
            "base": {"mass": 40, "inertia": 5.0, "com": [0.1, 0.0]},
            "arm": [
                {"length": 1.0, "mass": 4, "com": 0.4, "inertia": 0.5, "torque": 30},
                {"length": 0.7, "mass": 3, "limits": [-2, 2], "friction": {"viscous": 0.3}},
            ],
            "mode": "free-flying",
            "joints": {"joint2": 0.4},
            "velocity": {"joints": [0.1, -0.2], "linear": [0.01, 0.02], "angular": 0.05},
        },
        "impact": {"closure": "pulse", "force": [20, 5], "duration": "20 ms", "frame": "link"},
        "control": {
            "law": "pd",
            "kp": [100, 100, 50, 20, 10],
            "kd": 8.0,
            "goal": {"joints": {"joint1": 0.3}, "position": [0.1, 0.0], "within": 5},
            "limits": {"joints": [40, 30], "base": 60},
        },
        "duration": 5,
    },
    "compliant": {
        "chaser": {
            "robot": "demo-7",
            "mode": "attitude-controlled",
            "orientation": [1, 0.1, 0, 0],
            "joints": {"elbow_pitch": 0.6, "wrist_pitch": 0.3},
            "locked": ["wrist_pitch"],
            "parameters": {"elbow_pitch.friction.viscous": 0.2},
        },
        "target": {
            "shape": "cylinder",
            "mass": 60,
            "radius": 0.5,
            "length": 1.2,
            "contact": [0.5, 0, 0],
            "velocity": {"linear": [-0.05, 0, 0]},
        },
        "impact": {
            "closure": "compliant",
            "stiffness": 1e4,
            "damping": 50,
            "law": "linear",
            "friction": 0.2,
            "normal": [1, 0.1, 0],
        },
        "control": {
            "law": "computed-torque",
            "natural-frequency": 0.5,
            "limits": {"wheels": 20},
            "dump": {"torque": 1.0, "after": 2.0, "lever-arm": 0.8},
        },
        "gravity": [0, 0, -0.01],
        "duration": 8,
    },
    "orbit": {
        "orbit": {"altitude": "400 km"},
        "chaser": {
            "base": {"shape": "box", "mass": 100, "size": [1.0, 0.8]},
            "arm": [{"length": 1, "mass": 5}, {"joint": "prismatic", "length": 1, "mass": 5}],
            "joints": [0.4, 0.1],
            "velocity": {"linear": [0.01, 0]},
        },
        "target": {
            "mass": 30,
            "inertia": 4.0,
            "contact": [-0.4, 0.1],
            "velocity": {"angular": 0.1},
        },
        "impact": {"closure": "bounce", "restitution": 0.5, "repeat": {"below": "1 cm/s"}},
        "duration": 8,
    },
    "object": {
        "chaser": {"robot": "demo-7", "mode": "fixed", "position": [0.1, 0, 0]},
        "target": {
            "shape": "sphere",
            "mass": 60,
            "radius": 0.5,
            "contact": [0.5, 0, 0],
            "velocity": {"angular": [0.1, 0, 0]},
        },
        "impact": {"closure": "pin"},
        "control": {"law": "detumble", "time-constant": 5},
        "duration": 8,
    },
}
SOURCES = (*FILES, *OWN)
PARAMETERS = {
    "tumbling-3d": (
        "chaser.parameters.link3.mass",
        "chaser.parameters.elbow_pitch.placement.x",
    ),
    "compliant": ("chaser.parameters.elbow_pitch.friction.coulomb",),
    "urdf-on-satellite": ("chaser.parameters.arm_elbow.placement.yaw",),
}


@cache
def scenario_of(source: str) -> Scenario:
    return Scenario(**OWN[source]) if source in OWN else load(FOLDER / f"{source}.yaml")


@cache
def numbers_of(source: str) -> ScenarioNumbers:
    return ScenarioNumbers(scenario_of(source))


@cache
def names_of(source: str) -> tuple[str, ...]:
    return (*numbers_of(source).names, *PARAMETERS.get(source, ()))


CASES = [(source, name) for source in SOURCES for name in names_of(source)]


def another(source: str, name: str, share: float = 0.02) -> Any:
    """A value a few percent away that is allowed, as a float or a list."""
    number = numbers_of(source).number(name)
    infinite = np.isinf(number.value)
    value = np.where(infinite, 50.0 * np.sign(number.value), number.value * (1.0 + share))
    value = np.where(number.value == 0.0, 0.1 * share, value)
    if name.endswith("restitution"):
        value = np.minimum(value, 1.0)
    assert number.allowed(value[..., None]).all()
    return value.tolist()


def override(scenario: Scenario, name: str, value: Any) -> dict[str, Any]:
    """What `with_overrides` takes for a number, however the file writes it."""
    holder, _, last = name.rpartition(".")
    start, system = scenario.start, scenario.start.chaser
    if name.startswith("chaser.velocity.joints"):
        rates = {
            joint.name: float(start.chaser_rates[system.node(joint.child).rates][0])
            for joint in system.movable_joints
        }
        return {"chaser.velocity.joints": list(_changed(rates, name, value).values())}
    movable = [joint.name for joint in system.movable_joints]
    if name == "chaser.joints" or (holder == "chaser.joints" and last in movable):
        now = joint_coordinates(system, start.chaser_coordinates)
        return joint_settings(scenario.chaser, _changed(now, name, value), scenario.models)
    if last == "inertia" and isinstance(value, list):
        return {name: dict(zip(TENSOR, value, strict=True))}
    if holder.endswith("inertia"):
        tensor = ScenarioNumbers(scenario).number(holder).value.tolist()
        entries = dict(zip(TENSOR, tensor, strict=True)) | {last: value}
        return {holder: entries}
    if holder.endswith("limits") and ".arm" in holder:
        parts = {key: _value(scenario, f"{holder}.{key}") for key in ("lower", "upper", "speed")}
        return {holder: parts | {last: value}}
    if name.startswith("chaser.arms") and holder.endswith("joints"):
        arm = scenario.models.arms[name.split(".")[2]]
        return {
            holder: [
                value if joint.name == last else _value(scenario, f"{holder}.{joint.name}")
                for joint in arm.movable_joints
            ]
        }
    if last == "rpy":
        return {holder: {"rpy": value}}
    return {name: value}


def _value(scenario: Scenario, name: str) -> float:
    return float(ScenarioNumbers(scenario).number(name).value)


def _changed(values: dict[str, float], name: str, new: Any) -> dict[str, float]:
    if isinstance(new, list):
        return dict(zip(values, new, strict=True))
    return values | {next(n for n in values if name.endswith(f".{n}")): new}


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and word of an encounter by its place, but what controllers believe."""
    if is_dataclass(value):
        for field in fields(value):
            if field.name not in ("believes", "maker", "visuals"):
                yield from leaves(getattr(value, field.name), f"{at}.{field.name}")
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves(entry, f"{at}.{key}")
    elif isinstance(value, (tuple, list, np.ndarray)) or (is_traced(value) and value.shape):
        for k, entry in enumerate(value):
            yield from leaves(entry, f"{at}[{k}]")
    else:
        yield at, value


def assert_same(found: Any, expected: Any, without: tuple[str, ...] = ()) -> None:
    ours, theirs = dict(leaves(found)), dict(leaves(expected))
    assert ours.keys() == theirs.keys()
    for at, value in theirs.items():
        if at.endswith(without):
            continue
        if isinstance(value, (float, np.floating)):
            assert ours[at] == pytest.approx(float(value), rel=1e-12, abs=1e-12), at
        else:
            assert ours[at] == value, at


# --- the same as a scenario that is read anew ----------------------------------------------------


@pytest.mark.parametrize("source", SOURCES)
def test_nothing_replaced_is_the_encounter_itself(source: str) -> None:
    assert_same(numbers_of(source).encounter_of({}), scenario_of(source).encounter)


@pytest.mark.parametrize(("source", "name"), CASES)
def test_a_number_replaced_is_as_if_it_were_read_anew(source: str, name: str) -> None:
    scenario, value = scenario_of(source), another(source, name)
    expected = with_overrides(scenario, override(scenario, name, value)).encounter
    assert_same(numbers_of(source).encounter_of({name: value}), expected)


@pytest.mark.parametrize("source", SOURCES)
def test_the_value_that_a_number_has_changes_nothing(source: str) -> None:
    numbers, expected = numbers_of(source), scenario_of(source).encounter
    # In the plane the one moment of inertia that counts is that about z; a damping ratio that is
    # left out is one.
    flat = (".planar_only", ".inertia.xx", ".inertia.yy") if expected.is_planar else ()
    for name in names_of(source):
        found = numbers.encounter_of({name: numbers.number(name).value.tolist()})
        assert_same(found, expected, (*flat, ".damping_ratio"))


@settings(max_examples=25, deadline=None)
@given(
    data=st.data(),
    source=st.sampled_from(("mission-3d", "three-bounces", "air-bearing")),
    share=st.floats(-0.04, 0.04),
)
def test_several_numbers_replaced_at_once(data: st.DataObject, source: str, share: float) -> None:
    scenario = scenario_of(source)
    simple = [n for n in names_of(source) if "joints" not in n and "inertia" not in n]
    picked = data.draw(st.lists(st.sampled_from(simple), min_size=2, max_size=4, unique=True))
    turns = [n for n in picked if "orientation" in n or "observe" in n]
    picked = [n for n in picked if n not in turns[1:]]
    values = {name: another(source, name, share) for name in picked}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        changes |= override(scenario, name, value)
    expected = with_overrides(scenario, changes).encounter
    assert_same(numbers_of(source).encounter_of(values), expected)


# --- in a program that is compiled ---------------------------------------------------------------


def outputs(encounter: Any) -> Any:
    """Every number of an encounter in one array, whatever its kind."""
    found = [value for _, value in leaves(encounter)]
    return pack(v for v in found if not isinstance(v, (str, bool, int)) and _is_number(v))


def _is_number(value: Any) -> bool:
    return is_traced(value) or (isinstance(value, float) and np.isfinite(value))


@pytest.mark.parametrize("source", SOURCES)
def test_all_numbers_together_can_be_inputs_of_a_compiled_program(source: str) -> None:
    numbers = numbers_of(source)
    values = {name: np.asarray(another(source, name)) for name in names_of(source)}
    program = kernel.compile(lambda x: outputs(numbers.encounter_of(x)), values, backend="numpy")
    found = program({name: value[..., None] for name, value in values.items()})[:, 0]
    expected = outputs(numbers.encounter_of(values))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("source", ["three-bounces", "mission-3d", "urdf-on-satellite", *OWN])
def test_every_number_can_be_an_input_of_a_compiled_program(source: str) -> None:
    numbers = numbers_of(source)
    for name in names_of(source):
        value = np.asarray(another(source, name))
        program = kernel.compile(
            lambda x, name=name: outputs(numbers.encounter_of({name: x})), value, backend="numpy"
        )
        expected = outputs(numbers.encounter_of({name: value.tolist()}))
        found = program(value[..., None])[:, 0]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_vectors_of_a_program_and_lists_of_its_scalars_are_the_same() -> None:
    numbers = numbers_of("mission-3d")
    like = {
        "target.velocity.angular": np.zeros(3),
        "target.mass": 0.0,
        "chaser.joints": np.zeros(7),
    }

    def program(values: Any, listed: bool) -> Any:
        if listed:
            values = {n: list(v) if getattr(v, "shape", ()) else v for n, v in values.items()}
        return outputs(numbers.encounter_of(values))

    given_values = {name: np.asarray(another("mission-3d", name)) for name in like}
    batch = {name: value[..., None] for name, value in given_values.items()}
    for listed in (False, True):
        compiled = kernel.compile(lambda x, k=listed: program(x, k), like, backend="numpy")
        expected = program(given_values, False)
        np.testing.assert_allclose(compiled(batch)[:, 0], expected, rtol=1e-12, atol=1e-12)


def test_the_shape_that_is_touched_has_the_sizes_of_the_program() -> None:
    numbers = numbers_of("three-bounces")

    def radius(x: Any) -> Any:
        target = numbers.encounter_of({"target.radius": x}).target
        assert target is not None
        return surface_of(target.base, planar=True).radius  # type: ignore[attr-defined]

    assert kernel.compile(radius, 0.0, backend="numpy")(np.array([0.45, 0.4])).tolist() == [
        0.45,
        0.4,
    ]


def test_symbols_stay_symbols() -> None:
    mass, angle = sympy.symbols("m gamma", real=True)
    values = {"target.mass": mass, "target.contact.angle": angle}
    encounter = numbers_of("thesis-1").encounter_of(values)
    assert encounter.target is not None
    assert encounter.target.base.mass == mass
    x = encounter.target_coordinates[0].subs({angle: 0.5})
    assert float(x) == pytest.approx(scenario_of("thesis-1").start.target_coordinates[0])


def test_batches_stay_batches() -> None:
    masses, speeds = np.array([14.0, 16.0]), np.array([[-1.0, -0.9], [0.0, 0.1]])
    encounter = numbers_of("thesis-1").encounter_of(
        {"target.mass": masses, "target.velocity.linear": speeds}
    )
    assert encounter.target is not None
    assert np.array_equal(encounter.target.base.mass, masses)  # type: ignore[arg-type]
    assert np.array_equal(encounter.target_rates[:2], speeds)


def test_the_model_files_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = ScenarioNumbers(scenario_of("urdf-on-satellite"))

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a file is read")

    monkeypatch.setattr("percuss.io.reading.file_bytes", refuse)
    monkeypatch.setattr("percuss.scenario.tool.file_bytes", refuse)
    monkeypatch.setattr("percuss.scenario.models._read", refuse)
    numbers.encounter_of({"target.mass": 91.0})


def test_beliefs_are_those_of_the_scenario() -> None:
    scenario = scenario_of("wrong-model")
    believed = numbers_of("wrong-model").encounter_of({"target.velocity.angular": 0.3})
    assert believed.control.believes is scenario.encounter.control.believes
    assert believed.control.believes is not None


# --- what a number is ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "name", "value", "unit"),
    [
        ("thesis-1", "target.mass", 15.0, "kg"),
        ("thesis-1", "target.contact.angle", 0.5, "rad"),
        ("thesis-1", "target.inertia", 7.5, "kg m^2"),
        ("thesis-1", "target.velocity.angular", 0.0, "rad/s"),
        ("thesis-1", "chaser.velocity.linear", [0.0, 0.0], "m/s"),
        ("thesis-1", "chaser.arm[2].length", 3.0, "m"),
        ("thesis-1", "gravity[2]", 0.0, "m/s^2"),
        ("two-arms", "chaser.arms.left[1].mass", 4.0, "kg"),
        ("two-arms", "chaser.arms.left.mount[2]", 0.2, "m"),
        ("mission-3d", "target.inertia", [75, 85, 55, 2, -1.5, 1], "kg m^2"),
        ("mission-3d", "target.inertia.yz", 1.0, "kg m^2"),
        ("mission-3d", "target.orientation", [1, 0, 0, 0], ""),
        ("mission-3d", "approach.capture-radius", 0.01, "m"),
        ("compliant", "chaser.orientation", [1, 0.1, 0, 0], ""),
        ("compliant", "chaser.joints", [0, 0, 0, 0.6, 0, 0], "rad or m"),
        ("compliant", "chaser.joints.wrist_pitch", 0.3, "rad or m"),
        ("compliant", "control.damping-ratio", 1.0, ""),
        ("compliant", "target.inertia.zz", 7.5, "kg m^2"),
        ("pulse", "control.kp[3]", 50.0, "1/s^2 or N/m or N m/rad or N m"),
        ("pulse", "control.goal.joints.joint1", 0.3, "rad or m"),
        ("pulse", "chaser.arm[2].friction", 0.3, "N m s/rad or N m s or N s/m"),
        ("pulse", "chaser.arm[2].limits[1]", -2.0, "rad or m"),
        ("urdf-on-satellite", "chaser.base.inertia.xx", 19.2, "kg m^2"),
        ("urdf-on-satellite", "chaser.arms.arm.joints.elbow", np.deg2rad(80), "rad or m"),
    ],
)
def test_values_and_units(source: str, name: str, value: Any, unit: str) -> None:
    number = numbers_of(source).number(name)
    assert (number.name, number.unit) == (name, unit)
    assert number.value == pytest.approx(np.asarray(value), rel=1e-15, abs=1e-15)
    assert number.value.shape == np.shape(value)
    assert number.allowed(number.value[..., None]).tolist() == [True]


@pytest.mark.parametrize(
    ("source", "name", "values", "allowed"),
    [
        ("thesis-1", "target.mass", [1.0, 0.0, -1.0, np.nan, np.inf, 1e16, 1e-13], [0]),
        ("three-bounces", "impact.restitution", [0.0, 1.0, 1.1, -0.1], [0, 1]),
        ("pulse", "chaser.arm[1].torque", [0.0, np.inf, -1.0], [0, 1]),
        ("thesis-1", "chaser.angle", [0.0, 1e6, 1e7, -np.inf], [0, 1]),
        ("mission-3d", "target.orientation", [[1, 0], [0, 0], [0, 0], [0, 0]], [0]),
        ("compliant", "impact.normal", [[1, 0], [0, 0], [0, 0]], [0]),
        ("mission-3d", "target.size", [[1, 1, np.nan], [1, 0, 1], [1, 1, 1]], [0]),
        (
            "mission-3d",
            "target.inertia",
            np.transpose(
                [
                    (1, 1, 1, 0, 0, 0),
                    (9, 1, 1, 0, 0, 0),
                    (1, 1, 1, 2, 0, 0),
                    (-1, 1, 1, 0, 0, 0),
                    (np.nan, 1, 1, 0, 0, 0),
                ]
            ),
            [0],
        ),
    ],
)
def test_bounds(source: str, name: str, values: Any, allowed: list[int]) -> None:
    found = numbers_of(source).number(name).allowed(np.asarray(values, float))
    assert np.flatnonzero(found).tolist() == allowed


def test_words() -> None:
    number = numbers_of("mission-3d").number
    assert number("target.mass").words == "a number in kg > 0"
    assert number("target.size").words == "a list of 3 numbers in m > 0"
    assert number("target.orientation").words == "a list of 4 numbers, w, x, y, z, not all zero"


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("thesis-1", "target.mas", "no such number in the scenario. Did you mean 'target.mass'?"),
        ("thesis-1", "chaser.arm[3].length", "Did you mean 'chaser.arm[2].length'?"),
        ("thesis-1", "chaser.joints.joint3", "Did you mean 'chaser.joints.joint2'?"),
        ("thesis-1", "chaser.joints[3]", "no such number"),
        ("thesis-1", "target.velocity.linear[3]", "no such number"),
        ("thesis-1", "target.inertia.xx", "in the plane there is one moment of inertia"),
        ("thesis-1", "target.orientation", "is not given in the scenario"),
        ("thesis-1", "target.position", "is not given in the scenario and has no value of its own"),
        ("thesis-1", "chaser.arm[1].com", "has no value of its own; give it one"),
        ("thesis-1", "chaser.arm[1].friction", "has no value of its own"),
        ("thesis-1", "orbit.altitude", "orbit is not given in the scenario"),
        ("thesis-1", "impact.friction", "is for closure bounce or compliant, not for pin"),
        ("thesis-1", "impact.closure", "is not a number that can vary"),
        ("thesis-1", "seed", "is not a number that can vary"),
        ("thesis-1", "output.samples", "not a number that can vary: it is a setting"),
        ("thesis-1", "integration.relative-tolerance", "not a number that can vary"),
        ("thesis-1", "chaser.tool.link", "is not a number that can vary"),
        ("thesis-1", "chaser.arm[1]", "Numbers in it: chaser.arm[1].length, chaser.arm[1].mass"),
        ("thesis-1", "chaser.parameters.link1.mass", "goes with models"),
        ("mission-3d", "target.contact.angle", "the contact is given as a point"),
        (
            "mission-3d",
            "chaser.parameters.link3.mas",
            "Did you mean 'chaser.parameters.link3.mass'",
        ),
        ("mission-3d", "target.angle", "has no value of its own"),
        ("ic2", "impact.damping", "has no value of its own"),
        ("ic2", "impact.slip-speed", "goes with friction > 0"),
        ("ic2", "control.period", "the same in all cases"),
        ("pulse", "control.goal.joints", "vary one of control.goal.joints.joint1"),
        ("pulse", "control.damping-ratio", "has no value of its own"),
        ("pulse", "target.mass", "target is not given in the scenario"),
        ("fixed-base", "chaser.velocity.linear", "must be zero: the base cannot move"),
        ("orbit", "gravity", "has no value of its own"),
        ("wrong-model", "control.believes.target.mass", "is not a number that can vary"),
        ("compliant", "chaser.arms.left.joints", "chaser.arms.left.joints"),
        ("thesis-1", "target..mass", "not a path"),
    ],
)
def test_names_that_are_none(source: str, name: str, message: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        numbers_of(source).number(name)
    assert message in str(refusal.value)
    with pytest.raises(ScenarioError):
        numbers_of(source).encounter_of({name: 1.0})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("target.mass", [1.0, 2.0], "target.mass: must be a number in kg > 0, got [1.0, 2.0]"),
        ("target.mass", "15 kg", "must be a number in kg > 0, got '15 kg'"),
        ("target.mass", None, "must be a number in kg > 0, got None"),
        ("target.mass", True, "must be a number in kg > 0, got True"),
        ("target.mass", -1.0, "mass must be finite and > 0 kg"),
        ("target.velocity.linear", 1.0, "must be a list of 2 numbers in m/s, got 1.0"),
        ("target.velocity.linear", [1.0, 2.0, 3.0], "must be a list of 2 numbers in m/s, got"),
        ("duration", -1.0, "duration: must be a time in s > 0"),
    ],
)
def test_values_that_do_not_fit(name: str, value: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        numbers_of("thesis-1").encounter_of({name: value})
    assert message in str(refusal.value)


def test_points_of_a_path_through_several_do_not_vary() -> None:
    goal = {"joints": [[0, 0], [0.5, 0.2]], "times": [0, 5]}
    control = {"law": "computed-torque", "natural-frequency": 1.0, "goal": goal}
    scenario = with_overrides(scenario_of("thesis-1"), {"control": control})
    with pytest.raises(ScenarioError, match="the same in all cases"):
        ScenarioNumbers(scenario).number("control.goal.times")
    with pytest.raises(ScenarioError, match="the same in all cases"):
        ScenarioNumbers(scenario).number("control.goal.joints[1]")
