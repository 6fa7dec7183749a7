"""How fast captures are: whole runs from command to files, and ensembles against MuJoCo.

Run with `make bench`.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from tests.oracles import to_mujoco

import percuss
from benchmarks.table import Row, best_of
from percuss import kernel
from percuss.control import TreePlant, computed_torque, hold
from percuss.encounter.integration import integrate_motion
from percuss.impact import Contact, pin
from percuss.impact.closures import pinned
from percuss.kinematics import join_velocity
from percuss.scenario.simulation import simulate

# The library ships no types that a checker can read.
mujoco: Any = importlib.import_module("mujoco")

CASES = 10_000
STEP = 1e-3
DURATION = 10.0
PEER_CASES = 4
"""Cases that MuJoCo runs; its time is scaled to CASES, every case costing it the same."""


def captures() -> list[Row]:
    """10,000 planar captures with 10 s of motion, impact included, on one core each."""
    contact = thesis_contact()
    velocities = np.stack(
        [
            np.linspace(-1.0, 1.0, CASES),
            np.linspace(-1.0, -0.2, CASES),
            np.linspace(-0.5, 0.5, CASES),
        ]
    )
    free, controlled = (_ensemble(contact, controlled) for controlled in (False, True))
    ours = best_of(lambda: free(velocities), 2)
    steered = best_of(lambda: controlled(velocities), 2)
    peer = _mujoco_seconds(contact, velocities) * CASES
    what = f"{CASES:,} planar captures on a pin, {DURATION:g} s of motion, RK4 at 1 ms, one core"
    return [
        Row(
            f"{what}, free, against MuJoCo",
            f"{ours:.2f} s",
            f"{peer:.0f} s",
            f"{peer / ours:.0f}×",
            "≥ 30×",
        ),
        Row(
            f"{what}, computed torque, against the free ones",
            f"{steered:.2f} s",
            f"{ours:.2f} s",
            f"{steered / ours:.2f}×",
            "≤ 3×",
        ),
    ]


def thesis_contact() -> Contact:
    """The planar capture of the thesis; its target's velocity is a placeholder."""
    chaser, target = percuss.robot("thesis"), percuss.robot("thesis-target")
    return Contact(
        chaser=chaser,
        target=target,
        tool=chaser.frame("tool"),
        grip=target.frame("grip"),
        chaser_coordinates=np.array([1.0, 2.0, np.pi / 2, 0.0, 0.0]),
        chaser_rates=np.zeros(5),
        target_coordinates=np.array([1.0, 8.0, 1.5 * np.pi - 0.5]),
        target_rates=np.zeros(3),
    )


def _ensemble(contact: Contact, controlled: bool) -> Callable[[np.ndarray], Any]:
    """Target velocities (3, cases) to statistics: impact and motion, all in machine code."""
    attachment = pinned(contact)
    q = np.append(contact.chaser_coordinates, 0.0)
    tree = attachment.joined
    plant = TreePlant(tree, contact.chaser.rate_count)
    own = contact.chaser.rate_count
    law = computed_torque(plant, hold(plant, q[:own]), np.ones(own), 2.0 * np.ones(own))

    def start(velocity: Any) -> Any:
        met = replace(contact, target_rates=velocity)
        jump = pin(met)
        v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates, check=False)
        return jnp.concatenate([jnp.asarray(q), jnp.asarray(v)])

    def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
        del u, p
        at, v = x[: tree.coordinate_count], x[tree.coordinate_count :]
        forces = law.command(t, at, v, None)[0] if controlled else jnp.zeros(own)
        return jnp.concatenate([v, plant.accelerations(at, v, forces)])

    impact = kernel.compile(start, np.zeros(3), threads=1)
    motion = kernel.rollout(
        rates,
        state=np.zeros(2 * tree.rate_count),
        method=kernel.RK4(STEP),
        statistics={
            "turn of the base": kernel.Maximum(lambda t, x, u, p: jnp.abs(x[2])),  # noqa: ARG005
            "fastest joint": kernel.Maximum(lambda t, x, u, p: jnp.abs(x[9])),  # noqa: ARG005
        },
        threads=1,
    )
    return lambda velocity: motion(impact(velocity), duration=DURATION)


def _mujoco_seconds(contact: Contact, velocities: np.ndarray) -> float:
    """Seconds for the motion of one case in MuJoCo, looping in C; its impact is not counted."""
    attachment = pinned(contact)
    q = np.append(contact.chaser_coordinates, 0.0)
    twin = to_mujoco(attachment.joined)
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    twin.model.opt.timestep = STEP
    chosen = velocities[:, :: CASES // PEER_CASES].T

    def run() -> None:
        for velocity in chosen:
            jump = pin(replace(contact, target_rates=velocity))
            v = join_velocity(attachment, q, jump.chaser_rates, jump.target_rates, check=False)
            data = mujoco.MjData(twin.model)
            data.qpos[:], data.qvel[:] = twin.coordinates(q), twin.rates(q, v)
            mujoco.mj_step(twin.model, data, round(DURATION / STEP))

    return best_of(run, 2) / len(chosen)


def command() -> list[Row]:
    """`percuss run` of a spatial capture in fresh processes, from command to files."""
    scenario = Path(__file__).parents[1] / "scenarios" / "tumbling-3d.yaml"
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PERCUSS_CACHE": f"{folder}/cache"}

        def seconds() -> float:
            line = [sys.executable, "-m", "percuss", "run", str(scenario), "--out", f"{folder}/out"]
            started = time.perf_counter()
            subprocess.run(line, env=environment, capture_output=True, check=True)
            return time.perf_counter() - started

        cold, warm = seconds(), min(seconds() for _ in range(3))
    took = _integration_seconds(scenario)
    work = "percuss run of a capture with a 7-joint arm, command to files"
    rows.append(Row(f"{work}, first time", f"{cold:.2f} s", "", f"{cold:.2f} s", "≤ 5 s"))
    rows.append(Row(f"{work}, again", f"{warm:.2f} s", "", f"{warm:.2f} s", "≤ 2 s"))
    rows.append(Row("of which integration", f"{took:.3f} s", "", f"{took:.3f} s", "≤ 0.5 s"))
    return rows


def _integration_seconds(scenario: Path) -> float:
    """Seconds of the integration itself, the equations being compiled."""
    simulation = simulate(percuss.load(scenario))
    equations, time = simulation.observation.equations, simulation.observation.motion.time
    return best_of(lambda: integrate_motion(equations, time, simulation.integration), 3)


def jobs() -> list[tuple[str, Callable[[], list[Row]]]]:
    """What is measured here, with titles."""
    return [("percuss run", command), ("planar captures against MuJoCo", captures)]
