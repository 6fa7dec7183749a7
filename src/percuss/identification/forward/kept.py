"""What was made last, by name: for those who ask for the like again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LastMade(Generic[T]):
    """The last things that were asked for by name, at most so many.

    A thing without a name is made anew each time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: dict[object, T] = {}

    def of(self, name: object | None, make: Callable[[], T]) -> T:
        """The thing of this name, made where it is not there."""
        if name is None:
            return make()
        found = self._things.pop(name) if name in self._things else make()
        self._things[name] = found
        for oldest in list(self._things)[: -self._most]:
            del self._things[oldest]
        return found
