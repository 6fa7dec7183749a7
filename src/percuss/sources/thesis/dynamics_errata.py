"""Errors of section 3.2, the homogeneous matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.algebra import SpatialInertia, Vector3
from percuss.dynamics import kinetic_energy
from percuss.dynamics.formulations.homogeneous import (
    congruent,
    kinetic_energy_of,
    pseudo_scalar_product,
    similar,
)
from percuss.kinematics import frame_velocity
from percuss.sources.evidence import Evidence
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.general import generalized_forces, object_energy
from percuss.sources.thesis.matrices import VmsMatrices, disk_body, placed, velocity
from percuss.sources.thesis.sample import ThesisSample
from percuss.sources.thesis.tables import VMS

Array = np.ndarray


def rod_about_center(state: ThesisSample) -> Evidence:
    """(3.20) applied to Table 3.1."""
    pairs = ((VMS.m1, VMS.l1), (VMS.m2, VMS.l2))
    right = [_pseudo_moment(0.0, m * length**2 / 12, m * length**2 / 12) for m, length in pairs]
    general = []
    for name in ("link1", "link2"):
        body = state.contact.chaser.node(name).body
        about = SpatialInertia.about_center_of_mass(body.mass, Vector3.zero(), body.inertia)
        general.append(about.pseudo_inertia().second.xx)
    return Evidence.of(
        "J_xx of arms 1 and 2 about their centres",
        "kg m²",
        [m * length**2 / 3 for m, length in pairs],
        right,
        general=general,
    )


def asymmetric_body(state: ThesisSample) -> Evidence:
    """T_2 with (3.26) as printed; ∫ [P; 1][P; 1]ᵀ dm is symmetric."""
    chain = VmsMatrices(state)
    wrong = np.zeros((4, 4))
    wrong[0, 0], wrong[3, 3] = VMS.m2 * VMS.l2**2 / 3, VMS.m2
    wrong[1, 3], wrong[3, 0] = -VMS.l2 * VMS.m2 / 2, VMS.l2 * VMS.m2 / 2
    printed = kinetic_energy_of(chain.velocities["2"], congruent(chain.frame("2"), wrong))
    right = kinetic_energy_of(chain.velocities["2"], chain.bodies["2"])
    node = state.contact.chaser.node("link2")
    motion = frame_velocity(state.contact.chaser, state.p, state.rates, "link2", reference="body")
    general = node.body.spatial_inertia.kinetic_energy(motion)
    return Evidence.of("kinetic energy of arm 2", "J", printed, right, general=general)


def bodies_by_similarity(state: ThesisSample) -> Evidence:
    """T with ᶠJ = M J M⁻¹, which is how (2.12) moves velocities."""
    chain = VmsMatrices(state)
    wrong = {k: similar(chain.frame(k), J) for k, J in chain.own_bodies.items()}
    return Evidence.of(
        "kinetic energy of the VMS",
        "J",
        chain.kinetic_energy(wrong),
        chain.kinetic_energy(chain.bodies),
        general=kinetic_energy(state.contact.chaser, state.p, state.rates),
    )


def actions_by_similarity(state: ThesisSample) -> Evidence:
    """Power of the forces with ᶠΦ = M Φ M⁻¹, against F · v + τ · q̇."""
    chain = VmsMatrices(state)
    wrong = {k: similar(chain.frame(k), phi) for k, phi in chain.own_actions.items()}
    general = float(np.dot(generalized_forces(state), state.rates))
    return Evidence.of(
        "power of F and τ", "W", chain.power(wrong), chain.power(chain.actions), general=general
    )


def object_by_one_matrix(state: ThesisSample) -> Evidence:
    """T_O with ᶠJ = M J M, M = ᴼ¹_fM on both sides."""
    M = placed(state.object_angle, *state.object_center)
    J, W = disk_body(VMS.m_O, VMS.r), _object_velocity(state)
    back = np.linalg.inv(M)
    printed, right = kinetic_energy_of(W, back @ J @ back), kinetic_energy_of(W, congruent(M, J))
    return Evidence.of("T_O", "J", printed, right, general=object_energy(state))


def object_mass(state: ThesisSample) -> Evidence:
    """T_O with the mass of the base."""
    M, W = placed(state.object_angle, *state.object_center), _object_velocity(state)
    printed, right = (
        kinetic_energy_of(W, congruent(M, disk_body(m, VMS.r))) for m in (VMS.m_b, VMS.m_O)
    )
    return Evidence.of("T_O", "J", printed, right, general=object_energy(state))


def all_bodies(state: ThesisSample) -> Evidence:
    """Joint 2 moves arm 2 only, so only what acts there counts."""
    chain = VmsMatrices(state)
    L = chain.directions[4]
    printed = pseudo_scalar_product(_sum(chain, "b", "1", "2"), L)
    right = pseudo_scalar_product(_sum(chain, "2"), L)
    return Evidence.of(
        "generalized force of q2", "N m", printed, right, general=generalized_forces(state)[4]
    )


def base_direction(state: ThesisSample) -> Evidence:
    """L_f0 = W_f0 / θ̇0 moves the base as well as it turns it."""
    chain = VmsMatrices(state)
    phi = _sum(chain, "b", "1", "2")
    printed = pseudo_scalar_product(phi, chain.velocities["b"] / state.rates[2])
    right = pseudo_scalar_product(phi, chain.directions[2])
    return Evidence.of("f3", "N m", printed, right, general=generalized_forces(state)[2])


def wrong_bodies(state: ThesisSample) -> Evidence:
    """The printed sums are τ0 - τ2 and τ0 - τ1 without F, which adds its moment about joint 2."""
    torques = replace(state, forces=(0.0, 0.0, *state.forces[2:]))
    chain = VmsMatrices(torques)
    _, _, _, L1, L2 = chain.directions
    printed = (
        pseudo_scalar_product(_sum(chain, "b", "1"), L1),
        pseudo_scalar_product(_sum(chain, "b"), L2),
    )
    right = (
        pseudo_scalar_product(_sum(chain, "1", "2"), L1),
        pseudo_scalar_product(_sum(chain, "2"), L2),
    )
    general = generalized_forces(torques)[3:]
    return Evidence.of("f4, f5 with F = 0", "N m", printed, right, general=general)


# --- parts --------------------------------------------------------------------------------------


def _pseudo_moment(xx: float, yy: float, zz: float) -> float:
    """J_xx by (3.20)."""
    return (-xx + yy + zz) / 2


def _object_velocity(state: ThesisSample) -> Array:
    """ᶠW_fO1: (2.35) times ψ̇, added up."""
    vx, vy, spin = state.object_rates
    turned = similar(placed(0.0, *state.object_center), velocity(spin))
    return velocity(0.0, vx, vy) + turned


def _sum(chain: VmsMatrices, *bodies: str) -> Array:
    return np.sum([chain.actions[k] for k in bodies], axis=0)


ERRATA = (
    ThesisErratum(
        chapter=3,
        where="(3.24)",
        printed="sum over all bodies j = 1…N",
        right="over the bodies downstream, j = i…N",
        evidence=all_bodies,
    ),
    ThesisErratum(
        chapter=3,
        where="Table 3.2",
        printed="“with respect to their centre of mass”: arms ⅓ m l²",
        right="m l²/12 there; ⅓ m l² is in the frame at the arm's end",
        evidence=rod_about_center,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.26)",
        printed="J_k(2,4) = −l m/2, J_k(4,1) = +l m/2",
        right="J_k(1,4) = J_k(4,1) = −l m/2",
        evidence=asymmetric_body,
    ),
    ThesisErratum(
        chapter=3,
        where="after (3.26)",
        printed="project J following (2.12), ᶠJ = M J M⁻¹",
        right="congruence, ᶠJ = M J Mᵀ",
        evidence=bodies_by_similarity,
    ),
    ThesisErratum(
        chapter=3,
        where="before (3.29)",
        printed="project Φ likewise, ᶠΦ = M Φ M⁻¹",
        right="congruence, ᶠΦ = M Φ Mᵀ",
        evidence=actions_by_similarity,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.29)",
        printed="f3 with L_f0",
        right="with L_b0",
        evidence=base_direction,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.29)",
        printed="f4 = (Φ_b + Φ_1) ⊗ L_01, f5 = Φ_b ⊗ L_12",
        right="f4 = (Φ_1 + Φ_2) ⊗ L_01, f5 = Φ_2 ⊗ L_12",
        evidence=wrong_bodies,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.31), (3.33)",
        printed="m_b, ᶠJ_b",
        right="m_O, ᶠJ_O",
        evidence=object_mass,
    ),
    ThesisErratum(
        chapter=3,
        where="after (3.31), (3.32)",
        printed="ᶠJ = M J M with M = ᴼ¹_fM",
        right="ᶠJ = M J Mᵀ with M = ᶠ_O1M",
        evidence=object_by_one_matrix,
    ),
)
