"""Centres of percussion as records: what `percuss cop` shows, draws and prints as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.io.plain_data import Forms
from percuss.percussion.admissible import Interval, admissible_angles, admissible_points
from percuss.percussion.fixed_axis import AxisBody, impact_coefficient, ratio_of, reaction_of
from percuss.percussion.links import LinkPercussion
from percuss.percussion.sensitivity import slopes
from percuss.percussion.worst_case import Extreme, reaction_range, tolerance_margin

Ends = tuple[float | None, float | None]
"""The lower and the upper end of an interval; None where it is open."""


@dataclass(frozen=True)
class LimitFacts:
    """What keeps the reaction per impulse below a limit."""

    reaction_ratio: float
    """The largest reaction per impulse that is allowed."""
    kept: bool
    """Whether this impact keeps the limit."""
    points: Ends | None
    """Distances from the axis that keep it at this angle, m; None where none does."""
    angles: tuple[Ends, ...]
    """Ranges of angles that keep it at this place, rad."""


@dataclass(frozen=True)
class ToleranceFacts:
    """The least and the largest reaction inside tolerances."""

    given: Mapping[str, float]
    """How far each parameter may be off, by its name, SI."""
    least: Extreme
    largest: Extreme
    margin: float | None
    """The limit is kept up to so many times the tolerances, inf where however large they are;
    None where no limit is given."""


@dataclass(frozen=True)
class BodyFacts:
    """One body on a fixed axis and one impact on it, SI."""

    mass: float
    com: float
    inertia: float
    at: float
    angle: float
    inertia_about_axis: float
    mass_distribution: float
    percussion_distance: float | None
    """The centre of percussion, m from the axis; None for a body that is balanced about it."""
    percussion_beyond_com: float | None
    """The same, m from the centre of mass."""
    impact_coefficient: float
    reaction: tuple[float, float]
    """The reaction of the axis per impulse, along the body and across it."""
    reaction_ratio: float
    """The size of the reaction per impulse."""
    slopes: Mapping[str, float]
    """How the reaction ratio changes with each parameter, per SI unit."""
    limit: LimitFacts | None
    tolerances: ToleranceFacts | None


@dataclass(frozen=True)
class LinkFacts:
    """One link of a robot on a revolute joint, SI; distances from the joint's axis."""

    link: str
    joint: str
    mass: float
    com_distance: float
    inertia_about_axis: float
    mass_distribution: float
    percussion_distance: float | None
    percussion_point: tuple[float, ...] | None
    percussion_direction: tuple[float, ...] | None
    moment_per_impulse: float | None
    carried: Mapping[str, float]
    """The impact coefficient of everything that the link carries, by name."""


@dataclass(frozen=True)
class RobotFacts:
    """Every link of a robot on a revolute joint."""

    robot: str
    links: tuple[LinkFacts, ...]


def body_facts(
    body: AxisBody, at: float, angle: float, most: float | None, *, allowed: Mapping[str, float]
) -> BodyFacts:
    """Everything about one body and one impact.

    Args:
        body: on its axis, plain numbers.
        at: of the impact, m from the axis.
        angle: of the impact with the line from axis to centre of mass, rad.
        most: the largest reaction per impulse, if there is such a limit.
        allowed: how far parameters may be off, by name.
    """
    coefficient = _float(impact_coefficient(body, at))
    along, across = reaction_of(coefficient, angle)
    ratio = _float(ratio_of(coefficient, angle))
    return BodyFacts(
        mass=_float(body.mass),
        com=_float(body.com),
        inertia=_float(body.inertia),
        at=at,
        angle=angle,
        inertia_about_axis=_float(body.inertia_about_axis),
        mass_distribution=_float(body.mass_distribution),
        percussion_distance=_finite(body.percussion_distance),
        percussion_beyond_com=_finite(body.percussion_beyond_com),
        impact_coefficient=coefficient,
        reaction=(_float(along), _float(across)),
        reaction_ratio=ratio,
        slopes={name: _float(value) for name, value in slopes(body, at, angle).ratio.items()},
        limit=None if most is None else _limit(body, at, angle, most, ratio=ratio),
        tolerances=_tolerances(body, at, angle, most, allowed=allowed) if allowed else None,
    )


def _limit(body: AxisBody, at: float, angle: float, most: float, *, ratio: float) -> LimitFacts:
    points = admissible_points(body, most, angle)
    return LimitFacts(
        reaction_ratio=most,
        kept=ratio <= most,
        points=None if points is None else _ends(points),
        angles=tuple(_ends(angles) for angles in admissible_angles(body, most, at)),
    )


def _tolerances(
    body: AxisBody, at: float, angle: float, most: float | None, *, allowed: Mapping[str, float]
) -> ToleranceFacts:
    found = reaction_range(body, at, angle, allowed)
    return ToleranceFacts(
        given=allowed,
        least=found.least,
        largest=found.largest,
        margin=None if most is None else tolerance_margin(body, at, angle, allowed, limit=most),
    )


def robot_facts(robot: str, links: Sequence[LinkPercussion]) -> RobotFacts:
    """Every link of a robot; `robot` is its title."""
    return RobotFacts(robot, tuple(_link(link) for link in links))


def _link(link: LinkPercussion) -> LinkFacts:
    point, direction = link.point, link.direction
    return LinkFacts(
        link=link.link,
        joint=link.joint,
        mass=_float(link.body.mass),
        com_distance=_float(link.body.com),
        inertia_about_axis=_float(link.body.inertia_about_axis),
        mass_distribution=_float(link.body.mass_distribution),
        percussion_distance=_finite(link.body.percussion_distance),
        percussion_point=None if point is None else tuple(point.tolist()),
        percussion_direction=None if direction is None else tuple(direction.tolist()),
        moment_per_impulse=link.pitch,
        carried=dict(link.carried),
    )


# --- JSON ----------------------------------------------------------------------------------------

_FORMS = Forms(
    keys={
        Extreme: {"ratio": "reaction_ratio", "parameters": "at"},
        ToleranceFacts: {"given": "of"},
    }
)


def robot_json(facts: RobotFacts) -> dict[str, Any]:
    """The links of a robot as plain data."""
    return _FORMS.written(facts)


def body_json(facts: BodyFacts) -> dict[str, Any]:
    """A body and an impact as plain data; what was not asked for has no key.

    A margin without end is None.
    """
    found = _FORMS.written(facts)
    if facts.limit is None:
        del found["limit"]
    if facts.tolerances is None:
        del found["tolerances"]
    elif facts.tolerances.margin is None:
        del found["tolerances"]["margin"]
    elif math.isinf(facts.tolerances.margin):
        found["tolerances"]["margin"] = None
    return found


def _ends(interval: Interval) -> Ends:
    return _finite(interval.lower), _finite(interval.upper)


def _float(value: Any) -> float:
    return float(value)


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
