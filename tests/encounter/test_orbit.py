"""Encounters in a circular orbit: integrals, balances, planners, velocities and refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import percuss
from percuss import kernel
from percuss.algebra.scalars import add, pack
from percuss.control import TreePlant
from percuss.control.guidance import when_to_go
from percuss.control.laws import no_control
from percuss.dynamics import CircularOrbit, kinetic_energy, momentum, potential_energy
from percuss.dynamics.orbit import FIELDS
from percuss.encounter.assembly import Assembly
from percuss.encounter.equations import Equations
from percuss.encounter.simulation import Simulation
from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import sensors_of
from percuss.identification.identification import identify
from percuss.kernel.tracing.derivatives import jvp
from percuss.model import WORLD, Free
from percuss.model.errors import ModelError
from percuss.percussion.planner import PlannerSettings, plan_percussion
from percuss.scenario import ScenarioError
from percuss.scenario.orbit import Orbit
from percuss.scenario.simulation import simulate
from percuss.symbolic import derive
from tests.dynamics.test_orbit import potential
from tests.encounter.encounters import ARM, COMING, assert_whole, scenario, spatial
from tests.encounter.test_balances_random import AFTER, APPROACHES, CLOSURES, control_after
from tests.encounter.test_orbit_flight import FREE, LOW
from tests.strategies import Case, cases
from tests.studies import cases as of_study

Array = np.ndarray
STRONG = 0.1
"""Mean motion (rad/s) of an orbit whose loads are as large as those of motors and contacts."""


@pytest.fixture
def strong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orbits of scenarios turn once a minute, 50 m from a heavy point."""
    made = lambda orbit: CircularOrbit(50.0, orbit.field, STRONG**2 * 50.0**3)  # noqa: E731
    monkeypatch.setattr(Orbit, "circular", property(made))


# --- integrals of captured systems --------------------------------------------------------------


def jacobi(run: Simulation) -> list[Array]:
    """T + U − n L_z of each stretch over time (J): kept where nothing but the orbit acts."""
    found = []
    for phase in run.phases:
        observation, orbit = phase.observation, phase.observation.equations.orbit
        assert orbit is not None
        angles = observation.integral("orbit")[:, 0]
        system = observation.equations.system
        U = [
            float(potential(orbit, system, float(angle), observation.q[:, k]))
            for k, angle in enumerate(angles)
        ]
        n = float(orbit.mean_motion)  # type: ignore[arg-type]
        found.append(observation.kinetic_energy + np.array(U) - n * observation.momentum[1][:, 2])
    return found


@pytest.mark.usefixtures("strong")
def test_jacobis_integral_is_kept_by_arms_and_targets() -> None:
    """In axes that turn the field stands still, so that T + U − n L_z stays, flight and capture."""
    run = simulate(
        scenario(
            COMING,
            chaser=ARM,
            target__position=[2.2, 0.3],
            target__velocity={"linear": [-0.4, 0.0], "angular": 0.1},
            orbit=LOW,
            impact={"closure": "weld"},
            approach={"capture-radius": 0.3, "timeout": 5},
            duration=8,
        )
    )
    assert run.status == "captured"
    for values in jacobi(run):
        assert np.ptp(values) < 1e-9 * (1.0 + np.abs(values).max())
    energies = [np.ptp(phase.observation.kinetic_energy) for phase in run.phases]
    assert max(energies) > 0.1, "the orbit does work"


# --- balances -----------------------------------------------------------------------------------


def equations_of(case: Case, field: str) -> Equations:
    system, state = case.system, case.state
    plant = TreePlant(system)
    tool = system.frame(system.bodies[-1].name)
    assembly = Assembly(
        chaser=system,
        target=None,
        tool=tool,
        grip=None,
        closure="apart",
        plant=plant,
        tree=system,
        coordinates=state.q,
        rates=state.v,
    )
    return Equations(assembly, no_control(plant), orbit=CircularOrbit(20.0, field, 1800.0))


