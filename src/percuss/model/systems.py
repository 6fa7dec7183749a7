"""Systems: bodies joined in a tree, and the frames on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, is_constant
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body
from percuss.model.changes import Change
from percuss.model.checks import as_scalar, padded
from percuss.model.couplings import followed_by, led_by, led_directly, narrowed_limits
from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import Fixed, Free, JointMotion, Mimic, Planar
from percuss.model.names import WORLD, BaseMode
from percuss.model.validation import check_joint_types, check_system, leaves_plane


@dataclass(frozen=True, slots=True)
class Limits:
    """What a joint may do: position (rad or m), speed (rad/s or m/s), motor effort (N m or N).

    An effort of 0 means that no motor drives the joint; see `System.actuated`.
    """

    lower: float = -float("inf")
    upper: float = float("inf")
    speed: float = float("inf")
    effort: float = float("inf")

    def __post_init__(self) -> None:
        _convert_fields(self, "limits")


@dataclass(frozen=True, slots=True)
class Friction:
    """Joint friction -(viscous + coulomb / √(|v|² + smoothing²)) v against the joint rates v.

    `viscous` in N m s/rad or N s/m, `coulomb` in N m or N; `smoothing` (rad/s or m/s) is the
    rate around which dry friction changes sign, so that it stays differentiable at rest.
    """

    viscous: Scalar = 0.0
    coulomb: Scalar = 0.0
    smoothing: Scalar = 1e-3

    def __post_init__(self) -> None:
        _convert_fields(self, "friction")


def _convert_fields(part: Limits | Friction, named: str) -> None:
    for entry in fields(part):
        value = as_scalar(getattr(part, entry.name), f"{named}: {entry.name}")
        object.__setattr__(part, entry.name, value)


_JOINT_PARTS = {
    "placement": Pose,
    "child_placement": Pose,
    "limits": Limits,
    "friction": Friction,
}


@dataclass(frozen=True)
class Joint:
    """Joins a child body to a parent: P_T_C(q) = placement · motion(q) · child_placement.

    `placement` is the joint frame in the parent body's frame; `child_placement` the child's
    body frame in the moved joint frame, the identity unless something was attached.
    """

    name: str
    motion: JointMotion
    parent: str
    child: str
    placement: Pose = field(default_factory=Pose.identity)
    child_placement: Pose = field(default_factory=Pose.identity)
    limits: Limits = field(default_factory=Limits)
    friction: Friction = field(default_factory=Friction)

    def __post_init__(self) -> None:
        check_joint_types(self, _JOINT_PARTS)

    @cached_property
    def subspace(self) -> tuple[Motion, ...]:
        """The joint's unit motions in the child's *body* frame, constant."""
        if self.child_placement.is_identity:
            return self.motion.subspace
        return tuple(self.child_placement.act_inverse(s) for s in self.motion.subspace)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame fixed to a body: `placement` is the frame seen from the body frame."""

    name: str
    body: str
    placement: Pose = field(default_factory=Pose.identity)

    @staticmethod
    def point(body: str, position: Any, name: str | None = None) -> Frame:
        """A point anywhere on a body (m, body frame), with the body's axes.

        Points that one system keeps (`with_frames`) need names that differ.
        """
        return Frame(name or f"point on {body}", body, Pose.at(position))


@dataclass(frozen=True, slots=True)
class Node:
    """A body in the tree with the joint that carries it, and its place in the state vectors."""

    index: int
    body: Body
    joint: Joint
    parent: int | None
    """Index of the parent's node; None for the world."""
    coordinates: slice
    """Those of the joint; of a follower, its leader's."""
    rates: slice
    limits: Limits
    """Limits of the joint (of a follower, its leader), narrowed by those that follow it."""

    @property
    def follows(self) -> bool:
        """Whether the coordinate and the rate belong to another joint, which this one follows."""
        return isinstance(self.joint.motion, Mimic)


