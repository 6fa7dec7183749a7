"""What is known although its parts are not, with a name where it has one.

What is known to first order in one place need not be known: where several places fit equally well,
only a combination that has the same value in all of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from percuss.identification.estimate.information import Information
from percuss.identification.estimate.spans import beyond, members, span
from percuss.identification.forward.scene import Scene, scene_of
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.combinations import (
    Meaning,
    group_of,
    meanings,
    velocity_after,
)
from percuss.identification.observability.phrases import (
    Array,
    rounded_axis,
    rounded_sum,
    weighted_sum,
)


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
class KnownPlace:
    """A target that fits: as a scene, by its quantities (n,), and `more` that it makes happen."""

    scene: Scene
    quantities: Array
    more: Callable[[], Array | None]


def place_of(unknowns: Unknowns, theta: Array) -> KnownPlace:
    """The target that θ (n,) stands for, and how the contact point moves on after the impact."""
    theta = np.asarray(theta, float)
    quantities = np.asarray(unknowns.quantities(theta), float)
    return KnownPlace(
        scene_of(unknowns, theta), quantities, lambda: velocity_after(unknowns, theta)
    )


@dataclass(frozen=True)
class _Numbers:
    """Numbers f (g,) with gradients (n, g), here and at the other places (places, g)."""

    values: Array
    elsewhere: Array
    gradients: Array


def known_combinations(
    information: Information,
    scene: Scene,
    quantities: Array,
    *,
    more: Callable[[], Meaning | None] | None = None,
    elsewhere: Sequence[KnownPlace] = (),
) -> tuple[Combination, ...]:
    """What is known although its parts are not, at the estimate `quantities` (n,).

    `more` gives a combination to name besides those of `meanings`, if they are not enough;
    `elsewhere` are other places that fit equally well, with the values of the same.
    """
    names, ranges = information.names, information.ranges
    options = information.options.observability
    parts = ~information.known & ~information.nuisance
    space = span(information.unobservable / ranges[:, None])
    # Gradients within the parts, in units of the ranges, that no hidden direction changes.
    wanted = information.combinations.shape[1]
    unsure = {group_of(name) for name, part in zip(names, parts, strict=True) if part}
    said = np.zeros((len(names), 0))
    found: list[Combination] = []
    for meaning, numbers in _meant(scene, more, elsewhere, names):
        basis = np.where(parts[:, None], meaning.gradients * ranges[:, None], 0.0)
        if said.shape[1] == wanted:
            break
        if not unsure & set(meaning.of) or not basis.any():
            continue
        for a in members(basis, lambda q: space.T @ q, options.aligned):
            share, digits = _shown(information, numbers, a / np.linalg.norm(a), rounded_axis)
            item = _combination(information, numbers, share, meaning.unit)
            new = _new(said, numbers.gradients @ share * ranges, parts, options.new)
            if item is None or new is None or said.shape[1] == wanted:
                continue
            said = np.column_stack([said, new])
            found.append(Combination(*item, meaning.words(share, digits)))
    if said.shape[1] < wanted:
        places = [place.quantities for place in elsewhere]
        numbers = _Numbers(quantities, np.array(places).reshape(-1, len(names)), np.eye(len(names)))
        for column in beyond(information.combinations * ranges[:, None], said, options.new).T:
            a = column / ranges
            share, _ = _shown(information, numbers, a / np.abs(a).max(), rounded_sum)
            item = _combination(information, numbers, share, "")
            new = _new(said, share * ranges, parts, options.new)
            if item is None or new is None:
                continue
            said = np.column_stack([said, new])
            found.append(Combination(*item, weighted_sum(share, names)))
    return tuple(found)


def _meant(
    scene: Scene,
    more: Callable[[], Meaning | None] | None,
    elsewhere: Sequence[KnownPlace],
    names: Sequence[str],
) -> Iterator[tuple[Meaning, _Numbers]]:
    """Everything that has a name, simple things first."""
    others = [meanings(place.scene, names) for place in elsewhere]
    for k, meaning in enumerate(meanings(scene, names)):
        yield meaning, _numbers_of(meaning, [other[k].values for other in others])
    last = more() if more is not None else None
    if last is not None:
        after = [place.more() for place in elsewhere]
        yield last, _numbers_of(last, [values for values in after if values is not None])


def _numbers_of(meaning: Meaning, others: Sequence[Array]) -> _Numbers:
    return _Numbers(
        meaning.values, np.array(others).reshape(-1, len(meaning.values)), meaning.gradients
    )


def _shown(
    information: Information, numbers: _Numbers, a: Array, rounded: Callable[[Array, int], Array]
) -> tuple[Array, int]:
    """a (g,) as words will show it, and with how many digits."""
    options = information.options.observability
    best = information.along(numbers.gradients @ a)
    for digits in range(options.fewest_digits, options.most_digits + 1):
        short = rounded(a, digits)
        if information.along(numbers.gradients @ short) <= options.wider * best:
            return short, digits
    return a, options.most_digits


def _combination(
    information: Information, numbers: _Numbers, a: Array, unit: str
) -> tuple[Array, float, float, str] | None:
    """Direction, value, σ and unit of a · f; None where it is not known."""
    gradient = numbers.gradients @ a
    sigma = information.along(gradient)
    value = float(a @ numbers.values)
    change = np.abs((numbers.elsewhere - numbers.values) @ a).max(initial=0.0)
    if not np.isfinite(sigma) or change > information.options.observability.moved * sigma:
        return None
    # Places two standard deviations away differ by as much; what differs by more is less sure.
    sigma = max(sigma, 0.5 * float(change))
    return gradient, 0.0 if abs(value) < 1e-9 * sigma else value, sigma, unit


def _new(said: Array, share: Array, parts: NDArray[np.bool_], new: float) -> Array | None:
    """The unit vector that a direction (n,) adds to what has been said of the parts.

    None if that is hardly any of it: what is known by itself needs no combination.
    """
    within = np.where(parts, share, 0.0)
    rest = within - said @ (said.T @ within)
    size = float(np.linalg.norm(rest))
    if size < new * np.linalg.norm(share) or size == 0.0:
        return None
    return rest / size
