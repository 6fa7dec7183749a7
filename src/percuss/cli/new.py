"""`percuss new`: a commented scenario to start from."""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from percuss.cli.options import Json
from percuss.dynamics.composite import total_mass
from percuss.io import write_file
from percuss.io.files import try_file
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.joints import Fixed
from percuss.model.systems import Joint, System
from percuss.model.urdf.read import read_urdf
from percuss.report.letters import plain

PLANE = """\
# A satellite with a two-link arm hooks a tumbling disk, in the plane. Run it with
#   percuss run FILE
# Numbers are SI; any of them may carry a unit (70 deg, 5 kN, 10 s).
name: my first capture
chaser:
  base: {shape: disk, mass: 100, radius: 1.0}    # or mass and inertia
  mount: [0, 0]                                  # joint 1 in the base frame
  mode: free-flying                              # fixed | free-floating | attitude-controlled
  arm:                                           # slender rods, from the base outwards
    - {joint: revolute, length: 2.0, mass: 10}
    - {joint: revolute, length: 3.0, mass: 10}
  position: [0, 0]
  angle: 0 deg
  joints: [30 deg, -60 deg]
  velocity: {linear: [0, 0], angular: 0, joints: [0, 0]}
target:
  shape: disk
  mass: 15
  radius: 1.0
  contact: {angle: 0.5}                          # where on the rim the tool touches
  velocity: {linear: [-0.5, 0], angular: 5 deg/s}
impact:
  closure: pin                                   # weld | bounce | compliant
control:
  law: computed-torque                           # none | pd: what the motors do after the impact
  natural-frequency: 1.0
  damping-ratio: 1.0
duration: 10 s
"""

SPACE = """\
# A satellite with a seven-joint arm grasps a tumbling one, in space. Run it with
#   percuss run FILE
# Numbers are SI; any of them may carry a unit (70 deg, 5 kN, 10 s).
name: my first capture in space
chaser:
  robot: demo-7                                  # percuss robots lists the library
  mode: free-flying                              # fixed | free-floating | attitude-controlled
  tool: tool                                     # the frame that touches
  position: [0, 0, 0]                            # of the base frame, world
  orientation: [1, 0, 0, 0]                      # quaternion w x y z, world <- base
  joints: [0, -10 deg, 0, 50 deg, 0, 50 deg, 0]
  velocity: {linear: [0.01, 0, 0]}
target:
  mass: 250
  inertia: {xx: 75, yy: 85, zz: 55, xy: 2, xz: -1.5, yz: 1}    # about its centre of mass
  size: [1.2, 1.0, 1.6]
  contact: [-0.6, 0.1, 0.2]                      # from its centre of mass, target frame
  velocity: {linear: [-0.02, 0.01, 0.005], angular: [1.5 deg/s, 1 deg/s, 3.5 deg/s]}
impact:
  closure: weld                                  # pin | bounce | compliant
control:
  law: computed-torque                           # none | pd | detumble
  natural-frequency: 0.25
  damping-ratio: 1.0
duration: 20 s
"""

ROBOT = """\
# {title} takes hold of a cube, in space. Run it with
#   percuss run FILE
# Numbers are SI; any of them may carry a unit (70 deg, 5 kN, 10 s).
name: {name}
chaser:
{robot}  position: [0, 0, 0]                            # of the base frame, world
  orientation: [1, 0, 0, 0]                      # quaternion w x y z, world <- base
target:
  object: cube                                   # or mass, inertia and size
  contact: [-0.5, 0, 0]                          # from its centre of mass, target frame
  velocity: {{linear: [-0.01, 0, 0], angular: [0, 0, 1 deg/s]}}
impact:
  closure: pin                                   # weld | bounce | compliant
control:
  law: none                                      # computed-torque | pd, with gains
duration: 2 s
"""

VEHICLE = """\
  urdf: {urdf}
  mode: free-floating                            # fixed | attitude-controlled | free-flying
  tool: {tool}
{joints}"""
"""A robot that brings a base of its own."""

ARM = """\
  base: {{shape: box, size: [1, 1, 1], mass: {mass:g}}}    # the satellite: made up, put yours here
  mode: free-floating                            # fixed | attitude-controlled | free-flying
  arms:
    arm:                                         # its names begin with arm_ from here on
      urdf: {urdf}
      mount: [0.5, 0, 0]                         # of the arm's root, in the base frame
      orientation: {{rpy: [0, 90 deg, 0]}}
{joints}  tool: {{arm: arm, frame: {tool}}}
"""
"""A robot whose root is lighter than the rest: an arm, which needs a satellite."""

