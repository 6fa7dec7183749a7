"""Doubts about an identification: everything it claims, checked against a computation of our own.

Words are taken by their meaning: the axis and the numbers that they show are read back from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.identification.observability.words import Combination
from percuss.identification.result import Identification
from tests.identification.plane import Case
from tests.identification.plane_motion import Array

HIDDEN = 1.3
"""Ranges over standard deviations along what is called unobservable, at most."""
BENT = 0.01
"""The same where χ² is no parabola, as a share of that along what is known best: the direction
of a bent valley turns by as much along it."""
SURE = 0.1
"""Standard deviation, as a share of the range, of what must not be withheld."""


@dataclass(frozen=True)
class Own:
    """Our own information about a case at quantities (n,), by central differences.

    `slopes` (rows, n) per share of the ranges; `leaks` (n,) by how much of its range each
    quantity moves along what is hidden, `sigmas` (n,) in its unit.
    """

    slopes: Array
    ranges: Array

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        root = np.linalg.qr(self.slopes, mode="r")
        _, sizes, rows = np.linalg.svd(root)
        full = np.zeros(len(self.ranges))
        full[: len(sizes)] = sizes
        return full, rows

    @property
    def leaks(self) -> Array:
        sizes, rows = self._axes
        return np.linalg.norm(rows[sizes <= 1.0], axis=0)

    @property
    def sigmas(self) -> Array:
        sizes, rows = self._axes
        return np.linalg.norm(rows / np.maximum(sizes, 1.0)[:, None], axis=0) * self.ranges

    @property
    def strongest(self) -> float:
        return float(self._axes[0].max())

    def strength(self, direction: Array) -> float:
        """Ranges over standard deviations along a direction (n,) of the quantities."""
        share = direction / self.ranges
        return float(np.linalg.norm(self.slopes @ share) / np.linalg.norm(share))


def own(case: Case, quantities: Array) -> Own:
    return Own(case.slopes(quantities), case.ranges)


def complaints(case: Case, found: Identification, noise: bool) -> list[str]:
    """Everything that an identification claims and that is not so."""
    here, true = own(case, found.fit.quantities), own(case, case.true)
    return [
        *_wrong_numbers(case, found, noise),
        *_wrong_sigmas(case, found, here),
        *_not_out_of_reach(case, found, here, true),
        *_withheld(case, found, true),
        *(text for item in found.combinations for text in _doubts(case, found, item, noise)),
    ]


def _wrong_numbers(case: Case, found: Identification, noise: bool) -> list[str]:
    """Numbers farther from the truth than they say; of a bent valley it is the mean."""
    most = 4.5 if noise else 1e-3
    if not noise and found.fit.is_bent:
        most = 1.0
    truth = dict(zip(case.names, case.true, strict=True))
    gaps = {name: (x - truth[name]) / found.sigma[name] for name, x in found.estimate.items()}
    return [
        f"{name} is said to be {found.estimate[name]:.6g} ± {found.sigma[name]:.2g} and is "
        f"{truth[name]:.6g}: {gap:.3g} standard deviations"
        for name, gap in gaps.items()
        if not abs(gap) <= most
    ]


def _wrong_sigmas(case: Case, found: Identification, here: Own) -> list[str]:
    """Standard deviations that differ from our own, where χ² is a parabola."""
    if found.fit.is_bent:
        return []
    expected = dict(zip(case.names, here.sigmas, strict=True))
    return [
        f"σ of {name} is said to be {sigma:.4g} and is {expected[name]:.4g}"
        for name, sigma in found.sigma.items()
        if not 0.98 < sigma / expected[name] < 1.02
    ]


def _not_out_of_reach(case: Case, found: Identification, here: Own, true: Own) -> list[str]:
    """What is called hidden and is seen, and numbers for what is hidden."""
    said: list[str] = []
    most = max(HIDDEN, BENT * true.strongest) if found.fit.is_bent else HIDDEN
    for item in found.unobservable:
        seen = min(here.strength(item.direction), true.strength(item.direction))
        if seen > most:
            said.append(f"'{item.words}' is called unobservable, and is seen: {seen:.3g} range/σ")
    for name, leak in zip(case.names, true.leaks, strict=True):
        if name in found.estimate and leak > 0.1:
            said.append(
                f"{name} = {found.estimate[name]:.4g} ± {found.sigma[name]:.2g} is given though "
                f"hidden directions move it by {leak:.2g} of its range"
            )
    return said


def _withheld(case: Case, found: Identification, true: Own) -> list[str]:
    """Known quantities that get no number, unless another place that fits as well forbids it."""
    said: list[str] = []
    best = _misfit(case, found, found.fit.quantities)
    rivals = [m.quantities for m in found.fit.others]
    rivals = [q for q in rivals if _misfit(case, found, q) < best + 10.0]
    for k, name in enumerate(case.names):
        sure = true.leaks[k] < 0.005 and true.sigmas[k] < SURE * case.ranges[k]
        differs = any(abs(q[k] - found.fit.quantities[k]) > 3.0 * true.sigmas[k] for q in rivals)
        if sure and name not in found.estimate and not differs:
            how = next(row.how for row in found.rows if row.name == name)
            said.append(f"{name} is known to ± {true.sigmas[k]:.2g} and withheld: {how}")
    return said


def _misfit(case: Case, found: Identification, quantities: Array) -> float:
    """χ² by our own motion."""
    table = np.stack(list(found.measured.columns.values())) / case.sigmas[:, None]
    return float(((table.ravel() - case.rows(quantities[:, None])[:, 0]) ** 2).sum())


# --- what words mean ----------------------------------------------------------------------------

_NUMBER = r"[−-]?[\d.]+(?:e[−-]?\d+)?"


def number_of(text: str) -> float:
    return float(text.replace("−", "-"))


def axis_of(words: str) -> Array:
    """The axis that words name: x, y, or a vector."""
    letter = re.search(r"along ([xy])\b", words)
    if letter:
        return np.eye(2)["xy".index(letter.group(1))]
    vector = re.search(rf"\(({_NUMBER}), ({_NUMBER})\)", words)
    return np.array([number_of(x) for x in vector.groups()]) if vector else np.ones(1)


def weights_of(words: str, names: tuple[str, ...]) -> Array | None:
    """The weights (n,) of a sum of quantities such as vx − 0.5 omega."""
    weights = np.zeros(len(names))
    rest = words
    while rest:
        term = re.match(rf"\s*([+−]?)\s*(?:({_NUMBER}) )?([a-z][a-z.]*)", rest)
        if term is None or term.group(3) not in names:
            return None
        sign, size, name = term.groups()
        weights[names.index(name)] = (-1.0 if sign == "−" else 1.0) * number_of(size or "1")
        rest = rest[term.end() :]
    return weights


def meaning(case: Case, words: str) -> Callable[[Array], float] | None:
    """The number that words stand for, of quantities (n,)."""
    weights = weights_of(words, case.names)
    if weights is not None:
        return lambda quantities: float(weights @ quantities)
    axis = axis_of(words)

    def vector(value: complex) -> Array:
        return np.array([value.real, value.imag])[: len(axis)]

    def of(quantities: Array) -> float:
        body = case.body(quantities[:, None])
        m, moment, r = (x[0] for x in (body["mass"], body["inertia"], body["arm"]))
        v, w = body["linear"][0], body["angular"][0]
        swing = moment * w + m * (np.conj(r) * v).imag
        table: dict[str, Array] = {
            "velocity of the target's contact point": vector(v - 1j * w * r),
            "velocity of the centre of mass": vector(v),
            "vector from contact to centre of mass": vector(r),
            "momentum of the target": vector(m * v),
            "angular momentum of the target about the contact point": np.array([swing]),
            "mass times the vector from contact to centre of mass": vector(m * r),
            "moment of inertia over mass": np.array([moment / m]),
            "moment of inertia about the contact point": np.array([moment + m * abs(r) ** 2]),
            "velocity of the contact point just after": vector(case.tool_after(quantities)),
        }
        return float(next(axis @ x for key, x in table.items() if words.startswith(key)))

    try:
        of(case.true)
    except StopIteration:
        return None
    return of


def _doubts(case: Case, found: Identification, item: Combination, noise: bool) -> list[str]:
    """About one combination: its value, its gradient, and whether it is so."""
    of = meaning(case, item.words)
    if of is None:
        return [f"what does '{item.words}' mean?"]
    said: list[str] = []
    at = found.fit.quantities
    if abs(of(at) - item.value) > 0.02 * item.sigma + 1e-9 * abs(item.value):
        said.append(f"'{item.words}' is {of(at):.6g} at the estimate, not {item.value:.6g}")
    steps = 1e-5 * np.diag(case.ranges)
    slope = np.array([of(at + h) - of(at - h) for h in steps]) / 2e-5
    gap = np.abs(slope - item.direction * case.ranges).max() / np.abs(slope).max()
    if gap > 1e-4:
        said.append(f"the direction of '{item.words}' is not its gradient, by {gap:.2g}")
    most = 4.5 if noise else 1.0 if found.fit.is_bent else 1e-3
    away = (item.value - of(case.true)) / item.sigma
    if abs(away) > most:
        said.append(
            f"'{item.words}' is said to be {item.value:.6g} ± {item.sigma:.2g} {item.unit} and is "
            f"{of(case.true):.6g}: {away:.3g} standard deviations"
        )
    return said
