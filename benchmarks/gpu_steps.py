"""RK4 steps per second on a GPU, and against MJX where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import percuss
from benchmarks.motion import initial, motion
from benchmarks.table import Row
from percuss import kernel
from percuss.kernel.backends.cuda import CudaIteration, load_cupy

STEP = 1e-3
SYSTEMS = (("thesis", 1000, "≥ 13 × 10⁹/s"), ("demo-7", 200, "≥ 2.2 × 10⁹/s"))
"""Systems with the steps that are taken, and how many of them a second are promised."""
MJX_BATCHES = (8192, 32768, 131072)


def steps_per_second(name: str, dtype: Any, cases: int, steps: int) -> tuple[float, str]:
    """Of the free motion of a library robot, and what its kernel takes."""
    cupy = load_cupy()
    system = percuss.robot(name)
    size = system.coordinate_count + system.rate_count
    quaternions = [slice(3, 7)] if system.coordinate_count != system.rate_count else []
    run = kernel.rollout(
        motion(system),
        state=np.zeros(size),
        method=kernel.RK4(STEP),
        quaternions=quaternions,
        dtype=dtype,
        backend="cuda",
    )
    started = time.perf_counter()
    taken = CudaIteration(run.iteration, dtype).resources
    compiled = time.perf_counter() - started
    x = cupy.asarray(initial(system, cases), dtype)
    run(x, duration=2 * STEP)
    best = np.inf
    for _ in range(3):
        cupy.cuda.runtime.deviceSynchronize()
        started = time.perf_counter()
        run(x, duration=steps * STEP)
        cupy.cuda.runtime.deviceSynchronize()
        best = min(best, time.perf_counter() - started)
    note = (
        f"{run.operations} operations a step, {taken.registers} registers, "
        f"{taken.local_bytes} bytes spilled, compiled in {compiled:.1f} s"
    )
    return steps * cases / best, note


def mjx_steps_per_second(name: str, batch: int, steps: int) -> float:
    """MJX in single precision, RK4, its time loop under one jit."""
    import jax
    import jax.numpy as jnp
    from tests.oracles import to_mujoco

    # Neither ships types that a checker can read.
    mujoco: Any = importlib.import_module("mujoco")
    mjx: Any = importlib.import_module("mujoco.mjx")
    model = to_mujoco(percuss.robot(name)).model
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    model.opt.enableflags = 0  # MJX does not know the flag for energies
    device_model = mjx.put_model(model)
    start = mjx.make_data(device_model)

    @jax.jit
    def run(speeds: Any) -> Any:
        data = jax.vmap(lambda v: start.replace(qvel=v))(speeds)
        step = jax.vmap(lambda d: mjx.step(device_model, d))
        return jax.lax.fori_loop(0, steps, lambda _, d: step(d), data).qpos

    speeds = jnp.asarray(0.1 * np.random.default_rng(0).normal(size=(batch, model.nv)), jnp.float32)
    run(speeds).block_until_ready()
    started = time.perf_counter()
    run(speeds).block_until_ready()
    return steps * batch / (time.perf_counter() - started)


def steps(cases: int) -> Iterator[Row]:
    """Steps of free motion, whole time loop in the kernel, in both precisions."""
    peers = all(importlib.util.find_spec(name) for name in ("mujoco", "jax"))
    for name, count, bar in SYSTEMS:
        doubles = 0.0
        for dtype in (np.float64, np.float32):
            rate, note = steps_per_second(name, dtype, cases, count)
            work = f"RK4 steps of {name}, {np.dtype(dtype).name}, {cases:,} cases: {note}"
            double = dtype == np.float64
            doubles = rate if double else doubles
            yield Row(work, billions(rate), "", billions(rate), bar if double else "")
        if peers and importlib.util.find_spec("mujoco.mjx") is not None:
            best = max(mjx_steps_per_second(name, batch, 20) for batch in MJX_BATCHES)
            work = f"RK4 steps of {name}, float64, against MJX in float32 at its best batch"
            yield Row(work, billions(doubles), billions(best), f"{doubles / best:.0f}×", "")


def billions(rate: float) -> str:
    return f"{rate / 1e9:.3g} × 10⁹/s"
