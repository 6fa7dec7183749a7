"""How chaser and target meet: each closure a class of numbers, and of what happens from there."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from percuss.algebra.scalars import is_constant
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase_machine import (
    Cases,
    Closure,
    Give,
    Hold,
    PhaseMachine,
    Rebound,
    Thrust,
    at_cases,
)
from percuss.encounter.requirements import require, require_count, require_kind
from percuss.impact import Contact, Jump, pin, weld
from percuss.impact.contact_laws import CONTACT_LAWS, USUAL_LAW
from percuss.model.checks import (
    is_finite,
    is_not_negative,
    is_positive,
    known,
    values,
)

SLIP_SPEED = 1e-3
"""Slip speed (m/s) around which friction builds up unless another is given: a millimetre a second
moves nothing that holds."""
STUCK = 1e-3
"""Share of the speed below which a grasp closes: points that come, or part, more slowly than that
along the normal stay together, and bounces pile up."""


@dataclass(frozen=True)
class Pin(Hold):
    """The contact points stay together; the target turns freely about them.

    A pin joint in the plane, a ball joint in space.
    """

    name: ClassVar[str] = "pin"

    def jump(self, contact: Contact) -> Jump:
        return pin(contact)

    def joint_kind(self, planar: bool) -> str:
        return "pin" if planar else "spherical"


@dataclass(frozen=True)
class Weld(Hold):
    """A rigid grasp: from now on the target moves with the tool."""

    name: ClassVar[str] = "weld"

    def jump(self, contact: Contact) -> Jump:
        return weld(contact)

    def joint_kind(self, planar: bool) -> str:
        del planar
        return "fixed"


WELD = Weld()


@dataclass(frozen=True)
class Repeat:
    """Bounces again and again until the points meet slowly, then the grasp closes.

    Attributes:
        below: relative speed (m/s) below which it closes.
        then: how it closes.
        most: bounces at most.
    """

    below: float
    then: Hold = WELD
    most: int = 20

    def __post_init__(self) -> None:
        _require("repeat.below", self.below, is_positive, "a speed in m/s > 0")
        require_kind(("impact", "repeat", "then"), self.then, Hold, "a percuss.Pin or percuss.Weld")
        require_count(("impact", "repeat", "most"), self.most, 1)


@dataclass(frozen=True)
class Bounce(Closure):
    """The points part again.

    Attributes:
        restitution: energetic coefficient, 0 to 1; Newton's where there is no friction.
        friction: Coulomb's coefficient.
        normal: from chaser to target, world axes, any length; None: that of the shape that is
            touched, or from the contact point to the target's centre of mass.
        repeat: until slow, then close; None: once.
    """

    name: ClassVar[str] = "bounce"

    restitution: float
    friction: float = 0.0
    normal: Any = None
    repeat: Repeat | None = None

    def __post_init__(self) -> None:
        _require("restitution", self.restitution, _is_share, "a number from 0 to 1")
        _require("friction", self.friction, is_not_negative, "a number ≥ 0")
        _keep_vector(self, "normal")
        if self.repeat is not None:
            require_kind(("impact", "repeat"), self.repeat, Repeat, "a percuss.Repeat")

    @property
    def rebound(self) -> Rebound:
        """How the points rebound."""
        return Rebound(self.restitution, self.friction, self.normal)

    def happen(self, phases: PhaseMachine[Any], some: Cases) -> None:
        """Once, or until the points meet slowly enough for the grasp to close."""
        caught, rebound = [some[:0]], self.rebound
        for contact_surface, group in phases.contact_surfaces(some, self.normal):
            if self.repeat is None:
                phases.bounce(group, contact_surface, rebound)
                phases.bounced(group, np.ones(len(group), bool))
                phases.part(group)
            else:
                caught += _until_slow(phases, group, contact_surface, rebound, repeat=self.repeat)
        if self.repeat is not None:
            phases.grasp(np.sort(np.concatenate(caught)), self.repeat.then)


@dataclass(frozen=True)
class Compliant(Closure):
    """A surface, or a spring between the points, that gives way.

    Attributes:
        stiffness: in the law's unit: N/m (linear, bilateral), N/m^1.5 (hunt-crossley).
        damping: in the law's unit: N s/m, N s/m^2.5; or `restitution`, from which it follows at
            the first touch.
        law: a name in `percuss.impact.CONTACT_LAWS`: "hunt-crossley" or "linear", for example,
            which only push, or "bilateral", a linear spring between the contact points that also
            pulls.
        friction: Coulomb's coefficient, built up around `slip_speed` (m/s).
        normal: as for `Bounce`.
    """

    name: ClassVar[str] = "compliant"
    takes_time: ClassVar[bool] = True

    stiffness: float
    damping: float | None = None
    restitution: float | None = None
    law: str = USUAL_LAW
    friction: float = 0.0
    slip_speed: float = SLIP_SPEED
    normal: Any = None

    def __post_init__(self) -> None:
        _require("stiffness", self.stiffness, is_positive, "a stiffness > 0")
        _require("friction", self.friction, is_not_negative, "a number ≥ 0")
        _require("slip-speed", self.slip_speed, is_positive, "a speed in m/s > 0")
        if (self.damping is None) == (self.restitution is None):
            got = "got both" if self.damping is not None else "got neither"
            raise EncounterError(
                ("impact",), f"closure compliant needs damping or restitution, {got}"
            )
        _keep_vector(self, "normal")
        if self.law not in CONTACT_LAWS:
            known = ", ".join(CONTACT_LAWS)
            raise EncounterError(
                ("impact", "law"), f"must be one of {known}, got {shown(self.law)}"
            )
        if self.pulls:
            self._refuse_surface()
        if self.damping is not None:
            _require("damping", self.damping, is_not_negative, "a damping ≥ 0")
        if self.restitution is not None:
            _require("restitution", self.restitution, _is_share, "a number from 0 to 1")

    def _refuse_surface(self) -> None:
        """What belongs to a surface does not go with a spring between two points."""
        given = {
            "restitution": self.restitution,
            "friction": None if is_constant(self.friction) and not self.friction else self.friction,
            "normal": self.normal,
        }
        for key, value in given.items():
            if value is not None:
                message = f"does not go with law {self.law}, got {shown(value)}"
                raise EncounterError(("impact", key), message)

    @property
    def give(self) -> Give:
        """How the contact gives way: its law and its numbers."""
        return Give(
            law=self.law,
            stiffness=self.stiffness,
            damping=self.damping,
            restitution=self.restitution,
            friction=self.friction,
            slip_speed=self.slip_speed,
        )

    @property
    def pulls(self) -> bool:
        """Whether it is a spring between the points, which holds them together."""
        # What is not the name of a law is refused where the contact begins.
        law = CONTACT_LAWS.get(self.law)
        return law is not None and not law.only_pushes

    def __fingerprint__(self) -> Any:
        """The contact's values and its law itself: under one name another may be entered."""
        return self.give, self.normal

    def happen(self, phases: PhaseMachine[Any], some: Cases) -> None:
        """The contact pushes for a while, perhaps again and again; a spring holds on."""
        if self.pulls:
            phases.give_way(some, None, self.give)
            return
        for contact_surface, group in phases.contact_surfaces(some, self.normal):
            phases.give_way(group, contact_surface, self.give)


