"""Errors of section 3.1, the classic approach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from percuss.dynamics import mass_matrix
from percuss.sources.evidence import Evidence
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.general import object_energy, turned
from percuss.sources.thesis.sample import ThesisSample
from percuss.sources.thesis.tables import VMS

Array = np.ndarray


def doubled_translation(state: ThesisSample) -> Evidence:
    """The mass matrix that Lagrange's equations make of (3.12): M_ii = 2 T at ṗ = e_i."""
    printed = _mass_diagonal(lambda s: _classic_energy(s, 1.0), state)
    right = _mass_diagonal(lambda s: _classic_energy(s, 0.5), state)
    general = np.diag(mass_matrix(state.contact.chaser, state.p))
    pick = [0, 2, 4]
    return Evidence.of(
        "M11, M33, M55", "kg, kg m², kg m²", printed[pick], right[pick], general=general[pick]
    )


def object_rotation(state: ThesisSample) -> Evidence:
    """An angle squared is no energy of rotation."""
    vx, vy, spin = state.object_rates
    inertia = VMS.m_O * VMS.r**2 / 2
    printed = VMS.m_O * (vx**2 + vy**2) + inertia * state.object_angle**2 / 2
    right = (VMS.m_O * (vx**2 + vy**2) + inertia * spin**2) / 2
    return Evidence.of("T_O", "J", printed, right, general=object_energy(state))


def object_force(state: ThesisSample) -> Evidence:
    """Forces on the object turn with the object, not with the VMS's base."""
    own = np.array([1.0, 2.0])
    c, s = np.cos(state.object_angle), np.sin(state.object_angle)
    c0, s0 = np.cos(state.p[2]), np.sin(state.p[2])
    general = turned(state.object_angle, own)
    return Evidence.of(
        "world force of F_O = (1, 2) N",
        "N",
        np.array([[c, -s0], [s, c0]]) @ own,
        np.array([[c, -s], [s, c]]) @ own,
        general=general,
    )


def _classic_energy(state: ThesisSample, factor: float) -> float:
    """Σ factor · m v² + ½ I ω² over base and arms; `factor` is ½, or 1 as (3.12) prints it."""
    x, y, turn, q1, q2 = state.rates
    _, _, first, angle_1, angle_2 = state.p
    a, b = first + angle_1, first + angle_1 + angle_2
    w1, w2 = turn + q1, turn + q1 + q2
    across_1, across_2 = np.array([-np.sin(a), np.cos(a)]), np.array([-np.sin(b), np.cos(b)])
    base = np.array([x, y])
    center_1 = base + VMS.l1 / 2 * w1 * across_1
    center_2 = base + VMS.l1 * w1 * across_1 + VMS.l2 / 2 * w2 * across_2
    bodies = (
        (VMS.m_b, base, VMS.m_b * VMS.r**2 / 2, turn),
        (VMS.m1, center_1, VMS.m1 * VMS.l1**2 / 12, w1),
        (VMS.m2, center_2, VMS.m2 * VMS.l2**2 / 12, w2),
    )
    return sum(factor * m * float(v @ v) + 0.5 * inertia * w**2 for m, v, inertia, w in bodies)


def _mass_diagonal(energy_of: Callable[[ThesisSample], float], state: ThesisSample) -> Array:
    units = (tuple(row) for row in np.eye(5))
    return np.array([2 * energy_of(replace(state, rates=unit)) for unit in units])


ERRATA = (
    ThesisErratum(
        chapter=3,
        where="(3.12), (3.15)",
        printed="T = v m vᵀ + ½ I ω²",
        right="T = ½ v m vᵀ + ½ I ω²",
        evidence=doubled_translation,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.15)",
        printed="T_O = v_O m_O v_Oᵀ + ½ I θ_O²",
        right="½ v_O m_O v_Oᵀ + ½ I θ̇_O²",
        evidence=object_rotation,
    ),
    ThesisErratum(
        chapter=3,
        where="(3.17)",
        printed="sin θ0, cos θ0 in u_O",
        right="sin θ_O, cos θ_O",
        evidence=object_force,
    ),
)
