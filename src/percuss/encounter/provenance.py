"""Where an encounter came from, for those who read what became of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.encounter.approach import Law
from percuss.encounter.encounter import Encounter
from percuss.model.changes import Change
from percuss.model.document import system_to_dict
from percuss.model.systems import System


@dataclass(frozen=True)
class Notice:
    """A change, and the file (or robot of the library) that it was made to."""

    file: str
    change: Change

    def __str__(self) -> str:
        return f"{self.file}{',' if self.change.line else ':'} {self.change}"

    def plain(self) -> dict[str, Any]:
        """The change as it goes into JSON."""
        return {"file": self.file, **asdict(self.change)}


def by_file(notices: Sequence[Notice]) -> list[str]:
    """Lines that list notices below the name of the file that each is of."""
    lines: list[str] = []
    for file in dict.fromkeys(notice.file for notice in notices):
        lines.append(f"changed in {file}")
        lines += [f"  {notice.change}" for notice in notices if notice.file == file]
    return lines


@dataclass(frozen=True)
class Provenance:
    """What results tell of an encounter besides its numbers.

    Attributes:
        text: what it was made from: a scenario file's own text.
        control: the law after the contact, as it is written there.
        approach_control: that before the contact; None where nothing is said.
        velocities: "local" where velocities were read in the local orbital frame, which turns;
            else "inertial".
        base_pose: of the chaser's root frame at the start, world ← root, as it was given; None:
            that of its base body, which may be displaced from the root.
        base_angle: of a planar base as it was given (rad): a pose has forgotten full turns.
        seed: of random numbers, where there are any.
        notices: what had to be changed in the model files of the chaser.
    """

    text: str
    control: Mapping[str, Any]
    approach_control: Mapping[str, Any] | None = None
    velocities: str = "inertial"
    base_pose: Pose | None = None
    base_angle: float | None = None
    seed: int = 0
    notices: tuple[Notice, ...] = ()


def made_in_python(encounter: Encounter) -> Provenance:
    """The provenance of an encounter that no file describes: it is told by its own numbers."""
    before = None if encounter.approach is None else described(encounter.approach.control)
    values = {field.name: getattr(encounter, field.name) for field in fields(encounter)}
    text = "\n".join(
        f"{name}: {_as_text(value)}" for name, value in values.items() if value is not None
    )
    return Provenance(f"{text}\n", described(encounter.control), before)


def _as_text(value: Any) -> str:
    """A part of an encounter as text that tells it from others of its kind."""
    if isinstance(value, System):
        return json.dumps(system_to_dict(value))
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    return str(described(value)) if isinstance(value, Law) else repr(value)


def described(law: Law) -> dict[str, Any]:
    """A law by its name and the numbers that say how hard it acts, as a file would have them."""
    return {"law": law.name} | dict(law.strength)
