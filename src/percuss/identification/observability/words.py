"""What cannot be known, and what can although its parts cannot, in words.

The information says which directions in the unknowns are hidden. Which basis of them is shown is
free: here it is the one whose members have names, such as a rotation about the contact point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from percuss.identification.estimate.information import Information, sparse_basis
from percuss.identification.estimate.spans import members, span
from percuss.identification.forward.scene import Scene
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.combinations import after_impact
from percuss.identification.observability.gauges import families
from percuss.identification.observability.phrases import Array, proportion
from percuss.identification.observability.together import (
    Combination,
    known_combinations,
    place_of,
)
from percuss.identification.options import DEFAULT
from percuss.identification.options.judging import ObservabilityOptions
from percuss.model.errors import ModelError

__all__ = [
    "Account",
    "Combination",
    "Unobservable",
    "Weak",
    "account",
    "in_words",
    "known_combinations",
    "place_of",
    "unobservable",
    "weak",
]


@dataclass(frozen=True)
class Unobservable:
    """A change of the unknowns (n,), in their units, that no measurement shows."""

    direction: Array
    words: str


@dataclass(frozen=True)
class Weak:
    """A quantity that is known, but little better than was plausible before."""

    name: str
    sigma: float
    range: float
    words: str


def in_words(
    hidden: Array,
    names: Sequence[str],
    units: Sequence[str],
    ranges: Array,
    *,
    scene: Scene,
    options: ObservabilityOptions = DEFAULT.observability,
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
    space = span(hidden / ranges[:, None])
    count = space.shape[1]
    said = np.zeros((len(names), 0))
    found: list[Unobservable] = []

    def say(share: Array, words: str | None) -> None:
        nonlocal said
        share = space @ (space.T @ share)
        share = np.where(np.abs(share) < 1e-9 * np.abs(share).max(), 0.0, share)
        share = share / share[np.argmax(np.abs(share))]
        rest = share - said @ (said.T @ share)
        if np.linalg.norm(rest) < options.new * np.linalg.norm(share):
            return
        said = np.column_stack([said, rest / np.linalg.norm(rest)])
        direction = share * ranges
        text = proportion(direction, names, units, ranges) if words is None else words
        found.append(Unobservable(direction, text))

    for family in families(scene, names):
        if said.shape[1] == count:
            break
        basis = family.basis / ranges[:, None]
        for a in members(basis, lambda q: q - space @ (space.T @ q), options.aligned):
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
        information.unobservable,
        information.names,
        information.units,
        information.ranges,
        scene=scene,
        options=information.options.observability,
    )


def weak(information: Information, sigmas: Array | None = None) -> tuple[Weak, ...]:
    """Quantities that are known to no better than a share of what was plausible before.

    `sigmas` (n,) are standard deviations where those of the information do not tell all.
    """
    found: list[Weak] = []
    stated = information.sigmas if sigmas is None else sigmas
    least = information.options.observability.weak
    for k, name in enumerate(information.names):
        sigma, span = float(stated[k]), float(information.ranges[k])
        if information.nuisance[k] or not information.known[k] or sigma <= least * span:
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
    here = place_of(unknowns, theta)
    hidden = unobservable(information, here.scene)
    known: tuple[Combination, ...] = ()
    if hidden:
        known = known_combinations(
            information, here.scene, here.quantities, more=lambda: after_impact(unknowns, theta)
        )
    return Account(hidden, known, weak(information))
