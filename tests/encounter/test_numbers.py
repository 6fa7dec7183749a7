"""Numbers of encounters are replaced by name: what changes, what stays, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
import percuss.kernel as kernel
from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.control.guidance.meeting import Meeting
from percuss.control.laws import Felt
from percuss.encounter.approach import ApproachTask, Preparation
from percuss.encounter.assembly import assembly_apart, assembly_before
from percuss.encounter.errors import EncounterError
from percuss.encounter.laws.meeting_plans import tool_meeting
from percuss.encounter.number import Numbered
from percuss.encounter.numbers import EncounterNumbers
from percuss.encounter.phase_machine import Hold
from percuss.encounter.physical import unphysical
from percuss.impact import bounce
from percuss.kinematics.frames import frame_pose
from percuss.model.errors import ModelError
from tests.encounter.numbered import encounters, leaves

KINDS = (
    "pin",
    "pd",
    "held",
    "bounce",
    "weld",
    "path",
    "orbit",
    "compliant",
    "pulse",
    "apart",
    "match",
)
SOME_PARAMETERS = 12
"""How many parameters of a system are looked at: they are all alike."""


def numbers_of(kind: str) -> EncounterNumbers:
    return EncounterNumbers(encounters()[kind])


def names_of(kind: str) -> list[str]:
    """The names of an encounter's numbers, of its parameters a part."""
    names = numbers_of(kind).names
    plain = [name for name in names if ".parameters." not in name]
    others = [name for name in names if ".parameters." in name]
    return plain + others[:: max(1, len(others) // SOME_PARAMETERS)]


EVERY = [(kind, name) for kind in KINDS for name in names_of(kind)]


def another(numbers: EncounterNumbers, name: str) -> Any:
    """A value near a number's own that it may have."""
    number = numbers.number(name)
    step = 0.03 * np.cos(1.0 + np.arange(number.value.size)).reshape(number.value.shape)
    for value in (number.value * (1.0 + step) + step, number.value * 1.05, number.value * 0.95):
        if number.allowed(np.asarray(value)[..., None]).all():
            return value.tolist()
    raise AssertionError(f"{name} has no neighbour that is allowed")


def changed_paths(before: percuss.Encounter, after: percuss.Encounter) -> set[tuple[Any, ...]]:
    old, new = dict(leaves(before)), dict(leaves(after))
    assert old.keys() == new.keys(), "numbers have come or gone"
    return {path for path in old if old[path] != new[path]}


def is_moved_along(path: tuple[Any, ...]) -> bool:
    """Whether a leaf is of the place of a target that follows the tool."""
    return path[:1] == ("target_coordinates",)


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_a_number_has_its_new_value_and_nothing_else_changes(kind: str, name: str) -> None:
    numbers = numbers_of(kind)
    value = another(numbers, name)
    after = numbers.encounter_of({name: value})
    found = EncounterNumbers(after).number(name).value
    wanted = np.array(value)
    if name.endswith("orientation"):
        wanted = wanted / np.linalg.norm(wanted)
    if ".axis." in name:
        found, wanted = np.sign(found), np.sign(wanted)  # an axis is scaled to length one
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    paths = {path for path in changed_paths(numbers.encounter, after) if not is_moved_along(path)}
    part = {"impact": "closure"}.get(name.split(".")[0], name.split(".")[0])
    roots = {
        "gravity": {"chaser", "target"},
        "chaser": {"chaser", "chaser_coordinates", "chaser_rates", "tool"},
        "target": {"target", "target_rates", "grip"},
    }.get(part, {part})
    assert {path[0] for path in paths} <= roots, "another part has changed"
    if not ("mass" in name or "inertia" in name or ".axis." in name or "placement" in name):
        fixed_turn = kind == "held" and name in ("chaser.angle", "chaser.orientation")
        both = 2 if name in ("gravity", "target.contact") else 1
        assert fixed_turn or len(paths) <= both * max(1, np.size(value)), paths


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_its_own_value_makes_the_same_encounter(kind: str, name: str) -> None:
    numbers = numbers_of(kind)
    value = numbers.number(name).value
    after = numbers.encounter_of({name: value.tolist()})
    before, now = dict(leaves(numbers.encounter)), dict(leaves(after))
    for path in changed_paths(numbers.encounter, after):
        assert abs(before[path] - now[path]) < 1e-12 * (1 + abs(before[path]))


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_the_contact_point_stays_at_the_tool(kind: str, name: str) -> None:
    numbers = numbers_of(kind)
    after = numbers.encounter_of({name: another(numbers, name)})
    if after.contact is None:
        assert numbers.encounter.contact is None
        return
    assert after.grip is not None
    grip = frame_pose(after.contact.target, after.target_coordinates, after.grip).position
    apart = np.array((grip - after.contact.point).array(), float)
    assert np.abs(apart).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_traced_numbers_make_the_same_encounter(kind: str) -> None:
    """All numbers of an encounter, each by itself, in one program."""
    numbers = numbers_of(kind)
    names = names_of(kind)
    values = {name: np.array(another(numbers, name)) for name in names}

    def made(given: dict[str, Any]) -> dict[str, Any]:
        return {
            name: pack([x for _, x in leaves(numbers.encounter_of({name: given[name]}))])
            for name in names
        }

    traced = kernel.compile(made, values, backend="numpy")(values)
    for name in names:
        plain = [x for _, x in leaves(numbers.encounter_of({name: values[name]}))]
        np.testing.assert_allclose(traced[name], plain, rtol=1e-12, atol=1e-12, err_msg=name)


def command_at(encounter: percuss.Encounter, t: Any, nudge: Any) -> Any:
    """What the law after the contact commands near the start."""
    assembly = assembly_before(encounter.touched)
    law = encounter.control.control_law(assembly)
    felt = (Felt(Vector3(3.0, 1.0, 0.0)),) if law.feels else ()
    count = assembly.chaser.rate_count
    own = assembly.rates[:count] + nudge
    v = np.concatenate([own, assembly.rates[count:]])
    u, _ = law.command(t, assembly.coordinates, v, law.memory, *felt)
    return u


COMMANDED = [
    (kind, name)
    for kind, names in {
        "pin": (
            "control.natural-frequency",
            "control.damping-ratio",
            "control.goal.joints",
            "control.goal.position",
            "control.goal.within",
            "control.limits.joints",
            "control.limits.base",
            "chaser.angle",
            "target.mass",
        ),
        "pd": ("control.natural-frequency", "chaser.joints", "chaser.parameters.base.mass"),
        "held": ("control.kp", "control.kd", "chaser.position", "chaser.angle"),
        "bounce": ("control.goal.within", "chaser.joints.joint1"),
        "weld": ("control.natural-frequency", "control.goal.joints", "chaser.orientation"),
        "orbit": ("control.time-constant", "control.limits.wheels", "target.inertia"),
        "compliant": (
            "control.compensation.threshold",
            "control.offset",
            "control.compensation.friction.coulomb",
            "target.contact",
        ),
        "pulse": ("control.kp", "control.kd", "impact.force", "impact.duration"),
    }.items()
    for name in names
]


@pytest.mark.parametrize(("kind", "name"), COMMANDED)
def test_a_law_of_traced_numbers_commands_the_same(kind: str, name: str) -> None:
    numbers = numbers_of(kind)
    like = numbers.number(name).value
    nudge = 0.1 * np.sin(1.0 + np.arange(numbers.encounter.chaser.rate_count))

    def commanded(value: Any) -> Any:
        return command_at(numbers.encounter_of({name: value}), 0.3, nudge)

    compiled = kernel.compile(commanded, like, backend="numpy")

    @settings(max_examples=5, deadline=None)
    @given(st.floats(0.8, 1.2))
    def same(factor: float) -> None:
        value = like * factor
        found = np.asarray(commanded(value), float)
        size = 1.0 + np.abs(found).max()
        np.testing.assert_allclose(compiled(value), found, atol=1e-9 * size)

    same()


def grasped(encounter: percuss.Encounter) -> Any:
    """State and command right after a grasp."""
    contact, closure = encounter.contact, encounter.closure
    assert contact is not None
    assert isinstance(closure, Hold)
    assembly = closure.assembly_after(contact, closure.jump(contact))
    tuned = encounter.control.tuned_gains(assembly) if encounter.control.tunes else None
    law = encounter.control.control_law(assembly, tuned=tuned)
    u, _ = law.command(0.3, assembly.coordinates, assembly.rates, law.memory)
    return np.concatenate([assembly.coordinates, assembly.rates, u])


def rebounded(encounter: percuss.Encounter) -> Any:
    """State right after a bounce."""
    contact, closure = encounter.contact, encounter.closure
    assert contact is not None
    assert isinstance(closure, percuss.Bounce)
    rebound = closure.rebound
    jump = bounce(contact, rebound.restitution, rebound.friction, rebound.normal)
    assembly = assembly_apart(contact, jump)
    return np.concatenate([assembly.coordinates, assembly.rates])


def approached(encounter: percuss.Encounter) -> Any:
    """Commands while the target is observed and while the tool sets out, of a known meeting."""
    assembly, approach = assembly_before(encounter.start), encounter.approach
    assert approach is not None
    known = Preparation(meeting=known_meeting() if approach.meet is not None else None)
    laws = approach.control.approaching(ApproachTask(approach, assembly, encounter.orbit), known)
    commands = [
        law.command(0.3, assembly.coordinates, assembly.rates, law.memory)[0]
        for law in (laws.waiting, laws.coming)
    ]
    return np.concatenate(commands)


@cache
def known_meeting() -> Meeting:
    """The meeting of the encounter "match", of its own numbers."""
    encounter = encounters()["match"]
    assembly, approach = assembly_before(encounter.start), encounter.approach
    assert approach is not None
    place = frame_pose(encounter.chaser, encounter.chaser_coordinates, encounter.tool).position
    return tool_meeting(ApproachTask(approach, assembly), place)


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("pin", grasped),
        ("pd", grasped),
        ("held", grasped),
        ("weld", grasped),
        ("path", grasped),
        ("bounce", rebounded),
        ("apart", approached),
        ("match", approached),
    ],
)
def test_what_follows_is_the_same_with_traced_numbers(
    kind: str, seen: Callable[[percuss.Encounter], Any]
) -> None:
    """Grasps, bounces and approaches of every number, each by itself, in one program."""
    numbers, names = numbers_of(kind), names_of(kind)
    values = {name: np.array(another(numbers, name)) for name in names}

    def made(given: dict[str, Any]) -> dict[str, Any]:
        return {name: seen(numbers.encounter_of({name: given[name]})) for name in names}

    traced = kernel.compile(made, values, backend="numpy")(values)
    for name in names:
        plain = np.asarray(seen(numbers.encounter_of({name: values[name]})), float)
        np.testing.assert_allclose(traced[name], plain, rtol=1e-8, atol=1e-8, err_msg=name)


