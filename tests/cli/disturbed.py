"""Commands of percuss in processes of their own, whose renames are slow and which get signals.

A program that imports percuss once and then forks for every command: it reads one JSON object a
line and writes one. In: `arguments`, `delay` (s before and after every rename), `signal`, and
when it is sent: `moment` (s) or `at` ([which rename, 0 before or 1 after it]), and `after` (s
later). Out: `status`
(negative: killed by that signal), `stderr`, `renames` (target of each), `took` (s), `answer`
(s from the signal to the end).
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import tempfile
import time
from typing import Any, NoReturn

PATIENCE = 60.0
"""Seconds after which a command is killed."""


def slow(function: Any, delay: float, pipe: int) -> Any:
    """A rename that tells its target to a pipe and waits, before and after."""

    def renamed(source: Any, target: Any, **options: Any) -> None:
        os.write(pipe, (json.dumps([0, os.fspath(target)]) + "\n").encode())
        time.sleep(delay)
        function(source, target, **options)
        os.write(pipe, (json.dumps([1, os.fspath(target)]) + "\n").encode())
        time.sleep(delay)

    return renamed


def child(order: dict[str, Any], pipe: int, errors: int) -> NoReturn:
    """The command, as `python -m percuss` would run it."""
    from percuss.cli import program

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name in ("rename", "replace"):
        setattr(os, name, slow(getattr(os, name), order.get("delay", 0.0), pipe))
    sys.argv = ["percuss", *order["arguments"]]
    try:
        program()
    except SystemExit as ended:
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)


def trial(order: dict[str, Any]) -> dict[str, Any]:
    """Run one command, send its signal, and tell what became of it."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        process = os.fork()
        if not process:
            os.close(reading)
            child(order, writing, errors.fileno())
        os.close(writing)
        told, sent = watch(order, process, reading, started)
        os.close(reading)
        _, status = os.waitpid(process, 0)
        ended = time.monotonic()
        errors.seek(0)
        return {
            "status": os.waitstatus_to_exitcode(status),
            "stderr": errors.read().decode(),
            "renames": [target for side, target in told if not side],
            "took": ended - started,
            "answer": None if sent is None else ended - sent,
        }


def watch(
    order: dict[str, Any], process: int, pipe: int, started: float
) -> tuple[list[tuple[int, str]], float | None]:
    """Follow the renames until the command ends; send the signal when its time has come."""
    told: list[tuple[int, str]] = []
    sent: float | None = None
    due_since: float | None = None
    text = b""
    while True:
        now = time.monotonic() - started
        due = "moment" in order and now >= order["moment"]
        if "at" in order:
            count, side = order["at"]
            sides = [k for k, _ in told]
            due = sides.count(side) > count
        if due and due_since is None:
            due_since = now
        is_time = due_since is not None and now >= due_since + order.get("after", 0.0)
        if is_time and sent is None:
            os.kill(process, order["signal"])
            sent = time.monotonic()
        if now > PATIENCE:
            os.kill(process, signal.SIGKILL)
        if select.select([pipe], [], [], 0.002)[0]:
            part = os.read(pipe, 65536)
            if not part:
                return told, sent
            text += part
            *lines, text = text.split(b"\n")
            told += [tuple(json.loads(line)) for line in lines]


def main() -> None:
    """Import what commands need, and run those that are asked for."""
    import percuss.cli.commands
    import percuss.identification.data.sensors
    import percuss.result  # noqa: F401

    for line in sys.stdin:
        print(json.dumps(trial(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
