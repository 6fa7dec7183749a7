"""A few thousand inputs of the fuzzer, always the same ones; `make fuzz` tries 100,000."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        ("scenario", 1200),
        ("setting,command", 400),
        ("urdf,mjcf,system", 700),
        ("csv,netcdf", 900),
        ("run", 20),
        ("law,approach,plan,derive", 20),
    ],
)
def test_promises_hold(kinds: str, count: int, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "tests.fuzz", "--kinds", kinds, "--count", str(count)]
    line += ["--workers", "1", "--keep", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
