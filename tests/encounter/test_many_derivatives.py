"""Derivatives of what is found of cases, against closed forms and against single runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.encounter.errors import EncounterError
from tests.encounter.batches import PLANAR
from tests.encounter.many import EXACT
from tests.encounter.scenes import THESIS, TRACKING, scene
from tests.encounter.test_many_known import REACHING

SCENARIOS = Path(__file__).parents[2] / "scenarios"
MASS = 15.0
DRIVEN = scene(THESIS, impact__closure="pin", control=TRACKING, duration=2.0)


def stored(name: str, **changes: Any) -> percuss.Scenario:
    return percuss.with_overrides(percuss.load(SCENARIOS / f"{name}.yaml"), changes)


def derived(scenario: percuss.Scenario, vary: dict[str, Any], by: list[str]) -> Any:
    options = {"knows": "truth", "derivatives": by, "threads": 1, "ask": ["impact"]}
    return percuss.simulate(scenario, vary=vary, **options)


def test_the_impulse_is_linear_in_the_speed() -> None:
    """At given masses the impulse of a pin is linear in the velocities before: twice the speed of
    a target that does not turn, twice the impulse."""
    speeds = np.array([[-0.5, 0.0], [-1.0, 0.0], [-2.0, 0.0]])
    scenario = scene(THESIS, impact__closure="pin", duration=0.1)
    found = derived(scenario, {"target.velocity.linear": speeds}, ["target.velocity.linear"])
    rates = found["d(impact.impulse)/d(target.velocity.linear[1])"].values
    wanted = found["impact.impulse"].values / speeds[:, :1]
    np.testing.assert_allclose(rates, wanted, rtol=1e-9, atol=1e-12)
    energy = found["d(impact.energy.before)/d(target.velocity.linear[1])"].values
    np.testing.assert_allclose(energy, MASS * speeds[:, 0], rtol=1e-9)


@pytest.mark.parametrize("name", ["target.mass", "control.natural-frequency", "target.radius"])
def test_derivatives_are_those_of_single_runs(name: str) -> None:
    values = {"target.mass": 12.0, "control.natural-frequency": 1.3, "target.radius": 0.9}
    at, step = values[name], 1e-4 * values[name]
    found = derived(DRIVEN, {name: [at, 1.1 * at]}, [name])
    runs = [
        percuss.run(percuss.with_overrides(DRIVEN, {name: at + k * step})).summary["final"]
        for k in (1, -1)
    ]
    for key in ("coordinates", "rates"):
        ahead, behind = (np.array(run[key]) for run in runs)
        wanted = (ahead - behind) / (2.0 * step)
        got = found[f"d(final.{key})/d({name})"].values[0]
        scale = np.abs(wanted).max() + np.abs(ahead).max() / at * 1e-3
        np.testing.assert_allclose(got, wanted, atol=2e-5 * scale)


def test_at_a_bound_there_is_one_all_the_same() -> None:
    """A restitution of one has no neighbours above it; the impulse depends on it smoothly."""
    scenario = scene(THESIS, impact={"closure": "bounce", "restitution": 0.5}, duration=0.1)
    found = derived(scenario, {"impact.restitution": [0.5, 0.9, 1.0]}, ["impact.restitution"])
    rates = found["d(impact.impulse)/d(impact.restitution)"].values
    # Without friction the impulse is linear in it.
    np.testing.assert_allclose(rates, rates[:1].repeat(3, axis=0), rtol=1e-9, atol=1e-12)


def test_a_contact_without_losses_has_one_by_its_restitution() -> None:
    """The damping that makes a contact rebound so is sought; beyond one there is none."""
    impact = {"closure": "compliant", "stiffness": 2000, "restitution": 0.5}
    scenario = scene(PLANAR, impact=impact, duration=0.3)
    found = derived(scenario, {"impact.restitution": [0.998, 1.0]}, ["impact.restitution"])
    slopes = found["d(contact.damping)/d(impact.restitution)"].values
    assert (slopes < 0.0).all()
    assert slopes[1] == pytest.approx(slopes[0], rel=0.01)


def test_a_plan_is_differentiated_whatever_else_varies() -> None:
    """A heavy target beside a link's length: the plan depends on the length alone."""
    name = "d(final.coordinates)/d(chaser.arm[1].length)"
    lengths = {"chaser.arm[1].length": [0.9, 0.92]}
    scenario = scene(REACHING, target__mass=300.0)
    alone = derived(scenario, lengths, ["chaser.arm[1].length"])[name].values
    heavy = derived(scenario, lengths | {"target.mass": [300.0, 300.0]}, ["chaser.arm[1].length"])
    np.testing.assert_allclose(heavy[name].values, alone, rtol=1e-5, atol=1e-7)


def test_some_touch_at_the_very_start() -> None:
    """One case misses, the other is within the capture radius from the start."""
    scenario = stored("miss", **{"approach.timeout": 5.0, "duration": 1.0})
    places = {"target.position": np.array([[4.0, -0.6], [2.2567, 0.4205]])}
    found = derived(scenario, places, ["target.position"])
    assert found["status"].values.tolist() == ["missed", "captured"]
    slopes = found["d(final.target.position)/d(target.position[1])"].values
    np.testing.assert_allclose(slopes[0], [1.0, 0.0], atol=1e-9)
    assert np.isfinite(slopes[1]).all()


def test_a_state_at_a_given_time_does_not_depend_on_the_end() -> None:
    scenario = scene(PLANAR, duration=1.0)
    found = percuss.simulate(
        scenario,
        vary={"duration": [1.0, 1.0]},
        derivatives=["duration"],
        signals=["coordinates"],
        times=[0.5, 1.0],
        ask=(),
    )
    slopes = found["d(coordinates)/d(duration)"].values
    np.testing.assert_allclose(slopes, 0.0, atol=1e-12)


