"""Coordinates with which the tool is where it is wanted: by the arm, or by moving the base."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.tasks import Task
from percuss.model.bodies import Body
from percuss.model.joints import Planar, Revolute
from percuss.model.systems import Frame, Joint, System

if TYPE_CHECKING:
    from percuss.kinematics.inverse import InverseKinematics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reaching:
    """Inverse kinematics of an arm whose tool points somewhere and may roll about that axis.

    The roll is a joint more, between the tool and what is to be placed: so an arm of five joints
    can point a tool in space, and one of six has a freedom left.
    """

    chaser: System
    tool: Frame
    axis: Vector3
    """Which way the tool points, in its own frame."""
    task: Task
    near: Array
    """Coordinates of the chaser: the base as it is, joints that are preferred."""
    seed: int = 0
    compiled: bool = False

    def coordinates(self, wanted: Pose) -> Array:
        """Coordinates with the tool at a pose, up to its roll; raises `NoSolutionError`."""
        return np.asarray(self._solver.solve(wanted).q[: self.chaser.coordinate_count], float)

    def each(self, wanted: Pose, near: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Coordinates (nq, cases) with the tools of many cases at poses, and where there are some.

        `near` (nq, cases): the base of each case as it is, and the joints that are preferred.
        """
        base = self.chaser.base_joint.child
        own = self.chaser.node(base).coordinates
        q = near
        if self.near[own].size:
            # Seen from its base every case has the base of the solver.
            here, there = (frame_pose(self.chaser, x, base) for x in (near, self.near))
            wanted = there @ here.inverse() @ wanted
            q = near.copy()
            q[own] = self.near[own][:, None]
        if self.task == Task.POSE:
            q = np.concatenate([q, np.zeros((1, q.shape[1]))])
        found = self._solver.solve_each(wanted, q)
        q = found.q[: self.chaser.coordinate_count]
        q[own] = near[own]
        return q, found.success

    @cached_property
    def _solver(self) -> InverseKinematics:
        from percuss.kinematics.inverse import InverseKinematics

        near, system = self.near, self.chaser
        if self.task == Task.POSE:
            near, system = np.append(near, 0.0), self._with_roll()
        return InverseKinematics(
            system,
            system.frame(self.tool.name) if self.task == Task.POSE else self.tool,
            self.task,
            near=near,
            seed=self.seed,
            compiled=self.compiled,
        )

    def _with_roll(self) -> System:
        # Only kinematics are asked of it, so the mass of the added body means nothing.
        name = f"roll of {self.tool.name}"
        body = Body(name, 1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))  # type: ignore[arg-type]
        joint = Joint(name, Revolute(self.axis), self.tool.body, name, self.tool.placement)
        return replace(
            self.chaser,
            bodies=(*self.chaser.bodies, body),
            joints=(*self.chaser.joints, joint),
            frames=(Frame(self.tool.name, name),),
        )


def carried_there(chaser: System, start: Array, posture: Array, tool: Frame, wanted: Pose) -> Array:
    """Coordinates with the tool at a pose and the joints as in `posture`: the base is moved.

    W_T_base = W_T_tool (base_T_tool)⁻¹, the last from the joints alone. Coordinates (nq,), or of
    many cases (nq, cases) with a pose for each.
    """
    joint = chaser.base_joint
    node = chaser.node(joint.child)
    arm = frame_pose(chaser, posture, joint.child).inverse() @ frame_pose(chaser, posture, tool)
    base = wanted @ arm.inverse()
    moved = joint.placement.inverse() @ base @ joint.child_placement.inverse()
    own = np.asarray(pack(joint.motion.coordinates(moved)), float)
    if isinstance(joint.motion, Planar):
        # The angle is unwrapped: the turn nearest to where the base is now.
        now = start[node.coordinates][2]
        own[2] -= math.tau * np.round((own[2] - now) / math.tau)
    q = np.array(posture, float)
    q[node.coordinates] = own
    return q
