"""What an ensemble returns: how each case ended, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from percuss.encounter.ensemble.failures import Failure, together
from percuss.encounter.outcome import Outcome

TABLES = ("impact", "history", "optional", "uses")
"""What is kept by name."""


@dataclass(frozen=True)
class EnsembleResult:
    """Cases of an ensemble; arrays end with the cases, SI units, world axes.

    What a case does not have is NaN: a contact time where the tool missed, a closest approach
    without an approach, momentum balances where a fixed base passes momentum on.

    Attributes:
        status: an `Outcome` per case.
        contact_time: s, of the first contact.
        contact_speed: m/s, of the contact points relative to each other then.
        closest_distance, closest_time: m and s, of the approach: the tool from the contact
            point, or from the surface where that is what it is to touch.
        impacts: how often they hit each other, the grasp included; of a contact that takes time
            how often it began.
        impulse: (3, cases), N s, of the last impact, on the chaser; of a contact that takes
            time the impulse of all of it.
        last_impulse: (3, cases), N s, of the last impact, or of the last touch of a contact that
            takes time.
        impact_duration: s, of the same, where asked for; NaN where it has not ended.
        damping: of a contact that takes time, in the unit of its law.
        energy_lost: J, in all impacts, or by a contact that takes time.
        time: s, at the end.
        coordinates, rates: of the chaser at the end, in the order of its model.
        target_coordinates, target_rates: of the target at the end, as a system of its own.
        peak_control: largest |u| on each of the chaser's rates, N and N m.
        peak_base_rate: rad/s, largest angular velocity of the base.
        peak_wheels: N m s, largest momentum in the wheels.
        peak_reactions: (joints, cases), N, largest force through each moving joint, where
            asked for.
        peak_force: N, largest force of a contact that takes time.
        touching: s, how long it lasted in all.
        touches: how often it began.
        settling_time: s after the grasp, since when every driven rate is within 2 % of its peak,
            where asked for.
        energy_balance, linear_balance, angular_balance: largest residuals (J, N s, N m s) over
            all phases and impacts: change minus work and external impulse.
        impact_time: s, of the last impact.
        impact: everything about the last impact by name, (entries, cases), where asked for; see
            `percuss.encounter.ensemble.impacts.everything`.
        base_turn: rad, by how much the base has turned since the start.
        uses: (joints, cases) of the joints with one axis, where asked for: `highest` position,
            `lowest` as its negative, and `fastest` rate.
        jolts: (5, joints, cases), see `percuss.encounter.ensemble.joint_use.JOLT`.
        optional: what else was found out by the name of a dataset, (…, cases), where asked for.
        history: signals over time by name, (entries, times, cases), where asked for.
        failures: cases that failed, by phase and reason; `Ensemble.explain` says what makes
            it so.
        remarks: sentences on how the cases were computed, where that is not as usual.
    """

    status: np.ndarray
    contact_time: np.ndarray
    contact_speed: np.ndarray
    closest_distance: np.ndarray
    closest_time: np.ndarray
    impacts: np.ndarray
    impulse: np.ndarray
    last_impulse: np.ndarray
    impact_duration: np.ndarray
    damping: np.ndarray
    energy_lost: np.ndarray
    time: np.ndarray
    coordinates: np.ndarray
    rates: np.ndarray
    target_coordinates: np.ndarray
    target_rates: np.ndarray
    peak_control: np.ndarray
    peak_base_rate: np.ndarray
    peak_wheels: np.ndarray
    peak_reactions: np.ndarray
    peak_force: np.ndarray
    touching: np.ndarray
    touches: np.ndarray
    settling_time: np.ndarray
    energy_balance: np.ndarray
    linear_balance: np.ndarray
    angular_balance: np.ndarray
    impact_time: np.ndarray
    base_turn: np.ndarray
    uses: Mapping[str, np.ndarray]
    jolts: np.ndarray
    optional: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    impact: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    history: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    failures: tuple[Failure, ...] = ()
    remarks: tuple[str, ...] = ()

    @staticmethod
    def joined(parts: Sequence[EnsembleResult]) -> EnsembleResult:
        """Results of some cases after others."""
        if len(parts) == 1:
            return parts[0]
        arrays: dict[str, Any] = {
            one.name: np.concatenate([getattr(part, one.name) for part in parts], axis=-1)
            for one in fields(EnsembleResult)
            if one.name not in (*TABLES, "failures", "remarks")
        }
        counts = [len(part) for part in parts]
        arrays |= {
            name: _all_of([getattr(part, name) for part in parts], counts) for name in TABLES
        }
        first = np.cumsum([0, *(len(part) for part in parts)])
        failures = [
            replace(failure, cases=failure.cases + at)
            for part, at in zip(parts, first, strict=False)
            for failure in part.failures
        ]
        remarks = dict.fromkeys(remark for part in parts for remark in part.remarks)
        return EnsembleResult(**arrays, failures=together(failures), remarks=tuple(remarks))

    def __repr__(self) -> str:
        why = "".join(f"; {said}" for said in (*self.failures, *self.remarks))
        return f"<EnsembleResult of {len(self)} cases: {self.words}{why}>"

    def __len__(self) -> int:
        return self.status.shape[-1]

    def count(self, outcome: Outcome) -> int:
        """How many cases ended so."""
        return int((self.status == outcome).sum())

    @property
    def words(self) -> str:
        """How the cases ended, e.g. `95 captured, 5 missed`."""
        found = [(self.count(one), one.name.lower()) for one in Outcome]
        return ", ".join(f"{number:,} {name}" for number, name in found if number) or "no cases"


def _all_of(
    tables: Sequence[Mapping[str, np.ndarray]], counts: Sequence[int]
) -> dict[str, np.ndarray]:
    """Arrays (…, cases) by name of some cases after others, NaN where some do not have them."""
    found: dict[str, np.ndarray] = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        shape = next(table[name].shape[:-1] for table in tables if name in table)
        parts = [
            table.get(name, np.full((*shape, count), np.nan))
            for table, count in zip(tables, counts, strict=True)
        ]
        found[name] = np.concatenate(parts, axis=-1)
    return found
