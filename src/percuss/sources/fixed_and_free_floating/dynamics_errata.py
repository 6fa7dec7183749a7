"""Errors of the paper in its equations of motion."""

from __future__ import annotations

import numpy as np

from percuss.dynamics import gravity_forces, inverse_dynamics, mass_matrix
from percuss.sources.evidence import Evidence
from percuss.sources.fixed_and_free_floating.floating import free_base_peaks
from percuss.sources.fixed_and_free_floating.kinematics_errata import UNEQUAL
from percuss.sources.fixed_and_free_floating.motion import ArmMotion, arm_motion
from percuss.sources.fixed_and_free_floating.paper import TABLE_1, fixed_arm
from percuss.sources.fixed_and_free_floating.printed import (
    coefficients,
    gravity_terms,
    numeric_torques,
    printed_appendix_torque,
    printed_gravity_terms,
    torques,
)

RODS = TABLE_1.rods()


def inertia_of_link_2() -> Evidence:
    """H22 that follows from I2 = ½ m2 L2²."""
    p = RODS
    about = p.m2 * (p.L2 / 2) ** 2
    general = np.asarray(mass_matrix(p.system(), [0.3, 0.7]), float)[1, 1]
    return Evidence.of(
        "H22", "kg m²", p.m2 * p.L2**2 / 2 + about, p.m2 * p.L2**2 / 3, general=general
    )


def gravity() -> Evidence:
    """G1 and G2 of (23), the second link half as long."""
    q, p = np.array([1.0, -0.5]), UNEQUAL
    return Evidence.of(
        "G1, G2 at θ = (1, −0.5) rad, L2 = 0.5 m",
        "N m",
        printed_gravity_terms(p, q),
        gravity_terms(p, q),
        general=gravity_forces(p.system(), q),
    )


def centres_of_mass() -> Evidence:
    """τ1 at the start with rods, against Table 1."""
    m = arm_motion(0.0)
    motion = m.q[:, 0], m.v[:, 0], m.a[:, 0]
    return Evidence.of(
        "τ1, τ2 at 0 s with gravity",
        "N m",
        torques(RODS, *motion, gravity=True),
        torques(TABLE_1, *motion, gravity=True),
        general=m.with_gravity[:, 0],
    )


def constants() -> Evidence:
    """H11 and H22 where cos θ2 = 0."""
    A, _, D = coefficients(TABLE_1)
    M = np.asarray(mass_matrix(fixed_arm(gravity=False), [0.0, np.pi / 2]), float)
    return Evidence.of(
        "H11 and H22 at θ2 = 90°", "kg m²", (26.2128, 5.275), (A, D), general=np.diag(M)
    )


def appendix() -> Evidence:
    """τ1 of (A4) at 2.5 s with rods, no gravity."""
    m = arm_motion(2.5)
    motion = m.q[:, 0], m.v[:, 0], m.a[:, 0]
    return Evidence.of(
        "τ1 of rods at 2.5 s without gravity",
        "N m",
        printed_appendix_torque(RODS, *motion),
        torques(RODS, *motion, gravity=False)[0],
        general=np.asarray(inverse_dynamics(RODS.system(gravity=False), *motion), float)[0],
    )


def free_base() -> Evidence:
    """What a base of 100 kg changes that the paper's free-floating case leaves out."""
    found = free_base_peaks()
    return Evidence.of(
        "largest change of τ1, τ2 (share of their peaks) and of the tool's place, base of 100 kg",
        "1, 1, m",
        (0.0, 0.0, 0.0),
        (*found.torque_error, found.tool_error),
    )


def coriolis_1() -> Evidence:
    """The velocity terms of τ1 at 2.5 s: motion without acceleration."""
    return _velocity_terms("velocity terms of τ1 at 2.5 s", arm_motion(2.5), 0)


def coriolis_2() -> Evidence:
    """The velocity term of τ2 at 3.5 s: motion without acceleration."""
    return _velocity_terms("velocity term of τ2 at 3.5 s", arm_motion(3.5), 1)


def _velocity_terms(name: str, m: ArmMotion, joint: int) -> Evidence:
    motion = m.q[:, 0], m.v[:, 0], np.zeros(2)
    general = inverse_dynamics(fixed_arm(gravity=False), *motion)
    return Evidence.of(
        name,
        "N m",
        numeric_torques(*motion, gravity=False)[joint],
        torques(TABLE_1, *motion, gravity=False)[joint],
        general=np.asarray(general, float)[joint],
    )


def gravity_of_link_1() -> Evidence:
    """τ1 at the start, with gravity: 22.084 − cos θ1."""
    m = arm_motion(0.0)
    motion = m.q[:, 0], m.v[:, 0], m.a[:, 0]
    return Evidence.of(
        "τ1 at 0 s with gravity",
        "N m",
        numeric_torques(*motion, gravity=True)[0],
        torques(TABLE_1, *motion, gravity=True)[0],
        general=m.with_gravity[0, 0],
    )
