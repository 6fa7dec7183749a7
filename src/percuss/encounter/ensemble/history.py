"""Chosen signals of many cases over time, at chosen times of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy, potential_energy
from percuss.encounter.equations import Equations
from percuss.encounter.errors import EncounterError, shown
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.errors import closest
from percuss.model.systems import Frame


@dataclass(frozen=True)
class Signal:
    """A quantity over time: what it is, and its entries at a state, any scalar.

    Attributes:
        entries: (equations, t, x) → its entries.
        dimension: over which these run: "axis", "coordinate", "rate", "target_rate" or empty.
        unit: SI.
        title: what it is, in words.
    """

    entries: Callable[[Equations, Any, Any], Sequence[Any]]
    dimension: str
    unit: str
    title: str


def _coordinates(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    q = equations.state(x)[0]
    return [q[k] for k in range(equations.chaser.coordinate_count)]


def _rates(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    v = equations.state(x)[1]
    return [v[k] for k in range(equations.chaser.rate_count)]


def _control(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    return list(equations.command(t, x, equations.law.memory)[0])


def _kinetic(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    return [kinetic_energy(equations.system, *equations.state(x))]


def _potential(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    return [potential_energy(equations.system, equations.state(x)[0])]


def _linear_momentum(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    return _axes(equations, momentum(equations.system, *equations.state(x)).linear)


def _angular_momentum(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    whole = tuple(momentum(equations.system, *equations.state(x)).angular)
    return whole[2:] if equations.planar else whole


def _tool(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    q = equations.state(x)[0]
    return _axes(equations, frame_pose(equations.system, q, equations.assembly.tool).position)


def _target_position(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    q = equations.state(x)[0]
    return _axes(equations, frame_pose(equations.system, q, _center(equations)).position)


def _target_velocity(equations: Equations, t: Any, x: Any) -> Sequence[Any]:
    del t
    found = frame_velocity(equations.system, *equations.state(x), _center(equations))
    angular = tuple(found.angular)
    return [*_axes(equations, found.linear), *(angular[2:] if equations.planar else angular)]


def _center(equations: Equations) -> Frame:
    """At the centre of mass of the target's base body."""
    target = equations.assembly.target
    if target is None:
        raise EncounterError(("signals",), "there is no target in this encounter")
    return Frame("centre of mass", target.base.name, Pose(position=target.base.com))


def _axes(equations: Equations, vector: Any) -> tuple[Any, ...]:
    return tuple(vector)[: 2 if equations.planar else 3]


CONTROL = "control"
SIGNALS: Mapping[str, Signal] = {
    "coordinates": Signal(_coordinates, "coordinate", "", "coordinates of the chaser, world axes"),
    "rates": Signal(_rates, "rate", "", "rates of the chaser, world axes"),
    CONTROL: Signal(_control, "rate", "", "generalized forces on the chaser"),
    "energy": Signal(_kinetic, "", "J", "kinetic energy of all bodies"),
    "potential_energy": Signal(_potential, "", "J", "potential energy of all bodies"),
    "linear_momentum": Signal(_linear_momentum, "axis", "N s", "of all bodies, world axes"),
    "angular_momentum": Signal(
        _angular_momentum, "axis", "N m s", "of all bodies about the world's origin"
    ),
    "tool_position": Signal(_tool, "axis", "m", "contact point on the chaser, world axes"),
    "target_position": Signal(_target_position, "axis", "m", "target's centre of mass, world axes"),
    "target_velocity": Signal(
        _target_velocity, "target_rate", "", "of the target's centre of mass, world axes"
    ),
}
"""By name, as in result files."""


@dataclass(frozen=True)
class Histories:
    """What is wanted over time: signals by name, at times of the run (s).

    Signals that are `own` are not among `SIGNALS`, and go by names of theirs.
    """

    names: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    own: tuple[tuple[str, Signal], ...] = ()

    @staticmethod
    def of(signals: Sequence[str], times: Any) -> Histories:
        """The histories of some `SIGNALS`, by name, at times (s) that rise from 0 on.

        EncounterError for other names and times.
        """
        names = (signals,) if isinstance(signals, str) else tuple(signals)
        for name in names:
            if name not in SIGNALS:
                hint = closest(name, tuple(SIGNALS))
                message = f"must be among {', '.join(SIGNALS)}, got {shown(name)}.{hint}"
                raise EncounterError(("signals",), message)
        if not names and times is None:
            return Histories()
        if not names or times is None:
            missing = "signals" if not names else "times"
            raise EncounterError((missing,), "is missing: signals and times (s) go together")
        try:
            grid = np.asarray(times, float)
        except (TypeError, ValueError):
            grid = np.zeros(0)
        rising = grid.ndim == 1 and grid.size and np.isfinite(grid).all() and grid[0] >= 0.0
        if not rising or (np.diff(grid) <= 0.0).any():
            message = f"must be finite times in s, from 0 on, that rise, got {shown(times)}"
            raise EncounterError(("times",), message)
        return Histories(names, tuple(grid.tolist()))

    def __bool__(self) -> bool:
        return bool(self.names or self.own)

    @property
    def untimed(self) -> Histories:
        """The same signals without their times: what their values at a state follow from."""
        return replace(self, times=())

    def entries(self, equations: Equations, t: Any, x: Any) -> dict[str, Sequence[Any]]:
        """All signals that follow from a state, any scalar.

        The command of a law that is sampled in time does not: it is held since the last sample.
        """
        held = equations.law.period is not None
        names = [name for name in self.names if not (held and name == CONTROL)]
        wanted = [*((name, SIGNALS[name]) for name in names), *self.own]
        return {name: signal.entries(equations, t, x) for name, signal in wanted}


@dataclass(frozen=True)
class SignalTimes:
    """Times of the run (s) at which a motion is looked at, whose own clock begins at `origin`."""

    histories: Histories
    origin: Any = 0.0