@dataclass(frozen=True)
class Pulse(Closure):
    """A given force (N) on the chaser at the tool for a time `lasting` (s); no target is needed.

    In world axes, or `in_link`: in those of the tool's link.
    """

    name: ClassVar[str] = "pulse"
    takes_time: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False

    force: Sequence[float]
    lasting: float
    in_link: bool = False

    def __post_init__(self) -> None:
        _require("duration", self.lasting, is_positive, "a time in s > 0")
        _keep_vector(self, "force")

    @property
    def thrust(self) -> Thrust:
        """The force and its time."""
        return Thrust(tuple(self.force), self.lasting, self.in_link)

    def happen(self, phases: PhaseMachine[Any], some: Cases) -> None:
        """The force acts; then the chaser goes on."""
        phases.push(some, self.thrust)


def _until_slow(
    phases: PhaseMachine[Any],
    some: Cases,
    contact_surface: Any,
    rebound: Rebound,
    *,
    repeat: Repeat,
) -> list[Cases]:
    """Bounce after bounce; the cases in which the grasp closes in the end."""
    caught: list[Cases] = []
    while len(some):
        speeds = phases.bounce(some, contact_surface, rebound)
        below = at_cases(repeat.below, some)
        slow = speeds.speed < below
        full = ~slow & (phases.impacts(some) >= repeat.most)
        # Points that creep towards each other after a bounce have come to stay.
        late = (phases.impacts(some) > 0) & (speeds.closing < STUCK * below)
        late = late & ~slow & ~full
        caught.append(some[slow])
        phases.end(some[full], Outcome.UNFINISHED)
        phases.end(some[late], Outcome.ACCUMULATED)
        goes = ~(slow | full | late)
        some, speeds = some[goes], speeds.of(goes)
        phases.bounced(some, goes)
        below = at_cases(repeat.below, some)
        stays = speeds.parting > -(STUCK**2) * below
        slow = stays & (speeds.parting_speed < below)
        caught.append(some[slow])
        # Nothing of the bounce is left: they slide on each other from here on.
        phases.rest(some[stays & ~slow])
        phases.end(some[stays & ~slow], Outcome.ACCUMULATED)
        some = phases.fly(some[~stays], contact_surface)
    return caught


def _keep_vector(closure: Closure, name: str) -> None:
    """Keep a vector of a closure, two or three numbers, as a tuple; None stays."""
    value = getattr(closure, name)
    if value is None:
        return
    if not isinstance(value, Sized) or len(value) not in (2, 3):
        message = f"must be two or three numbers, got {shown(value)}"
        raise EncounterError(("impact", name), message)
    entries = tuple(value)  # type: ignore[arg-type]
    for entry in entries:
        _require(name, entry, is_finite, "made of finite numbers")
    if name == "normal" and all(known(x) and not np.any(values(x)) for x in entries):
        raise EncounterError(("impact", name), f"must not be zero, got {shown(value)}")
    object.__setattr__(closure, name, entries)


def _is_share(x: Any) -> Any:
    """From 0 to 1."""
    return (x >= 0) & (x <= 1)


def _require(key: str, value: Any, allowed: Any, what: str) -> None:
    """EncounterError unless a number that is known is allowed; `what` says which are."""
    require(("impact", *key.split(".")), value, allowed, what)
