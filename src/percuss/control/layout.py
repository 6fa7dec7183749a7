"""How the chaser's coordinates and rates belong together: lines that add, and orientations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import Scalar, add, sub, unpack
from percuss.algebra.vectors import Vector3
from percuss.model.joints import Free, Mimic, Scalars, Spherical
from percuss.model.systems import System


@dataclass(frozen=True)
class Turn:
    """An orientation: four coordinates (a quaternion), three rates.

    The rates are along the axes of the child for a spherical joint (`in_child`), else along
    those of the parent; the error of an orientation is along the same axes.
    """

    coordinates: slice
    rates: slice
    in_child: bool

    def difference(self, start: Scalars, end: Scalars) -> Vector3:
        """The rotation vector from one quaternion to another (rad), at most half a turn."""
        first, last = Quaternion(*start), Quaternion(*end)
        back = first.conjugate()
        return (back @ last if self.in_child else last @ back).to_rotation_vector()

    def integrated(self, start: Scalars, turn: Vector3) -> Scalars:
        """The quaternion after a turn by a rotation vector (rad)."""
        step = Quaternion.from_rotation_vector(turn)
        first = Quaternion(*start)
        return tuple((first @ step if self.in_child else step @ first).normalized())

    def outward(self, vector: Vector3) -> Vector3:
        """The vector to or from the form ω = J(φ) φ̇ + exp(φ×) ω_d, which the parent's axes have.

        In the child's axes it holds for the vectors reversed: Rᵀ = exp(-φ×) R_dᵀ.
        """
        return -vector if self.in_child else vector


@dataclass(frozen=True)
class Layout:
    """`lines` pairs a coordinate with its rate; `turns` are the orientations."""

    coordinate_count: int
    rate_count: int
    lines: tuple[tuple[int, int], ...]
    turns: tuple[Turn, ...]

    @staticmethod
    def flat(count: int) -> Layout:
        """Every rate is the derivative of the coordinate in the same place."""
        return Layout(count, count, tuple((k, k) for k in range(count)), ())

    @staticmethod
    def of(system: System, own_rates: int) -> Layout:
        """The layout of a system's first joints, which have `own_rates` rates together."""
        lines: list[tuple[int, int]] = []
        turns: list[Turn] = []
        coordinates = rates = 0
        for joint in system.joints:
            if rates == own_rates:
                break
            if isinstance(joint.motion, Mimic):
                continue  # its coordinate and rate are its leader's
            node = system.node(joint.child)
            turn = isinstance(joint.motion, (Free, Spherical))
            straight = joint.motion.rate_count - (3 if turn else 0)
            first, second = node.coordinates.start, node.rates.start
            lines += [(first + k, second + k) for k in range(straight)]
            coordinates, rates = node.coordinates.stop, node.rates.stop
            if turn:
                places = slice(first + straight, coordinates), slice(second + straight, rates)
                turns.append(Turn(*places, isinstance(joint.motion, Spherical)))
        return Layout(coordinates, rates, tuple(lines), tuple(turns))

    def difference(self, start: Scalars, end: Scalars) -> Scalars:
        """What leads from `start` to `end`, on the rates."""
        values: list[Scalar] = [0.0] * self.rate_count
        for coordinate, rate in self.lines:
            values[rate] = sub(end[coordinate], start[coordinate])
        for turn in self.turns:
            at = turn.coordinates
            values[turn.rates] = turn.difference(start[at], end[at])
        return tuple(values)

    def integrated(self, start: Scalars, step: Iterable[Scalar]) -> Scalars:
        """Coordinates at which `difference(start, …)` is the step."""
        steps = tuple(step)
        values: list[Scalar] = [0.0] * self.coordinate_count
        for coordinate, rate in self.lines:
            values[coordinate] = add(start[coordinate], steps[rate])
        for turn in self.turns:
            at = turn.coordinates
            values[at] = turn.integrated(start[at], Vector3(*steps[turn.rates]))
        return tuple(values)

    def coordinates(self, values: Any, what: str) -> Scalars:
        """Coordinates of the chaser as scalars."""
        return unpack(values, self.coordinate_count, what)

    def rates(self, values: Any, what: str) -> Scalars:
        """Rates of the chaser, or what belongs to them, as scalars."""
        return unpack(values, self.rate_count, what)
