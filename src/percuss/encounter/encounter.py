"""An encounter: everything that is needed to carry it out, as plain data of the physics."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, is_constant, is_traced, pack, to_scalar
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.approach import Approach, Law
from percuss.encounter.encounter_checks import check_encounter, check_kinds, check_point
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.laws.tracking import NO_CONTROL
from percuss.encounter.method import Integration
from percuss.encounter.phase_machine import Closure
from percuss.encounter.start import Start
from percuss.impact import Contact
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.model.checks import shown as in_words
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

AUTOMATIC = Integration(automatic=True)
"""The method that fits the motion, to a relative tolerance of 1e-10."""

_STATE = ("chaser_coordinates", "chaser_rates", "target_coordinates", "target_rates")
_TITLES = ("name", "samples")
"""Fields on which no motion depends."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Encounter:
    """A chaser, a target, how they meet, and what follows.

    Attributes:
        chaser: the robot.
        target: a free body, or several on joints, of which the tool meets the one that carries the
            others; only a `Pulse` does without.
        tool: the chaser's frame that touches; a frame, its name, or by default "tool".
        grip: the target's contact point: a frame of the target, its name, or a point in the frame
            of its base body (m).
        chaser_coordinates, chaser_rates: at the start, those of the chaser's system; by default
            its neutral configuration, at rest.
        target_coordinates, target_rates: at the start, those of the target's system. Without an
            approach the default coordinates put the grip at the tool; rates are zero by default.
        closure: what the contact enforces.
        duration: of the motion after the contact (s).
        control: the law after the contact.
        approach: the motion before the contact; None: they touch at the start.
        orbit: in which they are; None: far from any planet. Gravity is the chaser's.
        integration: how motions are integrated.
        samples: equally spaced times after the contact that are kept.
        name: a title.
    """

    chaser: System
    closure: Closure
    duration: float
    target: System | None = None
    tool: Frame = "tool"  # type: ignore[assignment]
    grip: Frame | None = None
    chaser_coordinates: Any = None
    chaser_rates: Any = None
    target_coordinates: Any = None
    target_rates: Any = None
    control: Law = NO_CONTROL
    approach: Approach | None = None
    orbit: CircularOrbit | None = None
    integration: Integration = AUTOMATIC
    samples: int = 501
    name: str = "unnamed"

    def __post_init__(self) -> None:
        check_kinds(self)
        self._fill("tool", self._named(("chaser", "tool"), self.chaser, self.tool))
        if self.chaser_coordinates is None:
            self._fill("chaser_coordinates", [float(x) for x in neutral(self.chaser)])
        if self.chaser_rates is None:
            self._fill("chaser_rates", np.zeros(self.chaser.rate_count))
        if self.target is not None:
            self._fill_target(self.target)
        for name in _STATE:
            self._fill(name, _own_numbers(getattr(self, name)))
        check_encounter(self)
        _ = self.contact

    def _fill_target(self, target: System) -> None:
        if self.grip is None:
            message = "is missing: where on the target the tool holds it, a frame or a point (m)"
            raise EncounterError(("target", "contact"), message)
        grip = self.grip
        if not isinstance(grip, (Frame, str)):
            check_point(("target", "contact"), grip)
            grip = Frame("grip", target.base.name, Pose.at(grip))
        self._fill("grip", self._named(("target", "contact"), target, grip))
        if self.target_rates is None:
            self._fill("target_rates", np.zeros(target.rate_count))
        if self.target_coordinates is None:
            self._fill("target_coordinates", self._placed(target))

    def _placed(self, target: System) -> Any:
        """Coordinates that put the grip of a target that is not turned at the tool."""
        if self.approach is not None:
            message = "is missing: approach needs the target's coordinates at the start"
            raise EncounterError(("target", "position"), message)
        assert self.grip is not None
        q: list[Scalar] = [float(x) for x in neutral(target)]
        tool = frame_pose(self.chaser, self.chaser_coordinates, self.tool).position
        away = tool - frame_pose(target, q, self.grip).position
        # Coordinates are along the axes of the joint.
        away = target.base_joint.placement.rotation.inverse() @ away
        count = 2 if target.is_planar else 3
        q[:count] = [add(a, to_scalar(b)) for a, b in zip(q[:count], list(away), strict=False)]
        return pack(q)

    def _named(self, path: Path, system: System, frame: Any) -> Frame:
        try:
            return system.frame(frame)
        except ModelError as error:
            raise EncounterError(path, str(error)) from None

    def _fill(self, name: str, value: Any) -> None:
        """Put a default, or another form of the same, in its place while this is being made."""
        object.__setattr__(self, name, value)

    # --- what it is ---------------------------------------------------------------------------

    @cached_property
    def start(self) -> Start:
        """Chaser and target when it begins."""
        return Start(
            chaser=self.chaser,
            tool=self.tool,
            chaser_coordinates=self.chaser_coordinates,
            chaser_rates=self.chaser_rates,
            target=self.target,
            grip=self.grip,
            target_coordinates=self.target_coordinates,
            target_rates=self.target_rates,
            orbit=self.orbit,
        )

    @cached_property
    def contact(self) -> Contact | None:
        """Chaser and target as they touch at the start; None where they do not."""
        if self.target is None or self.grip is None or self.approach is not None:
            return None
        try:
            return Contact(
                chaser=self.chaser,
                target=self.target,
                tool=self.tool,
                grip=self.grip,
                chaser_coordinates=self.chaser_coordinates,
                chaser_rates=self.chaser_rates,
                target_coordinates=self.target_coordinates,
                target_rates=self.target_rates,
            )
        except ModelError as error:
            raise EncounterError(("target", "contact"), str(error)) from None

    @property
    def is_planar(self) -> bool:
        """Whether everything moves in the x-y plane."""
        return self.chaser.is_planar and (self.target is None or self.target.is_planar)

    @property
    def touched(self) -> Start:
        """The bodies that take part: those of the start, for a `Pulse` the chaser alone."""
        if self.closure.needs_target:
            return self.start
        return replace(self.start, target=None, grip=None)

    def __fingerprint__(self) -> Any:
        """What its motions follow from: everything but titles."""
        return [getattr(self, field.name) for field in fields(self) if field.name not in _TITLES]

    def __eq__(self, other: object) -> bool:
        """Whether two encounters are of the same numbers; `name` and `samples` do not count."""
        if self is other or not isinstance(other, Encounter):
            return self is other
        own = kernel.fingerprint(self)
        return own is not None and own == kernel.fingerprint(other)

    def __hash__(self) -> int:
        lasting = to_scalar(self.duration)
        return hash((self.closure.name, lasting if is_constant(lasting) else None))

    def __repr__(self) -> str:
        kind = "planar" if self.is_planar else "spatial"
        lasting = in_words(to_scalar(self.duration))
        return f"<Encounter {shown(self.name)}: {kind}, {self.closure.name}, {lasting} s>"


def _own_numbers(values: Any) -> Any:
    """Numbers as an array of its own that cannot be written to; other scalars as they are."""
    if is_traced(values):
        return values
    if isinstance(values, (list, tuple)) and any(is_traced(x) for x in values):
        return pack(values)
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.ndim != 1:
        return values
    own = np.array(array, float)
    own.setflags(write=False)
    return own


class Described(Protocol):
    """Something that describes an encounter, such as a scenario."""

    def reworded(self, error: EncounterError) -> Exception:
        """The error in the words of who described the encounter."""
        ...

    def encounter_with(self, *, allow_code: bool) -> Encounter:
        """The encounter; an error where it would run code that is not allowed."""
        ...
