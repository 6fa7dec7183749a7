"""What became of many cases as an xarray dataset: names as in `summary.json`, with units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from percuss.encounter.chaser import ChaserView
from percuss.encounter.closures import Bounce, Compliant
from percuss.encounter.ensemble.history import SIGNALS
from percuss.encounter.ensemble.impacts import mounts
from percuss.encounter.ensemble.optional_columns import (
    WORLD,
    Column,
    OptionalColumns,
    canonical,
)
from percuss.encounter.ensemble.refusals import may_hold
from percuss.encounter.ensemble.slopes import CaseSlopes, SlopeEntry
from percuss.encounter.ensemble.vary import ManyCases
from percuss.encounter.outcome import Outcome
from percuss.encounter.record import LABELS
from percuss.kernel.duals import array_of, is_dual, value_of
from percuss.model.names import BaseMode
from percuss.version import __version__

_BEFORE_AFTER = ("before", "after")


def dataset_of(found: ManyCases, slopes: Iterable[CaseSlopes] = ()) -> Any:
    """An xarray dataset with the dimension `case`; what a case does not have is NaN.

    The values that cases were given stand under their dotted names, beside what was found, and
    derivatives as "d(impact.energy.after)/d(target.mass)", or "…/d(target.contact[1])" for the
    first entry of a vector.
    """
    import xarray

    table = _Table(found)
    data = dict(table.variables())
    for some in slopes:
        data |= table.derivatives(some)
    coordinates: dict[str, Any] = {
        name: (name, list(labels), LABELS) for name, labels in table.labels.items()
    }
    if len(found.times):
        coordinates["time"] = ("time", found.times, {"units": "s", "long_name": "of the run"})
    return xarray.Dataset(data, coordinates, table.attributes)


class _Table:
    """The variables of a dataset."""

    def __init__(self, found: ManyCases) -> None:
        encounter = found.encounter
        self.found = found
        self.planar = encounter.is_planar
        self.view = ChaserView(encounter.chaser, self.planar)
        self.axes = ("x", "y") if self.planar else ("x", "y", "z")
        self.labels: dict[str, tuple[str, ...]] = {
            "axis": self.axes,
            "coordinate": self.view.coordinate_names,
            "rate": self.view.rate_names,
            "joint": tuple(joint.name for joint in encounter.chaser.moving_joints),
        }
        self.optional = OptionalColumns(found, self.view, self.axes)
        if encounter.target is not None and not self.planar:
            self.labels["quaternion"] = ("w", "x", "y", "z")
        if "target_velocity" in found.result.history:
            turning = ("omega",) if self.planar else ("wx", "wy", "wz")
            self.labels["target_rate"] = (*(f"v{axis}" for axis in self.axes), *turning)

    @property
    def attributes(self) -> dict[str, str]:
        found = self.found
        said = [*map(str, found.result.failures), *found.result.remarks]
        words = "; ".join([found.result.words, *said])
        refused = len(found.refused) - len(found.places)
        if refused:
            words += f"; {refused:,} refused"
        return {
            "name": found.encounter.name,
            "outcomes": words,
            "backend": found.backend,
            "percuss_version": __version__,
        }

    def variables(self) -> Iterator[tuple[str, Any]]:
        """Names with dimensions, values and attributes, as xarray takes them."""
        for one, values in zip(
            self.found.varied.inputs, self.found.varied.of_each().values(), strict=True
        ):
            dimensions = ("case", f"{one.name} entry") if one.value.ndim else ("case",)
            yield one.name, (dimensions, values.T, {"units": one.unit or "1", "long_name": "given"})
        yield "status", ("case", self._statuses(), {"long_name": "how the case ended"})
        yield "reason", ("case", self._reasons(), {"long_name": "why, where it did not end well"})
        yield (
            "captured",
            ("case", self._statuses() == "captured", {"long_name": "held in the end"}),
        )
        yield from self._found()

    def derivatives(self, slopes: CaseSlopes) -> dict[str, Any]:
        """Derivatives of everything that depends on numbers smoothly, by some entries of these."""
        along, data = _Table(slopes.cases), dict[str, Any]()
        for name, (dimensions, values, attributes) in along._found():
            if not is_dual(values):
                continue
            parts = np.split(values.slope, len(slopes.entries))
            for entry, rows in zip(slopes.entries, parts, strict=True):
                attributes = {
                    "units": f"({attributes['units']})/({entry.unit or '1'})",
                    "long_name": f"derivative of: {attributes['long_name']}",
                }
                none = self._without_slope(entry).reshape(-1, *[1] * (rows.ndim - 1))
                sound = np.where(none, np.nan, rows)
                spread = self._spread(np.moveaxis(sound, 0, -1))
                data[f"d({name})/d({entry})"] = dimensions, spread, attributes
        return data

    def _without_slope(self, entry: SlopeEntry) -> np.ndarray:
        """Which of the cases that were carried out have no derivative by an entry of a number.

        They failed; or it is a time that is zero, in which nothing happens to be differentiated.
        """
        found = self.found
        own = found.varied.values[entry.place, found.places]
        return (found.result.status == int(Outcome.FAILED)) | ((own == 0.0) & (entry.unit == "s"))

    def _found(self) -> Iterator[tuple[str, Any]]:
        """What was found by name: dimensions, values and attributes; values may be Duals."""
        for name, (dimensions, values, unit, title) in self._columns():
            attributes = {"units": unit, "long_name": title}
            yield name, (("case", *dimensions), self._spread(values), attributes)
        for name, values in self.found.result.history.items():
            yield name, self._history(name, values)

    def _history(self, name: str, values: np.ndarray) -> Any:
        """A signal (entries, times, cases) over time."""
        signal = SIGNALS[name]
        if signal.dimension in ("coordinate", "rate"):
            view = self._coordinates if name == "coordinates" else self.view.rates
            rows = view(values.reshape(len(values), -1)).reshape(-1, *values.shape[1:])
            # A base that cannot move is nowhere after the end, like all else.
            values = np.where(np.isnan(values).any(axis=0), np.nan, rows)
        units = {
            "coordinates": ",".join(self.view.coordinate_units),
            "rates": ",".join(self.view.rate_units),
            "control": ",".join(self.view.force_units),
            "target_velocity": "m/s,m/s,rad/s" if self.planar else "m/s,m/s,m/s,rad/s,rad/s,rad/s",
        }
        attributes = {"units": units.get(name, signal.unit), "long_name": signal.title}
        one = len(values) == 1 and signal.dimension in ("", "axis")
        rows = values[0] if one else np.moveaxis(values, 0, 1)
        dimensions = ("case", "time") if one else ("case", "time", signal.dimension)
        return dimensions, self._spread(rows), attributes

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Values (…, cases carried out) as (cases, …), NaN for those that were refused."""
        whole = np.full((len(self.found.refused), *values.shape[:-1]), np.nan, like=values)
        whole[self.found.places] = np.moveaxis(values, -1, 0)
        return whole

    def _statuses(self) -> np.ndarray:
        names = np.array([one.name.lower() for one in Outcome], dtype=object)
        whole = np.full(len(self.found.refused), "refused", dtype=object)
        whole[self.found.places] = names[self.found.result.status]
        return whole.astype(str)

    def _reasons(self) -> np.ndarray:
        whole = self.found.refused.copy()
        for failure in self.found.result.failures:
            text = f"failed in {failure.phase}: {failure.reason}"
            whole[self.found.places[failure.cases]] = text
        return whole.astype(str)

    # --- what was found ----------------------------------------------------------------------

    def _columns(self) -> Iterator[tuple[str, Column]]:
        result = self.found.result
        for name, values, unit, title in (
            ("contact.time", result.contact_time, "s", "time of the first contact"),
            ("contact.speed", result.contact_speed, "m/s", "of the contact points then"),
            ("impacts", result.impacts, "1", "number of impacts, the grasp included"),
            ("energy_lost", result.energy_lost, "J", "kinetic energy lost in all impacts"),
            ("final.time", result.time, "s", "time at the end"),
            ("final.base_turn", result.base_turn, "rad", "by which the base has turned"),
            ("balance.energy", result.energy_balance, "J", "largest residual"),
            ("balance.linear_momentum", result.linear_balance, "N s", "largest residual"),
            ("balance.angular_momentum", result.angular_balance, "N m s", "largest residual"),
            ("peak.base_rate", result.peak_base_rate, "rad/s", "largest, of the base"),
        ):
            yield name, ((), array_of(values), unit, title)
        yield from self._optional()
        yield from self._final()
        yield (
            "peak.control",
            (
                ("rate",),
                self.view.rates(result.peak_control),
                ",".join(self.view.force_units),
                "largest generalized force",
            ),
        )
        if len(result.peak_reactions):
            title = "largest force through the joint"
            yield "peak.joint_reaction", (("joint",), result.peak_reactions, "N", title)
        yield from self._impact(result.impact)
        yield from self.optional

    def _optional(self) -> Iterator[tuple[str, Column]]:
        """What only some encounters have."""
        encounter, result = self.found.encounter, self.found.result
        if encounter.approach is not None:
            title = "of the tool to what it is to touch"
            yield "approach.closest.distance", ((), result.closest_distance, "m", f"least {title}")
            yield (
                "approach.closest.time",
                ((), result.closest_time, "s", f"when it is least {title}"),
            )
        if encounter.closure.takes_time:
            yield "contact.duration", ((), result.touching, "s", "how long the contact pushes")
            touches = value_of(result.touches)
            yield "contact.touches", ((), touches, "1", "how often it begins to push")
            yield "contact.peak_force", ((), result.peak_force, "N", "largest force of the contact")
            said = "on the chaser, of the contact as a whole"
            yield "contact.impulse", self._vector(result.impulse, "N s", said)
            if encounter.target is not None:
                said = "of the contact, in the unit of its law"
                yield "contact.damping", ((), result.damping, "", said)
        if encounter.chaser.mode == BaseMode.ATTITUDE_CONTROLLED:
            yield "peak.wheels", ((), result.peak_wheels, "N m s", "largest momentum in the wheels")
        if self.found.asked.settling and may_hold(encounter.closure):
            title = "s after the grasp from which every driven rate stays within 2 % of its peak"
            yield "settled", ((), result.settling_time, "s", title)

    def _coordinates(self, q: np.ndarray) -> np.ndarray:
        """With the base in front, (entries, cases) or (entries, times of all cases)."""
        rows, bases = self.view.coordinates(q), self.found.bases
        if bases is not None:
            rows[: len(bases)] = np.tile(bases, rows.shape[1] // max(1, bases.shape[1]))
        return rows

    def _final(self) -> Iterator[tuple[str, Column]]:
        """Where chaser and target are in the end."""
        result, target = self.found.result, self.found.encounter.target
        q, v = self._coordinates(result.coordinates), self.view.rates(result.rates)
        units = ",".join(self.view.coordinate_units), ",".join(self.view.rate_units)
        yield "final.coordinates", (("coordinate",), q, units[0], f"of the chaser, {WORLD}")
        yield "final.rates", (("rate",), v, units[1], f"of the chaser, {WORLD}")
        if target is None or not len(result.target_coordinates):
            return
        (position, linear), (turn, spin) = (
            self.optional.target_center(),
            self.optional.target_turn(),
        )
        said = "of the target's centre of mass"
        yield "final.target.position", self._vector(position, "m", said)
        yield "final.target.linear", self._vector(linear, "m/s", said)
        if self.planar:
            yield "final.target.angle", ((), turn, "rad", "of the target, full turns counted")
            yield "final.target.angular", ((), spin, "rad/s", "of the target")
        else:
            said = "world ← target"
            yield "final.target.orientation", (("quaternion",), canonical(turn), "1", said)
            yield "final.target.angular", (("axis",), spin, "rad/s", f"of the target, {WORLD}")

    def _impact(self, impact: Mapping[str, np.ndarray]) -> Iterator[tuple[str, Column]]:
        """The last impact, which closed the grasp where one closed, or the last touch."""
        result, encounter = self.found.result, self.found.encounter
        yield "impact.impulse", self._vector(result.last_impulse, "N s", "on the chaser")
        if not self.found.asked.impacts:
            return

        def kept(name: str, rows: int) -> np.ndarray:
            return impact.get(name, np.full((rows, len(result)), np.nan))

        yield "impact.time", ((), result.impact_time, "s", "of the last impact, when it begins")
        said = "of the last impact; NaN where it has not ended"
        yield "impact.duration", ((), result.impact_duration, "s", said)
        rates = kept("chaser_rates", encounter.chaser.rate_count)
        # A base that cannot move has rates of zero, but not where there is no impact.
        rates = np.where(np.isnan(rates).any(axis=0), np.nan, self.view.rates(rates))
        said = "of the chaser just after"
        yield "impact.chaser_velocity", (("rate",), rates, ",".join(self.view.rate_units), said)
        if encounter.target is not None:
            yield from self._impact_of_target(kept)
        base, moment = np.split(kept("passed_on", 6), 2)
        yield "impact.base_impulse", self._vector(base, "N s", "from the base to the world")
        yield "impact.base_moment", self._axial(moment, "N m s", "about the base frame's origin")
        energy = kept("energy", 2)
        momenta = kept("linear_momentum", 6), kept("angular_momentum", 6)
        for k, when in enumerate(_BEFORE_AFTER):
            said = f"of both together just {when}"
            yield f"impact.energy.{when}", ((), energy[k], "J", f"kinetic, {said}")
            linear, angular = (both[3 * k : 3 * k + 3] for both in momenta)
            yield f"impact.linear_momentum.{when}", self._vector(linear, "N s", said)
            said += ", about the world's origin"
            yield f"impact.angular_momentum.{when}", self._axial(angular, "N m s", said)
        if self.labels["joint"]:
            yield from self._reactions(self._loads(kept, "reactions", len(self.labels["joint"])))
        fixed = mounts(encounter.chaser)
        loads = self._loads(kept, "mounts", len(fixed))
        for joint, (force, moment) in zip(fixed, loads, strict=True):
            at, said = f"impact.joint_reactions.{joint.name}", "impulse through it, its own axes"
            yield f"{at}.force", self._vector(force, "N s", said, "link axes")
            yield f"{at}.moment", self._axial(moment, "N m s", said, "link axes")
            yield f"{at}.magnitude", ((), _length(force), "N s", "of its force")

    def _impact_of_target(
        self, kept: Callable[[str, int], np.ndarray]
    ) -> Iterator[tuple[str, Column]]:
        """How the target moves before and after, and on what it is met."""
        linear, angular = np.split(kept("target_velocity", 6), 2)
        said = "of the target's centre of mass just after"
        yield "impact.target_velocity.linear", self._vector(linear, "m/s", said)
        yield "impact.target_velocity.angular", self._axial(angular, "rad/s", "of the target then")
        said = "of the target's contact point seen from the tool just before"
        relative = kept("relative_velocity", 3)
        yield "impact.relative_velocity", self._vector(relative, "m/s", said)
        yield "impact.moment", self._axial(kept("moment", 3), "N m s", "on the chaser")
        if isinstance(self.found.encounter.closure, Bounce):
            mass = kept("effective_mass", 1)[0]
            yield "impact.effective_mass", ((), mass, "kg", "along the normal")
        if isinstance(self.found.encounter.closure, (Bounce, Compliant)):
            normal = kept("normal", 3)
            yield "impact.normal", self._vector(normal, "1", "from chaser to target")
            said = "at which the points come together along the normal just before"
            speed = -(relative * normal).sum(axis=0)
            yield "impact.normal_speed", ((), speed, "m/s", said)

    @staticmethod
    def _loads(kept: Callable[[str, int], np.ndarray], name: str, joints: int) -> np.ndarray:
        """Force and moment at each of some joints, (joints, 2, 3, cases)."""
        loads = kept(name, 6 * joints)
        return loads.reshape(joints, 2, 3, loads.shape[-1])

    def _reactions(self, loads: np.ndarray) -> Iterator[tuple[str, Column]]:
        """Impulses through the joints in the last impact, (joints, 2, 3, cases)."""
        said = "impulse on the outboard link, link axes"
        force, moment = loads[:, 0], loads[:, 1]
        entries = force[:, : len(self.axes)]
        yield "impact.joint_reactions.force", (("joint", "axis"), entries, "N s", said)
        size = np.moveaxis(force, 0, 1)
        yield "impact.joint_reactions.magnitude", (("joint",), _length(size), "N s", "of its force")
        said = "of the impulse about the joint, link axes"
        if self.planar:
            yield "impact.joint_reactions.moment", (("joint",), moment[:, 2], "N m s", said)
        else:
            yield "impact.joint_reactions.moment", (("joint", "axis"), moment, "N m s", said)

    def _vector(self, values: np.ndarray, unit: str, title: str, axes: str = WORLD) -> Column:
        """A vector, in world axes, (3, cases)."""
        return ("axis",), values[: len(self.axes)], unit, f"{title}, {axes}"

    def _axial(self, values: np.ndarray, unit: str, title: str, axes: str = WORLD) -> Column:
        """An axial vector (3, cases): in the plane one number."""
        if self.planar:
            return (), values[2], unit, title
        return ("axis",), values, unit, f"{title}, {axes}"


def _length(vectors: np.ndarray) -> np.ndarray:
    """The lengths of vectors (3, …)."""
    return np.sqrt((vectors**2).sum(axis=0))
