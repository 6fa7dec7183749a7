"""Cases of random encounters with random numbers, computed together and on their own.

    python -m tests.encounter.campaign --count 300 --seed 7

An example is a random encounter of `tests.encounter.differential`, some of the numbers that it has
and random values of them: a few cases that are carried out together, two of which are run on their
own as well. Printed are how many cases were compared, refused by both or left out, and by how much
each column was off at most.

A case that is off its run by more than is allowed is left out where its run itself moves that much
when its numbers change by 1e-10, as where a tool grazes a surface, and where an impact of it is
slower than `GRAZES` along the normal. All others are disagreements.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import percuss
from percuss.encounter.errors import EncounterError
from percuss.encounter.numbers import EncounterNumbers
from percuss.model.errors import ModelError
from percuss.scenario.errors import ScenarioError
from percuss.scenario.numbers import ScenarioNumbers
from tests.encounter.differential import random_documents
from tests.encounter.many import (
    BETWEEN,
    CLOSE,
    EXACT,
    LOOSE,
    case_of,
    differences,
    drawn_of,
    found_columns,
    grazes,
    shares,
    single,
    told_by,
)

REFUSALS = (ScenarioError, EncounterError, ModelError)
CASES = 4
COMPARED = (1, 3)
"""Cases of an example that are run on their own as well."""
SHAKEN = 1e-10
"""Share by which the numbers of a case change to see whether its run moves by itself."""
ALONE = {
    "the meeting is out of reach": "is out of reach by",
    "no damping follows from a restitution": "so that no damping follows from it",
}
"""What only a run on its own is refused for: where lengths alone say that the tool does not get to
the meeting that is planned, and where points part from the start, so that no impact tells how they
rebound. Together such cases are carried out: they miss, and do not touch."""
TOGETHER = "many cases need a closure that keeps momentum"
"""What only many cases are refused for: a closure whose impulses do not balance."""
LOOSER = {**LOOSE, "settled": BETWEEN}
"""Shares that are allowed; when rates have settled a run reads off lines between its steps."""
MOST_LEFT_OUT = 0.05
"""Share of the cases that may be left out."""
MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
"""Names of the entries of an inertia in space, in their order."""

Numbers = ScenarioNumbers | EncounterNumbers
Values = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """An encounter, and values of some of its numbers in each of a few cases.

    The last case has a number that cannot be, where there is one among those that vary.
    """

    title: str
    given: percuss.Scenario | percuss.Encounter
    numbers: Numbers
    vary: Mapping[str, np.ndarray]
    impossible: bool

    @staticmethod
    def of(seed: int, folder: Path) -> Example:
        """The example of a seed."""
        rng = np.random.default_rng([seed, 1])
        document = next(random_documents(1, seed, folder)) | {"integration": EXACT}
        given: Any = percuss.Scenario(**document)
        numbers: Numbers = ScenarioNumbers(given)
        if rng.random() < 0.4:
            given = given.encounter
            numbers = EncounterNumbers(given)
        spreads = {name: float(10 ** rng.uniform(-3.0, -1.0)) for name in _chosen(numbers, rng)}
        vary = drawn_of(numbers, spreads, CASES + 1, int(rng.integers(2**31)))
        words = str(document["chaser"]["mode"]), str(document["impact"]["closure"]), *spreads
        title = f"{seed}: {type(given).__name__}, {', '.join(words)}"
        return Example(title, given, numbers, vary, _spoil(numbers, vary))

    @cached_property
    def found(self) -> Any:
        """All cases together."""
        return percuss.simulate(self.given, vary=self.vary, knows="truth", threads=1)

    def values(self, k: int) -> Values:
        """The numbers of one case."""
        return case_of(self.vary, k)

    def run(self, values: Values) -> percuss.Result:
        """The run of a case on its own."""
        if isinstance(self.given, percuss.Scenario):
            return single(self.given, dict(self._set(name, x) for name, x in values.items()))
        return percuss.simulate(self.numbers.encounter_of(values))

    def _set(self, name: str, value: Any) -> tuple[str, Any]:
        """Where a number stands in the scenario, and what is put there: joints and quaternions are
        lists there, inertias of bodies in space mappings."""
        if name == "target.orientation.rpy":
            return "target.orientation", {"rpy": value}
        if name == "target.inertia" and isinstance(value, list):
            return name, dict(zip(MOMENTS, value, strict=True))
        if not name.startswith("chaser.joints."):
            return name, value
        names = [one for one in self.numbers.names if one.startswith("chaser.joints.")]
        return f"chaser.joints[{names.index(name) + 1}]", value

    def shaken(self, k: int) -> Values:
        """The numbers of a case, and the target's velocity, all a little different."""
        values = self.values(k)
        if "target.velocity.linear" in self.numbers.names:
            own = self.numbers.number("target.velocity.linear").value
            values = {"target.velocity.linear": own.tolist()} | values
        arrays = {name: np.asarray(value, float) for name, value in values.items()}
        return {
            name: (a + SHAKEN * np.where(a == 0.0, 1.0, a)).tolist() for name, a in arrays.items()
        }


