"""How many freedoms a mechanism has: the count of Grübler and Kutzbach."""

from __future__ import annotations

from collections.abc import Iterable

from percuss.model.errors import ModelError
from percuss.model.joints import JOINT_MOTIONS, JointMotion
from percuss.model.systems import System

_PLANAR_KINDS = ("revolute", "prismatic", "fixed", "planar")
_PLANE, _SPACE = 3, 6


def degrees_of_freedom(
    bodies_including_ground: int, joints: Iterable[int | str | JointMotion], planar: bool
) -> int:
    """n = d (m - 1 - j) + Σ fᵢ with d = 3 in the plane and 6 in space.

    m counts the bodies *with the ground*, j the joints, and fᵢ are the joints' own freedoms.
    For joints of one freedom in the plane that is n = 3 (m - 1) - 2 j.

    Args:
        bodies_including_ground: m; a mechanism on the ground has the ground as one body, and one
            that floats has it too, joined by a planar (3) or free (6) joint.
        joints: the freedom of each joint as a number, or its kind: "revolute", "prismatic",
            "fixed", "planar", "spherical", "free".
        planar: whether everything moves in one plane.

    Returns:
        The count, negative for a mechanism with more constraints than motions. It is the number
        of freedoms unless the dimensions are special, as those of Bennett's linkage are.
    """
    if isinstance(bodies_including_ground, bool) or not isinstance(bodies_including_ground, int):
        raise ModelError(
            f"bodies_including_ground must be a whole number, got {bodies_including_ground!r}"
        )
    if bodies_including_ground < 1:
        raise ModelError(
            "bodies_including_ground must be 1 or more, the ground being a body too, "
            f"got {bodies_including_ground}"
        )
    freedoms = [_freedom(joint, k, planar) for k, joint in enumerate(joints, start=1)]
    motions = _PLANE if planar else _SPACE
    return motions * (bodies_including_ground - 1 - len(freedoms)) + sum(freedoms)


def mobility(system: System) -> int:
    """The count for a system: for a tree it is the number of its rates."""
    motions = [joint.motion for joint in system.joints]
    return degrees_of_freedom(len(system.bodies) + 1, motions, system.is_planar)


def _freedom(joint: int | str | JointMotion, number: int, planar: bool) -> int:
    most = _PLANE if planar else _SPACE
    kind = joint.uncoupled.kind if isinstance(joint, JointMotion) else joint
    if isinstance(kind, str):
        allowed = _PLANAR_KINDS if planar else tuple(JOINT_MOTIONS)
        if kind not in allowed:
            raise ModelError(
                f"joint {number} of a {'planar' if planar else 'spatial'} mechanism must be one "
                f"of {', '.join(allowed)}, got {kind!r}"
            )
        # One that follows another is told by it how to move: it adds no freedom.
        motion = joint if isinstance(joint, JointMotion) else JOINT_MOTIONS[kind]
        return len(motion.rate_names)
    if isinstance(kind, bool) or not isinstance(kind, int) or not 0 <= kind <= most:
        raise ModelError(
            f"joint {number}: its freedoms must be a whole number from 0 to {most}, got {kind!r}"
        )
    return kind
