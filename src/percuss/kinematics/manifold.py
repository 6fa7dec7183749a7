"""Coordinates as points of a manifold: quaternions stay unit, angles add."""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import multiple
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.model.joints import Scalars
from percuss.model.systems import System


def neutral(system: System) -> Any:
    """Coordinates at which every joint that has some is at its zero: shape (nq,)."""
    values: list[Scalar] = [0.0] * system.coordinate_count
    for node in system.independent:
        values[node.coordinates] = node.joint.motion.neutral()
    return pack(values)


def coordinate_rates(system: System, q: Coordinates, v: Rates) -> Any:
    """dq/dt at rates v, shape (nq,): v itself except for quaternions."""
    coordinates, rates = _state(system, q, v)
    values: list[Scalar] = [0.0] * system.coordinate_count
    for node in system.independent:
        motion = node.joint.motion
        values[node.coordinates] = motion.coordinate_rates(
            coordinates[node.coordinates], rates[node.rates]
        )
    return pack(values)


def integrate(system: System, q: Coordinates, v: Rates, time: Scalar = 1.0) -> Any:
    """Coordinates after moving for `time` (s) with constant rates v, shape (nq,).

    Quaternions turn by the exponential map and come out normalised.
    """
    coordinates, rates = _state(system, q, v)
    values: list[Scalar] = [0.0] * system.coordinate_count
    for node in system.independent:
        step = multiple(time, rates[node.rates])
        values[node.coordinates] = node.joint.motion.integrate(coordinates[node.coordinates], step)
    return pack(values)


def difference(system: System, start: Any, end: Any) -> Any:
    """The rates that lead from `start` to `end` in one second: integrate(start, v, 1) = end."""
    size, names = system.coordinate_count, system.coordinate_names
    first, last = unpack(start, size, "start", names), unpack(end, size, "end", names)
    values: list[Scalar] = [0.0] * system.rate_count
    for node in system.independent:
        values[node.rates] = node.joint.motion.difference(
            first[node.coordinates], last[node.coordinates]
        )
    return pack(values)


def _state(system: System, q: Coordinates, v: Rates) -> tuple[Scalars, Scalars]:
    return (
        unpack(q, system.coordinate_count, "q", system.coordinate_names),
        unpack(v, system.rate_count, "v", system.rate_names),
    )
