"""Machine code that answers an interruption.

Python runs the handlers of signals in its main thread, between two of its own instructions. A
call of machine code from there keeps Ctrl-C waiting until it returns, which may take minutes.
What may take long is therefore done in another thread, while the main one waits where a handler
can run and raise; nothing here installs or knows a handler.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

T = TypeVar("T")


class Stop:
    """A word of memory that running machine code looks at: other than zero, it returns early."""

    def __init__(self) -> None:
        self._word = ctypes.c_int32(0)

    @property
    def address(self) -> int:
        """Where the word lies, for machine code to read."""
        return ctypes.addressof(self._word)

    @property
    def is_asked(self) -> bool:
        return bool(self._word.value)

    def ask(self) -> None:
        """Let the machine code that looks at this word return as soon as it can."""
        self._word.value = 1


def is_main() -> bool:
    """Whether this is the thread in which handlers of signals run."""
    return threading.current_thread() is threading.main_thread()


def share(jobs: Sequence[Callable[[], None]], threads: int, stop: Stop, what: str) -> None:
    """Run all jobs in so many threads.

    Where waiting for them is interrupted, they are asked to stop and their end is awaited; the
    interruption gets a note that says what was going on.
    """

    def unless_stopped(job: Callable[[], None]) -> None:
        if not stop.is_asked:
            job()

    running: list[Future[None]] = []
    try:
        running.extend(_pool(threads).submit(unless_stopped, job) for job in jobs)
        for future in running:
            future.result()
    except BaseException as error:
        stop.ask()
        if not isinstance(error, Exception):
            error.add_note(what)
        wait(running)
        raise


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="percuss-kernel")


if hasattr(os, "register_at_fork"):
    # A forked process has the pools but none of their threads, and would wait for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def aside(function: Callable[[], T], what: str) -> T:
    """The function's result; an interruption does not wait for it but leaves it to itself.

    For calls that cannot be asked to stop, such as that of a compiler. The interruption gets a
    note that says what was going on.
    """
    if not is_main():
        return function()
    result: Future[T] = Future()

    def work() -> None:
        try:
            result.set_result(function())
        except BaseException as error:  # handed to the thread that waits
            result.set_exception(error)

    thread = threading.Thread(target=work, name="percuss-compiler", daemon=True)
    thread.start()
    try:
        return result.result()
    except BaseException as error:
        if not isinstance(error, Exception):
            _abandoned.append(thread)
            error.add_note(what)
        raise


_abandoned: list[threading.Thread] = []


def abandoned() -> list[threading.Thread]:
    """Threads that were left to themselves and still run."""
    return [thread for thread in _abandoned if thread.is_alive()]


@atexit.register
def _outlive() -> None:
    """Wait for what was left to itself: LLVM crashes where the process ends under it."""
    for thread in abandoned():
        thread.join()
