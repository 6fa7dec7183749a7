"""Bodies of a compiled MuJoCo model: names, inertia, looks and sites."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.mjcf.compiled import Compiled
from percuss.model.names import WORLD
from percuss.model.rebase import unused
from percuss.model.systems import Frame

_HIDDEN_GROUP = 3
"""Geometry of this group and above is not shown by MuJoCo: by custom it is for collisions."""


def vector(values: Any) -> Vector3:
    """A vector of plain floats."""
    return Vector3.of([float(x) for x in values])


def pose(position: Any, quaternion: Any) -> Pose:
    """A pose from MuJoCo's position (m) and quaternion (w, x, y, z)."""
    # The quaternions have length one to rounding; the rotation is that of their direction.
    turn = Quaternion(*(float(x) for x in quaternion)).to_rotation()
    return Pose(turn, vector(position))


def body_names(model: Any) -> list[str]:
    """A name for each body by index: its own, or `body` with its index."""
    names = [WORLD]
    taken = {model.body(index).name for index in range(1, model.nbody)}
    for index in range(1, model.nbody):
        name = model.body(index).name or unused(f"body{index}", taken)
        taken.add(name)
        names.append(name)
    return names


def inertial(model: Any, index: int, name: str) -> Body | None:
    """The body with its compiled inertia in its own frame; None without mass."""
    mass = float(model.body_mass[index])
    if mass == 0:
        return None
    # In the principal axes the tensor is diagonal.
    principal = pose(model.body_ipos[index], model.body_iquat[index])
    diagonal = Symmetric3(*(float(x) for x in model.body_inertia[index]))
    tensor = Symmetric3.of(principal.rotation.conjugate(diagonal.matrix()))
    return Body(name, mass, principal.position, tensor)


def sites(model: Any, index: int, name: str, taken: set[str]) -> list[Frame]:
    """The named sites of a body as frames; one whose name is taken has "_site" behind it."""
    frames: list[Frame] = []
    for k in range(model.nsite):
        if model.site_bodyid[k] != index or not model.site(k).name:
            continue
        own = model.site(k).name
        own = unused(f"{own}_site", taken) if own in taken else own
        taken.add(own)
        frames.append(Frame(own, name, pose(model.site_pos[k], model.site_quat[k])))
    return frames


def visuals(compiled: Compiled, index: int) -> tuple[Visual, ...]:
    """The shown geometry of a body: boxes, cylinders, balls, capsules and meshes by file."""
    model = compiled.model
    first, count = int(model.body_geomadr[index]), int(model.body_geomnum[index])
    return tuple(
        visual
        for geom in range(first, first + count)
        if model.geom_group[geom] < _HIDDEN_GROUP
        for visual in _geom(compiled, geom)
    )


def _geom(compiled: Compiled, geom: int) -> list[Visual]:
    model, types = compiled.model, compiled.mujoco.mjtGeom
    at = pose(model.geom_pos[geom], model.geom_quat[geom])
    color = _color(compiled, geom)
    if geom in compiled.meshes:
        return _mesh(compiled, geom, at, color)
    radius, half, other = (float(x) for x in model.geom_size[geom])
    kind = int(model.geom_type[geom])
    if kind == types.mjGEOM_SPHERE:
        return [Visual("sphere", (radius,), at, color=color)]
    if kind == types.mjGEOM_BOX:
        return [Visual("box", (2 * radius, 2 * half, 2 * other), at, color=color)]
    if kind == types.mjGEOM_CYLINDER:
        return [Visual("cylinder", (radius, 2 * half), at, color=color)]
    if kind == types.mjGEOM_CAPSULE:
        ends = [Pose.at((0.0, 0.0, end)) for end in (-half, half)]
        caps = [Visual("sphere", (radius,), at @ end, color=color) for end in ends]
        return [Visual("cylinder", (radius, 2 * half), at, color=color), *caps]
    return []


def _mesh(compiled: Compiled, geom: int, at: Pose, color: Any) -> list[Visual]:
    name, model = compiled.meshes[geom], compiled.model
    if name not in compiled.files:
        return []  # its vertices are in the model, not in a file
    file, scale = compiled.files[name]
    mesh = int(model.geom_dataid[geom])
    if mesh >= 0:
        # MuJoCo moves a mesh that it loads to its centre and its principal axes.
        at = at @ pose(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
    return [Visual(shape="mesh", size=scale, placement=at, mesh=file, color=color)]


def _color(compiled: Compiled, geom: int) -> tuple[float, float, float, float]:
    model = compiled.model
    own, material = model.geom_rgba[geom], int(model.geom_matid[geom])
    if material >= 0 and np.allclose(own, (0.5, 0.5, 0.5, 1.0)):
        own = model.mat_rgba[material]  # MuJoCo's default grey means that none was given
    r, g, b, alpha = (float(x) for x in own)
    return r, g, b, alpha
