"""Captures in MuJoCo: its own bodies, its own constraint, its own integrator.

Chaser and target fly apart from each other until they touch; there a `connect` (pin) or a `weld`
is switched on, and MuJoCo makes the jump and all the motion after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from percuss.algebra import Pose
from percuss.encounter.actuation import effort_limits
from percuss.identification.data.measured import Measured
from percuss.kinematics import frame_pose
from percuss.model.systems import System
from percuss.scenario import Scenario
from percuss.scenario.command import gain_list
from percuss.scenario.control import PDBlock
from tests.oracles import to_mujoco

mujoco: Any = import_module("mujoco")

Array = NDArray[np.float64]

QUATERNION = ("qw", "qx", "qy", "qz")
SETTLING = 2e-4
"""Time constant (s) of the hardest constraint that steps of 1e-4 s allow."""
FLIGHT = 0.1
"""How long the two fly before they touch (s)."""


@dataclass(frozen=True)
class Capture:
    """What happened in MuJoCo.

    Attributes:
        velocity: of the target just before the impact: (vx, vy, ω) or linear and angular, world
            axes (m/s, rad/s).
        gap: between tool and contact point when they touch (m).
        stretch: the widest they were apart at a sample after it (m).
        time: of the samples after the impact (n,), s.
        columns: what perfect sensors show there, by name.
    """

    velocity: Array
    gap: float
    stretch: float
    time: Array
    columns: Mapping[str, Array]

    def measured(self, noise: Mapping[str, float], seed: int | None) -> Measured:
        """By sensors of these kinds with these standard deviations; a seed of None: no noise."""
        random = np.random.default_rng(seed)
        size = 0.0 if seed is None else 1.0
        columns: dict[str, Array] = {}
        for name, values in self.columns.items():
            kind = _kind(name)
            if kind in noise and kind != "base.orientation":
                columns[name] = values + size * noise[kind] * random.normal(size=len(values))
        if "base.orientation" in noise:
            errors = size * noise["base.orientation"] * random.normal(size=(len(self.time), 3))
            names = [f"base.{entry}" for entry in ("qx", "qy", "qz", "qw")]
            true = Rotation.from_quat(np.stack([self.columns[name] for name in names], axis=1))
            shown = (true * Rotation.from_rotvec(errors)).as_quat()
            columns |= dict(zip(names, shown.T, strict=True))
        return Measured(self.time, columns)


def mujoco_capture(
    scenario: Scenario, time: Array, *, settling: float | None = SETTLING
) -> Capture:
    """A scenario's capture (pin or weld; no law, or pd) at times after the impact (s).

    `settling`: time constant of a hard constraint (s), critically damped; the step is half of
    it. None: the constraint and the step that MuJoCo takes where nothing is said.
    """
    pair = _Pair(scenario, settling)
    pair.fly_in()
    velocity, gap = pair.target_velocity, pair.gap
    pair.close()
    begin, rows, stretch = pair.data.time, [], 0.0
    for moment in time:
        pair.advance(begin + moment)
        rows.append(pair.shown())
        stretch = max(stretch, pair.gap)
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Capture(velocity, gap, stretch, time, columns)


class _Pair:
    """Chaser and target in one MuJoCo model, on their way to each other."""

    def __init__(self, scenario: Scenario, settling: float | None) -> None:
        start = scenario.start
        assert start.target is not None
        assert start.grip is not None
        self.scenario, self.start, self.settling = scenario, start, settling
        self.chaser, self.target = to_mujoco(start.chaser), to_mujoco(start.target)
        q, v = start.chaser_coordinates, start.chaser_rates
        other, w = start.target_coordinates, start.target_rates
        tool, grip = start.tool, start.grip
        holds = frame_pose(start.chaser, q, tool)
        # Turned like the tool, because a weld turns one like the other.
        held = Pose(holds.rotation, frame_pose(start.target, other, grip).position)
        sites = {
            tool.body: {"name": "holds"} | _site(start.chaser, q, tool.body, holds),
            grip.body: {"name": "held"} | _site(start.target, other, grip.body, held),
        }
        self.model = mujoco.MjModel.from_xml_string(self._text(sites))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = [*self.chaser.coordinates(q), *self.target.coordinates(other)]
        self.data.qvel[:] = [*self.chaser.rates(q, v), *self.target.rates(other, w)]
        self._act(on=False)

    # --- the model -----------------------------------------------------------------------------

    def _text(self, sites: Mapping[str, dict[str, str]]) -> str:
        """MJCF of both with these sites by body, what will hold them together, and motors."""
        root, other = (ElementTree.fromstring(t.mjcf) for t in (self.chaser, self.target))
        for body in _found(other, "worldbody"):
            for joint in body.findall("joint"):
                del joint.attrib["name"]
            _found(root, "worldbody").append(body)
        for body in root.iter("body"):
            if (name := str(body.get("name"))) in sites:
                ElementTree.SubElement(body, "site", sites[name])
        option, flag = _found(root, "option"), _found(root, "option/flag")
        option.set("integrator", "RK4")
        flag.set("constraint", "enable")
        held = {"site1": "holds", "site2": "held", "active": "false"}
        if self.settling is not None:
            option.set("timestep", repr(self.settling / 2.0))
            flag.set("refsafe", "disable")
            held |= {"solref": f"{self.settling!r} 1", "solimp": "0.99999 0.99999 0.001"}
        kind = {"pin": "connect", "weld": "weld"}[self.scenario.impact.closure]
        ElementTree.SubElement(ElementTree.SubElement(root, "equality"), kind, held)
        actuators = ElementTree.SubElement(root, "actuator")
        for motor in self._motors():
            ElementTree.SubElement(actuators, "general", motor)
        return ElementTree.tostring(root, encoding="unicode")

    def _motors(self) -> list[dict[str, str]]:
        """MuJoCo's own springs and dampers on every joint that the scenario's pd law drives."""
        control, system, model = self.scenario.control, self.start.chaser, self.chaser.model
        if control.law == "none":
            return []
        assert isinstance(control, PDBlock), f"no law {control.law} in MuJoCo"
        kp, kd = (gain_list(gain, system, ("control",)) for gain in (control.kp, control.kd))
        limits = effort_limits(self.scenario.encounter.control.limits, system)
        first = 0 if self.scenario.chaser.mode == "free-flying" else self._base_rates
        motors: list[dict[str, str]] = []
        for k in range(first, model.nv):
            motor = {"joint": model.joint(int(model.dof_jntid[k])).name, "biastype": "affine"}
            motor |= {"gainprm": f"{kp[k]}", "biasprm": f"0 {-kp[k]} {-kd[k]}"}
            if np.isfinite(limits[k]):
                motor |= {"forcelimited": "true", "forcerange": f"{-limits[k]} {limits[k]}"}
            motors.append(motor)
        return motors

    @property
    def _base_rates(self) -> int:
        return self.start.chaser.base_joint.motion.rate_count

    # --- motion --------------------------------------------------------------------------------

    def fly_in(self) -> None:
        """From the impact back in time, and on again to it: free flight can be reversed."""
        self.data.qvel[:] *= -1.0
        self.advance(FLIGHT)
        self.data.qvel[:] *= -1.0
        assert self.gap > 1e-4, "the two are not apart before the impact"
        self.advance(2.0 * FLIGHT)

    def close(self) -> None:
        """They touch: the constraint is switched on, and the law, whose goal is where it is."""
        self._act(on=True)
        self.data.eq_active[:] = 1
        driven = self.model.actuator_trnid[:, 0]
        self.data.ctrl[:] = self.data.qpos[self.model.jnt_qposadr[driven]]

    def advance(self, until: float) -> None:
        steps = round((until - self.data.time) / self.model.opt.timestep)
        mujoco.mj_step(self.model, self.data, steps)
        # What a step leaves behind of all but the state belongs to its last stage.
        mujoco.mj_forward(self.model, self.data)

    def _act(self, *, on: bool) -> None:
        flag = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        flags = int(self.model.opt.disableflags)
        self.model.opt.disableflags = flags & ~flag if on else flags | flag

    # --- what is seen --------------------------------------------------------------------------

    @property
    def gap(self) -> float:
        """Between the tool and the target's contact point (m)."""
        apart = self.data.site("holds").xpos - self.data.site("held").xpos
        return float(np.linalg.norm(apart))

    @property
    def target_velocity(self) -> Array:
        q = self.target.coordinates_back(self.data.qpos[self.chaser.model.nq :])
        return self.target.rates_back(q, self.data.qvel[self.chaser.model.nv :])

    def shown(self) -> dict[str, float]:
        """What perfect sensors show now, by the name of the column."""
        data, chaser = self.data, self.chaser.model
        q = self.chaser.coordinates_back(data.qpos[: chaser.nq])
        if self.start.chaser.is_planar:
            base, gyro = ("x", "y", "angle"), {"gyro.z": data.qvel[2]}
        else:
            # MuJoCo has the angular velocity of a free body in its own axes, as gyros do.
            base = ("x", "y", "z", *QUATERNION)
            gyro = dict(zip(("gyro.x", "gyro.y", "gyro.z"), data.qvel[3:6], strict=True))
        seen = gyro | {f"base.{entry}": q[k] for k, entry in enumerate(base)}
        seen |= {f"joint.{k + 1}": value for k, value in enumerate(q[len(base) :])}
        if self.model.nu:
            forces = data.qfrc_actuator[self._base_rates : chaser.nv]
            seen |= {f"joint_torque.{k + 1}": u for k, u in enumerate(forces)}
        return {name: float(value) for name, value in seen.items()}


def _found(root: ElementTree.Element, path: str) -> ElementTree.Element:
    element = root.find(path)
    assert element is not None
    return element


def _site(system: System, q: Array, body: str, at: Pose) -> dict[str, str]:
    """A pose in the world as attributes of a site on a body, whose frame in MuJoCo is the moved
    joint frame."""
    moved = frame_pose(system, q, body) @ system.node(body).joint.child_placement.inverse()
    within = moved.inverse() @ at
    values = {"pos": within.position, "quat": within.rotation.to_quaternion()}
    return {key: " ".join(repr(float(x)) for x in value) for key, value in values.items()}  # type: ignore[arg-type]


def _kind(name: str) -> str:
    """Of sensor, by the name of a column."""
    stem, _, entry = name.partition(".")
    if stem != "base":
        return stem
    if entry in QUATERNION:
        return "base.orientation"
    return "base.angle" if entry == "angle" else "base.position"
