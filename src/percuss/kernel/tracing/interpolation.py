"""Linear interpolation in tables, and the place of a number among others."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.writer import ProgramWriter, Registers


@rule(np.interp)
def _interp(
    writer: ProgramWriter,
    x: Any,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Registers:
    """Linear interpolation in a table of rising places; its first and last values outside."""
    if period is not None:
        raise KernelError(f"np.interp with period= cannot be compiled{users_line()}")
    places, values = reals(writer, xp), reals(writer, fp)
    if places.ndim != 1 or places.shape != values.shape or not places.size:
        raise KernelError(
            f"np.interp needs two lists of the same length, got shapes {places.shape} and "
            f"{values.shape}{users_line()}"
        )
    at = reals(writer, x)
    found = [
        _interpolated(writer, register, places, values, left=left, right=right)
        for register in at.ravel().tolist()
    ]
    return np.array(found, np.int64).reshape(at.shape)


def _interpolated(
    writer: ProgramWriter, x: int, places: Registers, values: Registers, *, left: Any, right: Any
) -> int:
    emit, constant = writer.builder.emit, writer.builder.constant
    last = len(places) - 1
    inside = int(values[0])
    if last:
        # Halving: the segment that x lies in begins at `low`, known to one more bit each round.
        low, width = constant(0.0), (1 << (last - 1).bit_length()) >> 1
        while width:
            tried = emit("add", low, constant(float(width)))
            place = _entry(writer, places, tried)
            within = emit("le", tried, constant(float(last - 1)))
            go = emit("and", within, emit("le", place, x))
            low = emit("select", go, tried, low)
            width >>= 1
        high = emit("add", low, constant(1.0))
        x0, x1 = _entry(writer, places, low), _entry(writer, places, high)
        y0, y1 = _entry(writer, values, low), _entry(writer, values, high)
        span = emit("sub", x1, x0)
        span = emit("select", emit("eq", span, constant(0.0)), constant(1.0), span)
        share = emit("div", emit("sub", x, x0), span)
        inside = emit("add", y0, emit("mul", share, emit("sub", y1, y0)))
    before = int(values[0]) if left is None else int(reals(writer, left))
    inside = emit("select", emit("lt", x, int(places[0])), before, inside)
    # From the last place on; the value there is exact.
    inside = emit("select", emit("ge", x, int(places[last])), int(values[last]), inside)
    if right is None:
        return inside
    return emit("select", emit("gt", x, int(places[last])), int(reals(writer, right)), inside)


def _entry(writer: ProgramWriter, table: Registers, index: int) -> int:
    return int(writer.look_up(list(table), index))


@rule(np.searchsorted)
def _searchsorted(
    writer: ProgramWriter, places: Any, x: Any, side: str = "left", sorter: Any = None
) -> Registers:
    """How many of the rising places lie before x: below it ("left"), or not above it ("right")."""
    if sorter is not None or side not in ("left", "right"):
        raise KernelError(
            f"np.searchsorted is compiled with side='left' or 'right' and places that rise"
            f"{users_line()}"
        )
    return _counted(writer, {"left": "lt", "right": "le"}[side], places, x)


@rule(np.digitize)
def _digitize(writer: ProgramWriter, x: Any, bins: Any, right: bool = False) -> Registers:
    return _counted(writer, "lt" if right else "le", bins, x)


def _counted(writer: ProgramWriter, compare: str, places: Any, x: Any) -> Registers:
    at, table = reals(writer, x), reals(writer, places)
    # NaN comes after everything.
    unknown = writer.each("ne", at, at)
    before = [
        writer.each("or", writer.each(compare, np.asarray(place), at), unknown) for place in table
    ]
    if not before:
        return np.broadcast_to(writer.constants(0.0), at.shape)
    numbers = writer.each("to_real", np.stack(before))
    return writer.fold("add", numbers, (0,), 0.0)
