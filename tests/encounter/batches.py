"""Ensembles beside single runs of the same cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import percuss
from percuss import kernel
from percuss.encounter.contact_geometry import shape_of
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.encounter.nearest import nearest
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase import CONTACT
from percuss.encounter.simulation import Simulation
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate

TIGHT = kernel.Adaptive(1e-12, 1e-14)

PLANAR: dict[str, Any] = {
    "name": "planar encounter",
    "chaser": {
        "base": {"shape": "disk", "mass": 40, "radius": 0.5},
        "mount": [0.5, 0],
        "mode": "free-floating",
        "arm": [{"length": 0.9, "mass": 4}, {"length": 0.7, "mass": 3}],
        "joints": [0.7, -1.2],
    },
    "target": {
        "shape": "disk",
        "mass": 12,
        "radius": 0.3,
        "contact": {"angle": "180 deg"},
        "velocity": {"linear": [-0.1, 0.02], "angular": 0.1},
    },
    "impact": {"closure": "weld"},
    "integration": {"relative-tolerance": 1e-12},
    "duration": 2,
}

DRIFTING = {"position": [2.5026657618793, 0.2441980414909799], "angle": 0.0}
"""A target whose contact point is 0.4 m from the waiting tool, in its way at 0.1 m/s."""

URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="50"/>
    <inertia ixx="4" iyy="5" izz="6" ixy="0.2" ixz="0" iyz="-0.1"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.3 0 0.05"/><mass value="4"/>
    <inertia ixx="0.05" iyy="0.3" izz="0.3" ixy="0" ixz="0.01" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.25 0.02 0"/><mass value="3"/>
    <inertia ixx="0.03" iyy="0.2" izz="0.2" ixy="0.005" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.4 0.1 0.2" rpy="0.1 -0.3 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.6 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
  <joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="50" velocity="3"/></joint>
  <joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>"""

BESIDE = 1e-9
"""Seconds that tell apart what happens before an instant and after it; commands change by less than
any tolerance here within them, unless they switch."""


