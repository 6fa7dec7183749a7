"""Machine code that runs or is being made can be interrupted, and is given back after use."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from percuss.kernel import RK4, rollout
from percuss.kernel.backends.llvm import LlvmProgram
from percuss.kernel.program import Instruction, Program


class Pressed(BaseException):
    """What the handler of this test raises."""


@contextmanager
def pressed(after: float) -> Iterator[None]:
    """A signal after so many seconds, and a handler that raises."""

    def handler(_number: int, _frame: object) -> None:
        raise Pressed

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("cases", [1, 8, 300])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_is_interrupted_and_works_again(cases: int, threads: int) -> None:
    run = rollout(
        lambda t, x, u, p: (x[1], -p * x[0]),  # noqa: ARG005
        state=(0.0, 0.0),
        parameters=0.0,
        method=RK4(step=1e-3),
        threads=threads,
    )
    stiffness = np.linspace(1.0, 2.0, cases)
    expected = run((0.0, 1.0), stiffness, duration=1.0).state
    began = time.monotonic()
    with pytest.raises(Pressed) as caught, pressed(0.3):
        run((0.0, 1.0), stiffness, duration=1e6)
    assert time.monotonic() - began < 2.0, "10⁹ steps take longer"
    assert caught.value.__notes__ == ["running compiled code"]
    again = run((0.0, 1.0), stiffness, duration=1.0).state
    np.testing.assert_array_equal(again, expected)
    names = [thread.name for thread in threading.enumerate()]
    assert "percuss-compiler" not in names


def test_a_handler_that_does_not_raise_changes_nothing() -> None:
    run = rollout(
        lambda t, x, u, p: (x[1], -x[0]),  # noqa: ARG005
        state=(0.0, 0.0),
        method=RK4(step=1e-4),
        threads=1,
    )
    expected = run((0.0, 1.0), duration=1000.0).state
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        found = run((0.0, 1.0), duration=1000.0).state
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert seen, "it was called while the kernel ran"
    np.testing.assert_array_equal(found, expected)


LARGE = """
import random, sys, time
from percuss.kernel.backends import llvm, llvm_functions
from percuss.kernel.program import Instruction, Program
rng = random.Random(0)
def near(k): return rng.randrange(max(0, k - 192), k + 8)
made = [Instruction(rng.choice(["add", "mul"]), (near(k), near(k))) for k in range(30_000)]
program = Program(8, (), tuple(made), (30_000,))
text = llvm_functions.program_text(program, llvm.host_target())
llvm_functions.program_text = lambda *_: text  # so that what follows is the compiler's work
print("begins", flush=True)
llvm.LlvmProgram(program)
"""


def test_a_compiler_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interruption is raised at once; the process ends without a crash."""
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    code = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    exec({LARGE!r})
except KeyboardInterrupt as error:
    print(time.time(), *error.__notes__, flush=True)
    sys.exit(3)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(1.0)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        when, _, note = process.stdout.readline().partition(" ")
        assert float(when) - sent < 1.0
        assert note == "compiling 30,000 operations\n"
    assert process.returncode == 3


def test_code_is_given_back() -> None:
    """A hundred programs take no more memory than a few: their machine code goes with them."""
    # In a process of its own, with one pool of memory for all threads: what tests before have left
    # comes and goes, and a thread that waits for a pool takes another one.
    code = "from tests.kernel.test_interruption import left_by_programs; print(left_by_programs())"
    said = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"MALLOC_ARENA_MAX": "1"},
    )
    grown = int(said.stdout)
    assert grown < 2e6, f"100 programs of 2,000 operations have left {grown / 1e6:.1f} MB"


def left_by_programs() -> int:
    """Bytes by which a hundred programs that were used once have made this process larger."""

    def use(seed: int) -> None:
        many = tuple(Instruction("mul", (k, 0)) for k in range(1, 2001))
        program = Program(1, (seed + 0.5,), many, (2001,))
        LlvmProgram(program).single()(np.array([1.0]))

    for seed in range(20):
        use(seed)
    gc.collect()
    before = resident()
    for seed in range(20, 120):
        use(seed)
    gc.collect()
    return resident() - before


def resident() -> int:
    """Memory of this process, bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
