"""Errors of the lecture, each with a computation that shows it."""

from __future__ import annotations

import numpy as np

from percuss.dynamics import coriolis_forces, potential_energy
from percuss.kinematics import frame_pose, frame_velocity, jacobian
from percuss.sources.errata import Erratum
from percuss.sources.evidence import Evidence
from percuss.sources.lecture.arm import SAMPLE, LectureSample

Array = np.ndarray


def potential_of_link_2(state: LectureSample = SAMPLE) -> Evidence:
    """V2 with the mass of link 1."""
    q1, q2 = state.theta
    height = state.length * (np.sin(q1) + np.sin(q1 + q2) / 2)
    body = state.system.node("link1").body
    first = frame_pose(state.system, state.theta, "link1").act(body.com).y
    general = potential_energy(state.system, state.theta) - body.mass * state.g * first
    return Evidence.of(
        "V2", "J", state.m1 * state.g * height, state.m2 * state.g * height, general=general
    )


def centrifugal_term(state: LectureSample = SAMPLE) -> Evidence:
    """h2 with θ2 for sin θ2."""
    (_, q2), (v1, _) = state.theta, state.rates
    factor = state.c2 * state.length * v1**2
    general = coriolis_forces(state.system, state.theta, state.rates)[1]
    return Evidence.of("h2", "N m", factor * q2, factor * np.sin(q2), general=general)


def jacobian_of_a_link(state: LectureSample = SAMPLE) -> Evidence:
    """v2 = J_1 q̇: the first link's Jacobian for the second link."""
    rates = np.array(state.rates)
    first, second = (
        np.asarray(jacobian(state.system, state.theta, name, "body"), float) @ rates
        for name in ("link1", "link2")
    )
    moving = frame_velocity(state.system, state.theta, state.rates, "link2", reference="body")
    at = [0, 1, 5]
    return Evidence.of(
        "v2: (vx, vy, ω) of link 2 in its own axes",
        "m/s, m/s, rad/s",
        first[at],
        second[at],
        general=np.asarray(moving.array(), float)[at],
    )


def zero_columns(state: LectureSample = SAMPLE) -> Evidence:
    """Columns of J2 after the first: zero if "column I" is the first one."""
    J = np.asarray(jacobian(state.system, state.theta, "link2", "body"), float)
    unit = frame_velocity(state.system, state.theta, (0.0, 1.0), "link2", reference="body")
    printed = np.zeros(6)
    return Evidence.of(
        "length of column 2 of J2, read as after “column I”",
        "",
        np.linalg.norm(printed),
        np.linalg.norm(J[:, 1]),
        general=np.linalg.norm(np.asarray(unit.array(), float)),
    )


_ERRATA = (
    (
        "potential energies",
        "V2 = m1 g l (sin θ1 + ½ sin(θ1 + θ2))",
        "m2 g l (sin θ1 + ½ sin(θ1 + θ2)), as fᵍ and the equations of motion have it",
        potential_of_link_2,
    ),
    (
        "h(q, q̇)",
        "h2 = c2 l θ̇1² θ2",
        "c2 l θ̇1² sin θ2, as the equation of motion has it",
        centrifugal_term,
    ),
    ("Jacobian of link i", "vᵢ = J_1(q1, …, qi) q̇", "vᵢ = J_i(q1, …, qi) q̇", jacobian_of_a_link),
    (
        "after it",
        "columns of J_i after column I are zero",
        "after column i",
        zero_columns,
    ),
)


def findings() -> tuple[Erratum, ...]:
    """Every error with its numbers, computed now."""
    return tuple(Erratum(where, printed, right, show()) for where, printed, right, show in _ERRATA)
