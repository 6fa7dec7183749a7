"""RK4 steps per second on a GPU, and against MJX where it is installed.

Run on a machine with an NVIDIA GPU: `make gpu-bench`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import percuss
from benchmarks.motion import initial, motion
from percuss import kernel
from percuss.kernel.backends.cuda import CudaIteration, load_cupy

CASES = 1_048_576
STEP = 1e-3


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Meanwhile compiled code is neither read from the disk nor kept there."""
    before = os.environ.get("PERCUSS_CACHE")
    os.environ["PERCUSS_CACHE"] = "off"
    try:
        yield
    finally:
        del os.environ["PERCUSS_CACHE"]
        if before is not None:
            os.environ["PERCUSS_CACHE"] = before


def steps_per_second(name: str, dtype: Any, steps: int) -> tuple[float, str]:
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
    with nothing_kept():
        started = time.perf_counter()
        taken = CudaIteration(run.iteration, dtype).resources
        compiled = time.perf_counter() - started
    x = cupy.asarray(initial(system, CASES), dtype)
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
    return steps * CASES / best, note


def mjx_steps_per_second(name: str, batch: int, steps: int) -> float:
    """MJX in single precision, RK4, its time loop under one jit."""
    import jax
    import jax.numpy as jnp

    from percuss.adapters import to_mujoco

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


def main() -> None:
    print(f"{CASES:,} cases, RK4 at {STEP} s, whole time loop in the kernel")
    ours: dict[str, float] = {}
    for name, steps in (("thesis", 1000), ("demo-7", 200)):
        for dtype in (np.float64, np.float32):
            rate, note = steps_per_second(name, dtype, steps)
            print(
                f"{name:8} {np.dtype(dtype).name}: {rate / 1e9:6.2f} × 10⁹ steps/s ({note})",
                flush=True,
            )
            ours[name] = max(rate, ours.get(name, 0.0)) if dtype == np.float64 else ours[name]
    if importlib.util.find_spec("mujoco") is None or importlib.util.find_spec("mujoco.mjx") is None:
        print("MJX is not installed here: no comparison")
        return
    for name in ours:
        best = 0.0
        for batch in (8192, 32768, 131072):
            rate = mjx_steps_per_second(name, batch, 20)
            print(
                f"{name:8} MJX, float32, batch {batch}: {rate / 1e9:.4f} × 10⁹ steps/s", flush=True
            )
            best = max(best, rate)
        print(f"{name:8} percuss float64 against MJX float32 at its best: {ours[name] / best:.0f}×")


if __name__ == "__main__":
    main()
