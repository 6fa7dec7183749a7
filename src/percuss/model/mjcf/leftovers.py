"""What a model has beyond a tree of rigid bodies: listed, since it is not used."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from percuss.model.changes import Change
from percuss.model.joints import Free, Prismatic, Spherical
from percuss.model.mjcf.compiled import Compiled
from percuss.model.mjcf.joints import acts_on_joint, effort_range, is_motor, motion_of
from percuss.model.mjcf.scan import Scan

_UNITS = {"stiffness": ("N m/rad", "N/m"), "effort": ("N m", "N"), "armature": ("kg m²", "kg")}
"""Of a joint that turns and of one that slides."""


def leftovers(
    compiled: Compiled, scanned: Scan, kept: range, bodies: list[str], *, joints: list[str]
) -> list[Change]:
    """What is not used of the bodies `kept` and of what acts on them; not couplings of joints."""
    return [
        *_options(compiled, scanned),
        *(change for body in kept for change in _of_body(compiled, body, bodies[body])),
        *(
            change
            for joint in range(compiled.model.njnt)
            if int(compiled.model.jnt_bodyid[joint]) in kept
            for change in _of_joint(compiled, joint, joints[joint])
        ),
        *_tendons(compiled),
        *_actuators(compiled),
    ]


def _options(compiled: Compiled, scanned: Scan) -> Iterator[Change]:
    option = compiled.model.opt
    if scanned.gravity is not None and np.any(option.gravity != 0):
        line = scanned.gravity.line if scanned.gravity.log.source == scanned.source else 0
        given = scanned.gravity.attributes["gravity"]
        yield Change(line, "<option>", f"gravity {given} m/s²", "none; it is given with a scenario")
    for what, unit in (("density", "kg/m³"), ("viscosity", "Pa s")):
        value = float(getattr(option, what))
        if value != 0:
            yield Change(0, "<option>", f"{what} {value:g} {unit} of a medium", "none")


def _of_body(compiled: Compiled, body: int, name: str) -> Iterator[Change]:
    model, line = compiled.model, compiled.line(compiled.spec.bodies[body])
    where = f"body {name!r}"
    if model.body_mocapid[body] >= 0:
        yield Change(line, where, "mocap: its user moves it", "fixed where the file puts it")
    if model.body_gravcomp[body] != 0:
        yield Change(line, where, f"gravcomp {model.body_gravcomp[body]:g}", "none")
    if model.body_plugin[body] >= 0:
        yield Change(line, where, "a plugin", "none")


def _of_joint(compiled: Compiled, joint: int, name: str) -> Iterator[Change]:
    model, line = compiled.model, compiled.line(compiled.spec.joints[joint])
    where, motion = f"joint {name!r}", motion_of(compiled, joint)
    slides = isinstance(motion, Prismatic)
    dof = int(model.jnt_dofadr[joint])
    stiffness, armature = float(model.jnt_stiffness[joint]), float(model.dof_armature[dof])
    if stiffness != 0:
        unit = _UNITS["stiffness"][slides]
        yield Change(line, where, f"stiffness {stiffness:g} {unit}", "none")
    if np.any(model.jnt_stiffnesspoly[joint] != 0):
        yield Change(line, where, "a spring that is not linear", "none")
    if np.any(model.dof_dampingpoly[dof] != 0):
        linear = float(model.dof_damping[dof])
        yield Change(line, where, "damping that is not linear", f"its linear part {linear:g}")
    if armature != 0:
        yield Change(line, where, f"armature {armature:g} {_UNITS['armature'][slides]}", "none")
    if isinstance(motion, Free):
        damping, loss = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
        if damping != 0 or loss != 0:
            yield Change(line, where, f"damping {damping:g}, frictionloss {loss:g}", "none")
    if isinstance(motion, Spherical) and model.jnt_limited[joint]:
        degrees = math.degrees(float(model.jnt_range[joint][1]))
        yield Change(line, where, f"a cone of {degrees:g}° as its limit", "no limit")
    low, high = effort_range(compiled, joint)
    if not math.isinf(low + high) and not math.isclose(-low, high):
        unit, most = _UNITS["effort"][slides], max(-low, high)
        read = f"effort from {low:g} to {high:g} {unit}"
        yield Change(line, where, read, f"{most:g} {unit} both ways")


def _tendons(compiled: Compiled) -> Iterator[Change]:
    model = compiled.model
    for k, tendon in enumerate(compiled.spec.tendons):
        parts = [
            what
            for what in ("stiffness", "damping", "frictionloss", "armature")
            if getattr(model, f"tendon_{what}")[k] != 0
        ]
        parts += ["limits"] if model.tendon_limited[k] else []
        if parts:
            where = f"tendon {model.tendon(k).name or k!r}"
            yield Change(compiled.line(tendon), where, ", ".join(parts), "none")


def _actuators(compiled: Compiled) -> Iterator[Change]:
    model, kinds = compiled.model, compiled.mujoco.mjtTrn
    for k, actuator in enumerate(compiled.spec.actuators):
        where, line = f"actuator {model.actuator(k).name or k!r}", compiled.line(actuator)
        if not acts_on_joint(compiled, k):
            kind = kinds(int(model.actuator_trntype[k])).name.removeprefix("mjTRN_").lower()
            yield Change(line, where, f"acts on a {kind}", "none")
        elif not is_motor(compiled, k):
            yield Change(line, where, _servo(compiled, k), "a motor of that force")
        if model.actuator_armature[k] != 0 or model.actuator_damping[k] != 0:
            yield Change(line, where, "armature or damping of a motor", "none")


def _servo(compiled: Compiled, actuator: int) -> str:
    """What the actuator does with its control, in words."""
    model, mujoco = compiled.model, compiled.mujoco
    if int(model.actuator_biastype[actuator]) == mujoco.mjtBias.mjBIAS_AFFINE:
        _, position, speed = (float(x) for x in model.actuator_biasprm[actuator][:3])
        return f"a servo of gains {-position:g} (position) and {-speed:g} (speed)"
    return "a force that is not its control times a constant"


def unused_equality(compiled: Compiled, equality: int, where: str) -> Change:
    """An equality that is no linear coupling of two joints of the robot."""
    kinds: Any = compiled.mujoco.mjtEq
    kind = kinds(int(compiled.model.eq_type[equality])).name.removeprefix("mjEQ_").lower()
    line = compiled.line(compiled.spec.equalities[equality])
    return Change(line, where, f"{kind} constraint", "none: the parts move apart")
