"""Records of how the tool came to the target."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import Vector


class ContactBy(StrEnum):
    """What of the target the tool has to come to for a contact."""

    POINT = "point"
    """The tool has to come within the capture radius of the contact point."""
    SURFACE = "surface"
    """The tool has to touch the target's surface."""


@dataclass(frozen=True)
class ClosestApproach:
    """Where the tool was closest to the contact point, or to the surface if that is touched."""

    distance: float
    """The smallest distance, m."""
    time: float
    """The time of the run at which it was reached, s."""


@dataclass(frozen=True)
class MeetingRecord:
    """The plan of a meeting of tool and target."""

    at: float
    """The planned time of the meeting, s of the run."""
    closing_speed: float
    """The planned speed of the tool towards the target at the meeting, m/s."""
    sentences: tuple[str, ...]
    """What the planner found out, in words."""


@dataclass(frozen=True)
class PlannedAndFound:
    """A quantity of a contact as it was planned and as it came about, both in SI."""

    planned: float
    found: float


@dataclass(frozen=True)
class ArrivalRecord:
    """The first contact of an approach beside its plan."""

    as_planned: bool
    """Whether the contact differs in nothing that counts."""
    differences: tuple[str, ...]
    """In what the contact differs from its plan, in words such as "faster" or "elsewhere"."""
    time: PlannedAndFound
    """The time of the contact, s of the run."""
    closing_speed: PlannedAndFound
    """The speed of the tool along the approach direction, m/s."""
    sideways_speed: PlannedAndFound
    """The speed of the tool across the approach direction, m/s."""
    offset: PlannedAndFound
    """The distance from the planned contact point to the point that is touched, m."""


@dataclass(frozen=True)
class ApproachRecord:
    """The way of the tool to the target, and whether and how it touched."""

    touched: bool
    time: float | None
    """The time of the first contact, s of the run; None where there was none."""
    by: ContactBy
    distance: float
    """The distance from the tool to the contact point at the contact, or at the end, m."""
    relative_speed: float
    """The speed of the contact point seen from the tool at the contact, or where they were
    closest, m/s."""
    relative_velocity: Vector
    """The velocity that belongs to `relative_speed`, m/s, world axes."""
    closest: ClosestApproach
    capture_radius: float | None
    """The distance from the contact point that counts as a contact, m; None for a surface."""
    control: ControlRecord | None
    """The control of the chaser until the contact; None where the scenario names none."""
    timeout: float
    """The approach is given up at this time, s of the run."""
    meet: MeetingRecord | None
    """The plan of the meeting; None without one."""
    arrival: ArrivalRecord | None
    """The contact beside its plan; None without a plan or without a contact."""

    @property
    def beyond_radius(self) -> float | None:
        """How far the tool stayed outside the capture radius, m; None where none counts."""
        if self.by != ContactBy.POINT or self.capture_radius is None:
            return None
        return self.closest.distance - self.capture_radius
