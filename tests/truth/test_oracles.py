"""Twins: states there and back, models there and back, and the conventions pinned down."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given

from percuss.algebra import Pose, Vector3
from percuss.dynamics import bias_forces, inverse_dynamics, mass_matrix
from percuss.kinematics import coordinate_rates, frame_pose, frame_velocity, poses
from percuss.model import (
    WORLD,
    Body,
    Fixed,
    Frame,
    Free,
    Friction,
    Joint,
    Limits,
    ModelError,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    box,
    rod,
)
from percuss.model.joints import JointMotion
from tests.oracles import Twin, from_mujoco, from_pinocchio, to_mujoco, to_pinocchio
from tests.strategies import Case, cases
from tests.truth.compare import assert_same, derivative, pose_matrix

mujoco: Any = import_module("mujoco")
pin: Any = import_module("pinocchio")

TO = {"Pinocchio": to_pinocchio, "MuJoCo": to_mujoco}
FROM = {"Pinocchio": from_pinocchio, "MuJoCo": from_mujoco}
BOTH = pytest.mark.parametrize("library", TO)


def one_body(motion: JointMotion, **rest: Any) -> System:
    return System(
        "one", (box("cube", (1.0, 2.0, 3.0), 6.0),), (Joint("j", motion, WORLD, "cube", **rest),)
    )


# --- there and back -----------------------------------------------------------------------------


@BOTH
@given(cases())
def test_states_come_back(library: str, case: Case) -> None:
    twin, state = TO[library](case.system), case.state
    back = twin.coordinates_back(twin.coordinates(state.q))
    ours, theirs = poses(case.system, back), poses(case.system, state.q)
    for name in theirs:
        assert_same(pose_matrix(ours[name]), pose_matrix(theirs[name]), f"pose of {name!r}")
    for what, there, home in (
        ("rates", twin.rates, twin.rates_back),
        ("forces", twin.forces, twin.forces_back),
    ):
        assert_same(home(state.q, there(state.q, state.v)), state.v, f"{what} there and back")
    moved = twin.accelerations(state.q, state.v, state.a)
    back = twin.accelerations_back(state.q, state.v, moved)
    assert_same(back, state.a, "accelerations there and back")
    power = twin.forces(state.q, state.tau) @ twin.rates(state.q, state.v)
    assert_same(power, state.tau @ state.v, "power τ · v in both libraries", scale=1.0)


@BOTH
@given(cases(max_bodies=5))
def test_accelerations_are_derivatives_of_rates(library: str, case: Case) -> None:
    """Ṗ is the derivative of P along the motion."""
    twin, q, v = TO[library](case.system), case.state.q, case.state.v
    along = derivative(lambda t: twin.rate_matrix(q + t * coordinate_rates(case.system, q, v)))
    assert_same(twin.rate_matrix_derivative(q, v), along, "Ṗ", 1e-11, scale=1.0)


@BOTH
@given(cases())
def test_models_come_back(library: str, case: Case) -> None:
    """The library's model read again has the same dynamics, and its twin the same model."""
    system, state = case.system, case.state
    there = TO[library](system)
    back = FROM[library](there.model)
    again = TO[library](back)
    q = again.coordinates_back(there.coordinates(state.q))
    v = again.rates_back(q, there.rates(state.q, state.v))
    to_old = there.rate_matrix(state.q).T @ again.rate_matrix(q)
    M = to_old @ mass_matrix(back, q) @ to_old.T
    assert_same(M, mass_matrix(system, state.q), "mass matrix of the model read back")
    h = to_old @ bias_forces(back, q, v)
    expected = bias_forces(system, state.q, state.v)
    assert_same(h, expected, "bias forces of the model read back", scale=1.0)
    ours, old = poses(back, q), poses(system, state.q)
    for name in ours:
        assert_same(pose_matrix(ours[name]), pose_matrix(old[name]), f"pose of {name!r} read back")
    if library == "MuJoCo":
        assert set(ours) == set(old), "MuJoCo keeps every body and frame"


# --- conventions --------------------------------------------------------------------------------

QUARTER = np.sqrt(0.5)  # a quarter turn about z is the quaternion (√½, 0, 0, √½)


def test_free_joint_moves_along_the_axes_of_the_world() -> None:
    system = one_body(Free())
    q = [1.0, 2.0, 3.0, QUARTER, 0.0, 0.0, QUARTER]
    v = [5.0, 0.0, 0.0, 0.1, 0.2, 0.3]
    velocity = frame_velocity(system, q, v, "cube")
    assert_same(velocity.array(), v, "rates are the world-aligned velocity")
    # Turned by 90° about z, world x is the body's -y.
    body = [0.0, -5.0, 0.0, 0.2, -0.1, 0.3]
    assert_same(
        frame_velocity(system, q, v, "cube", reference="body").array(), body, "body velocity"
    )
    there = to_pinocchio(system)
    assert_same(there.rates(q, v), body, "Pinocchio has both parts in the body's axes")
    assert_same(there.coordinates(q), [1, 2, 3, 0, 0, QUARTER, QUARTER], "Pinocchio's x, y, z, w")
    there = to_mujoco(system)
    assert_same(there.rates(q, v), [5, 0, 0, 0.2, -0.1, 0.3], "MuJoCo turns the angular part only")
    assert_same(there.coordinates(q), q, "MuJoCo's w, x, y, z")
    assert there.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE


