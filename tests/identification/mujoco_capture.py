"""Captures in MuJoCo: its own bodies, its own kinematics, its own constraint and integrator.

Chaser and target fly apart from each other until they touch; there a `connect` (pin) or a `weld`
is switched on, and MuJoCo makes the jump and all the motion after it. MuJoCo's model is written
here from the plain numbers of the scenario, see `mujoco_parts`.
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

from percuss.identification.data.measured import Measured
from percuss.scenario import Scenario
from tests.identification.mujoco_parts import Chaser, Link, chaser_of, target_of, wxyz

mujoco: Any = import_module("mujoco")

Array = NDArray[np.float64]

QUATERNION = ("qw", "qx", "qy", "qz")
SETTLING = 2e-4
"""Time constant (s) of the hardest constraint that steps of 1e-4 s allow."""
SETTLED = 20
"""Time constants after which the jump is over, to rounding."""
COARSER = 5
"""By how much steps, and the constraint's time constant, are longer from then on."""
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
    """A scenario's capture (pin or weld; no law, or pd) at times after the impact (s), which are 0
    or later than the settling, in steps of 1 ms.

    `settling`: time constant of a hard constraint (s), critically damped; the step is half of
    it. None: the constraint and the step that MuJoCo takes where nothing is said. What is shown
    at the impact itself, at a time of 0, are the poses there; rates and torques leap, and are NaN.
    """
    pair = _Pair(scenario, settling)
    pair.fly_in()
    velocity, gap = pair.target_velocity, pair.gap
    pair.close()
    begin, rows, stretch = pair.data.time, [], 0.0
    pose = pair.shown()
    pair.settle()
    for moment in time:
        if moment == 0.0:
            rows.append(pose | dict.fromkeys(pair.rates(), np.nan))
            continue
        pair.advance(begin + moment)
        rows.append(pair.shown())
        stretch = max(stretch, pair.gap)
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Capture(velocity, gap, stretch, time, columns)


class _Pair:
    """Chaser and target in one MuJoCo model, on their way to each other."""

    def __init__(self, scenario: Scenario, settling: float | None) -> None:
        self.closure, self.settling = scenario.impact.closure, settling
        self.chaser, self.target = chaser_of(scenario), target_of(scenario)
        place, turned = self._tool()
        self.model = mujoco.MjModel.from_xml_string(self._text(turned))
        self.data = mujoco.MjData(self.model)
        self._put(place)
        self._act(on=False)

    # --- the model -----------------------------------------------------------------------------

    def _tool(self) -> tuple[Array, Rotation]:
        """Where the tool is at the impact in the world, and how it is turned."""
        root = _empty()
        _write_chaser(_child(root, "worldbody"), self.chaser)
        model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
        data = mujoco.MjData(model)
        data.qpos[:] = self.chaser.coordinates
        mujoco.mj_forward(model, data)
        site = data.site("holds")
        return np.array(site.xpos), Rotation.from_matrix(np.reshape(site.xmat, (3, 3)))

    def _text(self, tool: Rotation) -> str:
        """MJCF of both, what will hold them together, and motors.

        The target's site is turned like the tool, because a weld turns one like the other.
        """
        root = _empty()
        world = _child(root, "worldbody")
        _write_chaser(world, self.chaser)
        body = _child(world, "body", name="target")
        _write_root(body, "target", planar=self.chaser.planar)
        _write_inertia(body, self.target.mass, np.zeros(3), self.target.inertia)
        turned = self.target.turned.inv() * tool
        _child(body, "site", name="held", pos=_text(self.target.contact), quat=_text(wxyz(turned)))
        option, held = root.find("option"), {"site1": "holds", "site2": "held", "active": "false"}
        assert option is not None
        if self.settling is not None:
            option.set("timestep", repr(self.settling / 2.0))
            _child(option, "flag", refsafe="disable", contact="disable")
            held |= {"solref": f"{self.settling!r} 1", "solimp": "0.99999 0.99999 0.001"}
        kind = {"pin": "connect", "weld": "weld"}[self.closure]
        _child(_child(root, "equality"), kind, **held)
        actuators = _child(root, "actuator")
        for motor in self.chaser.motors:
            # MuJoCo's own springs and dampers.
            springs = {"gainprm": f"{motor.kp}", "biasprm": f"0 {-motor.kp} {-motor.kd}"}
            if np.isfinite(motor.limit):
                range_ = f"{-motor.limit} {motor.limit}"
                springs |= {"forcelimited": "true", "forcerange": range_}
            _child(actuators, "general", joint=motor.joint, biastype="affine", **springs)
        return ElementTree.tostring(root, encoding="unicode")

    def _put(self, tool: Array) -> None:
        """Chaser and target as they are at the impact, the contact point at the tool."""
        target, planar = self.target, self.chaser.planar
        centre = tool - target.turned.apply(target.contact)
        if planar:
            other = [*centre[:2], target.turned.as_rotvec()[2]]
            rates = [*target.linear[:2], target.angular[2]]
        else:
            # MuJoCo has the angular velocity of a free body in its own axes.
            other = [*centre, *wxyz(target.turned)]
            rates = [*target.linear, *target.turned.inv().apply(target.angular)]
        self.data.qpos[:] = [*self.chaser.coordinates, *other]
        self.data.qvel[:] = [*self.chaser.rates, *rates]

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

    def settle(self) -> None:
        """The jump, in the finest steps; nothing after it needs as many."""
        if self.settling is None:
            return
        self.advance(self.data.time + SETTLED * self.settling)
        self.model.eq_solref[:, 0] *= COARSER
        self.model.opt.timestep *= COARSER

    def advance(self, until: float) -> None:
        left, step = until - self.data.time, self.model.opt.timestep
        steps = round(left / step)
        assert abs(left - steps * step) < 1e-9, "a whole number of steps"
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
        own = self.data.qvel[len(self.chaser.rates) :]
        if self.chaser.planar:
            return np.array(own)
        turned = np.reshape(self.data.body("target").xmat, (3, 3))
        return np.concatenate([own[:3], turned @ own[3:]])

    def rates(self) -> dict[str, float]:
        """What perfect gyros and torque sensors show now, by the name of the column."""
        base = 3 if self.chaser.planar else 6
        # MuJoCo has the angular velocity of a free body in its own axes, as gyros do.
        names = ("gyro.z",) if self.chaser.planar else ("gyro.x", "gyro.y", "gyro.z")
        seen = dict(zip(names, self.data.qvel[base - len(names) : base], strict=True))
        if self.model.nu:
            forces = self.data.qfrc_actuator[base : len(self.chaser.rates)]
            seen |= {f"joint_torque.{k + 1}": u for k, u in enumerate(forces)}
        return {name: float(value) for name, value in seen.items()}

    def shown(self) -> dict[str, float]:
        """What all perfect sensors show now, by the name of the column."""
        base = ("x", "y", "angle") if self.chaser.planar else ("x", "y", "z", *QUATERNION)
        q = self.data.qpos[: len(self.chaser.coordinates)]
        seen = {f"base.{entry}": q[k] for k, entry in enumerate(base)}
        seen |= {f"joint.{k + 1}": value for k, value in enumerate(q[len(base) :])}
        return self.rates() | {name: float(value) for name, value in seen.items()}


