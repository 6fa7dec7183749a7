"""The chain that carries a tool: which joints may move, within which limits, how far it reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import add, dot, is_constant, sqrt, to_scalar, total
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.tasks import Task, check_task
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Mimic, Planar, Prismatic, Revolute, Spherical
from percuss.model.systems import WORLD, Frame, Joint, Node, System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ToolChain:
    """A tool of a system, its task, and the joints that move it; the others stay as they are."""

    system: System
    frame: Frame
    task: Task
    joints: tuple[str, ...]
    """Moving joints from the root outwards; where a follower carries the tool, its leader."""
    limited: bool = True
    """Whether the joints' limits hold."""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the moving joints, from the root outwards."""
        return tuple(self.system.node(self.system.joint(name).child) for name in self.joints)

    @cached_property
    def carriers(self) -> tuple[Node, ...]:
        """What carries the tool and moves, from the root outwards: followers themselves too."""
        path = list(self.system.ancestors(self.system.node(self.frame.body)))[::-1]
        moving = set(self.rates)
        return tuple(
            node for node in path if moving & set(range(self.system.rate_count)[node.rates])
        )

    @cached_property
    def rates(self) -> tuple[int, ...]:
        """Places of the moving rates among all."""
        return tuple(k for node in self.nodes for k in range(node.rates.start, node.rates.stop))

    @cached_property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) of each moving rate's coordinate, infinite where there is none."""
        free = (-math.inf, math.inf)
        return tuple(
            (node.limits.lower, node.limits.upper) if self._limits(node) else free
            for node in self.nodes
            for _ in range(node.joint.motion.rate_count)
        )

    def _limits(self, node: Node) -> bool:
        return self.limited and isinstance(node.joint.motion, (Revolute, Prismatic))

    @cached_property
    def slides(self) -> tuple[bool, ...]:
        """For each moving rate, whether it is in m/s."""
        units = self.system.rate_units
        return tuple(units[k] == "m/s" for k in self.rates)

    def span(self, q: Coordinates) -> Span:
        """How far the tool can be from the first moving joint, the others held as in q.

        Of lengths that are not known only the greatest distance is told, as their scalar.
        """
        origins: list[Vector3] = []
        displaced: list[Vector3] = []
        sliding = 0.0
        for node in self.carriers:
            joint = node.joint
            before = Frame("before", joint.parent, joint.placement)
            held = joint.placement
            if joint.parent != WORLD:
                held = frame_pose(self.system, q, before)
            origins.append(held.position)
            after = Frame("after", joint.child, joint.child_placement.inverse())
            displaced.append(frame_pose(self.system, q, after).position)
            sliding += self._travel(node)
        ends = [*origins[1:], frame_pose(self.system, q, self.frame).position]
        lengths = [self._distance(a, b) for a, b in zip(displaced, ends, strict=True)]
        if not all(is_constant(length) for length in lengths):
            most = math.inf if sliding == math.inf else add(total(lengths), sliding)
            return Span(self.carriers[0].joint.name, origins[0], 0.0, most)
        most = sum(lengths) + sliding
        least = 0.0 if sliding else max(0.0, 2 * max(lengths) - sum(lengths))
        return Span(self.carriers[0].joint.name, origins[0], least, most)

    def _travel(self, node: Node) -> float:
        """How far a joint slides at most (m)."""
        motion = node.joint.motion
        if isinstance(motion, (Planar, Free)):
            return math.inf
        if not isinstance(motion.uncoupled, Prismatic):
            return 0.0
        if not self.limited:
            return math.inf
        ends: list[Any] = [node.limits.lower, node.limits.upper]
        if isinstance(motion, Mimic):
            still = motion.multiplier == 0
            ends = [motion.offset] if still else [motion.coordinate(x) for x in ends]
        return max(abs(float(x)) for x in ends)

    def _distance(self, a: Vector3, b: Vector3) -> Any:
        return distance(self.task, a, b)


