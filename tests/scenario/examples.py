"""The examples of the format, as users are told to write them."""

from __future__ import annotations

from pathlib import Path

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))

PLANAR = """\
name: thesis simulation 1
chaser:
  base: {shape: disk, mass: 100, radius: 1.0}     # or mass + inertia
  mount: [0, 0]                                    # joint 1 in the base frame
  mode: free-flying
  arm:                                             # a slender rod unless com / inertia are given
    - {joint: revolute, length: 2.0, mass: 10}
    - {joint: revolute, length: 3.0, mass: 10}
  tool: {link: 2, at: 3.0}                         # default the end of the last link
  position: [1, 2]
  angle: 90 deg
  joints: [0, 0]
  velocity: {linear: [0, 0], angular: 0, joints: [0, 0]}
target:
  shape: disk
  mass: 15
  radius: 1.0
  contact: {angle: 0.5}                            # on the rim
  angle: 4.212388980384690                         # default: the thesis rule (4.20)
  velocity: {linear: [-1, 0], angular: 0}          # of its centre of mass, world frame
impact:
  closure: pin                                     # see below
control: {law: none}
duration: 10 s
"""

SPATIAL = """\
chaser:
  urdf: arm.urdf                     # relative to this file; the root link is the base frame
  tool: tool_link                    # a frame, or {link: NAME, at: [x, y, z]}
  mode: free-floating
  position: [0, 0, 0]                # of the base frame, world
  orientation: [1, 0, 0, 0]          # quaternion w x y z, world <- base; or {rpy: [0, 0, 90 deg]}
  joints: {shoulder: 0.3, elbow: -40 deg}
  velocity: {linear: [0, 0, 0], angular: [0, 0, 0], joints: [0, 0]}
target:                              # or object: NAME
  mass: 400
  inertia: {xx: 120, yy: 150, zz: 90, xy: 2, xz: 0, yz: -1}
  contact: [-0.6, 0.1, 0]            # from the centre of mass, target frame
  orientation: [1, 0, 0, 0]          # world <- target
  velocity: {linear: [0, -0.05, 0], angular: [0.02, 0, 0.05]}
impact: {closure: pin}               # pin = ball joint in 3D
duration: 20 s
"""

OTHERS = """\
impact:
  closure: bounce
  restitution: 0.5
  friction: 0.2
  normal: [0, 1]
control:
  law: computed-torque
  natural-frequency: 1.0
  damping-ratio: 1.0
  goal: initial
  believes: {target.mass: 14}
  limits: {joints: 200, base: 50}
gravity: [0, 0]
integration: {method: dop853, relative-tolerance: 1.0e-10}
"""

URDF = """\
<robot name="arm">
  <link name="satellite">
    <inertial><mass value="300"/>
      <inertia ixx="50" iyy="50" izz="50" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="40"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="satellite"/><child link="upper"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="60"/>
  </joint>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5"/><mass value="10"/>
      <inertia ixx="1" iyy="1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.5"/><mass value="8"/>
      <inertia ixx="1" iyy="1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="flange" type="fixed">
    <parent link="lower"/><child link="tool_link"/><origin xyz="0 0 1"/>
  </joint>
  <link name="tool_link"/>
</robot>
"""


def with_block(text: str, block: str, replacement: str) -> str:
    """The text with a top-level block replaced, or added when it is not there."""
    kept, skipping = [], False
    for line in text.splitlines():
        if not line.startswith((" ", "#")):
            skipping = line.startswith(f"{block}:")
        if not skipping:
            kept.append(line)
    return "\n".join([*kept, replacement]) + "\n"
