"""Interruptions: how a command is ended from outside, and what must not be cut in two.

Importing this changes nothing. `Interrupts` makes signals raise `Interruption` for as long as a
command runs; `held` keeps signals waiting for a moment, whoever handles them. Both stand on the
standard library alone, since they must be there before anything slow is imported.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader
from types import FrameType, TracebackType
from typing import Any

AGAIN = 0.5
"""Seconds after which an interruption is raised again: where Python cannot pass an exception on
(in `__del__`, in a callback from C) it is dropped. Also how long a command whose result is written
may still take to print it."""

SOON = 0.02
"""Seconds after which an interruption that had to wait is tried again."""

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_ALARM: int | None = getattr(signal, "SIGALRM", None)
_ALL: tuple[int, ...] = _ENDING if _ALARM is None else (*_ENDING, _ALARM)

Handler = Callable[[int, FrameType | None], Any] | int


class Interruption(BaseException):
    """The command is to end now. Its notes say what was going on, the innermost first."""


class Interrupts:
    """While it is entered, SIGINT, SIGTERM, SIGHUP and a time limit raise `Interruption`.

    What the caller ignores stays ignored. Afterwards the caller's handlers and timer are back;
    where this `is_last` thing that the process does, signals are ignored instead, since an exit
    that has begun is not to be disturbed. In a thread other than the main one, where Python
    handles no signals, there is nothing to change.

    Attributes:
        cause: why the command is to end, in words; None unless it is.
        is_timed_out: whether that is its time limit.
        written: what is whole and in its place, as the user named it.
    """

    def __init__(self, *, is_last: bool = False) -> None:
        self.cause: str | None = None
        self.is_timed_out = False
        self.written: list[str] = []
        self._is_last = is_last
        self._before: dict[int, Handler] = {}
        self._timer = (0.0, 0.0)
        self._started = time.monotonic()
        self._limit = ""
        self._is_late = self._is_over = False

    def __enter__(self) -> Interrupts:
        global _active
        if not _in_main_thread():
            return self
        self._outer, _active = _active, self
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        if _ALARM is not None:
            self._timer = signal.getitimer(signal.ITIMER_REAL)
        self._before = _handlers()
        for number in self._before:
            signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Put the caller's handlers and timer back; once is enough."""
        global _active
        if self._is_over or not self._before:
            return
        self._is_over = True
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_IGN if self._is_last else handler)
        if _ALARM is not None:
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
        if not (self._is_last and self.cause is not None):
            sys.unraisablehook = self._hook
        _active = self._outer

    def limit(self, seconds: float) -> None:
        """End the command so many seconds after its beginning."""
        if _ALARM not in self._before:
            raise OSError("--max-time: there is no timer here; it needs SIGALRM and a main thread")
        self._limit = f"--max-time {seconds:g} s is over"
        left = self._started + seconds - time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), AGAIN)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_over:
            _pass_on(number, self._before[number])
            return
        if self.cause is None:
            self.is_timed_out = number == _ALARM
            self.cause = self._limit if self.is_timed_out else "interrupted"
            if _ALARM is not None:
                signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        if _ALARM in self._before and _is_loading(frame):
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
            return
        if self.written and not self._is_late:
            # The work is done and in its place: there is only something left to print.
            self._is_late = True
            return
        raise Interruption(self.cause)

    def _unraisable(self, dropped: Any) -> None:
        """Say nothing of an interruption that could not be passed on: it is raised again.

        Nor of what is half made because of it and cannot be taken down in order.
        """
        if self.cause is None and not isinstance(dropped.exc_value, Interruption):
            self._hook(dropped)


_active: Interrupts | None = None
"""Of the command that runs in this process; signals are the process's too."""


def limit(seconds: float) -> None:
    """End the command that runs so many seconds after its beginning."""
    (_active or Interrupts()).limit(seconds)


def note_written(what: str) -> None:
    """A result is whole and in its place: from now on nobody is told that nothing was written."""
    if _active is not None:
        _active.written.append(what)


@contextmanager
def held() -> Iterator[None]:
    """Keep signals that end a program waiting; afterwards they reach whoever handles them.

    For a few quick steps of which all or none must happen. May be nested.
    """
    if not _in_main_thread():
        # Handlers, and what they raise, never come here.
        yield
        return
    before = _handlers()
    waiting: list[int] = []
    is_over = False

    def note(number: int, _frame: FrameType | None) -> None:
        if is_over:
            _pass_on(number, before[number])
        elif number not in waiting:
            waiting.append(number)

    try:
        for number in before:
            signal.signal(number, note)
        yield
    finally:
        is_over = True
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a library in machine code is being loaded around a frame.

    What such a library does first may call Python, but not all of them can pass on an exception
    from there: those in C++ end the process.
    """
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
            return True
        frame = frame.f_back
    return False


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _handlers() -> dict[int, Handler]:
    """Those that can be replaced and put back: neither ignored, nor (None) made in C."""
    found = {number: signal.getsignal(number) for number in _ALL}
    return {n: h for n, h in found.items() if h is not None and h is not signal.SIG_IGN}


def _pass_on(number: int, handler: Handler) -> None:
    """A signal that came while handlers were being put back."""
    signal.signal(number, handler)
    signal.raise_signal(number)


@contextmanager
def during(what: str) -> Iterator[None]:
    """Note on an interruption that this was going on."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception):
            error.add_note(what)
        raise
