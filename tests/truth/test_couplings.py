"""Joints that follow others, against Pinocchio on the same tree without couplings.

With v_free = G v and G constant, the laws are M = Gᵀ M_free G, h = Gᵀ h_free, A = A_free G and
J = J_free G. G is built here from the joints as they are written, not by the code under test.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from percuss.dynamics import (
    bias_forces,
    coriolis_forces,
    forward_dynamics,
    gravity_forces,
    hybrid_dynamics,
    inverse_dynamics,
    joint_friction,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    momentum,
    momentum_matrix,
    potential_energy,
)
from percuss.dynamics.hybrid import hybrid_forces
from percuss.kinematics import (
    coordinate_rates,
    difference,
    frame_acceleration,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_time_derivative,
    neutral,
    poses,
)
from percuss.model import Mimic, System
from percuss.model.couplings import uncoupled
from tests.oracles import PinocchioTwin, to_pinocchio
from tests.strategies import Array, Case, coupled_cases
from tests.truth.compare import assert_same, pose_matrix

pin: Any = import_module("pinocchio")

TOLERANCE = 1e-13


class Free:
    """The same tree with a coordinate for every joint, here and in Pinocchio."""

    def __init__(self, case: Case) -> None:
        system = case.system
        self.system = uncoupled(system)
        self.q, self.G = expanded(system, self.system, case.state.q)
        self.v, self.a = self.G @ case.state.v, self.G @ case.state.a
        self.twin: PinocchioTwin = to_pinocchio(self.system)
        self.model, self.data = self.twin.model, self.twin.model.createData()
        self.Q, self.P = self.twin.coordinates(self.q), self.twin.rate_matrix(self.q)
        self.V = self.twin.rates(self.q, self.v)
        self.A = self.twin.accelerations(self.q, self.v, self.a)

    def on_rates(self, forces: Any) -> Array:
        """Pinocchio's generalized forces on the rates of the coupled system: Gᵀ Pᵀ x."""
        return self.G.T @ self.P.T @ np.asarray(forces)


def expanded(system: System, free: System, q: Array) -> tuple[Array, Array]:
    """Coordinates of every joint, and G: rates of every joint for those of the system."""
    whole, G = np.zeros(free.coordinate_count), np.zeros((free.rate_count, system.rate_count))
    for joint in system.joints:
        at, motion = free.node(joint.child), joint.motion
        if isinstance(motion, Mimic):
            leader = system.node(system.joint(motion.leader).child)
            m, o = float(motion.multiplier), float(motion.offset)  # type: ignore[arg-type]
            whole[at.coordinates] = m * q[leader.coordinates] + o
            G[at.rates, leader.rates] = m
        else:
            own = system.node(joint.child)
            whole[at.coordinates] = q[own.coordinates]
            G[at.rates, own.rates] = np.eye(motion.rate_count)
    return whole, G


@given(coupled_cases())
def test_the_tree_moves_as_the_couplings_say(case: Case) -> None:
    system, state, free = case.system, case.state, Free(case)
    assert system.rate_count == free.system.rate_count - len(system.followers)
    pin.forwardKinematics(free.model, free.data, free.Q, free.V, free.A)
    pin.updateFramePlacements(free.model, free.data)
    pin.computeJointJacobians(free.model, free.data, free.Q)
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    found = poses(system, state.q)
    for name, frame in free.twin.frame_ids.items():
        assert_same(pose_matrix(found[name]), free.data.oMf[frame].homogeneous, f"pose of {name!r}")
        J = pin.getFrameJacobian(free.model, free.data, frame, aligned)
        J = J.reshape(6, free.model.nv) @ free.P @ free.G
        assert_same(jacobian(system, state.q, name), J, f"Jacobian of {name!r}", TOLERANCE)
        velocity = np.array(frame_velocity(system, state.q, state.v, name).array(), float)
        assert_same(velocity, J @ state.v, f"velocity of {name!r}", TOLERANCE, scale=1.0)


