"""Columns of a table of many cases that only some encounters have, and only where asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from percuss.encounter.chaser import ChaserView
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.joint_use import JOLT, JointUses, is_limited, single_joints
from percuss.encounter.ensemble.refusals import may_hold
from percuss.encounter.ensemble.vary import ManyCases
from percuss.model.names import BaseMode

Column = tuple[tuple[str, ...], np.ndarray, str, str]
"""Dimensions after `case`, values (…, cases) of the cases that were carried out, unit, title."""

WORLD = "world axes"
NUMBER, VECTOR, AXIAL = "number", "vector", "axial vector"
ColumnText = tuple[str, str, str]
"""What kind of quantity it is, its unit, and its title."""

APPROACH: Mapping[str, ColumnText] = {
    "distance": (NUMBER, "m", "from the tool to the contact point, at the contact or at the end"),
    "relative_velocity": (
        VECTOR,
        "m/s",
        "of the target seen from the tool, at the contact or where they are closest",
    ),
}
ARRIVAL: Mapping[str, ColumnText] = {
    "as_planned": (NUMBER, "1", "1 where the first contact is as planned, else 0"),
    "time.planned": (NUMBER, "s", "planned time of the contact"),
    "time.found": (NUMBER, "s", "time of the contact"),
    "closing_speed.planned": (NUMBER, "m/s", "planned speed along the approach direction"),
    "closing_speed.found": (NUMBER, "m/s", "speed of the tool along the approach direction"),
    "sideways_speed.found": (NUMBER, "m/s", "speed of the tool across it, none is planned"),
    "offset.found": (NUMBER, "m", "from the planned contact point to the one that is touched"),
}
THRUSTERS: Mapping[str, ColumnText] = {
    "force_impulse": (NUMBER, "N s", "∫ |F| dt of the thrusters on the base after the grasp"),
    "torque_impulse": (NUMBER, "N m s", "∫ |τ| dt of the thrusters on the base after the grasp"),
}
WHEELS: Mapping[str, ColumnText] = {
    "initial": (NUMBER, "N m s", "momentum in the wheels when the grasp closes"),
    "peak": (NUMBER, "N m s", "largest momentum in the wheels after the grasp"),
    "final": (NUMBER, "N m s", "momentum in the wheels at the end"),
}
SATURATED: Mapping[str, ColumnText] = {
    "saturated_at": (NUMBER, "s", "time of the run at which the wheels are first full"),
}
REMAINING: Mapping[str, ColumnText] = {
    "linear_momentum": (VECTOR, "N s", "left at the end, of all that is held together"),
    "angular_momentum": (AXIAL, "N m s", "left at the end, about the common centre of mass"),
    "spin": (NUMBER, "rad/s", "angular speed at the end if all joints were locked"),
    "drift": (NUMBER, "m/s", "speed of the common centre of mass at the end"),
}


class OptionalColumns:
    """Approach, stabilisation, joints beside their limits, and the orbit."""

    def __init__(self, found: ManyCases, view: ChaserView, axes: tuple[str, ...]) -> None:
        self.found = found
        self.view = view
        self.axes = axes
        self.count = len(found.places)

    def __iter__(self) -> Iterator[tuple[str, Column]]:
        asked, encounter = self.found.asked, self.found.encounter
        if asked.approach and encounter.approach is not None:
            yield from self._approach()
        if asked.stabilisation and may_hold(encounter.closure):
            for group, table in _stabilisation(encounter):
                yield from self._columns(f"stabilisation.{group}", table)
        if asked.limits and is_limited(encounter.chaser):
            yield from self._limits()
        if encounter.orbit is not None:
            yield from self._orbit()

    def _approach(self) -> Iterator[tuple[str, Column]]:
        """How the tool arrives, or passes by."""
        yield from self._columns("approach", APPROACH)
        velocity = self._values("approach.relative_velocity", VECTOR)
        said = "of the target seen from the tool, then"
        yield "approach.relative_speed", ((), np.linalg.norm(velocity, axis=0), "m/s", said)
        approach = self.found.encounter.approach
        if approach is not None and approach.meet is not None:
            yield from self._columns("approach.arrival", ARRIVAL)

    def _columns(self, group: str, table: Mapping[str, ColumnText]) -> Iterator[tuple[str, Column]]:
        for name, (kind, unit, title) in table.items():
            values = self._values(f"{group}.{name}", kind)
            yield f"{group}.{name}", self.column(kind, values, unit, title)

    def _values(self, name: str, kind: str) -> np.ndarray:
        """What was found, (cases,) or (3, cases); NaN where no case has it."""
        shape = (self.count,) if kind == NUMBER else (3, self.count)
        return self.found.result.optional.get(name, np.full(shape, np.nan))

    def column(self, kind: str, values: np.ndarray, unit: str, title: str) -> Column:
        """A number, a vector in world axes, or an axial vector, of which a plane leaves one."""
        planar = len(self.axes) == 2
        if kind == NUMBER:
            return (), values, unit, title
        if kind == AXIAL and planar:
            return (), values[2], unit, title
        return ("axis",), values[: len(self.axes)], unit, f"{title}, {WORLD}"

    # --- joints -----------------------------------------------------------------------------

    def _limits(self) -> Iterator[tuple[str, Column]]:
        """Every joint with one axis beside its limits."""
        result, joints = self.found.result, single_joints(self.found.encounter.chaser)
        peaks = {
            "effort": result.peak_control[[one.rate for one in joints]],
            "rate": result.uses["fastest"],
            "highest": result.uses["highest"],
            "lowest": -result.uses["lowest"],
        }
        uses = JointUses(peaks, self.found.numbers["limits"])
        yield "limits.holds", ((), uses.holds, "1", "1 where all limits of joints are kept, else 0")
        length = {one.name: one.unit for one in joints}
        position, rate = ",".join(length.values()), ",".join(f"{u}/s" for u in length.values())
        effort = ",".join("N m" if unit == "rad" else "N" for unit in length.values())
        for name, unit in (("effort", effort), ("rate", rate)):
            at = f"limits.joints.{name}"
            yield f"{at}.peak", self._of_joints(peaks[name], unit, f"largest {name}")
            yield f"{at}.limit", self._of_joints(uses.limit(name), unit, f"limit of the {name}")
            said = f"largest {name} as a share of its limit"
            yield f"{at}.share", self._of_joints(uses.share(name), "1", said)
        for name in ("lowest", "highest", "lower", "upper"):
            values = peaks[name] if name in peaks else uses.limit(name)
            said = f"{name} {'position' if name in peaks else 'end of its range'}"
            yield f"limits.joints.position.{name}", self._of_joints(values, position, said)
        said = "of the impact that changes the joint's rate most"
        units = (rate, rate, rate, "N s", "N m s")
        for name, values, unit in zip(JOLT, result.jolts, units, strict=True):
            yield f"limits.joints.impact.{name}", self._of_joints(values, unit, said)

    def _of_joints(self, values: np.ndarray, unit: str, title: str) -> Column:
        """(joints with one axis, cases) among all that move; what is not finite is NaN."""
        joints = single_joints(self.found.encounter.chaser)
        count = len(self.found.encounter.chaser.moving_joints)
        whole = np.full((count, self.count), np.nan, like=values)
        whole[[one.place for one in joints]] = np.where(np.isfinite(values), values, np.nan)
        return ("joint",), whole, unit, title

    # --- orbit ------------------------------------------------------------------------------

    def _orbit(self) -> Iterator[tuple[str, Column]]:
        """The orbit, and where the target is at the end in its local frame."""
        numbers, result = self.found.numbers, self.found.result
        radius, n = numbers["orbit"]
        angle = n * result.time
        yield "orbit.semi_major_axis", ((), radius, "m", "radius of the orbit")
        yield "orbit.mean_motion", ((), n, "rad/s", "at which the local orbital frame turns")
        yield "orbit.period", ((), 2.0 * np.pi / n, "s", "of a revolution")
        yield "orbit.angle", ((), angle, "rad", "by which the local frame has turned at the end")
        if self.found.encounter.target is None or not len(result.target_coordinates):
            return
        place, linear = self.target_center()
        spin = self.target_turn()[1]
        spin = np.stack([0.0 * n, 0.0 * n, spin]) if spin.ndim == 1 else spin.copy()
        spin[2] -= n
        moving = linear.copy()
        moving[0] += n * place[1]
        moving[1] -= n * place[0]
        for name, vector, kind, unit in (
            ("position", place, VECTOR, "m"),
            ("linear", moving, VECTOR, "m/s"),
            ("angular", spin, AXIAL, "rad/s"),
        ):
            local = _turned_back(vector, angle)
            dimensions, values, _, title = self.column(
                kind, local, unit, "of the target at the end"
            )
            said = title.replace(WORLD, "local orbital frame")
            yield f"orbit.target.{name}", (dimensions, values, unit, said)

    def target_center(self) -> tuple[np.ndarray, np.ndarray]:
        """Place (m) and velocity (m/s) of the target's centre of mass at the end, (3, cases)."""
        placed = self.found.numbers.get("target")
        if placed is not None:
            return placed[:3], placed[3:6]
        q, v = self.found.result.target_coordinates, self.found.result.target_rates
        if len(self.axes) == 3:
            return q[:3], v[:3]
        flat = np.zeros(self.count)
        return np.stack([q[0], q[1], flat]), np.stack([v[0], v[1], flat])

    def target_turn(self) -> tuple[np.ndarray, np.ndarray]:
        """How the target is turned at the end, and its angular velocity (rad/s) in world axes.

        In the plane an angle (rad) and one entry (cases,), in space (4, cases) and (3, cases).
        """
        placed, planar = self.found.numbers.get("target"), len(self.axes) == 2
        if placed is not None:
            return (placed[9], placed[8]) if planar else (placed[9:13], placed[6:9])
        q, v = self.found.result.target_coordinates, self.found.result.target_rates
        return (q[2], v[2]) if planar else (q[3:7], v[3:6])


def canonical(quaternions: np.ndarray) -> np.ndarray:
    """Unit quaternions (4, cases) of the sign whose first entry that is not zero is positive.

    Both signs turn alike.
    """
    sign = np.zeros(quaternions.shape[1:])
    for entry in quaternions:
        sign = np.where(sign == 0.0, np.sign(entry), sign)
    return quaternions * np.where(sign == 0.0, 1.0, sign)


def _stabilisation(encounter: Encounter) -> Iterator[tuple[str, Mapping[str, ColumnText]]]:
    """What the base of an encounter has of it."""
    mode, law = encounter.chaser.mode, encounter.control
    if mode == BaseMode.ATTITUDE_CONTROLLED:
        yield "wheels", WHEELS
        if law.limits.wheels is not None:
            yield "wheels", SATURATED
    if mode == BaseMode.FREE_FLYING or (mode == BaseMode.ATTITUDE_CONTROLLED and law.dump):
        yield "thrusters", THRUSTERS
    if mode != BaseMode.FIXED:
        yield "remaining", REMAINING


def _turned_back(vector: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """A vector (3, cases) in axes that have turned by an angle about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vector[0] + s * vector[1], c * vector[1] - s * vector[0], vector[2]])
