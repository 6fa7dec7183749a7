"""The links between the base and a struck point, as impact compensation sees them.

A link is everything that moves as one with the body on a turning joint: bodies on fixed joints
belong to what carries them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, is_constant, plain, terms
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3
from percuss.control.plant import TreePlant
from percuss.kinematics.trees import TreePoses, tree_accelerations, tree_poses, tree_velocities
from percuss.model.couplings import followed_by
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar, Revolute
from percuss.model.systems import Frame, Node, System


@dataclass(frozen=True)
class Axis:
    """A rate that turns links: its place among the rates, and the first link that it turns.

    That is the number of links where it turns none as a whole: the joint of a balanced link at
    the end. `node` is where the joint is, `place` the rate's place within that joint.
    """

    rate: int
    first: int
    driven: bool
    node: int
    place: int


@dataclass(frozen=True)
class ImpactChain:
    """Links from the base to the struck point, and the rates that turn them.

    `links` holds for each link, base first, the nodes that move as one; the first of them is on
    the link's joint.
    """

    system: System
    point: Frame
    links: tuple[tuple[int, ...], ...]
    axes: tuple[Axis, ...]

    @property
    def last(self) -> Node:
        """The body on the joint of the last link."""
        return self.system.tree[self.links[-1][0]]

    @property
    def last_axis(self) -> int:
        """Where the last link's own axis is among the axes."""
        return next(k for k, axis in enumerate(self.axes) if axis.node == self.last.index)


@dataclass(frozen=True)
class LinkNow:
    """A link in the world: about its joint, world axes.

    `arm` (m) leads from the joint to the next one, or to the struck point; `inertia` is about
    the joint; `drift` (rad/s²) is what the angular acceleration is without any of the rates'.
    """

    joint: Vector3
    arm: Vector3
    inertia: SpatialInertia
    drift: Vector3

    @property
    def moment(self) -> Matrix3:
        """G with G ω̇ = -r × m (ω̇ × r_C), r from the centre of percussion to the end of the arm.

        With the centre of percussion where (44) puts it, that is I_o ω̇ - d × m (ω̇ × r_C): the
        moment with which the link turns about its joint at ω̇ while the force m ω̇ × r_C, all that
        it needs besides, comes in at the end of the arm d. Linear in ω̇, so it holds about
        whatever axis the link turns at the instant.
        """
        h, d = self.inertia.first_moment, self.arm
        turned = self.inertia.second_moment - Symmetric3.scaled_identity(d.dot(h))
        return turned.matrix() + h.outer(d)


def chain_of(plant: TreePlant, point: Frame, base_torque: bool) -> ImpactChain:
    """The chain from the base of the plant's tree to a point on one of its links.

    With `base_torque` wheels or thrusters that can turn the base take part. In space a link that
    is balanced about its own joint, as those on roll joints are, has no centre of percussion:
    sideways it moves with the link before it, and is taken as part of that.
    """
    system = plant.system
    links: list[tuple[int, ...]] = []
    axes: list[Axis] = []
    for node in reversed(list(system.ancestors(system.node(system.frame(point).body)))):
        motion = node.joint.motion
        _refuse(plant, node, point, bool(axes))
        if isinstance(motion, Fixed):
            continue
        floats = isinstance(motion, (Free, Planar))
        first = len(links)
        if not floats:
            group = _as_one(system, node)
            if not _is_balanced(system, group):
                links.append(group)
            elif system.is_planar:
                raise ModelError(
                    f"impact compensation: link {node.body.name!r} has its centre of mass on joint "
                    f"{node.joint.name!r}, so that it has no centre of percussion"
                )
            elif links:
                links[-1] = links[-1] + group
        for place, unit in enumerate(motion.rate_units):
            if unit == "rad/s":
                rate = node.rates.start + place
                driven = plant.actuated[rate] and (base_torque or not floats)
                axes.append(
                    Axis(rate=rate, first=first, driven=driven, node=node.index, place=place)
                )
    if not links:
        raise ModelError(
            f"impact compensation needs a link with a centre of percussion between the base and "
            f"the struck point, and there is none before {point.body!r}"
        )
    return ImpactChain(system, point, tuple(links), tuple(axes))


def _refuse(plant: TreePlant, node: Node, point: Frame, begun: bool) -> None:
    """Refuse a joint on the way to the struck point through which no torque can act."""
    joint, own = node.joint, plant.own_rates
    if node.rates.stop > own:
        raise ModelError(
            f"impact compensation: {point.body!r} is not a body of the chaser, whose rates are the "
            f"first {own} of {plant.system.name!r}"
        )
    followers = followed_by(joint, plant.system.followers)
    if followers:
        raise ModelError(
            f"impact compensation: joint {joint.name!r} between the base and {point.body!r} is "
            f"followed by {followers[0].name!r}, so that its torque turns more than one link"
        )
    turns = isinstance(joint.motion, (Revolute, Fixed))
    if not turns and (begun or not isinstance(joint.motion, (Free, Planar))):
        raise ModelError(
            f"impact compensation acts through revolute joints, and joint {joint.name!r} between "
            f"the base and {point.body!r} is {joint.motion.kind}"
        )


