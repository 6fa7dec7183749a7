"""Errors of the paper about the whole robot: its free base, its dynamics and IC²."""

from __future__ import annotations

import math

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.vectors import Vector3
from percuss.dynamics import forward_dynamics, mass_matrix
from percuss.kinematics import jacobian
from percuss.percussion import fixed_axis_reaction, impact_reactions
from percuss.sources.centre_of_percussion.compensation import by_equations, compensated, free_joints
from percuss.sources.centre_of_percussion.newton_euler import blow, compensating, onset
from percuss.sources.centre_of_percussion.paper import JOINTS, TABLE_1
from percuss.sources.evidence import Evidence

Q = np.array([0.0, 0.0, 0.0, *JOINTS])
"""Coordinates of the robot in all simulations."""

NORMAL = math.pi / 2


def joints_in_space() -> Evidence:
    """Joint 2 fixed in space, as section 2.1 has it, against a robot that floats."""
    robot, size = TABLE_1.system, 1000.0
    force = blow(NORMAL, size)
    fixed = fixed_axis_reaction(robot, Q, "tool", force).linear
    free = impact_reactions(robot, Q, "tool", force).joints["joint2"]
    return Evidence.of(
        "|N2| at onset, 1 kN normal at the tip of link 2",
        "N",
        fixed.norm(),
        onset(TABLE_1, TABLE_1.link2.length, force).sizes[1],
        general=free.bearing,
    )


def sign_of_the_force() -> Evidence:
    """q̈ by (55) for 100 N on the robot at the tip, at rest, no actuation."""
    robot, force = TABLE_1.system, blow(NORMAL, 100.0)
    found = onset(TABLE_1, TABLE_1.link2.length, force)
    turned = np.diff([found.base[2], *found.turning])
    J = np.asarray(jacobian(robot, Q, "tool"), float)[:2]
    M = np.asarray(mass_matrix(robot, Q), float)
    return Evidence.of(
        "ẍ, ÿ, θ̈0, q̈1, q̈2 for 100 N at the tip",
        "m/s², rad/s²",
        np.linalg.solve(M, -J.T @ force),
        (*found.base, *turned),
        general=forward_dynamics(
            robot, Q, np.zeros(5), None, wrenches=[(robot.frame("tool"), _push(force))]
        ),
    )


def algebraic_loop() -> Evidence:
    """(51)–(52) with the accelerations that there are before the torques act."""
    at, force = TABLE_1.link2.length, blow(NORMAL, 100.0)
    law = compensating(TABLE_1, at)
    before = onset(TABLE_1, at, force)
    return Evidence.of(
        "torques of base, joint 1, joint 2 at onset, 100 N at the tip (printed: ω̇ before they act)",
        "N m",
        law(before.turning[0], before.turning[1]),
        onset(TABLE_1, at, force, law).torques,
        general=compensated(at).torques[:, 0],
    )


def at_the_centre_of_percussion() -> Evidence:
    """Peak of |N2| within 100 N for 0.1 s at the CoP of link 2: printed, no more than without."""
    return Evidence.of(
        "peak |N2| with IC², 100 N for 0.1 s at the CoP (printed: not above that without)",
        "N",
        free_joints(TABLE_1.link2.cop).peak("joint2"),
        by_equations(TABLE_1.link2.cop).peak("joint2"),
        general=compensated(TABLE_1.link2.cop).peak("joint2"),
    )


def _push(force: np.ndarray) -> Force:
    return Force(Vector3(float(force[0]), float(force[1]), 0.0), Vector3.zero())