def test_symbols_and_batches_are_scalars_too() -> None:
    numbers = numbers_of("weld")
    x, y = sympy.symbols("x y", positive=True)
    heavy = numbers.encounter_of({"target.mass": x, "chaser.joints.elbow_pitch": y})
    assert heavy.target is not None
    inertia: Any = heavy.target.base.inertia.xx
    assert float(inertia.subs(x, 75)) == pytest.approx(8.0)
    assert y in heavy.target_coordinates.free_symbols
    batch = numbers.encounter_of({"chaser.joints.elbow_pitch": np.array([0.1, 0.2])})
    for k, value in enumerate((0.1, 0.2)):
        one = numbers.encounter_of({"chaser.joints.elbow_pitch": value})
        np.testing.assert_allclose(batch.target_coordinates[:, k], one.target_coordinates)


# --- what a name means --------------------------------------------------------------------------


def test_a_shape_keeps_its_form_and_a_given_inertia_stays() -> None:
    box = numbers_of("weld").encounter_of({"target.mass": 240.0}).target
    assert box is not None
    assert [*box.base.inertia] == pytest.approx([25.6] * 3 + [0.0] * 3)
    disk = numbers_of("pin").encounter_of({"target.mass": 30.0}).target
    assert disk is not None
    assert disk.base.inertia.zz == pytest.approx(15.0)
    rock = numbers_of("compliant").encounter_of({"target.mass": 80.0}).target
    assert rock is not None
    assert [*rock.base.inertia] == [5.0, 6.0, 7.0, 0.3, -0.2, 0.1]
    both = numbers_of("weld").encounter_of({"target.mass": 240.0, "target.inertia.xx": 13.0})
    assert both.target is not None
    assert [*both.target.base.inertia][:3] == pytest.approx([13.0, 12.8, 12.8])


