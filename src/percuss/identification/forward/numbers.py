"""Numbers of an encounter as unknowns: where a search begins, how far the truth may be, and θ.

A number that must be positive is followed by its logarithm, one between 0 and 1 by its logit, so
that no θ is a number that cannot be; all others are their own θ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from percuss.algebra.scalars import Scalar, plain, terms
from percuss.encounter.closures import Compliant
from percuss.encounter.number import Number
from percuss.identification.forward.inertia import exp
from percuss.identification.forward.known import KnownEncounter
from percuss.impact.contact_laws import CONTACT_LAWS
from percuss.model.errors import ModelError, closest
from percuss.model.joints import Prismatic, Revolute

PLAIN, POSITIVE, SHARE = "plain", "positive", "share"
"""Numbers of any size and sign, those above zero, and those between 0 and 1."""

_OF_GROUPS = {
    "target.mass": "mass",
    "target.inertia": "inertia",
    "target.contact": "contact",
    "target.angle": "attitude",
    "target.attitude": "attitude",
    "target.velocity": "velocity",
}
"""What has a name of its own as an unknown, with words for what cannot be known of it."""
_NOT_ASKED = {
    "duration": "the record says how long the motion is followed",
    "approach": "times of a record begin at the impact, and the scenario with it",
    "orbit": "an identification does not account for the loads of an orbit",
    "target.position": "it follows from the tool, at which the contact point is",
}
_UNITY = ("m/s", "rad/s", "rad")
"""Units of which one is plausible."""
_ASIDE = 1e-3
"""How far beyond a bound a number is tried, to see whether there is one."""


@dataclass(frozen=True)
class NumberEntry:
    """One entry of a number: its `value` in the scenario, its `range`, and what its θ is (`form`).

    `name` is that of the number, with the place of the entry, from 1, where it has several.
    """

    name: str
    unit: str
    value: float
    range: float
    form: str


def theta_of(form: str, value: float) -> float:
    """θ of a number."""
    if form == POSITIVE:
        return math.log(value)
    if form == SHARE:
        return math.log(value / (1.0 - value))
    return value


def scale_of(form: str, value: float, span: float) -> float:
    """The range of θ about that of a number with the range `span`."""
    if form == PLAIN:
        return span
    return min(span / (value * (1.0 if form == POSITIVE else 1.0 - value)), 3.0)


def quantity_of(form: str, theta: Scalar) -> Scalar:
    """The number that θ stands for."""
    if form == POSITIVE:
        return exp(theta)
    if form == SHARE:
        return plain(1.0 / (1.0 + terms(exp(-theta))))
    return theta


def number_entries(encounter: KnownEncounter, name: str) -> tuple[NumberEntry, ...]:
    """The entries of a number; ModelError where it cannot be asked for."""
    number = _number(encounter, name)
    values = np.atleast_1d(number.value)
    several = number.value.ndim > 0
    return tuple(
        _entry(encounter, number, k, f"{name}[{k + 1}]" if several else name)
        for k in range(len(values))
    )


def _number(encounter: KnownEncounter, name: str) -> Number:
    for stem, why in _NOT_ASKED.items():
        if name == stem or name.startswith(f"{stem}."):
            raise ModelError(f"{name}: cannot be unknown: {why}")
    for stem, group in _OF_GROUPS.items():
        if name == stem or name.startswith((f"{stem}.", f"{stem}[")):
            raise ModelError(f"{name}: ask for {group!r}, which is its name as an unknown")
    return encounter.numbered.number(name)


def _entry(encounter: KnownEncounter, number: Number, k: int, name: str) -> NumberEntry:
    value = float(np.atleast_1d(number.value)[k])
    form = _form(number, k)
    if form != PLAIN and not 0.0 < value < (1.0 if form == SHARE else math.inf):
        raise ModelError(
            f"{name}: is {value:g} in the scenario, at the edge of what it may be "
            f"({number.words}), and no search can begin there: give the value to begin with "
            f"(--set {number.name}=…)"
        )
    if not math.isfinite(value):
        raise ModelError(f"{name}: is {value:g} in the scenario: give a finite value")
    unit = _unit(encounter, number)
    return NumberEntry(
        name=name, unit=unit or "1", value=value, range=_range(unit, form, value), form=form
    )


def _unit(encounter: KnownEncounter, number: Number) -> str:
    """SI; of a contact law, and of joints of one kind, the one that goes with it."""
    closure = encounter.closure
    if isinstance(closure, Compliant) and closure.law in CONTACT_LAWS:
        law = CONTACT_LAWS[closure.law]
        own = {"impact.stiffness": law.stiffness_unit, "impact.damping": law.damping_unit}
        if number.name in own:
            return own[number.name]
    kinds = {type(joint.motion) for joint in encounter.start.chaser.movable_joints}
    units = number.unit.split(" or ")
    if kinds == {Revolute}:
        return units[0]
    return units[-1] if kinds == {Prismatic} else number.unit


def is_number(name: str) -> bool:
    """Whether an unknown goes by the name of a number, not of a group."""
    return "." in name or "[" in name or name in ("gravity", "duration")


def refuse_unknown_name(encounter: KnownEncounter, name: str, groups: Sequence[str]) -> None:
    """ModelError for what is neither a group nor looks like a number's name.

    Of "friction" the number `impact.friction` is meant, not a group that is spelled alike.
    """
    numbers = encounter.numbered.names
    ends = [one for one in numbers if one.rpartition(".")[2] == name]
    meant = f" Did you mean {ends[0]!r}?" if ends else closest(name, [*groups, *numbers])
    raise ModelError(
        f"{name!r} cannot be unknown.{meant} There are: {', '.join(groups)}, and every number of "
        "the scenario by its name, such as impact.friction"
    )


def _form(number: Number, k: int) -> str:
    """Which numbers are allowed, tried out."""

    def may_be(value: float) -> bool:
        tried = np.array(number.value, float)
        if tried.ndim:
            tried[k] = value
            return bool(number.allowed(tried[:, None])[0])
        return bool(number.allowed(np.array([value]))[0])

    if may_be(-_ASIDE):
        return PLAIN
    return POSITIVE if number.unit or may_be(1.0 + _ASIDE) else SHARE


def _range(unit: str, form: str, value: float) -> float:
    """How far from the scenario's value the truth may plausibly be."""
    if form == SHARE:
        return 0.5
    if form == POSITIVE:
        return value
    if value == 0.0 or any(one in _UNITY for one in unit.split(" or ")):
        return 1.0
    return abs(value)
