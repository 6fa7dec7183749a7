"""Serial arms whose links are published, centres of mass apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.joints import Fixed, Revolute
from percuss.model.library.entry import Assumption
from percuss.model.systems import Frame, Joint, Limits

Triple = tuple[float, float, float]

STRAIGHT = (0.0, 0.0, 0.0)
QUARTER = math.pi / 2
_AXES = "xyz"


@dataclass(frozen=True)
class Link:
    """A link with the joint that carries it.

    The joint is where the link before ends, turned by `turn` (roll, pitch, yaw in rad); `axis`
    None makes it fixed. `end` (m, link frame) is where the next joint or the tool is. The
    inertia (kg m²) is read about the centre of mass, which lies midway between joint and end,
    plausibly within ± `spread` of that way. `radius` (m) is for drawing.
    """

    joint: str
    axis: Triple | None
    body: str
    mass: float
    inertia: Symmetric3
    end: Triple
    radius: float
    limits: Limits = field(default_factory=Limits)
    turn: Triple = STRAIGHT
    spread: float = 0.25

    @property
    def com(self) -> Triple:
        """Assumed centre of mass (m, link frame)."""
        return tuple(0.5 * coordinate for coordinate in self.end)  # type: ignore[return-value]


@dataclass(frozen=True)
class Chain:
    """Bodies and joints of a serial arm, and the frame at its end."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    tool: Frame


def chain(links: Sequence[Link], parent: str, mount: Pose, tool: str = "tool") -> Chain:
    """The arm on a body: `mount` is the frame of the first joint in that body's frame."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    end = mount
    for link in links:
        motion = Fixed() if link.axis is None else Revolute(Vector3(*link.axis))
        placement = end @ Pose.at(rpy=link.turn)
        joints.append(
            Joint(
                name=link.joint,
                motion=motion,
                parent=parent,
                child=link.body,
                placement=placement,
                limits=link.limits,
            )
        )
        visuals = (strut(link.end, link.radius),)
        bodies.append(Body(link.body, link.mass, link.com, link.inertia, visuals=visuals))
        parent, end = link.body, Pose.at(link.end)
    return Chain(tuple(bodies), tuple(joints), Frame(tool, parent, end))


def centre_assumptions(links: Sequence[Link], reason: str) -> tuple[Assumption, ...]:
    """The centres of mass of a chain, which no source gives, along each link's way."""
    return tuple(
        Assumption(
            parameter=f"{link.body}.com.{axis}",
            value=0.5 * way,
            low=min((0.5 - link.spread) * way, (0.5 + link.spread) * way),
            high=max((0.5 - link.spread) * way, (0.5 + link.spread) * way),
            reason=reason,
        )
        for link in links
        for axis, way in zip(_AXES, link.end, strict=True)
        if way
    )


def strut(end: Triple, radius: float) -> Visual:
    """A cylinder from the frame's origin to a point (m); a short one at the origin itself."""
    length = math.hypot(*end)
    if length < radius:
        return Visual("sphere", (radius,))
    turn = Rotation.taking_z_to(Vector3(*(coordinate / length for coordinate in end)))
    middle = Vector3(*(0.5 * coordinate for coordinate in end))
    return Visual("cylinder", (radius, length), Pose(turn, middle))


def degrees(**angles: float) -> Mapping[str, float]:
    """Joint positions (rad) from degrees."""
    return {joint: math.radians(angle) for joint, angle in angles.items()}
