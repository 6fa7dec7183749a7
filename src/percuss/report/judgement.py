"""What an encounter amounts to in a line. The laws were judged where the impact was computed."""

from __future__ import annotations

from collections.abc import Iterator

from percuss.encounter.records.impact import ImpactRecord
from percuss.encounter.records.result import EncounterResult
from percuss.report.words import counted, listed, number, size

_PLASTIC = ("pin", "weld", "published")
_MOMENTA = ("linear momentum", "angular momentum")


def headline(result: EncounterResult) -> str:
    """One line: weld capture: impulse 1.84 N s, energy 7.5 → 6.58 J, momentum conserved."""
    impact = result.impact
    if result.is_missed:
        return _missed(result)
    if impact is None:
        return "motion without an impact"
    parts = [f"impulse {number(size(impact.impulse), 3)} N s"]
    peak = None if result.contact is None else result.contact.peak_force
    if peak is not None:
        parts.append(f"peak force {number(peak, 3)} N")
    energy = impact.energy
    parts.append(f"energy {number(energy.before, 3)} → {number(energy.after, 3)} J")
    parts.extend(_momentum_words(result, impact))
    return f"{_kind(result, impact)}: {', '.join(parts)}"


def outcome_words(result: EncounterResult) -> tuple[str, str]:
    """The status of an encounter, and the sentence on how it ended without saying it again.

    "Missed: the tool came within 1 m." is told as "missed" and "the tool came within 1 m.".
    """
    status, sentence = result.status, result.outcome
    if sentence.lower().startswith(status):
        sentence = sentence[len(status) :].lstrip(": ")
    return status, sentence


def end_words(result: EncounterResult) -> str:
    """When the state at the end of a run is: After 40 s; a miss has nothing to be after."""
    time = number(result.final.time, 6)
    return f"At the end ({time} s)" if result.is_missed else f"After {time} s"


def _missed(result: EncounterResult) -> str:
    if result.approach is None:
        return "missed: no contact"
    closest = result.approach.closest
    distance, time = number(closest.distance), number(closest.time)
    return f"missed by {distance} m: closest at {time} s, no contact"


def _kind(result: EncounterResult, impact: ImpactRecord) -> str:
    """What kind of contact it was, with its time where the run begins before it."""
    closure, impacts, status = impact.closure, len(result.impacts), result.status
    kind = f"{closure} capture" if closure in _PLASTIC else closure
    if closure == "compliant":
        kind = "compliant contact"
    when = f" at {number(impact.time)} s" if impact.time else ""
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


def _momentum_words(result: EncounterResult, impact: ImpactRecord) -> Iterator[str]:
    states = {law: state for law, state in result.law_states.items() if law in _MOMENTA}
    broken = [law for law, state in states.items() if state == "broken"]
    if broken:
        yield f"{listed(broken)} NOT conserved"
    elif "passed on" in states.values():
        passed = size(impact.base_impulse)
        amount = f"{number(passed, 3)} N s" if passed else "momentum"
        yield f"the fixed base passed {amount} to the world"
    elif states and result.status != "pushed":
        yield "momentum conserved"
