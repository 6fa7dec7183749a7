"""What is mutated: the scenarios, robots and measurements of this repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.fuzz.tables import Table, read_table

ROOT = Path(__file__).parents[2]

OTHER_BLOCKS = """\
name: other blocks
chaser:
  base: {shape: box, size: [1.6, 1.4, 1.8], mass: 500}
  mode: free-flying
  arms:
    right: {robot: demo-6, mount: [0.8, -0.3, 0], orientation: {rpy: [0, 90 deg, 0]}}
    left: {robot: iiwa-14, mount: [0.8, 0.3, 0], orientation: {rpy: [0, 90 deg, 0]}}
  tool: {arm: left, frame: iiwa_link_ee}
target:
  object: cube
  contact: [-0.5, 0, 0]
  velocity: {linear: [-0.01, 0, 0], angular: [0, 0, 1 deg/s]}
impact:
  closure: compliant
  stiffness: 2 kN/m
  restitution: 0.6
  friction: 0.2
  law: hunt-crossley
control:
  law: pd
  kp: 10
  kd: 20
  goal: initial
  believes: {target.mass: 14}
  limits: {joints: 200, base: 50}
gravity: [0, 0, 0]
integration: {method: rk4, step: 1 ms}
output: {samples: 20}
duration: 0.1 s
"""
"""Keys that the shipped scenarios leave out."""

PULSE = """\
name: pushed
chaser:
  robot: thesis
  joints: [0.3, -0.5]
impact: {closure: pulse, force: [0, -1000], frame: link, duration: 10 ms}
control: {law: pd, kp: 5, kd: 5}
duration: 0.1 s
"""


@cache
def scenario_texts() -> dict[str, str]:
    """Scenarios by name."""
    paths = sorted((ROOT / "scenarios").glob("*.yaml"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    texts["identify"] = (ROOT / "scenarios/identify/capture.yaml").read_text(encoding="utf-8")
    return texts | {"other-blocks": OTHER_BLOCKS, "pulse": PULSE}


@cache
def scenario_documents() -> dict[str, Any]:
    """The same as plain data."""
    return {name: yaml.safe_load(text) for name, text in scenario_texts().items()}


@cache
def quick_documents() -> dict[str, Any]:
    """Scenarios whose run takes a fraction of a second: in the plane."""
    return {
        name: document
        for name, document in scenario_documents().items()
        if "arm" in document["chaser"] or name == "pulse"
    }


@cache
def urdf_texts() -> dict[str, str]:
    """URDF files by name."""
    folders = ("scenarios/robots", "src/percuss/model/robots", "tests/percussion/planner/robots")
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("*.urdf"))]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


@cache
def companions() -> dict[str, bytes]:
    """Files that scenarios name, by their relative path."""
    return {
        f"robots/{path.name}": path.read_bytes()
        for path in sorted((ROOT / "scenarios/robots").glob("*.urdf"))
    }


@cache
def system_documents() -> dict[str, Any]:
    """Robots of the library as saved systems."""
    import percuss
    from percuss.model.document import system_to_dict

    return {name: system_to_dict(percuss.robot(name)) for name in ("thesis", "demo-6", "cube")}


@cache
def sensor_text() -> str:
    """The sensors of the shipped measurements."""
    return (ROOT / "scenarios/identify/sensors.yaml").read_text(encoding="utf-8")


@cache
def measured(rows: int) -> Table:
    """The first rows of the shipped measurements."""
    text = (ROOT / "scenarios/identify/measured.csv").read_text(encoding="utf-8")
    return read_table(text, rows)


MJCF = """\
<mujoco model="two fingers">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0 0 -9.81" density="1.2"/>
  <default>
    <default class="arm"><joint axis="0 1 0" range="-90 45" damping="0.5"/></default>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 1" childclass="arm" gravcomp="1">
      <freejoint name="root"/>
      <inertial pos="0 0 .1" mass="4" diaginertia=".1 .1 .05"/>
      <body name="link" pos="0 0 .2" euler="0 0 90">
        <joint name="shoulder" actuatorfrcrange="-20 20" stiffness="3" armature="0.1"/>
        <inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/>
        <site name="tool" pos="0 0 .3" quat="1 0 0 0"/>
        <body name="finger"><joint name="slide" type="slide" axis="1 0 0" range="0 0.04"/>
          <geom type="capsule" size=".02 .1" mass=".1" fromto="0 0 0 0 0 .2"/></body>
        <body name="ball"><joint name="ball" type="ball" range="0 30"/>
          <geom size=".1" density="20"/></body>
        <body name="twin"><joint name="twin" type="slide"/><geom type="box" size=".1 .1 .2"/></body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="wire" stiffness="2"><joint joint="shoulder" coef="1"/></fixed></tendon>
  <equality><connect name="loop" body1="finger" body2="ball" anchor="0 0 0"/>
    <joint name="coupled" joint1="twin" joint2="slide" polycoef="0 1 0 0 0"/></equality>
  <actuator><position name="servo" joint="shoulder" kp="40" kv="3"/>
    <motor name="push" joint="slide" forcerange="-1 4"/></actuator>
</mujoco>
"""
"""A model with most of what is read of MJCF, without files of its own."""
