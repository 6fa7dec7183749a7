"""A tool whose error obeys a linear equation, while the rest of the chaser keeps its posture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.algebra.vectors import Vector3
from percuss.control.attitude import tracking_turn
from percuss.control.gains import gains
from percuss.control.guidance.posture import Posture
from percuss.control.guidance.singular import Singular
from percuss.control.guidance.tool_space import ToolSpace, tool_space
from percuss.control.plant import Plant
from percuss.model.joints import Scalars
from percuss.model.systems import Frame


@dataclass(frozen=True)
class ToolControl:
    """Tool, posture and gains of a law: kp = ωn² (1/s²), kd = 2 ζ ωn (1/s)."""

    space: ToolSpace
    posture: Posture
    singular: Singular
    kp: Scalar
    kd: Scalar

    @staticmethod
    def of(
        plant: Plant,
        tool: str | Frame,
        natural_frequency: Any,
        damping_ratio: Any,
        *,
        posture: Any,
        oriented: bool = False,
        posture_frequency: Any = None,
        posture_damping: Any = None,
        singular_below: float | None = None,
    ) -> ToolControl:
        """The control of the arguments of a law, checked."""
        space = tool_space(plant, tool, oriented=oriented)
        kp, kd = (unpack(k, 1, "gain")[0] for k in gains(natural_frequency, damping_ratio, 1))
        frequency = natural_frequency if posture_frequency is None else posture_frequency
        ratio = 1.0 if posture_damping is None else posture_damping
        return ToolControl(
            space=space,
            posture=Posture.of(plant, posture, frequency, ratio),
            singular=Singular.of(space.tree.system, space.tool, space.task, singular_below),
            kp=kp,
            kd=kd,
        )

    def sliding(self, error: Vector3, rate: Vector3) -> Vector3:
        """ë = -kd ė - kp e (m/s²)."""
        return -(rate * self.kd + error * self.kp)

    def turning(self, pose: Pose, velocity: Motion, wanted: Rotation, moving: Motion) -> Vector3:
        """ω̇ with which the rotation vector from the orientation wanted obeys the equation.

        `moving` holds the angular velocity and acceleration of the orientation wanted, in this
        order, world axes (rad/s, rad/s²).
        """
        phi = (pose.rotation @ wanted.inverse()).to_rotation_vector()
        kp, kd = (Vector3(k, k, k) for k in (self.kp, self.kd))
        return tracking_turn(phi, velocity.angular, moving.linear, moving.angular, kp=kp, kd=kd)

    def commands(
        self, t: Any, q: Scalars, v: Scalars, linear: Vector3, *, angular: Vector3 | None = None
    ) -> Any:
        """Forces on the chaser's rates that give the tool these accelerations, world axes."""
        both = (*linear, *(Vector3.zero() if angular is None else angular))
        wanted = [both[k] for k in self.space.task.rows]
        following = self.posture.accelerations(self.space, t, q, v)
        return pack(self.space.commands(q, v, wanted, following, singular=self.singular))
