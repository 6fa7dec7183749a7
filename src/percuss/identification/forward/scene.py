"""The target at the impact as numbers, and how each unknown moves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.identification.forward.unknowns import Unknowns

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
_MOMENTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclass(frozen=True)
class Scene:
    """The target just before the impact, SI.

    Attributes:
        planar: whether everything happens in the plane x, y.
        rotation: world ← target (3, 3).
        turn: the rotation vector that `attitude` is (3,), rad, world axes; zero in the plane.
        arm: from the contact point to the centre of mass (3,), world axes.
        mass: kg; `inertia` about the centre of mass (3, 3), target axes.
        linear, angular: velocity of the centre of mass and of the body (3,), world axes.
        inertia_follows_mass: whether the inertia is a shape's, which scales with the mass.
    """

    planar: bool
    rotation: Array
    turn: Array
    arm: Array
    mass: float
    inertia: Array
    linear: Array
    angular: Array
    inertia_follows_mass: bool = False

    @cached_property
    def world_inertia(self) -> Array:
        return self.rotation @ self.inertia @ self.rotation.T

    @property
    def axes(self) -> int:
        return 2 if self.planar else 3

    @cached_property
    def turning(self) -> Array:
        """How a change of the rotation vector `turn` turns the body (3, 3): the left Jacobian."""
        angle = float(np.linalg.norm(self.turn))
        across = cross_matrix(self.turn)
        if angle < 1e-6:
            return np.eye(3) + 0.5 * across
        first = (1.0 - np.cos(angle)) / angle**2
        second = (angle - np.sin(angle)) / angle**3
        return np.eye(3) + first * across + second * across @ across


@dataclass(frozen=True)
class Moves:
    """How the target changes with each of n quantities.

    `mass` (n,), `arm` (3, n), `inertia` (3, 3, n), `linear` (3, n), `angular` (3, n): arm and
    inertia in world axes.
    """

    mass: Array
    arm: Array
    inertia: Array
    linear: Array
    angular: Array


def scene_of(unknowns: Unknowns, theta: Any) -> Scene:
    """The target that θ (n,) stands for."""
    values = [float(x) for x in theta]
    guess = unknowns.guess(values)
    rotation = np.array(guess.rotation.array(), float)
    turn = np.zeros(3)
    if "attitude" in unknowns.slices and not unknowns.planar:
        turn = np.array(values[unknowns.slices["attitude"]])
    arm = rotation @ np.array((guess.com - guess.contact).array(), float)
    return Scene(
        planar=unknowns.planar,
        rotation=rotation,
        turn=turn,
        arm=arm,
        mass=float(np.asarray(guess.mass)),
        inertia=np.array(guess.inertia.array(), float),
        linear=np.array(guess.linear.array(), float),
        angular=np.array(guess.angular.array(), float),
        inertia_follows_mass=unknowns.inertia_follows_mass,
    )


def moves(scene: Scene, names: Sequence[str]) -> Moves:
    """Changes of the target per unit of each quantity; none for those of sensors and robot."""
    count = len(names)
    found = Moves(
        mass=np.zeros(count),
        arm=np.zeros((3, count)),
        inertia=np.zeros((3, 3, count)),
        linear=np.zeros((3, count)),
        angular=np.zeros((3, count)),
    )
    R, world = scene.rotation, scene.world_inertia
    for k, name in enumerate(names):
        stem, _, axis = name.partition(".")
        if name in ("vx", "vy", "vz"):
            found.linear[AXES.index(name[1]), k] = 1.0
        elif name in ("wx", "wy", "wz", "omega"):
            found.angular["xyz".index(name[1]) if len(name) == 2 else 2, k] = 1.0
        elif stem in ("angle", "attitude"):
            turn = np.eye(3)[2] if stem == "angle" else scene.turning[:, AXES.index(axis)]
            found.arm[:, k] = np.cross(turn, scene.arm)
            found.inertia[..., k] = cross_matrix(turn) @ world - world @ cross_matrix(turn)
        elif stem == "mass":
            found.mass[k] = 1.0
            if scene.inertia_follows_mass:
                found.inertia[..., k] = world / scene.mass
        elif stem in ("com", "contact"):
            found.arm[:, k] = R[:, AXES.index(axis)] * (1.0 if stem == "com" else -1.0)
        elif stem == "inertia":
            i, j = _MOMENTS[axis] if axis else (2, 2)
            change = np.zeros((3, 3))
            change[i, j] = change[j, i] = 1.0
            found.inertia[..., k] = R @ change @ R.T
    return found


def cross_matrix(a: Array) -> Array:
    """a× (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def entries(tensor: Array) -> Mapping[str, float]:
    """inertia.xx … of a symmetric tensor (3, 3)."""
    return {f"inertia.{key}": float(tensor[i, j]) for key, (i, j) in _MOMENTS.items()}
