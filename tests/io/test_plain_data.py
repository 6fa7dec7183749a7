"""Records as plain data: written and read back, and refused with the place and what is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.io.plain_data import Forms, OwnForm, PlainDataError


class Colour(StrEnum):
    RED = "red"
    BLUE = "dark blue"


@dataclass(frozen=True)
class Disk:
    radius: float


@dataclass(frozen=True)
class Box:
    sides: tuple[float, ...]
    name: str


@dataclass(frozen=True)
class Tag:
    words: str


@dataclass(frozen=True)
class Thing:
    count: int
    colour: Colour
    shape: Disk | Box | None
    turn: float | tuple[float, ...]
    parts: Mapping[str, Disk]
    is_new: bool
    tag: Tag


def tag_of(data: Any) -> Tag:
    if not isinstance(data, str):
        raise ValueError("words")
    return Tag(data)


FORMS = Forms(keys={Box: {"name": "title"}}, own={Tag: OwnForm(lambda tag: tag.words, tag_of)})

numbers = st.floats(allow_nan=False, allow_infinity=False)
shapes = st.one_of(
    st.none(),
    st.builds(Disk, numbers),
    st.builds(Box, st.lists(numbers).map(tuple), st.text()),
)
things = st.builds(
    Thing,
    st.integers(),
    st.sampled_from(Colour),
    shapes,
    st.one_of(numbers, st.lists(numbers).map(tuple)),
    st.dictionaries(st.text(), st.builds(Disk, numbers)),
    st.booleans(),
    st.builds(Tag, st.text()),
)


@given(things)
def test_what_is_written_is_read_back(thing: Thing) -> None:
    data = json.loads(json.dumps(FORMS.written(thing), allow_nan=False))
    found = FORMS.read(Thing, data, "here")
    assert found == thing
    assert type(found.colour) is Colour
    assert type(found.shape) is type(thing.shape)
    assert FORMS.written(found) == data


PLAIN = {
    "count": 3,
    "colour": "red",
    "shape": {"sides": [1.0, 2], "title": "a box"},
    "turn": 1.5,
    "parts": {"a": {"radius": 1}},
    "is_new": True,
    "tag": "x",
}


def test_keys_are_names_of_fields_in_their_order() -> None:
    thing = FORMS.read(Thing, PLAIN, "here")
    assert thing.shape == Box((1.0, 2.0), "a box")
    assert list(FORMS.written(thing)) == list(PLAIN)
    assert isinstance(thing.parts["a"].radius, float), "a number is a number"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 2.0}, "count: must be a whole number, got 2.0"),
        ({"count": True}, "count: must be a whole number, got True"),
        ({"turn": False}, "turn: must be a finite number or a list with a finite number at each"),
        ({"turn": [0.0, None]}, "turn[2]: must be a finite number, got None"),
        ({"turn": [0.0, float("inf")]}, "turn[2]: must be a finite number, got inf"),
        ({"colour": "green"}, "colour: must be one of red, dark blue, got 'green'"),
        ({"colour": 1}, "colour: must be one of red, dark blue, got 1"),
        ({"shape": {"radius": "x"}}, "shape.radius: must be a finite number, got 'x'"),
        (
            {"shape": {"size": 1}},
            "shape: must be an object with radius or an object with sides, title or null, got {",
        ),
        ({"parts": {"a": {}}}, "parts.a.radius: is missing; must be a finite number"),
        ({"parts": [1]}, "parts: must be an object, got [1]"),
        ({"parts": {"a": {"radios": 1}}}, "parts.a.radios: unknown key, got 1. Did you mean"),
        ({"is_new": 1}, "is_new: must be true or false, got 1"),
        ({"tag": 1}, "tag: must be words, got 1"),
        ({"more": "x" * 1000}, "more: unknown key, got 'xxx"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(PlainDataError) as error:
        FORMS.read(Thing, PLAIN | change, "here")
    assert str(error.value).startswith(f"here: {words}")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("data", [None, 1, "x", [], [PLAIN], {1: 2}])
def test_something_else_is_no_record(data: Any) -> None:
    with pytest.raises(PlainDataError, match="here: must be an object with count, colour, shape"):
        FORMS.read(Thing, data, "here")
