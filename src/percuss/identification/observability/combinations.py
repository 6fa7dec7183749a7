"""Combinations of unknowns that have a meaning of their own, with names and values.

Each is a family: numbers f (g,) that depend on the unknowns with the gradients G (n, g), such as
the components of a vector, of which any sum a · f may be known although no part of it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack
from percuss.identification.forward.impact_motion import PLASTIC, impact_and_motion_of
from percuss.identification.forward.scene import Array, Scene, moves
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.phrases import along
from percuss.kinematics.frames import frame_velocity


@dataclass(frozen=True)
class Meaning:
    """Numbers with a meaning: `values` (g,) in `unit`, `gradients` (n, g).

    It is worth saying only if quantities of one of the groups `of` are not known themselves.
    """

    values: Array
    gradients: Array
    unit: str
    words: Callable[[Array, int], str]
    of: tuple[str, ...]


_STEMS = {"angle": "attitude", "omega": "velocity"}


def group_of(name: str) -> str:
    """The group of unknowns that a quantity belongs to."""
    stem = name.partition(".")[0]
    return "velocity" if name[:1] in "vw" else _STEMS.get(stem, stem)


def meanings(scene: Scene, names: Sequence[str]) -> list[Meaning]:
    """All combinations that have a name, simple ones first."""
    change = moves(scene, names)
    m, v, w, r = scene.mass, scene.linear, scene.angular, scene.arm
    about = scene.world_inertia
    axes = slice(0, scene.axes)
    turns = slice(2, 3) if scene.planar else slice(0, 3)

    def cross(a: Array, b: Array) -> Array:
        return np.cross(a, b, axis=0)

    def fixed(a: Array) -> Array:
        return a[:, None]

    contact = change.linear - cross(change.angular, fixed(r)) - cross(fixed(w), change.arm)
    momentum = m * change.linear + np.outer(v, change.mass)
    first_moment = m * change.arm + np.outer(r, change.mass)
    spin_momentum = np.einsum("ijn,j->in", change.inertia, w) + about @ change.angular
    swing = spin_momentum + cross(change.arm, fixed(m * v)) + cross(fixed(r), momentum)
    found = [
        Meaning(
            values=(v - np.cross(w, r))[axes],
            gradients=contact[axes].T,
            unit="m/s",
            words=lambda a, digits: (
                f"velocity of the target's contact point along {along(a, digits)}"
            ),
            of=("velocity",),
        ),
        Meaning(
            values=v[axes],
            gradients=change.linear[axes].T,
            unit="m/s",
            words=lambda a, digits: f"velocity of the centre of mass along {along(a, digits)}",
            of=("velocity",),
        ),
        Meaning(
            values=r[axes],
            gradients=change.arm[axes].T,
            unit="m",
            words=lambda a, digits: (
                f"vector from contact to centre of mass along {along(a, digits)} of the world"
            ),
            of=("com", "contact", "attitude"),
        ),
        Meaning(
            values=(m * v)[axes],
            gradients=momentum[axes].T,
            unit="kg m/s",
            words=lambda a, digits: f"momentum of the target along {along(a, digits)}",
            of=("velocity",),
        ),
        Meaning(
            values=(about @ w + np.cross(r, m * v))[turns],
            gradients=swing[turns].T,
            unit="kg m²/s",
            words=lambda a, digits: (
                "angular momentum of the target about the contact point"
                + ("" if len(a) == 1 else f", along {along(a, digits)}")
            ),
            of=("velocity",),
        ),
        Meaning(
            values=(m * r)[axes],
            gradients=first_moment[axes].T,
            unit="kg m",
            words=lambda a, digits: (
                "mass times the vector from contact to centre of mass, along "
                f"{along(a, digits)} of the world"
            ),
            of=("mass", "com", "contact", "attitude"),
        ),
    ]
    found += _spinning(scene, change.angular) + _inertias(
        scene, change.mass, change.arm, change.inertia
    )
    return found


def _spinning(scene: Scene, angular: Array) -> list[Meaning]:
    if scene.planar:
        return []
    return [
        Meaning(
            values=scene.angular,
            gradients=angular.T,
            unit="rad/s",
            words=lambda a, digits: f"angular velocity about the axis {along(a, digits)}",
            of=("velocity",),
        )
    ]


def _inertias(scene: Scene, mass: Array, arm: Array, inertia: Array) -> list[Meaning]:
    m, r, about = scene.mass, scene.arm, scene.world_inertia
    ratio = about / m
    d_ratio = inertia / m - ratio[..., None] * (mass / m)
    # I + m (r² 1 - r rᵀ), the tensor about the contact point.
    steiner = r @ r * np.eye(3) - np.outer(r, r)
    d_steiner = np.stack(
        [2.0 * (r @ d) * np.eye(3) - np.outer(d, r) - np.outer(r, d) for d in arm.T],
        axis=-1,
    )
    whole = about + m * steiner
    d_whole = inertia + m * d_steiner + steiner[..., None] * mass
    places = [(2, 2)] if scene.planar else [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    kinds = (
        ("{} over mass", "m²", ratio, d_ratio),
        ("{} in the world", "kg m²", about, inertia),
        ("{} about the contact point", "kg m²", whole, d_whole),
    )
    found: list[Meaning] = []
    # Of a shape the ratio is given, not found.
    kinds = kinds[1:] if scene.inertia_follows_mass else kinds
    for pattern, unit, values, gradients in kinds:
        for i, j in places:
            called = "moment of inertia"
            if not scene.planar:
                letters = "xyz"[i] + "xyz"[j]
                called += f" about {letters[0]}" if i == j else ""
                called = called if i == j else f"product of inertia {letters}"
            words = pattern.format(called)
            if scene.planar and "world" in pattern:
                continue
            if not scene.planar and "world" not in pattern:
                words += ", world axes"
            found.append(
                Meaning(
                    values=np.array([values[i, j]]),
                    gradients=gradients[i, j][:, None],
                    unit=unit,
                    words=lambda _a, _digits, words=words: words,
                    of=("mass", "inertia") if "mass" in pattern else ("inertia", "attitude"),
                )
            )
    return found


def after_impact(unknowns: Unknowns, theta: Array) -> Meaning | None:
    """Velocity of the contact point just after a plastic impact: what a robot feels first.

    None where nothing holds them together, and where numbers of the scenario may change the robot.
    """
    if not _holds(unknowns):
        return None
    theta = np.asarray(theta, float)
    values, slopes = _moving_on(unknowns)
    (by_theta,) = slopes(theta)
    gradients = np.linalg.solve(unknowns.slopes(theta).T, np.asarray(by_theta).T)
    return Meaning(
        values=np.asarray(values(theta), float),
        gradients=gradients,
        unit="m/s",
        words=lambda a, digits: (
            f"velocity of the contact point just after the impact along {along(a, digits)}"
        ),
        of=("velocity", "mass", "com", "contact", "attitude", "inertia"),
    )


def velocity_after(unknowns: Unknowns, theta: Array) -> Array | None:
    """The values of `after_impact` alone."""
    if not _holds(unknowns):
        return None
    return np.asarray(_moving_on(unknowns)[0](np.asarray(theta, float)), float)


def _holds(unknowns: Unknowns) -> bool:
    return unknowns.encounter.closure.name in PLASTIC and not unknowns.numbers


@lru_cache(maxsize=8)
def _moving_on(unknowns: Unknowns) -> tuple[Callable[[Array], Any], Callable[[Array], Any]]:
    """θ → velocity of the contact point just after the impact (m/s), and its derivatives."""
    impact_motion = impact_and_motion_of(unknowns)
    axes = 2 if unknowns.planar else 3

    def velocity(at: Any) -> Any:
        guess = unknowns.guess(at)
        rates = impact_motion.jump(at).chaser_rates
        start = impact_motion.start
        velocity_of_tool = frame_velocity(start.chaser, guess.chaser_coordinates, rates, start.tool)
        return pack(list(velocity_of_tool.linear)[:axes])

    like = np.zeros(len(unknowns))
    return kernel.compile(velocity, like), kernel.jacobian(velocity, like)