def test_free_joint_acceleration_counts_the_turning_of_the_axes() -> None:
    """At constant world velocity, the body-frame velocity of a spinning body changes."""
    system = one_body(Free())
    q, v = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0, 3.0]
    pinocchio = to_pinocchio(system).accelerations(q, v, np.zeros(6))
    assert_same(pinocchio, [0, -6, 0, 0, 0, 0], "-ω × v in the body's axes")
    assert_same(to_mujoco(system).accelerations(q, v, np.zeros(6)), np.zeros(6), "none in MuJoCo")


def test_planar_joint_moves_along_the_axes_of_the_joint_frame() -> None:
    system = one_body(Planar())
    q, v = [1.0, 2.0, np.pi / 2], [5.0, 0.0, 0.3]
    assert_same(frame_pose(system, q, "cube").position.array(), [1, 2, 0], "position")
    assert_same(frame_velocity(system, q, v, "cube").array(), [5, 0, 0, 0, 0, 0.3], "velocity")
    there = to_pinocchio(system)
    assert_same(there.coordinates(q), [1, 2, 0, 1], "Pinocchio's x, y, cos, sin")
    assert_same(there.rates(q, v), [0, -5, 0.3], "Pinocchio's rates in the body's axes")
    assert_same(there.accelerations(q, v, np.zeros(3)), [-1.5, 0, 0], "Rᵀ v turns")
    there = to_mujoco(system)
    assert_same(there.rates(q, v), v, "MuJoCo's slides and hinge have the same rates")
    assert there.model.njnt == 3


def test_spherical_joint_turns_about_the_axes_of_the_child() -> None:
    system = one_body(Spherical())
    q, v = [QUARTER, 0.0, 0.0, QUARTER], [1.0, 0.0, 0.0]
    # The child's x is the world's y after a quarter turn about z.
    assert_same(frame_velocity(system, q, v, "cube").array(), [0, 0, 0, 0, 1, 0], "velocity")
    for name, build in TO.items():
        assert_same(build(system).rates(q, v), v, f"{name} has the same rates")


@pytest.mark.parametrize(
    ("motion", "velocity"),
    [
        (Revolute(Vector3(0.0, 0.0, -1.0)), [0, 0, 0, 0, 0, -2]),
        (Revolute(Vector3(0.0, 3.0, 4.0)), [0, 0, 0, 0, 1.2, 1.6]),
        (Prismatic(Vector3(0.0, 3.0, 4.0)), [0, 1.2, 1.6, 0, 0, 0]),
    ],
)
def test_axes_are_scaled_to_one(motion: JointMotion, velocity: list[float]) -> None:
    system = one_body(motion)
    assert_same(frame_velocity(system, [0.0], [2.0], "cube").array(), velocity, "velocity")
    for name, build in TO.items():
        twin: Twin = build(system)
        assert_same(twin.coordinates([0.4]), [0.4], f"{name} has the same coordinate")
        assert_same(twin.rates([0.4], [2.0]), [2.0], f"{name} has the same rate")


