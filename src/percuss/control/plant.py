"""What a controller drives: a tree, of which the first rates are the chaser's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from percuss.algebra.arrays import Accelerations, Commands, Coordinates, Rates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.control.layout import Layout
from percuss.dynamics.forward import forward_dynamics
from percuss.dynamics.hybrid import hybrid_dynamics, hybrid_forces
from percuss.dynamics.inverse import inverse_dynamics
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System


class Plant(Protocol):
    """What control laws ask of the system they drive, or believe to drive.

    The chaser's coordinates and rates come first in those of the whole; what follows is what a
    captured target adds, and nothing drives that. A plant whose chaser has quaternions must be
    a `TreePlant`.
    """

    @property
    def rate_count(self) -> int:
        """Rates of the whole."""
        ...

    @property
    def coordinate_count(self) -> int:
        """Coordinates of the whole."""
        ...

    @property
    def own_rates(self) -> int:
        """Rates of the chaser, which come first."""
        ...

    @property
    def own_coordinates(self) -> int:
        """Coordinates of the chaser, which come first."""
        ...

    @property
    def actuated(self) -> tuple[bool, ...]:
        """For each of the chaser's rates, whether an actuator drives it."""
        ...

    def accelerations(self, q: Coordinates, v: Rates, u: Commands) -> Any:
        """v̇ of the whole (m/s², rad/s²) under the commands u on the chaser's rates (N, N m)."""
        ...

    def commands(self, q: Coordinates, v: Rates, a: Accelerations) -> Any:
        """u that makes the chaser's actuated rates accelerate as `a` says, 0 elsewhere."""
        ...

    def error(self, goal: Any, q: Coordinates) -> Any:
        """The way from the chaser's coordinates `goal` to those in q, on its rates (m, rad)."""
        ...


@dataclass(frozen=True)
class TreePlant:
    """A tree of bodies: the chaser alone, or with the target hanging from it.

    `own` is the number of the chaser's rates, by default all of them. Friction in the joints
    belongs to the tree, and the commands overcome it.
    """

    system: System
    own: int | None = None

    def __post_init__(self) -> None:
        ends = {0, *(self.system.node(j.child).rates.stop for j in self.system.joints)}
        if self.own is not None and self.own not in ends:
            raise ModelError(
                f"own = {self.own!r}: the chaser's rates are those of the first joints of "
                f"{self.system.name!r}, so their number is one of {sorted(ends)}"
            )

    @cached_property
    def layout(self) -> Layout:
        """Which of the chaser's coordinates belong to which rates."""
        return Layout.of(self.system, self.own_rates)

    @property
    def rate_count(self) -> int:
        return self.system.rate_count

    @property
    def coordinate_count(self) -> int:
        return self.system.coordinate_count

    @property
    def own_rates(self) -> int:
        return self.system.rate_count if self.own is None else self.own

    @property
    def own_coordinates(self) -> int:
        return self.layout.coordinate_count

    @property
    def actuated(self) -> tuple[bool, ...]:
        return self.system.actuated[: self.own_rates]

    @property
    def passengers(self) -> tuple[()]:
        """What moves and is not in the tree: nothing."""
        return ()

    @property
    def conserves(self) -> bool:
        """Whether energy and momentum stay but for what acts from outside: they do."""
        return True

    def with_systems(self, change: Callable[[System], System]) -> TreePlant:
        """The same plant with its tree changed, coordinates and rates staying."""
        return replace(self, system=change(self.system))

    def accelerations(
        self, q: Coordinates, v: Rates, u: Commands, loads: Sequence[tuple[Frame, Force]] = ()
    ) -> Any:
        """v̇ of all rates under the commands u, shape (own_rates,), N and N m.

        A command on a rate that nothing drives does nothing, nor does one on the grasp. `loads`
        act at the origins of frames, world axes, as in `forward_dynamics`.
        """
        forces = self._on_all(self._driven(u, "u"))
        return forward_dynamics(self.system, q, v, forces, wrenches=loads)

    def commands(self, q: Coordinates, v: Rates, a: Accelerations) -> Any:
        """u, shape (own_rates,), that makes the actuated rates accelerate as `a` says.

        What nothing drives (the base of a free-floating robot, the swing of a pinned target)
        moves as it must: its accelerations follow from the equations of motion with zero force.
        """
        if not any(self.actuated):
            return pack([0.0] * self.own_rates)
        wanted = self._on_all(self._driven(a, "a"))
        if all(self._everywhere):
            return inverse_dynamics(self.system, q, v, wanted)
        if self._base_is_driven:
            wanted = hybrid_dynamics(self.system, q, v, None, a=wanted, prescribed=self._everywhere)
            forces = inverse_dynamics(self.system, q, v, wanted)
        else:
            # Everything hangs from a motion that has to be found: one recursion is shorter.
            forces = hybrid_forces(self.system, q, v, None, a=wanted, prescribed=self._everywhere)
        found = unpack(forces, self.rate_count, "forces")
        return pack(self._driven(found[: self.own_rates], "forces"))

    def error(self, goal: Any, q: Coordinates) -> Any:
        """Shape (own_rates,), m and rad: q - goal, and rotation vectors where there are turns.

        `goal` has the chaser's coordinates, q those of the whole.
        """
        start = self.layout.coordinates(goal, "goal")
        end = unpack(q, self.coordinate_count, "q", self.system.coordinate_names)
        return pack(self.layout.difference(start, end[: self.own_coordinates]))

    @cached_property
    def _everywhere(self) -> tuple[bool, ...]:
        return self.actuated + (False,) * (self.rate_count - self.own_rates)

    @cached_property
    def _base_is_driven(self) -> bool:
        base = self.actuated[self.system.node(self.system.base_joint.child).rates]
        return any(base) or not base

    def _driven(self, values: Any, what: str) -> tuple[Scalar, ...]:
        """Entries on the chaser's rates, zero where nothing is driven."""
        entries = unpack(values, self.own_rates, what, self.system.rate_names[: self.own_rates])
        both = zip(self.actuated, entries, strict=True)
        return tuple(entry if driven else 0.0 for driven, entry in both)

    def _on_all(self, own: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        return (*own, *(0.0,) * (self.rate_count - self.own_rates))


def layout_of(subject: Plant | System) -> Layout:
    """The layout of a plant's chaser, or of a whole system."""
    if isinstance(subject, System):
        return Layout.of(subject, subject.rate_count)
    if isinstance(subject, TreePlant):
        return subject.layout
    if subject.own_coordinates != subject.own_rates:
        raise ModelError(
            f"{type(subject).__name__} has {subject.own_coordinates} coordinates and "
            f"{subject.own_rates} rates: only a TreePlant may have orientations in space"
        )
    return Layout.flat(subject.own_rates)
