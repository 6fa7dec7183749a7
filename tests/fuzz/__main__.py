"""`python -m tests.fuzz`: try inputs, print the table; status 1 where a promise is broken."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

# Before numpy is imported: a worker is one thread, and there are as many as asked for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.fuzz.cases import KINDS, case, counts
from tests.fuzz.drive import drive, prepare
from tests.fuzz.judge import judge
from tests.fuzz.report import Report, line_of
from tests.fuzz.signals import disturbed, random_signals
from tests.fuzz.workers import Task, tried

SIGNAL = "signal"
SEED = 15
"""Where no other is asked for, so that everyone tries the same."""


def main() -> int:
    """Read the options, try, and tell."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="percuss-fuzz-") as scratch:
        # Machine code of odd programs is not to push out the user's own.
        os.environ["PERCUSS_CACHE"] = str(Path(scratch) / "kernels")
        if options.again:
            kind, seed, index = options.again
            return _again((kind, int(seed), int(index)), Path(scratch))
        return _explore(options, Path(scratch))


def _explore(options: argparse.Namespace, scratch: Path) -> int:
    started = time.monotonic()
    until = started + 60 * options.minutes
    report = Report(options.keep)
    kinds = tuple(options.kinds.split(",")) if options.kinds else (*KINDS, SIGNAL)
    unknown = sorted(set(kinds) - {*KINDS, SIGNAL})
    if unknown:
        print(f"there is no kind {unknown[0]!r}; there are {', '.join((*KINDS, SIGNAL))}")
        return 2
    made = tuple(kind for kind in kinds if kind != SIGNAL)
    is_whole = True
    if SIGNAL in kinds and options.signals:
        is_whole = _signals(options.signals, options.seed, report, scratch, until)
    if made:
        prepare()
        tasks = _interleaved(counts(options.count, made), options.seed, options.first)
        is_whole &= tried(tasks, report.add, count=options.workers, until=until, scratch=scratch)
    print(report.json() if options.json else report.text())
    took = time.monotonic() - started
    end = "" if is_whole else "; the time was over before all were tried"
    print(
        f"\nseed {options.seed}: {report.tried} inputs in {took:.0f} s, {report.failed} broke a "
        f"promise{end}{f'; kept in {options.keep}' if report.failed else ''}",
        file=sys.stderr,
    )
    return 1 if report.failed else 0


def _interleaved(wanted: dict[str, int], seed: int, first: int) -> list[Task]:
    """All kinds evenly mixed, so that a run that is cut short has tried some of each."""
    tasks = [
        ((k + 0.5) / number, (kind, seed, first + k))
        for kind, number in wanted.items()
        for k in range(number)
    ]
    return [task for _, task in sorted(tasks)]


def _signals(count: int, seed: int, report: Report, scratch: Path, until: float) -> bool:
    place = scratch / "signals" / "out"
    place.parent.mkdir()
    with disturbed() as ask:
        for trial in random_signals(ask, place, count, seed):
            report.add(trial)
            if time.monotonic() > until:
                return False
    return True


def _again(task: Task, scratch: Path) -> int:
    """One input once more, with all that percuss says."""
    prepare()
    folder = scratch / "above" / "case"
    folder.mkdir(parents=True)
    made = case(*task)
    print(ascii(line_of(made)) if not line_of(made).isprintable() else line_of(made))
    ending = drive(made, folder)
    print(f"status {ending.status} after {ending.seconds:.2f} s; new files: {ending.files}")
    for text in (ending.out, ending.err, ending.trace):
        print(text.encode("ascii", "backslashreplace").decode().replace("\x1b", "\\x1b"))
    judgement = judge(made, ending, folder)
    print(f"{judgement.verdict}: {judgement.why}" if judgement.why else str(judgement.verdict))
    return 1 if judgement.why else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="another one explores")
    parser.add_argument("--count", type=int, default=100_000, help="inputs, all kinds together")
    parser.add_argument("--first", type=int, default=0, help="index of the first input of a kind")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which it ends anyhow")
    parser.add_argument("--kinds", default="", help="some kinds only, with commas between them")
    parser.add_argument("--signals", type=int, default=200, help="signals at random moments")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="for failing inputs")
    parser.add_argument("--json", action="store_true", help="counts as JSON instead of the table")
    parser.add_argument("--again", nargs=3, metavar=("KIND", "SEED", "INDEX"), help="one input")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