@pytest.mark.parametrize("field", FIELDS)
@given(cases(max_bodies=5, base=("free",), friction=True), st.floats(0.0, 6.3))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_rates_of_energy_and_momentum_are_work_and_impulse(
    field: str, case: Case, angle: float
) -> None:
    """At any state of any tree that floats: d/dt of the totals is what the integrals add up."""
    system = case.system
    roots = [joint.motion for joint in system.joints if joint.parent == WORLD]
    assume(all(isinstance(motion, Free) for motion in roots))
    equations = equations_of(case, field)
    equations = equations.begun_with(equations.assembly, None, orbit_angle=angle)
    x = equations.start
    rates = np.asarray(equations.rates(0.0, x)[0], float)

    def totals(x: Any) -> Any:
        q, v = x[equations.slices["q"]], x[equations.slices["v"]]
        whole = momentum(system, q, v)
        energy = add(kinetic_energy(system, q, v), potential_energy(system, q))
        return pack([energy, *whole.linear, *whole.angular])

    _, change = jvp(totals, (x,), (rates,))
    parts = ("work", "linear", "angular")
    wanted = np.concatenate([rates[equations.slices[name]] for name in parts])
    scale = 1.0 + np.abs(wanted).max() + np.abs(rates).max()
    np.testing.assert_allclose(np.asarray(change), wanted, rtol=0, atol=1e-9 * scale)
    assert rates[equations.slices["orbit"]] == pytest.approx(math.sqrt(1800.0 / 20.0**3))


@pytest.mark.sampled
@settings(max_examples=of_study(5, 12), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    mode=st.sampled_from(("free-floating", "attitude-controlled", "free-flying")),
    closure=st.sampled_from(sorted(CLOSURES)),
    approach=st.sampled_from(sorted(APPROACHES)),
    after=st.sampled_from(sorted(AFTER)),
    field=st.sampled_from(FIELDS),
    seed=st.integers(0, 2**16),
)
def test_planar_encounters_in_orbit_balance(
    mode: str, closure: str, approach: str, after: str, field: str, seed: int
) -> None:
    if approach == "computed-torque" and mode != "free-flying":
        approach = "match"
    rng = np.random.default_rng(seed)
    joints = np.radians(np.array([50.0, -80.0]) + rng.uniform(-15, 15, 2))
    chosen = scenario(
        COMING,
        orbit=LOW | {"field": field, "velocities": str(rng.choice(["local", "inertial"]))},
        chaser=ARM | {"mode": mode, "joints": joints.tolist()},
        target__position=(np.array([1.95, -0.05]) + rng.uniform(-0.05, 0.05, 2)).tolist(),
        target__velocity={"linear": [-0.1, 0.03], "angular": float(rng.uniform(-0.02, 0.02))},
        approach={"timeout": 7.0, "capture-radius": 0.25} | APPROACHES[approach],
        impact=CLOSURES[closure],
        control=control_after(mode, after, 0.05, False),
        duration=1.5,
        output={"samples": 41},
    )
    result = percuss.run(chosen)
    assert_whole(result, 1e-8)
    record = result.record
    n = result.summary["orbit"]["mean_motion"]
    np.testing.assert_allclose(record["orbit_angle"], n * record.time, rtol=1e-12, atol=1e-15)
    assert not [text for text in result.summary["warnings"] if "drift" in text]


