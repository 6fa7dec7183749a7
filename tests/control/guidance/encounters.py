"""Chasers and targets for the tests of guidance, and what tool and grip do to each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss
from percuss.control import ControlLaw, TreePlant
from percuss.model import side_by_side
from tests.control.closed_loop import motion
from tests.strategies import Array

MODES = ("fixed", "free-flying", "attitude-controlled", "free-floating")

_POSTURES = {
    "thesis": ("tool", [1.0, 2.0, math.pi / 2], [-0.9, 1.5]),
    "air-bearing-3r": ("tool", [0.1, -0.2, 0.3], [-0.6, 1.5, 0.8]),
    "two-arms": ("left_tool", [0.1, -0.2, 0.3], [0.6, 1.2, -0.4, -0.9]),
    "demo-7": (
        "tool",
        [0.2, -0.1, 0.3, 0.9, 0.1, -0.3, 0.3],
        [0.3, 0.6, -0.4, 1.2, 0.5, -0.7, 0.2],
    ),
}


@dataclass(frozen=True)
class Scene:
    """A chaser at rest and a tumbling target whose grip is near the chaser's tool."""

    chaser: percuss.System
    target: percuss.System
    tool: str
    grip: str
    q: Array
    q_t: Array
    v_t: Array

    @property
    def plant(self) -> TreePlant:
        return TreePlant(side_by_side(self.chaser, self.target), self.chaser.rate_count)

    @property
    def waiting(self) -> Array:
        """Where the tool is at the start."""
        return np.array(percuss.frame_pose(self.chaser, self.q, self.tool).position.array(), float)

    def fly(
        self, law: ControlLaw, times: Any, v: Any = None, **options: Any
    ) -> tuple[Array, Array, Array]:
        """Coordinates, rates and commands of both at the times, from the start."""
        own = np.zeros(self.chaser.rate_count) if v is None else np.asarray(v, float)
        q, v = np.concatenate([self.q, self.q_t]), np.concatenate([own, self.v_t])
        return motion(self.plant, law, q, v, np.asarray(times, float), **options)

    def apart(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The tool relative to the grip: position (m) and velocity (m/s), world axes."""
        system = self.plant.system
        tool, grip = (percuss.frame_pose(system, q, f).position for f in (self.tool, self.grip))
        fast, slow = (
            percuss.frame_velocity(system, q, v, f).linear for f in (self.tool, self.grip)
        )
        return np.array((tool - grip).array(), float), np.array((fast - slow).array(), float)

    def momenta(self, q: Array, v: Array) -> Array:
        """Of the chaser alone, one row for each state."""
        nq, nv = self.chaser.coordinate_count, self.chaser.rate_count
        pairs = zip(q, v, strict=True)
        return np.array([percuss.momentum(self.chaser, x[:nq], u[:nv]).array() for x, u in pairs])


def scene(robot: str, mode: str, away: float = 0.12, gravity: Any = None) -> Scene:
    """A library robot in a base mode; the grip is `away` (share of a metre) from the tool."""
    tool, base, joints = _POSTURES[robot]
    chaser = percuss.robot(robot)
    q = np.array([*base, *joints])
    q[3:7] /= np.linalg.norm(q[3:7]) if not chaser.is_planar else 1.0
    pose = percuss.frame_pose(chaser, q, chaser.base.name)
    chaser = chaser.with_mode(mode, pose) if mode == "fixed" else chaser.with_mode(mode)
    if mode == "fixed":
        q = np.array(joints)
    planar = chaser.is_planar
    target = percuss.robot("thesis-target" if planar else "rendezvous-target").prefixed("target_")
    if gravity is not None:
        chaser, target = chaser.with_gravity(gravity), target.with_gravity(gravity)
    rng = np.random.default_rng(7)
    step = rng.normal(size=target.rate_count)
    q_t = np.array(percuss.integrate(target, percuss.neutral(target), step), float)
    at = percuss.frame_pose(chaser, q, tool).position.array()
    grip = percuss.frame_pose(target, q_t, "target_grip").position.array()
    shift = np.asarray(at, float) - np.asarray(grip, float)
    shift += away * np.array([0.6, -0.5, 0.0 if planar else 0.6])
    q_t[: 2 if planar else 3] += shift[: 2 if planar else 3]
    v_t = np.array([0.004, -0.006, 0.02] if planar else [0.004, -0.006, 0.002, 0.03, -0.05, 0.04])
    return Scene(chaser, target, tool, "target_grip", q, q_t, v_t)
