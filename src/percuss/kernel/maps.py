"""How the instruction `map` lays out what it reads and gives.

A map applies one program, its body, to every entry of some vectors. Its arguments are the
vectors, one after another, then what all entries share; its results are the body's outputs, each
for all entries before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from percuss.kernel.program import Instruction

T = TypeVar("T")


class MapLayout(NamedTuple):
    """How many entries a map's vectors have, and how many vectors it reads."""

    entries: int
    vectors: int

    @property
    def table(self) -> tuple[float, ...]:
        """The layout as an instruction keeps it: entries, then vectors."""
        return float(self.entries), float(self.vectors)

    def vectors_in(self, arguments: Sequence[T]) -> list[tuple[T, ...]]:
        """The vectors among the arguments."""
        count = self.entries
        return [tuple(arguments[v * count : (v + 1) * count]) for v in range(self.vectors)]

    def shared_in(self, arguments: Sequence[T]) -> tuple[T, ...]:
        """What all entries share, among the arguments."""
        return tuple(arguments[self.vectors * self.entries :])

    def inputs_of(self, entry: int, arguments: Sequence[T]) -> list[T]:
        """What the body reads for one entry."""
        read = [arguments[v * self.entries + entry] for v in range(self.vectors)]
        return [*read, *self.shared_in(arguments)]

    def place_of_input(self, entry: int, place: int) -> int:
        """Where an input of the body for one entry is among the arguments."""
        if place < self.vectors:
            return place * self.entries + entry
        return self.vectors * self.entries + place - self.vectors


def layout_of(instruction: Instruction) -> MapLayout:
    """The layout of a map."""
    entries, vectors = instruction.table
    return MapLayout(int(entries), int(vectors))