def test_several_numbers_at_once() -> None:
    numbers: Numbered = EncounterNumbers(encounters()["pin"])
    after = numbers.encounter_of(
        {
            "target.mass": 20.0,
            "target.contact": [0.0, 1.0],
            "target.angle": 0.5,
            "chaser.joints": [0.1, 0.2],
            "chaser.velocity.linear": [0.3, 0.4],
            "gravity": [0.0, -1.0],
            "duration": 3.0,
        }
    )
    assert after.chaser_coordinates.tolist() == [1.0, 2.0, np.pi / 2, 0.1, 0.2]
    assert after.chaser_rates.tolist() == [0.3, 0.4, 0.0, 0.0, 0.0]
    assert after.target_coordinates[2] == 0.5
    assert after.duration == 3.0
    assert after.target is not None
    assert after.chaser.gravity.y == after.target.gravity.y == -1.0
    assert after.contact is not None, "they touch"
    assert numbers.encounter_of({}) == encounters()["pin"]


def test_an_encounter_of_other_numbers_is_the_one_that_is_built_of_them() -> None:
    from tests.encounter.test_in_python import cube

    numbers = EncounterNumbers(cube())
    after = numbers.encounter_of({"target.mass": 90.0, "target.velocity.angular": [0.0, 0.2, 0.1]})
    built = cube(
        target=percuss.free_body(percuss.box("target", (0.8, 0.8, 0.8), mass=90.0)),
        target_rates=(-0.05, 0.0, 0.0, 0.0, 0.2, 0.1),
    )
    old, new = dict(leaves(built)), dict(leaves(after))
    assert old.keys() == new.keys()
    np.testing.assert_allclose(list(new.values()), list(old.values()), rtol=1e-14)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("pin", "target.mas", "Did you mean 'target.mass'"),
        ("pin", "control.natural-frequncy", "Did you mean 'control.natural-frequency'"),
        ("pin", "chaser.joints.joint3", "Did you mean 'chaser.joints.joint"),
        ("pin", "control.kp", "is not given"),
        ("pin", "approach.timeout", "no approach"),
        ("pin", "orbit.altitude", "no orbit"),
        ("pulse", "target.mass", "no target"),
        ("pin", "target.position", "follows from the tool"),
        ("pin", "control.law", "not a number that can vary"),
        ("pin", "control.goal", "such as control.goal.joints"),
        ("bounce", "impact.repeat.most", "it is a count"),
        ("bounce", "impact.repeat.then", "not a number that can vary"),
        ("compliant", "impact.law", "not a number that can vary"),
        ("compliant", "impact.damping", "is not given"),
        ("compliant", "control.compensation.rule", "a word or a switch"),
        ("compliant", "control.compensation.base-torque", "a word or a switch"),
        ("compliant", "control.period", "is not given"),
        ("orbit", "impact.friction", "no surface"),
        ("orbit", "gravity", "falls alike"),
        ("orbit", "orbit.field", "a word or a switch"),
        ("held", "chaser.velocity.linear", "is held"),
        ("pin", "chaser.parameters.joint1.axis.x", "out of the plane"),
        ("pin", "output.samples", "not a number that can vary"),
        ("pin", "target.inertia.xx", "Did you mean 'target.inertia'"),
    ],
)
def test_what_is_no_number_is_refused(kind: str, name: str, words: str) -> None:
    with pytest.raises(EncounterError, match=words) as error:
        numbers_of(kind).number(name)
    assert str(error.value).startswith(name)
    with pytest.raises(EncounterError, match=words):
        numbers_of(kind).encounter_of({name: 1.0})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("target.mass", [1.0, 2.0], "target.mass: must be a number in kg > 0"),
        ("target.mass", "heavy", "must be a number in kg"),
        ("chaser.joints", 1.0, "must be 2 numbers in rad"),
        ("chaser.joints", [1.0, 2.0, 3.0], "must be 2 numbers in rad"),
        ("target.mass", -1.0, "must be a number in kg > 0"),
        ("control.natural-frequency", 0.0, "finite and > 0"),
        ("duration", -1.0, "a time in s > 0"),
    ],
)
def test_values_that_cannot_be_are_refused(name: str, value: Any, words: str) -> None:
    with pytest.raises(EncounterError, match=words):
        numbers_of("pin").encounter_of({name: value})


