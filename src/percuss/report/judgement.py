"""What a summary amounts to in a line. The laws were judged where the impact was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from percuss.report.timeline import impacts_of
from percuss.report.words import counted, listed, lookup, number, size

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
    if summary.get("status") == "missed":
        return _missed(summary)
    if lookup(summary, "impact") is None:
        return "motion without an impact"
    parts: list[str] = []
    impulse = size(lookup(summary, "impact.impulse"))
    if impulse is not None:
        parts.append(f"impulse {number(impulse, 3)} N s")
    peak = peak_force(summary)
    if peak is not None:
        parts.append(f"peak force {number(peak, 3)} N")
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    if before is not None and after is not None:
        parts.append(f"energy {number(before, 3)} → {number(after, 3)} J")
    parts.extend(_momentum_words(summary))
    return f"{_kind(summary)}: {', '.join(parts)}"


def peak_force(summary: Mapping[str, Any]) -> float | None:
    """Largest force of all touches (N); None for a contact that takes no time."""
    touches = lookup(summary, "contact.touches") or ()
    found = [size(touch.get("peak_force")) for touch in touches]
    return max((peak for peak in found if peak is not None), default=None)


def outcome_words(summary: Mapping[str, Any]) -> tuple[str, str]:
    """How it ended: the status, and the sentence about it without saying it again.

    >>> outcome_words({"status": "missed", "outcome": "Missed: the tool came within 1 m."})
    ('missed', 'the tool came within 1 m.')
    """
    status, sentence = (str(summary.get(key) or "") for key in ("status", "outcome"))
    if status and sentence.lower().startswith(status):
        sentence = sentence[len(status) :].lstrip(": ")
    return status, sentence


def end_words(summary: Mapping[str, Any]) -> str:
    """When the state at the end of a run is: After 40 s; a miss has nothing to be after.

    >>> end_words({"status": "missed", "final": {"time": 40.0}})
    'At the end (40 s)'
    """
    time = lookup(summary, "final.time")
    if summary.get("status") == "missed":
        return "At the end" if time is None else f"At the end ({number(time, 6)} s)"
    return "After" if time is None else f"After {number(time, 6)} s"


def _missed(summary: Mapping[str, Any]) -> str:
    distance, time = (lookup(summary, f"approach.closest.{k}") for k in ("distance", "time"))
    if distance is None:
        return "missed: no contact"
    return f"missed by {number(distance)} m: closest at {number(time)} s, no contact"


def _kind(summary: Mapping[str, Any]) -> str:
    """What kind of contact it was, with its time where the run begins before it."""
    closure = lookup(summary, "impact.closure")
    kind = f"{closure} capture" if closure in _PLASTIC else str(closure or "impact")
    if closure == "compliant":
        kind = "compliant contact"
    impacts = len(impacts_of(summary))
    time = lookup(summary, "impact.time")
    when = f" at {number(time)} s" if time else ""
    status = summary.get("status")
    if status == "held":
        return f"held by a spring{when.replace(' at', ' from')}{' on' if when else ''}"
    if status == "accumulated":
        return f"{counted(impacts, 'bounce')} pile up{when}; the last"
    if status == "unfinished":
        return f"still bouncing after {counted(impacts, 'bounce')}{when}; the last"
    if impacts > 1 and closure in _PLASTIC:
        return f"{kind} after {counted(impacts - 1, 'bounce')}{when}"
    if impacts > 1:
        noun = "bounce" if closure == "bounce" else "touch"
        many = f"{impacts} {noun}{'es' if noun == 'touch' else 's'}"
        return f"{many}{when.replace(' at', ', the last at')}"
    return f"{kind}{when}"


def _momentum_words(summary: Mapping[str, Any]) -> Iterator[str]:
    states = {given.law: given.state for given in judged(summary) if given.law in _MOMENTA}
    broken = [law for law, state in states.items() if state == "broken"]
    if broken:
        yield f"{listed(broken)} NOT conserved"
    elif "passed on" in states.values():
        passed = size(lookup(summary, "impact.base_impulse"))
        amount = f"{number(passed, 3)} N s" if passed else "momentum"
        yield f"the fixed base passed {amount} to the world"
    elif states and summary.get("status") != "pushed":
        yield "momentum conserved"
