"""Errors of chapter 2 that a computation shows."""

from __future__ import annotations

import numpy as np

from percuss.dynamics.formulations.homogeneous import similar
from percuss.kinematics import frame_pose, frame_velocity, jacobian
from percuss.model.systems import Frame
from percuss.sources.evidence import Evidence
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.matrices import ORIGIN, VmsMatrices, arm, placed, velocity
from percuss.sources.thesis.sample import ThesisSample
from percuss.sources.thesis.tables import VMS

Array = np.ndarray


def freedoms(state: ThesisSample) -> Evidence:
    """Grübler's formula 3 (m - 1) - 2 c1 - c2 counts the ground among the m bodies."""
    arms, revolute = 2, 2
    bodies = 1 + arms
    printed = 3 * (bodies - 1) - 2 * revolute
    right = 3 * (bodies + 1 - 1) - 2 * revolute
    return Evidence.of(
        "degrees of freedom of the VMS", "", printed, right, general=state.contact.chaser.rate_count
    )


def redundancy(state: ThesisSample) -> Evidence:
    """n < n_J, with the thesis's n = 2 and two joints, is not even true of the VMS."""
    joints, n = 2, 2
    printed = max(0, joints - n)
    right = len(state.p) - len(state.tool)
    J = jacobian(state.contact.chaser, state.p, state.contact.tool)[:2]
    general = state.contact.chaser.rate_count - np.linalg.matrix_rank(J)
    return Evidence.of("freedoms more than the task needs", "", printed, right, general=general)


def lost_sign(state: ThesisSample) -> Evidence:
    """A joint that turns backwards has the same direction L as one that turns forwards."""
    rate = -abs(state.rates[3])
    W = velocity(rate)
    printed, right = W[1, 0] / abs(rate), W[1, 0] / rate
    general = jacobian(state.contact.chaser, state.p, "link1")[5, 3]
    return Evidence.of(
        "L(2,1) of joint 1 as it turns backwards", "", printed, right, general=general
    )


def sign_of_direction(state: ThesisSample) -> Evidence:
    """L must be skew: a point of link 1 moves across its radius, not along it."""
    point = np.array([0.5, 1.0])
    L = velocity(1.0)
    wrong = L.copy()
    wrong[0, 1] = 1.0
    at = np.array([*point, 0.0, 1.0])
    spot = Frame.point("link1", (*point, 0.0))
    world = jacobian(state.contact.chaser, state.p, spot)[:2, 3]
    turn = frame_pose(state.contact.chaser, state.p, "link1").rotation.array()[:2, :2]
    return Evidence.of(
        "velocity of link 1's point (0.5, 1) m at 1 rad/s",
        "m/s",
        (wrong @ at)[:2],
        (L @ at)[:2],
        general=turn.T @ world,
    )


def invertible(state: ThesisSample) -> Evidence:
    """JᵀJ of a 2×5 Jacobian has rank 2 of 5; J Jᵀ is regular: redundant, and not singular."""
    _, _, first, q1, q2 = state.p
    a, b = first + q1, first + q1 + q2
    last = VMS.l2 * np.array([-np.sin(b), np.cos(b)])
    both = VMS.l1 * np.array([-np.sin(a), np.cos(a)]) + last
    J = np.column_stack([[1, 0], [0, 1], both, both, last])
    general = jacobian(state.contact.chaser, state.p, state.contact.tool)[:2]
    return Evidence.of(
        "1 / condition number of what is inverted, JᵀJ against J Jᵀ",
        "",
        1 / np.linalg.cond(J.T @ J),
        1 / np.linalg.cond(J @ J.T),
        general=1 / np.linalg.cond(general @ general.T),
    )


def base_pose(state: ThesisSample) -> Evidence:
    """The matrix ᶠ_bM without the identity throws away everything behind it."""
    chain = VmsMatrices(state)
    wrong = chain.poses["b"].copy()
    wrong[:2, :2] = 0.0
    behind = np.linalg.inv(chain.poses["b"]) @ chain.poses["2"]
    return _place(
        "end-effector by the chain (2.22)", state, "tool", wrong @ behind, right=chain.poses["2"]
    )


def end_effector(state: ThesisSample) -> Evidence:
    """⁰₂M leaves out where the base is and how it is turned."""
    _, _, _, q1, q2 = state.p
    printed = arm(q1, VMS.l1) @ arm(q2, VMS.l2)
    return _place("p_EE", state, "tool", printed, right=VmsMatrices(state).poses["2"])


