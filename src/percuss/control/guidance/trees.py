"""One tree of a forest: the chaser with what it carries, or the target in free flight."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import unpack
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.names import BaseMode
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Tree:
    """A tree of a forest as a system of its own, and where its state is in that of the forest."""

    system: System
    coordinates: tuple[int, ...]
    rates: tuple[int, ...]
    whole: System

    def state(self, q: Coordinates, v: Rates) -> tuple[Scalars, Scalars]:
        """Coordinates and rates of the tree, from those of the forest."""
        whole = self.whole
        all_q = unpack(q, whole.coordinate_count, "q", whole.coordinate_names)
        all_v = unpack(v, whole.rate_count, "v", whole.rate_names)
        return tuple(all_q[k] for k in self.coordinates), tuple(all_v[k] for k in self.rates)


def tree_of(system: System, frame: Frame, mode: BaseMode | str | None = None) -> Tree:
    """The tree that holds a frame: every body that hangs from the same root.

    Bodies of different trees do not act on each other, so its dynamics are complete.
    """
    root = root_of(system, frame.body)
    bodies = {node.body.name for node in system.tree if root_of(system, node.body.name) == root}
    joints = tuple(joint for joint in system.joints if joint.child in bodies)
    _refuse_parted(system, bodies)
    nodes = [node for joint in joints if not (node := system.node(joint.child)).follows]
    return Tree(
        System(
            name=system.name,
            bodies=tuple(body for body in system.bodies if body.name in bodies),
            joints=joints,
            frames=tuple(known for known in system.frames if known.body in bodies),
            mode=BaseMode(mode) if mode is not None else None,
            gravity=system.gravity,
        ),
        tuple(k for node in nodes for k in range(node.coordinates.start, node.coordinates.stop)),
        tuple(k for node in nodes for k in range(node.rates.start, node.rates.stop)),
        system,
    )


def _refuse_parted(system: System, bodies: set[str]) -> None:
    """Trees that a coupling ties together act on each other."""
    for follower in system.followers:
        leader = system.leader(follower)
        if (follower.child in bodies) != (leader.child in bodies):
            raise ModelError(
                f"joint {follower.name!r} follows {leader.name!r}, which hangs from another root "
                f"of {system.name!r}: neither tree moves by itself"
            )


def root_of(system: System, body: str) -> str:
    """The body on the world from which a body hangs."""
    *_, root = system.ancestors(system.node(body))
    return root.body.name


def refuse_same_tree(system: System, tool: Frame, grip: Frame) -> None:
    """A tool cannot meet a point of what it hangs from, or carries."""
    if root_of(system, tool.body) == root_of(system, grip.body):
        raise ModelError(
            f"grip {grip.name!r} (on {grip.body!r}) and tool {tool.name!r} (on {tool.body!r}) "
            f"belong to the same tree of {system.name!r}: the tool meets a point of another one"
        )
