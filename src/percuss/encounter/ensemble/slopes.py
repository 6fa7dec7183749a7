"""Derivatives of what is found of cases with respect to the numbers in which they differ.

By central differences of fourth order: each case is carried out four times more for each entry of
a number, all of them together. A motion with its events, impacts and decisions is differentiated
as it is carried out, whatever law or closure it has. Where a step to either side ends in another
way, or in another number of impacts, there is no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.encounter.ensemble.vary import ManyCases, Variation, Varied
from percuss.encounter.errors import EncounterError
from percuss.model.errors import closest

STEP = 1e-3
"""Step as a share of the size of a number. Differences of fourth order are then off by about 1e-12
of what the quantity changes by over that size, times its fifth derivative, and by 1e-7 where
motions are computed to 1e-10."""
LEAST = 1e-2
"""Size (SI) of a number that is zero, in its case and in the encounter itself."""
POINTS = (1.0, -1.0, 2.0, -2.0)
"""Where cases are carried out, in steps."""


@dataclass(frozen=True)
class Slope:
    """Derivatives with respect to one entry of a number.

    Attributes:
        name: of the number.
        entry: of it, None of a number that has no entries.
        steps: of each case (cases,).
        around: cases at `POINTS` steps to the sides, those of each point side by side.
    """

    name: str
    entry: int | None
    steps: np.ndarray
    around: ManyCases

    def of(self, values: np.ndarray) -> np.ndarray:
        """The derivative (…, cases) of a quantity that is (…, points · cases) around cases."""
        ahead, behind, far, back = np.split(values, len(POINTS), axis=-1)
        with np.errstate(invalid="ignore"):
            return (8.0 * (ahead - behind) - (far - back)) / (12.0 * self.steps)


def check_names(by: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The numbers to differentiate by; EncounterError for one in which cases do not differ."""
    wanted = (by,) if isinstance(by, str) else tuple(by)
    for name in wanted:
        if name not in names:
            message = f"{name!r} is not among the numbers that vary: {', '.join(names)}."
            raise EncounterError(("derivatives",), f"{message}{closest(name, tuple(names))}")
    return wanted


def slopes_of(
    variation: Variation,
    found: ManyCases,
    by: Sequence[str],
    progress: Callable[[float], None] | None = None,
) -> Iterator[Slope]:
    """Derivatives with respect to each entry of some numbers, one after the other."""
    varied = found.varied
    rows = [(one, k) for one in varied.inputs for k in range(one.value.size)]
    wanted = [place for place, (one, _) in enumerate(rows) if one.name in by]
    sizes = _sizes(varied)
    for count, place in enumerate(wanted):
        number, entry = rows[place]
        steps = STEP * sizes[number.name]
        around = np.concatenate([_moved(varied.values, place, k * steps) for k in POINTS], axis=1)
        cases = variation(Varied(varied.inputs, around))
        if progress is not None:
            progress((count + 1) / len(wanted))
        yield Slope(number.name, entry if number.value.ndim else None, steps, cases)


def _moved(values: np.ndarray, row: int, steps: np.ndarray) -> np.ndarray:
    """Values (entries, cases) with one row moved."""
    moved = values.copy()
    moved[row] += steps
    return moved


def _sizes(varied: Varied) -> dict[str, np.ndarray]:
    """How large each number is in each case (cases,), as a whole."""
    found: dict[str, np.ndarray] = {}
    for one, values in zip(varied.inputs, varied.of_each().values(), strict=True):
        own = np.linalg.norm(np.atleast_2d(values), axis=0)
        found[one.name] = np.maximum(np.maximum(own, np.linalg.norm(one.value)), LEAST)
    return found


def alike(found: ManyCases, slope: Slope) -> np.ndarray:
    """Whether all cases around a case end as it does, after as many impacts, (cases,)."""
    count, points = len(found.refused), len(POINTS)

    def signs(cases: ManyCases, total: int) -> np.ndarray:
        whole = np.full((2, total), -1.0)
        whole[:, cases.places] = [cases.result.status, cases.result.impacts]
        return whole

    own, others = signs(found, count), signs(slope.around, count * points)
    same = others.reshape(2, points, count) == own[:, None]
    return same.all(axis=(0, 1)) & (own[0] >= 0.0)
