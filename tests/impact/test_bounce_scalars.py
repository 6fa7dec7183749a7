"""Bounces with friction on compiled programs and batches: the answers of plain numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.algebra.scalars import pack
from percuss.impact import Contact, bounce
from percuss.impact.friction import frictional_impulse
from percuss.impact.friction_law import SlidingLaw
from tests.impact.captures import after, approaching, before, random_contact, three
from tests.impact.integrated_slip import integrated_impulse
from tests.strategies import Array, Generator
from tests.tracers import slopes

PLANE, SPACE = 1e-10, 1e-9


def random_laws(rng: Generator, d: int, count: int) -> tuple[Array, Array, Array, Array]:
    """Mobilities (d+1, d+1, count), velocities before, friction, restitution: of every kind."""
    B = rng.normal(size=(d + 1, d + 1, count))
    W = np.einsum("ijn,kjn->ikn", B, B)
    W += 10 ** rng.uniform(-4, 0, count) * np.eye(d + 1)[:, :, None]
    u = rng.normal(size=(d + 1, count)) * 10 ** rng.uniform(-3, 2, count)
    u[:d] *= rng.choice([0.0, 1e-9, 1e-2, 1.0, 1.0, 1e2], count)
    u[d] = -np.abs(u[d])
    e = rng.choice([0.0, 1.0, 0.5, 1e-4], count)
    return W, u, rng.uniform(0.0, 2.0, count), e


def impulse(W: Any, u: Any, friction: Any, e: Any) -> tuple[Any, Any]:
    """Along the tangents and along the normal."""
    d = len(u) - 1
    law = SlidingLaw(
        tangential=W[:d, :d], coupling=W[:d, d], normal=W[d, d], friction=friction, restitution=e
    )
    p, pushed = frictional_impulse(law, u[:d], u[d])
    return pushed, p


def one_by_one(W: Array, u: Array, friction: Array, e: Array) -> Array:
    """Plain numbers, shape (d+1, count)."""
    found = []
    for k in range(u.shape[1]):
        pushed, p = impulse(W[:, :, k], u[:, k].tolist(), float(friction[k]), float(e[k]))
        found.append([*pushed, p])
    return np.array(found).T


def together(found: tuple[Any, Any]) -> Array:
    return np.array([*np.asarray(found[0]), np.asarray(found[1])])


def differences(ours: Array, theirs: Array) -> Array:
    """Case by case, in parts of the impulse."""
    return np.linalg.norm(ours - theirs, axis=0) / np.linalg.norm(theirs, axis=0)


def assert_no_energy_gained(W: Array, u: Array, found: Array, within: float) -> None:
    work = np.sum(u * found, axis=0) + 0.5 * np.einsum("in,ijn,jn->n", found, W, found)
    size = np.abs(found)
    scale = np.sum(np.abs(u) * size, axis=0)
    scale += 0.5 * np.einsum("in,ijn,jn->n", size, np.abs(W), size)
    assert np.all(work <= within * scale), f"energy grows by {np.max(work / scale):.1e}"


def ways_of_sliding(W: Array, u: Array, friction: Array, found: Array) -> set[str]:
    """What the plane has to offer, told from the slip before and after."""
    seen = set()
    T, b, c = W[0, 0], W[0, 1], W[1, 1]
    slip = u[0] + T * found[0] + b * found[1]
    size = np.abs(u[0]) + np.abs(T * found[0]) + np.abs(b * found[1])
    sticks = np.abs(slip) < 1e-13 * size
    way = np.sign(u[0])
    jams = c - friction * way * b < 0
    for name, where in (
        ("slides on", ~sticks & (slip * way > 0)),
        ("sticks", sticks & (u[0] != 0)),
        ("slides back", ~sticks & (slip * way < 0)),
        ("jams", jams & (u[0] != 0)),
    ):
        if np.any(where):
            seen.add(name)
    return seen


def test_planar_laws() -> None:
    """Sliding on, sticking, sliding back and jamming: batches and compiled as numbers."""
    laws = random_laws(np.random.default_rng(1), 1, 2000)
    expected = one_by_one(*laws)
    assert ways_of_sliding(laws[0], laws[1], laws[2], expected) == {
        "slides on",
        "sticks",
        "slides back",
        "jams",
    }
    compiled = kernel.compile(impulse, *(x[..., 0] for x in laws))
    for found in (together(impulse(*laws)), together(compiled(*laws))):
        assert np.max(differences(found, expected)) < 1e-12
        assert_no_energy_gained(laws[0], laws[1], found, 1e-14)


def test_spatial_laws() -> None:
    """Where slip turns: one algorithm for all scalars, against an adaptive integration."""
    laws = random_laws(np.random.default_rng(2), 2, 120)
    W, u, friction, e = laws
    expected = np.array(
        [
            integrated_impulse(W[:, :, k], u[:, k], float(friction[k]), float(e[k]))
            for k in range(u.shape[1])
        ]
    ).T
    assert np.max(differences(one_by_one(*laws), expected)) < 1e-10
    batch = together(impulse(*laws))
    assert np.max(differences(batch, expected)) < 1e-10
    compiled = kernel.compile(impulse, *(x[..., 0] for x in laws))
    assert np.max(differences(together(compiled(*laws)), batch)) < 1e-13


def test_spatial_laws_in_great_number() -> None:
    """None is left without an answer or gains energy, of 5000."""
    laws = random_laws(np.random.default_rng(3), 2, 5000)
    found = together(impulse(*laws))
    assert np.all(np.isfinite(found))
    assert_no_energy_gained(laws[0], laws[1], found, 1e-10)
    assert np.all(np.hypot(found[0], found[1]) <= laws[2] * found[2] * (1 + 1e-9)), "friction cone"


def test_pressed_together_again() -> None:
    """Turning slip presses the points together a second time, before all work is returned."""
    W = np.array([[0.043, 0.097, 0.043], [0.097, 1.204, 0.075], [0.043, 0.075, 0.072]])
    laws = (W[:, :, None], np.array([[16.2], [-17.0], [-1.0]]), np.array([1.87]), np.array([1.0]))
    assert differences(together(impulse(*laws)), one_by_one(*laws)) < 1e-10


@pytest.mark.parametrize("d", [1, 2])
def test_each_case_of_a_batch_is_on_its_own(d: int) -> None:
    """Neither its neighbours nor one that is not a number change a case."""
    W, u, friction, e = random_laws(np.random.default_rng(4), d, 20)
    alone = together(impulse(W[..., 3:4], u[:, 3:4], friction[3:4], e[3:4]))
    u[0, 5] = np.nan
    W[0, 0, 7] = np.nan
    found = together(impulse(W, u, friction, e))
    assert np.allclose(found[:, 3], alone[:, 0], rtol=1e-14, atol=0.0)
    assert np.all(np.isnan(found[:, [5, 7]]).any(axis=0))
    others = [k for k in range(20) if k not in (5, 7)]
    assert np.all(np.isfinite(found[:, others]))


@pytest.mark.parametrize("slip", [0.7, 0.1, 0.02, -0.3])
def test_derivatives(slip: float) -> None:
    """Along the velocities before and the coefficients, against differences."""
    W = np.array([[0.5, -0.4], [-0.4, 0.7]])
    x = np.array([slip, -1.0, 0.3, 0.6])
    step = 1e-5 * np.array([-0.7, 0.2, 0.5, -0.4])

    def of(x: Any) -> Any:
        pushed, p = impulse(W, x[:2], x[2], x[3])
        return pack([*pushed, p])

    beside = np.stack([x + step, x - step], axis=1)
    ends = together(impulse(W[:, :, None], beside[:2], beside[2], beside[3]))
    for way, slope in slopes(of, x).items():
        change = slope @ step
        assert np.allclose(change, 0.5 * (ends[:, 0] - ends[:, 1]), rtol=1e-6, atol=1e-13), way


# --- whole contacts ---------------------------------------------------------------------------


def rates_after(contact: Contact, *given: Any) -> tuple[Any, Any, Any]:
    """With the rates of both, restitution, friction and the normal given."""
    v, v_target, e, friction, normal = given
    jump = bounce(replace(contact, chaser_rates=v, target_rates=v_target), e, friction, normal)
    return jump.chaser_rates, jump.target_rates, jump.impulse.array()


@pytest.mark.parametrize(("seed", "planar"), [(31, True), (32, True), (33, False)])
def test_contacts(seed: int, planar: bool) -> None:
    """Random chasers and targets that approach or part: compiled, as a batch and one by one."""
    rng, count = np.random.default_rng(seed), 40
    contact = random_contact(rng, 3, planar)
    given = (
        rng.normal(size=(contact.chaser.rate_count, count)),
        rng.normal(size=(contact.target.rate_count, count)),
        rng.uniform(size=count),
        rng.uniform(0.0, 2.0, count),
        rng.normal(size=(2 if planar else 3, count)),
    )
    batch = rates_after(contact, *given)
    compiled = kernel.compile(lambda *x: rates_after(contact, *x), *(x[..., 0] for x in given))(
        *given
    )
    parted = 0
    for k in range(count):
        expected = rates_after(contact, *(x[..., k] for x in given))
        parted += not np.any(expected[2])
        size = 1.0 + max(np.max(np.abs(x)) for x in expected)
        for found in (batch, compiled):
            for ours, theirs in zip(found, expected, strict=True):
                error = np.max(np.abs(np.asarray(ours)[:, k] - theirs))
                assert error < (PLANE if planar else SPACE) * size
    assert 5 < parted < count - 5, "some contact points approach, some part"


def test_energy_of_contacts() -> None:
    """A batch loses what plain numbers lose, and never gains."""
    rng = np.random.default_rng(34)
    for planar in (True, False):
        contact = random_contact(rng, 4, planar)
        e = np.array([0.0, 0.3, 1.0])
        normal = approaching(contact, rng.normal(size=2 if planar else 3))
        jump = bounce(contact, e, np.array([0.2, 0.9, 1.5]), normal)
        for k in range(3):
            rates = (np.asarray(jump.chaser_rates)[:, k], np.asarray(jump.target_rates)[:, k])
            case = replace(jump, chaser_rates=rates[0], target_rates=rates[1])
            assert after(contact, case).energy <= before(contact).energy * (1 + 1e-12)


def test_friction_of_a_batch_may_be_zero() -> None:
    """A case without friction among others is the frictionless bounce."""
    contact = random_contact(np.random.default_rng(35), 3, planar=False)
    normal = approaching(contact, np.array([0.3, -0.5, 0.8]))
    several = bounce(contact, 0.4, np.array([0.0, 0.5]), normal)
    alone = bounce(contact, 0.4, 0.0, normal)
    found = np.array([np.asarray(x)[0] for x in several.impulse])
    assert np.allclose(found, three(alone.impulse), rtol=1e-10, atol=1e-12)
