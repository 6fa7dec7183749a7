"""Fingerprints: equal data have equal ones, whatever differs differs, the rest has none."""

from __future__ import annotations

import enum
import functools
import gc
import subprocess
import sys
import types
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.encounter.phase_machine import Thrust
from percuss.kernel import fingerprint
from percuss.kernel.fingerprint import _remembered
from percuss.kernel.provenance import is_own
from percuss.model import BaseMode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


def told_apart(value: Any) -> str:
    """Text that differs whenever plain data differ in type or bits."""
    if isinstance(value, float):
        return value.hex() + str(np.signbit(value))
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(told_apart, value))})"
    if isinstance(value, dict):
        return f"dict({[(key, told_apart(part)) for key, part in value.items()]})"
    return f"{type(value).__name__} {value!r}"


@given(PLAIN, PLAIN)
def test_plain_data_have_equal_fingerprints_only_when_they_are_equal(a: Any, b: Any) -> None:
    assert fingerprint(a) == fingerprint(a)
    if told_apart(a) != told_apart(b):
        assert fingerprint(a) != fingerprint(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.0, -0.0),
        (1, 1.0),
        (1, True),
        (np.zeros(2), np.zeros((2, 1))),
        (np.zeros(2), np.zeros(2, np.float32)),
        ([1.0, [2.0]], [[1.0], 2.0]),
        (["a", "b"], ["ab", ""]),
        (np.sin, np.cos),
        (functools.partial(np.add, 1.0), functools.partial(np.add, 2.0)),
        (BaseMode.FIXED, BaseMode.FREE_FLOATING),
        (enum.Enum("Gain", {"HIGH": 2.0}).HIGH, enum.Enum("Gain", {"HIGH": 3.0}).HIGH),  # type: ignore[attr-defined]
        (slice(1, 2), slice(1, 3)),
        ({"k": 2.0}.get, {"k": 3.0}.get),
        (np.zeros(2).dot, np.ones(2).dot),
    ],
)
def test_what_differs_is_told_apart(a: Any, b: Any) -> None:
    assert fingerprint(a) is not None
    assert fingerprint(a) != fingerprint(b)


def test_any_number_of_a_robot_counts() -> None:
    system = percuss.robot("demo-7")
    again = percuss.robot("demo-7")
    assert fingerprint(system) == fingerprint(again) is not None
    for name in percuss.parameters(system):
        value = percuss.parameters(system)[name] * (1.0 + 1e-15) + 1e-300
        changed = system.with_parameters({name: value})
        if percuss.parameters(changed)[name] != percuss.parameters(system)[name]:
            assert fingerprint(changed) != fingerprint(system), name


GAIN = 2.0


def proportional(x: Any) -> Any:
    return -GAIN * x


def test_a_function_is_its_code_and_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    def law(gain: float, offset: float = 0.0) -> Any:
        return lambda x: gain * x + offset

    assert fingerprint(law(2.0)) == fingerprint(law(2.0)) is not None
    assert fingerprint(law(2.0)) != fingerprint(law(3.0))
    assert fingerprint(law(2.0)) != fingerprint(law(2.0, 1.0))
    assert fingerprint(lambda x: x + 1.0) != fingerprint(lambda x: x + 2.0)
    assert fingerprint(lambda x: np.sin(x)) != fingerprint(lambda x: np.cos(x))
    before = fingerprint(proportional)
    monkeypatch.setitem(globals(), "GAIN", 3.0)
    assert fingerprint(proportional) != before


class Setting(NamedTuple):
    low: float
    high: float


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Own:
    value: float


class Counter:
    """Has a state that nothing tells."""

    def __call__(self, x: Any) -> Any:
        return x


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Counter(),
        Counter().__call__,
        iter([1]),
        Own(1.0),
        lambda x: Own(x),
        [1.0, object()],
        np.vectorize(lambda x: x),
        np.frompyfunc(lambda x: x, 1, 1),
        np.polynomial.Polynomial([1.0, 2.0]),
        np.poly1d([1.0, 2.0]),
    ],
)
def test_what_cannot_be_told_apart_has_none(value: Any) -> None:
    """A class of a program of one's own may change without any number changing."""
    assert fingerprint(value) is None


LIBRARY = """
__version__ = "1.0"
class Gain:
    pass
def law(x):
    return {gain} * x
def reading(x):
    import {name}
    return {name}.law(x)
"""


def library(name: str, gain: float, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module with a version that is not installed: somebody works on it."""
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(LIBRARY.format(gain=gain, name=name), module.__dict__)
    return module


def test_a_version_says_nothing_about_what_is_being_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = (library("ownlib", gain, monkeypatch) for gain in (2.0, 3.0))
    assert fingerprint(first.law) != fingerprint(second.law)
    assert fingerprint(second.law) is not None
    assert fingerprint(second.Gain) is None
    assert fingerprint(second) is None
    assert fingerprint(second.reading) is None, "what it imports is not known"


def test_what_wraps_a_function_of_percuss_is_not_one(monkeypatch: pytest.MonkeyPatch) -> None:
    @functools.wraps(percuss.gravity_forces)
    def law(x: Any) -> Any:
        return GAIN * x

    assert law.__module__.startswith("percuss.")
    assert is_own(percuss.gravity_forces)
    assert is_own(percuss.robot("thesis").node)
    assert not is_own(law)
    assert not is_own(Counter().__call__)
    before = fingerprint(law)
    monkeypatch.setitem(globals(), "GAIN", 3.0)
    assert fingerprint(law) != before


def test_what_can_change_is_looked_at_again() -> None:
    """Also inside of what is frozen itself."""
    for value, change in (
        (np.ones(2), lambda x: x.__setitem__(0, 3.0)),
        ([1.0, 2.0], lambda x: x.append(3.0)),
        ({"a": 1.0}, lambda x: x.update(a=2.0)),
    ):
        around = Thrust((0.0, 1.0), 1.0), Thrust((0.0, value), 2.0)  # type: ignore[arg-type]
        before = fingerprint(around)
        assert fingerprint(around) == before is not None
        change(value)
        assert fingerprint(around) != before


def test_what_cannot_change_is_remembered_while_it_lives() -> None:
    system = percuss.robot("thesis")
    before = fingerprint(system)
    assert id(system) in _remembered
    place = id(system)
    assert fingerprint(system) == before
    assert fingerprint([system]) == fingerprint([replace(system)])
    del system
    gc.collect()
    assert place not in _remembered


def test_a_container_may_hold_itself() -> None:
    endless: list[Any] = [1.0]
    endless.append(endless)
    assert fingerprint(endless) is not None
    assert fingerprint(endless) != fingerprint([1.0, [1.0]])


def test_dataclasses_of_percuss_by_their_fields() -> None:
    limits = percuss.robot("ssrms").joints[1].limits
    assert fingerprint(limits) == fingerprint(replace(limits)) is not None


def test_another_process_finds_the_same() -> None:
    line = (
        "import percuss; from percuss.kernel import fingerprint; s = percuss.robot('thesis'); "
        "print(fingerprint(s, {'b': 1.5, 'a': (None, 'x')}, {3, 4, 'y'}))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", line], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    }
    here = fingerprint(percuss.robot("thesis"), {"b": 1.5, "a": (None, "x")}, {3, 4, "y"})
    assert found == {here}