def arm_centers(state: ThesisSample) -> Evidence:
    """ᵇ₁M and ¹₂M give the centres in the frames of the base and of arm 1."""
    chain = VmsMatrices(state)
    _, _, first, q1, q2 = state.p
    middle_1, middle_2 = (np.array([-length / 2, 0, 0, 1]) for length in (VMS.l1, VMS.l2))
    printed = (
        placed(first, 0.0, 0.0) @ arm(q1, VMS.l1) @ middle_1,
        arm(q2, VMS.l2) @ middle_2,
    )
    right = (chain.poses["1"] @ middle_1, chain.poses["2"] @ middle_2)
    chaser = state.contact.chaser
    general = [
        frame_pose(chaser, state.p, name).act(chaser.node(name).body.com).array()[:2]
        for name in ("link1", "link2")
    ]
    return Evidence.of(
        "p_c1, p_c2 (x, y each)",
        "m",
        [x[:2] for x in printed],
        [x[:2] for x in right],
        general=general,
    )


def missing_dots(state: ThesisSample) -> Evidence:
    """Angles stand where their rates belong."""
    chain = VmsMatrices(state)
    angles = np.cumsum(state.p[2:])
    right = [chain.velocities[k][1, 0] for k in ("b", "1", "2")]
    general = [_spin(state, name) for name in ("base", "link1", "link2")]
    return Evidence.of("(2,1) of W_f0, W_f1, W_f2", "rad/s", angles, right, general=general)


def joint_frame(state: ThesisSample) -> Evidence:
    """The pure rotation is ⁰W_01: frame 1 is at the end of arm 1, which moves."""
    rate = state.rates[3]
    turned = placed(0.0, -VMS.l1, 0.0)  # where joint 1 is, seen from the end of arm 1
    right = similar(turned, velocity(rate))[1, 3]
    end = Frame.point("link1", (VMS.l1, 0.0, 0.0))
    world = jacobian(state.contact.chaser, state.p, end)[:2, 3] * rate
    turn = frame_pose(state.contact.chaser, state.p, "link1").rotation.array()[:2, :2]
    return Evidence.of(
        "(2,4) of ¹W_01, velocity of the end of arm 1",
        "m/s",
        velocity(rate)[1, 3],
        right,
        general=(turn.T @ world)[1],
    )


def _place(
    quantity: str, state: ThesisSample, frame: str, printed: Array, *, right: Array
) -> Evidence:
    general = frame_pose(state.contact.chaser, state.p, frame).position.array()[:2]
    return Evidence.of(quantity, "m", (printed @ ORIGIN)[:2], (right @ ORIGIN)[:2], general=general)


def _spin(state: ThesisSample, body: str) -> float:
    motion = frame_velocity(state.contact.chaser, state.p, state.rates, body)
    return float(motion.angular.z)  # type: ignore[arg-type]


ERRATA = (
    ThesisErratum(
        chapter=2,
        where="(2.1) and p. 23",
        printed="n = 3(m−1) − 2c1 with m = 3: n = 2",
        right="the ground counts: m = 4, n = 5 = dim p",
        evidence=freedoms,
    ),
    ThesisErratum(
        chapter=2,
        where="after (2.1)",
        printed="redundancy whenever n < n_J",
        right="redundancy when there are more degrees of freedom than the task has dimensions",
        evidence=redundancy,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.13)",
        printed="L = W / |ω|",
        right="L = W / ω with the signed rate",
        evidence=lost_sign,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.15)",
        printed="L(1,2) = 1",
        right="L(1,2) = −1, as in (2.29)",
        evidence=sign_of_direction,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.18) and after",
        printed="robots usually have independent columns, J⁺ = (JᵀJ)⁻¹Jᵀ; redundant means singular",
        right="a redundant J has independent rows, J⁺ = Jᵀ(J Jᵀ)⁻¹; redundancy is not singularity",
        evidence=invertible,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.22)",
        printed="rotation block of ᶠ_bM is 0",
        right="the identity",
        evidence=base_pose,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.23)",
        printed="p_EE = ⁰₂M O",
        right="p_EE = ᶠ₂M O",
        evidence=end_effector,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.25)–(2.28)",
        printed="θ0, q1, q2 in the W (and W_f1 twice in (2.28))",
        right="θ̇0, q̇1, q̇2 (the second is W_f2)",
        evidence=missing_dots,
    ),
    ThesisErratum(
        chapter=2,
        where="(2.25)",
        printed="¹W_01, ²W_12 without translation",
        right="those are ⁰W_01, ¹W_12; in frame 1 there is l1 q̇1 in (2,4)",
        evidence=joint_frame,
    ),
    ThesisErratum(
        chapter=3,
        where="3.1, centres of mass",
        printed="p_c1 = ᵇ₁M{−l1/2…}, p_c2 = ¹₂M{−l2/2…}",
        right="p_c1 = ᶠ₁M{−l1/2…}, p_c2 = ᶠ₂M{−l2/2…}",
        evidence=arm_centers,
    ),
)
