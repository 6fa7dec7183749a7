"""Machine code that answers an interruption.

Python runs the handlers of signals in its main thread, between two of its own instructions. A
call of machine code from there keeps Ctrl-C waiting until it returns, which may take minutes.
What may take long is therefore done in another thread, while the main one waits where a handler
can run and raise; nothing here installs or knows a handler.

What a handler raises may come out of any line, even between taking a lock and the `with` that
gives it back: whoever waits for such a lock waits for ever. The conditions under the threads,
futures and events of the standard library are taken in that way, so none of them stands here;
threads tell each other what they did through lists, and wait for it inside a call of C.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")


class StopWord:
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


class StoppedError(Exception):
    """Raised in a thread whose work is no longer wanted; nobody sees it."""


_current = threading.local()


def leave_if_asked() -> None:
    """Give up the job of this thread, if that is one of `share` which is asked to stop."""
    stop: StopWord | None = getattr(_current, "stop", None)
    if stop is not None and stop.is_asked:
        raise StoppedError


class _Work:
    """Jobs that threads take from one another until none is left.

    Once its stop is asked, jobs that have not begun are passed over.
    """

    def __init__(self, jobs: Sequence[Callable[[], None]], stop: StopWord) -> None:
        self._left = iter(jobs)
        self._count = len(jobs)
        self._stop = stop
        self._begun: list[None] = []
        self._ended: list[BaseException | None] = []
        self._news: SimpleQueue[None] = SimpleQueue()

    def __call__(self) -> None:
        """Do what is left, in the thread that calls."""
        for job in self._left:
            # Said before the stop is looked at: see `goes_on`.
            self._begun.append(None)
            error = None
            try:
                if not self._stop.is_asked:
                    job()
            except StoppedError:
                pass  # whoever asked knows why
            except BaseException as raised:  # handed to the thread that waits
                self._stop.ask()
                error = raised
            # The news after the fact: whoever misses them still finds the fact.
            self._ended.append(error)
            self._news.put(None)

    def serve(self) -> None:
        """Do the jobs in a thread of a pool, where each may ask whether it is still wanted."""
        _current.stop = self._stop
        self()

    def wait(self) -> None:
        """Return when all jobs are done, or raise what one of them raised."""
        self._await()
        for error in self._ended:
            if error is not None:
                raise error

    def end(self) -> None:
        """Pass over what has not begun and wait for what has."""
        self._stop.ask()
        self()
        self._await()

    def _await(self) -> None:
        while not self.is_over:
            self._news.get()

    @property
    def is_over(self) -> bool:
        return len(self._ended) == self._count

    def goes_on(self) -> bool:
        """Whether a job has begun and not ended; what has not begun by now never will."""
        self._stop.ask()
        return len(self._begun) > len(self._ended)


def is_main() -> bool:
    """Whether this is the thread in which handlers of signals run."""
    return threading.get_ident() == threading.main_thread().ident


def share(jobs: Sequence[Callable[[], None]], threads: int, stop: StopWord, what: str) -> None:
    """Run all jobs in so many threads.

    Where waiting for them is interrupted, they are asked to stop and their end is awaited; the
    interruption gets a note that says what was going on. One of these threads runs them itself: if
    all of them waited for each other there would be none left to run anything.
    """
    if getattr(_current, "pool", None) == threads:
        for job in jobs:
            job()
        return
    work = _Work(jobs, stop)
    try:
        queue = _pool(threads)
        for _ in range(min(threads, len(jobs))):
            queue.put(work.serve)
        work.wait()
    except BaseException as error:
        if not isinstance(error, Exception):
            error.add_note(what)
        work.end()
        raise


@cache
def _pool(threads: int) -> SimpleQueue[Callable[[], None]]:
    """What is put into the queue is called by one of so many threads."""
    queue: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def serve() -> None:
        _current.pool = threads
        while True:
            # Nothing is kept by name here: what was called may hold much memory.
            queue.get()()

    for _ in range(threads):
        start_new_thread(serve, ())
    return queue


def begun(function: Callable[[], T], what: str) -> Callable[[], T]:
    """Begin a function in another thread and go on: what is returned waits for its result.

    For calls that cannot be asked to stop, such as that of a compiler: an interruption does not
    wait for it but leaves it to itself, and gets a note that says what was going on. In a thread
    other than the main one, which no interruption reaches, it is called at once. Threads take
    short turns meanwhile.
    """
    if not is_main():
        result = function()
        return lambda: result
    results: list[T] = []

    def job() -> None:
        with _short_turns:
            results.append(function())

    work = _Work([job], StopWord())
    _left_alone.append(work)
    start_new_thread(work, ())

    def awaited() -> T:
        try:
            work.wait()
        except BaseException as error:
            if not isinstance(error, Exception):
                error.add_note(what)
            raise
        finally:
            if work.is_over and work in _left_alone:
                _left_alone.remove(work)
        return results[0]

    return awaited


class _ShortTurns:
    """While anything is inside, threads of Python take short turns.

    A thread that compiles is in C for most of its time, and asks for its turn each time it comes
    back. With Python's own turns of 5 ms, beside a thread that goes on tracing, that is half of the
    time it takes: 1.2 s instead of 0.6 s for the largest kernel of a spatial mission.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = sys.getswitchinterval()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self._usual, _SHORT_TURN))
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual)

    def forget(self) -> None:
        """In a forked process, which has none of the threads that are inside."""
        if self._inside:
            sys.setswitchinterval(self._usual)
        self._lock, self._inside = threading.Lock(), 0


_SHORT_TURN = 2e-4
"""Seconds; to hand over takes some microseconds."""
_short_turns = _ShortTurns()

_left_alone: list[_Work] = []
"""What `begun` has given to threads, until it is known to be over."""


if hasattr(os, "register_at_fork"):
    # A forked process has the queues but none of their threads, and would wait for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_left_alone.clear)
    os.register_at_fork(after_in_child=_short_turns.forget)


def goes_on() -> bool:
    """Whether something that was left to itself still runs; what has not begun never will."""
    # All of them are asked, so that none begins after another was found running.
    running = [work.goes_on() for work in _left_alone]
    return any(running)


@atexit.register
def _outlive() -> None:
    """Wait for what was left to itself: LLVM crashes where the process ends under it."""
    while _left_alone:
        _left_alone[-1].end()
        _left_alone.pop()
