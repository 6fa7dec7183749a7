"""How long a user waits for a command, from the shell's prompt to the files.

Run with `make bench`.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.table import Row

SCENARIOS = Path(__file__).parents[1] / "scenarios"
REPEATS = 5


@dataclass(frozen=True)
class Taken:
    """Time of a command: until it was over, and that of the processor, s."""

    wall: float
    processor: float


def capture() -> list[Row]:
    """Of a capture in space."""
    work = "percuss run of a capture with a 7-joint arm, command to files"
    first, again = first_and_again(SCENARIOS / "tumbling-3d.yaml")
    return [
        _row(f"{work}, no kernel on disk", first, "2.6–3.3 s before", "≤ 1.5 s"),
        _row(f"{work}, again", again, "1.5–1.7 s before", "≤ 0.8 s"),
    ]


def rubbing() -> list[Row]:
    """Of a capture by an arm whose joints rub, 10 s: its equations are stiff."""
    work = "percuss run of a capture with a 7-joint arm with friction, 10 s"
    first, again = first_and_again(SCENARIOS / "stiff" / "joint-friction.yaml")
    return [
        _row(f"{work}, no kernel on disk", first, "8.3 s before", "–"),
        _row(f"{work}, again", again, "4–6 s before", "≤ 1 s"),
    ]


def first_and_again(scenario: Path) -> tuple[list[Taken], list[Taken]]:
    """`percuss run` with no kernel on disk, and with all of them."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = Path(folder) / "kernels"
        # An installed package has its bytecode, and so have we: written by a run that is not
        # measured, in a folder of its own where others do not touch it.
        environment = {
            **{k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
            "PERCUSS_CACHE": str(kernels),
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"),
        }
        line = [sys.executable, "-m", "percuss", "run", str(scenario), "--out", f"{folder}/out"]
        _taken(line, environment)
        first: list[Taken] = []
        for _ in range(REPEATS):
            shutil.rmtree(kernels)
            first.append(_taken(line, environment))
        again = [_taken(line, environment) for _ in range(REPEATS)]
    return first, again


def _taken(line: list[str], environment: dict[str, str]) -> Taken:
    before, started = _processor(), time.perf_counter()
    subprocess.run(line, env=environment, capture_output=True, check=True)
    return Taken(time.perf_counter() - started, _processor() - before)


def _processor() -> float:
    """Time of the processor that all commands so far have taken, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _row(work: str, taken: list[Taken], before: str, bar: str) -> Row:
    wall = statistics.median(each.wall for each in taken)
    processor = statistics.median(each.processor for each in taken)
    return Row(work, f"{wall:.2f} s", before, f"{processor:.2f} s of the processor", bar)


def jobs() -> list[tuple[str, Callable[[], list[Row]]]]:
    """Titles and measurements."""
    return [
        ("percuss run, first and again", capture),
        ("percuss run of a stiff motion, first and again", rubbing),
    ]
