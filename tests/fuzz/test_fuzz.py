"""A thousand inputs of the fuzzer, always the same ones; `make fuzz` tries 100,000.

`make studies` tries three times as many as `make test`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.studies import cases

ROOT = Path(__file__).parents[2]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        ("scenario", cases(400, 1200)),
        ("setting,command", cases(134, 400)),
        ("urdf,mjcf,system", cases(234, 700)),
        ("csv,netcdf", cases(300, 900)),
        ("run", cases(7, 20)),
        ("law,approach,plan,derive", cases(7, 20)),
    ],
)
def test_promises_hold(kinds: str, count: int, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "tests.fuzz", "--kinds", kinds, "--count", str(count)]
    line += ["--workers", "1", "--keep", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
