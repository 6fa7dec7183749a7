"""Errors of chapter 4, from the impact to the equations of motion after it."""

from __future__ import annotations

import numpy as np

from percuss.impact import assess, pin
from percuss.impact.contact import mobility
from percuss.kinematics import frame_pose
from percuss.sources.evidence import Evidence
from percuss.sources.published.plant import PublishedPlant
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.formulas import ContactMatrices
from percuss.sources.thesis.sample import MOVING, SIMULATION_1, ThesisSample
from percuss.sources.thesis.tables import POSITIONS, VMS

Array = np.ndarray


def least_squares(state: ThesisSample) -> Evidence:
    """The force of (4.2) satisfies the object's own equation only if its motion is the true one."""
    meeting = ContactMatrices(state.contact)
    return Evidence.of(
        "what M_O Δψ̇ + J_Oᵀ P leaves over",
        "N s, N s, N m s",
        meeting.unexplained(meeting.published),
        meeting.unexplained(meeting.pinned),
        general=meeting.unexplained(_pin(state)),
    )


def missing_condition(state: ThesisSample) -> Evidence:
    """Nothing turns the object about the contact point: NᵀM_O Δψ̇ = 0."""
    meeting = ContactMatrices(state.contact)

    def turned(rates: tuple[Array, Array]) -> float:
        return float(meeting.swing @ meeting.M_O @ (rates[1] - meeting.psi_i))

    return Evidence.of(
        "change of the object's angular momentum about the contact point",
        "N m s",
        turned(meeting.published),
        turned(meeting.pinned),
        general=turned(_pin(state)),
    )


def momentum_lost(state: ThesisSample) -> Evidence:
    """Momentum of VMS and object after the impact; `right` is also what it was before."""
    meeting = ContactMatrices(state.contact)
    found = assess(state.contact, pin(state.contact), "pin")
    general = [*found.linear_momentum_before[:2], found.angular_momentum_before[2]]
    return Evidence.of(
        "momentum after the impact (x, y, angular)",
        "N s, N s, N m s",
        meeting.momentum(meeting.published),
        meeting.momentum(meeting.pinned),
        general=general,
    )


def unit_of_length(state: ThesisSample) -> Evidence:
    """The thesis's impact with lengths in m and in cm."""
    meetings = [ContactMatrices(state.contact_in(metre)) for metre in (1.0, 100.0)]
    return Evidence.of(
        "q̇2 after the impact, computed in m and in cm",
        "rad/s",
        [meeting.published[0][4] for meeting in meetings],
        [meeting.pinned[0][4] for meeting in meetings],
        general=[np.asarray(pin(meeting.contact).chaser_rates)[4] for meeting in meetings],
    )


def carried_inertia(state: ThesisSample) -> Evidence:
    """The object's inertia, as the end-effector feels it along x and y."""
    meeting, c = ContactMatrices(state.contact), state.contact
    W = mobility(c.target, c.target_coordinates, c.grip).array()[:2, :2]
    return Evidence.of(
        "inertia of the object at the contact point (xx, yy)",
        "kg",
        np.diag(meeting.carried),
        np.diag(meeting.felt),
        general=np.diag(np.linalg.inv(np.asarray(W, float))),
    )


def partial_derivatives(state: ThesisSample) -> Evidence:
    """J and J_O⁺ depend on time through p only: ∂/∂t of them is zero, and C′ would be C."""
    meeting = ContactMatrices(state.contact)
    plant = PublishedPlant(state.contact)
    general = plant.commands(meeting.p, meeting.p_i, np.zeros(5))
    return Evidence.of("C′", "N, N, N m …", meeting.C, meeting.C_after, general=general)


def welded_angle(state: ThesisSample) -> Evidence:
    """The object's spin by (4.21) is that of a weld, by (4.14) another; neither is the pin's."""
    meeting = ContactMatrices(state.contact)
    p_f, psi_f = meeting.published
    right = meeting.pinned[1][2]
    general = np.asarray(pin(state.contact).target_rates)[2]
    return Evidence.of(
        "θ̇_O after the impact, by (4.21) and by (4.14)",
        "rad/s",
        [p_f[2:].sum(), psi_f[2]],
        [right, right],
        general=[general, general],
    )


