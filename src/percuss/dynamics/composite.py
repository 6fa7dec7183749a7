"""Mass matrix and momentum by composite rigid bodies (Featherstone 2008, section 6.2)."""

from __future__ import annotations

from typing import Any

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, pack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.inertias import body_inertias, regrouped_inertias
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    Velocities,
    tree_poses,
    tree_velocities,
)
from percuss.model.joints import Scalars
from percuss.model.systems import System


def mass_matrix(system: System, q: Configuration) -> Any:
    """M(q) with kinetic energy ½ vᵀ M v: symmetric, shape (nv, nv); kg, kg m, kg m²."""
    poses = tree_poses(system, q)
    composites = composite_inertias(poses)
    places = _axis_places(system)
    count = system.rate_count + len(system.followers)
    local: list[list[Scalar]] = [[0.0] * count for _ in range(count)]
    for node in system.tree:
        for k, axis in zip(places[node.index], node.joint.subspace, strict=True):
            force = composites[node.index] @ axis
            for carrier in system.ancestors(node):
                others = places[carrier.index]
                for other, other_axis in zip(others, carrier.joint.subspace, strict=True):
                    local[k][other] = local[other][k] = other_axis.dot(force)
                force = poses.parent_poses[carrier.index].act(force)
    # M = Gᵀ Qᵀ M_local Q G: rows first, then columns.
    half = [_from_local(poses, places, row) for row in local]
    columns = [_from_local(poses, places, column) for column in zip(*half, strict=True)]
    matrix = pack([list(row) for row in zip(*columns, strict=True)])
    return matrix if system.rate_count else matrix.reshape(0, 0)


def momentum_matrix(system: System, q: Configuration, about: Any = (0.0, 0.0, 0.0)) -> Any:
    """A(q) with momentum (linear, angular about a point) = A v: shape (6, nv), world axes.

    `about` is a point in the world (m), or "com" for the system's centre of mass.
    """
    poses = tree_poses(system, q)
    world = poses.world_poses()
    composites = composite_inertias(poses)
    point = _point(poses, about)
    columns: list[list[Force]] = []
    for node in system.tree:
        to_point = Pose(position=-point) @ world[node.index]
        composite = composites[node.index]
        columns.append([to_point.act(composite @ axis) for axis in node.joint.subspace])
    rows: list[list[Scalar]] = []
    for k in range(6):
        local = [tuple(list(force)[k] for force in part) for part in columns]
        rows.append(list(poses.from_local(local)))
    return pack(rows)


def momentum(
    system: System, q: Configuration, v: Velocities, about: Any = (0.0, 0.0, 0.0)
) -> Force:
    """Linear (N s) and angular (N m s) momentum, world axes, about a point of the world.

    `about` is a point in the world (m), or "com" for the system's centre of mass.
    """
    poses = tree_poses(system, q)
    velocities = tree_velocities(poses, v)
    total = Force.zero()
    for inertia, pose, velocity in zip(
        body_inertias(system), poses.world_poses(), velocities.bodies, strict=True
    ):
        total = total + pose.act(inertia @ velocity)
    return Pose(position=_point(poses, about)).act_inverse(total)


def total_inertia(system: System, q: Configuration) -> SpatialInertia:
    """Inertia of the whole system as if frozen, about the world origin, world axes."""
    return _total(tree_poses(system, q))


def center_of_mass(system: System, q: Configuration) -> Vector3:
    """Centre of mass of the whole system, world frame (m)."""
    return total_inertia(system, q).center_of_mass


def total_mass(system: System) -> Scalar:
    """Mass of all bodies (kg)."""
    total = SpatialInertia.zero()
    for body in system.bodies:
        total = total + body.spatial_inertia
    return total.mass


def composite_inertias(poses: TreePoses) -> tuple[SpatialInertia, ...]:
    """Each body with everything it carries, frozen, in its own frame; follows `system.tree`.

    Along and about the joint of a body they are right; what that does not feel of it is regrouped.
    """
    system = poses.system
    composites = [*regrouped_inertias(system)]
    for node in reversed(system.tree):
        if node.parent is not None:
            carried = poses.parent_poses[node.index].act(composites[node.index])
            composites[node.parent] = composites[node.parent] + carried
    return tuple(composites)


def _total(poses: TreePoses) -> SpatialInertia:
    total = SpatialInertia.zero()
    for inertia, pose in zip(body_inertias(poses.system), poses.world_poses(), strict=True):
        total = total + pose.act(inertia)
    return total


def _point(poses: TreePoses, about: Any) -> Vector3:
    if isinstance(about, str):
        if about != "com":
            raise ValueError(f"about must be a point (x, y, z) in m or 'com', got {about!r}")
        return _total(poses).center_of_mass
    return Vector3.of(about, "about")


def _axis_places(system: System) -> tuple[range, ...]:
    """Where the axes of each node stand in M_local: at its rates, and followers after them all."""
    places: list[range] = []
    behind = system.rate_count
    for node in system.tree:
        first = behind if node.follows else node.rates.start
        places.append(range(first, first + len(node.joint.subspace)))
        behind += node.follows
    return tuple(places)


def _from_local(poses: TreePoses, places: tuple[range, ...], row: Any) -> Scalars:
    """Gᵀ Qᵀ x for a full row in the order of the axes' places."""
    values = tuple(row)
    return poses.from_local(tuple(values[k] for k in own) for own in places)
