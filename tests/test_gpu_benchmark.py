"""The figures of `make gpu-bench`, for a few cases on the processor: a row each with its bar."""

from __future__ import annotations

import pytest
from benchmarks.gpu import options, rows

DRAWN = "mass, inertia, spin and contact drawn"


def test_every_promise_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    counts = "--captures 2 --bounces 2 --failing 25 50 --missions 2 --drawn 3 --steps 0"
    few = f"--backend llvm {counts}".split()
    found = [(row.work, row.bar, row.figure) for row in rows(options(few))]
    promised = {
        "all kernels of an ensemble of mission-3d": "≤ 5 s",
        "2 captures of tumbling-3d, 60 s of motion at 1e-10, later": "≤ 3 s",
        "2 missions of three-bounces at 1e-10, later": "≤ 1 s",
        "2 missions of mission-3d, start and target mass drawn, second": "≤ 30 s",
        f"3 captures of tumbling-3d, {DRAWN}, 60 s of motion, second": "≤ 5 s",
        "25 captures, 4% of which cannot go on": "≤ 2×",
        "50 captures, 4% of which cannot go on": "≤ 2×",
    }
    for work, bar in promised.items():
        assert [(b, bool(figure)) for w, b, figure in found if w.startswith(work)] == [(bar, True)]
    kinds = found[0][0]
    assert "tracing" in kinds
    assert "LLVM" in kinds


def test_defaults_are_what_is_promised() -> None:
    asked = options([])
    assert (asked.backend, asked.captures, asked.bounces) == ("cuda", 1_048_576, 131_072)
    assert asked.failing == [65_536, 1_048_576]
    assert (asked.missions, asked.drawn) == (100_000, 1_000_000)
