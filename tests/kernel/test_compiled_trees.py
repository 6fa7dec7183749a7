"""Compiled forward dynamics of random trees against Pinocchio."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import kernel
from tests.oracles import to_pinocchio
from tests.strategies import random_state, random_system


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_forward_dynamics_of_random_trees_agree_with_pinocchio(seed: int) -> None:
    pinocchio: Any = importlib.import_module("pinocchio")
    rng = np.random.default_rng(seed)
    system = random_system(rng, int(rng.integers(1, 9)))
    like = (
        np.zeros(system.coordinate_count),
        np.zeros(system.rate_count),
        np.zeros(system.rate_count),
    )
    compiled = kernel.compile(lambda q, v, tau: percuss.forward_dynamics(system, q, v, tau), *like)
    states = [random_state(rng, system) for _ in range(9)]
    found = compiled(*(np.stack([getattr(s, k) for s in states], -1) for k in ("q", "v", "tau")))
    twin = to_pinocchio(system)
    for case, s in enumerate(states):
        theirs = pinocchio.aba(
            twin.model,
            twin.model.createData(),
            twin.coordinates(s.q),
            twin.rates(s.q, s.v),
            twin.forces(s.q, s.tau),
        )
        expected = twin.accelerations_back(s.q, s.v, theirs)
        error = np.linalg.norm(found[:, case] - expected) / (1 + np.linalg.norm(expected))
        assert error < 1e-10, f"accelerations differ by {error:.1e}"
