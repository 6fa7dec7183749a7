"""Records of what drives the chaser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a scenario file as it was written: a unit makes a text of a number."""

NO_LAW = "none"


@dataclass(frozen=True)
class ControlRecord:
    """A law by its name and settings, as a scenario file has them, in their own order."""

    settings: Mapping[str, Setting]

    @property
    def law(self) -> str:
        """The name of the law of control; "none" where no law is named."""
        return str(self.settings["law"] or NO_LAW) if "law" in self.settings else NO_LAW

    @property
    def is_driving(self) -> bool:
        """Whether there is a law that drives anything."""
        return self.law != NO_LAW

    @property
    def parameters(self) -> Mapping[str, Setting]:
        """Everything that is set besides the law, in the order of the scenario."""
        return {name: value for name, value in self.settings.items() if name != "law"}