def links_now(chain: ImpactChain, q: Coordinates, v: Rates | None = None) -> tuple[LinkNow, ...]:
    """Where the links are at coordinates q; the drift for rates v, zero without them."""
    system = chain.system
    poses = tree_poses(system, q)
    world = poses.world_poses()
    place = system.node(chain.point.body).index
    end = world[place].act(chain.point.placement.position)
    joints = [_origin(world, system.tree[link[0]]) for link in chain.links]
    drifts = _drifts(chain, poses, world, v)
    found: list[LinkNow] = []
    for k, link in enumerate(chain.links):
        about = Pose(position=-joints[k])
        inertia = SpatialInertia.zero()
        for index in link:
            inertia = inertia + (about @ world[index]).act(system.tree[index].body.spatial_inertia)
        arm = (joints[k + 1] if k + 1 < len(joints) else end) - joints[k]
        found.append(LinkNow(joints[k], arm, inertia, drifts[k]))
    return tuple(found)


def axes_now(chain: ImpactChain, q: Coordinates) -> tuple[Vector3, ...]:
    """Direction in the world in which each axis of the chain turns what it carries."""
    poses = tree_poses(chain.system, q)
    world = poses.world_poses()
    found: list[Vector3] = []
    for axis in chain.axes:
        node = chain.system.tree[axis.node]
        turn = world[axis.node].rotation
        directions = [tuple(turn @ motion.angular) for motion in node.joint.subspace]
        motion, rotation = node.joint.motion, poses.turns[axis.node]
        entries = [motion.from_local(rotation, tuple(s[k] for s in directions)) for k in range(3)]
        found.append(Vector3(*(entry[axis.place] for entry in entries)))
    return tuple(found)


def turn_of_force(link: LinkNow, axis: Vector3, force: Vector3) -> Vector3:
    """ω̇ about an axis at which a link on an unmoved joint would need no other force than this.

    m ω̇ × r_C = F; the part of F that turning about the axis cannot use is left out.
    """
    h = link.inertia.first_moment
    along = terms(h.dot(axis))
    across = h.dot(h) - along * along
    return axis * plain(axis.dot(h.cross(force)) / across)


def percussion_arm(link: LinkNow, axis: Vector3) -> tuple[Scalar, Scalar]:
    """Distances (m) from an axis through the joint to the arm's end, and to the centre of
    percussion, both along the direction to the centre of mass."""
    h = link.inertia.first_moment
    across = h + axis * -h.dot(axis)
    size = terms(across.norm())
    around = axis.dot(link.inertia.second_moment @ axis)
    return plain((link.arm.dot(across) / size, around / size))


def _origin(world: tuple[Pose, ...], node: Node) -> Vector3:
    """The origin of the joint that carries a node, world axes (m)."""
    back = node.joint.child_placement.inverse()
    return (world[node.index] @ back).position


def _drifts(
    chain: ImpactChain, poses: TreePoses, world: tuple[Pose, ...], v: Rates | None
) -> tuple[Vector3, ...]:
    if v is None:
        return tuple(Vector3.zero() for _ in chain.links)
    system = chain.system
    still = (0.0,) * system.rate_count
    accelerations = tree_accelerations(poses, tree_velocities(poses, v), still)
    return tuple(world[k[0]].rotation @ accelerations[k[0]].angular for k in chain.links)


def _as_one(system: System, first: Node) -> tuple[int, ...]:
    """A node with everything on fixed joints that moves as one with it."""
    found = [first.index]
    for node in system.tree:
        if isinstance(node.joint.motion, Fixed) and node.parent in found:
            found.append(node.index)
    return tuple(found)


def _is_balanced(system: System, group: tuple[int, ...]) -> bool:
    """Whether bodies that move as one have their centre of mass on their axis, for certain."""
    first = system.tree[group[0]]
    places = {first.index: first.joint.child_placement}
    whole = places[first.index].act(first.body.spatial_inertia)
    for index in group[1:]:
        node = system.tree[index]
        assert node.parent is not None
        joint = node.joint
        places[index] = places[node.parent] @ joint.placement @ joint.child_placement
        whole = whole + places[index].act(node.body.spatial_inertia)
    motion = first.joint.motion
    assert isinstance(motion, Revolute)
    # As long as what is across the axis, and zero also where the mass itself is not known.
    h = whole.first_moment.cross(motion.axis)
    if all(is_constant(x) and x == 0 for x in h):
        return True
    inertia = whole.second_moment.trace()
    if not all(is_constant(x) for x in (*h, whole.mass, inertia)):
        return False
    size = math.sqrt(float(whole.mass) * float(inertia))  # type: ignore[arg-type]
    return math.hypot(*(float(x) for x in h)) <= _BALANCED * size  # type: ignore[arg-type]


_BALANCED = 1e-9
"""Distance of the centre of mass from the joint, as a share of the link's size, taken for none."""
