"""How long the kernels of an ensemble take to be made, in a process that has made none before.

`python -m benchmarks.kernel_times SCENARIO BACKEND LEVEL` prints seconds as JSON: `all` of them,
and by kind of work. Threads work side by side, and wait for each other: the kinds are more than all
of them together. LEVEL is that at which a GPU's driver optimises.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
PROCESSES = 3
"""Fresh processes, of which the fastest counts."""
WORKERS = {
    "tracing": (
        "rollouts.loops.traced_part",
        "rollouts.rollout.traced_part",
        "tracing.function.trace",
    ),
    "assembly": ("backends.cuda.text_of_iteration", "backends.cuda.text_of_program"),
    "PTX": ("backends.cuda_code.ptx",),
    "NVRTC": ("backends.cuda_code.library_ptx",),
    "driver": ("backends.cuda_code._linked",),
    "start of the GPU": ("backends.cuda._make_context",),
    "LLVM": ("backends.llvm._machine_code",),
}
"""Functions of `percuss.kernel` by the kind of their work, by every name they are called by."""


def seconds_of_kernels(scenario: Path, backend: str, level: int) -> dict[str, float]:
    """What the fastest of a few fresh processes says, with nothing cached."""
    line = [sys.executable, "-m", "benchmarks.kernel_times", str(scenario), backend, str(level)]
    # The driver of a GPU keeps what it compiles, too.
    environment = os.environ | {"PERCUSS_CACHE": "off", "CUDA_CACHE_DISABLE": "1"}

    def told() -> dict[str, float]:
        done = subprocess.run(
            line, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        )
        return json.loads(done.stdout)

    # The first process on a machine also reads libraries from the disk.
    return min((told() for _ in range(PROCESSES)), key=lambda times: times["all"])


class _Clock:
    """Adds up the time of functions by the kind of their work."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, float]] = []
        """Kind and seconds of every call: appended to, which threads may do at a time."""
        self._within = threading.local()
        """The kinds of work that a thread is at: work within work of its kind counts once."""

    def watch(self, kind: str, path: str) -> None:
        """Have a function of the kernel package timed wherever it is called by this name."""
        module_name, name = path.rsplit(".", 1)
        module = importlib.import_module(f"percuss.kernel.{module_name}")
        setattr(module, name, self.timed(kind, getattr(module, name)))

    def timed(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if getattr(self._within, kind, False):
                return function(*arguments, **named)
            setattr(self._within, kind, True)
            started = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                setattr(self._within, kind, False)
                self.spans.append((kind, time.perf_counter() - started))

        return call

    def totals(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, seconds in self.spans:
            found[kind] = found.get(kind, 0.0) + seconds
        return found


def main(scenario_file: str, backend: str, level: str) -> None:
    """Make the kernels by running four cases."""
    import percuss
    from percuss.encounter.ensemble.ensemble import Ensemble
    from percuss.kernel.backends import cuda_code

    clock = _Clock()
    for kind, paths in WORKERS.items():
        for path in paths:
            clock.watch(kind, path)
    cuda_code.OPTIMISATION = int(level)
    scenario = percuss.load(scenario_file)
    rates = np.asarray(scenario.start.target_rates, float)[:, None] * np.ones(4)
    started = time.perf_counter()
    Ensemble(scenario, backend=backend)(target_rates=rates)
    everything = time.perf_counter() - started
    print(json.dumps({"all": everything} | clock.totals()))


if __name__ == "__main__":
    main(*sys.argv[1:])
