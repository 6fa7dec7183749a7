"""Serial arms from Denavit-Hartenberg parameters, standard or modified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body
from percuss.model.carrier import carrier
from percuss.model.checks import as_scalar, check_links
from percuss.model.errors import ModelError
from percuss.model.joints import Free, JointMotion, Prismatic, Revolute
from percuss.model.systems import BaseMode, Frame, Friction, Joint, Limits, System

_X = Vector3(1.0, 0.0, 0.0)
_Z = Vector3(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class DHLink:
    """One row of a DH table with its body.

    `a` (m), `alpha` (rad), `d` (m) and `theta` (rad); the joint variable adds to theta, or to
    d for a prismatic joint. `com` (m) and `inertia` about it (kg m²) are in the link's DH
    frame: at the far end of the link for the standard convention, at its joint for the
    modified one.
    """

    a: Scalar
    alpha: Scalar
    d: Scalar
    theta: Scalar
    mass: Scalar
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    joint: str = "revolute"
    limits: Limits = field(default_factory=Limits)
    friction: Friction = field(default_factory=Friction)

    def __post_init__(self) -> None:
        for attribute in ("a", "alpha", "d", "theta", "mass"):
            value = as_scalar(getattr(self, attribute), f"DH link: {attribute}")
            object.__setattr__(self, attribute, value)

    def motion(self) -> JointMotion:
        if self.joint == "revolute":
            return Revolute(_Z)
        if self.joint == "prismatic":
            return Prismatic(_Z)
        raise ModelError(f"DH link: joint must be revolute or prismatic, got {self.joint!r}")


def dh_arm(
    links: Sequence[DHLink],
    *,
    convention: str = "standard",
    base: Body | None = None,
    mount: Pose | None = None,
    mode: BaseMode | str | None = None,
    name: str = "DH arm",
    gravity: Any = (0.0, 0.0, 0.0),
    source: str = "",
) -> System:
    """A serial arm: joints joint1…, bodies link1… with their DH frames, frame "tool" at the end.

    Standard (distal): T = Rz(θ) Tz(d) Tx(a) Rx(α). Modified (proximal, Craig):
    T = Rx(α) Tx(a) Rz(θ) Tz(d). Body frames are the DH frames.

    Args:
        base: the body that carries the arm; without one it stands on the world.
        mount: DH frame 0 in the base frame (or in the world), default the identity.
        mode: base mode, default free-floating with a base and fixed without.
    """
    if convention not in ("standard", "modified"):
        raise ModelError(f"convention must be 'standard' or 'modified', got {convention!r}")
    links = check_links(links, DHLink, repr(name))
    bodies, joints, parent = carrier(base, mode, Free(), name)
    placement = mount or Pose.identity()
    for k, link in enumerate(links, start=1):
        turn, screw = _about_z(link), _about_x(link)
        # The joint moves about z, so Rz(θ0) Tz(d0) commutes with it and may stand on either side.
        before, after = (turn, screw) if convention == "standard" else (screw @ turn, None)
        body = Body(f"link{k}", link.mass, link.com, link.inertia)
        joints.append(
            Joint(
                name=f"joint{k}",
                motion=link.motion(),
                parent=parent,
                child=body.name,
                placement=placement @ before,
                child_placement=after or Pose.identity(),
                limits=link.limits,
                friction=link.friction,
            )
        )
        bodies.append(body)
        parent, placement = body.name, Pose.identity()
    frames = (Frame("tool", parent),)
    mode = BaseMode(mode) if mode is not None else None
    return System(
        name=name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        frames=frames,
        mode=mode,
        gravity=gravity,
        source=source,
    )


def _about_z(link: DHLink) -> Pose:
    rotation = Rotation.about(_Z, link.theta)
    return Pose(rotation, Vector3(0.0, 0.0, link.d))


def _about_x(link: DHLink) -> Pose:
    rotation = Rotation.about(_X, link.alpha)
    return Pose(rotation, Vector3(link.a, 0.0, 0.0))
