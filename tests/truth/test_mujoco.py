"""Every quantity agrees with MuJoCo, on random trees of all joint kinds."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from hypothesis import given

from percuss.algebra import Force
from percuss.dynamics import (
    bias_forces,
    center_of_mass,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    momentum,
    potential_energy,
    total_mass,
)
from percuss.kinematics import (
    difference,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_time_derivative,
    poses,
)
from tests.oracles import MujocoTwin, to_mujoco
from tests.strategies import Array, Case, cases
from tests.truth.compare import assert_same, pose_matrix

mujoco: Any = import_module("mujoco")

SITE = mujoco.mjtObj.mjOBJ_SITE


class Both:
    """A case in both libraries, MuJoCo's data after `mj_forward` with all loads on it."""

    def __init__(self, case: Case) -> None:
        self.system, self.state = case.system, case.state
        self.twin: MujocoTwin = to_mujoco(case.system)
        self.model: Any = self.twin.model
        self.data: Any = mujoco.MjData(self.model)
        q, v = case.state.q, case.state.v
        self.P = self.twin.rate_matrix(q)
        self.dP = self.twin.rate_matrix_derivative(q, v)
        self.data.qpos[:] = self.twin.coordinates(q)
        self.data.qvel[:] = self.twin.rates(q, v)
        mujoco.mj_forward(self.model, self.data)
        self.data.qfrc_applied[:] = self.twin.forces(q, case.state.tau)
        self.push(case.wrenches)
        mujoco.mj_forward(self.model, self.data)

    def push(self, wrenches: dict[Any, Force]) -> None:
        """Adds wrenches at frames to MuJoCo's generalized forces."""
        for named, wrench in wrenches.items():
            frame = self.system.frame(named)
            point = np.array(frame_pose(self.system, self.state.q, frame).position.array())
            force, moment = np.split(np.array(wrench.array(), float), 2)
            body = self.model.body(frame.body).id
            mujoco.mj_applyFT(
                self.model, self.data, force, moment, point, body, self.data.qfrc_applied
            )

    def names(self) -> list[str]:
        bodies = [body.name for body in self.system.bodies]
        return bodies + [frame.name for frame in self.system.frames]

    def site(self, name: str) -> int:
        return self.model.site(name).id


def array(value: Any) -> Array:
    return np.array(value.array(), float)


@given(cases())
def test_poses(case: Case) -> None:
    both = Both(case)
    for name, pose in poses(case.system, case.state.q).items():
        site = both.site(name)
        theirs = np.eye(4)
        theirs[:3, :3] = both.data.site_xmat[site].reshape(3, 3)
        theirs[:3, 3] = both.data.site_xpos[site]
        assert_same(pose_matrix(pose), theirs, f"pose of {name!r} in the world")


@given(cases())
def test_jacobians(case: Case) -> None:
    both, nv = Both(case), case.system.rate_count
    for name in both.names():
        J = np.zeros((6, nv))
        mujoco.mj_jacSite(both.model, both.data, J[:3], J[3:], both.site(name))
        ours = jacobian(case.system, case.state.q, name)
        assert_same(ours, J @ both.P, f"world-aligned Jacobian of {name!r}")
        dJ = np.zeros((6, nv))
        point = both.data.site_xpos[both.site(name)]
        body = int(both.model.site_bodyid[both.site(name)])
        mujoco.mj_jacDot(both.model, both.data, dJ[:3], dJ[3:], point, body)
        ours = jacobian_time_derivative(case.system, case.state.q, case.state.v, name)
        theirs = dJ @ both.P + J @ both.dP
        assert_same(ours, theirs, f"time derivative of the Jacobian of {name!r}", scale=1.0)


@given(cases())
def test_velocities_and_accelerations(case: Case) -> None:
    both, system, q, v = Both(case), case.system, case.state.q, case.state.v
    a = both.twin.accelerations_back(q, v, both.data.qacc)
    gravity = array(system.gravity)
    size = 1.0 + float(np.linalg.norm(a))
    mujoco.mj_rnePostConstraint(both.model, both.data)
    theirs = np.zeros(6)
    for name in both.names():
        for local, reference in enumerate(("world-aligned", "body")):
            mujoco.mj_objectVelocity(both.model, both.data, SITE, both.site(name), theirs, local)
            ours = array(frame_velocity(system, q, v, name, reference=reference))
            there = np.roll(theirs, 3)  # MuJoCo has angular before linear
            assert_same(ours, there, f"{reference} velocity of {name!r}", scale=1.0)
        # An accelerometer feels gravity, a frame's acceleration does not hold it.
        mujoco.mj_objectAcceleration(both.model, both.data, SITE, both.site(name), theirs, 0)
        there = np.roll(theirs, 3) + np.concatenate([gravity, np.zeros(3)])
        ours = array(frame_acceleration(system, q, v, a, frame=name))
        assert_same(ours, there, f"world-aligned acceleration of {name!r}", scale=size)


