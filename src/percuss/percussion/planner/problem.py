"""The impact of a scenario as a function of what a plan may change and of what may be off.

A *choice* x holds the coordinates of the joints that carry the tool, then (where they are free)
a point that is projected onto the target's surface (m, target frame), then the turn of the base
(rad; in space a rotation vector, world axes). *Errors* e are those of the joints, of the contact
point (target frame, m), of the target's velocity (m/s) and of its spin (rad/s), world axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, atan2, pack, plain, terms
from percuss.algebra.vectors import Vector3
from percuss.encounter.closures import Bounce
from percuss.impact import Contact, Jump, bounce, pin, surface_of, weld
from percuss.impact.surfaces import Surface
from percuss.kinematics.frames import frame_pose, planar_angle
from percuss.kinematics.manifold import integrate
from percuss.model.errors import ModelError
from percuss.model.systems import Joint
from percuss.percussion.planner.refusals import refuse_held_base, refuse_joint
from percuss.scenario import Scenario, ScenarioError

Array = NDArray[np.float64]
CLOSURES = ("pin", "weld", "bounce")


@dataclass(frozen=True)
class ImpactProblem:
    """A scenario that begins with its impact, and which parts of it may change."""

    scenario: Scenario
    free: tuple[str, ...] = ()
    length: float = math.inf

    def __post_init__(self) -> None:
        scenario = self.scenario
        if scenario.impact.closure not in CLOSURES:
            raise ScenarioError(
                f"impact.closure: a plan is for {', '.join(CLOSURES)}, "
                f"got {scenario.impact.closure!r}"
            )
        if scenario.orbit is not None and scenario.orbit.velocities == "local":
            raise ScenarioError(
                "orbit.velocities: local velocities depend on where the target is, which a plan "
                "changes; give velocities: inertial. The orbit itself does nothing in the instant "
                "of an impact"
            )
        if scenario.contact is None:
            raise ScenarioError(
                "approach: a plan is for the impact itself; leave `approach` and target.position "
                "out, so that the target is placed where it meets the tool"
            )
        if not self.joints:
            raise ScenarioError(f"chaser.tool: no joint moves {self.contact.tool.name!r}")
        for joint in self.joints:
            refuse_joint(joint)
        if "approach" in self.free:
            refuse_held_base(self.contact.chaser.base_joint)
        if "contact" in self.free:
            try:
                _ = self.surface
            except ModelError as error:
                raise ScenarioError(f"target: its contact cannot be chosen: {error}") from None

    # --- what there is ------------------------------------------------------------------------

    @cached_property
    def contact(self) -> Contact:
        """The contact of the scenario as it is."""
        assert self.scenario.contact is not None
        return self.scenario.contact

    @cached_property
    def size(self) -> int:
        """How many entries positions have: 2 in the plane, 3 in space."""
        return 2 if self.contact.is_planar else 3

    @cached_property
    def turns(self) -> int:
        """How many entries angular velocities have: 1 in the plane, 3 in space."""
        return 1 if self.contact.is_planar else 3

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that carry the tool and may be planned, from the base outwards.

        A joint that follows stands for its leader; limits are those that its followers leave it.
        """
        chaser, movable = self.contact.chaser, self.contact.chaser.movable_joints
        names = {joint.name for joint in movable}
        path = list(chaser.ancestors(chaser.node(self.contact.tool.body)))[::-1]
        led = {joint.name: joint for joint in (chaser.leader(node.joint) for node in path)}
        return tuple(
            replace(joint, limits=chaser.node(joint.child).limits)
            for joint in led.values()
            if joint.name in names
        )

    @cached_property
    def felt_by(self) -> tuple[str, ...]:
        """The joints whose reactions count: all that move, those of other arms too."""
        return tuple(joint.name for joint in self.contact.chaser.moving_joints)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where the planned joints are among the chaser's coordinates."""
        chaser = self.contact.chaser
        return tuple(chaser.node(joint.child).coordinates.start for joint in self.joints)

    @cached_property
    def surface(self) -> Surface:
        """The surface of the target; a ModelError where it has no solid shape."""
        return surface_of(self.contact.target.base, self.contact.is_planar)

    @cached_property
    def parts(self) -> Mapping[str, slice]:
        """Where in a choice its parts stand."""
        sizes = {"joints": len(self.joints)}
        sizes["contact"] = self.size if "contact" in self.free else 0
        sizes["approach"] = self.turns if "approach" in self.free else 0
        return _slices(sizes)

    @cached_property
    def error_parts(self) -> Mapping[str, slice]:
        """Where among the errors their parts stand."""
        return _slices(
            {
                "joints": len(self.joints),
                "contact": self.size,
                "velocity": self.size,
                "spin": self.turns,
            }
        )

    @cached_property
    def initial(self) -> Array:
        """The choice that the scenario itself made."""
        grip = np.array(self.contact.grip.placement.position.array(), float)[: self.size]
        joints = np.asarray(self.contact.chaser_coordinates, float)[list(self.places)]
        parts = [joints]
        if "contact" in self.free:
            parts.append(grip)
        if "approach" in self.free:
            parts.append(np.zeros(self.turns))
        return np.concatenate(parts)

    @cached_property
    def no_errors(self) -> Array:
        return np.zeros(max(part.stop for part in self.error_parts.values()))

    # --- the impact ---------------------------------------------------------------------------

    def coordinates(self, x: Any, offsets: Any = None) -> Any:
        """The chaser's coordinates of a choice, the joints off by `offsets`."""
        chaser = self.contact.chaser
        values: list[Scalar] = [float(a) for a in self.contact.chaser_coordinates]
        for k, place in enumerate(self.places):
            values[place] = x[k] if offsets is None else add(x[k], offsets[k])
        if "approach" not in self.free:
            return pack(values)
        turn = x[self.parts["approach"]]
        rates: list[Scalar] = [0.0] * chaser.rate_count
        last = chaser.node(chaser.base.name).rates.stop
        for k in range(self.turns):
            rates[last - self.turns + k] = turn[k]
        return integrate(chaser, pack(values), rates)

    def touched(self, x: Any) -> Vector3:
        """The contact point in the target's frame (m)."""
        if "contact" not in self.free:
            return self.contact.grip.placement.position
        given = x[self.parts["contact"]]
        entries = [*(given[k] for k in range(self.size)), 0.0]
        return self.surface.nearest(Vector3(*entries[:3]))

    def meeting(self, x: Any, e: Any = None) -> Contact:
        """Chaser and target as they touch, for a choice and errors; any scalar."""
        known = self.contact
        errors = self.no_errors.tolist() if e is None else e
        off = {name: errors[part] for name, part in self.error_parts.items()}
        planned = self.coordinates(x)
        q = self.coordinates(x, off["joints"])
        point = self.touched(x)
        pose = self._attitude(planned, point)
        point = _displaced(point, off["contact"])
        place = frame_pose(known.chaser, q, known.tool).position - pose.rotation @ point
        turned = pack([*list(place)[: self.size], *self._turned(planned, x)])
        rates: list[Scalar] = [float(a) for a in known.target_rates]
        for k in range(self.size):
            rates[k] = add(rates[k], off["velocity"][k])
        for k in range(self.turns):
            at = self.size + k
            rates[at] = add(rates[at], off["spin"][k])
        grip = replace(known.grip, placement=Pose(known.grip.placement.rotation, point))
        own = np.asarray(known.chaser_rates, float)
        return Contact(
            chaser=known.chaser,
            target=known.target,
            tool=known.tool,
            grip=grip,
            chaser_coordinates=q,
            chaser_rates=own,
            target_coordinates=turned,
            target_rates=pack(rates),
        )

    def normal(self, x: Any) -> Any:
        """The normal of a bounce, from chaser to target in world axes.

        None stands for that towards the target's centre of mass.

        A point that was chosen on a surface is struck along the surface's normal there.
        """
        if "contact" not in self.free:
            closure = self.scenario.encounter.closure
            return closure.normal if isinstance(closure, Bounce) else None
        point = self.touched(x)
        turn = self._attitude(self.coordinates(x), point).rotation
        return (-(turn @ self.surface.normal(point))).array()

    def jump(self, contact: Contact, x: Any) -> Jump:
        """What the scenario's closure makes of a contact."""
        closure = self.scenario.encounter.closure
        if isinstance(closure, Bounce):
            return bounce(contact, closure.restitution, closure.friction, self.normal(x))
        return pin(contact) if closure.name == "pin" else weld(contact)

    # --- where the target is ------------------------------------------------------------------

    def _turned(self, q: Coordinates, x: Any) -> list[Scalar]:
        """The target's attitude among its coordinates."""
        if self.size == 3:
            return [float(a) for a in self.contact.target_coordinates[3:]]
        return [self._angle(q, self.touched(x))]

    def _angle(self, q: Coordinates, point: Vector3) -> Scalar:
        given = self.scenario.target and self.scenario.target.angle
        if given is not None:
            return float(given)
        # The scenario's own rule where no angle is given: against the tool's link.
        link = planar_angle(self.contact.chaser, q, self.contact.tool.body)
        return plain(terms(link) + math.pi - atan2(point.y, point.x))

    def _attitude(self, q: Coordinates, point: Vector3) -> Pose:
        if self.size == 2:
            return Pose.planar(0.0, 0.0, self._angle(q, point))
        turn = frame_pose(
            self.contact.target, self.contact.target_coordinates, self.contact.grip.body
        )
        return Pose(turn.rotation)


def _slices(sizes: Mapping[str, int]) -> dict[str, slice]:
    found, start = {}, 0
    for name, size in sizes.items():
        found[name] = slice(start, start + size)
        start += size
    return found


def _displaced(point: Vector3, offset: Any) -> Vector3:
    entries = list(point)
    for k in range(len(offset)):
        entries[k] = add(entries[k], offset[k])
    return Vector3(*entries)
