"""`python -m tests.identification.ablation`: what happens where an option is smaller or larger.

Records of the honesty campaign and of the coverage study are identified with one option changed at
a time, and what is said of them is compared with their truth. An option that the identification of
a record does not ask for cannot change it: only those are tried that it asks for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from percuss.identification.coverage import coverage
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.identification.options.search import GROUPS
from percuss.model.errors import ModelError
from tests.identification.campaign import counted
from tests.identification.cases import NOISE
from tests.identification.studies import STUDIES

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "search-options.md"
SEED = 11
"""Of the campaign's cases."""
RECORDS = (
    ("within the noise", 2498),
    ("wrong mass", 289),
    ("records from t = 0", 897),
    ("honest records", 1346),
    ("bias", 52),
    ("wrong closure", 766),
    ("few samples", 988),
    ("one sensor only", 869),
    ("within the noise", 632),
    ("wrong shape", 2128),
    ("honest records", 226),
    ("wrong mass", 1196),
    ("delay", 18),
    ("records from t = 0", 670),
    ("few samples", 521),
    ("one sensor only", 122),
    ("within the noise", 2525),
    ("honest records", 1493),
)
"""Kind and index of the campaign's cases in the plane: those that were farthest off, that once
misled, or that are refused a number."""
DRAWN = {
    "pin": 100,
    "weld": 60,
    "held by its joints, a tenth of the samples missing": 40,
    "the robot's own state uncertain": 40,
    "everything unknown": 20,
}
"""How many targets of which coverage study are identified at once."""
SEARCHES = 4
"""Of each of them."""
FARTHER = 2.0
"""How many times as far from what is believed as in the study: a search is to be hard."""
ENOUGH = 3
"""Targets of which something else must be said for an option not to be tried any more."""
MANY = 10.0
"""Factor of numbers ≤ 0.01 or ≥ 1000, which are tolerances and limits."""
SOME = 3.0
"""Of other numbers."""
FEW = 2.0
"""Of whole numbers."""


@dataclass(frozen=True)
class Tried:
    """What became of one record, or of those of one study, with one option changed.

    Attributes:
        record: which.
        name, value: the option, "" and None for all by default.
        beyond_4, beyond_5: quantities off by more standard deviations without a warning; of the
            campaign cases.
        withheld: quantities of those that could be known that got no number.
        known: that could be known.
        warned: cases with a warning.
        said: of each target a short text that differs where what is said differs.
        seconds: that it took.
    """

    record: str
    name: str
    value: Any
    beyond_4: int
    beyond_5: int
    withheld: int
    known: int
    warned: int
    said: tuple[str, ...]
    seconds: float


def watched(seen: set[str]) -> SearchOptions:
    """The defaults, which note in `seen` what is asked for."""

    def of(name: str, group: type) -> Any:
        own = {each.name for each in fields(group)}

        class Watched(group):
            def __getattribute__(self, key: str) -> Any:
                if key in own:
                    seen.add(f"{name}.{key}")
                return super().__getattribute__(key)

        return Watched()

    made = SearchOptions(**{name: of(name, group) for name, group in GROUPS.items()})
    seen.clear()
    return made


def neighbours(name: str) -> Iterator[tuple[str, Any]]:
    """("smaller" or "larger", value) of an option; what is not allowed is taken half as far."""
    default = DEFAULT.value(name)
    for word, sign in (("smaller", -1.0), ("larger", 1.0)):
        for share in (1.0, 0.5, 0.2):
            value = _scaled(default, sign * share)
            if value == default:
                continue
            try:
                DEFAULT.changed({name: value})
            except ModelError:
                continue
            yield word, value
            break


def _scaled(default: Any, sign: float) -> Any:
    """A default times its factor to the power of `sign`."""
    if isinstance(default, tuple):
        return tuple(float(x) * SOME**sign for x in default)
    size = abs(default)
    factor = MANY if size <= 0.01 or size >= 1000 else FEW if isinstance(default, int) else SOME
    value = default * factor**sign
    if not isinstance(default, int):
        return value
    return min(round(value), default - 1) if sign < 0 else max(round(value), default + 1)


