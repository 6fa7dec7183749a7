"""What a controller believes of the bodies where that differs from the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from percuss.encounter.errors import Path, shown
from percuss.scenario.errors import Problem, RefusedError
from percuss.scenario.fields import Reader
from percuss.scenario.lists import FrozenDict

BELIEVABLE = re.compile(
    r"chaser\.base\.(mass|inertia|inertia\.(xx|yy|zz|xy|xz|yz))"
    r"|chaser\.arm\[\d+\]\.(mass|com|inertia)"
    r"|chaser\.arms\.[^.\[\]]+(\.links)?\[\d+\]\.(mass|com|inertia)"
    r"|chaser\.parameters\..+\.(mass|com\.[xyz]|inertia\.(xx|yy|zz|xy|xz|yz))"
    r"|target\.(mass|inertia|inertia\.(xx|yy|zz|xy|xz|yz))"
)
"""Paths of inertial parameters: what a controller may believe wrongly."""


class Beliefs(Reader):
    """Values by path."""

    def read(self, value: Any) -> FrozenDict:
        if not isinstance(value, dict):
            what = "a mapping from paths to values, such as {target.mass: 14}"
            raise RefusedError(f"must be {what}, got {shown(value)}")
        for path, entry in value.items():
            if isinstance(entry, (list, dict)):
                raise RefusedError(f"{path!r} must be a number, got {shown(entry)}")
        return FrozenDict(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": ["number", "string"]}}


def belief_rules(believes: FrozenDict, at: Path) -> Iterator[Problem]:
    """Paths that are those of inertial parameters."""
    for path, value in believes.items():
        if not BELIEVABLE.fullmatch(path):
            allowed = (
                "chaser.base.mass, chaser.arm[2].mass / .com / .inertia, "
                "chaser.parameters.LINK.mass …, target.mass, target.inertia, target.inertia.xx …"
            )
            yield Problem(
                (*at, path),
                f"is not the path of an inertial parameter, got {shown(value)}. Allowed: {allowed}",
            )