def test_a_free_joint_that_is_not_on_the_world_is_slides_and_a_ball() -> None:
    system = one_body(Free(), placement=Pose.at((1.0, 0.0, 0.0), rpy=(0.0, 0.0, np.pi / 2)))
    twin = to_mujoco(system)
    assert twin.model.njnt == 4
    back = from_mujoco(twin.model)
    assert isinstance(back.joints[0].motion, Free)
    assert back.joints[0].name == "j"
    # Rates are along the joint frame, whose x is the world's y here.
    q, v = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [5.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert_same(frame_velocity(system, q, v, "cube").array(), [0, 5, 0, 0, 1, 0], "velocity")


def test_a_slender_rod_keeps_its_moment_of_zero_to_rounding() -> None:
    system = System("rod", (rod("rod", 2.0, 3.0),), (Joint("j", Free(), WORLD, "rod"),))
    back = from_mujoco(to_mujoco(system).model)
    assert_same(back.bodies[0].inertia.array(), system.bodies[0].inertia.array(), "inertia")


# --- data carried along, and what is refused ------------------------------------------------------


def arm(**rest: Any) -> System:
    return one_body(Revolute(), limits=Limits(-1.0, 2.0, 3.0, 4.0), **rest)


def test_limits_and_friction_are_carried() -> None:
    system = arm(friction=Friction(0.5, 0.25))
    joint = from_pinocchio(to_pinocchio(system).model).joints[0]
    assert (joint.limits, joint.friction) == (system.joints[0].limits, system.joints[0].friction)
    joint = from_pinocchio(to_pinocchio(one_body(Revolute())).model).joints[0]
    assert joint.limits == Limits(), "no limit stays no limit"
    joint = from_mujoco(to_mujoco(system).model).joints[0]
    assert joint.friction == Friction(0.5), "MuJoCo keeps viscous friction"


def test_viscous_friction_acts_in_mujoco() -> None:
    system = one_body(Revolute(), friction=Friction(0.5))
    twin = to_mujoco(system)
    data: Any = mujoco.MjData(twin.model)
    data.qvel[:] = 2.0
    mujoco.mj_forward(twin.model, data)
    mujoco.mj_inverse(twin.model, data)
    ours = inverse_dynamics(system, [0.0], [2.0], data.qacc)
    assert_same(ours, [0.0], "torque that keeps MuJoCo's damped motion", scale=1.0)


MJCF = """
<mujoco model="read"><compiler angle="radian" inertiafromgeom="true"/>
  <worldbody>
    <body name="a" pos="0 0 1"><geom size="0.1"/>
      <joint name="turn" pos="0.1 0.2 0.3" axis="0 1 0" ref="0.4" range="-1 1"/>
      <body name="holder" pos="1 0 0" euler="0 0 1.5707963267948966">
        <site name="spot" pos="0 1 0"/>
        <body name="b" pos="0 0 1"><geom size="0.2"/>
          <joint name="slide" type="slide" axis="1 0 0" ref="0.5"/></body>
        <body name="c" pos="0 0 -1"><geom size="0.2"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def test_reading_mujoco_with_pivots_references_and_welds() -> None:
    """Joints away from the body origin, `ref`, massless carriers and welded bodies."""
    model: Any = mujoco.MjModel.from_xml_string(MJCF)
    system = from_mujoco(model)
    assert [type(joint.motion) for joint in system.joints] == [Revolute, Prismatic, Fixed]
    assert {frame.name for frame in system.frames} == {"holder", "spot"}
    assert system.joint("turn").limits == Limits(-1.0, 1.0)
    data: Any = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = [0.7, -0.2], [1.0, 2.0]
    mujoco.mj_forward(model, data)
    found = poses(system, data.qpos)
    for name in ("a", "b", "c", "holder"):
        assert_same(found[name].position.array(), data.body(name).xpos, f"position of {name!r}")
        turn = data.body(name).xmat.reshape(3, 3)
        assert_same(found[name].rotation.array(), turn, f"attitude of {name!r}")
    assert_same(found["spot"].position.array(), data.site("spot").xpos, "position of 'spot'")
    assert_same(bias_forces(system, data.qpos, data.qvel), data.qfrc_bias, "bias forces")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ('<joint name="k" stiffness="1"/>', "joint 'k' has a spring"),
        ('<joint name="k" armature="1"/>', "joint 'k' has armature"),
        ('<joint name="k" type="free" damping="1"/>', "joint 'k' damps a free body"),
        ('<joint name="k"/><joint name="l" axis="1 0 0"/>', "body 'x' has 2 joints \\(k, l\\)"),
    ],
)
def test_reading_mujoco_refuses(xml: str, message: str) -> None:
    text = f'<mujoco><worldbody><body name="x"><geom size="1"/>{xml}</body></worldbody></mujoco>'
    with pytest.raises(ModelError, match=message):
        from_mujoco(mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (pin.JointModelRUBX, "joint 'k' is a JointModelRUBX"),
        (pin.JointModelHX, "joint 'k' is a JointModelHX"),
    ],
)
def test_reading_pinocchio_refuses(make: Callable[[], Any], message: str) -> None:
    model = pin.Model()
    model.addJoint(0, make(), pin.SE3.Identity(), "k")
    model.appendBodyToJoint(1, pin.Inertia.FromSphere(1.0, 0.5), pin.SE3.Identity())
    with pytest.raises(ModelError, match=message):
        from_pinocchio(model)


def test_reading_pinocchio_refuses_armature() -> None:
    model = to_pinocchio(one_body(Revolute())).model
    model.armature[0] = 1.0
    with pytest.raises(ModelError, match="joint 'j' has armature"):
        from_pinocchio(model)


@BOTH
def test_symbols_are_refused(library: str) -> None:
    system = one_body(Free()).with_parameters({"cube.mass": sympy.Symbol("m")})
    with pytest.raises(ModelError, match=r"parameter cube\.mass is m"):
        TO[library](system)
    body = Body("cube", 1.0, inertia=(1.0, 1.0, 1.0))  # type: ignore[arg-type]
    motion = Revolute(Vector3(sympy.Symbol("x"), 0.0, 0.0))
    with pytest.raises(ModelError, match=r"j\.axis\.x"):
        TO[library](System("s", (body,), (Joint("j", motion, WORLD, "cube"),)))


@BOTH
def test_a_missing_library_says_how_to_get_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library.lower(), None)
    with pytest.raises(ImportError, match=r"pip install 'percuss\[dev\]'"):
        TO[library](one_body(Free()))


@BOTH
def test_wrong_number_of_coordinates_is_named(library: str) -> None:
    system = replace(one_body(Planar()), frames=(Frame("tool", "cube"),))
    with pytest.raises(ValueError, match="q must have 3 entries"):
        TO[library](system).coordinates([1.0])