@given(coupled_cases(max_bodies=7))
@settings(max_examples=20)
@pytest.mark.parametrize("reference", ["body", "world-aligned", "world-origin"])
def test_jacobians_change_as_those_of_the_free_tree(reference: str, case: Case) -> None:
    """J̇ = J̇_free G, and the acceleration of a frame is J v̇ + J̇ v."""
    system, state, free = case.system, case.state, Free(case)
    for frame in (system.bodies[-1].name, system.frames[0].name):
        theirs = (
            jacobian_time_derivative(free.system, free.q, free.v, frame, reference=reference)
            @ free.G
        )
        ours = jacobian_time_derivative(system, state.q, state.v, frame, reference=reference)
        assert_same(ours, theirs, "time derivative of the Jacobian", TOLERANCE, scale=1.0)
        moved = frame_acceleration(
            system, state.q, state.v, state.a, frame=frame, reference=reference
        )
        J = jacobian(system, state.q, frame, reference)
        assert_same(moved.array(), J @ state.a + ours @ state.v, "acceleration", 1e-11, scale=1.0)


@given(coupled_cases())
def test_mass_matrix_and_forces(case: Case) -> None:
    system, state, free = case.system, case.state, Free(case)
    P, G = free.P, free.G
    pin.crba(free.model, free.data, free.Q)
    upper = np.triu(free.data.M)
    M_free = upper + np.triu(upper, 1).T
    M = mass_matrix(system, state.q)
    assert_same(M, G.T @ P.T @ M_free @ P @ G, "M = Gᵀ M_free G", TOLERANCE)
    assert_same(M, M.T, "symmetry of M", 1e-15)
    still = free.twin.accelerations(free.q, free.v, np.zeros(free.system.rate_count))
    h = free.on_rates(pin.rnea(free.model, free.data, free.Q, free.V, still))
    size = np.abs(h).max()
    assert_same(bias_forces(system, state.q, state.v), h, "bias forces", TOLERANCE, size)
    g = free.on_rates(pin.computeGeneralizedGravity(free.model, free.data, free.Q))
    assert_same(gravity_forces(system, state.q), g, "gravity forces", TOLERANCE, size)
    quadratic = coriolis_forces(system, state.q, state.v)
    assert_same(quadratic, h - g, "Coriolis forces", 1e-11, size + np.abs(g).max())
    tau = free.on_rates(pin.rnea(free.model, free.data, free.Q, free.V, free.A))
    found = inverse_dynamics(system, state.q, state.v, state.a)
    assert_same(found, tau, "inverse dynamics", TOLERANCE, size)


@given(coupled_cases())
def test_forward_dynamics_and_momentum(case: Case) -> None:
    system, state, free = case.system, case.state, Free(case)
    P, G = free.P, free.G
    pin.crba(free.model, free.data, free.Q)
    upper = np.triu(free.data.M)
    M = G.T @ P.T @ (upper + np.triu(upper, 1).T) @ P @ G
    still = free.twin.accelerations(free.q, free.v, np.zeros(free.system.rate_count))
    h = free.on_rates(pin.rnea(free.model, free.data, free.Q, free.V, still))
    a = np.linalg.solve(M, state.tau - h)
    # The error of a solution is that of its right side times the condition of M.
    rounding = 1e-15 * np.linalg.cond(M)
    size = float(np.linalg.norm(np.linalg.solve(M, np.diag(np.abs(state.tau) + np.abs(h)))))
    found = forward_dynamics(system, state.q, state.v, state.tau)
    assert_same(found, a, "forward dynamics", max(1e-12, rounding), size)
    total = pin.computeCentroidalMomentum(free.model, free.data, free.Q, free.V)
    # Pinocchio's centre of mass leaves out what is fixed to the world; the origin is the same.
    moment = total.angular + np.cross(free.data.com[0], total.linear)
    there = np.concatenate([total.linear, moment])
    ours = np.array(momentum(system, state.q, state.v).array(), float)
    assert_same(ours, there, "momentum", TOLERANCE, scale=1.0)
    A = momentum_matrix(system, state.q)
    assert_same(A @ state.v, there, "momentum matrix", TOLERANCE, scale=1.0)
    energy = pin.computeKineticEnergy(free.model, free.data, free.Q, free.V)
    assert_same(kinetic_energy(system, state.q, state.v), energy, "kinetic energy", TOLERANCE)
    assert_same(0.5 * state.v @ M @ state.v, energy, "½ vᵀ M v", TOLERANCE)


