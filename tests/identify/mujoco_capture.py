"""The thesis's simulation 1 in MuJoCo, with its own constraint and integrator."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

_XML = """
<mujoco>
  <option timestep="{step}" gravity="0 0 0" integrator="RK4">{flags}</option>
  <worldbody>
    <body name="base" pos="1 2 0">
      <joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 1 0"/>
      <joint type="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="100" diaginertia="25 25 50"/>
      <body name="first" euler="0 0 90">
        <joint type="hinge" axis="0 0 1"/>
        <inertial pos="1 0 0" mass="10" diaginertia="0.01 {one} {one}"/>
        <body name="second" pos="2 0 0">
          <joint type="hinge" axis="0 0 1"/>
          <inertial pos="1.5 0 0" mass="10" diaginertia="0.01 7.5 7.5"/>
        </body>
      </body>
    </body>
    <body name="object" pos="1 8 0">
      <joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 1 0"/>
      <joint type="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="15" diaginertia="3.75 3.75 7.5"/>
    </body>
  </worldbody>
  <equality><connect body1="second" body2="object" anchor="3 0 0" {hard}/></equality>
</mujoco>
"""


def mujoco_capture(times: NDArray[np.float64], *, soft: bool) -> NDArray[np.float64]:
    """joint.1, joint.2, base.x, base.y, base.angle at times (5, n), the object pinned to the tip.

    `soft`: MuJoCo's own step and constraint; else a step of 1e-4 s and a constraint that is as
    hard as it can be.
    """
    mujoco = pytest.importorskip("mujoco")
    hard = "" if soft else 'solref="2e-4 1" solimp="0.99999 0.99999 0.001"'
    flags = "" if soft else '<flag refsafe="disable"/>'
    step = 2e-3 if soft else 1e-4
    one = 10.0 * 2.0**2 / 12.0
    text = _XML.format(step=step, hard=hard, flags=flags, one=one)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[5] = -1.0
    found = np.empty((5, len(times)))
    done = 0
    for k, time in enumerate(times):
        for _ in range(round(time / step) - done):
            mujoco.mj_step(model, data)
        done = round(time / step)
        x, y, angle, first, second = data.qpos[:5]
        found[:, k] = first, second, 1.0 + x, 2.0 + y, np.pi / 2 + angle
    return found