def test_what_was_refused_or_has_failed_has_none() -> None:
    found = derived(DRIVEN, {"target.mass": [12.0, -1.0]}, ["target.mass"])
    rates = found["d(final.rates)/d(target.mass)"].values
    assert np.isfinite(rates[0]).all()
    assert np.isnan(rates[1]).all()
    spun = stored("tumbling-3d", duration=1.0)
    spins = np.array([[0.0, 0.05, 0.02], [7e5, 0.0, 0.0]])  # the second cannot be followed
    found = derived(spun, {"target.velocity.angular": spins}, ["target.velocity.angular"])
    assert found["status"].values.tolist() == ["captured", "failed"]
    rates = found["d(final.rates)/d(target.velocity.angular[2])"].values
    assert np.isfinite(rates[0]).all()
    assert np.isnan(rates[1]).all()


def test_decisions_have_none() -> None:
    found = derived(DRIVEN, {"target.mass": [12.0]}, ["target.mass"])
    for name in ("impacts", "balance.energy", "captured"):
        assert name in found
        assert f"d({name})/d(target.mass)" not in found, f"{name} does not depend smoothly"


def test_numbers_that_do_not_vary_are_told() -> None:
    with pytest.raises(
        EncounterError, match=r"derivatives: 'target.mas' is not among .*target.mass"
    ):
        derived(DRIVEN, {"target.mass": [10.0]}, ["target.mas"])


STEP = 1e-4
"""Of differences, as a share of a number."""
LOOSE = {"thrusters": 3e-2, "closest.time": 1e-3}
"""Shares for names that contain these words: ∫ |F| dt, which no step is chosen for, is not smooth
where the force vanishes; where a distance is least it hardly depends on the time."""
CLOSE = 5e-5
"""Share by which differences of cases may be off, whose plans are found to 1e-10 or so."""

KINDS: dict[str, tuple[percuss.Scenario, dict[str, Any], dict[str, Any]]] = {
    "pin under computed torque": (
        scene(THESIS, impact__closure="pin", control=TRACKING, duration=2.0, integration=EXACT),
        {
            "target.mass": [12.0, 13.0],
            "control.natural-frequency": [1.3, 1.2],
            "target.radius": [0.9, 1.0],
            "duration": [1.9, 2.0],
        },
        {"signals": ["energy", "control", "coordinates"], "times": [0.0, 0.5, 1.8]},
    ),
    "bounce with friction": (
        scene(
            THESIS,
            impact={"closure": "bounce", "restitution": 0.5, "friction": 0.1},
            duration=0.5,
            integration=EXACT,
        ),
        {
            "impact.restitution": [0.5, 0.6],
            "impact.friction": [0.1, 0.15],
            "target.velocity.linear": [[-1.0, 0.1], [-1.1, 0.2]],
        },
        {},
    ),
    "a contact that takes time": (
        scene(
            PLANAR,
            impact={"closure": "compliant", "stiffness": 2000, "restitution": 0.5},
            duration=1.0,
            integration=EXACT,
        ),
        {
            "target.mass": [12.0, 13.0],
            "impact.stiffness": [2000.0, 2100.0],
            "impact.restitution": [0.5, 0.6],
        },
        {},
    ),
    "an arm that reaches by inverse kinematics": (
        scene(REACHING),
        {
            "chaser.arm[1].length": [0.9, 0.92],
            "target.position": [[2.5, 0.3], [2.48, 0.31]],
            "approach.meet.at": [9.0, 8.9],
        },
        {"ask": ["approach", "impact"]},
    ),
    "a pin in space": (
        stored("pin-3d", duration=1.0),
        {"target.mass": [60.0, 61.0]},
        {"ask": ["impact"]},
    ),
}


def moved(vary: dict[str, Any], name: str, entry: int | None, step: float) -> dict[str, Any]:
    """The same numbers, but for one of them, or one of its entries."""
    values = np.array(vary[name], float)
    if entry is None:
        values += step
    else:
        values[:, entry] += step
    return vary | {name: values}


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_differences_of_cases(kind: str) -> None:
    """Of everything that a table has, with respect to every entry of every number."""
    scenario, vary, options = KINDS[kind]
    options = {"knows": "truth", "threads": 1} | options
    found = percuss.simulate(scenario, vary=vary, derivatives=list(vary), **options)
    wrong: dict[str, float] = {}
    for name, values in vary.items():
        array = np.array(values, float)
        step = STEP * np.abs(array).max()
        for entry in (None,) if array.ndim == 1 else range(array.shape[1]):
            ahead, behind, far, back = (
                percuss.simulate(scenario, vary=moved(vary, name, entry, k * step), **options)
                for k in (1, -1, 2, -2)
            )
            by = name if entry is None else f"{name}[{entry + 1}]"
            for column in ahead.data_vars:
                got = found.get(f"d({column})/d({by})")
                if got is None:
                    continue
                a, b, c, d = (one[column].values for one in (ahead, behind, far, back))
                wanted = (8.0 * (a - b) - (c - d)) / (12.0 * step)
                assert (np.isnan(got.values) == np.isnan(wanted)).all(), got.name
                natural = np.nanmax(np.abs(found[column].values), initial=0.0) / np.abs(array).max()
                size = np.nanmax(np.abs(wanted), initial=0.0) + 1e-3 * natural + 1e-5
                off = float(np.nanmax(np.abs(got.values - wanted), initial=0.0)) / size
                allowed = next((a for word, a in LOOSE.items() if word in column), CLOSE)
                if off > allowed:
                    wrong[str(got.name)] = off
    assert not wrong, f"derivatives are not those of cases to either side: {wrong}"
