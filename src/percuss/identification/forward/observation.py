"""What the sensors show in a state, and what they showed before the impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from percuss.algebra.scalars import Scalar, add, mul, pack, unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.forward import forward_dynamics
from percuss.encounter.equations import Equations
from percuss.identification.data.channels import Channel
from percuss.identification.forward.motion import MotionAfterImpact, Parameters
from percuss.identification.forward.readings import chaser_values, held_force, refuse_channels
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import coordinate_rates
from percuss.model.joints import Free, Planar
from percuss.model.systems import System


@dataclass(frozen=True)
class SensorModel:
    """Measured values as functions of the state.

    Tool force: on the chaser at the tool, from the target in its hand (N, world axes). Markers:
    positions of points of the target in the world (m), given in the target's frame from the
    centre of mass of the scenario. Vectors of the chaser's motion: `VectorSensor`.
    """

    motion: MotionAfterImpact
    channels: tuple[Channel, ...]
    markers: Mapping[str, Vector3]

    def __post_init__(self) -> None:
        refuse_channels(self.channels, self.markers, self.motion.law)

    @property
    def used_markers(self) -> tuple[str, ...]:
        """Names of the markers that are measured, once each."""
        return tuple(dict.fromkeys(c.part for c in self.channels if c.kind == "marker"))

    def values(self, t: Any, x: Any, p: Parameters) -> Any:
        """All channels, shape (channels,), in the state x at the time t since the impact (s)."""
        equations = self.motion.equations(p)
        full = self.motion.full(x)
        q, v = equations.state(full)
        tree, kinds = equations.system, {channel.kind for channel in self.channels}
        u: Any = None
        if kinds & {"joint_torque", "tool_force"}:
            u, _ = equations.command(t, full, equations.law.memory)
        force = self._force(equations, q, v, u) if "tool_force" in kinds else Vector3.zero()
        places = self._places(tree, q, p) if "marker" in kinds else {}
        own = chaser_values(self.channels, self.motion.onset.start.chaser, tree, q, v, u)
        found: list[Scalar] = []
        for channel, value in zip(self.channels, own, strict=True):
            if channel.kind == "tool_force":
                value = list(force)[channel.index]
            elif channel.kind == "marker":
                value = list(places[channel.part])[channel.index]
            found.append(value)
        return pack(found)

    def before(self, t: Any, p: Parameters) -> Any:
        """All channels at a time t < 0 since the impact: the chaser alone, nothing driving it.

        From `p["before"]`, coordinates and rates of the chaser at the impact, one step back;
        markers go straight on from `p["flight"]`, positions and velocities in the world.
        """
        chaser = self.motion.onset.start.chaser
        count = chaser.coordinate_count
        state = unpack(p["before"], count + chaser.rate_count, "before")
        q, v = _moved(chaser, state[:count], state[count:], t)
        found = chaser_values(self.channels, chaser, chaser, q, v, None)
        axes = self.axes
        for k, channel in enumerate(self.channels):
            if channel.kind == "marker":
                at = 2 * axes * self.used_markers.index(channel.part) + channel.index
                found[k] = add(p["flight"][at], mul(t, p["flight"][at + axes]))
        return pack(found)

    @property
    def axes(self) -> int:
        return 2 if self.motion.onset.planar else 3

    def needs(self) -> tuple[str, ...]:
        """Parameters that the values after the impact depend on, besides the state."""
        kinds = {channel.kind for channel in self.channels}
        body = ("body",) if kinds & {"joint_torque", "tool_force"} else ()
        return (*body, "markers") if "marker" in kinds else body

    def rows(self) -> list[int] | None:
        """Where the channels lie in the state if each of them is an entry of it, else None."""
        chaser = self.motion.onset.start.chaser
        joint = chaser.base_joint
        node = chaser.node(joint.child)
        plain = joint.placement.is_identity and joint.child_placement.is_identity
        rates = self.motion.known.slices["v"].start
        found: list[int] = []
        for channel in self.channels:
            if channel.kind in ("joint", "joint_rate"):
                own = chaser.node(chaser.joint(channel.part).child)
                is_rate = channel.kind == "joint_rate"
                found.append(rates + own.rates.start if is_rate else own.coordinates.start)
                continue
            first = {
                ("base.position", Planar): 0,
                ("base.angle", Planar): 2,
                ("base.position", Free): 0,
                ("base.orientation", Free): 3,
            }.get((channel.kind, type(joint.motion)))
            if first is None or not plain:
                return None
            found.append(node.coordinates.start + first + channel.index)
        return found

    def _force(self, equations: Equations, q: Any, v: Any, u: Any) -> Vector3:
        """-m (a - g) of the target's centre of mass: what it does to the tool."""
        if self.motion.onset.closure == "bounce":
            return Vector3.zero()
        return held_force(equations, q, v, u)

    def _places(self, tree: System, q: Any, p: Parameters) -> dict[str, Vector3]:
        """Where the markers are in the world."""
        axes, start = self.axes, self.motion.onset.start
        assert start.target is not None
        pose = frame_pose(tree, q, start.target.base.name)
        found: dict[str, Vector3] = {}
        for k, name in enumerate(self.used_markers):
            entries = unpack(p["markers"], len(p["markers"]), "markers")
            own = entries[k * axes : (k + 1) * axes]
            point = Vector3(*own) if axes == 3 else Vector3(own[0], own[1], 0.0)
            found[name] = pose.act(point)
        return found


def _moved(system: System, q: Any, v: Any, time: Any) -> tuple[Any, Any]:
    """One Runge–Kutta step of a system that nothing drives."""

    def rates(state: list[Scalar]) -> list[Scalar]:
        at, speed = pack(state[: len(q)]), pack(state[len(q) :])
        return [
            *coordinate_rates(system, at, speed),
            *forward_dynamics(system, at, speed),
        ]

    def along(slopes: list[Scalar], share: float) -> list[Scalar]:
        return [add(a, mul(mul(share, time), k)) for a, k in zip(start, slopes, strict=True)]

    start = [*q, *v]
    first = rates(start)
    second = rates(along(first, 0.5))
    third = rates(along(second, 0.5))
    fourth = rates(along(third, 1.0))
    mean = [
        mul(1.0 / 6.0, add(add(a, d), mul(2.0, add(b, c))))
        for a, b, c, d in zip(first, second, third, fourth, strict=True)
    ]
    end = along(mean, 1.0)
    return pack(end[: len(q)]), pack(end[len(q) :])
