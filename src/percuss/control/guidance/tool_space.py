"""The motion of a tool under the joints' motors, whatever the base does meanwhile.

With the rates split into those that do the task (t), those held on their own (h) and those that
nothing drives (p, passive), the passive ones move as they must,

    M_pp v̇_p + M_pt v̇_t + M_ph v̇_h + h_p = 0,

and the tool accelerates with

    ẍ = J_g v̇_t + b,   J_g = J_t - J_p M_pp⁻¹ M_pt,
    b = J_h v̇_h - J_p M_pp⁻¹ (M_ph v̇_h + h_p) + J̇ v.

For a free-floating base p is the base and J_g the generalized Jacobian; here at the level of
accelerations, so that momentum, gravity and joint friction are in b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from percuss.algebra.linear import plus, solve_symmetric
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, dot, sub, unpack
from percuss.control.guidance.singular import Singular
from percuss.control.guidance.trees import Tree, root_of, tree_of
from percuss.control.layout import Layout
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.composite import mass_matrix
from percuss.dynamics.inverse import inverse_dynamics
from percuss.kinematics.frames import frame_acceleration, frame_pose, frame_velocity
from percuss.kinematics.jacobians import jacobian
from percuss.kinematics.matrices import product, rows_of, solve_columns
from percuss.kinematics.tasks import Task
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Scalars
from percuss.model.systems import Frame, Node


@dataclass(frozen=True)
class ToolSpace:
    """A tool of a plant's chaser, what it is asked for, and the rates that move it.

    Places are those of the rates in `tree`, in which the chaser's `own_rates` come first.
    """

    tree: Tree
    tool: Frame
    task: Task
    own_rates: int
    moving: tuple[int, ...]
    """Driven joints between base and tool: they do the task."""
    held: tuple[int, ...]
    """Everything else that is driven (the base, other arms): it follows the posture."""
    passive: tuple[int, ...]
    """What nothing drives: a free base, a captured target that swings."""

    @cached_property
    def layout(self) -> Layout:
        """How the chaser's coordinates and rates are laid out."""
        return Layout.of(self.tree.system, self.own_rates)

    def pose(self, q: Scalars) -> Pose:
        """World ← tool."""
        return frame_pose(self.tree.system, q, self.tool)

    def velocity(self, q: Scalars, v: Scalars) -> Motion:
        """The velocity of the tool, world axes (m/s, rad/s)."""
        return frame_velocity(self.tree.system, q, v, self.tool)

    def commands(
        self,
        q: Scalars,
        v: Scalars,
        wanted: Sequence[Scalar],
        following: Scalars,
        singular: Singular,
    ) -> Scalars:
        """Forces on the chaser's rates (N, N m) that give the tool its acceleration.

        Args:
            wanted: on the rows of the task, world axes (m/s², rad/s²).
            following: accelerations that hold the posture, on the chaser's rates; those of held
                rates happen, those of moving ones as far as the task leaves them free.
        """
        system = self.tree.system
        a: list[Scalar] = [0.0] * system.rate_count
        for k in self.held:
            a[k] = following[k]
        J = rows_of(jacobian(system, q, self.tool))
        rows = [J[k] for k in self.task.rows]
        forward = [[row[k] for k in self.moving] for row in rows]
        reaction: list[list[Scalar]] = []
        if self.passive:
            M = rows_of(mass_matrix(system, q))
            bias = unpack(inverse_dynamics(system, q, v, a), system.rate_count, "forces")
            inner = [[M[i][j] for j in self.passive] for i in self.passive]
            coupling = [[-M[i][j] for j in self.moving] for i in self.passive]
            reaction = solve_columns(inner, coupling)
            alone = solve_symmetric(inner, [-bias[k] for k in self.passive])
            for k, value in zip(self.passive, alone, strict=True):
                a[k] = value
            carried = product([[row[k] for k in self.passive] for row in rows], reaction)
            forward = [list(plus(one, other)) for one, other in zip(forward, carried, strict=True)]
        drift = tuple(frame_acceleration(system, q, v, a, self.tool))
        missing = [sub(w, drift[k]) for w, k in zip(wanted, self.task.rows, strict=True)]
        preferred = [following[k] for k in self.moving]
        found = singular.solved(self.task, forward, missing, preferred)
        for k, value in zip(self.moving, found, strict=True):
            a[k] = value
        for k, row in zip(self.passive, reaction, strict=True):
            a[k] = add(a[k], dot(row, found))
        forces = unpack(inverse_dynamics(system, q, v, a), system.rate_count, "forces")
        driven = {*self.moving, *self.held}
        return tuple(forces[k] if k in driven else 0.0 for k in range(self.own_rates))


def tool_space(plant: Plant, tool: str | Frame, *, oriented: bool = False) -> ToolSpace:
    """The tool's place among the plant's rates, refused when its joints are too few."""
    if not isinstance(plant, TreePlant):
        raise ModelError(
            f"a tool is controlled on a TreePlant, a tree of bodies, got {type(plant).__name__}"
        )
    whole = plant.system
    frame = whole.frame(tool)
    own = plant.own_rates
    if root_of(whole, frame.body) != whole.base.name:
        raise ModelError(
            f"tool {frame.name!r} is on {frame.body!r}, which does not belong to the chaser: its "
            f"rates are {', '.join(whole.rate_names[:own])}"
        )
    tree = tree_of(whole, frame, whole.mode)
    if tree.rates[:own] != tuple(range(own)):
        raise ModelError(
            f"the chaser of {whole.name!r} must be one tree: not all of its rates "
            f"({', '.join(whole.rate_names[:own])}) belong to what carries {frame.name!r}"
        )
    system = tree.system
    path = {k for node in system.ancestors(system.node(frame.body)) for k in _places(node)}
    moving: list[int] = []
    held: list[int] = []
    for joint in system.joints:
        node = system.node(joint.child)
        if node.follows:
            continue  # its rate is its leader's
        rates = node.rates
        base = joint is system.base_joint and isinstance(joint.motion, (Free, Planar))
        for k in range(rates.start, min(rates.stop, own)):
            if plant.actuated[k]:
                (moving if k in path and not base else held).append(k)
    driven = {*moving, *held}
    passive = tuple(k for k in range(system.rate_count) if k not in driven)
    task = _task(whole.is_planar, oriented)
    if len(moving) < len(task.rows):
        raise ModelError(
            f"tool {frame.name!r}: the task {task.value!r} ({', '.join(task.row_names)}) takes "
            f"{len(task.rows)} driven joints between base and tool, and there are {len(moving)}"
        )
    return ToolSpace(tree, frame, task, own, tuple(moving), tuple(held), passive)


def _places(node: Node) -> range:
    return range(node.rates.start, node.rates.stop)


def _task(planar: bool, oriented: bool) -> Task:
    if planar:
        return Task.PLANAR_POSE if oriented else Task.PLANAR_POSITION
    return Task.POSE if oriented else Task.POSITION