@dataclass(frozen=True)
class Span:
    """Distances (m) from a joint that the tool cannot exceed, or come nearer than."""

    joint: str
    origin: Vector3
    least: float
    most: Any


def distance(task: Task, a: Vector3, b: Vector3) -> Any:
    """The distance between two points (m), any scalar; in the plane the height does not count."""
    parts = [to_scalar(part) for part in a - b][: 2 if task.is_planar else 3]
    if all(is_constant(part) for part in parts):
        return math.hypot(*(float(part) for part in parts))  # type: ignore[arg-type]
    return sqrt(dot(parts, parts))


def chain_to(
    system: System,
    frame: str | Frame,
    task: Task | str,
    joints: Sequence[str] | None = None,
    *,
    limited: bool = True,
) -> ToolChain:
    """The chain of a tool; by default every joint that carries it moves, except a free base."""
    found = system.frame(frame)
    task = check_task(system, task)
    path = [node.joint for node in system.ancestors(system.node(found.body))][::-1]
    led = [system.leader(joint) for joint in path if joint.subspace]
    movable = list({joint.name: joint for joint in led}.values())
    if joints is None:
        chosen = [joint for joint in movable if not _is_free_base(system, joint)]
    else:
        _refuse_strangers(system, found, movable, joints)
        chosen = [joint for joint in movable if joint.name in joints]
    if not chosen:
        raise ModelError(f"no joint of {system.name!r} moves {found.name!r}")
    for joint in chosen:
        _refuse_limits(system.node(joint.child))
    return ToolChain(
        system=system,
        frame=found,
        task=task,
        joints=tuple(joint.name for joint in chosen),
        limited=limited,
    )


def random_coordinates(
    chain: ToolChain, near: Array, count: int, reach: float, *, rng: np.random.Generator
) -> Array:
    """Coordinates (nq, count) with the moving joints anywhere within their limits.

    Angles without limits are within half a turn, lengths without limits within the reach.
    """
    q = np.repeat(near[:, None], count, axis=1)
    for node in chain.nodes:
        motion = node.joint.motion
        at = node.coordinates
        if isinstance(motion, (Revolute, Prismatic)):
            room = math.pi if isinstance(motion, Revolute) else reach
            limits = node.limits if chain.limited else None
            lower = max(limits.lower, -1e6) if limits else -math.inf
            upper = min(limits.upper, 1e6) if limits else math.inf
            low = lower if lower > -1e6 else min(-room, upper - 2 * room)
            high = upper if upper < 1e6 else max(room, low + 2 * room)
            q[at] = rng.uniform(low, high, (1, count))
            continue
        own = rng.uniform(-reach, reach, (motion.coordinate_count, count))
        if isinstance(motion, Planar):
            own[2] = rng.uniform(-math.pi, math.pi, count)
        if isinstance(motion, (Spherical, Free)):
            turn = rng.normal(size=(4, count))
            own[-4:] = turn / np.linalg.norm(turn, axis=0)
        q[at] = own
    return q


def _is_free_base(system: System, joint: Joint) -> bool:
    return joint is system.base_joint and isinstance(joint.motion, (Free, Planar))


def _refuse_strangers(
    system: System, frame: Frame, movable: list[Joint], joints: Sequence[str]
) -> None:
    names = [joint.name for joint in movable]
    for name in joints:
        if name not in names:
            joint = system.joint(name)  # raises for a name that does not exist
            if isinstance(joint.motion, Mimic):
                raise ModelError(
                    f"joint {name!r} follows {joint.motion.leader!r} and moves with it; name that "
                    "one instead"
                )
            raise ModelError(
                f"joint {name!r} does not move {frame.name!r}; those that do are {', '.join(names)}"
            )


def _refuse_limits(node: Node) -> None:
    joint, lower, upper = node.joint, node.limits.lower, node.limits.upper
    if not (is_constant(lower) and is_constant(upper)) or not lower < upper:
        raise ModelError(
            f"joint {joint.name!r}: inverse kinematics needs limits lower < upper that are "
            f"numbers, got {lower} and {upper}"
        )
