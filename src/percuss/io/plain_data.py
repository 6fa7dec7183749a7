"""Records as plain data, and plain data as records.

A record is a frozen dataclass. As plain data it is a dictionary with the names of its fields as
keys, in their order; tuples are lists. What may stand at a key is what the type of the field says:
numbers (finite ones), whole numbers, texts, truth values, None, tuples, mappings by name, choices
of texts, and other records.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from percuss.model.errors import ModelError, closest

T = TypeVar("T")
Place = tuple[str | int, ...]
"""Keys and positions that lead to a value."""

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 60, 60
_WORDS: dict[Any, str] = {
    float: "a finite number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    NoneType: "null",
}


class PlainDataError(ModelError):
    """Plain data are not those of the record that they should be."""


@dataclass(frozen=True)
class OwnForm(Generic[T]):
    """How values of a type are written and read that do not follow the rule.

    `read` raises ValueError, with what would be allowed as its text.
    """

    write: Callable[[T], Any]
    read: Callable[[Any], T]


@dataclass(frozen=True)
class Forms:
    """How records are written.

    `keys` gives fields of a type another key than their name; `own` are types that do not follow
    the rule.
    """

    keys: Mapping[type, Mapping[str, str]] = field(default_factory=dict)
    own: Mapping[type, OwnForm[Any]] = field(default_factory=dict)

    def written(self, value: Any) -> Any:
        """A record, or a part of one, as plain data."""
        if type(value) in self.own:
            return self.own[type(value)].write(value)
        if is_dataclass(value):
            return {key: self.written(getattr(value, name)) for name, key in self._keys(value)}
        if isinstance(value, Mapping):
            return {str(key): self.written(entry) for key, entry in value.items()}
        if isinstance(value, (tuple, list)):
            return [self.written(entry) for entry in value]
        return str(value) if isinstance(value, StrEnum) else value

    def read(self, kind: type[T], data: Any, source: str) -> T:
        """Plain data as a record of a kind; PlainDataError, which names `source`, if they are not.

        Keys that the record does not have are refused, and so are keys that are missing.
        """
        return _Reader(self, source).value(kind, data, ())

    def _keys(self, record: Any) -> list[tuple[str, str]]:
        """Name and key of each field, in order."""
        kind = record if isinstance(record, type) else type(record)
        keys = self.keys.get(kind, {})
        return [(f.name, keys.get(f.name, f.name)) for f in fields(kind)]


@dataclass(frozen=True)
class _Reader:
    forms: Forms
    source: str

    def value(self, kind: Any, data: Any, place: Place) -> Any:
        if kind in self.forms.own:
            return self._own(kind, data, place)
        origin = get_origin(kind)
        if origin in (Union, UnionType):
            return self._one_of(kind, data, place)
        if not _has_form(kind, data):
            self._refuse(kind, data, place)
        if is_dataclass(kind):
            return self._record(kind, data, place)
        if origin is tuple:
            entry, _ = get_args(kind)
            return tuple(self.value(entry, x, (*place, k)) for k, x in enumerate(data))
        if origin is not None:
            _, entry = get_args(kind)
            return {key: self.value(entry, x, (*place, key)) for key, x in data.items()}
        return kind(data)

    def _own(self, kind: type, data: Any, place: Place) -> Any:
        try:
            return self.forms.own[kind].read(data)
        except ValueError as error:
            self._fail(place, f"must be {error}, got {shown(data)}")

    def _one_of(self, kind: Any, data: Any, place: Place) -> Any:
        """The one alternative that the data have the form of."""
        if data is None and NoneType in get_args(kind):
            return None
        choices = [choice for choice in get_args(kind) if choice is not NoneType]
        if len(choices) > 1:
            choices = [choice for choice in choices if self._fits(choice, data)]
        if len(choices) != 1 or not (choices[0] in self.forms.own or _has_form(choices[0], data)):
            self._refuse(kind, data, place)
        return self.value(choices[0], data, place)

    def _fits(self, kind: Any, data: Any) -> bool:
        """Whether data have the form of a kind, for records: exactly its keys."""
        if not _has_form(kind, data):
            return False
        return not is_dataclass(kind) or set(data) == {key for _, key in self.forms._keys(kind)}

    def _record(self, kind: Any, data: Mapping[str, Any], place: Place) -> Any:
        keys = self.forms._keys(kind)
        allowed = [key for _, key in keys]
        for key, given in data.items():
            if key not in allowed:
                self._fail(
                    (*place, key),
                    f"unknown key, got {shown(given)}.{closest(key, allowed)} "
                    f"Allowed here: {', '.join(allowed)}",
                )
        kinds = _hints(kind)
        found: dict[str, Any] = {}
        for name, key in keys:
            if key not in data:
                self._fail((*place, key), f"is missing; must be {self._words(kinds[name])}")
            found[name] = self.value(kinds[name], data[key], (*place, key))
        return kind(**found)

    def _refuse(self, kind: Any, data: Any, place: Place) -> None:
        self._fail(place, f"must be {self._words(kind)}, got {shown(data)}")

    def _fail(self, place: Place, text: str) -> None:
        where = f"{shown_place(place)}: " if place else ""
        raise PlainDataError(f"{self.source}: {where}{text}")

    def _words(self, kind: Any) -> str:
        """What may stand somewhere, in words."""
        if kind in _WORDS:
            return _WORDS[kind]
        origin = get_origin(kind)
        if origin in (Union, UnionType):
            return " or ".join(self._words(choice) for choice in get_args(kind))
        if origin is tuple:
            return f"a list with {self._words(get_args(kind)[0])} at each place"
        if is_dataclass(kind) and kind not in self.forms.own:
            return f"an object with {', '.join(key for _, key in self.forms._keys(kind))}"
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return f"one of {', '.join(kind)}"
        return "an object"


def shown(value: Any) -> str:
    """A value for a message, shortened when it is long or deep."""
    return _SHORT.repr(value)


def shown_place(place: Place) -> str:
    """`impacts[2].energy.before`: keys with dots, positions in a list from 1 in brackets."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += f".{part[:60]}" if text else part[:60]
    return text


@cache
def _hints(kind: type) -> dict[str, Any]:
    """The types of a record's fields."""
    return get_type_hints(kind)


def _has_form(kind: Any, data: Any) -> bool:
    """Whether data are of the kind that JSON has for a type; what is inside does not count."""
    if kind is float:
        is_number = isinstance(data, (int, float)) and not isinstance(data, bool)
        return is_number and abs(data) <= sys.float_info.max
    if kind is int:
        return isinstance(data, int) and not isinstance(data, bool)
    if kind in (str, bool):
        return isinstance(data, kind)
    if get_origin(kind) is tuple:
        return isinstance(data, list)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return isinstance(data, str) and data in list(kind)
    return isinstance(data, Mapping) and all(isinstance(key, str) for key in data)
