"""Processes that try inputs one after the other, watched by one that tries none."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import select
import shutil
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from tests.fuzz.cases import Case, case
from tests.fuzz.drive import Ending, drive
from tests.fuzz.judge import Judgement, Verdict, judge

LIMIT = 30.0
"""Seconds that an input may take, of the processor: a machine that is busy with other things is
not percuss's fault."""

PATIENCE = 4
"""How often the limit may pass without the processor at work on the input: waiting is no excuse."""

MEMORY = 6 * 2**30
"""Bytes of address space of a worker: an input that asks for more gets a MemoryError."""

CHUNK = 100
"""Inputs after which a worker is replaced, so that none profits or suffers from all before it."""

Task = tuple[str, int, int]
"""Kind, seed and index."""

Attempt = Callable[[Task, Path], tuple[Judgement, float]]
"""Tries an input in a folder: the judgement, and how long it took (s)."""


@dataclass(frozen=True)
class Trial:
    """An input that was tried: what became of it, after how many seconds."""

    task: Task
    judgement: Judgement
    seconds: float


@dataclass
class _Worker:
    process: int
    pipe: int
    tasks: deque[Task]
    since: float
    text: bytes = b""
    before: float = 0.0
    """Seconds of the processor that it spent before its present input."""


def tried(
    tasks: Iterable[Task],
    report: Callable[[Trial], None],
    *,
    count: int,
    until: float,
    scratch: Path,
    attempt: Attempt | None = None,
    limit: float = LIMIT,
) -> bool:
    """Try inputs with so many workers and report each; whether all were before the time was over.

    `until` is a time of `time.monotonic`, `scratch` a folder in which workers may write, `limit`
    how many seconds an input may take; `attempt` is what a worker does with one, default `trial`.
    """
    waiting = deque(tasks)
    workers: list[_Worker] = []
    try:
        while (waiting or workers) and time.monotonic() < until:
            while waiting and len(workers) < count:
                chunk = deque(waiting.popleft() for _ in range(min(CHUNK, len(waiting))))
                workers.append(_started(chunk, scratch, attempt or trial))
            for worker in _ready(workers, limit):
                if not _heard(worker, report):
                    workers.remove(worker)
                    _buried(worker, report, waiting, limit)
                    shutil.rmtree(scratch / str(worker.process), ignore_errors=True)
    finally:
        for worker in workers:
            os.kill(worker.process, signal.SIGKILL)
            os.waitpid(worker.process, 0)
            os.close(worker.pipe)
    return not (waiting or workers)


def _ready(workers: list[_Worker], limit: float) -> list[_Worker]:
    """Workers that have something to tell, or have been at one input for too long."""
    pipes = select.select([worker.pipe for worker in workers], [], [], 0.5)[0]
    now = time.monotonic()
    for worker in workers:
        late = now - worker.since > limit and worker.pipe not in pipes
        if (late and _worked(worker) > limit) or now - worker.since > PATIENCE * limit:
            os.kill(worker.process, signal.SIGKILL)
    return [worker for worker in workers if worker.pipe in pipes]


def _worked(worker: _Worker) -> float:
    """Seconds of the processor that a worker has spent on its input; infinity where unknown."""
    try:
        fields = Path(f"/proc/{worker.process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return math.inf
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") - worker.before


def _heard(worker: _Worker, report: Callable[[Trial], None]) -> bool:
    """Report what a worker tells; False where it is at its end."""
    part = os.read(worker.pipe, 65536)
    worker.text += part
    *lines, worker.text = worker.text.split(b"\n")
    for line in lines:
        verdict, why, seconds, worker.before = json.loads(line)
        report(Trial(worker.tasks.popleft(), Judgement(Verdict(verdict), why), seconds))
        worker.since = time.monotonic()
    return bool(part)


def _buried(
    worker: _Worker, report: Callable[[Trial], None], waiting: deque[Task], limit: float
) -> None:
    """Wait for a worker's end; what it died of is told, and what it left is for another."""
    os.close(worker.pipe)
    _, status = os.waitpid(worker.process, 0)
    if not worker.tasks:
        return
    took = time.monotonic() - worker.since
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGKILL and took > limit:
        judgement = Judgement(Verdict.OVER_TIME, f"more than {limit:g} s")
    else:
        judgement = Judgement(Verdict.TRACEBACK, f"the process ends with {code}")
    report(Trial(worker.tasks.popleft(), judgement, took))
    waiting.extendleft(reversed(worker.tasks))


def _started(tasks: deque[Task], scratch: Path, attempt: Attempt) -> _Worker:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        _work(tasks, writing, scratch / str(os.getpid()), attempt)
    os.close(writing)
    return _Worker(process, reading, tasks, time.monotonic())


def _work(tasks: Iterable[Task], pipe: int, place: Path, attempt: Attempt) -> NoReturn:
    """The life of a worker."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # Levels down: a case that reaches for `..` stays inside.
        folder = place / "above" / "case"
        folder.mkdir(parents=True)
        for task in tasks:
            judgement, seconds = attempt(task, folder)
            line = json.dumps([judgement.verdict, judgement.why, seconds, time.process_time()])
            os.write(pipe, (line + "\n").encode())
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def trial(task: Task, folder: Path) -> tuple[Judgement, float]:
    """Try one input in this process: the judgement, and how long it took (s)."""
    made = case(*task)
    ending = drive(made, folder)
    if ending.busy > LIMIT or ending.seconds > PATIENCE * LIMIT:
        return Judgement(Verdict.OVER_TIME, f"more than {LIMIT:g} s"), ending.seconds
    found = judge(made, ending, folder)
    if made.kind == "run" and ending.status == 2 and found.verdict is Verdict.ERROR:
        found = _checked(made, ending, folder)
    return found, ending.seconds


def _checked(made: Case, ending: Ending, folder: Path) -> Judgement:
    """What `run` refuses `check` refuses too, or warns of."""
    _, file, _, _, *settings = made.arguments
    checked = drive(replace(made, arguments=("check", file, *settings)), folder)
    if checked.status or checked.crash or "warning:" in checked.out:
        return Judgement(Verdict.ERROR)
    said = re.sub(r"[-\d.e+]*\d", "#", ending.err.partition("error: ")[2])[:90]
    return Judgement(Verdict.NONSENSE, f"check says valid, run refuses: {said}")