def spatial(folder: Path, **settings: Any) -> Scenario:
    """A small arm in space that waits for a tumbling sphere."""
    (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
    document: dict[str, Any] = {
        "name": "spatial encounter",
        "chaser": {
            "urdf": str(folder / "arm.urdf"),
            "mode": "free-floating",
            "tool": "tool",
            "joints": [0.2, 0.5, -0.4],
        },
        "target": {
            "shape": "sphere",
            "mass": 20,
            "radius": 0.3,
            "contact": [-0.3, 0, 0],
            "velocity": {"linear": [-0.1, 0.0, 0.01], "angular": [0.05, 0.1, 0.2]},
        },
        "impact": {"closure": "pin"},
        "integration": {"relative-tolerance": 1e-12},
        "duration": 2,
    }
    return percuss.with_overrides(percuss.Scenario(**document), settings)


def spread(scenario: Scenario, sizes: Any, cases: int, seed: int) -> np.ndarray:
    """The target's rates with normal deviates of these sizes; the first case is the scenario."""
    own = np.asarray(scenario.start.target_rates, float)
    noise = np.random.default_rng(seed).normal(size=(len(own), cases))
    noise[:, 0] = 0.0
    return own[:, None] + np.asarray(sizes, float)[:, None] * noise


def single(scenario: Scenario, rates: np.ndarray) -> Simulation:
    """The run of one case."""
    half = 2 if len(rates) == 3 else 3
    turning = float(rates[2]) if half == 2 else rates[3:].tolist()
    values = {
        "target.velocity.linear": rates[:half].tolist(),
        "target.velocity.angular": turning,
    }
    return simulate(percuss.with_overrides(scenario, values))


def arrays(batch: EnsembleResult) -> dict[str, np.ndarray]:
    """What a batch tells of each case, by name."""
    return {k: v for k, v in vars(batch).items() if isinstance(v, np.ndarray)}


def compare(
    scenario: Scenario,
    rates: np.ndarray,
    batch: EnsembleResult,
    *,
    time: float = 1e-9,
    state: float = 1e-7,
    peaks: float = 1e-4,
) -> list[Simulation]:
    """Every case of a batch against its single run; returns the runs."""
    runs = [single(scenario, rates[:, k]) for k in range(rates.shape[1])]
    for k, run in enumerate(runs):
        _compare(run, batch, k, time, state, peaks)
    return runs


def _compare(
    run: Simulation, batch: EnsembleResult, k: int, time: float, state: float, peaks: float
) -> None:
    case = f"case {k}"
    assert Outcome(batch.status[k]).name.lower() == run.status, case
    observation = run.phases[-1].observation
    own_q, own_v = len(batch.coordinates), len(batch.rates)
    touched = [event.time for event in run.sequence.impacts]
    touched += [phase.begin for phase in run.phases if phase.kind == CONTACT]
    if touched and run.assembly.target is not None:
        np.testing.assert_allclose(batch.contact_time[k], min(touched), atol=time, rtol=0)
    assert batch.impacts[k] == len(run.sequence.impacts) + len(run.lasting_contacts), case
    np.testing.assert_allclose(batch.time[k], run.phases[-1].end, atol=10 * time, rtol=0)
    near(batch.coordinates[:, k], observation.q[:own_q, -1], state, f"{case}: coordinates")
    near(batch.rates[:, k], observation.v[:own_v, -1], state, f"{case}: rates")
    impacts = run.sequence.impacts
    if impacts:
        near(batch.impulse[:, k], impacts[-1].impact.impulse, state, f"{case}: impulse")
        lost = sum(event.impact.energy_before - event.impact.energy_after for event in impacts)
        assert abs(batch.energy_lost[k] - lost) <= state * (1 + abs(lost)), case
        first = float(np.linalg.norm(impacts[0].relative_velocity))
        assert abs(batch.contact_speed[k] - first) <= state, case
    if run.assembly.target is not None:
        _compare_target(run, batch, k, state, case)
    # A law that is sampled has a command for the very end that never acts.
    held = run.phases[-1].observation.equations.law.period is not None
    found = batch.peak_control[:, k]
    sides = np.array([_peak_control(run, held, aside) for aside in (-BESIDE, 0.0, BESIDE)])
    wanted = sides[np.abs(sides - found).argmin(axis=0), np.arange(len(found))]
    near(found, wanted, peaks, f"{case}: peak control")
    if run.encounter.approach is not None:
        _compare_closest(run, batch, k, case)


def _peak_control(run: Simulation, held: bool, aside: float) -> np.ndarray:
    """Largest commands (rates,), those at the beginning of a stretch taken so much later (s).

    A law may switch at the very instant of a contact: rounding decides on which side of it a
    stretch begins.
    """
    peaks = []
    for phase in run.phases:
        motion = phase.observation.motion
        commands = motion.commands[:, : -1 if held else None]
        lasting = motion.time[: commands.shape[1]] - motion.time[0] > BESIDE
        if not held and motion.states.shape[1] > 1:
            begin = phase.observation.equations.compiled(
                motion.time[0] + aside, motion.states[:, 0]
            )[1]
            commands = np.column_stack([begin, commands[:, lasting]])
        peaks.append(np.abs(commands).max(axis=1))
    return np.max(peaks, axis=0)


def _compare_target(
    run: Simulation, batch: EnsembleResult, k: int, state: float, case: str
) -> None:
    observation = run.phases[-1].observation
    if run.assembly.is_planar:
        place = [*observation.target_center[-1, :2], observation.target_angle[-1]]
        moving = observation.target_velocity[-1, [0, 1, 5]]
        near(batch.target_coordinates[:, k], place, state, f"{case}: target")
    else:
        place = observation.target_center[-1]
        moving = observation.target_velocity[-1]
        near(batch.target_coordinates[:3, k], place, state, f"{case}: target")
    near(batch.target_rates[:, k], moving, state, f"{case}: target's rates")


def _compare_closest(run: Simulation, batch: EnsembleResult, k: int, case: str) -> None:
    approach = run.encounter.approach
    assert approach is not None
    assert run.assembly.target is not None
    surface = shape_of(run.assembly.target) if approach.by_surface else None
    found = nearest([phase for phase in run.phases if phase.kind == 0], surface)
    assert abs(batch.closest_distance[k] - found.distance) < 1e-6, case
    assert abs(batch.closest_time[k] - found.time) < 1e-3, case


def near(found: Any, wanted: Any, relative: float, what: str) -> None:
    """Equal to a share of the largest entry, or of 1."""
    wanted = np.asarray(wanted, float)
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=relative * scale, err_msg=what)


def balanced(batch: EnsembleResult, bound: float = 1e-8) -> None:
    """Energy and momentum of every case add up."""
    for name in ("energy_balance", "linear_balance", "angular_balance"):
        values = getattr(batch, name)
        assert np.nanmax(values, initial=0.0) < bound, (name, values)


def ensemble_of(scenario: Scenario, method: Any = TIGHT, **options: Any) -> Ensemble:
    return Ensemble(scenario, threads=1, method=method, **options)
