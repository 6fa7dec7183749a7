"""The robot at the onset of a blow, at rest: Newton's and Euler's equations written out.

Plane, world axes, base at the origin and not turned. Nothing here uses percuss's dynamics, so
that the two can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from percuss.sources.centre_of_percussion.paper import JOINTS, Robot

Array = np.ndarray
Torques = Callable[[float, float], tuple[float, float, float]]
"""(α1, α2) → torques of base, joint 1 and joint 2 (N m), affine."""


@dataclass(frozen=True)
class Onset:
    """Accelerations, reactions and torques at the first instant of a blow.

    `base` (x, y, turning) in m/s² and rad/s²; `turning` of links 1 and 2 against the world
    (rad/s²); `reactions` of joints 1 and 2 on their outboard links (2, 2), world axes (N);
    `torques` of base, joint 1 and joint 2 (N m).
    """

    base: Array
    turning: Array
    reactions: Array
    torques: Array

    @property
    def sizes(self) -> Array:
        """How large the reactions at joints 1 and 2 are (N)."""
        return np.linalg.norm(self.reactions, axis=1)


def free(first: float, second: float) -> tuple[float, float, float]:
    """No motor does anything."""
    del first, second
    return 0.0, 0.0, 0.0


def compensating(robot: Robot, at: float, base_torque: bool = True) -> Torques:
    """(51)–(53): n2 = -r2 m2 α2 c2 and n1 = -r1 m1 α1 c1 + n2, the base as joint 1."""
    one, two = robot.link1, robot.link2
    r1, r2 = robot.joint_2 - one.cop, at - two.cop

    def torques(first: float, second: float) -> tuple[float, float, float]:
        n2 = -r2 * two.mass * second * two.com
        n1 = -r1 * one.mass * first * one.com + n2
        return (n1 if base_torque else 0.0), n1, n2

    return torques


def blow(angle: float, size: float) -> Array:
    """-F (cos φ, sin φ) in the axes of link 2, turned to the world's (N); φ in rad."""
    turn = sum(JOINTS) + angle
    return -size * np.array([math.cos(turn), math.sin(turn)])


def onset(robot: Robot, at: float, force: Array, torques: Torques = free) -> Onset:
    """What a force (N, world axes) at a distance (m) from joint 2 does at the first instant.

    The equations of base, link 1 and link 2, forces and moments about their centres of mass, are
    affine in the accelerations and reactions: nine of each.
    """

    def imbalance(z: Array) -> Array:
        return _imbalance(robot, at, force, torques, z=z)

    constant = imbalance(np.zeros(9))
    matrix = np.stack([imbalance(unit) - constant for unit in np.eye(9)], axis=1)
    z = np.linalg.solve(matrix, -constant)
    return Onset(z[:3], z[3:5], z[5:].reshape(2, 2), np.array(torques(z[3], z[4])))


def _imbalance(robot: Robot, at: float, force: Array, torques: Torques, *, z: Array) -> Array:
    """Mass times acceleration less force, moment of inertia times turning less moment: (9,)."""
    one, two = robot.link1, robot.link2
    u1, u2 = (np.array([math.cos(x), math.sin(x)]) for x in (JOINTS[0], sum(JOINTS)))
    mount = np.array(robot.mount)
    a0, alpha0, alpha1, alpha2, n1, n2 = z[:2], z[2], z[3], z[4], z[5:7], z[7:9]
    joint1 = a0 + alpha0 * _turned(mount)
    joint2 = joint1 + alpha1 * _turned(robot.joint_2 * u1)
    com1, com2 = joint1 + alpha1 * _turned(one.com * u1), joint2 + alpha2 * _turned(two.com * u2)
    m0, m1, m2 = torques(alpha1, alpha2)
    beyond = robot.joint_2 - one.com
    return np.concatenate(
        [
            robot.mass * a0 + n1,
            [robot.inertia * alpha0 - (_cross(mount, -n1) + m0 - m1)],
            one.mass * com1 - (n1 - n2),
            [one.inertia * alpha1 - _cross(-one.com * u1, n1) - _cross(beyond * u1, -n2) - m1 + m2],
            two.mass * com2 - (n2 + force),
            [
                two.inertia * alpha2
                - _cross(-two.com * u2, n2)
                - _cross((at - two.com) * u2, force)
                - m2
            ],
        ]
    )


def _turned(vector: Array) -> Array:
    """ẑ × vector."""
    return np.array([-vector[1], vector[0]])


def _cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])