@pytest.mark.usefixtures("strong")
@pytest.mark.parametrize("field", FIELDS)
def test_spatial_encounters_in_a_strong_orbit_balance(field: str, tmp_path: Path) -> None:
    """Observed, approached, grasped, detumbled, with loads that no rounding hides."""
    chosen = scenario(
        spatial(tmp_path),
        orbit=LOW | {"field": field},
        chaser__mode="attitude-controlled",
        approach={"timeout": 12, "capture-radius": 0.7, "observe": 0.5},
        control={"law": "detumble", "time-constant": 2.0},
    )
    result = percuss.run(chosen)
    assert result.summary["status"] == "captured"
    assert_whole(result, 1e-8)
    push = np.ptp(result.record["linear_momentum"], axis=0).max()
    assert push > 0.05, "the orbit pushes"
    record = result.record
    np.testing.assert_allclose(record["orbit_angle"], STRONG * record.time, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("strong")
def test_grasp_carries_what_the_orbit_does_not(tmp_path: Path) -> None:
    """Newton for the held target alone: m a = force of the tool + tidal force."""
    run = simulate(
        scenario(
            spatial(tmp_path),
            orbit=LOW,
            approach={"timeout": 12, "capture-radius": 0.7},
            duration=3,
            output__samples=301,
        )
    )
    observation, orbit = run.observation, run.encounter.orbit
    assert observation.assembly.grasp is not None
    assert orbit is not None
    force, _ = observation.reaction(observation.assembly.grasp)
    turned = observation.target_pose.rotation
    acting = observation.rows(turned @ percuss.Vector3(*force.T))
    angle = observation.integral("orbit")[:, 0]
    tidal = observation.rows(
        orbit.acceleration(angle, percuss.Vector3(*observation.target_center.T))
    )
    velocity = observation.target_velocity[:, :3]
    spline: Any = CubicSpline(observation.time, velocity)
    middle = slice(5, -5)
    wanted = 30.0 * (spline(observation.time, 1) - tidal)
    assert np.abs(acting - wanted)[middle].max() < 1e-4 * np.abs(acting).max()
    assert np.abs(30.0 * tidal).max() > 0.1 * np.abs(acting).max()


# --- approach and planning ----------------------------------------------------------------------


@pytest.mark.parametrize("law", ["computed-torque", "match"])
def test_meetings_are_planned_with_the_drift(law: str) -> None:
    """In a strong orbit the tool is where the target will be, not where it would fly straight."""
    chosen = percuss.load(
        "scenarios/mission-3d.yaml",
        {"orbit": LOW | {"field": "two-body"}, "duration": "1 s", "approach.control.law": law}
        | ({"approach.meet.base": None} if law == "match" else {})
        | ({"target.position": [2.1, 0.3, 1.4], "approach.meet.at": 30} if law == "match" else {}),
    )
    summary = percuss.run(chosen).summary
    assert summary["status"] == "captured"
    assert summary["approach"]["arrival"]["as_planned"], summary["approach"]["arrival"]


def test_timetable_knows_the_orbit() -> None:
    start = percuss.load("scenarios/mission-3d.yaml", {"orbit": LOW}).start
    assert start.target is not None
    assert start.grip is not None
    where = (start.chaser, start.chaser_coordinates, start.tool, start.target)
    there: dict[str, Any] = {
        "q_t": start.target_coordinates,
        "v_t": start.target_rates,
        "grip": start.grip,
        "closing_speed": 0.01,
        "base": "move",
    }
    times = {"earliest": 30.0, "latest": 50.0, "count": 2}
    far = [
        when_to_go(*where, **there, orbit=orbit, **times).candidates[-1].distance
        for orbit in (None, start.orbit)
    ]
    assert abs(far[1] - far[0]) > 5e-3


def test_a_push_against_the_drift_meets_and_one_without_the_orbit_misses() -> None:
    inside = percuss.run(percuss.load("scenarios/orbit-3d.yaml")).summary
    assert inside["status"] == "captured"
    assert inside["warnings"] == []
    outside = percuss.run(percuss.load("scenarios/orbit-3d.yaml", {"orbit": None})).summary
    assert outside["status"] == "missed"
    assert outside["approach"]["closest"]["distance"] == pytest.approx(0.086, abs=2e-3)
    assert outside["orbit"] is None


# --- how velocities are read --------------------------------------------------------------------


def test_velocities_are_local_unless_said_otherwise() -> None:
    given = FREE["target"]["velocity"]["linear"]
    n = float(CircularOrbit.at_altitude(500e3).mean_motion)  # type: ignore[arg-type]
    local, still = (
        scenario(FREE, orbit=LOW | {"velocities": how}).start for how in ("local", "inertial")
    )
    np.testing.assert_array_equal(still.target_rates, [*given, 0.0, 0.0, 0.0])
    more = np.subtract(local.target_rates, still.target_rates)
    np.testing.assert_allclose(more, [340.0 * n, 120.0 * n, 0, 0, 0, n], rtol=1e-12)
    assert np.array_equal(percuss.Scenario(**FREE).start.target_rates, local.target_rates)
    np.testing.assert_allclose(local.chaser_rates[:6], [0, 0, 0, 0, 0, n])
    assert not np.any(still.chaser_rates)


def test_what_rests_in_the_local_frame_keeps_its_place_on_the_track() -> None:
    """Behind on the same orbit nothing drifts, to first order; in the plane too."""
    given = scenario(
        COMING,
        orbit=LOW,
        chaser__position=[0, 2],
        target__position=[0.0, -40.0],
        target__velocity=None,
        approach={"capture-radius": 0.02, "timeout": 2000},
    )
    result = percuss.run(given)
    place = result.data["target_local_position"].values
    assert np.abs(place - [0.0, -40.0]).max() < 1e-12
    summary = result.summary["orbit"]
    np.testing.assert_allclose(summary["target"]["position"], [0.0, -40.0], atol=1e-12)
    assert np.abs(summary["target"]["linear"]).max() < 1e-15
    assert abs(summary["target"]["angular"]) < 1e-15
    assert summary["angle"] == pytest.approx(2000 * summary["mean_motion"])
    assert "velocity are read in the local orbital frame" in " ".join(result.summary["advice"])


# --- compiled code, and who refuses -------------------------------------------------------------


def test_compiled_code_is_that_of_its_own_orbit() -> None:
    """Every number of the orbit is part of the key under which machine code is kept."""
    keys = set()
    for orbit in (
        None,
        LOW,
        {"altitude": "501 km"},
        LOW | {"field": "two-body"},
        {"semi-major-axis": "7000 km"},
    ):
        start = scenario(COMING, orbit=orbit).start
        plant = TreePlant(start.chaser)
        assembly = Assembly(
            chaser=start.chaser, target=None, tool=start.tool, grip=None, closure="apart",
            plant=plant, tree=start.chaser,
            coordinates=start.chaser_coordinates, rates=start.chaser_rates,
        )  # fmt: skip
        equations = Equations(assembly, no_control(plant), orbit=start.orbit)
        keys.add(kernel.fingerprint(equations.rates))
    assert len(keys) == 5
    assert None not in keys
    free = CircularOrbit(7e6)
    other = replace(free, gravitational_parameter=1.0)
    assert kernel.fingerprint(other) != kernel.fingerprint(free)


def test_what_cannot_take_an_orbit_says_so() -> None:
    chosen = percuss.load("scenarios/thesis-1.yaml", {"orbit": LOW, "impact.closure": "pin"})
    sensors, straight = sensors_of({"joint": {"noise": 1e-4}}), {"joint.joint1": np.zeros(10)}
    measured = Measured(np.linspace(0.1, 1.0, 10), straight)
    with pytest.raises(ModelError, match=r"^orbit: an identification does not account"):
        identify(chosen, measured, sensors, ["velocity"])
    with pytest.raises(ScenarioError, match=r"^orbit: closed forms have no loads of an orbit"):
        derive(chosen)
    with pytest.raises(ScenarioError, match=r"^orbit\.velocities: local velocities depend on"):
        plan_percussion(chosen)


def test_an_impact_is_planned_as_without_an_orbit() -> None:
    """In an instant finite loads do nothing; velocities must not depend on the place."""
    settings = PlannerSettings(starts=2, samples=64)
    orbit = {"orbit": LOW | {"velocities": "inertial"}}
    inside, outside = (
        plan_percussion(percuss.load("scenarios/thesis-2.yaml", more), settings)
        for more in (orbit, {})
    )
    np.testing.assert_array_equal(inside.x, outside.x)
    assert inside.scenario.start.orbit is not None
