"""Ensembles on disk: a second start traces nothing, and never takes another scenario's programs."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.encounter.closures import Bounce, Compliant, Pin, Pulse, Weld
from percuss.encounter.ensemble.contact_surfaces import first_contact, surface_program
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.programs import EnsemblePrograms
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.kernel.tracing import function
from percuss.scenario.document import Origin
from tests.encounter.keeping import SCENARIOS, TITLES, changed, refused
from tests.encounter.scenes import THESIS, TRACKING, scene

BOUNCE = {"closure": "bounce", "restitution": 0.5, "friction": 0.1}
YIELDING = {"closure": "compliant", "stiffness": 1e4, "damping": 100.0, "friction": 0.1}
DRIVEN = scene(THESIS, impact__closure="weld", control=TRACKING, gravity=[0.01, -0.02])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PERCUSS_CACHE", str(folder))
    return folder


def told(scenario: percuss.Scenario, **options: Any) -> dict[str, str | None]:
    """The keys of an ensemble's motions by name; nothing is traced."""
    return {name: kernel.fingerprint(flow) for name, flow in motions(scenario, **options).items()}


def motions(scenario: percuss.Scenario, **options: Any) -> dict[str, Any]:
    programs: EnsemblePrograms = Ensemble(scenario, backend="numpy", **options)._programs
    found: dict[str, Any] = {}
    if scenario.approach is not None:
        found["approach"] = programs.coming
        found["waiting"] = programs.waiting
    closure = programs.encounter.closure
    if isinstance(closure, (Pin, Weld)):
        found |= {"held": programs.held(closure)}
    else:
        found |= {"apart": programs.apart}
    if isinstance(closure, Bounce):
        found |= {
            f"flight {shaped}": surface_program(programs, shaped).flight for shaped in (False, True)
        }
    if isinstance(closure, Compliant):
        give = Parametrised.of(closure.give)
        found |= {"yielding": surface_program(programs, True).compliant(give, closure.pulls)}
    if isinstance(closure, Pulse):
        found |= {"pushed": programs.pushed(Parametrised.of(closure.thrust))}
    return found


