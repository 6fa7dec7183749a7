"""Errors of the paper in where the arm is and how it moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.kinematics import cubic, frame_pose, frame_velocity, resolved_motion, two_link_angles
from percuss.kinematics.trees import tree_poses
from percuss.sources.evidence import Evidence
from percuss.sources.fixed_and_free_floating.motion import arm_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, TABLE_1, fixed_arm
from percuss.sources.fixed_and_free_floating.printed import angles_by_atan

UNEQUAL = replace(TABLE_1, L2=0.5).rods()
"""Rods with a shorter second link: with equal ones L1 and L2 cannot be told apart."""


def inverse_tangent() -> Evidence:
    """θ2 of a point nearer than the circle, where cos θ2 < 0."""
    x, y = 0.5, 0.8
    right = -np.arccos((x**2 + y**2 - 2) / 2)
    general = two_link_angles(TABLE_1.L1, TABLE_1.L2, x, y).negative[1]
    return Evidence.of(
        "θ2 for the tool at (0.5, 0.8) m, elbow of case 2",
        "rad",
        angles_by_atan(1.0, 1.0, x, y)[1],
        right,
        general=general,
    )


def tool_velocity() -> Evidence:
    """ẏ of (8) along the circle at 2.5 s."""
    m = arm_motion(2.5)
    (q1, q2), (v1, v2) = m.q[:, 0], m.v[:, 0]
    one, other = np.cos(q1) * v1, np.cos(q1 + q2) * (v1 + v2)
    moving = frame_velocity(fixed_arm(gravity=False), m.q[:, 0], m.v[:, 0], "tool")
    return Evidence.of(
        "ẏ of the tool at 2.5 s", "m/s", one - other, one + other, general=moving.linear.y
    )


def joint_acceleration() -> Evidence:
    """q̈ = J⁻¹ Ẍ at 2.5 s, as if J did not change."""
    m = arm_motion(2.5)
    (q1, q2), (v1, v2) = m.q[:, 0], m.v[:, 0]
    s1, s12, c1, c12 = np.sin(q1), np.sin(q1 + q2), np.cos(q1), np.cos(q1 + q2)
    J = np.array([[-s1 - s12, -s12], [c1 + c12, c12]])
    turn = v1 + v2
    change = -np.array([[c1 * v1 + c12 * turn, c12 * turn], [s1 * v1 + s12 * turn, s12 * turn]])
    wanted = m.tool_acceleration[:, 0]
    right = np.linalg.solve(J, wanted - change @ m.v[:, 0])
    state = CIRCLE.path()(2.5)
    arm = fixed_arm(gravity=False)
    _, general = resolved_motion(arm, m.q[:, 0], "tool", state, task="planar position")
    return Evidence.of(
        "θ̈1, θ̈2 at 2.5 s", "rad/s²", np.linalg.solve(J, wanted), right, general=general
    )


def differences() -> Evidence:
    """Δx and Δy as ẋ, ẏ; the paper does not give its step, here it is 0.1 s."""
    step, t = 0.1, 2.5
    before, after, now = (arm_motion(t + k * step) for k in (-0.5, 0.5, 0.0))
    a2, a3 = CIRCLE.coefficients()
    speed = CIRCLE.r * (2 * a2 * t + 3 * a3 * t**2)
    exact = speed * np.array([-np.sin(now.phi[0]), np.cos(now.phi[0])])
    moving = frame_velocity(fixed_arm(gravity=False), now.q[:, 0], now.v[:, 0], "tool").linear
    return Evidence.of(
        "ẋ, ẏ of the tool at 2.5 s, steps of 0.1 s",
        "m/s",
        (after.tool - before.tool)[:, 0],
        exact,
        general=(moving.x, moving.y),
    )


def middle_of_link_2() -> Evidence:
    """y2 of (18), the second link half as long."""
    q1, q2 = 1.0, -0.5
    p = UNEQUAL
    half = 0.5 * p.L2 * np.sin(q1 + q2)
    system = p.system()
    pose = tree_poses(system, [q1, q2]).world_poses()[system.node("link2").index]
    general = pose.act(system.node("link2").body.com).y
    return Evidence.of(
        "y of link 2's centre at θ = (1, −0.5) rad, L2 = 0.5 m",
        "m",
        p.L2 * np.sin(q1) + half,
        p.L1 * np.sin(q1) + half,
        general=general,
    )


def cubic_coefficient() -> Evidence:
    """Where φ ends with a3 = −0.0125, and how fast it still goes."""
    a2, a3, t = 0.1885, -0.0125, CIRCLE.duration
    place, speed, _ = cubic([0.0], [2 * np.pi], t)(t)
    return Evidence.of(
        "φ and φ̇ at 10 s",
        "rad, rad/s",
        (a2 * t**2 + a3 * t**3, 2 * a2 * t + 3 * a3 * t**2),
        (2 * np.pi, 0.0),
        general=(*place, *speed),
    )


def printed_angles() -> Evidence:
    """Where the tool is with the angles of case 2 as printed."""
    q = np.array([1.1056, -0.7953])
    pose = frame_pose(fixed_arm(gravity=False), q, "tool").position
    m = arm_motion(0.0)
    reached = frame_pose(fixed_arm(gravity=False), m.q[:, 0], "tool").position
    printed = np.array([pose.x, pose.y], float)
    general = np.array([reached.x, reached.y], float)
    right = (CIRCLE.a + CIRCLE.r, CIRCLE.b)
    return Evidence.of(
        "tool at 0 s with the angles of case 2", "m", printed, right, general=general
    )


def first_coefficient() -> Evidence:
    """q(0) of a cubic from 1.2 to 2 rad."""
    place, _, _ = cubic([1.2], [2.0], CIRCLE.duration)(0.0)
    return Evidence.of("q at 0 s of a motion from 1.2 to 2 rad", "rad", 0.0, 1.2, general=place)


def course_of_velocity() -> Evidence:
    """φ̇ a quarter of the way, as a share of its peak."""
    timing = cubic([0.0], [2 * np.pi], CIRCLE.duration)
    speeds = [float(timing(t)[1][0]) for t in (2.5, 5.0)]
    return Evidence.of("φ̇(2.5 s) / φ̇(5 s)", "", 0.5, 0.75, general=speeds[0] / speeds[1])