def test_two_names_of_one_number_are_refused() -> None:
    with pytest.raises(EncounterError, match=r"chaser.joints.joint1: is part of chaser.joints"):
        numbers_of("pin").encounter_of({"chaser.joints": [0.0, 0.0], "chaser.joints.joint1": 1.0})


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    [
        ("pin", "target.mass", [-1.0, 0.0, 1e-9, 1e15, 2e15, np.nan, np.inf]),
        ("pin", "target.inertia", [-1.0, 1e-9, 1e15, 2e15, np.nan]),
        ("pin", "duration", [-1.0, 0.0, 1.0, np.inf, np.nan]),
        ("bounce", "impact.restitution", [-0.1, 0.0, 0.5, 1.0, 1.1, np.nan]),
        ("bounce", "impact.friction", [-0.1, 0.0, 3.0, np.inf]),
        ("bounce", "impact.repeat.below", [0.0, 1e-3, -1.0]),
        ("compliant", "impact.stiffness", [0.0, 1.0, np.inf]),
        ("compliant", "impact.slip-speed", [0.0, 1.0]),
        ("compliant", "control.threshold", [-1.0, 0.0, 1.0]),
        ("compliant", "target.inertia.xx", [-1.0, 0.5, 2.0, 12.0, 14.0]),
        ("compliant", "target.inertia.xy", [0.0, 2.0, 7.0]),
        ("pin", "control.limits.joints", [-1.0, 0.0, np.inf, np.nan]),
        ("pin", "control.damping-ratio", [-1.0, 0.0, np.inf]),
        ("orbit", "control.limits.wheels", [0.0, 1.0, np.inf]),
        ("orbit", "control.dump.after", [-1.0, 0.0]),
        ("orbit", "orbit.altitude", [-6.4e6, 0.0]),
        ("match", "approach.meet.closing-speed", [-1.0, 0.0, np.nan]),
        ("apart", "approach.capture-radius", [0.0, 1.0]),
        ("pin", "chaser.parameters.joint1.friction.viscous", [-1.0, 0.0, 2e15]),
        ("pin", "chaser.parameters.joint1.axis.z", [-1.0, 0.0, 2.0]),
        ("pin", "chaser.parameters.joint2.placement.x", [1.0, 2e9, np.nan]),
    ],
)
def test_allowed_is_what_the_classes_accept(kind: str, name: str, values: list[float]) -> None:
    numbers = numbers_of(kind)
    allowed = numbers.number(name).allowed(np.array(values))
    for value, may in zip(values, allowed, strict=True):
        try:
            numbers.encounter_of({name: value})
        except ModelError:
            assert not may, f"{name} = {value} is allowed and refused"
        else:
            assert may, f"{name} = {value} is not allowed and accepted"