def _of_campaign(
    kind: str, index: int, options: SearchOptions
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    one = counted(kind, SEED, index, options)
    off = (int(one.beyond > 4.0), int(one.beyond > 5.0))
    said = f"{one.outcome} {one.worst:.3f} {one.withheld} {one.warned} {one.words}"
    return (*off, one.withheld, one.sure, int(one.warned)), (said,)


def _of_study(name: str, options: SearchOptions) -> tuple[tuple[int, ...], tuple[str, ...]]:
    study = next(each for each in STUDIES if each.name == name)
    found = coverage(
        _model(name),
        NOISE,
        DRAWN[name],
        seed=1,
        share=FARTHER * study.share,
        starts=SEARCHES,
        options=options,
    )
    errors = np.abs(found.errors)
    off = tuple(int((errors > most).any(axis=0).sum()) for most in (4.0, 5.0))
    asked = int((~found.nuisance).sum()) * DRAWN[name]
    shown_errors = np.nan_to_num(errors, nan=-1.0).T
    said = tuple(" ".join(f"{x:.2f}" for x in target) for target in shown_errors)
    return (*off, asked - int(found.given.sum()), asked, 0), said


@cache
def _model(name: str) -> Any:
    return next(each for each in STUDIES if each.name == name).model


def tried(record: str, name: str, value: Any) -> Tried:
    """One record with one option changed."""
    options = DEFAULT.changed({name: value}) if name else DEFAULT
    return _tried(record, name, value, options)


def _tried(record: str, name: str, value: Any, options: SearchOptions) -> Tried:
    begun = time.process_time()
    kind, _, index = record.partition(" #")
    try:
        told = _of_campaign(kind, int(index), options) if index else _of_study(kind, options)
    except ModelError as refusal:
        told = ((0, 0, 0, 0, 0), (f"refused: {refusal}",))
    except Exception as error:  # an option that breaks the search is a row of the table
        told = ((0, 0, 0, 0, 0), (f"broken: {type(error).__name__}: {error}",))
    numbers, said = told
    off_4, off_5, withheld, known, warned = numbers
    return Tried(
        record=record,
        name=name,
        value=value,
        beyond_4=off_4,
        beyond_5=off_5,
        withheld=withheld,
        known=known,
        warned=warned,
        said=said,
        seconds=time.process_time() - begun,
    )


def run(records: Iterable[str], only: str, seconds: float, kept: Path) -> None:
    """Try all options on one record after the other; what is done is written at once.

    An option of which so many targets have shown what it does is not tried on further records.
    """
    begun = time.monotonic()
    done = {(one.record, one.name, str(one.value)): one for one in read(kept)}
    # Processes that begin afresh: threads of kernels do not survive a fork.
    with kept.open("a", encoding="utf-8") as file, get_context("spawn").Pool() as pool:

        def note(one: Tried) -> None:
            done[one.record, one.name, str(one.value)] = one
            file.write(json.dumps(asdict(one)) + "\n")
            file.flush()

        for record in records:
            seen: set[str] = set()
            _tried(record, "", None, watched(seen))  # compiles, too
            if (record, "", "None") not in done:
                note(tried(record, "", None))
            shown_by = _changed_targets(list(done.values()))
            asked = [
                (record, each.name, value)
                for each in SearchOptions.described()
                if each.name in seen and only in ("", each.name)
                for _, value in neighbours(each.name)
                if (record, each.name, str(value)) not in done
                and shown_by[each.name, value] < ENOUGH
            ]
            print(f"{record}: {len(asked)} values of {len(seen)} options", flush=True)
            for one in pool.imap_unordered(_tried_with, asked):
                note(one)
                if time.monotonic() - begun > seconds:
                    print("stopped: the time is over", flush=True)
                    pool.terminate()
                    return


def _tried_with(asked: tuple[str, str, Any]) -> Tried:
    return tried(*asked)


def _changed_targets(done: list[Tried]) -> dict[tuple[str, Any], int]:
    """Of how many targets something else is said with an option of another value."""
    plain = {one.record: one for one in done if not one.name}
    found: dict[tuple[str, Any], int] = defaultdict(int)
    for one in done:
        if one.name and one.record in plain:
            found[one.name, one.value] += _differ(one, plain[one.record])
    return found


def read(kept: Path) -> list[Tried]:
    if not kept.exists():
        return []
    lines = kept.read_text(encoding="utf-8").splitlines()
    made = [Tried(**json.loads(line)) for line in lines]
    return [
        Tried(**{**asdict(one), "value": _plain(one.value), "said": tuple(one.said)})
        for one in made
    ]


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Row:
    """What became of all records that ask for an option, beside what becomes of them by default."""

    name: str
    way: str
    value: Any
    targets: int
    changed: int
    now: tuple[int, ...]
    before: tuple[int, ...]
    slower: float
    refused: int
    broken: int

    @property
    def words(self) -> str:
        """What is worse or better, "" where no number of the table is another."""
        named = ("beyond 4 σ", "beyond 5 σ", "withheld", "warned")
        pairs = zip(named, self.now, self.before, strict=True)
        parts = [f"{now} {what} instead of {was}" for what, now, was in pairs if now != was]
        if self.refused:
            parts.append(f"{self.refused} refused")
        if self.broken:
            parts.append(f"{self.broken} broken off")
        if not 0.5 < self.slower < 2.0:  # less is within what a busy machine does
            parts.append(f"{self.slower:.2g} times the time")
        return ", ".join(parts)


def rows(done: list[Tried]) -> list[Row]:
    """All options that were tried, in order."""
    plain = {one.record: one for one in done if not one.name}
    by_name: dict[tuple[str, Any], list[Tried]] = defaultdict(list)
    for one in done:
        if one.name and one.record in plain:
            by_name[one.name, one.value].append(one)
    found: list[Row] = []
    for each in SearchOptions.described():
        for way, value in neighbours(each.name):
            own = by_name.get((each.name, value), [])
            if not own:
                continue
            was = [plain[one.record] for one in own]
            found.append(
                Row(
                    name=each.name,
                    way=way,
                    value=value,
                    targets=sum(len(one.said) for one in was),
                    changed=sum(_differ(a, b) for a, b in zip(own, was, strict=True)),
                    now=_sums(own),
                    before=_sums(was),
                    slower=sum(one.seconds for one in own) / sum(one.seconds for one in was),
                    refused=_count(own, "refused") - _count(was, "refused"),
                    broken=_count(own, "broken"),
                )
            )
    return found


def _differ(one: Tried, other: Tried) -> int:
    """Of how many targets something else is said; of all of them where one was refused."""
    if len(one.said) != len(other.said):
        return max(len(one.said), len(other.said))
    return sum(a != b for a, b in zip(one.said, other.said, strict=True))


def _count(tries: list[Tried], word: str) -> int:
    return sum(one.said[0].startswith(word) for one in tries)


def _sums(tries: list[Tried]) -> tuple[int, ...]:
    return (
        sum(one.beyond_4 for one in tries),
        sum(one.beyond_5 for one in tries),
        sum(one.withheld for one in tries),
        sum(one.warned for one in tries),
    )


def held(done: list[Tried]) -> dict[str, str]:
    """What holds each option, in a sentence; no entry for those that no record asks for."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows(done):
        by_name[row.name].append(row)
    found: dict[str, str] = {}
    for name, own in by_name.items():
        told = [f"{row.way.title()} ({shown(row.value)}): {row.words}" for row in own if row.words]
        count = max(row.targets for row in own)
        changed = max(row.changed for row in own)
        if told:
            found[name] = f"{'; '.join(told)}."
        elif changed:
            said = f"what is said of {changed} of {count} targets differs"
            found[name] = f"Neither smaller nor larger changes a count; {said}."
        else:
            found[name] = f"Neither smaller nor larger changes anything of {count} targets."
    return found


def shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{x:.3g}" for x in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def page(done: list[Tried]) -> str:
    """The table as a document."""
    plain = [one for one in done if not one.name]
    cases = sum(DRAWN.get(one.record, 1) for one in plain)
    lines = [
        "# Options of the search",
        "",
        "`python -m tests.identification.ablation` identifies records of a known truth with one",
        "option changed at a time. [Identify](identify.md) says what is computed, and [the",
        "reference](../reference/identify.md#options-of-the-search) what each option is and why.",
        "",
        f"The sample are {len(plain)} records of {cases} targets: "
        + ", ".join(_named(one.record) for one in plain)
        + ".",
        f"Numbers ≤ 0.01 or ≥ 1000 are changed by a factor of {MANY:g}, whole numbers by {FEW:g},",
        f"others by {SOME:g}; less where that is not allowed. Beside a count that changes stands",
        "that of the same records by default. *Withheld* are quantities that could be known and",
        "got no number; of the coverage study all that are asked for. *Differ* are targets of",
        "which anything else is said, *time* is relative. An option is not tried on further",
        f"records when {ENOUGH} targets have shown what it does; one that is not here was asked",
        "for by none before the time was over, and the reference names tests.",
        "",
        "| option | default | changed to | targets | differ | beyond 4 σ unwarned "
        "| beyond 5 σ unwarned | withheld | warned | refused | time |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows(done):
        pairs = zip(row.now, row.before, strict=True)
        counts = [f"{now}" if now == was else f"**{now}** ({was})" for now, was in pairs]
        refused = str(row.refused) + (f", {row.broken} broken off" if row.broken else "")
        cells = [
            f"`{row.name}`",
            shown(DEFAULT.value(row.name)),
            shown(row.value),
            row.targets,
            row.changed,
            *counts,
            refused,
            f"{row.slower:.2f}",
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _named(record: str) -> str:
    kind, _, index = record.partition(" #")
    if index:
        return f"{kind} {index}"
    return f"{DRAWN[kind]} of the coverage study “{kind}”, {FARTHER:g} times as far away"


def main() -> int:
    """Try, print the table and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.identification.ablation")
    parser.add_argument("--cases", type=int, default=len(RECORDS), help="of the campaign")
    parser.add_argument("--only", default="", metavar="FIELD", help="one option, group.name")
    parser.add_argument("--minutes", type=float, default=25.0, help="at most")
    parser.add_argument("--kept", default="build/ablation.jsonl", help="what has been tried")
    parser.add_argument("--out", default="", help=f"the page, such as {PAGE.name}")
    asked = parser.parse_args()
    kept = Path(asked.kept)
    kept.parent.mkdir(parents=True, exist_ok=True)
    if asked.only:
        DEFAULT.value(asked.only)
    cases = [f"{kind} #{index}" for kind, index in RECORDS[: asked.cases]]
    drawn = list(DRAWN)
    records = [*drawn[:1], *cases[:6], *drawn[1:3], *cases[6:], *drawn[3:]]
    run(records, asked.only, 60.0 * asked.minutes, kept)
    text = page([one for one in read(kept) if asked.only in ("", one.name) or not one.name])
    print(text)
    if asked.out:
        Path(asked.out).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
