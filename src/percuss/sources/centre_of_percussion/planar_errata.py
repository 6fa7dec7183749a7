"""Errors of the paper about one body on a fixed axis in the plane."""

from __future__ import annotations

import math

import numpy as np

from percuss.model.joints import Revolute
from percuss.percussion import JointedBody, coefficient_interval, published_coefficient_interval
from percuss.percussion.admissible import angles_of
from percuss.percussion.fixed_axis import impact_distance
from percuss.percussion.spatial import body_reaction
from percuss.sources.centre_of_percussion.paper import LEAST_ANGLE, LIMIT, TABLE_1
from percuss.sources.evidence import Evidence

EXAMPLE = 0.68
"""C_ID of point B in the example of section 3.3, as printed."""

_BODY = TABLE_1.link2.body


def component_of_acceleration() -> Evidence:
    """N_x of (1) for link 2 at θ = 30°, struck at its tip with 1 kN under 90°."""
    link, theta, phi, size = TABLE_1.link2, math.radians(30.0), math.pi / 2, 1000.0
    turning = -link.length * size * math.sin(phi) / (link.inertia + link.mass * link.com**2)
    pushed = size * math.cos(phi + theta)
    inertial = link.mass * turning * link.com
    return Evidence.of(
        "N_x for link 2 at θ = 30°, 1 kN at its tip, φ = 90°",
        "N",
        pushed - inertial * math.cos(theta),
        pushed - inertial * math.sin(theta),
        general=_reaction(link.length, phi, theta, size)[0],
    )


def interval_for_a_limit() -> Evidence:
    """C_ID for Ω = 0.4 at 70°, and the reaction at its upper end."""
    printed = published_coefficient_interval(LIMIT, LEAST_ANGLE)
    room = math.sqrt(1.0 + (LIMIT**2 - 1.0) / math.sin(LEAST_ANGLE) ** 2)
    general = coefficient_interval(LIMIT, LEAST_ANGLE)
    assert general is not None
    return Evidence.of(
        "C_ID for Ω = 0.4 at φ = 70°, and Ω at the larger one",
        "",
        (printed.lower, printed.upper, _ratio(printed.upper, LEAST_ANGLE)),
        (1.0 - room, 1.0 + room, LIMIT),
        general=(general.lower, general.upper, _exact_ratio(general.upper, LEAST_ANGLE)),
    )


def example() -> Evidence:
    """What C_ID = 0.68 gives at 70°, and the angle that it would need for 0.4."""
    depth = (1.0 - EXAMPLE) ** 2 - 1.0
    needed = math.asin(math.sqrt((LIMIT**2 - 1.0) / depth))
    return Evidence.of(
        "Ω at C_ID = 0.68 under 70°; angle at which it is 0.4",
        "1, degrees",
        (LIMIT, 70.0),
        (_ratio(EXAMPLE, LEAST_ANGLE), math.degrees(needed)),
        general=(
            _exact_ratio(EXAMPLE, LEAST_ANGLE),
            math.degrees(angles_of(LIMIT, EXAMPLE)[0].lower),
        ),
    )


def which_error_costs_more() -> Evidence:
    """The cost of 0.1 rad off in φ at the centre of percussion against 0.1 off in C_ID."""
    off = 0.1
    by_angle, by_place = _ratio(1.0, math.pi / 2 - off), _ratio(1.0 + off, math.pi / 2)
    exact = _exact_ratio(1.0, math.pi / 2 - off) - _exact_ratio(1.0 + off, math.pi / 2)
    return Evidence.of(
        "sign of Ω(0.1 rad off in φ) − Ω(0.1 off in C_ID), from the CoP",
        "",
        1.0,
        np.sign(by_angle - by_place),
        general=np.sign(exact),
    )


def mass_distribution() -> Evidence:
    """(43) for link 2: a product is no ratio."""
    link = TABLE_1.link2
    about_joint = link.inertia + link.mass * link.com**2
    return Evidence.of(
        "C_MD of link 2 about its joint axis",
        "",
        link.inertia * about_joint,
        link.inertia / about_joint,
        general=_BODY.mass_distribution,
    )


def _ratio(coefficient: float, angle: float) -> float:
    """(7)."""
    return math.sqrt(1.0 + (coefficient**2 - 2.0 * coefficient) * math.sin(angle) ** 2)


def _exact_ratio(coefficient: float, angle: float) -> float:
    """Reaction per impulse of link 2 struck where C_ID has this value, by impulsive dynamics."""
    at = float(impact_distance(_BODY, coefficient))  # type: ignore[arg-type]
    return float(np.linalg.norm(_reaction(at, angle, 0.0, 1.0)))


def _reaction(at: float, angle: float, theta: float, size: float) -> np.ndarray:
    """The reaction of a fixed axis to a blow on link 2 turned by θ, by the general functions.

    World axes, N.
    """
    link, u = TABLE_1.link2, np.array([math.cos(theta), math.sin(theta), 0.0])
    turn = theta + angle
    push = -size * np.array([math.cos(turn), math.sin(turn), 0.0])
    found = body_reaction(JointedBody(link.plate(theta), Revolute()), at * u, push).reaction.linear
    return np.array([found.x, found.y], float)
