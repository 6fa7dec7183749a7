"""A program that runs many different scenarios does not grow."""

from __future__ import annotations

import subprocess
import sys

WARM, MEASURED = 20, 20

CODE = f"""
import gc, percuss

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

scenario = percuss.load("scenarios/thesis-1.yaml")
quick = {{"duration": 0.02, "output.samples": 3, "integration": {{"method": "rk4", "step": 1e-3}}}}
for k in range({WARM + MEASURED}):
    percuss.run(percuss.with_overrides(scenario, quick | {{"target.mass": 10.0 + 0.01 * k}}))
    if k + 1 == {WARM}:
        gc.collect()
        before = resident()
gc.collect()
print(resident() - before)
"""


def test_memory_does_not_grow_with_runs() -> None:
    """Machine code, traces and caches of a run go with it, but for those of the last few."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    grown = int(done.stdout)
    assert grown < 0.1e6 * MEASURED, f"{MEASURED} runs have left {grown / 1e6:.1f} MB"
