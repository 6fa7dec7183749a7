"""Single runs on disk: what is compiled is kept under all that it follows from."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.control import ControlLaw
from percuss.control.laws import no_control
from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import ApproachTask, Preparation
from percuss.encounter.assembly import Assembly, assembly_before
from percuss.encounter.closures import Bounce, Compliant, Pin, Weld
from percuss.encounter.contact_geometry import (
    contact_at,
    contact_surface_at,
    pushes,
    shape_of,
    touches,
    within,
)
from percuss.encounter.contact_phases import touch_of
from percuss.encounter.equations import Equations, WheelUse
from percuss.encounter.events import EventSignal, EventSignals
from percuss.encounter.loads import Touch
from percuss.encounter.phase_integrator import Driver, PhaseIntegrator
from percuss.impact.contact_laws import CONTACT_LAWS
from percuss.kernel.tracing import function
from percuss.scenario.document import Origin
from tests.encounter.keeping import SCENARIOS, changed, refused
from tests.encounter.scenes import THESIS, TRACKING, scene
from tests.encounter.test_contact_laws import Quadratic

DRIVEN = scene(THESIS, impact__closure="weld", control=TRACKING, gravity=[0.01, -0.02])
YIELDING = {"closure": "compliant", "stiffness": 1e4, "damping": 100.0, "friction": 0.1}
SAMPLED = TRACKING | {"law": "ic2", "period": "10 ms"}
LAW = "def law(t, q, v, memory):\n    return {gain} * v[:5], memory\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PERCUSS_CACHE", str(folder))
    return folder


def stretches_of(scenario: percuss.Scenario) -> dict[str, tuple[Equations, EventSignal | None]]:
    """Equations and signals of the stretches of a run, none of them integrated.

    After an approach the contact is taken to be where the tool is at the start.
    """
    encounter = scenario.encounter
    assembly, approach = assembly_before(encounter.touched), encounter.approach
    found: dict[str, tuple[Equations, EventSignal | None]] = {}
    if approach is not None:
        laws = approach.control.approaching(
            ApproachTask(approach, assembly, encounter.orbit), Preparation()
        )
        wheels = wheel_use(approach.control.limits, approach.control.dump)
        radius = approach.capture_radius
        meets = touched(assembly) if radius is None else within(assembly, radius)
        for name in ("waiting", "coming"):
            law = getattr(laws, name)
            found[name] = (
                Equations(
                    assembly=assembly, law=law, load=None, wheels=wheels, orbit=encounter.orbit
                ),
                meets,
            )
    contact, closure = contact_at(assembly, assembly.coordinates, assembly.rates), encounter.closure
    load, signal = None, None
    if isinstance(closure, (Pin, Weld)):
        assembly = closure.assembly_after(contact, closure.jump(contact))
    if isinstance(closure, Bounce):
        signal = touches(
            assembly, contact_surface_at(contact, closure.normal, touched_shape=False).surface
        )
    if isinstance(closure, Compliant):
        contact_surface = contact_surface_at(contact, closure.normal, touched_shape=False)
        load = touch_of(encounter, closure.give, contact, contact_surface)
        signal = pushes(load, 1)
    law = encounter.control.control_law(assembly)
    wheels = wheel_use(encounter.control.limits, encounter.control.dump)
    found["after"] = (
        Equations(assembly=assembly, law=law, load=load, wheels=wheels, orbit=encounter.orbit),
        signal,
    )
    return found


def touched(assembly: Assembly) -> EventSignal:
    assert assembly.target is not None
    surface = shape_of(assembly.target)
    assert surface is not None
    return touches(assembly, surface)


def functions_of(scenario: percuss.Scenario) -> dict[str, Any]:
    """By name, what is compiled for a run: the motion, and what ends it."""
    found: dict[str, Any] = {}
    for name, (equations, signal) in stretches_of(scenario).items():
        found[name] = equations.rates
        if equations.law.period is not None:
            found[name] = equations.driven
            found[f"law {name}"] = equations.command
        if signal is not None:
            (found[f"end of {name}"],) = EventSignals(equations, (signal,)).falling
    return found


def keys_of(scenario: percuss.Scenario) -> dict[str, str | None]:
    return {name: kernel.fingerprint(f) for name, f in functions_of(scenario).items()}


def digest(scenario: percuss.Scenario, name: str) -> str:
    """Of the program that one of the functions is, traced anew."""
    equations = stretches_of(scenario)[name.split()[-1]][0]
    like: list[Any] = [0.0, np.zeros(equations.size)]
    if equations.law.period is not None and "end" not in name:
        like += [equations.law.memory if "law" in name else np.zeros(equations.plant.own_rates)]
    return kernel.compile(functions_of(scenario)[name], *like, backend="numpy").program.digest


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("thesis-2", ("chaser.arm[2].mass", "target.mass")),
        ("tumbling-2d", ("target.mass",)),
        ("three-bounces", ("approach.control.natural-frequency", "target.mass")),
        ("wrong-model", ("control.believes.target.mass", "control.damping-ratio")),
        ("mission-3d", ("approach.meet.at", "target.mass")),
        ("ic2", ("impact.stiffness", "impact.restitution")),
    ],
)
def test_what_has_the_same_key_is_the_same_program(name: str, parts: tuple[str, ...]) -> None:
    """Of a scenario with any of its numbers changed; those of the start alone change nothing."""
    scenario = percuss.load(SCENARIOS / f"{name}.yaml")
    usual = keys_of(scenario)
    assert None not in usual.values()
    assert usual == keys_of(percuss.load(SCENARIOS / f"{name}.yaml"))
    made = {compiled: digest(scenario, compiled) for compiled in usual}
    other_keys = set[str]()
    for path, other in changed(scenario):
        for compiled, key in keys_of(other).items():
            if key != usual[compiled]:
                other_keys.add(path)
            else:
                assert digest(other, compiled) == made[compiled], f"{path} changes {compiled}"
    assert other_keys.issuperset(parts)
    assert not other_keys & {"duration", "seed"}


def test_a_sampled_law_is_part_of_the_key() -> None:
    keys = keys_of(scene(THESIS, impact=YIELDING, control=SAMPLED))
    other = keys_of(scene(THESIS, impact=YIELDING, control=SAMPLED | {"damping-ratio": 0.9}))
    assert set(keys) == {"after", "law after", "end of after"}
    assert keys.pop("end of after") == other.pop("end of after")
    assert None not in keys.values()
    assert not set(keys.values()) & set(other.values())


def test_where_a_stretch_starts_is_not_looked_at() -> None:
    """Neither is anything else of a stage that is no part of the key."""
    equations, _ = stretches_of(DRIVEN)["after"]
    assert equations.assembly.target_angle is not None
    unseen: Any = object()
    blank = dict.fromkeys(("coordinates", "rates", "target_angle", "tool", "grip", "grasp"), unseen)
    other = equations.begun_with(replace(equations.assembly, **blank), unseen, unseen, unseen)
    assert kernel.fingerprint(other.rates) == kernel.fingerprint(equations.rates)
    like = (0.0, np.zeros(equations.size))
    found, expected = (
        kernel.compile(some.rates, *like, backend="numpy").program.digest
        for some in (other, equations)
    )
    assert found == expected


def test_wheels_and_loads_are_part_of_the_key() -> None:
    equations, _ = stretches_of(scene(THESIS, impact=YIELDING))["after"]
    touch = equations.load
    assert isinstance(touch, Touch)
    assembly, law = equations.assembly, equations.law
    others = [
        equations,
        Equations(assembly, law, None),
        Equations(assembly, law, replace(touch, made=True)),
        Equations(
            assembly, law, replace(touch, compliance=replace(touch.compliance, damping=90.0))
        ),
        Equations(assembly, law, touch, WheelUse(dump_torque=1.0)),
        Equations(assembly, law, touch, WheelUse(dump_torque=1.0, dump_after=2.0)),
        Equations(assembly, replace(law, period=0.1), touch),
    ]
    keys = {kernel.fingerprint(some.rates) for some in others}
    assert len(keys) == len(others)
    assert None not in keys


def test_a_contact_law_of_the_user_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code may change from one run to the next."""
    scenario = scene(THESIS, impact=YIELDING | {"law": "linear"})
    assert None not in keys_of(scenario).values()
    monkeypatch.setitem(CONTACT_LAWS, "linear", Quadratic())
    assert keys_of(scenario) == {"after": None, "end of after": None}


