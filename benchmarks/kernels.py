"""How fast the kernels are, each figure a ratio against a peer on the same work in the same run.

Run with `make bench`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.oracles import to_mujoco, to_pinocchio

import percuss
from benchmarks.motion import initial, motion
from benchmarks.table import Row, best_of
from percuss import kernel

# Neither library ships types that a checker can read.
mujoco: Any = importlib.import_module("mujoco")
pinocchio: Any = importlib.import_module("pinocchio")

STEP = 1e-3
BATCH = 4096


def rk4(system: percuss.System, batch: int, steps: int, threads: int = 1) -> Callable[[], Any]:
    """The work: so many RK4 steps of so many cases of free motion."""
    nq = system.coordinate_count
    quaternions = [slice(3, 7)] if nq != system.rate_count else []
    run = kernel.rollout(
        motion(system),
        state=np.zeros(nq + system.rate_count),
        method=kernel.RK4(STEP),
        quaternions=quaternions,
        threads=threads,
    )
    x = initial(system, batch)
    return lambda: run(x, duration=steps * STEP)


def rk4_seconds(system: percuss.System, batch: int, steps: int) -> float:
    """Seconds for one RK4 step of one case, on one core."""
    return best_of(rk4(system, batch, steps)) / steps / batch


def mujoco_seconds(system: percuss.System, steps: int) -> float:
    """Seconds for one RK4 step of MuJoCo, looping in C."""
    model = to_mujoco(system).model
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    data.qvel[:] = 0.1
    return best_of(lambda: mujoco.mj_step(model, data, steps)) / steps


def against_mujoco() -> list[Row]:
    rows: list[Row] = []
    for name, label, steps, bar in (
        ("demo-7", "7-joint arm on a free base", 25, 30),
        ("thesis", "thesis planar system", 200, 40),
    ):
        system = percuss.robot(name)
        ours, peer = rk4_seconds(system, BATCH, steps), mujoco_seconds(system, 5000)
        work = f"{label}, RK4 step, batch {BATCH}, one core, against MuJoCo"
        rows.append(Row(work, nano(ours), nano(peer), f"{peer / ours:.0f}×", f"≥ {bar}×"))
        if name == "demo-7":
            single = rk4_seconds(system, 1, 4000)
            work = f"{label}, RK4 step, a single case, against MuJoCo"
            rows.append(Row(work, nano(single), nano(peer), f"{peer / single:.1f}×", "aim ≥ 3×"))
    return rows


def against_pinocchio() -> Row:
    """Forward dynamics against `pinocchio.aba`, minus what calling it from Python costs."""
    system = percuss.robot("demo-7")
    nq, nv = system.coordinate_count, system.rate_count
    compiled = kernel.compile(
        lambda q, v, tau: percuss.forward_dynamics(system, q, v, tau),
        np.zeros(nq),
        np.zeros(nv),
        np.zeros(nv),
        threads=1,
    )
    x = initial(system, BATCH)
    q, v, tau = x[:nq], x[nq:], np.zeros((nv, BATCH))
    ours = best_of(lambda: compiled(q, v, tau), 20) / BATCH

    twin = to_pinocchio(system)
    calls = range(2000)

    def seconds(model: Any, q: Any, v: Any) -> float:
        data, aba = model.createData(), pinocchio.aba
        return best_of(lambda: [aba(model, data, q, v, v) for _ in calls]) / len(calls)

    empty = pinocchio.Model()
    overhead = seconds(empty, np.zeros(0), np.zeros(0))
    peer = seconds(twin.model, pinocchio.neutral(twin.model), np.zeros(nv)) - overhead
    work = "forward dynamics of the 7-joint arm, against Pinocchio's ABA (call minus empty call)"
    return Row(work, nano(ours), nano(peer), f"{peer / ours:.0f}×", "≥ 15×")


def cores() -> Row:
    """By turns, so that a disturbance of the machine meets both."""
    system = percuss.robot("demo-7")
    count, batch, steps = os.cpu_count() or 1, 8 * BATCH, 60
    single, shared = rk4(system, batch, steps), rk4(system, batch, steps, count)
    one = every = float("inf")
    for _ in range(6):
        one = min(one, best_of(single, 1))
        every = min(every, best_of(shared, 1))
    work = f"all {count} cores against one, 7-joint arm, RK4"
    per_step = 1 / steps / batch
    figure = f"{one / every:.2f}×"
    return Row(work, nano(every * per_step), nano(one * per_step), figure, "≥ 1.8× on 2")


def nano(seconds: float) -> str:
    return f"{seconds * 1e9:,.0f} ns"


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [
        ("RK4 against MuJoCo", against_mujoco),
        ("forward dynamics against Pinocchio", against_pinocchio),
        ("cores", cores),
    ]