_SATELLITE = 300.0
_ARMS = 10.0
"""The satellite that is made up: 300 kg, a small servicer, or ten times its arm if that is more."""


def new_scenario(
    space: Annotated[
        bool, typer.Option("--space", help="In space, with a robot of the library.")
    ] = False,
    urdf: Annotated[
        Path | None,
        typer.Option("--urdf", metavar="FILE", help="In space, with the robot of this URDF."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; default the terminal.")
    ] = None,
    as_json: Json = False,
) -> None:
    """A commented scenario to start from: in the plane, in space, or with your own robot."""
    if space and urdf is not None:
        raise ModelError("--space and --urdf exclude each other: a URDF is in space anyhow")
    if out is not None and (out.exists() or out.is_symlink()):
        raise ModelError(f"--out {out}: exists already; give a new file")
    text = SPACE if space else PLANE
    if urdf is not None:
        text = _of_robot(urdf, Path() if out is None else out.parent)
    text = text.replace("percuss run FILE", f"percuss run {out or 'FILE'}")
    if out is not None:
        try_file(out)
        write_file(out, text)
    if as_json:
        print(json.dumps({"file": None if out is None else str(out), "scenario": text}, indent=2))
    elif out is None:
        print(text, end="")
    else:
        print(f"{out}: written; percuss run {out} runs it")


def _of_robot(urdf: Path, folder: Path) -> str:
    """A scenario with the robot of a file, whose name is relative to the scenario's folder."""
    if not urdf.is_file():
        raise ModelError(f"--urdf {urdf}: is no file; expected a URDF")
    with warnings.catch_warnings():
        # What was changed in the file is told when the scenario runs.
        warnings.simplefilter("ignore", ModelNotice)
        system = read_urdf(urdf, mode="fixed")
    whole, root = total_mass(system), _root_mass(system)
    template, indent = (VEHICLE, "  ") if root > whole - root else (ARM, "      ")
    lines = [
        f"{indent}  {_yaml(j.name)}: {_start(j):g}{_range(j)}\n" for j in system.movable_joints
    ]
    robot = template.format(
        urdf=_yaml(Path(os.path.relpath(urdf.absolute(), folder.absolute())).as_posix()),
        tool=_yaml(_farthest(system)),
        joints="".join([f"{indent}joints:\n", *lines]) if lines else "",
        mass=float(f"{max(_SATELLITE, _ARMS * float(whole)):.2g}"),  # type: ignore[arg-type]
    )
    title = plain(re.sub(r"\s+", " ", system.name))
    return ROBOT.format(title=title, name=_yaml(f"capture with {system.name}"), robot=robot)


def _root_mass(system: System) -> Any:
    """Mass (kg) of the root link and what is fixed to it; 0 where it is the world itself."""
    return system.base.mass if isinstance(system.base_joint.motion, Fixed) else 0.0


def _yaml(text: str) -> str:
    """Text as YAML reads it: plain where it is a plain word, in quotes elsewhere."""
    like_a_word = re.fullmatch(r"(\.\.?/)*[A-Za-z_][\w ./-]*", text) and not text.endswith(" ")
    words = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
    is_word = like_a_word and text.lower() not in words
    # What a terminal would not show as it is, is written as an escape, which YAML reads.
    return text if is_word else json.dumps(text, ensure_ascii=not text.isprintable())


def _start(joint: Joint) -> float:
    """Zero where the joint allows it, else the middle of its range (rad or m)."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return 0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper)


def _range(joint: Joint) -> str:
    lower, upper = joint.limits.lower, joint.limits.upper
    unit = joint.motion.rate_units[0].removesuffix("/s")
    bounded = np.isfinite(lower) or np.isfinite(upper)
    return f"    # {lower:.4g} … {upper:.4g} {unit}" if bounded else f"    # {unit}"


def _farthest(system: System) -> str:
    """The frame or body farthest from the base among those that the most joints move."""
    q = neutral(system)
    base = frame_pose(system, q, system.base.name).position
    names = [*(body.name for body in system.bodies), *(frame.name for frame in system.frames)]

    def reach(name: str) -> tuple[int, float]:
        node = system.node(system.frame(name).body)
        count = sum(bool(above.joint.motion.rate_count) for above in system.ancestors(node))
        return count, float(np.linalg.norm((frame_pose(system, q, name).position - base).array()))

    return max(names, key=reach)
