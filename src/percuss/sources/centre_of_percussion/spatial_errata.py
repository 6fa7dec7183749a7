"""Errors of the paper about one body on a ball joint in space."""

from __future__ import annotations

import numpy as np

from percuss.algebra.motions import Motion
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body
from percuss.model.joints import Spherical
from percuss.percussion import JointedBody, ball_joint_impact, zero_reaction
from percuss.percussion.spatial import body_reaction
from percuss.sources.centre_of_percussion.paper import TABLE_1
from percuss.sources.evidence import Evidence

Array = np.ndarray

SKEWED = Body(
    "skewed",
    8.0,
    (0.5, 0.1, -0.2),
    np.array([[1.1, 0.12, -0.2], [0.12, 0.9, 0.15], [-0.2, 0.15, 1.3]]),
)
"""No axis of the frame is principal, and the centre of mass is on none."""

TILTED = Body(
    "tilted", 5.0, (0.4, 0.0, 0.1), np.array([[0.4, 0.0, 0.2], [0.0, 0.5, 0.0], [0.2, 0.0, 0.45]])
)
"""z is principal at the joint, but the centre of mass is 0.1 m out of the plane normal to it."""

TILTED_POINT, TILTED_PUSH = np.array([0.625, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
"""Struck there along y, its joint feels nothing."""

_STRUCK, _PUSH = np.array([0.9, 0.0, 0.0]), np.array([0.0, 1.0, 0.3])
"""A blow on the skewed body."""


def axis_of_rotation() -> Evidence:
    """t of (25) against the direction in which the skewed body really turns."""
    moment = np.cross(_STRUCK, _PUSH)
    right = np.linalg.solve(_about_joint(SKEWED), moment)
    found = body_reaction(_jointed(SKEWED), _STRUCK, _PUSH).velocity.angular
    return Evidence.of(
        "direction of ω of a body without symmetry",
        "",
        _unit(moment),
        _unit(right),
        general=_unit(np.array(found.array(), float)),
    )


def triple_product() -> Evidence:
    """m r × (ω × l) as (27) has it, and m (r × ω) × l as it follows from (23)."""
    m, r = _mass(SKEWED), _com(SKEWED)
    omega, l = np.array([0.3, -0.2, 1.0]), _STRUCK
    turning = Motion(Vector3.zero(), Vector3(*omega))
    momentum = np.array((_jointed(SKEWED).inertia @ turning).linear.array(), float)
    return Evidence.of(
        "right-hand side of (27), ω = (0.3, −0.2, 1) rad/s",
        "N m s",
        m * np.cross(r, np.cross(omega, l)),
        m * np.cross(np.cross(r, omega), l),
        general=np.cross(l, momentum),
    )


def rows() -> Evidence:
    """The column of (31) for the tilted body, struck where its joint feels nothing."""
    m, (rn, rs, rt), (ln, ls, lt) = _mass(TILTED), _com(TILTED), TILTED_POINT
    I = _about_joint(TILTED)  # n, s, t are x, y, z here
    last = I[2, 2] - m * (rs * ls + rn * ln)
    unit = Motion(Vector3.zero(), Vector3(0.0, 0.0, 1.0))
    carried = _jointed(TILTED).inertia @ unit
    linear, angular = (np.array(x.array(), float) for x in (carried.linear, carried.angular))
    return Evidence.of(
        "column of (31) for a body with r_t = 0.1 m, struck without reaction",
        "kg m²",
        (I[0, 2] + m * rt * ln, I[1, 2] + m * rt * ls, last),
        (I[0, 2] + m * lt * rn, I[1, 2] + m * lt * rs, last),
        general=angular - np.cross(TILTED_POINT, linear),
    )


def in_plane_is_not_needed() -> Evidence:
    """(33): a body with r_t = 0.1 m whose joint feels nothing."""
    return _broken(
        TILTED,
        TILTED_POINT,
        TILTED_PUSH,
        "(33)",
        quantity="r_t of a body struck without reaction",
        unit="m",
    )


def principal_axis_is_not_needed() -> Evidence:
    """(32): a body about which nothing is principal, and whose joint feels nothing."""
    direction = np.cross(_com(SKEWED), [0.3, 0.2, 1.0])
    line = zero_reaction(_jointed(SKEWED), direction)
    return _broken(
        SKEWED,
        line.point,
        direction,
        "(32)",
        quantity="√(I_nt² + I_st²) / I_tt of a body struck without reaction",
        unit="1",
    )


def collinearity_is_not_needed() -> Evidence:
    """(35) holds 0.2 m off the line from joint to centre of mass, and nothing is felt there."""
    link, off = TABLE_1.link2, 0.2
    plate = link.plate()
    at, push = np.array([link.cop, off, 0.0]), np.array([0.0, -1.0, 0.0])
    r = _com(plate)
    beyond = at - r
    residual = float(r @ beyond) - link.inertia / link.mass
    found = ball_joint_impact(plate, at, push)
    felt = _reaction(plate, at, push)
    # The general functions give the area |r × l| and C_ID; length and residual follow.
    area = next(c for c in found.conditions if c.equation == "(35) text").residual
    about = link.inertia + link.mass * link.com**2
    distance = area * (about / link.mass) / link.com
    return Evidence.of(
        "IP off the line from joint to CM; (35) left minus right; N / Ω_F",
        "m, m², 1",
        (0.0, residual, 0.0),
        (off, residual, float(np.linalg.norm(felt))),
        general=(distance, (found.impact_coefficient - 1.0) * about / link.mass, found.ratio),
    )


def _broken(
    body: Body, point: Array, push: Array, equation: str, *, quantity: str, unit: str
) -> Evidence:
    """How far a condition is from holding where the joint feels nothing; printed: 0 needed."""
    t = _unit(np.cross(point, push))
    about, r = _about_joint(body), _com(body)
    felt = float(np.linalg.norm(_reaction(body, point, push)))
    inertia = float(t @ about @ t)
    found = ball_joint_impact(body, point, push)
    residual = next(c for c in found.conditions if c.equation == equation).residual
    if equation == "(33)":
        own = abs(float(r @ t))
        residual *= np.sqrt(inertia / _mass(body))  # percuss divides by the radius of gyration
    else:
        own = float(np.linalg.norm(about @ t - inertia * t)) / inertia
    names = f"{quantity}; N / Ω_F"
    return Evidence.of(
        names, f"{unit}, 1", (0.0, 0.0), (own, felt), general=(residual, found.ratio)
    )


def _reaction(body: Body, point: Array, push: Array) -> Array:
    """N / |Ω_F| = (m ω × r − Ω_F) / |Ω_F| with I_o ω = l × Ω_F, as (13)–(15) say."""
    omega = np.linalg.solve(_about_joint(body), np.cross(point, push))
    felt = _mass(body) * np.cross(omega, _com(body)) - push
    return felt / float(np.linalg.norm(push))


def _about_joint(body: Body) -> Array:
    """(17)."""
    r = _com(body)
    central = np.array(body.inertia.array(), float)
    return central + _mass(body) * (float(r @ r) * np.eye(3) - np.outer(r, r))


def _jointed(body: Body) -> JointedBody:
    return JointedBody(body, Spherical())


def _mass(body: Body) -> float:
    return float(body.mass)  # type: ignore[arg-type]


def _com(body: Body) -> Array:
    return np.array(body.com.array(), float)


def _unit(vector: Array) -> Array:
    return vector / float(np.linalg.norm(vector))
