"""An interruption at any instruction: nothing waits for ever, nothing runs on unnoticed."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from percuss.kernel.backends import aside as module
from percuss.kernel.backends.aside import StopWord, begun, goes_on, share


class _Raised(BaseException):
    """Stands for what a handler of signals raises."""


def interrupted(call: Callable[[], object], instruction: int) -> bool:
    """Whether the call was interrupted before that instruction of Python's, counted from zero."""
    left = instruction

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        if event == "opcode":
            if left == 0:
                raise _Raised
            left -= 1
        return trace

    before = sys.gettrace()
    # The collector may call functions of others, in which nothing is to be raised.
    gc.disable()
    sys.settrace(trace)
    try:
        call()
    except _Raised:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
    return False


def in_time(call: Callable[[], object]) -> None:
    """The call, which must not take for ever."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "waits for ever"


@pytest.mark.parametrize("threads", [1, 2])
def test_shared_work_is_ended_at_any_instruction(threads: int) -> None:
    instruction = 0
    while True:
        begun: list[int] = []
        ended: list[int] = []

        def job(begun: list[int] = begun, ended: list[int] = ended) -> None:
            begun.append(1)
            threading.Event().wait(1e-4)
            ended.append(1)

        is_interrupted = interrupted(
            lambda: share([job] * 5, threads, StopWord(), "x"), instruction
        )
        assert len(begun) == len(ended), "a job runs on after the interruption"
        begun.clear()
        ended.clear()
        in_time(lambda: share([job] * 5, threads, StopWord(), "x"))
        assert len(ended) == 5
        if not is_interrupted:
            break
        instruction += 1
    assert instruction > 50


def test_what_is_left_to_itself_can_be_waited_for_at_any_instruction() -> None:
    instruction = 0
    while True:
        started, ended, may_end = [], [], threading.Lock()

        def slow(
            started: list[int] = started, ended: list[int] = ended, may_end: Any = may_end
        ) -> int:
            started.append(1)
            with may_end:
                ended.append(1)
            return 3

        may_end.acquire()
        timer = threading.Timer(2e-3, may_end.release)
        timer.start()
        is_interrupted = interrupted(lambda: begun(slow, "x")(), instruction)
        is_left = goes_on()
        assert is_left or len(started) == len(ended), "works on, and nobody knows"
        in_time(module._outlive)
        assert len(started) == len(ended)
        assert not goes_on()
        timer.join()
        if not is_interrupted:
            break
        instruction += 1
    assert instruction > 20


def test_an_error_in_a_job_is_raised_and_the_rest_is_passed_over() -> None:
    done: list[int] = []

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        share([fail, *[lambda: done.append(1)] * 1000], 1, StopWord(), "x")
    assert done == []
    with pytest.raises(ValueError, match="no"):
        begun(fail, "x")()
    assert begun(lambda: 4, "x")() == 4


def test_what_was_begun_goes_on_until_it_is_asked_for() -> None:
    done, may_end = threading.Event(), threading.Lock()

    def slow() -> int:
        with may_end:
            done.set()
        return 5

    may_end.acquire()
    first, second = begun(slow, "x"), begun(lambda: 1 // 0, "x")
    assert not done.is_set()
    may_end.release()
    assert done.wait(20)
    assert first() == first() == 5
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            second()
    assert not goes_on()


def test_turns_are_short_while_something_goes_on_and_as_before_afterwards() -> None:
    before, seen = sys.getswitchinterval(), []
    may_end = [threading.Lock(), threading.Lock()]

    def slow(lock: Any) -> None:
        with lock:
            seen.append(sys.getswitchinterval())

    for lock in may_end:
        lock.acquire()
    ends = [begun(lambda lock=lock: slow(lock), "x") for lock in may_end]
    for lock, end in zip(may_end, ends, strict=True):
        lock.release()
        end()
    assert seen == pytest.approx([2e-4, 2e-4])
    with pytest.raises(ZeroDivisionError):
        begun(lambda: 1 // 0, "x")()
    assert not goes_on()
    assert sys.getswitchinterval() == pytest.approx(before)


def test_threads_that_share_what_they_do_do_not_wait_for_each_other() -> None:
    """Each of two threads shares its job again among two: there is nobody else to do it."""
    done: list[tuple[int, int]] = []

    def job(k: int) -> None:
        share([partial(done.append, (k, j)) for j in range(3)], 2, StopWord(), "inside")

    in_time(lambda: share([partial(job, k) for k in range(4)], 2, StopWord(), "outside"))
    assert sorted(done) == [(k, j) for k in range(4) for j in range(3)]
