"""Excerpts: a stretch of what is being built as a program of its own."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.builder import PLACEHOLDER, Builder
from percuss.kernel.program import REAL, Program


def excerpt(
    builder: Builder, places: Sequence[int], outputs: Sequence[int]
) -> tuple[Program, list[int]]:
    """What computes these outputs from these placeholders, as a program of its own.

    Returns the program and the registers of further inputs: it takes the placeholders first, then
    those. What depends on no placeholder is such an input, unless it is a truth value.
    """
    inner, closed = _needed(builder, _moving(builder, places), outputs)
    body = Builder(len(places) + len(closed))
    number = {register: k for k, register in enumerate((*places, *closed))}

    def numbered(register: int) -> int:
        if register not in number:
            value = builder.value(register)
            assert value is not None
            number[register] = body.constant(value)
        return number[register]

    for register in sorted(inner):
        node = builder.node(register)
        assert node is not None
        number[register] = body.repeat(node, [numbered(a) for a in node.arguments])
    return body.finish([numbered(output) for output in outputs]), closed


def _moving(builder: Builder, places: Sequence[int]) -> set[int]:
    """The registers that depend on the placeholders."""
    moving = set(places)
    for register in range(min(places, default=builder.register_count), builder.register_count):
        node = builder.node(register)
        if node is not None and any(a in moving for a in node.arguments):
            moving.add(register)
    return moving


def _needed(
    builder: Builder, moving: set[int], outputs: Sequence[int]
) -> tuple[set[int], list[int]]:
    """The registers to be computed for the outputs, and those that are given.

    These in the order in which they were made, so that the entries of a vector lie in a row.
    """
    inner: set[int] = set()
    closed: set[int] = set()
    waiting = list(outputs)
    while waiting:
        register = waiting.pop()
        node = builder.node(register)
        if register in inner or builder.value(register) is not None:
            continue
        if node is None or (register not in moving and builder.kind(register) == REAL):
            closed.add(register)
        elif node.operation != PLACEHOLDER:
            inner.add(register)
            waiting.extend(node.arguments)
    return inner, sorted(closed)
