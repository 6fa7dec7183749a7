"""A system from an MJCF file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from percuss.algebra.poses import Pose
from percuss.io.reading import file_bytes
from percuss.model.bodies import Body
from percuss.model.changes import listed
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.joints import Fixed, Free
from percuss.model.lock import lock
from percuss.model.merge import RigidPart, merge_parts
from percuss.model.mjcf.bodies import body_names, inertial, sites, visuals
from percuss.model.mjcf.compiled import Compiled, compile_mjcf
from percuss.model.mjcf.couplings import coupled
from percuss.model.mjcf.joints import body_pose, chain, joint_names, joints_of
from percuss.model.mjcf.leftovers import leftovers
from percuss.model.mjcf.scan import LARGEST_FILE, Scan, scan
from percuss.model.rebase import unused
from percuss.model.systems import WORLD, BaseMode, Frame, Joint, System


def read_mjcf(
    path: str | Path,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> System:
    """A system from an MJCF file; see `parse_mjcf`."""
    path = Path(path)
    data = file_bytes(path, "an MJCF file", LARGEST_FILE)
    return _read(data, path.name, path.parent, mode, name=name, strict=strict)


def parse_mjcf(
    text: str,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    folder: str | Path | None = None,
    strict: bool = False,
) -> System:
    """A system from the text of an MJCF model, by way of MuJoCo's own compiler.

    Body frames are those of the file. The file may hold one robot: one body of the world with
    all that it carries. Bodies beside it that cannot move are left out, as is the geometry of
    the world; two that can move are refused. The robot's first body is the base: on a fixed
    joint where the file puts it in the mode "fixed", on a free one in the other modes, called
    "base" in either case. Bodies without joints are merged into their carriers without losing
    inertia, and stay as named frames; named sites are frames too. A body with several joints
    hangs from massless bodies, one for each joint but the last, called BODY_JOINT. Bodies
    without a name are called `body` with MuJoCo's index, joints BODY_joint. Coordinates have
    the order of MuJoCo's, and the same zero (`ref`): the rates differ for the free joint only,
    whose angular velocity is along world axes here and along the body's in MuJoCo.

    Friction is `damping` (viscous) and `frictionloss` (Coulomb). Limits are `range`,
    `actuatorfrcrange`, and the `forcerange` or `ctrlrange` of motors. An active linear equality
    of two joints makes one follow the other. Gravity is zero here unless given: that of a file
    is not used, and listed if the file states it. Springs, armature, tendons, other equalities,
    the gains of servos, media and mocap are not used either, each listed as a change; contacts,
    sensors, keyframes and looks change nothing and are not listed. Files are read only below
    the folder of the model, and meshes only where they give a body its inertia.

    Args:
        mode: of the base; by default "free-floating" if the file gives it a free joint, else
            "fixed".
        name: of the system, default that of the model in the file.
        folder: where included files and meshes are looked for.
        strict: refuse what would be changed, all reasons at once.
    """
    return _read(
        text, "MJCF", None if folder is None else Path(folder), mode, name=name, strict=strict
    )


def _read(
    data: str | bytes,
    source: str,
    folder: Path | None,
    mode: BaseMode | str | None,
    *,
    name: str | None,
    strict: bool,
) -> System:
    mode = None if mode is None else BaseMode(mode)
    scanned = scan(data, source, folder)
    compiled = compile_mjcf(scanned)
    try:
        system = _system(compiled, scanned, mode, name)
    except ModelError as error:
        raise ModelError(f"{source}: {error}") from error
    if system.changes and strict:
        raise ModelError(f"{source}: strict reading allows no change:\n{listed(system.changes)}")
    if system.changes:
        told = f"{source}: not everything is used as it stands:\n{listed(system.changes)}"
        warnings.warn(told, ModelNotice, stacklevel=3)
    return system


def _system(compiled: Compiled, scanned: Scan, mode: BaseMode | None, name: str | None) -> System:
    model = compiled.model
    bodies = body_names(model)
    joint_of = joint_names(model, bodies)
    kept = _robot(model, bodies)
    parts, joints, frames = _tree(compiled, kept, bodies, joint_of, mode=mode)
    couplings = coupled(compiled, joints, joint_of)
    changes = [*leftovers(compiled, scanned, kept, bodies, joints=joint_of), *couplings.changes]
    merged = merge_parts(parts, couplings.joints, frames)
    found = tuple(part.body or Body.massless(part.name, part.visuals) for part in merged.parts)
    if mode not in (None, BaseMode.FIXED) and not compiled.massless:
        _refuse_massless_base(found, merged.joints, mode)
    system = System(
        name=name or compiled.spec.modelname or scanned.source,
        bodies=found,
        joints=merged.joints,
        frames=merged.frames,
        mode=mode,
        source=scanned.source,
        changes=tuple(sorted(changes, key=lambda change: change.line)),
    )
    return lock(system, couplings.held)


def _robot(model: Any, names: list[str]) -> range:
    """The indices of the one body of the world that is the robot, and of all it carries."""
    tops = [k for k in range(1, model.nbody) if model.body_parentid[k] == 0]
    # MuJoCo lists a body's descendants right after it.
    trees = [range(top, end) for top, end in pairwise([*tops, model.nbody])]
    moving = [tree for tree in trees if any(model.body_jntnum[k] for k in tree)]
    found = moving or trees
    if not found:
        raise ModelError("the model has no body; a robot needs at least one in <worldbody>")
    if len(found) > 1:
        what = "can move" if moving else "could be the robot"
        listed_names = ", ".join(repr(names[tree.start]) for tree in found)
        raise ModelError(
            f"{len(found)} bodies of the world {what}: {listed_names}; allowed is one robot. Put "
            "each into a file of its own, or all on one base"
        )
    return found[0]


def _tree(
    compiled: Compiled, kept: range, bodies: list[str], names: list[str], *, mode: BaseMode | None
) -> tuple[list[RigidPart], list[Joint], list[Frame]]:
    """Parts, joints and frames of the robot before bodies without joints are merged."""
    model = compiled.model
    parts: list[RigidPart] = []
    joints: list[Joint] = []
    frames: list[Frame] = []
    taken = {bodies[k] for k in kept}
    for k in kept:
        name, parent = bodies[k], bodies[int(model.body_parentid[k])]
        own = None if compiled.massless else inertial(model, k, name)
        seen = visuals(compiled, k)
        if k == kept.start:
            # The base stays a body of its own even if it has no mass.
            own = own or Body.massless(name)
        between = [unused(f"{name}_{names[j]}", taken) for j in joints_of(model, k)[:-1]]
        taken.update(between)
        parts += [RigidPart(massless) for massless in between]
        parts.append(RigidPart(name, own, seen))
        if k == kept.start:
            joints += _base(compiled, k, between, name, names=names, mode=mode)
        elif model.body_jntnum[k]:
            joints += chain(compiled, k, parent, between, child=name, names=names)
        else:
            weld = unused(f"{name}_weld", names)
            joints.append(
                Joint(
                    name=weld,
                    motion=Fixed(),
                    parent=parent,
                    child=name,
                    placement=body_pose(model, k),
                )
            )
    for k in kept:
        frames += sites(model, k, bodies[k], taken)
    return parts, joints, frames


def _base(
    compiled: Compiled,
    root: int,
    between: list[str],
    child: str,
    *,
    names: list[str],
    mode: BaseMode | None,
) -> list[Joint]:
    """What the robot hangs from: a joint "base", or the joints by which it is on the world."""
    held = Joint(
        name="base",
        motion=Fixed(),
        parent=WORLD,
        child=child,
        placement=body_pose(compiled.model, root),
    )
    own = chain(compiled, root, WORLD, between, child=child, names=names)
    if own and not isinstance(own[0].motion, Free):
        if mode not in (None, BaseMode.FIXED):
            raise ModelError(
                f"body {child!r} is on the world by {own[0].motion.kind} joint {own[0].name!r}, so "
                f"it cannot be a {mode} base; give it a free joint or none, or read with "
                "mode='fixed'"
            )
        return own
    others = [name for name in names if not own or name != own[0].name]
    held = replace(held, name=unused("base", others))
    floats = bool(own) if mode is None else mode != BaseMode.FIXED
    # The pose at which the base is in the file is a matter of its coordinates when it is free.
    return [replace(held, motion=Free(), placement=Pose.identity())] if floats else [held]


def _refuse_massless_base(bodies: Sequence[Body], joints: Sequence[Joint], mode: Any) -> None:
    base = next(joint.child for joint in joints if joint.parent == WORLD)
    if any(body.name == base and body.is_massless for body in bodies):
        raise ModelError(
            f"body {base!r} has no mass, so it cannot be a {mode} base: give it an <inertial> or "
            "geometry with mass, or read with mode='fixed'"
        )
