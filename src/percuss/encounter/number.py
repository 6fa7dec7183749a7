"""The numbers of an encounter: what each is called, what it is, and which values it may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from percuss.encounter.encounter import Encounter


@dataclass(frozen=True)
class Number:
    """A number, or a vector of them, on which an encounter depends.

    Attributes:
        name: dotted, as in a scenario file: "target.mass", "chaser.joints".
        value: its own value in SI units, shape () or (entries,).
        unit: SI; empty for a pure number.
        words: what it may be, "a number in kg > 0".
        allowed: truth values (cases,) of values (…, cases), of the shape of `value` before the
            cases.
    """

    name: str
    value: np.ndarray
    unit: str
    words: str
    allowed: Callable[[np.ndarray], np.ndarray]


class Numbered(Protocol):
    """What has numbers by name that can be replaced: an encounter, or a scenario that makes one."""

    def number(self, name: str) -> Number:
        """The number of a name; an error with the nearest name where there is none."""
        ...

    def encounter_of(self, values: Mapping[str, Any]) -> Encounter:
        """The encounter with some numbers replaced, by scalars of any kind.

        A value is a scalar, or a sequence of as many scalars as the number has entries.
        """
        ...