@given(cases())
def test_mass_matrix_and_bias(case: Case) -> None:
    both, system, q, v = Both(case), case.system, case.state.q, case.state.v
    M = np.zeros_like(both.P)
    mujoco.mj_fullM(both.model, both.data, M)
    assert_same(mass_matrix(system, q), both.P.T @ M @ both.P, "mass matrix")
    # MuJoCo's h is at zero acceleration of its own rates; for it Ṗ v = 0, so it is ours too.
    h = both.twin.forces_back(q, both.data.qfrc_bias)
    assert_same(bias_forces(system, q, v), h, "bias forces h(q, v)", scale=1.0)
    both.data.qvel[:] = 0
    mujoco.mj_forward(both.model, both.data)
    g = both.twin.forces_back(q, both.data.qfrc_bias)
    assert_same(gravity_forces(system, q), g, "gravity forces", scale=1.0)


@given(cases())
def test_inverse_dynamics(case: Case) -> None:
    both, state = Both(case), case.state
    both.data.qacc[:] = both.twin.accelerations(state.q, state.v, state.a)
    mujoco.mj_inverse(both.model, both.data)
    theirs = both.twin.forces_back(state.q, both.data.qfrc_inverse)
    ours = inverse_dynamics(case.system, state.q, state.v, state.a)
    assert_same(ours, theirs, "inverse dynamics", scale=1.0)


@given(cases())
def test_forward_dynamics(case: Case) -> None:
    both, state = Both(case), case.state
    theirs = both.twin.accelerations_back(state.q, state.v, both.data.qacc)
    ours = forward_dynamics(case.system, state.q, state.v, state.tau, wrenches=case.wrenches)
    assert_same(ours, theirs, "forward dynamics with wrenches at frames", 1e-11)


@given(cases())
def test_joint_reactions(case: Case) -> None:
    """Also through fixed joints, which Pinocchio does not have."""
    both, system, state = Both(case), case.system, case.state
    both.data.qacc[:] = both.twin.accelerations(state.q, state.v, state.a)
    mujoco.mj_rnePostConstraint(both.model, both.data)
    found = joint_reactions(system, state.q, state.v, state.a)
    for joint in system.joints:
        body = both.model.body(joint.child).id
        # MuJoCo: world axes, moment first, about the centre of mass of the whole tree.
        theirs = np.roll(both.data.cfrc_int[body], 3)
        center = both.data.subtree_com[both.model.body_rootid[body]]
        turn = array(frame_pose(system, state.q, joint.child).rotation)
        force = turn @ array(found[joint.name].linear)
        moment = turn @ array(found[joint.name].angular)
        arm = both.data.xpos[body] - center
        ours = np.concatenate([force, moment + np.cross(arm, force)])
        assert_same(ours, theirs, f"reaction through {joint.name!r}", scale=10.0)


@given(cases())
def test_momentum_and_centre_of_mass(case: Case) -> None:
    both, system, q, v = Both(case), case.system, case.state.q, case.state.v
    mujoco.mj_subtreeVel(both.model, both.data)
    mass = float(both.model.body_subtreemass[0])
    linear = mass * both.data.subtree_linvel[0]
    angular = both.data.subtree_angmom[0]
    com = both.data.subtree_com[0]
    assert_same(total_mass(system), mass, "total mass")
    assert_same(array(center_of_mass(system, q)), com, "centre of mass", scale=1.0)
    size = 1.0 + float(np.linalg.norm(linear)) + float(np.linalg.norm(angular))
    ours = array(momentum(system, q, v, about="com"))
    theirs = np.concatenate([linear, angular])
    assert_same(ours, theirs, "momentum about the centre of mass", scale=size)
    theirs = np.concatenate([linear, angular + np.cross(com, linear)])
    assert_same(array(momentum(system, q, v)), theirs, "momentum about the origin", scale=size)


@given(cases())
def test_energy(case: Case) -> None:
    both, system, q, v = Both(case), case.system, case.state.q, case.state.v
    potential, kinetic = both.data.energy
    assert_same(kinetic_energy(system, q, v), kinetic, "kinetic energy")
    assert_same(potential_energy(system, q), potential, "potential energy", scale=10.0)


@given(cases())
def test_integrate_and_difference(case: Case) -> None:
    both, system, state = Both(case), case.system, case.state
    moved = integrate(system, state.q, state.v, 0.7)
    theirs = both.twin.coordinates(state.q)
    mujoco.mj_integratePos(both.model, theirs, both.data.qvel, 0.7)
    assert_same(both.twin.coordinates(moved), theirs, "coordinates after 0.7 s")
    rates = np.zeros(system.rate_count)
    mujoco.mj_differentiatePos(both.model, rates, 1.0, both.data.qpos, theirs)
    ours = difference(system, state.q, moved)
    there = both.twin.rates_back(state.q, rates)
    assert_same(ours, there, "difference of two configurations", scale=1.0)


@given(cases(kinds=("revolute", "prismatic", "spherical"), base=("free",)))
def test_nothing_is_left_to_the_constraint_solver(case: Case) -> None:
    both = Both(case)
    assert both.data.nefc == 0, f"MuJoCo has {both.data.nefc} constraint rows"
    assert not np.any(both.data.qfrc_passive), "MuJoCo has passive forces without friction"
