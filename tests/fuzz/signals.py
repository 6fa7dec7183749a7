"""Signals at random moments of a run whose renames are slow: nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from percuss.io.folders import try_folder
from tests.fuzz.judge import Judgement, Verdict
from tests.fuzz.workers import Trial

ROOT = Path(__file__).parents[2]
THESIS = ROOT / "scenarios" / "thesis-1.yaml"
QUICK = ("--set", "duration=0.05", "--set", "output.samples=3")

DELAY = 0.05
"""Seconds that a rename waits before and after it is made, so that signals fall into it."""

PROMPTLY = 20.0
"""Seconds within which a busy machine answers what a quiet one does in half a second; commands that
do not answer run on for minutes."""

_KINDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)

Ask = Callable[..., dict[str, Any]]
"""Runs a command with slow renames and a signal; see tests/cli/disturbed.py."""


@contextmanager
def disturbed() -> Iterator[Ask]:
    """A process that runs commands and disturbs them."""
    line = [sys.executable, "-m", "tests.cli.disturbed"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        stdin, stdout = server.stdin, server.stdout

        def ask(*arguments: str | Path, **order: Any) -> dict[str, Any]:
            words = [str(argument) for argument in arguments]
            stdin.write(json.dumps({"arguments": words, **order}) + "\n")
            stdin.flush()
            return json.loads(stdout.readline())

        yield ask
        stdin.close()


def quick_run(place: Path, mass: int) -> tuple[str | Path, ...]:
    """A command that takes a moment; the mass tells its result from others."""
    return ("run", THESIS, "--out", place, *QUICK, "--set", f"target.mass={mass}")


def mass_in(place: Path) -> int | None:
    """Which result a folder holds, all of it; None where there is none."""
    if not place.exists():
        return None
    summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
    assert {path.name for path in place.iterdir()} == set(summary["files"]), "not whole"
    energy = summary["impact"]["energy"]["before"]
    return round(2 * energy)  # the target moves at 1 m/s


def hidden(place: Path) -> list[str]:
    """What a run has left beside its result."""
    return [path.name for path in place.parent.iterdir() if path.name.startswith(".")]


def random_signals(ask: Ask, place: Path, count: int, seed: int) -> Iterator[Trial]:
    """Disturb one run after the other, each over the result of the last; what came of it.

    Half of the signals come at any moment, half of them around a rename.
    A trial is clean where the old result is intact or the new one whole, nothing is left beside
    it, and what is said is true.
    """
    rng = random.Random(seed)
    ask(*quick_run(place, 1))
    # Each run has another mass, whose program is compiled anew: so must that which is timed.
    whole = ask(*quick_run(place, 2), delay=DELAY)
    renames = len(whole["renames"])
    old = 2
    for index in range(count):
        mass = index + 3
        number = rng.choice(_KINDS)
        if rng.random() < 0.5:
            when: dict[str, Any] = {"moment": rng.uniform(0.0, 1.1 * whole["took"])}
        else:
            when = {"at": [rng.randrange(renames), rng.randrange(2)]}
            when["after"] = rng.uniform(0.0, DELAY)
        result = ask(*quick_run(place, mass), delay=DELAY, signal=number, **when)
        if number is signal.SIGKILL:
            try_folder(place)  # what a later run does first
        verdict, why = _verdict(result, number, place, old, mass)
        about = f"{why}: {number.name} at {when} of {whole['took']:.3f} s: {result}" if why else ""
        yield Trial(("signal", seed, index), Judgement(verdict, about), result["took"])
        old = mass_in(place) or old


def _verdict(
    result: dict[str, Any], number: signal.Signals, place: Path, old: int, new: int
) -> tuple[Verdict, str]:
    said, status = result["stderr"], result["status"]
    if "Traceback" in said:
        return Verdict.TRACEBACK, "a traceback is printed"
    now = mass_in(place)
    if now not in (old, new):
        return Verdict.NONSENSE, "neither the old nor the new result is there"
    if hidden(place):
        return Verdict.LEFTOVER, f"leaves {hidden(place)}"
    if status == 0 and now != new:
        return Verdict.NONSENSE, "status 0 without the new result"
    if "nothing was written" in said and (now != old or status != 1):
        return Verdict.NONSENSE, "says that nothing was written"
    late = result["answer"] is not None and result["answer"] >= PROMPTLY
    if late and number is not signal.SIGKILL and status != -number:
        return Verdict.OVER_TIME, f"answers after {result['answer']:.1f} s"
    return (Verdict.ERROR if status else Verdict.ANSWER), ""