@given(coupled_cases(friction=True))
def test_forward_and_inverse_dynamics_undo_each_other(case: Case) -> None:
    """With friction in leaders and followers and wrenches on the bodies."""
    system, state = case.system, case.state
    tau = inverse_dynamics(system, state.q, state.v, state.a, wrenches=case.wrenches)
    a = forward_dynamics(system, state.q, state.v, tau, wrenches=case.wrenches)
    condition = np.linalg.cond(mass_matrix(system, state.q))
    assert_same(a, state.a, "accelerations", max(1e-11, 1e-14 * condition), scale=1.0)


@given(coupled_cases(friction=True))
def test_friction_acts_where_the_follower_moves(case: Case) -> None:
    """Gᵀ f(G v): each joint rubs at its own rate and hands its multiplier's share on."""
    system, state, free = case.system, case.state, Free(case)
    ours = joint_friction(system, state.v)
    assert_same(ours, free.G.T @ joint_friction(free.system, free.v), "friction", TOLERANCE)
    assert float(ours @ state.v) <= 0.0


@given(coupled_cases(max_bodies=7, friction=True))
@settings(max_examples=30)
def test_hybrid_dynamics(case: Case) -> None:
    """What is prescribed is kept, what is driven moves as the forces say, and both agree."""
    system, state = case.system, case.state
    mask = np.zeros(system.rate_count, bool)
    for node in system.independent:
        mask[node.rates] = bool(node.index % 2)
    driven = (system, state.q, state.v, state.tau)
    known: dict[str, Any] = {"a": state.a, "prescribed": mask, "wrenches": case.wrenches}
    a, tau = hybrid_dynamics(*driven, **known), hybrid_forces(*driven, **known)
    assert np.array_equal(a[mask], state.a[mask])
    needed = inverse_dynamics(system, state.q, state.v, a, wrenches=case.wrenches)
    size = np.linalg.norm(mass_matrix(system, state.q)) * (1 + np.abs(a).max())
    assert_same(needed[~mask], state.tau[~mask], "forces given", 1e-10, size)
    assert_same(tau, needed, "forces found", 1e-10, size)


@given(coupled_cases(friction=True))
def test_efforts_of_a_coupling_add_up(case: Case) -> None:
    """Reactions are the free tree's; a leader's motor feels its followers, each multiplied."""
    system, state, free = case.system, case.state, Free(case)
    ours = joint_reactions(system, state.q, state.v, state.a, wrenches=case.wrenches)
    theirs = joint_reactions(free.system, free.q, free.v, free.a, wrenches=case.wrenches)
    for name, wrench in theirs.items():
        assert_same(ours[name].array(), wrench.array(), f"reaction of {name!r}", 1e-11, scale=1.0)
    efforts = inverse_dynamics(free.system, free.q, free.v, free.a, wrenches=case.wrenches)
    tau = inverse_dynamics(system, state.q, state.v, state.a, wrenches=case.wrenches)
    size = np.abs(efforts).max()
    assert_same(tau, free.G.T @ efforts, "motor efforts", 1e-11, size)


@given(coupled_cases())
def test_coordinates_are_the_leaders(case: Case) -> None:
    """Integration, differences and rates leave followers out, and move the tree with them."""
    system, state, free = case.system, case.state, Free(case)
    moved = integrate(system, state.q, state.v, 0.3)
    whole, _ = expanded(system, free.system, moved)
    there = integrate(free.system, free.q, free.v, 0.3)
    assert_same(whole, there, "coordinates after a motion", TOLERANCE)
    back = difference(system, state.q, moved)
    rates = 0.3 * state.v
    singles = [k for node in system.independent for k in [node.rates.start] if _is_single(node)]
    assert_same(back[singles], rates[singles], "difference", TOLERANCE, scale=1.0)
    change = coordinate_rates(system, state.q, state.v)
    for joint in system.movable_joints:
        node = system.node(joint.child)
        if _is_single(node):
            assert change[node.coordinates][0] == state.v[node.rates][0]
            assert neutral(system)[node.coordinates][0] == 0.0
    assert potential_energy(system, state.q) == pytest.approx(
        float(potential_energy(free.system, free.q)),  # type: ignore[arg-type]
        abs=1e-10,
    )


def _is_single(node: Any) -> bool:
    return node.joint.motion.rate_count == 1
