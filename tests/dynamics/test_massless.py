"""Bodies without mass: between joints they change nothing, alone they have kinematics only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import percuss
from percuss import (
    Body,
    Fixed,
    Frame,
    Free,
    Joint,
    ModelError,
    Pose,
    Prismatic,
    Revolute,
    System,
    Vector3,
)
from percuss.dynamics.formulations import lagrange_equations
from percuss.dynamics.formulations.homogeneous_equations import homogeneous_mass_matrix
from percuss.dynamics.formulations.lecture import lecture_mass_matrix
from percuss.kinematics import inverse_kinematics
from percuss.model import Planar, merge_fixed
from percuss.model.urdf.write import write_urdf
from tests.strategies import Case, cases


def weightless(system: System) -> System:
    """The same tree with nothing in it that has mass."""
    bodies = tuple(Body.massless(body.name, body.visuals) for body in system.bodies)
    return replace(system, bodies=bodies)


def slides_and_hinge() -> System:
    """A planar joint written as two slides and a hinge, with massless bodies between."""
    tool = percuss.box("tool", (1.0, 2.0, 0.5), 3.0)
    return System(
        "stack",
        (Body.massless("a"), Body.massless("b"), replace(tool, com=Vector3(0.2, -0.1, 0.3))),
        (
            Joint("x", Prismatic((1.0, 0.0, 0.0)), "world", "a"),
            Joint("y", Prismatic((0.0, 1.0, 0.0)), "a", "b"),
            Joint("angle", Revolute((0.0, 0.0, 1.0)), "b", "tool"),
        ),
        gravity=Vector3(0.3, -1.0, 0.0),
    )


def test_massless_bodies_between_joints_change_nothing() -> None:
    stack = slides_and_hinge()
    joint = Joint("base", Planar(), "world", "tool")
    plain = System("plain", (stack.bodies[-1],), (joint,), gravity=stack.gravity)
    q, v, tau = np.array([0.3, -0.4, 1.1]), np.array([1.0, 0.5, -2.0]), np.array([0.1, 0.2, 0.3])
    for ours, theirs in (
        (percuss.mass_matrix(stack, q), percuss.mass_matrix(plain, q)),
        (percuss.bias_forces(stack, q, v), percuss.bias_forces(plain, q, v)),
        (
            percuss.forward_dynamics(stack, q, v, tau),
            percuss.forward_dynamics(plain, q, v, tau),
        ),
        (percuss.momentum(stack, q, v).array(), percuss.momentum(plain, q, v).array()),
    ):
        np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), atol=1e-14)


def test_a_joint_that_moves_nothing_massive_is_refused() -> None:
    base = percuss.box("base", (1.0, 1.0, 1.0), 10.0)
    finger = Joint("finger", Revolute(), "base", "tip")
    with pytest.raises(
        ModelError, match=r"joint 'finger' \(revolute\) moves nothing that has mass"
    ):
        System(
            "hand", (base, Body.massless("tip")), (Joint("base", Free(), "world", "base"), finger)
        )
    welded = replace(finger, motion=Fixed())
    hand = System(
        "hand", (base, Body.massless("tip")), (Joint("base", Free(), "world", "base"), welded)
    )
    merged = merge_fixed(hand)
    assert [body.name for body in merged.bodies] == ["base"]
    assert merged.bodies[0].mass == 10.0
    assert merged.frame("tip").body == "base"


def test_a_mass_of_zero_with_a_centre_of_mass_is_no_massless_body() -> None:
    with pytest.raises(ModelError, match=r"mass must be finite and > 0 kg, got 0.*Body.massless"):
        Body("b", 0.0, com=(0.1, 0.0, 0.0))


@given(cases(max_bodies=5))
def test_kinematics_needs_no_mass(case: Case) -> None:
    bare, q, v = weightless(case.system), case.state.q, case.state.v
    for frame in (*(f.name for f in bare.frames), *(b.name for b in bare.bodies)):
        for ask in (percuss.frame_pose, percuss.jacobian):
            ours, theirs = ask(bare, q, frame), ask(case.system, q, frame)
            assert np.array_equal(_numbers(ours), _numbers(theirs))
        assert np.array_equal(
            percuss.frame_velocity(bare, q, v, frame).array(),
            percuss.frame_velocity(case.system, q, v, frame).array(),
        )
    assert percuss.total_mass(bare) == 0


def _numbers(value: Any) -> Any:
    return value.position.array() if isinstance(value, Pose) else np.asarray(value, float)


OF_PLACE: tuple[Callable[..., Any], ...] = (
    percuss.mass_matrix,
    percuss.momentum_matrix,
    percuss.potential_energy,
    percuss.center_of_mass,
    percuss.total_inertia,
    homogeneous_mass_matrix,
)
OF_MOTION: tuple[Callable[..., Any], ...] = (
    percuss.forward_dynamics,
    percuss.bias_forces,
    percuss.momentum,
    percuss.kinetic_energy,
)
OF_ACCELERATION = (percuss.inverse_dynamics, percuss.joint_reactions)
DYNAMICS = [
    (ask, count)
    for count, asks in enumerate((OF_PLACE, OF_MOTION, OF_ACCELERATION), 1)
    for ask in asks
]


@pytest.mark.parametrize(("ask", "count"), DYNAMICS)
@given(case=cases(max_bodies=3))
def test_dynamics_without_mass_is_refused_in_one_sentence(
    ask: Callable[..., Any], count: int, case: Case
) -> None:
    bare = weightless(case.system)
    with pytest.raises(
        ModelError,
        match=r"^system 'random' has no mass anywhere, so it has kinematics only: give its bodies "
        r"mass and inertia to ask for its dynamics$",
    ):
        ask(bare, *(case.state.q, case.state.v, case.state.a)[:count])


def test_other_routes_to_the_equations_refuse_it_too() -> None:
    bare = weightless(slides_and_hinge())
    for ask in (lambda: lagrange_equations(bare), lambda: lecture_mass_matrix(bare, (0, 0, 0))):
        with pytest.raises(ModelError, match="kinematics only"):
            ask()


def test_inverse_kinematics_of_a_massless_arm() -> None:
    arm = weightless(percuss.robot("demo-7").with_mode("fixed"))
    q = np.linspace(0.2, 0.8, arm.coordinate_count)
    pose = percuss.frame_pose(arm, q, "tool")
    found = inverse_kinematics(arm, "tool", pose, near=q + 0.05)
    there = percuss.frame_pose(arm, found.q, "tool")
    np.testing.assert_allclose(there.position.array(), pose.position.array(), atol=1e-8)


def test_massless_bodies_go_to_files_and_back() -> None:
    stack = slides_and_hinge()
    again = percuss.model.system_from_dict(percuss.model.system_to_dict(stack))
    assert again.bodies == stack.bodies
    assert "<inertial>" in write_urdf(stack)
    assert write_urdf(stack).count("<inertial>") == 1


def test_rebase_leaves_a_massless_body_massless() -> None:
    stack = slides_and_hinge()
    moved = replace(stack.joints[0], child_placement=Pose.at((0.1, 0.2, 0.3)))
    system = replace(stack, joints=(moved, *stack.joints[1:]), frames=(Frame("f", "a"),))
    bodies = {body.name: body for body in percuss.model.rebase(system).bodies}
    assert bodies["a"].is_massless
