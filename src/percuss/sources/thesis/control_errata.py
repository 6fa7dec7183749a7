"""Errors of sections 4.1.1 and 4.1.2: what the motion after the impact does, and what drives it."""

from __future__ import annotations

import numpy as np

from percuss.sources.evidence import Evidence
from percuss.sources.published.plant import PublishedPlant
from percuss.sources.thesis.cases import DAMPING, Case, displacement, simulation_of
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.formulas import ContactMatrices
from percuss.sources.thesis.sample import MOVING, SIMULATION_1, ThesisSample

OFFSET = (0.5, 0.0)
"""Joint 1 in the base frame (m) where the thesis has it at the centre of mass."""


def base_turns(state: ThesisSample) -> Evidence:
    """Simulation 1, pin, free, with joint 1 half a metre from the base's centre of mass."""
    del state
    moved = displacement(simulation_of(Case(closure="pin", mount=OFFSET)))
    return Evidence.of(
        "turn of the base in 10 s, joint 1 moved 0.5 m off its centre", "rad", 0.0, moved[2, -1]
    )


def feed_forward(state: ThesisSample) -> Evidence:
    """q̈ under û of (4.22) for a goal at rest where the arm is: û = C′(q, 0) = 0."""
    meeting = ContactMatrices(state.contact)
    command = np.zeros(5)
    right = np.linalg.solve(meeting.M_after, command - meeting.C_after)
    general = PublishedPlant(state.contact).accelerations(meeting.p, meeting.p_i, command)
    return Evidence.of(
        "q̈ that (4.23) says is q̈_d = 0", "m/s², m/s², rad/s² …", np.zeros(5), right, general=general
    )


def state_matrix(state: ThesisSample) -> Evidence:
    """[0 I; -K_p -K_d] for e of five entries: rows, and the real part that decides stability."""
    size = state.contact.chaser.rate_count
    Kp, Kd = np.eye(size), 2 * DAMPING["controlled"] * np.eye(size)
    A = np.block([[np.zeros((size, size)), np.eye(size)], [-Kp, -Kd]])
    printed = 2 + size  # I_2×2 above K_p of five rows
    return Evidence.of("rows of the matrix for x = [e; ė]", "", printed, len(A), general=2 * size)


def free_floating(state: ThesisSample) -> Evidence:
    """Computed torque with the joints' motors only, the base left alone."""
    del state
    case = Case(closure="pin", motion="controlled", mode="free-floating")
    flown = displacement(simulation_of(Case(closure="pin", motion="controlled")))
    floated = displacement(simulation_of(case))
    return Evidence.of(
        "base away from its goal after 10 s, with (4.26) in full and with the joints alone",
        "m",
        np.linalg.norm(flown[:2, -1]),
        np.linalg.norm(floated[:2, -1]),
    )


def unactuated_swing(state: ThesisSample) -> Evidence:
    """Equation (4.14) with e → 0 stops the object too; on a pin nothing does."""
    del state
    spins = [
        simulation_of(Case(closure=closure, motion="controlled")).observation.target_velocity[-1, 5]
        for closure in ("published", "pin")
    ]
    return Evidence.of("θ̇_O 10 s after the impact, controlled", "rad/s", *spins)


def captions(state: ThesisSample) -> Evidence:
    """What drives Figures 4.5 and 4.6, by the thesis's own equations."""
    del state
    peaks = simulation_of(Case(closure="published", motion="controlled")).peak_control
    return Evidence.of(
        "largest |u| behind Figure 4.5 (F_x, F_y, τ0, τ1, τ2)",
        "N, N, N m …",
        np.zeros(5),
        peaks,
    )


ERRATA = (
    ThesisErratum(
        chapter=4,
        where="4.1.1, end",
        printed="θ0 is constant because no torque acts on the base",
        right="only because joint 1 is at the base's centre of mass",
        evidence=base_turns,
        at=SIMULATION_1,
        simulated=True,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.22)–(4.25)",
        printed="M(q̈_d − q̈) = 0, and (4.25) likewise",
        right="C′(q_d, q̇_d) − C′(q, q̇) remains on the left, "
        "and the prime of M′ is missing in (4.23)",
        evidence=feed_forward,
        at=MOVING,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.28)",
        printed="ẋ = matrix, with I_2×2",
        right="ẋ = matrix · x, with I_5×5",
        evidence=state_matrix,
        at=MOVING,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.26), text",
        printed="nothing on the base's actuators; "
        "chapter 1 prefers a free-floating base for grasping",
        right="(4.26) needs F_x, F_y and τ0 besides the joints' motors: the robot is free-flying",
        evidence=free_floating,
        at=SIMULATION_1,
        simulated=True,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.26), with (4.14)",
        printed="the object comes to rest with the arm",
        right="on a pin its swing is not actuated: it keeps turning, and u never vanishes",
        evidence=unactuated_swing,
        at=SIMULATION_1,
        simulated=True,
    ),
    ThesisErratum(
        chapter=4,
        where="Figures 4.5, 4.6",
        printed="“when no control is performed”",
        right="under the control of (4.26)",
        evidence=captions,
        at=SIMULATION_1,
        simulated=True,
    ),
)
