"""Arms made from what is published of them: length, mass and the order of the joints.

Each link is a slender tube along the straight arm (z). Half of the arm's mass is spread over
the tubes by length, half sits in the joints, alike in each: on the SSRMS and the SRMS, whose
links are published, the booms weigh 39 and 54 per cent of the arm.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body
from percuss.model.joints import Revolute
from percuss.model.library.chains import Chain, strut
from percuss.model.library.entry import Assumption
from percuss.model.systems import Frame, Joint, Limits

_IN_JOINTS = 0.5
"""Share of an arm's mass that sits in its joints."""
_PLAUSIBLE = (0.3, 0.7)
"""Range of that share."""
_SLENDERNESS = 40.0
"""Length of an arm over the diameter of its tubes, as of the SRMS (15.2 m, 0.38 m)."""
_AXES = {"x": Vector3(1.0, 0.0, 0.0), "y": Vector3(0.0, 1.0, 0.0), "z": Vector3(0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Segment:
    """A joint about an axis ("x", "y" or "z", along the straight arm) and its link's length (m)."""

    joint: str
    axis: str
    length: float
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class SlenderArm:
    """A generated arm: its segments from the base outwards and its mass (kg)."""

    segments: tuple[Segment, ...]
    mass: float
    prefix: str = ""

    @property
    def length(self) -> float:
        """How long the straight arm is (m)."""
        return sum(segment.length for segment in self.segments)

    @property
    def radius(self) -> float:
        """The radius of the arm's tubes (m)."""
        return self.length / (2.0 * _SLENDERNESS)

    def masses(self, in_joints: float = _IN_JOINTS) -> list[tuple[float, float]]:
        """The masses of each link's joint and tube (kg)."""
        joint = self.mass * in_joints / len(self.segments)
        tubes = self.mass * (1.0 - in_joints)
        return [(joint, tubes * segment.length / self.length) for segment in self.segments]

    def scaled(self, length: float) -> SlenderArm:
        """This arm with the same proportions at another length (m)."""
        ratio = length / self.length
        segments = [replaced(part, length=ratio * part.length) for part in self.segments]
        return replaced(self, segments=tuple(segments))


def slender_arm(arm: SlenderArm, parent: str, mount: Pose) -> Chain:
    """Bodies and joints of a generated arm; `mount` is its first joint in the parent's frame."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    placement = mount
    for number, (segment, masses) in enumerate(zip(arm.segments, arm.masses(), strict=True), 1):
        body = _link(f"{arm.prefix}link{number}", segment.length, *masses, radius=arm.radius)
        motion = Revolute(_AXES[segment.axis])
        name = arm.prefix + segment.joint
        joints.append(
            Joint(
                name=name,
                motion=motion,
                parent=parent,
                child=body.name,
                placement=placement,
                limits=segment.limits,
            )
        )
        bodies.append(body)
        parent, placement = body.name, Pose.at((0.0, 0.0, segment.length))
    return Chain(tuple(bodies), tuple(joints), Frame(f"{arm.prefix}tool", parent, placement))


def share_assumptions(arm: SlenderArm) -> tuple[Assumption, ...]:
    """Mass and centre of mass of every link: between less and more of the mass in the joints."""
    reason = "made from the arm's mass: half of it in the joints, plausibly 30 to 70 per cent"
    rows = zip(
        arm.segments, arm.masses(), *(arm.masses(share) for share in _PLAUSIBLE), strict=True
    )
    found: list[Assumption] = []
    for number, (segment, *choices) in enumerate(rows, 1):
        name = f"{arm.prefix}link{number}"
        weights = [sum(masses) for masses in choices]
        centres = [_centre(segment.length, *masses) for masses in choices]
        for key, values in (("mass", weights), ("com.z", centres)):
            found.append(
                Assumption(
                    parameter=f"{name}.{key}",
                    value=values[0],
                    low=min(values[1:]),
                    high=max(values[1:]),
                    reason=reason,
                )
            )
    return tuple(found)


def tip_limits(segments: Sequence[Segment], speed: float, force: float) -> tuple[Segment, ...]:
    """Segments whose limits follow from what the tip of the straight arm can do.

    A joint that is r from the tip moves it at `speed` (m/s) when it turns at speed / r, and
    pushes with `force` (N) when its torque is force · r. Ranges are half a turn each way.
    """
    lengths = [segment.length for segment in segments]
    reaches = list(itertools.accumulate(reversed(lengths)))[::-1]
    half_turn = 3.141592653589793
    return tuple(
        replaced(segment, limits=Limits(-half_turn, half_turn, speed / reach, force * reach))
        for segment, reach in zip(segments, reaches, strict=True)
    )


def _centre(length: float, joint: float, tube: float) -> float:
    """Centre of mass of a link along z (m): the joint at its begin, the tube midway."""
    return 0.5 * length * tube / (joint + tube)


def _link(name: str, length: float, joint: float, tube: float, *, radius: float) -> Body:
    """A thin tube along z with its joint, a cylinder as long as it is wide, at the origin."""
    com = _centre(length, joint, tube)
    across = joint * (radius**2 / 4.0 + (2.0 * radius) ** 2 / 12.0 + com**2)
    across += tube * (radius**2 / 2.0 + length**2 / 12.0 + (length / 2.0 - com) ** 2)
    axial = joint * radius**2 / 2.0 + tube * radius**2
    inertia = Symmetric3(across, across, axial)
    return Body(
        name, joint + tube, (0.0, 0.0, com), inertia, visuals=(strut((0.0, 0.0, length), radius),)
    )
