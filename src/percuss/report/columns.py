"""A variable of a record, taken apart into curves with a label and a unit each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.encounter.record import Record, Variable

_BASE_ENTRIES = ("x", "y", "z", "angle", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")

Entry = tuple[str, str, np.ndarray]
"""Label, unit and values over time."""


def columns(record: Record, name: str) -> list[Entry]:
    """(label, unit, values over time) of each entry of a variable; vectors per joint by size."""
    variable = record.variables.get(name)
    if variable is None:
        return []
    values = np.asarray(variable.values, dtype=float)
    if values.ndim == 1:
        return [("", variable.units, values)]
    if values.ndim > 2:
        values = np.linalg.norm(values, axis=-1)
    count = values.shape[1]
    labels = record.labels.get(variable.dimensions[1], ())
    if len(labels) != count:
        labels = tuple(str(k + 1) for k in range(count))
    units = _units(variable, count)
    return [(labels[k], units[k], values[:, k]) for k in range(count)]


def _units(variable: Variable, count: int) -> Sequence[str]:
    units = [unit.strip() for unit in variable.units.split(",")]
    return units if len(units) == count else [variable.units] * count


def split(record: Record, name: str) -> tuple[list[Entry], list[Entry]]:
    """Entries of the base, which come first and lose the name of its joint, and of the joints."""
    entries = columns(record, name)
    base: list[Entry] = []
    for label, unit, values in entries:
        stem, _, short = label.rpartition(".")
        names = [known for known, _, _ in base]
        if short not in _BASE_ENTRIES or short in names or stem != entries[0][0].rpartition(".")[0]:
            break
        base.append((short, unit, values))
    return base, entries[len(base) :]


def named(record: Record, name: str, label: str) -> list[Entry]:
    """The entries of a variable, with a label for one that is a single number."""
    return [(given or label, unit, values) for given, unit, values in columns(record, name)]
