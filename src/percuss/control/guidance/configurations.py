"""Coordinates with which the tool is where it is wanted: by the arm, or by moving the base."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.inverse.arms import Arms
from percuss.kinematics.inverse.chain import ToolChain, chain_to
from percuss.kinematics.tasks import Task
from percuss.model.bodies import Body
from percuss.model.joints import Planar, Revolute, Scalars
from percuss.model.systems import Frame, Joint, System

if TYPE_CHECKING:
    from percuss.kinematics.inverse.solver import InverseKinematics

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
    arms: Arms | None = None
    """Chasers that differ in their numbers, for `each` alone; which then is told their numbers."""
    threads: int | None = None

    def coordinates(self, wanted: Pose) -> Array:
        """Coordinates with the tool at a pose, up to its roll; raises `NoSolutionError`."""
        return np.asarray(self._solver.solve(wanted).q[: self.chaser.coordinate_count], float)

    def each(
        self, wanted: Any, near: Array, numbers: Array | None = None
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Coordinates (nq, cases) with the tools of many cases at poses, and where there are some.

        Args:
            wanted: seen from the base where this has it, see `relative_to_base`: a pose of batches,
                or its entries (entries, cases) as `target_entries` lists them.
            near: (nq, cases), the base of each case as it is, and the joints that are preferred.
            numbers: in which the arms of cases differ, (entries, cases).
        """
        own = self.chaser.node(self.chaser.base_joint.child).coordinates
        q = near.copy()
        q[own] = self.near[own][:, None]
        if self.task == Task.POSE:
            q = np.concatenate([q, np.zeros((1, q.shape[1]))])
        found = self._solver.solve_each(wanted, q, numbers)
        q = found.q[: self.chaser.coordinate_count]
        q[own] = near[own]
        return q, found.success

    def chain(self) -> ToolChain:
        """The joints that bring the tool to its place, the roll among them."""
        system, tool = self._carried()
        return chain_to(system, tool, self.task)

    @cached_property
    def _solver(self) -> InverseKinematics:
        from percuss.kinematics.inverse.solver import InverseKinematics

        system, tool = self._carried()
        near = np.append(self.near, 0.0) if self.task == Task.POSE else self.near
        return InverseKinematics(
            system,
            tool,
            self.task,
            near=near,
            seed=self.seed,
            compiled=self.compiled,
            threads=self.threads,
            arms=self.arms,
        )

    def _carried(self) -> tuple[System, Frame]:
        """What is placed, and what carries it."""
        if self.task != Task.POSE:
            return self.chaser, self.tool
        system = self._with_roll()
        return system, system.frame(self.tool.name)

    def _with_roll(self) -> System:
        # Only kinematics are asked of it, so the mass of the added body means nothing.
        name = f"roll of {self.tool.name}"
        body = Body(name, 1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        joint = Joint(
            name=name,
            motion=Revolute(self.axis),
            parent=self.tool.body,
            child=name,
            placement=self.tool.placement,
        )
        return replace(
            self.chaser,
            bodies=(*self.chaser.bodies, body),
            joints=(*self.chaser.joints, joint),
            frames=(Frame(self.tool.name, name),),
        )


def relative_to_base(chaser: System, near: Any, here: Any, wanted: Pose) -> Pose:
    """A pose as it were if the base were where `near` has it, and not where `here` has it.

    So seen from its base every case has the base of the solver. Any scalar, also batches.
    """
    base = chaser.base_joint.child
    if not chaser.node(base).joint.motion.coordinate_count:
        return wanted
    there, now = (frame_pose(chaser, x, base) for x in (near, here))
    return there @ now.inverse() @ wanted


def carried_there(
    chaser: System, start: Array, posture: Array, tool: Frame, *, wanted: Pose
) -> Array:
    """Coordinates with the tool at a pose and the joints as in `posture`: the base is moved.

    Coordinates (nq,), or of many cases (nq, cases) with a pose for each.
    """
    own = np.asarray(pack(base_there(chaser, posture, tool, wanted)), float)
    return with_base(chaser, start, posture, own)


def base_there(chaser: System, posture: Any, tool: Frame, wanted: Pose) -> Scalars:
    """Coordinates of the base with the tool at a pose and the joints as in `posture`. Any scalar.

    W_T_base = W_T_tool (base_T_tool)⁻¹, the last from the joints alone.
    """
    joint = chaser.base_joint
    arm = frame_pose(chaser, posture, joint.child).inverse() @ frame_pose(chaser, posture, tool)
    base = wanted @ arm.inverse()
    relative = joint.placement.inverse() @ base @ joint.child_placement.inverse()
    return joint.motion.coordinates(relative)


def with_base(chaser: System, start: Array, posture: Array, own: Array) -> Array:
    """The joints of a posture on a base with coordinates of its own, (nq,) or (nq, cases)."""
    node, own = chaser.node(chaser.base_joint.child), own.copy()
    if isinstance(chaser.base_joint.motion, Planar):
        # The angle is unwrapped: the turn nearest to where the base is now.
        now = start[node.coordinates][2]
        own[2] -= math.tau * np.round((own[2] - now) / math.tau)
    q = np.array(posture, float)
    q[node.coordinates] = own
    return q
