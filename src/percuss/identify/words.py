"""What cannot be known, and what can although its parts cannot, in words.

The information says which directions in the unknowns are hidden. Which basis of them is shown is
free: here it is the one whose members have names, such as a rotation about the contact point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.identify.combinations import Meaning, after_impact, group_of, meanings
from percuss.identify.gauges import families
from percuss.identify.information import Information, sparse_basis
from percuss.identify.phrases import Array, proportion, weighted_sum
from percuss.identify.scene import Scene, scene_of
from percuss.identify.unknowns import Unknowns
from percuss.model.errors import ModelError

_ALIGNED = 0.03
"""Sine of the angle to the hidden directions below which a change is one of them."""
_NEW = 0.1
"""Sine of the angle to what has been said above which a direction says more."""
WEAK = 0.1
"""A quantity is weak when its standard deviation is above this share of its plausible range."""


@dataclass(frozen=True)
class Unobservable:
    """A change of the unknowns (n,), in their units, that no measurement shows."""

    direction: Array
    words: str


@dataclass(frozen=True)
class Combination:
    """A number that is known although its parts are not.

    `direction` (n,) is its gradient by the quantities; where it is linear in them, such as the
    velocity of a point, `value` = direction · quantities.
    """

    direction: Array
    value: float
    sigma: float
    unit: str
    words: str


@dataclass(frozen=True)
class Weak:
    """A quantity that is known, but little better than was plausible before."""

    name: str
    sigma: float
    range: float
    words: str


def in_words(
    hidden: Array, names: Sequence[str], units: Sequence[str], ranges: Array, scene: Scene
) -> tuple[Unobservable, ...]:
    """A basis of hidden directions (n, k), columns in the quantities' units, with words.

    Every direction given lies in their span; its largest entry is as large as its range.
    """
    hidden, ranges = np.asarray(hidden, float), np.asarray(ranges, float)
    if hidden.ndim != 2 or hidden.shape[0] != len(names) or ranges.shape != (len(names),):
        raise ModelError(
            f"hidden directions must have the shape ({len(names)}, k) and ranges ({len(names)},), "
            f"for {', '.join(names)}; got {hidden.shape} and {ranges.shape}"
        )
    space = _span(hidden / ranges[:, None])
    count = space.shape[1]
    said = np.zeros((len(names), 0))
    found: list[Unobservable] = []

    def say(share: Array, words: str | None) -> None:
        nonlocal said
        share = space @ (space.T @ share)
        share = np.where(np.abs(share) < 1e-9 * np.abs(share).max(), 0.0, share)
        share = share / share[np.argmax(np.abs(share))]
        rest = share - said @ (said.T @ share)
        if np.linalg.norm(rest) < _NEW * np.linalg.norm(share):
            return
        said = np.column_stack([said, rest / np.linalg.norm(rest)])
        direction = share * ranges
        text = proportion(direction, names, units, ranges) if words is None else words
        found.append(Unobservable(direction, text))

    for family in families(scene, names):
        if said.shape[1] == count:
            break
        basis = family.basis / ranges[:, None]
        for a in _members(basis, lambda q: q - space @ (space.T @ q)):
            if said.shape[1] < count:
                say(basis @ a, family.words(a))
    if said.shape[1] < count:
        rest = space - said @ (said.T @ space)
        u, sizes, _ = np.linalg.svd(rest, full_matrices=False)
        for column in sparse_basis(u[:, sizes > 1e-6]).T:
            say(column, None)
    return tuple(found)


def unobservable(information: Information, scene: Scene) -> tuple[Unobservable, ...]:
    """What cannot be known."""
    return in_words(
        information.unobservable, information.names, information.units, information.ranges, scene
    )


def known_combinations(
    information: Information,
    scene: Scene,
    quantities: Array,
    more: Callable[[], Meaning | None] | None = None,
) -> tuple[Combination, ...]:
    """What is known although its parts are not, at the estimate `quantities` (n,).

    `more` gives a combination to name besides those of `meanings`, if they are not enough.
    """
    names, ranges = information.names, information.ranges
    parts = ~information.known & ~information.nuisance
    space = _span(information.unobservable / ranges[:, None])
    # Gradients within the parts, in units of the ranges, that no hidden direction changes.
    wanted = information.combinations.shape[1]
    said = np.zeros((len(names), 0))
    found: list[Combination] = []

    def say(gradient: Array, value: float, unit: str, words: str) -> None:
        nonlocal said
        share = np.where(parts, gradient * ranges, 0.0)
        size = float(np.linalg.norm(share))
        rest = share - said @ (said.T @ share)
        sigma = information.along(gradient)
        if size == 0.0 or np.linalg.norm(rest) < _NEW * size or not np.isfinite(sigma):
            return
        said = np.column_stack([said, rest / np.linalg.norm(rest)])
        shown = 0.0 if abs(value) < 1e-9 * sigma else value
        found.append(Combination(gradient, shown, sigma, unit, words))

    unsure = {group_of(name) for name, part in zip(names, parts, strict=True) if part}

    def say_all(meaning: Meaning) -> None:
        basis = np.where(parts[:, None], meaning.gradients * ranges[:, None], 0.0)
        if not unsure & set(meaning.of) or not basis.any():
            return
        for a in _members(basis, lambda q: space.T @ q):
            if said.shape[1] < wanted:
                a = a / np.linalg.norm(a)
                say(
                    meaning.gradients @ a, float(a @ meaning.values), meaning.unit, meaning.words(a)
                )

    for meaning in meanings(scene, names):
        if said.shape[1] < wanted:
            say_all(meaning)
    if said.shape[1] < wanted and more is not None:
        extra = more()
        if extra is not None:
            say_all(extra)
    if said.shape[1] < wanted:
        for column in _rest(information.combinations * ranges[:, None], said).T:
            gradient = column / ranges
            gradient = gradient / np.abs(gradient).max()
            text = weighted_sum(gradient, names, ranges)
            say(gradient, float(gradient @ np.asarray(quantities, float)), "", text)
    return tuple(found)


def weak(information: Information) -> tuple[Weak, ...]:
    """Quantities that are known to no better than a tenth of what was plausible before."""
    found: list[Weak] = []
    for k, name in enumerate(information.names):
        sigma, span = float(information.sigmas[k]), float(information.ranges[k])
        if information.nuisance[k] or not information.known[k] or sigma <= WEAK * span:
            continue
        found.append(
            Weak(
                name,
                sigma,
                span,
                f"{name} is weak: ± {sigma:.2g} {information.units[k]}, where {span:.2g} was "
                "plausible before; a longer record, another sensor or a manoeuvre of the joints "
                "would tell more",
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Account:
    """What a fit can and cannot tell: hidden directions, known combinations, weak quantities."""

    unobservable: tuple[Unobservable, ...]
    known: tuple[Combination, ...]
    weak: tuple[Weak, ...]


def account(unknowns: Unknowns, theta: Array, information: Information) -> Account:
    """Everything that must be said about θ (n,) before a number is printed."""
    scene = scene_of(unknowns, theta)
    hidden = unobservable(information, scene)
    known: tuple[Combination, ...] = ()
    if hidden:
        quantities = np.asarray(unknowns.quantities(np.asarray(theta, float)), float)
        known = known_combinations(
            information, scene, quantities, lambda: after_impact(unknowns, theta)
        )
    return Account(hidden, known, weak(information))


def _members(basis: Array, outside: Callable[[Array], Array]) -> list[Array]:
    """Numbers a with basis · a within a space, `outside` giving what lies out of it.

    All of a family are its unit members; of a part of it the axis itself.
    """
    u, sizes, rows = np.linalg.svd(basis, full_matrices=False)
    kept = sizes > 1e-9 * max(float(sizes[0]), 1e-300)
    if not kept.any():
        return []
    u, back = u[:, kept], rows[kept].T / sizes[kept]
    _, out, inner = np.linalg.svd(outside(u), full_matrices=True)
    full = np.zeros(u.shape[1])
    full[: len(out)] = out
    inside = inner[full < _ALIGNED].T
    if not inside.shape[1]:
        return []
    if inside.shape[1] == basis.shape[1]:
        return list(np.eye(basis.shape[1]))
    return list(sparse_basis(back @ inside).T)


def _span(columns: Array) -> Array:
    """An orthonormal basis (n, k)."""
    if not columns.shape[1]:
        return columns
    u, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return u[:, sizes > 1e-9 * sizes[0]]


def _rest(columns: Array, said: Array) -> Array:
    """A basis of what columns have beyond what has been said."""
    rest = _span(columns)
    rest = rest - said @ (said.T @ rest)
    u, sizes, _ = np.linalg.svd(rest, full_matrices=False)
    return sparse_basis(u[:, sizes > _NEW])
