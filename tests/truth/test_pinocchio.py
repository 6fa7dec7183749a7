"""Every quantity agrees with Pinocchio, on random trees of all joint kinds."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

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
    momentum_matrix,
    potential_energy,
    total_mass,
)
from percuss.kinematics import (
    difference,
    frame_acceleration,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_time_derivative,
    poses,
)
from percuss.model import Fixed
from tests.oracles import PinocchioTwin, to_pinocchio
from tests.strategies import Array, Case, cases
from tests.truth.compare import assert_same, derivative, pose_matrix

pin: Any = import_module("pinocchio")

REFERENCES = {
    "world-aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "body": pin.ReferenceFrame.LOCAL,
    "world-origin": pin.ReferenceFrame.WORLD,
}


class Both:
    """A case in both libraries; capitals are Pinocchio's own."""

    def __init__(self, case: Case) -> None:
        self.system, self.state = case.system, case.state
        self.twin: PinocchioTwin = to_pinocchio(case.system)
        self.model = self.twin.model
        self.data = self.model.createData()
        q, v = case.state.q, case.state.v
        self.Q = self.twin.coordinates(q)
        self.V = self.twin.rates(q, v)
        self.A = self.twin.accelerations(q, v, case.state.a)
        self.TAU = self.twin.forces(q, case.state.tau)
        self.P = self.twin.rate_matrix(q)
        self.dP = self.twin.rate_matrix_derivative(q, v)
        pin.forwardKinematics(self.model, self.data, self.Q, self.V, self.A)
        pin.updateFramePlacements(self.model, self.data)

    def external(self, wrenches: dict[Any, Force]) -> Any:
        """Wrenches at frames as forces on Pinocchio's joints, in their frames."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        for named, wrench in wrenches.items():
            frame = self.system.frame(named)
            at = self.data.oMf[self.twin.frame_ids[frame.body]]
            point = at.act(np.array(frame.placement.position.array(), float))
            force, moment = np.split(np.array(wrench.array(), float), 2)
            at_origin = pin.Force(force, moment + np.cross(point, force))
            joint = self.twin.joint_ids[self.system.node(frame.body).joint.name]
            forces[joint] += self.data.oMi[joint].actInv(at_origin)
        return forces


def vector(motion: Any) -> Array:
    return np.concatenate([motion.linear, motion.angular])


def motion_array(motion: Any) -> Array:
    return np.array(motion.array(), float)


@given(cases())
def test_poses(case: Case) -> None:
    both = Both(case)
    for name, pose in poses(case.system, case.state.q).items():
        theirs = both.data.oMf[both.twin.frame_ids[name]].homogeneous
        assert_same(pose_matrix(pose), theirs, f"pose of {name!r} in the world")


@given(cases())
@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobians(reference: str, case: Case) -> None:
    both, q, v = Both(case), case.state.q, case.state.v
    pin.computeJointJacobians(both.model, both.data, both.Q)
    pin.computeJointJacobiansTimeVariation(both.model, both.data, both.Q, both.V)
    there = REFERENCES[reference]
    for name, frame in both.twin.frame_ids.items():
        shape = (6, both.model.nv)  # Pinocchio gives a single column as a vector
        J = pin.getFrameJacobian(both.model, both.data, frame, there).reshape(shape)
        ours = jacobian(case.system, q, name, reference)
        assert_same(ours, J @ both.P, f"{reference} Jacobian of {name!r}")
        dJ = pin.getFrameJacobianTimeVariation(both.model, both.data, frame, there)
        ours = jacobian_time_derivative(case.system, q, v, name, reference=reference)
        theirs = dJ.reshape(shape) @ both.P + J @ both.dP
        assert_same(
            ours, theirs, f"time derivative of the {reference} Jacobian of {name!r}", scale=1.0
        )


@given(cases(max_bodies=5))
@settings(max_examples=10)
@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian_time_derivative_by_differences(reference: str, case: Case) -> None:
    system, q, v = case.system, case.state.q, case.state.v
    name = system.frames[0].name
    ours = jacobian_time_derivative(system, q, v, name, reference=reference)
    theirs = derivative(lambda t: jacobian(system, integrate(system, q, v, t), name, reference))
    assert_same(ours, theirs, f"time derivative of the {reference} Jacobian", 1e-11, scale=1.0)


@given(cases())
@pytest.mark.parametrize("reference", REFERENCES)
def test_velocities_and_accelerations(reference: str, case: Case) -> None:
    both, system = Both(case), case.system
    q, v, a = case.state.q, case.state.v, case.state.a
    there = REFERENCES[reference]
    for name, frame in both.twin.frame_ids.items():
        ours = motion_array(frame_velocity(system, q, v, name, reference=reference))
        theirs = vector(pin.getFrameVelocity(both.model, both.data, frame, there))
        assert_same(ours, theirs, f"{reference} velocity of {name!r}", scale=1.0)
        ours = motion_array(frame_acceleration(system, q, v, a, frame=name, reference=reference))
        if reference == "world-aligned":
            found = pin.getFrameClassicalAcceleration(both.model, both.data, frame, there)
        else:
            found = pin.getFrameAcceleration(both.model, both.data, frame, there)
        assert_same(ours, vector(found), f"{reference} acceleration of {name!r}", scale=1.0)


@given(cases())
def test_mass_matrix_and_bias(case: Case) -> None:
    both, q, v = Both(case), case.state.q, case.state.v
    M = pin.crba(both.model, both.data, both.Q).reshape(both.P.shape)
    M = np.triu(M) + np.triu(M, 1).T
    assert_same(mass_matrix(case.system, q), both.P.T @ M @ both.P, "mass matrix")
    # Pinocchio's h is at zero acceleration of its own rates, ours at zero of ours.
    rest = both.twin.accelerations(q, v, np.zeros_like(v))
    h = pin.rnea(both.model, both.data, both.Q, both.V, rest)
    assert_same(bias_forces(case.system, q, v), both.P.T @ h, "bias forces h(q, v)", scale=1.0)
    g = pin.computeGeneralizedGravity(both.model, both.data, both.Q)
    assert_same(gravity_forces(case.system, q), both.P.T @ g, "gravity forces", scale=1.0)


@given(cases())
def test_inverse_dynamics(case: Case) -> None:
    both, state = Both(case), case.state
    tau = pin.rnea(both.model, both.data, both.Q, both.V, both.A)
    ours = inverse_dynamics(case.system, state.q, state.v, state.a)
    assert_same(ours, both.P.T @ tau, "inverse dynamics without wrenches", scale=1.0)
    forces = both.external(case.wrenches)
    tau = pin.rnea(both.model, both.data, both.Q, both.V, both.A, forces)
    ours = inverse_dynamics(case.system, state.q, state.v, state.a, wrenches=case.wrenches)
    assert_same(ours, both.P.T @ tau, "inverse dynamics with wrenches at frames", scale=1.0)


@given(cases())
def test_joint_reactions(case: Case) -> None:
    both, state = Both(case), case.state
    pin.rnea(both.model, both.data, both.Q, both.V, both.A, both.external(case.wrenches))
    found = joint_reactions(case.system, state.q, state.v, state.a, wrenches=case.wrenches)
    for joint in case.system.joints:
        if isinstance(joint.motion, Fixed):
            continue  # Pinocchio has merged the bodies
        theirs = both.data.f[both.twin.joint_ids[joint.name]]
        back = np.array(joint.child_placement.rotation.array(), float).T
        theirs = np.concatenate([back @ theirs.linear, back @ theirs.angular])
        ours = np.array(found[joint.name].array(), float)
        assert_same(ours, theirs, f"reaction through {joint.name!r}", scale=10.0)


@given(cases())
def test_forward_dynamics(case: Case) -> None:
    both, state = Both(case), case.state
    forces = both.external(case.wrenches)
    found = pin.aba(both.model, both.data, both.Q, both.V, both.TAU, forces)
    theirs = both.twin.accelerations_back(state.q, state.v, found)
    ours = forward_dynamics(case.system, state.q, state.v, state.tau, wrenches=case.wrenches)
    assert_same(ours, theirs, "forward dynamics", 1e-11)


@given(cases())
def test_articulated_bodies_solve_the_equation_of_motion(case: Case) -> None:
    system, state = case.system, case.state
    a = forward_dynamics(system, state.q, state.v, state.tau, wrenches=case.wrenches)
    M = mass_matrix(system, state.q)
    pushed = bias_forces(system, state.q, state.v) - inverse_dynamics(
        system, state.q, state.v, 0 * state.a, wrenches=case.wrenches
    )
    rest = state.tau + pushed - bias_forces(system, state.q, state.v)
    size = float(np.linalg.norm(M) * np.linalg.norm(a))
    assert_same(M @ a, rest, "M v̇ + h = τ + Σ Jᵀ f", scale=size)


@given(cases())
def test_momentum(case: Case) -> None:
    both, q, v = Both(case), case.state.q, case.state.v
    h = vector(pin.computeCentroidalMomentum(both.model, both.data, both.Q, both.V))
    point = both.data.com[0].copy()
    size = 1.0 + float(np.linalg.norm(h))
    ours = np.array(momentum(case.system, q, v, about=point).array(), float)
    assert_same(ours, h, "momentum about the centre of mass of what moves", scale=size)
    A = pin.computeCentroidalMap(both.model, both.data, both.Q).reshape(6, both.model.nv)
    ours = momentum_matrix(case.system, q, about=point)
    assert_same(ours, A @ both.P, "momentum matrix about the centre of mass of what moves")
    if both.model.inertias[0].mass == 0:
        ours = np.array(momentum(case.system, q, v, about="com").array(), float)
        assert_same(ours, h, "momentum about the centre of mass", scale=size)
    at_origin = h + np.concatenate([np.zeros(3), np.cross(point, h[:3])])
    ours = np.array(momentum(case.system, q, v).array(), float)
    assert_same(ours, at_origin, "momentum about the world origin", scale=size)


@given(cases())
def test_energy_and_centre_of_mass(case: Case) -> None:
    both, system, q, v = Both(case), case.system, case.state.q, case.state.v
    T = pin.computeKineticEnergy(both.model, both.data, both.Q, both.V)
    assert_same(kinetic_energy(system, q, v), T, "kinetic energy")
    # What hangs on the world is not part of Pinocchio's sums.
    welded = both.model.inertias[0]
    U = pin.computePotentialEnergy(both.model, both.data, both.Q)
    U -= welded.mass * welded.lever @ both.model.gravity.linear
    assert_same(potential_energy(system, q), U, "potential energy", scale=10.0)
    com = pin.centerOfMass(both.model, both.data, both.Q)
    mass = both.data.mass[0]
    com = (mass * com + welded.mass * welded.lever) / (mass + welded.mass)
    assert_same(total_mass(system), mass + welded.mass, "total mass")
    assert_same(np.array(center_of_mass(system, q).array()), com, "centre of mass", scale=1.0)


@given(cases(kinds=("revolute", "prismatic", "spherical", "fixed"), base=("fixed", "spherical")))
def test_integrate_and_difference(case: Case) -> None:
    """Planar and free joints are left out: Pinocchio moves them along a screw.

    We move their origin along a straight line, as MuJoCo does.
    """
    both, system, state = Both(case), case.system, case.state
    moved = integrate(system, state.q, state.v, 0.7)
    theirs = pin.integrate(both.model, both.Q, 0.7 * both.V)
    assert_same(both.twin.coordinates(moved), theirs, "coordinates after 0.7 s")
    found = difference(system, state.q, moved)
    theirs = both.twin.rates_back(
        state.q, pin.difference(both.model, both.Q, both.twin.coordinates(moved))
    )
    assert_same(found, theirs, "difference of two configurations", scale=1.0)