def _chosen(numbers: Numbers, rng: np.random.Generator) -> list[str]:
    """Names of a few numbers, any of them, that can be given together."""
    names = list(numbers.names)
    plain = [name for name in names if ".parameters." not in name]
    chosen: list[str] = []
    for _ in range(int(rng.integers(2, 7))):
        name = str(rng.choice(names if rng.random() < 0.5 else plain))
        beside = [one for one in chosen if _is_part(name, one) or _is_part(one, name)]
        if not beside and _can_be(numbers, [*chosen, name]):
            chosen.append(name)
    return chosen or ["duration"]


def _is_part(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}.")


def _can_be(numbers: Numbers, names: list[str]) -> bool:
    """Whether these numbers can be given together."""
    try:
        numbers.encounter_of({name: numbers.number(name).value.tolist() for name in names})
    except REFUSALS:
        return False
    return True


def _spoil(numbers: Numbers, vary: Mapping[str, np.ndarray]) -> bool:
    """Give the last case a number that cannot be; whether there is one."""
    for name, values in vary.items():
        number = numbers.number(name)
        wrong = -1.0 - np.abs(number.value)
        if not np.all(number.allowed(wrong[..., None])):
            values[-1] = wrong
            return True
    return False


@dataclass
class Tally:
    """What came of all examples."""

    kinds: Counter[str] = field(default_factory=Counter[str])
    """How many cases were compared, refused or left out, by outcome or reason."""
    worst: dict[str, float] = field(default_factory=dict[str, float])
    """By how much a column was off at most, as a share of its size."""
    wrong: list[str] = field(default_factory=list[str])
    """What batch and single run do not agree about, in words."""

    @property
    def compared(self) -> int:
        """Cases whose numbers are those of their runs."""
        return sum(n for kind, n in self.kinds.items() if kind.startswith("compared"))

    @property
    def left_out(self) -> float:
        """Share of the cases that are run by both that were left out."""
        left_out = sum(n for kind, n in self.kinds.items() if kind.startswith("left out"))
        return left_out / max(1, left_out + self.compared)

    def check(self, example: Example) -> None:
        """Carry out an example, and take down what comes of it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = example.found
            except REFUSALS as error:
                self._refused_as_a_whole(example, error)
                return
            self._check_refusals(example, found)
            for k in COMPARED:
                self._check_case(example, found, k)

    def _refused_as_a_whole(self, example: Example, error: Exception) -> None:
        """No case of it can be: then none can be run on its own."""
        if TOGETHER in str(error):
            self.kinds["not computed together: closure published"] += 1
            return
        for k in COMPARED:
            if _refusal(lambda k=k: example.run(example.values(k))):
                self.kinds["refused by both, as a whole"] += 1
            else:
                self._disagrees(example, k, f"refused together: {error}")

    def _check_refusals(self, example: Example, found: Any) -> None:
        """Cases that are refused have a reason and no numbers, and one that cannot be is."""
        refused = found["status"].values == "refused"
        if example.impossible and not refused[-1]:
            self._disagrees(example, CASES, "has a number that cannot be and is carried out")
        if (found["reason"].values[refused] == "").any():
            self.wrong.append(f"{example.title}: refused without a reason")
        for name in found_columns(found):
            if not np.isnan(found[name].values[refused]).all():
                self.wrong.append(f"{example.title}: {name} of a refused case")

    def _check_case(self, example: Example, found: Any, k: int) -> None:
        status, reason = (str(found[name].values[k]) for name in ("status", "reason"))
        runs: list[percuss.Result] = []
        why = _refusal(lambda: runs.append(example.run(example.values(k))))
        if why is not None:
            known = [told for told, words in ALONE.items() if words in why]
            if status in ("refused", "failed"):
                self.kinds[f"{status} by both"] += 1
            elif known:
                self.kinds[f"refused alone, {status} together: {known[0]}"] += 1
            else:
                self._disagrees(example, k, f"{status}, alone it is refused: {why}")
            return
        off = differences(found.isel(case=[k]), runs)
        beyond = {name: share[0] for name, share in off.items() if share[0] > allowed(name)}
        ends = runs[0].summary["status"]
        if status == ends and not beyond:
            self.kinds[f"compared, {status}"] += 1
            for name, share in off.items():
                self.worst[name] = max(self.worst.get(name, 0.0), float(share[0]))
            return
        left_out = self._left_out(example, found, k, runs[0])
        if left_out:
            self.kinds[f"left out: {left_out}"] += 1
            return
        said = f"{status} {reason}, alone {ends}; "
        said += ", ".join(f"{name} {share:.1e}" for name, share in list(beyond.items())[:6])
        self._disagrees(example, k, said)

    def _left_out(self, example: Example, found: Any, k: int, run: percuss.Result) -> str:
        """Why a case cannot be compared; empty for one that can."""
        if grazes(run):
            return "an impact grazes"
        moved: list[percuss.Result] = []
        if _refusal(lambda: moved.append(example.run(example.shaken(k)))):
            return "can hardly be"
        if moved[0].summary["status"] != run.summary["status"]:
            return "ends otherwise after a change by 1e-10"
        for name in found_columns(found):
            told = [told_by(one, name, found[name]) for one in (moved[0], run)]
            if told[0] is not None and told[1] is not None:
                off = float(shares(name, told[0][None], [told[1]])[0])
                if off > allowed(name):
                    return "moves as much after a change by 1e-10"
        return ""

    def _disagrees(self, example: Example, k: int, said: str) -> None:
        self.kinds["disagree"] += 1
        self.wrong.append(f"{example.title}; case {k}: {said}")

    def table(self) -> str:
        """All of it."""
        lines = [f"{count:6d} {kind}" for kind, count in sorted(self.kinds.items())]
        lines += [f"{100 * self.left_out:6.1f} % left out", "", "largest difference by column"]
        ranked = sorted(self.worst.items(), key=lambda item: -item[1] / allowed(item[0]))
        lines += [f"  {off:8.1e} of {allowed(name):.0e}  {name}" for name, off in ranked]
        return "\n".join([*lines, "", *self.wrong])


def allowed(name: str) -> float:
    """Share of a column's size by which a case may be off its run."""
    return LOOSER.get(name, CLOSE)


def _refusal(make: Callable[[], Any]) -> str | None:
    """Why something cannot be made; None where it can."""
    try:
        make()
    except REFUSALS as error:
        return str(error) or type(error).__name__
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description="Cases together and on their own.")
    parser.add_argument("--count", type=int, default=300, help="number of examples")
    parser.add_argument("--seed", type=int, default=7, help="of the first example")
    given = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        for number in range(given.count):
            told = len(tally.wrong)
            tally.check(Example.of(given.seed + number, Path(name)))
            print(f"\r{number + 1} of {given.count}", end="", file=sys.stderr, flush=True)
            for said in tally.wrong[told:]:
                print(f"\n{said}", flush=True)
    print(f"\n{tally.table()}")
    return 1 if tally.wrong or tally.left_out > MOST_LEFT_OUT else 0


if __name__ == "__main__":
    sys.exit(main())