ENTRY = st.one_of(
    st.floats(-1.0, 5.0), st.sampled_from([0.0, 1.0, 2.0, 1e16, np.nan, np.inf, 2.0 + 1e-9])
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(ENTRY, st.lists(ENTRY, min_size=3, max_size=3), st.floats(-0.3, 0.3)),
        min_size=1,
        max_size=6,
    )
)
def test_unphysical_agrees_with_a_body(cases: list[tuple[float, list[float], float]]) -> None:
    mass = np.array([m for m, _, _ in cases])
    inertia = np.array([[*d, x, 0.5 * x, -x] for _, d, x in cases]).T
    reasons = unphysical(mass, inertia)
    assert reasons.shape == mass.shape
    for m, tensor, reason in zip(mass.tolist(), inertia.T.tolist(), reasons, strict=True):
        if m == 0.0 and not any(tensor):
            assert "mass" in reason
            continue
        try:
            percuss.Body("body", m, inertia=Symmetric3(*tensor))
        except ModelError:
            assert reason
        else:
            assert reason == ""


def test_reasons_hold_the_numbers() -> None:
    mass = np.array([1.0, -2.0, 1.0, 1.0])
    inertia = np.array([[1.0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 3, 0, 0, 0], [0] * 6]).T
    fine, light, long, point = unphysical(mass, inertia)
    assert fine == point == ""
    assert "-2" in light
    assert "3 exceeds the sum" in long
