"""What numbers of an encounter may be: in words, and as a question to many values at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.model.checks import (
    LARGEST,
    LARGEST_LENGTH,
    is_finite,
    is_not_negative,
    is_positive,
)


@dataclass(frozen=True)
class Bound:
    """What a number may be.

    Attributes:
        words: "a number > 0", without a unit; of a vector, what each of its entries is.
        entry: truth values of values of one entry, of their shape.
        whole: truth values (cases,) of a vector (entries, cases); None: each entry by itself.
    """

    words: str
    entry: Callable[[Any], Any]
    whole: Callable[[np.ndarray], np.ndarray] | None = None

    def described(self, unit: str, count: int | None) -> str:
        """What a number may be, in words: "a number in kg > 0", or "3 numbers in m" of a vector."""
        many = "a number" if count is None else f"{count} numbers"
        unit = f" in {unit}" if unit else ""
        return f"{many}{unit} {self.words}".rstrip()

    def allowed(self, values: np.ndarray, count: int | None) -> np.ndarray:
        """Truth values (cases,) of values (cases,), or (count, cases) of a vector."""
        values = np.asarray(values, float)
        if count is None:
            values = values[None]
        each = np.all(self.entry(values), axis=0)
        return each if self.whole is None else each & self.whole(values)


def _share(x: Any) -> Any:
    return (x >= 0) & (x <= 1)


def _limit(x: Any) -> Any:
    return x >= 0


def _at_most(largest: float, allowed: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: allowed(x) & (np.abs(x) <= largest)


def _not_zero(x: np.ndarray) -> np.ndarray:
    return np.any(x != 0, axis=0)


ANY = Bound("", is_finite)
POSITIVE = Bound("> 0", is_positive)
NOT_NEGATIVE = Bound("≥ 0", is_not_negative)
SHARE = Bound("from 0 to 1", _share)
LIMIT = Bound("≥ 0, infinite for none", _limit)
DIRECTION = Bound("not all zero", is_finite, _not_zero)
MASS = Bound(f"> 0, at most {LARGEST:g}", _at_most(LARGEST, is_positive))
MOMENT = FRICTION = Bound(f"≥ 0, at most {LARGEST:g}", _at_most(LARGEST, is_not_negative))
LENGTH = Bound(f"of at most {LARGEST_LENGTH:g}", _at_most(LARGEST_LENGTH, is_finite))
REAL = Bound(f"of at most {LARGEST:g}", _at_most(LARGEST, is_finite))