@pytest.mark.parametrize("name", ["mission-3d", "three-bounces"])
def test_another_process_has_the_same_keys(name: str) -> None:
    place = str(SCENARIOS / f"{name}.yaml")
    line = (
        "import sys, percuss; from tests.encounter.test_run_kept import keys_of; "
        "print(*keys_of(percuss.load(sys.argv[1])).values())"
    )
    # Text has other hashes there, and so have sets another order.
    surroundings = os.environ | {"PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", line, place],
        capture_output=True, text=True, check=True, env=surroundings, cwd=SCENARIOS.parent,
    )  # fmt: skip
    assert done.stdout.split() == list(keys_of(percuss.load(place)).values())


# --- runs ---------------------------------------------------------------------------------------


def state_after(scenario: percuss.Scenario, **options: Any) -> np.ndarray:
    """Everything that a run has recorded at its end."""
    record = percuss.run(scenario, **options).record
    return np.concatenate([np.ravel(found.values[-1]) for found in record.variables.values()])


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    "scenario",
    [
        DRIVEN,
        scene(THESIS, impact=YIELDING, control=SAMPLED),
        scene(THESIS, impact=YIELDING),
    ],
    ids=["weld", "sampled", "compliant"],
)
def test_a_second_run_traces_nothing(
    scenario: percuss.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = state_after(scenario)
    monkeypatch.setattr(function, "trace", refused)
    again = percuss.Scenario.from_document(scenario.document)
    np.testing.assert_array_equal(state_after(again), first)


def test_another_scenario_gets_its_own_code(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state_after(DRIVEN)
    assert any(cache.iterdir())
    other = percuss.with_overrides(DRIVEN, {"target.mass": 16, "control.damping-ratio": 0.9})
    found = state_after(other)
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    np.testing.assert_array_equal(found, state_after(other))


@pytest.mark.usefixtures("cache")
def test_a_law_of_the_user_that_was_changed_runs_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = DRIVEN.document | {"control": {"law": "python", "file": "law.py"}}
    found = []
    for gain in (-1.0, -2.0):
        (tmp_path / "law.py").write_text(LAW.format(gain=gain))
        scenario = percuss.Scenario.from_document(document, Origin(folder=tmp_path))
        found.append(state_after(scenario, allow_code=True))
    assert np.abs(found[1] - found[0]).max() > 1e-3
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    np.testing.assert_array_equal(found[1], state_after(scenario, allow_code=True))


def test_equal_stretches_share_what_is_compiled() -> None:
    """Equal bodies under one law, wherever they start; another law or signal has its own."""
    equations, _ = stretches_of(DRIVEN)["after"]
    assembly, law = equations.assembly, equations.law

    def prepared(some: ControlLaw, moved: float, signal: EventSignal | None = None) -> Any:
        there = assembly.starting_at(assembly.coordinates + moved, assembly.rates)
        return integrator._ready(there, Driver(some), None, signal)

    integrator = PhaseIntegrator(DRIVEN.encounter)
    first, _ = prepared(law, 0.0)
    assert prepared(law, 1.0)[0] is first
    assert prepared(no_control(assembly.plant), 0.0)[0] is not first
    near, far = (EventSignal("height", lambda t, q, v, h=h: q[1] - h, -1) for h in (0.0, 1.0))  # noqa: ARG005
    watches = [prepared(law, 0.0, signal)[1] for signal in (near, far, near)]
    assert watches[0] is watches[2]
    assert watches[0] is not watches[1]
