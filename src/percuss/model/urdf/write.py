"""A system as a URDF file."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path

from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.io import write_file
from percuss.model.bodies import Body, Visual
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.joints import Fixed, Free, Mimic, Planar, Prismatic, Revolute
from percuss.model.rebase import rebase, unused
from percuss.model.systems import WORLD, Friction, Joint, System
from percuss.model.urdf.joints import NO_LIMIT
from percuss.model.urdf.text import number, numbers, origin, tag


def write_urdf(system: System, path: str | Path | None = None) -> str:
    """The system as the text of a URDF, also written to a file if a path is given.

    Numbers have all their digits. URDF has no child placement, so a body frame that is not on
    its joint moves there (see `rebase`); named frames become links without mass on fixed
    joints, and come back as frames. A base on the world's origin is the root link. URDF knows
    neither base modes nor gravity: they are in a comment, and `read_urdf` is given the mode.
    """
    for joint in system.joints:
        _refuse_unwritable(joint)
    tilted = [joint.name for joint in system.joints if _is_tilted_plane(joint)]
    system = rebase(system, keep=tilted)
    folder = None if path is None else Path(path).absolute().parent
    joints = [
        joint
        for joint in system.joints
        if joint is not system.base_joint or not _base_is_root(system)
    ]
    content = [_comment(system)]
    if not _base_is_root(system):
        content += tag("link", name=WORLD)
    for body in system.bodies:
        content += _link(body, folder)
    for joint in joints:
        content += _joint(joint)
    names = [joint.name for joint in joints]
    for frame in system.frames:
        names.append(unused(f"{frame.name}_joint", names))
        content += tag("link", name=frame.name)
        content += _joint(
            Joint(
                name=names[-1],
                motion=Fixed(),
                parent=frame.body,
                child=frame.name,
                placement=frame.placement,
            )
        )
    robot = tag("robot", content, name=system.name)
    text = "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *robot, ""])
    _notice_losses(system)
    if path is not None:
        write_file(path, text)
    return text


def _refuse_unwritable(joint: Joint) -> None:
    if not isinstance(joint.motion.uncoupled, (Revolute, Prismatic, Fixed, Planar, Free)):
        raise ModelError(
            f"joint {joint.name!r}: URDF has no {joint.motion.kind} joint; it has revolute, "
            "prismatic, fixed, planar and floating ones"
        )


def _is_tilted_plane(joint: Joint) -> bool:
    """A planar joint as URDF gives one by its normal: the child turned back from the plane.

    Its link frame needs no moving, since reading finds the same axes in the plane again.
    """
    offset = joint.child_placement
    entries = [*offset.position, *(x for row in offset.rotation.matrix.rows for x in row)]
    if not isinstance(joint.motion, Planar) or not all(is_constant(x) for x in entries):
        return False
    back = offset.rotation.inverse().matrix
    normal = Vector3(back.row1.z, back.row2.z, back.row3.z)
    turn = Rotation.taking_z_to(normal).matrix
    deviation = [x for row in (turn - back).rows for x in row] + list(offset.position)
    return all(abs(x) < 1e-14 for x in deviation)  # type: ignore[arg-type]


def _base_is_root(system: System) -> bool:
    """Whether the root link can stand for the base joint without losing anything."""
    base = system.base_joint
    return (
        sum(joint.parent == WORLD for joint in system.joints) == 1
        and isinstance(base.motion, (Fixed, Free))
        and base.placement.is_identity
        # The base comes first when it is read, which matters if it has coordinates.
        and (isinstance(base.motion, Fixed) or base is system.joints[0])
    )


def _notice_losses(system: System) -> None:
    default = Friction().smoothing
    losses = [
        f"friction smoothing of joint {joint.name!r}"
        for joint in system.joints
        if joint.friction.smoothing != default and joint.friction != Friction()
    ]
    losses += [
        f"that {body.name!r} is a planar body (its moments about x and y are a thin plate's)"
        for body in system.bodies
        if body.planar_only
    ]
    if losses:
        warnings.warn(f"URDF does not hold: {'; '.join(losses)}", ModelNotice, stacklevel=3)


def _comment(system: System) -> str:
    gravity = " ".join(str(g) for g in system.gravity).replace("--", "- -")
    return f"<!-- Base mode: {system.mode}. Gravity (m/s², world axes): {gravity}. -->"


def _link(body: Body, folder: Path | None) -> list[str]:
    named = f"body {body.name!r}"
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = {
        key: number(value, f"{named}: inertia {key}")
        for key, value in zip(keys, body.inertia, strict=True)
    }
    inertial = [
        *tag("origin", xyz=numbers(body.com, f"{named}: com")),
        *tag("mass", value=number(body.mass, f"{named}: mass")),
        *tag("inertia", **moments),
    ]
    content = [] if body.is_massless else tag("inertial", inertial)
    for k, visual in enumerate(body.visuals):
        content += _visual(visual, f"{body.name}_{k}", named, folder)
    return tag("link", content, name=body.name)


def _visual(visual: Visual, material: str, named: str, folder: Path | None) -> list[str]:
    size = numbers(visual.size, f"{named}: visual")
    if visual.shape == "mesh":
        shape = tag("mesh", filename=_filename(visual, named, folder), scale=size)
    elif visual.shape == "box":
        shape = tag("box", size=size)
    else:
        shape = tag(visual.shape, **dict(zip(("radius", "length"), size.split(), strict=False)))
    content = origin(visual.placement, f"{named}: visual") + tag("geometry", shape)
    if visual.color is not None:
        color = tag("color", rgba=numbers(visual.color, f"{named}: color"))
        content += tag("material", color, name=material)
    return tag("visual", content)


def _filename(visual: Visual, named: str, folder: Path | None) -> str:
    """Relative to the folder of the URDF, so that both can move together."""
    if visual.mesh is None:
        raise ModelError(f"{named}: a visual of shape 'mesh' names no mesh file")
    if folder is None:
        return visual.mesh.as_posix()
    try:
        return Path(os.path.relpath(visual.mesh, folder)).as_posix()
    except ValueError:  # on another drive
        return visual.mesh.as_posix()


def _joint(joint: Joint) -> list[str]:
    named, motion = f"joint {joint.name!r}", joint.motion.uncoupled
    # The child placement is the identity, or the turn of a plane given by its normal.
    content = origin(joint.placement @ joint.child_placement, f"{named}: placement")
    content += tag("parent", link=joint.parent) + tag("child", link=joint.child)
    kind = "floating" if isinstance(motion, Free) else motion.kind
    if isinstance(motion, Planar):
        normal = joint.child_placement.rotation.matrix.row3
        content += tag("axis", xyz=numbers(normal, f"{named}: child placement"))
    elif isinstance(motion, (Revolute, Prismatic)):
        content += tag("axis", xyz=numbers(motion.axis, f"{named}: axis"))
        unbounded = math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper)
        kind = "continuous" if unbounded and isinstance(motion, Revolute) else kind
        content += _limit(joint, kind) + _dynamics(joint) + _mimic(joint)
    return tag("joint", content, name=joint.name, type=kind)


def _mimic(joint: Joint) -> list[str]:
    if not isinstance(joint.motion, Mimic):
        return []
    coupling = {
        key: number(getattr(joint.motion, key), f"joint {joint.name!r}: mimic {key}")
        for key in ("multiplier", "offset")
    }
    return tag("mimic", joint=joint.motion.leader, **coupling)


def _limit(joint: Joint, kind: str) -> list[str]:
    limits = joint.limits
    bounds = {} if kind == "continuous" else {"lower": limits.lower, "upper": limits.upper}
    if not bounds and math.isinf(limits.effort) and math.isinf(limits.speed):
        return []
    values = bounds | {"effort": limits.effort, "velocity": limits.speed}
    finite = {key: min(max(value, -NO_LIMIT), NO_LIMIT) for key, value in values.items()}
    return tag("limit", **{key: repr(float(value)) for key, value in finite.items()})


def _dynamics(joint: Joint) -> list[str]:
    viscous = number(joint.friction.viscous, f"joint {joint.name!r}: viscous friction")
    coulomb = number(joint.friction.coulomb, f"joint {joint.name!r}: coulomb friction")
    if float(viscous) == 0 and float(coulomb) == 0:
        return []
    return tag("dynamics", damping=viscous, friction=coulomb)