@dataclass(frozen=True)
class System:
    """A forest of bodies, each on one joint; parents may be listed after their children.

    Coordinates q and rates v follow the order of `joints`; joints that follow another (`Mimic`)
    have none, and one that follows a follower is led by the first leader. `gravity` is the
    acceleration of free fall in the world frame (m/s²; two entries lie in the x-y plane). The
    first joint on the world carries the base. `changes` lists what was changed in the file it
    was read from.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    mode: BaseMode | None = None
    gravity: Vector3 = field(default_factory=Vector3.zero)
    source: str = ""
    changes: tuple[Change, ...] = ()

    def __post_init__(self) -> None:
        for attribute in ("bodies", "joints", "frames", "changes"):
            object.__setattr__(self, attribute, tuple(getattr(self, attribute)))
        object.__setattr__(self, "joints", led_directly(self.joints))
        object.__setattr__(self, "gravity", padded(self.gravity, "gravity"))
        if self.mode is not None:
            object.__setattr__(self, "mode", BaseMode(self.mode))
        check_system(self)
        if self.mode is None:
            floats = isinstance(self.base_joint.motion, (Free, Planar))
            default = BaseMode.FREE_FLOATING if floats else BaseMode.FIXED
            object.__setattr__(self, "mode", default)

    # --- the tree -------------------------------------------------------------------------

    @cached_property
    def tree(self) -> tuple[Node, ...]:
        """Every body after its parent."""
        bodies = {body.name: body for body in self.bodies}
        coordinates, rates = self._slices("coordinate_count"), self._slices("rate_count")
        limits = {
            joint.name: narrowed_limits(joint.limits, followed_by(joint, self.followers))
            for joint in self.joints
        }
        nodes: dict[str, Node] = {}
        waiting = list(self.joints)
        while waiting:
            ready = [j for j in waiting if j.parent == WORLD or j.parent in nodes]
            for joint in ready:
                parent = None if joint.parent == WORLD else nodes[joint.parent].index
                own = joint.motion.leader if isinstance(joint.motion, Mimic) else joint.name
                nodes[joint.child] = Node(
                    index=len(nodes),
                    body=bodies[joint.child],
                    joint=joint,
                    parent=parent,
                    coordinates=coordinates[own],
                    rates=rates[own],
                    limits=limits[own],
                )
            waiting = [j for j in waiting if j.child not in nodes]
        return tuple(nodes.values())

    def _slices(self, count: str) -> dict[str, slice]:
        slices: dict[str, slice] = {}
        start = 0
        for joint in self.joints:
            stop = start + getattr(joint.motion, count)
            slices[joint.name] = slice(start, stop)
            start = stop
        return slices

    @cached_property
    def _nodes_by_body(self) -> dict[str, Node]:
        return {node.body.name: node for node in self.tree}

    def node(self, body: str) -> Node:
        """The node of a body."""
        if body not in self._nodes_by_body:
            raise unknown("body", body, self._nodes_by_body, self)
        return self._nodes_by_body[body]

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        joints = {joint.name: joint for joint in self.joints}
        if name not in joints:
            raise unknown("joint", name, joints, self)
        return joints[name]

    def frame(self, frame: str | Frame) -> Frame:
        """A frame by name, the frame of a body by the body's name, or the frame itself."""
        if isinstance(frame, Frame):
            self.node(frame.body)
            return frame
        for known in self.frames:
            if known.name == frame:
                return known
        if frame in self._nodes_by_body:
            return Frame(frame, frame)
        names = [*(f.name for f in self.frames), *self._nodes_by_body]
        raise unknown("frame or body", frame, names, self)

    def ancestors(self, node: Node) -> Iterator[Node]:
        """The node itself, its parent, and so on to the root."""
        index: int | None = node.index
        while index is not None:
            yield self.tree[index]
            index = self.tree[index].parent

    # --- the base -------------------------------------------------------------------------

    @cached_property
    def base_joint(self) -> Joint:
        """The first joint on the world."""
        return next(joint for joint in self.joints if joint.parent == WORLD)

    @property
    def base(self) -> Body:
        """The body on the base joint."""
        return self.node(self.base_joint.child).body

    @cached_property
    def movable_joints(self) -> tuple[Joint, ...]:
        """Joints of the arms that have coordinates, in order.

        Fixed ones, floating bases and joints that follow another are not among them.
        """
        return tuple(
            joint
            for joint in self.joints
            if joint.motion.rate_count and not isinstance(joint.motion, (Free, Planar))
        )

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """Joints of the arms that move, in order: `movable_joints` and those that follow them."""
        return tuple(
            joint
            for joint in self.joints
            if joint.motion.uncoupled.rate_count and not isinstance(joint.motion, (Free, Planar))
        )

    @cached_property
    def followers(self) -> tuple[Joint, ...]:
        """Joints that follow another, in order."""
        return tuple(joint for joint in self.joints if isinstance(joint.motion, Mimic))

    def leader(self, joint: Joint) -> Joint:
        """The joint whose coordinate moves a joint: itself, or the one that it follows."""
        return self.joint(joint.motion.leader) if isinstance(joint.motion, Mimic) else joint

    @cached_property
    def independent(self) -> tuple[Node, ...]:
        """The nodes of the tree whose coordinates are their own: all but followers."""
        return tuple(node for node in self.tree if not node.follows)

    # --- coordinates and rates ------------------------------------------------------------

    @cached_property
    def coordinate_count(self) -> int:
        return sum(joint.motion.coordinate_count for joint in self.joints)

    @cached_property
    def rate_count(self) -> int:
        """Degrees of freedom."""
        return sum(joint.motion.rate_count for joint in self.joints)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """`joint` for a single coordinate, `joint.x` … otherwise."""
        return self._names("coordinate_names")

    @cached_property
    def rate_names(self) -> tuple[str, ...]:
        return self._names("rate_names")

    @cached_property
    def rate_units(self) -> tuple[str, ...]:
        return tuple(unit for joint in self.joints for unit in joint.motion.rate_units)

    def _names(self, suffixes: str) -> tuple[str, ...]:
        return tuple(
            f"{joint.name}.{suffix}" if suffix else joint.name
            for joint in self.joints
            for suffix in getattr(joint.motion, suffixes)
        )

    @cached_property
    def actuated(self) -> tuple[bool, ...]:
        """For each rate, whether an actuator drives it.

        The base is driven as the base mode says. Of the other joints nothing drives free and
        planar ones, and those whose motor effort is limited to 0, as a grasp's is.
        """
        return tuple(
            self._drives(joint, unit) for joint in self.joints for unit in joint.motion.rate_units
        )

    def _drives(self, joint: Joint, unit: str) -> bool:
        """Whether an actuator acts on a rate of this unit."""
        effort = joint.limits.effort
        if is_constant(effort) and effort == 0:
            return False
        if not isinstance(joint.motion, (Free, Planar)):
            return True
        turns = unit == "rad/s" and self.mode == BaseMode.ATTITUDE_CONTROLLED
        return joint is self.base_joint and (turns or self.mode == BaseMode.FREE_FLYING)

    @cached_property
    def is_massless(self) -> bool:
        """Whether no body has mass: the system has kinematics, and its dynamics is refused."""
        return all(body.is_massless for body in self.bodies)

    @cached_property
    def is_planar(self) -> bool:
        """Whether every body stays in planes parallel to x-y of the world, for certain."""
        return not any(leaves_plane(joint) for joint in self.joints)

    # --- other systems from this one --------------------------------------------------------

    def with_mode(self, mode: BaseMode | str, pose: Pose | None = None) -> System:
        """The same system with another base mode.

        To and from `fixed` the base joint is exchanged: a base that becomes fixed is held at
        `pose` (world ← base, default the identity), and one that is let go moves freely, in
        its plane if the system is planar. Coordinates of the base appear or disappear.
        """
        mode = BaseMode(mode)
        joint = self.base_joint
        is_free = isinstance(joint.motion, (Free, Planar))
        if mode == BaseMode.FIXED and is_free:
            held = Joint(
                name=joint.name,
                motion=Fixed(),
                parent=WORLD,
                child=joint.child,
                placement=pose or Pose.identity(),
            )
            return self._with_joint(held, mode)
        if mode != BaseMode.FIXED and not is_free:
            if not isinstance(joint.motion, Fixed):
                raise ModelError(
                    f"system {self.name!r} has no base to set free: {joint.child!r} is on a "
                    f"{joint.motion.kind} joint on the world. Put a base body under it."
                )
            free = Joint(joint.name, Free(), WORLD, joint.child)
            if self.is_planar:
                height = add(joint.placement.position.z, joint.child_placement.position.z)
                free = replace(free, motion=Planar(), placement=Pose.at((0.0, 0.0, height)))
            return self._with_joint(free, mode)
        return replace(self, mode=mode)

    def _with_joint(self, joint: Joint, mode: BaseMode) -> System:
        joints = tuple(joint if j is self.base_joint else j for j in self.joints)
        return replace(self, joints=joints, mode=mode)

    def with_frames(self, *frames: Frame) -> System:
        """The system with more named frames."""
        return replace(self, frames=(*self.frames, *frames))

    def with_gravity(self, gravity: Any) -> System:
        """The system with another acceleration of free fall (m/s², world frame)."""
        return replace(self, gravity=gravity)

    def with_parameters(self, values: dict[str, Any]) -> System:
        """The system with parameters replaced by scalars of any kind; see `percuss.parameters`."""
        from percuss.model.parameters import with_parameters

        return with_parameters(self, values)

    def prefixed(self, prefix: str) -> System:
        """The system with the prefix before every name, so that two copies can be joined."""
        rename = lambda name: name if name == WORLD else prefix + name  # noqa: E731
        return replace(
            self,
            bodies=tuple(replace(b, name=rename(b.name)) for b in self.bodies),
            joints=tuple(
                replace(
                    j,
                    name=rename(j.name),
                    motion=led_by(j.motion, rename),
                    parent=rename(j.parent),
                    child=rename(j.child),
                )
                for j in self.joints
            ),
            frames=tuple(replace(f, name=rename(f.name), body=rename(f.body)) for f in self.frames),
        )

    def __repr__(self) -> str:
        """A line; `print` shows bodies, joints and frames as a table."""
        count = len(self.bodies)
        bodies = f"{count} {'body' if count == 1 else 'bodies'}"
        return f"<System {self.name!r}: {bodies}, {self.rate_count} rates, {self.mode}>"

    def __str__(self) -> str:
        from percuss.model.table import system_table

        return system_table(self)


def unknown(kind: str, name: object, known: Iterable[str], system: System) -> ModelError:
    """An error for a name that does not exist, with those that do."""
    names = list(known)
    return ModelError(
        f"system {system.name!r} has no {kind} {name!r}.{closest(name, names)} "
        f"There are: {choices(name, names)}"
    )
