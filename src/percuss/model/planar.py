"""Planar arms: links along x, one after the other, on a base or on the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body, rod
from percuss.model.carrier import carrier
from percuss.model.checks import as_scalar, check_links, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import JointMotion, Planar, Prismatic, Revolute
from percuss.model.systems import BaseMode, Frame, Friction, Joint, Limits, System


@dataclass(frozen=True)
class PlanarLink:
    """A link of a planar arm: a slender rod unless its CoM or inertia is given.

    `length` from its joint to the next (m), `mass` (kg), `com` from its joint along the link
    (m, default the middle), `inertia` about the CoM (kg m², default m l² / 12). A prismatic
    joint slides the link along itself.
    """

    length: Scalar
    mass: Scalar
    com: Scalar | None = None
    inertia: Scalar | None = None
    joint: str = "revolute"
    limits: Limits = field(default_factory=Limits)
    friction: Friction = field(default_factory=Friction)

    def __post_init__(self) -> None:
        for attribute in ("length", "mass", "com", "inertia"):
            value = getattr(self, attribute)
            if value is None and attribute in ("com", "inertia"):
                continue
            scalar = as_scalar(value, f"planar link: {attribute}")
            object.__setattr__(self, attribute, scalar)
        if violates(self.length, is_positive):
            raise ModelError(
                f"planar link: length must be finite and > 0 m, got {shown(self.length)}"
            )
        if self.joint not in ("revolute", "prismatic"):
            raise ModelError(
                f"planar link: joint must be revolute or prismatic, got {self.joint!r}"
            )

    def body(self, name: str) -> Body:
        """The link as a body with its frame at the joint and x along the link."""
        slender = rod(name, self.length, self.mass)
        if self.com is None and self.inertia is None:
            return slender
        com = slender.com.x if self.com is None else self.com
        inertia = slender.inertia.zz if self.inertia is None else self.inertia
        body = Body.planar(name, self.mass, inertia, (com, 0.0))
        return Body(
            name, body.mass, body.com, body.inertia, planar_only=True, visuals=slender.visuals
        )

    def motion(self) -> JointMotion:
        return Revolute() if self.joint == "revolute" else Prismatic(Vector3(1.0, 0.0, 0.0))


@dataclass(frozen=True)
class PlanarArm:
    """Links in a row, mounted at a point of the base (m, base frame), turned by `angle` (rad)."""

    links: Sequence[PlanarLink]
    mount: Sequence[Scalar] = (0.0, 0.0)
    angle: Scalar = 0.0


def planar_arm(
    links: Sequence[PlanarLink],
    *,
    base: Body | None = None,
    mount: Sequence[Scalar] = (0.0, 0.0),
    mode: BaseMode | str | None = None,
    name: str = "planar arm",
    gravity: Any = (0.0, 0.0, 0.0),
    source: str = "",
) -> System:
    """A planar arm: joints joint1…, bodies link1…, and the frame "tool" at its end.

    Args:
        links: from the base outwards.
        base: the body that carries it, free to move in the plane unless `mode` is "fixed";
            without one the first joint is on the world.
        mount: joint 1 in the base frame (m).
        mode: base mode, default free-floating with a base and fixed without.
        gravity: free fall in the world frame (m/s²).

    The coordinates are (x, y, angle of the base, then the joints); all angles relative.
    """
    return planar_robot(
        {"": PlanarArm(links, mount)},
        base=base,
        mode=mode,
        name=name,
        gravity=gravity,
        source=source,
    )


def planar_robot(
    arms: Mapping[str, PlanarArm],
    *,
    base: Body | None = None,
    mode: BaseMode | str | None = None,
    name: str = "planar robot",
    gravity: Any = (0.0, 0.0, 0.0),
    source: str = "",
) -> System:
    """Several planar arms on one base; names get the arm's name in front: left_joint1 …"""
    bodies, joints, mounted_on = carrier(base, mode, Planar(), name)
    frames: list[Frame] = []
    for arm_name, arm in arms.items():
        prefix = f"{arm_name}_" if arm_name else ""
        if not isinstance(arm, PlanarArm):
            raise ModelError(f"{name!r}: arm {arm_name!r} must be a PlanarArm, got {arm!r}")
        links = check_links(arm.links, PlanarLink, f"{name!r}: arm {arm_name!r}")
        placement = Pose.planar(*_two(arm.mount), as_scalar(arm.angle, "angle of the arm"))
        parent = mounted_on
        for k, link in enumerate(links, start=1):
            body = link.body(f"{prefix}link{k}")
            joints.append(
                Joint(
                    name=f"{prefix}joint{k}",
                    motion=link.motion(),
                    parent=parent,
                    child=body.name,
                    placement=placement,
                    limits=link.limits,
                    friction=link.friction,
                )
            )
            bodies.append(body)
            parent = body.name
            placement = Pose.planar(link.length, 0.0, 0.0)
        frames.append(Frame(f"{prefix}tool", parent, placement))
    mode = BaseMode(mode) if mode is not None else None
    return System(
        name=name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        frames=tuple(frames),
        mode=mode,
        gravity=gravity,
        source=source,
    )


def _two(mount: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    entries = tuple(to_scalar(value) for value in mount)
    if len(entries) != 2:
        raise ModelError(f"mount must be a point (x, y) in m in the base frame, got {mount!r}")
    return entries[0], entries[1]
