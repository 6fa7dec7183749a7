"""Does a record begin where the scenario has the robot at the impact?

Velocities leap at an impact, places do not: whatever the unknowns are, joints and base begin where
the scenario has them. A record that begins elsewhere fits nothing, and where it does begin often
tells why: degrees, millimetres, columns that were exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from percuss.identification.data.channels import QUATERNION
from percuss.identification.data.left_out import count_words
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.jump import displacements
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import SearchOptions
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class _Begin:
    """Where one column begins: `shown` in it and `known` from the scenario, in `unit`, and how far
    apart they may be, `allowed`; `explained` is the share of that an explanation may leave."""

    name: str
    kind: str
    unit: str
    shown: float
    known: float
    allowed: float
    noise: float
    explained: float

    def explains(self, value: float) -> bool:
        """Whether the column would begin about right if it began with this value."""
        away = value - self.known
        if self.kind == "base.angle":
            away = math.remainder(away, 2.0 * math.pi)
        return abs(away) <= max(
            self.explained * abs(self.away), min(self.allowed, 0.5 * abs(self.away))
        )

    def is_scaled(self, factor: float) -> bool:
        """Whether the column, times a factor, begins about right; of zero no factor tells."""
        return abs(factor * self.shown - self.known) <= self.explained * abs(self.known)

    @property
    def away(self) -> float:
        away = self.shown - self.known
        return math.remainder(away, 2.0 * math.pi) if self.kind == "base.angle" else away

    @property
    def is_wrong(self) -> bool:
        return not abs(self.away) <= self.allowed


def refuse_beginning(
    measured: Measured, sensors: Sensors, unknowns: Unknowns, options: SearchOptions
) -> None:
    """ModelError where joints or base do not begin where the scenario has them at the impact."""
    begins = _begins(measured, sensors, unknowns, options)
    turned = [b for b in begins if b.kind == "base.orientation" and b.is_wrong]
    plain = [b for b in begins if b.kind != "base.orientation"]
    wrong = [b for b in plain if b.is_wrong]
    if not wrong and not turned:
        return
    if turned:
        _refuse_attitude(measured, unknowns, turned, options.beginning.explained)
    for noun, factor, units, right in (
        ("degrees", math.pi / 180.0, ("rad",), "radians"),
        ("millimetres", 1e-3, ("m",), "metres"),
    ):
        own = [b for b in wrong if b.unit in units and b.is_scaled(factor)]
        if own:
            what = "the joints look" if all(b.kind == "joint" for b in own) else "columns look"
            names = ", ".join(b.name for b in own)
            first = own[0]
            raise ModelError(
                f"{what} like {noun} ({names}): {first.name} begins at {first.shown:.5g}, where "
                f"the scenario has it at {first.known:.5g} {first.unit} "
                f"({first.known / factor:.5g} in {noun}) at the impact; columns are in {right}"
            )
    for one, other in combinations(plain, 2):
        wrong_pair = one.is_wrong and other.is_wrong
        if wrong_pair and one.explains(other.shown) and other.explains(one.shown):
            raise ModelError(
                f"{one.name} and {other.name} look exchanged: they begin at {one.shown:.5g} "
                f"and {other.shown:.5g}, where the scenario has them at {one.known:.5g} and "
                f"{other.known:.5g} at the impact"
            )
    raise ModelError(_sentence(wrong, options.beginning.turns))


def _sentence(wrong: Sequence[_Begin], most_turns: int) -> str:
    worst = max(wrong, key=lambda b: abs(b.away) / b.noise)
    why = ""
    if worst.explains(-worst.shown):
        why = ": its sign looks reversed"
    elif worst.kind == "joint" and worst.unit == "rad":
        turns = round(worst.away / (2.0 * math.pi)) if abs(worst.away) < 1e9 else 0
        if 0 < abs(turns) <= most_turns and worst.explains(worst.shown - 2.0 * math.pi * turns):
            why = f": {abs(turns)} whole turn{'s' if abs(turns) > 1 else ''} away"
    more = [b.name for b in wrong if b is not worst]
    others = f" Others begin elsewhere too: {', '.join(more)}." if more else ""
    deviations = count_words(abs(worst.away) / worst.noise)
    return (
        f"{worst.name} begins at {worst.shown:.5g} {worst.unit}, where the scenario has it at "
        f"{worst.known:.5g} {worst.unit} at the impact, {deviations} σ away{why}. Places do not "
        "leap at an impact: correct the scenario, the units or the order of the columns, give the "
        f"sensor's bias, or count the times from the impact.{others}"
    )


def _begins(
    measured: Measured, sensors: Sensors, unknowns: Unknowns, options: SearchOptions
) -> list[_Begin]:
    own = options.beginning
    start = unknowns.start_state
    q = np.asarray(start.chaser_coordinates, float)
    channels = measured.channels(start.chaser)
    table = np.stack(list(measured.columns.values()))
    units = {channel.name: channel.unit for channel in channels}
    errors = [e.prior for e in unknowns.entries if e.prior is not None]
    loose = own.prior_deviations * max(errors, default=0.0)
    found: list[_Begin] = []
    # Columns of zeros are away from the impact by what is known there; an attitude has none.
    turned = [channel.kind == "base.orientation" for channel in channels]
    level = np.where(turned, np.nan, 0.0)[:, None]
    zero = {
        name: 0.0 - float(x[0]) for name, _, x, _ in displacements(start.chaser, q, channels, level)
    }
    for name, _, away, kind in displacements(start.chaser, q, channels, table):
        there = np.flatnonzero(np.isfinite(away))[: own.samples]
        sensor = sensors[kind]
        extrapolated = _at_impact(measured.time[there] - sensor.delay, away[there], own.near)
        if extrapolated is None:
            continue
        at, travel, slope = extrapolated
        late = 3.0 * next((e.range for e in unknowns.entries if e.group == "time"), 0.0)
        allowed = options.outliers.gross * sensor.noise + 2.0 * travel + abs(slope) * late + loose
        known = 0.0 if kind == "base.orientation" else zero[name]
        unit = units.get(name, "rad")
        found.append(
            _Begin(
                name=name,
                kind=kind,
                unit=unit,
                shown=at + known,
                known=known,
                allowed=allowed,
                noise=sensor.noise,
                explained=own.explained,
            )
        )
    return found


def _at_impact(
    times: np.ndarray, values: np.ndarray, near: float
) -> tuple[float, float, float] | None:
    """Value at the time 0, how far samples (k,) move, and how fast, by the median of all lines
    through two of them (Theil and Sen); None where they do not tell.

    What turns back, or comes to rest, has a median line that hardly moves: how far it moves goes
    by its usual pace from sample to sample, if that is faster.
    """
    if len(times) < 3 or times[0] > near * (times[-1] - times[0]):
        return None
    pairs = [(i, j) for i, j in combinations(range(len(times)), 2)]
    slopes = [(values[j] - values[i]) / (times[j] - times[i]) for i, j in pairs]
    slope = float(np.median(slopes))
    at = float(np.median(values - slope * times))
    pace = max(abs(slope), float(np.median(np.abs(np.diff(values) / np.diff(times)))))
    return at, pace * float(times[-1]), slope


def _refuse_attitude(
    measured: Measured, unknowns: Unknowns, turned: Sequence[_Begin], explained: float
) -> None:
    """Say how the quaternions of an attitude may be meant."""
    start = unknowns.start_state
    node = start.chaser.node(start.chaser.base_joint.child).coordinates.start
    known = np.asarray(start.chaser_coordinates, float)[node + 3 : node + 7]
    table = np.stack([measured.columns[f"base.{entry}"] for entry in QUATERNION])
    shown = table[:, int(np.argmax(np.isfinite(table).all(axis=0)))]
    away = _angle(shown, known)
    ways = {
        "they look like x, y, z, w": shown[[3, 0, 1, 2]],
        "they look like base ← world": shown * [1.0, -1.0, -1.0, -1.0],
        "they look like base ← world, x, y, z, w": shown[[3, 0, 1, 2]] * [1.0, -1.0, -1.0, -1.0],
    }
    why = [text for text, q in ways.items() if _angle(q, known) < explained * away]
    worst = max(turned, key=lambda b: abs(b.away))
    raise ModelError(
        f"base.qw … base.qz begin at {np.round(shown, 4).tolist()}, where the scenario has the "
        f"base at {np.round(known, 4).tolist()} at the impact, {away:.3g} rad "
        f"({count_words(abs(worst.away) / worst.noise)} σ) away"
        + (f": {why[0]}." if why else ".")
        + " Columns are w, x, y, z, world ← base; or correct the scenario"
    )


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """The angle of the turn from one unit quaternion (4,) to another (rad)."""
    return 2.0 * math.acos(min(1.0, abs(float(a @ b))))
