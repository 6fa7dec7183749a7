"""What had to be changed in a model file to make sense of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was read in a file and is not used as it stands.

    `line` is that of the file, 0 where the format does not tell it; `where` names the element,
    `read` says what stands there and `used` what is used instead, both with units.
    """

    line: int
    where: str
    read: str
    used: str

    def __str__(self) -> str:
        line = f"line {self.line}: " if self.line else ""
        return f"{line}{self.where}: read {self.read}; used {self.used}"


def listed(changes: Iterable[Change]) -> str:
    """The changes as lines of text, in the order of the file."""
    return "\n".join(str(change) for change in sorted(changes, key=lambda change: change.line))
