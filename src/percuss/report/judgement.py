"""What a summary amounts to in a line. The laws were judged where the impact was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from percuss.report.words import listed, lookup, number, size

_PLASTIC = ("pin", "weld", "published")
_MOMENTA = ("linear momentum", "angular momentum")


@dataclass(frozen=True)
class Judged:
    """A conservation law as the summary tells it: its state is kept, lost, passed on or broken."""

    law: str
    state: str
    text: str


def judged(summary: Mapping[str, Any]) -> tuple[Judged, ...]:
    """The laws of `summary["laws"]`, in their order."""
    return tuple(
        Judged(str(given["law"]), str(given["state"]), str(given["text"]))
        for given in summary.get("laws") or ()
    )


def headline(summary: Mapping[str, Any]) -> str:
    """One line: weld capture: impulse 1.84 N s, energy 7.5 → 6.58 J, momentum conserved."""
    closure = lookup(summary, "impact.closure")
    if lookup(summary, "impact") is None:
        return "motion without an impact"
    kind = f"{closure} capture" if closure in _PLASTIC else str(closure or "impact")
    parts: list[str] = []
    impulse = size(lookup(summary, "impact.impulse"))
    if impulse is not None:
        parts.append(f"impulse {number(impulse, 3)} N s")
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    if before is not None and after is not None:
        parts.append(f"energy {number(before, 3)} → {number(after, 3)} J")
    parts.extend(_momentum_words(summary))
    return f"{kind}: {', '.join(parts)}"


def _momentum_words(summary: Mapping[str, Any]) -> Iterator[str]:
    states = {given.law: given.state for given in judged(summary) if given.law in _MOMENTA}
    broken = [law for law, state in states.items() if state == "broken"]
    if broken:
        yield f"{listed(broken)} NOT conserved"
    elif "passed on" in states.values():
        passed = size(lookup(summary, "impact.base_impulse"))
        amount = f"{number(passed, 3)} N s" if passed else "momentum"
        yield f"the fixed base passed {amount} to the world"
    elif states:
        yield "momentum conserved"
