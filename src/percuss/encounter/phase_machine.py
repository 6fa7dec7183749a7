"""The phase machine: what happens in an encounter, written once for one case and for many.

Cases are told by their indices; a decision chooses some of them. What is done with the chosen, a
motion, an impact, is for those who carry it out: one case with every step recorded, or many with
what is asked of each. So a single run and an ensemble take the same way through an encounter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from percuss.encounter.assembly import Assembly, assembly_held
from percuss.encounter.outcome import Outcome
from percuss.impact import Contact, Jump
from percuss.impact.compliance import Compliance
from percuss.model.attach import Attachment

Cases = np.ndarray
"""Indices of some cases, (n,)."""

SurfaceT = TypeVar("SurfaceT")
"""What the tools of some cases face: the target's shape, or a plane fixed to it."""


def at_cases(value: Any, some: Cases) -> Any:
    """A number of a closure for some cases: the same for all, or one of each (cases,)."""
    return value[some] if np.ndim(value) else value


class Closure(ABC):
    """What the contact enforces: numbers, and the way that an encounter takes from the contact on.

    Attributes:
        name: as in scenario files.
        takes_time: whether forces act over time; else velocities jump.
        captures: whether the target is held at once.
        needs_target: whether there is something to meet.
    """

    name: ClassVar[str]
    takes_time: ClassVar[bool] = False
    captures: ClassVar[bool] = False
    needs_target: ClassVar[bool] = True

    @abstractmethod
    def happen(self, phases: PhaseMachine[Any], some: Cases) -> None:
        """What happens from the contact of some cases to the end."""


class Grasp(Closure):
    """A closure that holds the target from now on."""

    captures: ClassVar[bool] = True

    @abstractmethod
    def jump(self, contact: Contact) -> Jump:
        """The velocities just after it closes."""

    @abstractmethod
    def assembly_after(self, contact: Contact, jump: Jump) -> Assembly:
        """The bodies that move together afterwards."""

    def happen(self, phases: PhaseMachine[Any], some: Cases) -> None:
        """The grasp closes, and that is that."""
        phases.grasp(some, self)


class Hold(Grasp):
    """A grasp that joins chaser and target to one tree of bodies."""

    @abstractmethod
    def joint_kind(self, planar: bool) -> str:
        """The joint between tool and target from now on, as `percuss.attach` knows it."""

    def attachment(self, contact: Contact) -> Attachment:
        """The tree in which the target hangs from the tool."""
        return contact.attached(self.joint_kind(contact.is_planar))

    def assembly_after(self, contact: Contact, jump: Jump) -> Assembly:
        return assembly_held(contact, jump, self.name, self.attachment(contact))


@dataclass(frozen=True)
class Rebound:
    """How points rebound: `restitution`, energetic, 0 to 1, and Coulomb's `friction`.

    `normal` from chaser to target in world axes; None for that of what is touched.
    """

    restitution: float
    friction: float = 0.0
    normal: Any = None


@dataclass(frozen=True)
class Give:
    """How a surface, or a spring between the points, gives way.

    Attributes:
        law: force against indentation.
        stiffness: in the unit of the law.
        damping: in the unit of the law; None: it follows from `restitution` at the first touch.
        restitution: 0 to 1; None where the damping is given.
        friction: Coulomb's coefficient, built up around `slip_speed` (m/s).
    """

    law: str
    stiffness: float
    damping: float | None
    restitution: float | None
    friction: float
    slip_speed: float

    def compliance(self, damping: Any) -> Compliance:
        """The contact, with a damping that is given or was found."""
        return Compliance(
            law=self.law,
            stiffness=self.stiffness,
            damping=damping,
            friction=self.friction,
            slip_speed=self.slip_speed,
        )

    def __fingerprint__(self) -> Any:
        """All of it: that of the contact knows the law itself, not only its name."""
        return self.damping, self.restitution, self.compliance(0.0)


@dataclass(frozen=True)
class Thrust:
    """A given force (N) at the tool for a time `lasting` (s), in world axes or `in_link`."""

    force: tuple[float, ...]
    lasting: float
    in_link: bool = False


@dataclass(frozen=True)
class Speeds:
    """Speeds of contact points relative to each other (m/s), each (cases,), about a bounce.

    `closing` and `parting` are their parts along the normal, positive where the points come
    together.
    """

    speed: np.ndarray
    closing: np.ndarray
    parting_speed: np.ndarray
    parting: np.ndarray

    def of(self, mask: np.ndarray) -> Speeds:
        """Some of the cases."""
        return Speeds(
            self.speed[mask], self.closing[mask], self.parting_speed[mask], self.parting[mask]
        )


class PhaseMachine(ABC, Generic[SurfaceT]):
    """Carries out what happens in an encounter, for some cases at a time.

    Each case is in a state that the last phase left; every method that takes cases moves them on
    from there, and may be called with none.
    """

    @abstractmethod
    def start(self) -> Cases:
        """All cases, as they begin."""

    @abstractmethod
    def approach(self, some: Cases) -> Cases:
        """Move the cases until their tools touch, and return those in which they do.

        The others have ended.
        """

    @abstractmethod
    def grasp(self, some: Cases, closure: Grasp) -> None:
        """The grasp closes; the motion after it, to the end."""

    @abstractmethod
    def contact_surfaces(self, some: Cases, normal: Any) -> Iterator[tuple[SurfaceT, Cases]]:
        """What the tools face at their first contact, and which of the cases do.

        `normal` from chaser to target in world axes, None for that of what is touched.
        """

    @abstractmethod
    def bounce(self, some: Cases, contact_surface: SurfaceT, rebound: Rebound) -> Speeds:
        """What a bounce now would be; it has not happened yet."""

    @abstractmethod
    def bounced(self, some: Cases, chosen: np.ndarray) -> None:
        """The bounce that was just asked for happens to `some`, the `chosen` of those asked for."""

    @abstractmethod
    def impacts(self, some: Cases) -> np.ndarray:
        """How many impacts there have been."""

    @abstractmethod
    def fly(self, some: Cases, contact_surface: SurfaceT) -> Cases:
        """Apart until the tools meet the surface again; those in which they do."""

    @abstractmethod
    def rest(self, some: Cases) -> None:
        """The points stay together after a bounce that leaves nothing: no time passes."""

    @abstractmethod
    def part(self, some: Cases) -> None:
        """Apart to the end, whatever they meet."""

    @abstractmethod
    def give_way(self, some: Cases, contact_surface: SurfaceT | None, give: Give) -> None:
        """A surface, or between the points a spring, pushes for a while, perhaps again and again,
        to the end."""

    @abstractmethod
    def push(self, some: Cases, thrust: Thrust) -> None:
        """A given force acts on the chasers, then nothing, to the end."""

    @abstractmethod
    def end(self, some: Cases, outcome: Outcome) -> None:
        """Some cases end where they are."""


def run_phases(phases: PhaseMachine[Any], closure: Closure, *, approaches: bool) -> None:
    """Carry out an encounter from its start to its end."""
    some = phases.start()
    if approaches:
        some = phases.approach(some)
    closure.happen(phases, some)
