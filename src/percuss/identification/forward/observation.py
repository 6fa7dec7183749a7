"""What the sensors show in a state, and what they showed before the impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import Scalar, formula, pack, plain, terms, unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.forward import forward_dynamics
from percuss.identification.data.channels import Channel
from percuss.identification.forward.motion import MotionAfterImpact, Parameters
from percuss.identification.forward.readings import (
    DRIVEN,
    Readings,
    chaser_values,
    refuse_channels,
)
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
        p = {**self.motion.like, **p}
        equations, motion = self.motion.equations(p), self.motion.impact_motion.motion
        places = tuple((name, motion.on_target(p, at)) for name, at in self.markers.items())
        shown = Readings(self.channels, places)
        return pack(shown.entries(equations, t, self.motion.full(x)))

    def before(self, t: Any, p: Parameters) -> Any:
        """All channels at a time t < 0 since the impact: the chaser alone, nothing driving it.

        From `p["before"]`, coordinates and rates of the chaser at the impact, one step back;
        markers go straight on from `p["flight"]`, positions and velocities in the world.
        """
        chaser = self.motion.impact_motion.start.chaser
        count = chaser.coordinate_count
        state = unpack(p["before"], count + chaser.rate_count, "before")
        q, v = _stepped(chaser, state[:count], state[count:], t)
        found = chaser_values(self.channels, chaser, chaser, q=q, v=v, u=None)
        axes = self.axes
        for k, channel in enumerate(self.channels):
            if channel.kind == "marker":
                at = 2 * axes * self.used_markers.index(channel.part) + channel.index
                place, velocity = p["flight"][at], p["flight"][at + axes]
                found[k] = plain(place + terms(t) * velocity)
        return pack(found)

    @property
    def axes(self) -> int:
        return 2 if self.motion.impact_motion.planar else 3

    def needs(self) -> tuple[str, ...]:
        """Parameters that the values after the impact depend on, besides the state."""
        kinds = {channel.kind for channel in self.channels}
        return tuple(self.motion.like) if kinds & {*DRIVEN, "marker"} else ()

    def rows(self) -> list[int] | None:
        """Where the channels lie in the state if each of them is an entry of it, else None."""
        chaser = self.motion.impact_motion.start.chaser
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


@formula
def _mean_slope(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
    """The mean (a + 2 b + 2 c + d) / 6 of the four slopes of a classical Runge–Kutta step."""
    return 1.0 / 6.0 * (a + d + 2.0 * (b + c))


def _stepped(system: System, q: Coordinates, v: Rates, time: Scalar) -> tuple[Coordinates, Rates]:
    """One Runge–Kutta step of a system that nothing drives."""

    def rates(state: list[Scalar]) -> list[Scalar]:
        at, speed = pack(state[: len(q)]), pack(state[len(q) :])
        return [
            *coordinate_rates(system, at, speed),
            *forward_dynamics(system, at, speed),
        ]

    def along(slopes: list[Scalar], share: float) -> list[Scalar]:
        step = share * terms(time)
        return plain([a + step * k for a, k in zip(start, slopes, strict=True)])

    start = [*q, *v]
    first = rates(start)
    second = rates(along(first, 0.5))
    third = rates(along(second, 0.5))
    fourth = rates(along(third, 1.0))
    mean = [
        _mean_slope(a, b, c, d) for a, b, c, d in zip(first, second, third, fourth, strict=True)
    ]
    end = along(mean, 1.0)
    return pack(end[: len(q)]), pack(end[len(q) :])
