"""`--max-time`, which every command has."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Annotated, Any

import typer

from percuss import interruption
from percuss.model.errors import ModelError
from percuss.scenario.units import UnitError, parse_amount, parse_unit

MaxTime = Annotated[
    str | None,
    typer.Option(
        "--max-time",
        metavar="S",
        help="Give up after so long, in s or with its unit; nothing is written then.",
    ),
]


def bound_all(app: typer.Typer) -> None:
    """Give every command of an application, and of those in it, the option `--max-time`."""
    for command in app.registered_commands:
        assert command.callback is not None
        command.callback = _bounded(command.callback, f"at percuss {command.name}")
    for group in app.registered_groups:
        assert group.typer_instance is not None
        bound_all(group.typer_instance)


def _bounded(command: Callable[..., Any], what: str) -> Callable[..., Any]:
    """A command with one more option; `what` is going on where nothing else is known."""

    @functools.wraps(command)
    def bounded(*arguments: Any, max_time: str | None = None, **options: Any) -> Any:
        if max_time is not None:
            interruption.limit(_seconds(max_time))
        try:
            return command(*arguments, **options)
        except interruption.Interruption as error:
            if not getattr(error, "__notes__", ()):
                error.add_note(what)
            raise

    signature = inspect.signature(command, eval_str=True)
    extra = inspect.Parameter(
        "max_time", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=MaxTime
    )
    more = [*signature.parameters.values(), extra]
    bounded.__signature__ = signature.replace(parameters=more)  # type: ignore[attr-defined]
    bounded.__annotations__ = {**command.__annotations__, "max_time": MaxTime}
    return bounded


def _seconds(text: str) -> float:
    try:
        amount = parse_amount(text.strip())
    except UnitError as error:
        raise ModelError(f"--max-time {text!r}: {error}") from error
    if amount.dimension not in (None, parse_unit("s").dimension):
        raise ModelError(f"--max-time {text!r} must be a time, such as 30, '30 s' or '2 min'")
    if not (math.isfinite(amount.value) and amount.value > 0):
        raise ModelError(f"--max-time must be above 0 s and finite, got {text!r}")
    return amount.value