def object_center(state: ThesisSample) -> Evidence:
    """The contact point is on the rim."""
    c = state.contact
    tool = frame_pose(c.chaser, c.chaser_coordinates, c.tool).position
    center = frame_pose(c.target, c.target_coordinates, c.target.base.name).position
    right = np.linalg.norm(state.object_center - state.tool)
    return Evidence.of(
        "distance of the object's centre from the end-effector",
        "m",
        0.0,
        right,
        general=np.linalg.norm((center - tool).array()),
    )


def rounded_angle(state: ThesisSample) -> Evidence:
    """Contact point (2.32) and end-effector: apart with θ_O of Table 4.2, together by (4.20)."""
    del state  # the tables' own

    def gap(angle: float) -> float:
        turned = angle + VMS.gamma
        rim = VMS.r * np.array([np.cos(turned), np.sin(turned)])
        point = np.array([POSITIONS.x_O, POSITIONS.y_O]) + rim
        return float(np.linalg.norm(point - SIMULATION_1.tool))

    c = SIMULATION_1.contact
    tool = frame_pose(c.chaser, c.chaser_coordinates, c.tool).position
    grip = frame_pose(c.target, c.target_coordinates, c.grip).position
    return Evidence.of(
        "gap between contact point and end-effector",
        "m",
        gap(POSITIONS.theta_O),
        gap(POSITIONS.object_angle(VMS.gamma)),
        general=np.linalg.norm((grip - tool).array()),
    )


def _pin(state: ThesisSample) -> tuple[Array, Array]:
    jump = pin(state.contact)
    return np.asarray(jump.chaser_rates, float), np.asarray(jump.target_rates, float)


ERRATA = (
    ThesisErratum(
        chapter=4,
        where="(4.2), (4.17)",
        printed="f_I = −(J_Oᵀ)⁺(M_O ψ̈ + C_O), and J_O⁻ᵀ",
        right="a least-squares value, exact only if M_O ψ̈ + C_O is in the range of J_Oᵀ; "
        "J_O⁻ᵀ does not exist",
        evidence=least_squares,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.5)–(4.7)",
        printed="“the general property of conservation of momentum”",
        right="five equations for eight unknowns; with (4.8) NᵀM_O(ψ̇_f − ψ̇_i) = 0 is still missing "
        "(N: turning about the contact point)",
        evidence=missing_condition,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.9), (4.14)",
        printed="ψ̇_f = J_O⁺ J ṗ_f",
        right="does not follow from (4.8), and loses momentum",
        evidence=momentum_lost,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.9), (4.14)",
        printed="ψ̇_f = J_O⁺ J ṗ_f",
        right="adds m/s to rad/s: the answer depends on the unit of length",
        evidence=unit_of_length,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.11)",
        printed="(J_O⁺)ᵀ M_O J_O⁺ in G, (J_O⁺)ᵀ M_O ψ̇_i in H",
        right="Λ = (J_O M_O⁻¹ J_Oᵀ)⁻¹ in G, Λ J_O ψ̇_i in H",
        evidence=carried_inertia,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.15), (4.19)",
        printed="∂J/∂t, ∂J_O⁺/∂t",
        right="total derivatives d/dt",
        evidence=partial_derivatives,
        at=MOVING,
    ),
    ThesisErratum(
        chapter=4,
        where="(4.18)–(4.21)",
        printed="θ_O(t) = θ0 + q1 + q2 + π − γ",
        right="kinematics of a weld in a model of a pin: "
        "contradicts (4.14) and assumption 2 (no moment)",
        evidence=welded_angle,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="after (4.19)",
        printed="the object's coordinates coincide with the end-effector's",
        right="its centre is r away",
        evidence=object_center,
        at=SIMULATION_1,
    ),
    ThesisErratum(
        chapter=4,
        where="Table 4.2",
        printed="θ_O = 4.21 rad",
        right="4.2123890 rad by (4.20)",
        evidence=rounded_angle,
        at=SIMULATION_1,
    ),
)
