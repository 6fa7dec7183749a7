"""The fuzzer itself: it makes the same inputs again, and sees what is wrong."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.cases import KINDS, case, counts
from tests.fuzz.drive import Ending, drive
from tests.fuzz.judge import Judgement, Verdict, judge
from tests.fuzz.report import Report
from tests.fuzz.words import ABSOLUTE, command_line
from tests.fuzz.workers import CHUNK, Task, Trial, tried

REFUSED = Ending(
    2, "", "percuss: error: s.yaml, line 3: mass must be above 0\n", "", "", 0.1, 0.1, ()
)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_inputs_are_made_again(kind: str) -> None:
    for index in range(3):
        assert case(kind, 7, index) == case(kind, 7, index)
    assert len({str(case(kind, 7, k)) + str(case(kind, 7, k).files) for k in range(20)}) > 10


@pytest.mark.parametrize("total", [100, 1234, 100_000])
def test_counts_add_up(total: int) -> None:
    found = counts(total, tuple(KINDS))
    assert sum(found.values()) == total
    assert min(found.values()) >= 1


def test_command_lines_name_nothing_outside() -> None:
    from random import Random

    words = [word for k in range(3000) for word in command_line(Random(k))]
    for word in words:
        value = word.partition("=")[2] or word
        assert not value.startswith("/") or value in ABSOLUTE
        assert "../.." not in value


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, Verdict.ERROR),
        ({"crash": "KeyError at model/x.py:3"}, Verdict.TRACEBACK),
        ({"err": "Traceback (most recent call last):\n"}, Verdict.TRACEBACK),
        ({"err": "percuss: error: list index out of range\n"}, Verdict.NONSENSE),
        ({"err": "percuss: error: numpy.linalg.LinAlgError: Singular\n"}, Verdict.NONSENSE),
        ({"err": "percuss: error: the name is \x1b[31mred\n"}, Verdict.NONSENSE),
        ({"err": "percuss: error: mass\n" * 60}, Verdict.NONSENSE),
        ({"err": ""}, Verdict.NONSENSE),
        ({"err": "no\n"}, Verdict.NONSENSE),
        ({"status": 3}, Verdict.NONSENSE),
        ({"files": ("out/summary.json",)}, Verdict.LEFTOVER),
        ({"status": 0, "out": "valid\n", "err": ""}, Verdict.ANSWER),
        ({"status": 0, "out": "mass nan kg\n", "err": ""}, Verdict.NONSENSE),
        ({"status": 0, "out": "", "err": ""}, Verdict.NONSENSE),
        ({"status": 0, "out": "valid", "err": "", "files": (".new-1/a",)}, Verdict.LEFTOVER),
    ],
)
def test_judge(changes: dict[str, object], verdict: Verdict, tmp_path: Path) -> None:
    plain = replace(case("scenario", 1, 1), arguments=("check", "s.yaml"), files={"s.yaml": b""})
    assert judge(plain, replace(REFUSED, **changes), tmp_path).verdict is verdict  # type: ignore[arg-type]


def test_an_input_is_driven_in_its_folder(tmp_path: Path) -> None:
    made = replace(case("scenario", 1, 1), arguments=("new", "--out", "new.yaml"), files={})
    (tmp_path / "old").write_text("of the case before", encoding="utf-8")
    ending = drive(made, tmp_path)
    assert ending.status == 0
    assert ending.files == ("new.yaml",)
    assert judge(made, ending, tmp_path) == Judgement(Verdict.ANSWER)


def attempt(task: Task, _folder: Path) -> tuple[Judgement, float]:
    """What may become of a worker, by index."""
    match task[2] % 5:
        case 1:
            os._exit(3)
        case 2:
            time.sleep(60)
        case 3:
            return Judgement(Verdict.TRACEBACK, f"{len(bytes(64 * 2**30))} bytes"), 0.0
        case _:
            return Judgement(Verdict.ANSWER), 0.0
    raise AssertionError


HARNESS = """
import sys, time
from pathlib import Path
from tests.fuzz.test_fuzzer import attempt
from tests.fuzz.workers import tried
found = []
tasks = [("scenario", 1, k) for k in range(7)]
whole = tried(tasks, found.append, count=2, until=time.monotonic() + 50, scratch=Path(sys.argv[1]),
              attempt=attempt, limit=0.5)
assert whole
assert sorted(trial.task for trial in found) == tasks
print(*[t.judgement.verdict.name for t in sorted(found, key=lambda t: t.task)])
"""


def test_workers_survive_their_inputs(tmp_path: Path) -> None:
    """In a process of its own: one with threads, as pytest may be, should not fork."""
    import subprocess

    line = [sys.executable, "-c", HARNESS, str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    words = "ANSWER TRACEBACK OVER_TIME TRACEBACK ANSWER ANSWER TRACEBACK"
    assert done.stdout.split() == words.split()
    assert list(tmp_path.iterdir()) == []


def test_time_is_bounded(tmp_path: Path) -> None:
    tasks: list[Task] = [("scenario", 1, k) for k in range(CHUNK)]
    over = time.monotonic() - 1.0
    assert not tried(tasks, lambda _: None, count=1, until=over, scratch=tmp_path)


def test_failures_are_kept_with_their_command(tmp_path: Path) -> None:
    report = Report(tmp_path)
    report.add(Trial(("scenario", 7, 3), Judgement(Verdict.ANSWER), 0.1))
    report.add(Trial(("urdf", 7, 4), Judgement(Verdict.TRACEBACK, "KeyError at x.py:3"), 0.1))
    assert (report.tried, report.failed) == (2, 1)
    assert 'make fuzz AGAIN="urdf 7 4"' in report.text()
    kept = tmp_path / "urdf-7-4"
    made = case("urdf", 7, 4)
    for name, data in made.files.items():
        assert (kept / name).read_bytes() == data
    assert "KeyError at x.py:3" in (kept / "fuzz.txt").read_text(encoding="utf-8")
