"""What a user waits for before a kernel runs: tracing, compiling, and the size of the environment.

Each figure comes from fresh processes with an empty cache; the peer is the same function traced by
JAX and read from its jaxpr.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import Row

REPEATS = 5
_SYSTEM = """
import statistics, time, numpy as np, percuss, percuss.kernel as kernel
system = percuss.robot("demo-7")
nq, nv = system.coordinate_count, system.rate_count
like = np.zeros(nq), np.zeros(nv), np.zeros(nv)
f = lambda q, v, tau: percuss.forward_dynamics(system, q, v, tau)

def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started

f(np.eye(nq)[6], *like[1:])  # the physics is loaded
kernel.compile(kernel.jvp(lambda x: x + 1.0), (0.0,), (0.0,))((1.0,), (1.0,))  # LLVM is warm
"""
TRACE = (
    _SYSTEM + "print(statistics.median(seconds(lambda: kernel.trace(f, *like)) for _ in range(9)))"
)
TRACE_BY_JAX = _SYSTEM + (
    "from percuss.kernel.jaxprs.function import record_with_jax\n"
    "record_with_jax(lambda x: x + 1.0, 0.0)  # JAX is loaded and warm\n"
    "print(seconds(lambda: record_with_jax(f, *like)))"
)
COMPILE = _SYSTEM + "print(seconds(lambda: kernel.compile(f, *like, key='forward dynamics')))"
DERIVE = _SYSTEM + (
    "print(seconds(lambda: kernel.compile(kernel.jvp(f), like, like, key='derivative')))"
)
ENSEMBLE = """
import time, numpy as np, percuss
from percuss.encounter.ensemble.ensemble import Ensemble
scenario = percuss.load("scenarios/mission-3d.yaml")
rates = np.asarray(scenario.start.target_rates, float)[:, None] * np.ones(4)
started = time.perf_counter()
Ensemble(scenario)(target_rates=rates)
print(time.perf_counter() - started)
"""


def fresh(code: str, folder: str) -> float:
    """What a program prints, run in a process of its own with its cache in a folder."""
    environment = os.environ | {"PERCUSS_CACHE": folder}
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def first_time(code: str, repeats: int = REPEATS) -> float:
    """The median with nothing cached."""
    times: list[float] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            times.append(fresh(code, folder))
    return statistics.median(times)


def again(code: str) -> float:
    """The median when everything is on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        fresh(code, folder)
        return statistics.median(fresh(code, folder) for _ in range(REPEATS))


def forward_dynamics() -> list[Row]:
    """Trace, trace + compile, and the Jacobian-vector product of the 7-joint arm."""
    own, peer = first_time(TRACE), first_time(TRACE_BY_JAX, 3)
    both, derived = first_time(COMPILE), first_time(DERIVE)
    arm = "7-joint forward dynamics"
    return [
        Row(
            f"{arm}: trace, against tracing by JAX",
            milli(own),
            milli(peer),
            f"{peer / own:.0f}×",
            "≤ 25 ms",
        ),
        Row(f"{arm}: trace + compile, nothing cached", milli(both), "", milli(both), "≤ 200 ms"),
        Row(f"{arm}: the same from the disk", milli(again(COMPILE)), "", "", "≤ 100 ms"),
        Row(
            f"{arm}: Jacobian-vector product, trace + compile",
            milli(derived),
            "",
            milli(derived),
            "≤ 300 ms",
        ),
    ]


def ensemble() -> Row:
    """All kernels of an ensemble of a spatial mission, and four cases."""
    seconds = first_time(ENSEMBLE, 1)
    work = "all kernels of an ensemble of mission-3d, nothing cached"
    return Row(work, f"{seconds:.1f} s", "", f"{seconds:.1f} s", "≤ 3 s")


def installed_size() -> Row:
    """What `pip install percuss` brings, without and with the extra `jax`."""
    plain, with_jax = (
        sum(map(_size, requirements("percuss", extras))) / 1e6 for extras in ((), ("jax",))
    )
    work = "installed size of the default environment, against one with JAX"
    return Row(
        work,
        f"{plain:,.0f} MB",
        f"{with_jax:,.0f} MB",
        f"{with_jax - plain:,.0f} MB less",
        "≥ 250 MB less",
    )


def requirements(name: str, extras: tuple[str, ...] = ()) -> set[str]:
    """The distributions that one needs, itself left out."""
    found: set[str] = set()
    waiting = [(name, extras)]
    while waiting:
        current, wanted = waiting.pop()
        for line in importlib.metadata.distribution(current).requires or []:
            asked, _, marker = line.partition(";")
            extra = re.search(r"extra == ['\"]([^'\"]+)", marker)
            if extra is not None and extra[1] not in wanted:
                continue
            match = re.match(r"[A-Za-z0-9._-]+", asked)
            assert match is not None
            needed = re.sub(r"[-_.]+", "-", match[0]).lower()
            if needed == name or needed in found or not _is_installed(needed):
                continue
            found.add(needed)
            waiting.append((needed, ()))
    return found


def _is_installed(name: str) -> bool:
    """Whether a distribution is here; those for other systems and Pythons are not."""
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _size(name: str) -> int:
    distribution = importlib.metadata.distribution(name)
    paths = (Path(str(distribution.locate_file(file))) for file in distribution.files or [])
    return sum(path.stat().st_size for path in paths if path.is_file())


def milli(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms"


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [
        ("tracing and compiling", forward_dynamics),
        ("kernels of an ensemble", ensemble),
        ("installed size", installed_size),
    ]
