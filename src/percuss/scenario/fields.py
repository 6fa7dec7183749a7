"""Readers of single values: what a field takes, how it says no, and what an editor is told.

A reader stands in the type of a field, `Annotated[float, Quantity("kg", above=0)]`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from percuss.algebra.scalars import to_scalar
from percuss.encounter.errors import shown
from percuss.model.checks import LARGEST, LARGEST_LENGTH
from percuss.model.errors import ModelError, closest
from percuss.scenario.errors import RefusedError
from percuss.scenario.units import Amount, Dimension, UnitError, in_words, parse_amount, parse_unit

LARGEST_OF = {"m": LARGEST_LENGTH, "rad": 1e6, "m/s": 1e6, "rad/s": 1e6}
"""In SI units, of what loses its last digits before `LARGEST`."""
SMALLEST = 1e-12
"""Nor is one that must be positive smaller."""


def refuse_large(value: float, unit: str, what: str) -> None:
    """ModelError for a number in SI that is larger than any of its unit."""
    largest = LARGEST_OF.get(unit, LARGEST)
    if abs(value) > largest:
        raise ModelError(f"{what} must be at most {largest:g} {unit}".rstrip())


class Reader:
    """Reads a raw value of a document into what the scenario keeps."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The value, or RefusedError with what is allowed and what was given."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what is read."""

    @property
    def unit(self) -> str:
        """SI unit, for tables."""
        return ""

    @property
    def quantity(self) -> Quantity | None:
        """What each of the numbers is that it reads; None where it reads no quantities."""
        return None

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(refusing(self.read))


def refusing(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function with RefusedError turned into what pydantic collects."""

    def reader(value: Any) -> Any:
        try:
            return read(value)
        except RefusedError as error:
            raise PydanticCustomError("refused", "{text}", {"text": str(error)}) from None

    return reader


class NumberWithUnit(float):
    """A number in SI that remembers the dimension it was written with (None: no unit)."""

    dimension: Dimension | None

    def __new__(cls, amount: Amount) -> NumberWithUnit:
        self = super().__new__(cls, amount.value)
        self.dimension = amount.dimension
        return self

    def __reduce__(self) -> Any:
        return NumberWithUnit, (Amount(float(self), self.dimension),)

    def __fingerprint__(self) -> Any:
        """The number and its dimension."""
        return float(self), None if self.dimension is None else [str(x) for x in self.dimension]


@dataclass(frozen=True)
class Quantity(Reader):
    """A number in one of the `units`, which are SI and differ in kind only (rad or m)."""

    units: str | tuple[str, ...] = ""
    above: float | None = None
    least: float | None = None
    most: float | None = None
    infinite: bool = False

    @property
    def _units(self) -> tuple[str, ...]:
        return (self.units,) if isinstance(self.units, str) else self.units

    @property
    def unit(self) -> str:
        return " or ".join(self._units)

    @property
    def quantity(self) -> Quantity:
        return self

    @property
    def largest(self) -> float:
        """The largest finite number that is allowed, in SI units."""
        return max(LARGEST_OF.get(unit, LARGEST) for unit in self._units)

    def words(self) -> str:
        """What is allowed: "a number in kg > 0"."""
        unit = f" in {self.unit}" if any(self._units) else ""
        bounds = [("> ", self.above), ("≥ ", self.least), ("≤ ", self.most)]
        limits = " and ".join(f"{sign}{bound:g}" for sign, bound in bounds if bound is not None)
        return f"a number{unit}{' ' + limits if limits else ''}"

    def allows(self, numbers: np.ndarray) -> np.ndarray:
        """Which numbers in SI units `read` would take, truth values of the same shape."""
        infinite = np.isinf(numbers)
        allowed = ~np.isnan(numbers) & (infinite | (np.abs(numbers) <= self.largest))
        if not self.infinite:
            allowed &= ~infinite
        if self.above is not None:
            allowed &= numbers > self.above
        if self.above == 0:
            allowed &= numbers >= SMALLEST
        if self.least is not None:
            allowed &= numbers >= self.least
        if self.most is not None:
            allowed &= numbers <= self.most
        return allowed

    def read(self, value: Any) -> float:
        amount = self._amount(value)
        number = amount.value
        if math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise RefusedError(f"must be finite, {self.words()}, got {shown(value)}")
        if not math.isinf(number) and abs(number) > self.largest:
            most = f"at most {self.largest:g}"
            raise RefusedError(f"must be {self.words()}, {most}, got {shown(value)}")
        if (
            (self.above is not None and number <= self.above)
            or (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
        ):
            raise RefusedError(f"must be {self.words()}, got {shown(value)}")
        if self.above == 0 and number < SMALLEST:
            raise RefusedError(f"must be {self.words()}, at least {SMALLEST:g}, got {shown(value)}")
        return NumberWithUnit(amount) if len(self._units) > 1 else number

    def _amount(self, value: Any) -> Amount:
        if isinstance(value, NumberWithUnit):
            return Amount(float(value), value.dimension)
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise RefusedError(f"must be {self.words()}, got {shown(value)}")
        if not isinstance(value, str):
            try:
                return Amount(float(value), None)
            except OverflowError:
                raise RefusedError(f"must be {self.words()}, got a number too large") from None
        try:
            amount = parse_amount(value)
        except UnitError as error:
            raise RefusedError(f"must be {self.words()}, got {shown(value)}: {error}") from None
        allowed = [parse_unit(unit).dimension for unit in self._units]
        if amount.dimension is not None and amount.dimension not in allowed:
            given = in_words(amount.dimension)
            raise RefusedError(f"must be {self.words()}, got {shown(value)}, which is {given}")
        return amount

    def schema(self) -> dict[str, Any]:
        number: dict[str, Any] = {"type": "number"}
        for key, bound in (
            ("exclusiveMinimum", self.above),
            ("minimum", self.least),
            ("maximum", self.most),
        ):
            if bound is not None:
                number[key] = bound
        text = {"type": "string", "pattern": r"^\s*[-+]?(\d|\.\d|\.?[iI]nf)"}
        return {"anyOf": [number, text]} | ({"x-unit": self.unit} if self.unit else {})


@dataclass(frozen=True)
class Choice(Reader):
    """One of several words, also of the keys of a table as they are when something is read."""

    options: Collection[str]

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.options:
            hint = closest(value, tuple(self.options))
            raise RefusedError(
                f"must be one of {', '.join(self.options)}, got {shown(value)}.{hint}"
            )
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Text(Reader):
    """A text; `what` says of what kind."""

    what: str

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            hint = "; put it in quotes" if isinstance(value, (bool, int, float)) else ""
            raise RefusedError(f"must be text, {self.what}, got {shown(value)}{hint}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Count(Reader):
    """A whole number from `least` to `most`."""

    least: int
    most: int

    def read(self, value: Any) -> int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not self.least <= value <= self.most:
            allowed = f"a whole number from {self.least} to {self.most}"
            raise RefusedError(f"must be {allowed}, got {shown(value)}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Switch(Reader):
    """True or false."""

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise RefusedError(f"must be true or false, got {shown(value)}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": [True, False]}


def plain(value: Any) -> Any:
    """A number without the unit that it was written with; another scalar, and None, as it is."""
    return None if value is None else to_scalar(value)


def plain_entries(values: Any) -> tuple[Any, ...]:
    """Numbers without the units that they were written with; other scalars as they are."""
    return tuple(to_scalar(value) for value in values)


def plain_numbers(value: Any) -> Any:
    """One number or several; None where there is none."""
    return plain_entries(value) if isinstance(value, tuple) else plain(value)
