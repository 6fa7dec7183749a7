"""Smooth phases of encounters move as MuJoCo says, under the commands that were recorded."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import percuss
from percuss.encounter.phase import Phase
from percuss.scenario.simulation import simulate
from tests.oracles import to_mujoco

mujoco: Any = import_module("mujoco")

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def replayed(phase: Phase, duration: float, step: float) -> tuple[Any, Any]:
    """Coordinates and rates after a time (s) from the start of a stretch, by MuJoCo's dynamics.

    The commands are those of the run, on a cubic spline; the steps are of fourth order.
    """
    observation = phase.observation
    tree = observation.assembly.tree
    assert tree is not None
    begin = float(observation.motion.time[0])
    commands = CubicSpline(observation.motion.time, observation.motion.commands, axis=1)
    twin = to_mujoco(tree)
    data = mujoco.MjData(twin.model)
    passive = np.zeros(tree.rate_count - len(observation.motion.commands))

    def rates(t: float, q: Any, v: Any) -> tuple[Any, Any]:
        data.qpos[:], data.qvel[:] = twin.coordinates(q), twin.rates(q, v)
        data.qfrc_applied[:] = twin.forces(q, np.concatenate([commands(t), passive]))
        mujoco.mj_forward(twin.model, data)
        change = np.asarray(percuss.coordinate_rates(tree, q, v))
        return change, twin.accelerations_back(q, v, data.qacc)

    q, v = observation.q[:, 0].copy(), observation.v[:, 0].copy()
    count = int(np.ceil(duration / step))
    h = duration / count
    for k in range(count):
        t = begin + k * h
        a = rates(t, q, v)
        b = rates(t + h / 2, q + h / 2 * a[0], v + h / 2 * a[1])
        c = rates(t + h / 2, q + h / 2 * b[0], v + h / 2 * b[1])
        d = rates(t + h, q + h * c[0], v + h * c[1])
        q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        v = v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return q, v


@pytest.mark.parametrize(
    ("name", "duration", "step", "samples", "close"),
    [
        ("air-bearing", 1.5, 2.5e-3, 4001, 1e-9),
        ("three-bounces", 1.5, 2.5e-3, 4001, 1e-9),
        ("miss", 3.0, 5e-3, 501, 1e-10),
        ("mission-3d", 2.0, 1e-2, 4001, 1e-8),
    ],
)
def test_every_smooth_phase_against_mujoco(
    name: str, duration: float, step: float, samples: int, close: float
) -> None:
    chosen = percuss.with_overrides(
        percuss.load(SCENARIOS / f"{name}.yaml"), {"duration": 5, "output.samples": samples}
    )
    simulation = simulate(chosen)
    checked = []
    for phase in simulation.phases:
        if phase.name == "flight":
            continue
        time = phase.observation.motion.time
        at = int(np.searchsorted(time, time[0] + duration, "right")) - 1
        q, v = replayed(phase, float(time[at] - time[0]), step)
        tree = phase.observation.assembly.tree
        assert tree is not None
        places = float(np.abs(percuss.difference(tree, phase.observation.q[:, at], q)).max())
        speeds = float(np.abs(phase.observation.v[:, at] - v).max())
        assert places < close, f"{phase.name}: positions differ by {places:.1e}"
        assert speeds < close, f"{phase.name}: rates differ by {speeds:.1e}"
        checked.append(phase.name)
    assert "approach" in checked
    if name != "miss":
        assert checked == ["observe", "approach", "after"]
