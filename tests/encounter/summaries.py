"""What the summary of a single run tells, under the names of a dataset of many cases.

Most names are those of `summary.json`. What is told of every joint is a table there and an axis in
a dataset; what a summary tells of every impact or touch is told there of the last one, or of all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

Summary = dict[str, Any]
Keys = tuple[str, ...]

BY_JOINT = ("joint_reactions", "joint_reaction", "joints")
"""Keys of summaries under which there is a table of joints."""
SPLIT = "impact.target_velocity"
"""A list of a summary that is two columns, of which the axes of turning come last."""


class UnknownError(KeyError):
    """Summaries have nothing of this name."""


def summary_value(summary: Summary, name: str, like: Any) -> Any:
    """What a summary tells under a name of a dataset, NaN for what the run does not have.

    `like` is the variable of the dataset. `UnknownError`, where summaries have no such name.
    """
    if name in ALTOGETHER:
        found = ALTOGETHER[name](summary)
    elif name.startswith(SPLIT):
        found = _half(_at(summary, SPLIT.split(".")), name.removeprefix(f"{SPLIT}."))
    elif "joint" in like.dims:
        return [_of_joint(summary, name, str(one), like) for one in like["joint"].values]
    else:
        found = _at(summary, name.split("."))
    return np.full(like.values.shape[1:], np.nan) if found is None else found


def _at(summary: Summary, path: Sequence[str]) -> Any:
    """The value at the end of a path; None where the run has none on the way there."""
    value: Any = summary
    for k, key in enumerate(path):
        if value is None:
            return None
        rest = ".".join(path[k:])
        if rest in value:
            return value[rest]
        if key not in value:
            raise UnknownError(".".join(path))
        value = value[key]
    return value


def _of_joint(summary: Summary, name: str, joint: str, like: Any) -> Any:
    """What is told of one joint; NaN for one that is in no table, as those without limits are."""
    path, nothing = name.split("."), np.full(like.values.shape[2:], np.nan)
    at = next(k for k, key in enumerate(path) if key in BY_JOINT) + 1
    table = _at(summary, path[:at])
    if table is None or joint not in table:
        return nothing
    found = _at(table[joint], path[at:])
    return nothing if found is None else found


def _half(velocity: list[float] | None, part: str) -> Any:
    """The linear or the angular part of the velocity of a body in the plane or in space."""
    if velocity is None:
        return None
    if len(velocity) == 3:
        return velocity[:2] if part == "linear" else velocity[2]
    return velocity[:3] if part == "linear" else velocity[3:]


# --- told of all impacts and touches together -----------------------------------------------------


def _touches(summary: Summary) -> list[Summary]:
    return summary["contact"]["touches"] if summary["contact"] else []


def _of_touches(what: Callable[[list[Summary]], Any]) -> Callable[[Summary], Any]:
    """Of a contact that takes time; nothing where the tool did not come to it."""
    return lambda summary: what(_touches(summary)) if _touches(summary) else None


def _energy_lost(summary: Summary) -> float:
    """J, by the forces of contacts alone, or in all impacts; motors may work meanwhile."""
    if summary["contact"] is not None:
        return sum(one["energy_lost"] for one in _touches(summary))
    changes = [one["energy"] for one in summary["impacts"]]
    return sum(change["before"] - change["after"] for change in changes)


def _is_pushed(summary: Summary) -> bool:
    """Whether a given force pushes, of which a summary tells no loss."""
    return summary["closure"] == "pulse"


def _contact_time(summary: Summary) -> float | None:
    return 0.0 if summary["approach"] is None else summary["approach"]["time"]


def _contact_speed(summary: Summary) -> float | None:
    approach = summary["approach"]
    if approach is not None:
        return approach["relative_speed"] if approach["touched"] else None
    velocity = summary["impacts"][0]["relative_velocity"] if summary["impacts"] else None
    return None if velocity is None else float(np.linalg.norm(velocity))


def _joins_at_once(summary: Summary) -> bool:
    """Whether a contact without a normal, of which no speed is told, begins the run."""
    at_once = summary["approach"] is None and summary["closure"] == "compliant"
    return at_once and (not summary["impacts"] or summary["impact"]["normal"] is None)


def _touching(summary: Summary) -> float:
    """s, for which contacts push in all; one that has not ended does so to the end of the run."""
    end = summary["final"]["time"]
    return sum((end if x["end"] is None else x["end"]) - x["begin"] for x in _touches(summary))


def _impulse(summary: Summary) -> Any:
    return np.sum([one["impulse"] for one in _touches(summary)], axis=0)


def _with_sign(target: Summary | None) -> Any:
    """The orientation of the target as the one of two quaternions whose first entry is positive; a
    summary goes on with the sign that it begins with."""
    if target is None:
        return None
    turn = np.array(target["orientation"])
    return turn * np.sign(turn[np.flatnonzero(turn)[0]])


ALTOGETHER: Mapping[str, Callable[[Summary], Any]] = {
    "contact.time": _contact_time,
    "contact.speed": _contact_speed,
    "contact.duration": _touching,
    "contact.peak_force": _of_touches(lambda some: max(one["peak_force"] for one in some)),
    "contact.touches": lambda summary: len(_touches(summary)),
    "contact.impulse": lambda summary: _impulse(summary) if _touches(summary) else None,
    "impacts": lambda summary: len(summary["impacts"]),
    "energy_lost": _energy_lost,
    "final.target.orientation": lambda summary: _with_sign(summary["final"]["target"]),
    "settled": lambda summary: (summary["stabilisation"] or {}).get("settling_time"),
}
"""What is told of all impacts or touches together, or under another name."""

UNTOLD: Mapping[str, Callable[[Summary], bool]] = {
    "peak.base_rate": lambda summary: True,  # noqa: ARG005
    "peak.wheels": lambda summary: True,  # noqa: ARG005
    "energy_lost": _is_pushed,
    "contact.speed": _joins_at_once,
    "impact.joint_reactions.*.*": lambda summary: summary["contact"] is not None,
}
"""Columns that summaries do not have, by pattern, with the runs whose summaries do not. The last
are joints that are fixed, of which only instantaneous impacts tell."""


def is_in_summary(summary: Summary, name: str) -> bool:
    """Whether a summary tells what a dataset has under a name, or that the run has none."""
    return not any(fnmatchcase(name, one) and rule(summary) for one, rule in UNTOLD.items())


# --- the numbers of a summary ---------------------------------------------------------------------

NOT_OF_A_CASE: Mapping[str, str] = {
    "planar": "the same in all cases",
    "phases.#*": "a table of the stretches of one run",
    "impacts.#*": "each impact; columns have the last one, and how many there are",
    "contact.touches.#*": "each touch; columns have the last one, and what all do together",
    "control.*": "settings, as they are given",
    "approach.control.*": "settings, as they are given",
    "approach.capture_radius": "as it is given",
    "approach.timeout": "as it is given",
    "approach.meet.*": "as it is given; columns have it as what was planned",
    "contact.stiffness": "as it is given",
    "contact.friction": "as it is given",
    "contact.slip_speed": "as it is given, or as usual",
    "stabilisation.wheels.capacity": "as it is given",
    "approach.arrival.sideways_speed.planned": "always 0",
    "approach.arrival.offset.planned": "always 0",
    "approach.touched": "the status says it",
    "limits.joints.*.holds": "follows from peaks and limits; limits.holds says it of all",
    "stabilisation.dump.*": "of the plan of a dump; thrusters.torque_impulse is what it used",
    "integration.steps": "how it was computed",
    "laws.#*": "judgements of impacts",
    "notices.#*": "lines of files",
}
"""Numbers of summaries that a dataset need not have, by pattern, with the reason."""

RENAMED: Mapping[str, str] = {
    "approach.time": "contact.time",
    SPLIT: f"{SPLIT}.linear",
    "stabilisation.settling_time": "settled",
}
"""Numbers of summaries that columns have under another name."""


def without_column(summary: Summary, columns: Collection[str]) -> list[str]:
    """Every number of a summary that is one of each case and has no column, by its path."""
    return [
        ".".join(keys)
        for keys in _numbers(summary)
        if not any(fnmatchcase(".".join(keys), pattern) for pattern in NOT_OF_A_CASE)
        and not _names(keys) & set(columns)
    ]


def _names(keys: Keys) -> set[str]:
    """Names under which a dataset may have a number of a summary."""
    path = ".".join(keys)
    found = {RENAMED.get(path, path)}
    found |= {
        ".".join((*keys[: k + 1], *keys[k + 2 :])) for k, key in enumerate(keys) if key in BY_JOINT
    }
    return found


def _numbers(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Keys to all numbers, truth values and vectors; places in lists begin with `#`."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _numbers(entry, (*keys, str(key)))
    elif isinstance(value, list) and not all(isinstance(x, (int, float)) for x in value):
        for k, entry in enumerate(value):
            yield from _numbers(entry, (*keys, f"#{k}"))
    elif isinstance(value, (int, float)) or (isinstance(value, list) and value):
        yield keys
