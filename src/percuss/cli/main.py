"""The command line: where it begins, and how it ends.

Nothing is imported here but what answers signals: the rest takes a second, in which Ctrl-C is to
end the command as quietly as later on.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from percuss.interruption import Interrupts

if TYPE_CHECKING:
    from percuss.cli.commands import app

__all__ = ["app", "main", "program"]

_OBJECTS = 50_000
"""New objects after which garbage is looked for among them, instead of Python's 700."""


def __getattr__(name: str) -> Any:
    if name == "app":
        from percuss.cli.commands import app

        return app
    raise AttributeError(f"module 'percuss.cli.main' has no attribute {name!r}")


def main() -> None:
    """Run the command line in `sys.argv`; SystemExit where it does not end well.

    For a program that goes on afterwards: its handlers of signals are back then.
    """
    _run(is_last=False)


def program() -> NoReturn:
    """Run the command line in `sys.argv` as all that this process does."""
    # Imports leave fifty thousand objects, of which hardly any is garbage: to look through them
    # over and over, and once more in the end, would take a tenth of a short run.
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    status: object = 0
    try:
        _run(is_last=True)
    except SystemExit as ended:
        status = ended.code
    # Where it is not there nothing was compiled: imports may have been interrupted half-way.
    kernels = sys.modules.get("percuss.kernel.backends.aside")
    if hasattr(kernels, "goes_on") and kernels.goes_on():  # type: ignore[union-attr]
        # A compiler that was left to itself would not survive the end of what it stands on.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)
    gc.freeze()
    sys.exit(status)


def _run(is_last: bool) -> None:
    interrupts = Interrupts(is_last=is_last)
    try:
        with interrupts:
            from percuss.cli.commands import run_command

            run_command()
    except BaseException as error:
        interrupts.close()
        if interrupts.cause is None or isinstance(error, SystemExit):
            raise
        print(f"percuss: {_sentence(interrupts, error)}", file=sys.stderr)
        raise SystemExit(1) from None


def _sentence(interrupts: Interrupts, error: BaseException) -> str:
    """Why a command ended before its time, and what is there of its result."""
    written = "; ".join(f"{place} was written, whole" for place in interrupts.written)
    notes = getattr(error, "__notes__", ())
    at = f" while {', '.join(notes)}" if notes and interrupts.is_timed_out else ""
    return f"{interrupts.cause}{at}; {written or 'nothing was written'}"
