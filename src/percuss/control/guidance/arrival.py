"""A goal that arrives with given rates: from rest to (q, v) at a time, and on."""

from __future__ import annotations

from typing import Any

from percuss.algebra.scalars import Scalar, pack, plain, sub, terms, to_scalar, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control.attitude import rate_of_error
from percuss.control.goals import Goal, turning_rates
from percuss.control.layout import Layout
from percuss.control.plant import Plant, layout_of
from percuss.kinematics.polynomials import quintic
from percuss.kinematics.trajectories import vector_of
from percuss.model.joints import Scalars
from percuss.model.systems import System


def arriving(subject: Plant | System, q0: Any, q1: Any, v1: Any, *, go: Scalar, at: Scalar) -> Goal:
    """A goal at rest at q0 until `go` (s), then to q1 with the rates v1 at `at` (s), and on.

    Each coordinate, and of an orientation its rotation vector from the start, goes along the
    quintic with zero acceleration at both ends; after `at` it continues at its last rate. Turns
    are at most half a turn.

    Args:
        q0, q1: coordinates of the chaser, shape (own_coordinates,).
        v1: rates at `at`, shape (own_rates,), m/s and rad/s.
    """
    layout = layout_of(subject)
    start = vector_of(q0, layout.coordinate_count, "q0")
    end = vector_of(q1, layout.coordinate_count, "q1")
    rates = vector_of(v1, layout.rate_count, "v1")
    way = layout.difference(start, end)
    speeds = _local_rates(layout, way, rates)
    begin, stop = to_scalar(go), to_scalar(at)
    path = quintic((0.0,) * len(way), way, sub(stop, begin), v1=speeds, start=begin)

    def goal(t: Any) -> tuple[Any, Any, Any]:
        time = to_scalar(t)
        step, speed, change = (unpack(part, len(way), "path") for part in path(time))
        over = time > stop
        late = where(over, sub(time, stop), 0.0)
        step = tuple(plain(x + terms(late) * u) for x, u in zip(step, speeds, strict=True))
        speed = tuple(where(over, u, x) for x, u in zip(speed, speeds, strict=True))
        speed, change = turning_rates(layout, step, speed, change)
        return pack(layout.integrated(start, step)), pack(speed), pack(change)

    return Goal(goal)


def _local_rates(layout: Layout, way: Scalars, rates: Scalars) -> Scalars:
    """Rates of the rotation vectors where the rates are angular velocities."""
    local = list(rates)
    for turn in layout.turns:
        phi, velocity = (turn.outward(Vector3(*values[turn.rates])) for values in (way, rates))
        local[turn.rates] = turn.outward(rate_of_error(phi, velocity))
    return tuple(local)
