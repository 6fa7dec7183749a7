"""The table of what was tried, and the inputs that broke a promise."""

from __future__ import annotations

import json
import shlex
from collections import Counter, defaultdict
from pathlib import Path

from tests.fuzz.cases import KINDS, READ, Case, case
from tests.fuzz.judge import FAILURES, Judgement, Verdict
from tests.fuzz.workers import Task, Trial

MOST_KEPT = 5
"""Inputs that are kept of one cause."""


class Report:
    """Counts by kind and verdict, and the failures by their cause.

    Failing inputs are written to `folder`, a folder each, named by kind, seed and index.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._counts: dict[str, Counter[Verdict]] = defaultdict(Counter)
        self._seconds: dict[str, float] = defaultdict(float)
        self._slowest: dict[str, float] = defaultdict(float)
        self._failures: dict[tuple[str, Judgement], list[Task]] = defaultdict(list)

    def add(self, trial: Trial) -> None:
        """Count a trial; keep its input where it failed."""
        kind, judgement = trial.task[0], trial.judgement
        self._counts[kind][judgement.verdict] += 1
        self._seconds[kind] += trial.seconds
        self._slowest[kind] = max(self._slowest[kind], trial.seconds)
        if judgement.verdict in FAILURES:
            same = self._failures[kind, judgement]
            same.append(trial.task)
            if len(same) <= MOST_KEPT and kind in KINDS:
                _keep(self.folder, case(*trial.task), judgement)

    @property
    def tried(self) -> int:
        """How many inputs there were."""
        return sum(own.total() for own in self._counts.values())

    @property
    def failed(self) -> int:
        """How many of them broke a promise."""
        return sum(len(tasks) for tasks in self._failures.values())

    def json(self) -> str:
        """Counts by kind and verdict."""
        return json.dumps({kind: dict(own) for kind, own in self._counts.items()})

    def text(self) -> str:
        """The table, and below it every cause of failure with the command that repeats it."""
        heads = ["kind", "tried", *(str(own) for own in Verdict), "a second", "slowest"]
        rows = [self._row(kind, own) for kind, own in self._counts.items()]
        whole: Counter[Verdict] = Counter()
        for own in self._counts.values():
            whole += own
        total = ["all", whole.total(), *(whole[verdict] for verdict in Verdict), "", ""]
        table = [[str(cell) for cell in row] for row in [heads, *rows, total]]
        widths = [max(len(row[k]) for row in table) for k in range(len(heads))]
        lines = [
            "  ".join(
                cell.rjust(width) if k else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in table
        ]
        return "\n".join([*lines, *self._causes()])

    def _row(self, kind: str, own: Counter[Verdict]) -> list[object]:
        rate = own.total() / max(self._seconds[kind], 1e-9)
        numbers = [own[verdict] for verdict in Verdict]
        return [kind, own.total(), *numbers, f"{rate:.3g}", f"{self._slowest[kind]:.3g} s"]

    def _causes(self) -> list[str]:
        lines = []
        for (kind, judgement), tasks in sorted(self._failures.items(), key=lambda x: -len(x[1])):
            again = f'make fuzz AGAIN="{" ".join(map(str, tasks[0]))}"'
            if kind not in KINDS:  # a signal hits what the ones before it have left
                again = f"make fuzz KINDS={kind} SEED={tasks[0][1]}"
            lines.append(
                f"\n{judgement.verdict}, {kind}, {len(tasks)} times: {judgement.why}\n  {again}"
            )
        return lines


def _keep(folder: Path, made: Case, judgement: Judgement) -> None:
    """Write an input down, with its command and what is wrong."""
    place = folder / made.name.replace(" ", "-")
    for name, data in made.files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    place.mkdir(parents=True, exist_ok=True)
    told = f"{judgement.verdict}: {judgement.why}\n{line_of(made)}\n"
    (place / "fuzz.txt").write_text(told, encoding="utf-8", errors="backslashreplace")


def line_of(made: Case) -> str:
    """The command line of an input, for a shell in its folder."""
    if made.arguments[:1] == (READ,):
        return f"(read_measured, read_sensors) {' '.join(made.arguments[1:])}"
    return f"percuss {shlex.join(made.arguments)}"
