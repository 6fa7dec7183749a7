"""What an encounter asks of the motion of a phase: one seam for motions of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from percuss.algebra.arrays import Accelerations, Commands, Coordinates, Rates
from percuss.algebra.motions import Force, Motion
from percuss.control.plant import Plant
from percuss.model.systems import Frame, System


class Passenger(Protocol):
    """A system that is not in the tree of a phase and rides along: its state follows."""

    @property
    def system(self) -> System:
        """The bodies, as a system of their own."""
        ...

    def state(self, q: Coordinates, v: Rates) -> tuple[Any, Any]:
        """The passenger's coordinates and rates at those of the tree, any scalar."""
        ...

    def center_velocity(self, q: Coordinates, v: Rates) -> Motion:
        """The velocity of the centre of mass of the base body, world axes (m/s, rad/s)."""
        ...

    def pull(self, q: Coordinates, v: Rates, a: Accelerations) -> tuple[Frame, Force]:
        """The load on the tree at accelerations a, at a frame's origin, world axes (N, N m)."""
        ...


class Mechanics(Plant, Protocol):
    """A plant that moves the bodies of a phase.

    The state is that of one tree. `percuss.control.TreePlant` has all bodies in it, and moves
    them as mechanics says; another motion may have passengers, and laws of its own.
    """

    @property
    def passengers(self) -> Sequence[Passenger]:
        """What moves and is not in the tree."""
        ...

    @property
    def conserves(self) -> bool:
        """Whether energy and momentum stay but for what acts from outside."""
        ...

    def accelerations(
        self, q: Coordinates, v: Rates, u: Commands, loads: Sequence[tuple[Frame, Force]] = ()
    ) -> Any:
        """v̇ under the commands u (N, N m), with loads at the origins of frames, world axes."""
        ...

    def with_systems(self, change: Callable[[System], System]) -> Mechanics:
        """The same motion with each of its systems changed, coordinates and rates staying."""
        ...