def traced(scenario: percuss.Scenario, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Key and digest of everything that is traced: motions, and functions of single states."""
    found: dict[str, tuple[str | None, str]] = {}

    def compiled(machine: Machine, function: Any, *like: Any) -> kernel.Kernel:
        made = kernel.compile(function, *like, backend=machine.backend)
        found[function.__qualname__] = kernel.fingerprint(function), made.program.digest
        return made

    monkeypatch.setattr(Machine, "compiled", compiled)
    flows = motions(scenario)
    for name, flow in flows.items():
        if name.startswith("flight"):
            continue  # much work, and made of the same as the others
        found[name] = kernel.fingerprint(flow), flow._rollout.iteration.digest
        assert flow._account
        assert flow.ending is None or flow._gap
    programs = Ensemble(scenario, backend="numpy")._programs
    closure = programs.encounter.closure
    if isinstance(closure, (Pin, Weld)):
        grasp = programs.grasp(closure)
        assert grasp._compiled
        assert grasp.target_state
    else:
        normal = Parametrised.of(getattr(closure, "normal", None))
        assert first_contact(programs, normal)._compiled
    if isinstance(closure, Bounce):
        assert surface_program(programs, True).bounce(Parametrised.of(closure.rebound))._compiled
    if isinstance(closure, Compliant):
        assert surface_program(programs, True).effective
    return found


@pytest.mark.parametrize(
    "name",
    ["thesis-2", "tumbling-2d", "three-bounces", "saturation", "wrong-model", "mission-3d", "ic2"],
)
def test_every_number_of_a_scenario_makes_another_key(name: str) -> None:
    scenario = percuss.load(SCENARIOS / f"{name}.yaml")
    usual = told(scenario)
    assert None not in usual.values()
    assert usual == told(percuss.load(SCENARIOS / f"{name}.yaml"))
    for path, other in changed(scenario):
        same = [key for key, value in told(other).items() if value == usual.get(key)]
        if path.split(".")[0] in TITLES:
            assert same == list(usual), path
        else:
            assert not same, path


@pytest.mark.parametrize(
    ("scenario", "parts"),
    [
        (DRIVEN, ("chaser.arm[2].mass", "target.mass", "control.natural-frequency", "gravity[2]")),
        (scene(THESIS, impact=BOUNCE), ("chaser.arm[2].mass", "impact.restitution")),
        (scene(THESIS, impact=YIELDING), ("impact.stiffness", "impact.friction")),
    ],
    ids=["weld", "bounce", "compliant"],
)
def test_whatever_changes_a_program_changes_its_key(
    scenario: percuss.Scenario, parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traced anew each time: programs differ for many numbers, and then so do their keys."""
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    usual, differ = traced(scenario, monkeypatch), set[str]()
    assert all(key is not None for key, _ in usual.values())
    for path, other in changed(scenario):
        for name, (key, digest) in traced(other, monkeypatch).items():
            if digest != usual[name][1]:
                differ.add(path)
                assert key != usual[name][0], f"{path} changes {name}"
    assert differ.issuperset(parts), "they are in no program"


def test_what_is_looked_at_is_part_of_the_key() -> None:
    usual = told(DRIVEN)["held"]
    assert told(DRIVEN, reactions=True)["held"] != usual
    assert told(DRIVEN, settling=True)["held"] != usual
    assert told(DRIVEN, threads=1)["held"] == usual, "it runs elsewhere, but it is the same"
    programs = Ensemble(DRIVEN, backend="numpy")._programs
    assert kernel.fingerprint(programs.held(Weld(), settling=True)) != usual
    assert kernel.fingerprint(programs.held(Pin())) != usual


def test_phases_have_keys_of_their_own() -> None:
    mission = percuss.load(SCENARIOS / "mission-3d.yaml")
    programs = Ensemble(mission, backend="numpy")._programs
    ways = [programs.driven_before(which) for which in ("waiting", "coming")]
    assert kernel.fingerprint(ways[0]) != kernel.fingerprint(ways[1])


def test_what_a_controller_believes_is_part_of_the_key() -> None:
    keys = {
        told(scene(THESIS, control=TRACKING | {"believes": {"target.mass": mass}}))["held"]
        for mass in (14, 16)
    }
    assert len(keys) == 2
    assert None not in keys


def test_a_law_in_a_file_of_the_user_has_no_key(tmp_path: Path) -> None:
    """It may compute anything, from anything."""
    (tmp_path / "law.py").write_text("def law(t, q, v, memory):\n    return -v[:5], memory\n")
    control = {"law": "python", "file": "law.py"}
    document = DRIVEN.document | {"control": control}
    scenario = percuss.Scenario.from_document(document, Origin(folder=tmp_path))
    assert kernel.fingerprint(scenario) is None
    flow = Ensemble(scenario, backend="numpy", allow_code=True)._programs.held(Weld())
    assert kernel.fingerprint(flow) is None


def case(scenario: percuss.Scenario) -> EnsembleResult:
    rates = np.asarray(scenario.start.target_rates, float)[:, None]
    return Ensemble(scenario)(target_rates=rates * np.array([1.0, 1.1]))


def assert_same(found: EnsembleResult, expected: EnsembleResult) -> None:
    for field in fields(expected):
        value = getattr(expected, field.name)
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(found, field.name), value, field.name)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["tumbling-2d", "three-bounces"])
def test_a_second_ensemble_traces_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = percuss.load(SCENARIOS / f"{name}.yaml")
    first = case(scenario)
    monkeypatch.setattr(function, "trace", refused)
    assert_same(case(percuss.load(SCENARIOS / f"{name}.yaml")), first)


def test_another_scenario_gets_its_own_programs(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case(DRIVEN)
    assert any(cache.iterdir())
    other = percuss.with_overrides(DRIVEN, {"target.mass": 16, "control.damping-ratio": 0.9})
    found = case(other)
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    assert_same(found, case(other))
