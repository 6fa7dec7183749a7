"""Calls and maps without what is not needed of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from percuss.kernel.maps import MapLayout, layout_of
from percuss.kernel.program import WHOLE, Instruction, Program


class Trimmed(NamedTuple):
    """A part with some of its outputs only, and which of its inputs these need."""

    part: Program
    inputs: tuple[int, ...]


def trimmed_call(call: Instruction, wanted: Sequence[int]) -> tuple[Instruction, dict[int, int]]:
    """A call or a map without results that are not wanted, and where the others are in it.

    Of a map, entries go before the first and after the last of which a result is wanted, and
    vectors that nothing needs.
    """
    assert call.part is not None
    if call.operation == "call":
        if call.table == WHOLE:
            wanted = range(len(call.part.outputs))
        part, inputs = trimmed(call.part, tuple(wanted))
        kept = tuple([call.arguments[k] for k in inputs])
        return Instruction("call", kept, call.table, part), {k: n for n, k in enumerate(wanted)}
    layout = layout_of(call)
    outputs = sorted({k // layout.entries for k in wanted})
    # Those between the first and the last stay, so that what lies in a row still does.
    found = [k % layout.entries for k in wanted]
    entries = range(min(found), max(found) + 1)
    body, inputs = trimmed(call.part, tuple(outputs))
    vectors = [k for k in inputs if k < layout.vectors]
    places = [layout.place_of_input(entry, k) for k in vectors for entry in entries]
    places += [layout.place_of_input(0, k) for k in inputs if k >= layout.vectors]
    smaller = MapLayout(len(entries), len(vectors))
    return (
        Instruction("map", tuple(call.arguments[k] for k in places), smaller.table, body),
        {
            output * layout.entries + entry: m * len(entries) + n
            for m, output in enumerate(outputs)
            for n, entry in enumerate(entries)
        },
    )


@lru_cache(maxsize=64)
def trimmed(part: Program, outputs: tuple[int, ...]) -> Trimmed:
    """The part with these outputs (positions), without what they do not need."""
    if len(outputs) == len(part.outputs):
        whole = part
    else:
        from percuss.kernel.builder import Builder

        whole = Builder.holding(part).finish([part.outputs[k] for k in outputs])
    read = {a for i in whole.instructions for a in i.arguments} | set(whole.outputs)
    inputs = tuple(k for k in range(whole.input_count) if k in read)
    if len(inputs) == whole.input_count:
        return Trimmed(whole, inputs)
    moved = [0] * whole.input_count
    for place, k in enumerate(inputs):
        moved[k] = place
    moved += range(len(inputs), len(inputs) + len(whole.constants) + len(whole.instructions))
    return Trimmed(
        Program(
            len(inputs),
            whole.constants,
            tuple(
                i._replace(arguments=tuple([moved[a] for a in i.arguments]))
                for i in whole.instructions
            ),
            tuple(moved[output] for output in whole.outputs),
        ),
        inputs,
    )
