"""True coordinates: as many numbers as degrees of freedom, whose derivatives are rates.

Revolute, prismatic and planar joints have them already. A spherical joint gets the angles (roll,
pitch, yaw) of R = Rz(yaw) Ry(pitch) Rx(roll), a free one (x, y, z, roll, pitch, yaw). The system's
rates are then v = E(x) ẋ with E the identity but for the blocks

    spherical, ω in the child's axes        free, ω in the parent's axes
    [1   0        -sin p      ]             [cos y cos p   -sin y   0]
    [0   cos r     sin r cos p]             [sin y cos p    cos y   0]
    [0  -sin r     cos r cos p]             [-sin p         0       1]

for (roll, pitch, yaw) = (r, p, y). The chart ends at pitch ±90°, where E is singular.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, cos, mul, pack, sin, unpack
from percuss.algebra.vectors import Vector3
from percuss.model.joints import Free, Scalars, Spherical
from percuss.model.systems import Node, System

Block = list[list[Scalar]]

_ANGLES = ("roll", "pitch", "yaw")


def chart_names(system: System) -> tuple[str, ...]:
    """Names of the true coordinates, in the order of the rates."""
    names: list[str] = []
    for joint in system.joints:
        suffixes = joint.motion.coordinate_names
        if isinstance(joint.motion, (Spherical, Free)):
            suffixes = (*suffixes[:-4], *_ANGLES)
        names += [f"{joint.name}.{suffix}" if suffix else joint.name for suffix in suffixes]
    return tuple(names)


def chart_coordinates(system: System, x: Any) -> Any:
    """The system's coordinates q at true coordinates x: quaternions for angles, shape (nq,)."""
    values: list[Scalar] = [0.0] * system.coordinate_count
    for node, own in _parts(system, x):
        if _has_angles(node):
            own = (*own[:-3], *_quaternion(*own[-3:]))
        values[node.coordinates] = own
    return pack(values)


def true_coordinates(system: System, q: Coordinates) -> Any:
    """The true coordinates x at the system's coordinates q, shape (nv,)."""
    coordinates = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    values: list[Scalar] = [0.0] * system.rate_count
    for node in system.tree:
        own = coordinates[node.coordinates]
        if _has_angles(node):
            own = (*own[:-4], *Quaternion(*own[-4:]).to_rotation().to_rpy())
        values[node.rates] = own
    return pack(values)


def chart_poses(system: System, x: Any) -> tuple[Pose, ...]:
    """ʷT of every body at true coordinates, in the order of `system.tree`."""
    poses: list[Pose] = []
    for node, own in _parts(system, x):
        joint = node.joint
        motion = joint.motion.pose(own) if not _has_angles(node) else _angle_pose(own)
        pose = joint.placement @ motion @ joint.child_placement
        poses.append(pose if node.parent is None else poses[node.parent] @ pose)
    return tuple(poses)


def rates_map(system: System, x: Any) -> Any:
    """E(x) with v = E ẋ, shape (nv, nv)."""
    return _filled(system, x, _block)


def rates_map_derivative(system: System, x: Any, index: int) -> Any:
    """∂E/∂x_index, shape (nv, nv)."""

    def change(node: Node, own: Scalars) -> Block:
        position = index - node.rates.start
        size = len(own)
        changed: Block = [[0.0] * size for _ in range(size)]
        angle = position - (size - 3)
        if _has_angles(node) and 0 <= angle < 3:
            _insert(changed, _angle_block(node, own[-3:], angle))
        return changed

    return _filled(system, x, change)


def _filled(system: System, x: Any, block: Callable[[Node, Scalars], Block]) -> Any:
    size = system.rate_count
    matrix: Block = [[0.0] * size for _ in range(size)]
    for node, own in _parts(system, x):
        for offset, row in enumerate(block(node, own)):
            matrix[node.rates.start + offset][node.rates] = row
    return pack(matrix)


def _block(node: Node, own: Scalars) -> Block:
    size = len(own)
    block: Block = [[1.0 if i == j else 0.0 for j in range(size)] for i in range(size)]
    if _has_angles(node):
        _insert(block, _angle_block(node, own[-3:], None))
    return block


def _insert(block: Block, angles: Block) -> None:
    for row, entries in zip(block[-3:], angles, strict=True):
        row[-3:] = entries


def _angle_block(node: Node, angles: Scalars, by: int | None) -> Block:
    """The block of E, or its derivative by roll (0), pitch (1) or yaw (2)."""
    roll, pitch, yaw = angles
    s, c = _sine(pitch, by == 1), _cosine(pitch, by == 1)
    if by is None:
        one, minus_sine = 1.0, -s
    else:
        one, minus_sine = 0.0, -s if by == 1 else 0.0
    if isinstance(node.joint.motion, Spherical):
        sr, cr = _sine(roll, by == 0), _cosine(roll, by == 0)
        product = by in (None, 0, 1)
        single = by in (None, 0)
        return [
            [one, 0.0, minus_sine],
            [0.0, cr if single else 0.0, mul(sr, c) if product else 0.0],
            [0.0, -sr if single else 0.0, mul(cr, c) if product else 0.0],
        ]
    sy, cy = _sine(yaw, by == 2), _cosine(yaw, by == 2)
    product = by in (None, 1, 2)
    single = by in (None, 2)
    return [
        [mul(cy, c) if product else 0.0, -sy if single else 0.0, 0.0],
        [mul(sy, c) if product else 0.0, cy if single else 0.0, 0.0],
        [minus_sine, 0.0, one],
    ]


def _sine(angle: Scalar, derived: bool) -> Scalar:
    return cos(angle) if derived else sin(angle)


def _cosine(angle: Scalar, derived: bool) -> Scalar:
    return -sin(angle) if derived else cos(angle)


def _angle_pose(own: Scalars) -> Pose:
    position = Vector3(*own[:3]) if len(own) == 6 else Vector3.zero()
    return Pose(Rotation.from_rpy(*own[-3:]), position)


def _quaternion(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Quaternion:
    turns = []
    for position, angle in ((3, yaw), (2, pitch), (1, roll)):
        half = mul(0.5, angle)
        entries: list[Scalar] = [cos(half), 0.0, 0.0, 0.0]
        entries[position] = sin(half)
        turns.append(Quaternion(*entries))
    return turns[0] @ turns[1] @ turns[2]


def _has_angles(node: Node) -> bool:
    return isinstance(node.joint.motion, (Spherical, Free))


def _parts(system: System, x: Any) -> list[tuple[Node, Scalars]]:
    values = unpack(x, system.rate_count, "x", chart_names(system))
    return [(node, values[node.rates]) for node in system.tree]
