"""Detumbling: driven rates die out exponentially, whatever drives the base."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from percuss.control import TreePlant, detumble
from percuss.dynamics import kinetic_energy
from percuss.kernel import fingerprint
from percuss.model import ModelError
from tests.control.closed_loop import motion, small_robot
from tests.control.wheel_loop import captured_plant, wheel_motion
from tests.strategies import Case, cases
from tests.tracers import traced

MODES = ("free-floating", "attitude-controlled", "free-flying")
TIMES = np.linspace(0.0, 12.0, 13)


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_driven_rates_decay_exponentially(mode: str, closure: str, planar: bool) -> None:
    plant, q, v = captured_plant(mode, closure, planar)
    driven = np.flatnonzero(plant.actuated)
    count = {"free-floating": 0, "attitude-controlled": 1, "free-flying": 3}[mode]
    joints = 2 if planar else 3
    assert len(driven) == joints + (count if planar else {0: 0, 1: 3, 3: 6}[count])
    _, rates, _ = motion(plant, detumble(plant, 3.0), q, v, TIMES)
    exact = v[driven] * np.exp(-TIMES[:, None] / 3.0)
    error = np.abs(rates[:, driven] - exact).max()
    assert error < 2e-11, f"{mode}, {closure}: driven rates leave v₀ exp(-t/T) by {error:.1e}"


def test_each_rate_may_have_its_own_time() -> None:
    plant, q, v = captured_plant("free-flying", "weld", True)
    times = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    _, rates, _ = motion(plant, detumble(plant, times), q, v, TIMES)
    exact = v * np.exp(-TIMES[:, None] / times)
    assert np.abs(rates - exact).max() < 1e-11


@settings(max_examples=40)
@given(case=cases(max_bodies=5, friction=True))
def test_accelerations_on_random_trees(case: Case) -> None:
    """v̇ = -v / T on every driven rate, with friction and gravity, spherical joints included."""
    plant = TreePlant(case.system)
    q, v = case.state.q, case.state.v
    u, memory = detumble(plant, 0.7).command(0.0, q, v, None)
    assert memory is None
    driven = np.array(plant.actuated, bool)
    found = np.asarray(plant.accelerations(q, v, u), float)
    scale = 1.0 + np.abs(np.asarray(u, float)).max() + np.abs(found).max()
    assert np.abs(found + v / 0.7)[driven].max(initial=0.0) < 1e-9 * scale
    assert not np.asarray(u, float)[~driven].any(), "a force where nothing drives"


def test_a_wrong_belief_shows() -> None:
    plant, q, v = captured_plant("free-flying", "weld", True)
    bodies = tuple(replace(body, mass=1.3 * body.mass) for body in plant.system.bodies)  # type: ignore[operator]
    believed = TreePlant(replace(plant.system, bodies=bodies), plant.own)
    _, rates, _ = motion(plant, detumble(believed, 3.0), q, v, TIMES)
    exact = v * np.exp(-TIMES[:, None] / 3.0)
    assert 1e-4 < np.abs(rates - exact).max() < 0.1 * np.abs(v).max() + 0.1
    assert np.abs(rates[-1]).max() < 0.1 * np.abs(v).max(), "it comes to rest all the same"


@pytest.mark.parametrize("passive", [False, True])
def test_any_scalar(passive: bool) -> None:
    import sympy

    plant, q, v = captured_plant("attitude-controlled", "pin", True)
    law = detumble(plant, 3.0, passive=passive)
    exact = np.asarray(law.command(0.0, q, v, None)[0], float)
    found = traced(lambda q, v: law.command(0.0, q, v, None)[0], q, v)
    batch = law.command(0.0, np.stack([q, q], -1), np.stack([v, 2 * v], -1), None)[0]
    symbols = sympy.symbols("v:6")
    closed = sympy.Matrix(law.command(0.0, list(q), list(symbols), None)[0])
    numbers = np.array(closed.subs(dict(zip(symbols, v, strict=True))), float).ravel()
    for name, values in (*found.items(), ("batch", batch[:, 0]), ("SymPy", numbers)):
        assert np.abs(np.asarray(values) - exact).max() < 1e-11, f"{name} differs from floats"


def test_fingerprints_tell_laws_apart() -> None:
    plant, _, _ = captured_plant("free-flying", "weld", True)
    keys = {
        fingerprint(detumble(plant, 3.0)),
        fingerprint(detumble(plant, 3.5)),
        fingerprint(detumble(plant, 3.0, passive=True)),
        fingerprint(detumble(TreePlant(small_robot("free-flying")), 3.0)),
    }
    assert None not in keys
    assert len(keys) == 4
    assert fingerprint(detumble(plant, 3.0)) == fingerprint(detumble(plant, [3.0] * 5))


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0]])
def test_impossible_time_constants_are_refused(bad: Any) -> None:
    plant, _, _ = captured_plant("free-flying", "weld", True)
    with pytest.raises(ModelError, match=r"time-constant \(s\)"):
        detumble(plant, bad)


# --- braking only ---------------------------------------------------------------------------------


def test_passive_equals_exact_where_no_base_is_driven() -> None:
    plant, q, v = captured_plant("free-floating", "pin", False)
    exact, braked = (
        detumble(plant, 2.0, passive=p).command(0.0, q, v, None)[0] for p in (False, True)
    )
    assert np.abs(np.subtract(exact, braked)).max() < 1e-12


def test_passive_spin_in_the_plane_decays_exponentially() -> None:
    """With the joints at rest the whole is one body: I ω̇ = -I ω / T."""
    plant, q, v = captured_plant("attitude-controlled", "weld", True)
    v[2:] = 0.4, 0.0, 0.0
    found = wheel_motion(plant, detumble(plant, 3.0, passive=True), q, v, TIMES)
    assert np.abs(found.v[:, 2] - 0.4 * np.exp(-TIMES / 3.0)).max() < 1e-11


@pytest.mark.parametrize("mode", ["attitude-controlled", "free-flying"])
def test_passive_joints_still_decay_and_the_swing_dies(mode: str) -> None:
    plant, q, v = captured_plant(mode, "pin", True)
    times = np.linspace(0.0, 240.0, 241)
    found = wheel_motion(plant, detumble(plant, 3.0, passive=True), q, v, times)
    exact = v[3:5] * np.exp(-times[:, None] / 3.0)
    assert np.abs(found.v[:, 3:5] - exact).max() < 1e-10
    held, _, _ = captured_plant(mode, "pin", True)
    stiff = wheel_motion(held, detumble(held, 3.0), q, v, times)
    assert abs(found.v[-1, 5]) < 0.25 * abs(stiff.v[-1, 5]), "the swing is braked too"


def test_full_wheels_cannot_pump_a_swing_under_a_passive_law() -> None:
    """Energy never grows once the joints rest; under the exact law it runs away here."""
    plant, q, v = captured_plant("attitude-controlled", "pin", True)
    times = np.linspace(0.0, 50.0, 201)
    energies = []
    for passive in (True, False):
        law = detumble(plant, 3.0, passive=passive)
        found = wheel_motion(plant, law, q, v, times, capacity=60.0, kept=True, tolerance=1e-10)
        energies.append(kinetic_energy(plant.system, found.q.T, found.v.T))
    late = np.asarray(energies[0])[times > 30.0]
    assert np.diff(late).max() < 1e-6, "the passive law put energy in"
    assert energies[1][-1] > 10 * energies[1][0]  # type: ignore[index,operator]


def test_passive_needs_a_tree() -> None:
    plant, _, _ = captured_plant("free-flying", "weld", True)

    class Other:
        rate_count = own_rates = plant.own_rates

    with pytest.raises(ModelError, match="must be a TreePlant, got Other"):
        detumble(Other(), 1.0, passive=True)  # type: ignore[arg-type]


def test_fixed_base_stops_its_joints() -> None:
    robot = small_robot("fixed", joints=3)
    plant = TreePlant(robot)
    q, v = np.array([0.3, -0.4, 0.5]), np.array([0.2, -0.1, 0.3])
    for passive in (False, True):
        _, rates, _ = motion(plant, detumble(plant, 2.0, passive=passive), q, v, TIMES)
        assert np.abs(rates - v * np.exp(-TIMES[:, None] / 2.0)).max() < 1e-11
