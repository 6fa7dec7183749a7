"""Both tracers write the same program: ours, and JAX's with the reader of jaxprs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import percuss
from percuss import control
from percuss.control.laws import feed_forward, no_control, restricted
from percuss.kernel.calculus.inlining import without_holds
from tests.control.closed_loop import GOAL, small_robot
from tests.impact.captures import random_contact, thesis
from tests.impact.test_scalars import at, jump_as_arrays, state
from tests.kernel.tracing.running import Function, own_program
from tests.strategies import cases, coupled_cases
from tests.studies import cases as of_study
from tests.tracers import needs_jax

pytestmark = needs_jax


def assert_same_program(function: Function, *like: Any) -> None:
    from percuss.kernel.jaxprs.function import record_with_jax

    ours = own_program(function, *like)
    theirs = without_holds(record_with_jax(function, *like).program)
    assert ours.operation_count == theirs.operation_count
    assert ours.digest == theirs.digest


def assert_same_dynamics(system: percuss.System) -> None:
    q, v = np.zeros(system.coordinate_count), np.zeros(system.rate_count)
    frame = next(iter(system.frames), None)
    assert_same_program(lambda q, v, u: percuss.forward_dynamics(system, q, v, u), q, v, v)
    assert_same_program(lambda q, v, a: percuss.inverse_dynamics(system, q, v, a), q, v, v)
    assert_same_program(lambda q: percuss.mass_matrix(system, q), q)
    assert_same_program(lambda q, v: percuss.coordinate_rates(system, q, v), q, v)
    assert_same_program(lambda q, v: percuss.kinetic_energy(system, q, v), q, v)
    assert_same_program(lambda q, v: percuss.momentum(system, q, v).array(), q, v)
    if frame is not None:
        assert_same_program(lambda q: percuss.jacobian(system, q, frame), q)
        assert_same_program(lambda q: percuss.frame_pose(system, q, frame).matrix(), q)


@pytest.mark.sampled
@settings(max_examples=of_study(6, 12))
@given(cases(max_bodies=6))
def test_random_trees(case: Any) -> None:
    assert_same_dynamics(case.system)


@pytest.mark.sampled
@settings(max_examples=of_study(3, 6))
@given(coupled_cases(max_bodies=5, friction=True))
def test_random_trees_with_coupled_joints_and_friction(case: Any) -> None:
    assert_same_dynamics(case.system)


@pytest.mark.parametrize("name", ["thesis", "demo-7", "two-arms", "iiwa-14"])
def test_robots_of_the_library(name: str) -> None:
    assert_same_dynamics(percuss.robot(name))


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
@pytest.mark.parametrize("closure", ["pin", "weld", "bounce"])
def test_closures(closure: str, planar: bool) -> None:
    contact = random_contact(np.random.default_rng(21), 3, planar)
    assert_same_program(
        lambda *given: jump_as_arrays(closure, at(contact, *given)), *state(contact)
    )


def test_the_published_closure() -> None:
    contact = thesis()
    assert_same_program(
        lambda *given: jump_as_arrays("published", at(contact, *given)), *state(contact)
    )


PLANTS = {
    "planar": (control.TreePlant(percuss.robot("thesis")), GOAL),
    "spatial": (
        control.TreePlant(small_robot("free-flying")),
        np.array([0.1, -0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.4, -0.5]),
    ),
}

LAWS: dict[str, Any] = {
    "none": lambda plant, goal: no_control(plant),  # noqa: ARG005
    "pd": lambda plant, goal: control.pd(plant, control.hold(plant, goal), 2.0, 3.0),
    "computed torque": lambda plant, goal: control.computed_torque(
        plant, control.hold(plant, goal), 1.0, 2.0
    ),
    "feed forward": lambda plant, goal: feed_forward(plant, control.hold(plant, goal)),
    "rest to rest": lambda plant, goal: feed_forward(
        plant, control.rest_to_rest(plant, goal, goal, 4.0)
    ),
    "saturated": lambda plant, goal: control.saturated(
        control.pd(plant, control.hold(plant, goal), 2.0, 3.0), [5.0] * plant.own_rates
    ),
    "restricted": lambda plant, goal: restricted(
        control.pd(plant, control.hold(plant, goal), 2.0, 3.0), plant
    ),
    "detumble": lambda plant, goal: control.detumble(plant, 1.0),  # noqa: ARG005
}


@pytest.mark.parametrize("space", PLANTS)
@pytest.mark.parametrize("name", LAWS)
def test_control_laws(name: str, space: str) -> None:
    plant, goal = PLANTS[space]
    law = LAWS[name](plant, goal)
    q, v = np.zeros(plant.coordinate_count), np.zeros(plant.rate_count)
    assert_same_program(lambda t, q, v: law.command(t, q, v, law.memory), 0.0, q, v)
