"""Two systems at the moment they touch, and what an impulse there does to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import plus
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.dynamics.forward import forward_dynamics
from percuss.kinematics.attachments import relative_pose
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.attach import Attachment, attach
from percuss.model.checks import is_finite, known, shown, values, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Contact:
    """A chaser and a target whose points `tool` and `grip` coincide, just before the impact.

    Coordinates and rates are those of each system on its own. `tool` is a frame of the chaser,
    `grip` one of the target; only their origins matter, and they are the contact point. The
    target is free to move; the chaser's base may be held. Values that are known are checked.
    """

    chaser: System
    target: System
    tool: Frame
    grip: Frame
    chaser_coordinates: Any
    chaser_rates: Any
    target_coordinates: Any
    target_rates: Any

    def __post_init__(self) -> None:
        base = self.target.base_joint.motion
        if not isinstance(base, Free) and not (isinstance(base, Planar) and self.is_planar):
            raise ModelError(
                f"the target {self.target.name!r} is on a {base.kind} joint on the world; it has "
                "to be free: in space on a free joint, in the plane (both systems planar) on a "
                "planar one; see percuss.free_body"
            )
        self.chaser.frame(self.tool)
        self.target.frame(self.grip)
        for owner, system in (("chaser", self.chaser), ("target", self.target)):
            _refuse_state(owner, system, "coordinates", getattr(self, f"{owner}_coordinates"))
            _refuse_state(owner, system, "rates", getattr(self, f"{owner}_rates"))
        self._refuse_gap()

    def __repr__(self) -> str:
        return (
            f"<Contact: {self.chaser!r} with {self.tool.name!r}, {self.target!r} at "
            f"{self.grip.name!r}>"
        )

    def _refuse_gap(self) -> None:
        grip = frame_pose(self.target, self.target_coordinates, self.grip).position
        entries = [*self.point, *grip]
        if not all(known(x) for x in entries):
            return
        points = np.stack(np.broadcast_arrays(*(values(x) for x in entries)))
        gap = float(np.max(np.linalg.norm(points[:3] - points[3:], axis=0)))
        if gap > 1e-8 * (1.0 + float(np.max(np.abs(points)))):
            raise ModelError(
                f"the contact points are {gap:.3g} m apart: frame {self.tool.name!r} of the "
                f"chaser and {self.grip.name!r} of the target must be at the same place"
            )

    @cached_property
    def is_planar(self) -> bool:
        """Whether both systems stay in the plane, so that the target can only turn about z."""
        return self.chaser.is_planar and self.target.is_planar

    @cached_property
    def point(self) -> Vector3:
        """The contact point in the world (m)."""
        return frame_pose(self.chaser, self.chaser_coordinates, self.tool).position

    @cached_property
    def tool_velocity(self) -> Motion:
        """The velocity of the chaser's contact point before the impact, world axes (m/s, rad/s)."""
        return frame_velocity(self.chaser, self.chaser_coordinates, self.chaser_rates, self.tool)

    @cached_property
    def grip_velocity(self) -> Motion:
        """The velocity of the target's contact point before the impact, world axes (m/s, rad/s)."""
        return frame_velocity(self.target, self.target_coordinates, self.target_rates, self.grip)

    def attached(self, joint: str) -> Attachment:
        """The tree in which the target hangs from the tool: joint "fixed", "pin", "spherical"."""
        if self.grip.body != self.target.base.name:
            raise ModelError(
                f"the contact is on {self.grip.body!r}, which does not carry the target "
                f"{self.target.name!r}: make it the root first with percuss.reroot"
            )
        pose = relative_pose(
            self.chaser,
            self.chaser_coordinates,
            self.tool,
            self.target,
            q_guest=self.target_coordinates,
        )
        taken = {joint.name for system in (self.chaser, self.target) for joint in system.joints}
        names = ("grasp", *(f"grasp {k}" for k in range(2, len(taken) + 3)))
        name = next(name for name in names if name not in taken)
        return attach(self.chaser, self.target, self.tool, pose, joint=joint, name=name)


def velocity_jump(system: System, q: Coordinates, frame: Frame, impulse: Force) -> Any:
    """Δv = M⁻¹ Jᵀ P: what an impulse at a frame does to the rates, shape (nv,).

    `impulse` is force (N s) and moment about the frame's origin (N m s), world axes. Forces
    that stay finite (gravity, motors, friction) do nothing in no time.
    """
    at_rest = (0.0,) * system.rate_count
    return forward_dynamics(weightless(system), q, at_rest, None, wrenches=[(frame, impulse)])


def mobility(system: System, q: Coordinates, frame: Frame) -> Matrix3:
    """W = J M⁻¹ Jᵀ of a point: its velocity jump (m/s) per impulse on it (N s), world axes.

    The inverse of the operational-space inertia of that point; symmetric, in 1/kg.
    """
    columns = []
    for axis in range(3):
        unit = Vector3(*(1.0 if k == axis else 0.0 for k in range(3)))
        jump = velocity_jump(system, q, frame, Force(unit, Vector3.zero()))
        columns.append(frame_velocity(system, q, jump, frame).linear)
    return Matrix3(*columns).transpose()


def added(rates: Any, change: Any) -> Any:
    """Rates after a jump, shape (nv,)."""
    return pack(plus(_entries(rates), _entries(change)))


def _entries(rates: Any) -> tuple[Scalar, ...]:
    return unpack(rates, len(rates), "rates")


def weightless(system: System) -> System:
    """The system without gravity, as an instant sees it."""
    return system.with_gravity(Vector3.zero())


def about(point: Vector3, force: Force) -> Force:
    """A force or momentum about the world's origin, taken about a point, world axes."""
    return Pose(position=point).act_inverse(force)


def _refuse_state(owner: str, system: System, kind: str, given: Any) -> None:
    names = system.coordinate_names if kind == "coordinates" else system.rate_names
    try:
        scalars = unpack(given, len(names), f"{owner} {kind}", names)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from error
    for name, value in zip(names, scalars, strict=True):
        if violates(value, is_finite):
            raise ModelError(f"{owner} {kind}: {name} must be finite, got {shown(value)}")
