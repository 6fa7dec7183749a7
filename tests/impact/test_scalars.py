"""The same impacts on compiled programs, batches and symbols as on numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

from percuss import kernel
from percuss.algebra import Pose
from percuss.impact import Contact, bounce, pin, weld
from percuss.model import Frame, ModelError, disk, free_body
from percuss.sources.published import published
from percuss.sources.published.plant import PublishedPlant
from tests.impact.captures import random_contact, thesis, three
from tests.strategies import Array

CLOSURES = {
    "pin": pin,
    "weld": weld,
    "bounce": lambda contact: bounce(contact, 0.7),
    "published": published,
}


def state(contact: Contact) -> tuple[Array, ...]:
    return tuple(
        np.array(values, float)
        for values in (
            contact.chaser_coordinates,
            contact.chaser_rates,
            contact.target_coordinates,
            contact.target_rates,
        )
    )


def at(contact: Contact, q: Any, v: Any, q_target: Any, v_target: Any) -> Contact:
    return replace(
        contact,
        chaser_coordinates=q,
        chaser_rates=v,
        target_coordinates=q_target,
        target_rates=v_target,
    )


def jump_as_arrays(closure: str, contact: Contact) -> tuple[Any, Any, Any, Any]:
    jump = CLOSURES[closure](contact)
    return jump.chaser_rates, jump.target_rates, jump.impulse.array(), jump.moment.array()


def states(contact: Contact, count: int, rng: Any) -> tuple[Array, ...]:
    """The same contact with other rates, case by case; shape (…, count)."""
    q, v, q_target, v_target = state(contact)
    spread = [np.repeat(x[:, None], count, axis=1) for x in (q, q_target)]
    rates = [rng.normal(size=(len(x), count)) for x in (v, v_target)]
    return spread[0], rates[0], spread[1], rates[1]


@pytest.mark.parametrize(
    ("closure", "planar"),
    [(name, True) for name in CLOSURES]
    + [(name, False) for name in CLOSURES if name != "published"],
)
def test_compiled_impacts(closure: str, planar: bool) -> None:
    rng = np.random.default_rng(21)
    contact = random_contact(rng, 3, planar)
    compiled = kernel.compile(
        lambda *given: jump_as_arrays(closure, at(contact, *given)), *state(contact)
    )
    many = states(contact, 9, rng)
    found = compiled(*many)
    for case in range(9):
        expected = jump_as_arrays(closure, at(contact, *(x[:, case] for x in many)))
        for ours, theirs in zip(found, expected, strict=True):
            assert np.allclose(np.asarray(ours)[:, case], theirs, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("closure", CLOSURES)
def test_batches(closure: str) -> None:
    """The batch is the last axis of every result."""
    rng = np.random.default_rng(22)
    contact = random_contact(rng, 3, planar=True)
    many = states(contact, 5, rng)
    batch = jump_as_arrays(closure, at(contact, *many))
    for case in range(5):
        expected = jump_as_arrays(closure, at(contact, *(x[:, case] for x in many)))
        for ours, theirs in zip(batch, expected, strict=True):
            whole = np.asarray(ours)
            own = whole[:, case] if whole.ndim == 2 else whole
            assert np.allclose(own, theirs, rtol=1e-12, atol=1e-13)


def test_compiled_published_motion() -> None:
    contact = thesis(1)
    plant = PublishedPlant(contact)
    zero = np.zeros(5)
    rng = np.random.default_rng(23)
    q, v, u = rng.normal(size=(3, 5, 4))
    for function in (plant.accelerations, plant.commands):
        found = kernel.compile(function, zero, zero, zero)(q, v, u)
        for case in range(4):
            expected = function(q[:, case], v[:, case], u[:, case])
            assert np.allclose(found[:, case], expected, rtol=1e-11, atol=1e-11)
    place, motion = kernel.compile(plant.target_state, zero, zero)(q, v)
    for case in range(4):
        expected = plant.target_state(q[:, case], v[:, case])
        assert np.allclose(place[:, case], expected[0], atol=1e-13)
        assert np.allclose(motion[:, case], expected[1], atol=1e-13)


def head_on(m: Any, n: Any, v: Any, w: Any) -> Contact:
    """Two disks of 1 m meet on the x axis."""
    chaser = free_body(disk("ball", 1.0, m), planar=True)
    target = free_body(disk("other", 1.0, n), planar=True)
    tool, grip = (
        Frame("front", "ball", Pose.at((1.0, 0.0))),
        Frame("rim", "other", Pose.at((-1, 0))),
    )
    return Contact(
        chaser=chaser,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=(0, 0, 0),
        chaser_rates=(v, 0, 0),
        target_coordinates=(2, 0, 0),
        target_rates=(w, 0, 0),
    )


def test_symbols() -> None:
    """Head-on, pin and weld share the velocity (m v + n w) / (m + n)."""
    m, n = sympy.symbols("m n", positive=True)
    v, w, e = sympy.symbols("v w e", real=True)
    contact = head_on(m, n, v, w)
    shared = (m * v + n * w) / (m + n)
    for closure in (pin, weld, published):
        jump = closure(contact)
        for rates in (jump.chaser_rates, jump.target_rates):
            assert sympy.simplify(rates[0] - shared) == 0
            assert sympy.simplify(rates[1]) == 0
            assert sympy.simplify(rates[2]) == 0
        assert sympy.simplify(jump.impulse.x - m * n * (w - v) / (m + n)) == 0
    jump = bounce(contact, e)
    assert sympy.simplify(jump.effective_mass - m * n / (m + n)) == 0
    values = {m: 2.0, n: 3.0, v: 0.5, w: -1.0, e: 0.25}
    expected = bounce(head_on(2.0, 3.0, 0.5, -1.0), 0.25)
    assert np.allclose(
        np.array(jump.chaser_rates.subs(values), float).ravel(), expected.chaser_rates
    )
    parting = jump.impulse.x.subs({**values, v: -2.0})  # type: ignore[attr-defined]
    assert float(parting) == 0
    assert not three(bounce(head_on(2.0, 3.0, -2.0, -1.0), 0.25).impulse).any()


def test_friction_needs_numbers() -> None:
    m = sympy.Symbol("m", positive=True)
    with pytest.raises(ModelError, match="symbols work with friction 0, pin and weld"):
        bounce(head_on(m, 1.0, 1.0, 0.0), 0.5, 0.1)