# --- MJCF ---------------------------------------------------------------------------------------


def _empty() -> ElementTree.Element:
    root = ElementTree.Element("mujoco")
    _child(root, "compiler", angle="radian", inertiafromgeom="false")
    _child(root, "option", gravity="0 0 0", integrator="RK4")
    return root


def _write_chaser(world: ElementTree.Element, chaser: Chaser) -> None:
    """A base that floats, the links one on the other, and the tool's site on the last."""
    body = _child(world, "body", name="base")
    _write_root(body, "base", planar=chaser.planar)
    _write_inertia(body, chaser.mass, chaser.com, chaser.inertia)
    for k, link in enumerate(chaser.links, 1):
        body = _child(body, "body", name=f"link.{k}", **_at(link))
        _child(body, "joint", name=f"joint.{k}", type="hinge", axis=_text(link.axis))
        _write_inertia(body, link.mass, link.com, link.inertia)
    _child(body, "site", name="holds", pos=_text(chaser.tool), quat=_text(wxyz(chaser.tool_turned)))


def _write_root(body: ElementTree.Element, name: str, *, planar: bool) -> None:
    """The joints of a body that floats."""
    if not planar:
        _child(body, "joint", name=name, type="free")
        return
    _child(body, "joint", name=f"{name}.x", type="slide", axis="1 0 0")
    _child(body, "joint", name=f"{name}.y", type="slide", axis="0 1 0")
    _child(body, "joint", name=f"{name}.angle", type="hinge", axis="0 0 1")


def _write_inertia(body: ElementTree.Element, mass: float, com: Array, inertia: Array) -> None:
    """About the centre of mass, in the body's axes."""
    entries = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    _child(body, "inertial", mass=repr(mass), pos=_text(com), fullinertia=_text(entries))


def _at(link: Link) -> dict[str, str]:
    return {"pos": _text(link.position), "quat": _text(wxyz(link.turned))}


def _child(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _kind(name: str) -> str:
    """Of sensor, by the name of a column."""
    stem, _, entry = name.partition(".")
    if stem != "base":
        return stem
    if entry in QUATERNION:
        return "base.orientation"
    return "base.angle" if entry == "angle" else "base.position"
