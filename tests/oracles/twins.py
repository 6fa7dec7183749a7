"""What both oracles share: one state in two libraries' coordinates, joint by joint.

The rates of a library are x = P(q) v with an orthogonal P that turns some blocks of the rates
from the axes of the joint frame to those of the moved joint frame. All else follows: forces
P τ, accelerations P v̇ + Ṗ v, mass matrices Pᵀ M P, Jacobians J P.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant, unpack
from percuss.model.couplings import followed
from percuss.model.errors import ModelError
from percuss.model.joints import Free, JointMotion, Planar, Prismatic, Revolute
from percuss.model.mjcf.bodies import vector
from percuss.model.parameters import parameters
from percuss.model.systems import System

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointEntries:
    """Where the coordinates and rates of one joint are, here and in the library."""

    motion: JointMotion
    coordinates: slice
    rates: slice
    library_coordinates: slice
    library_rates: slice


@dataclass(frozen=True)
class Twin(ABC):
    """A system and the same system in another library, with the maps between their states.

    Every method is pure and works on one state of plain numbers, shape (nq,) or (nv,).
    """

    system: System
    model: Any
    """The library's own model."""
    blocks: tuple[JointEntries, ...]

    @abstractmethod
    def joint_coordinates(self, motion: JointMotion, q: Array) -> Array:
        """The library's coordinates of one joint."""

    @abstractmethod
    def joint_coordinates_back(self, motion: JointMotion, q: Array) -> Array:
        """Our coordinates of one joint."""

    @abstractmethod
    def turned(self, motion: JointMotion) -> tuple[bool, ...]:
        """For each three rates of a joint, whether the library has them in the moved frame."""

    # --- both ways --------------------------------------------------------------------------

    def coordinates(self, q: ArrayLike) -> Array:
        """The library's coordinates from ours."""
        ours, theirs = self._ours(q), np.zeros(self.model.nq)
        for block in self.blocks:
            own = ours[block.coordinates]
            theirs[block.library_coordinates] = self.joint_coordinates(block.motion, own)
        return theirs

    def coordinates_back(self, q: ArrayLike) -> Array:
        """Our coordinates from the library's."""
        theirs, ours = np.asarray(q, float), np.zeros(self.system.coordinate_count)
        for block in self.blocks:
            own = theirs[block.library_coordinates]
            ours[block.coordinates] = self.joint_coordinates_back(block.motion, own)
        return ours

    def rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The library's rates P v from ours, at our coordinates q."""
        return self.rate_matrix(q) @ np.asarray(v, float)

    def rates_back(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Our rates Pᵀ v from the library's, at our coordinates q."""
        return self.rate_matrix(q).T @ np.asarray(v, float)

    def accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """The library's accelerations P v̇ + Ṗ v from ours, at our coordinates and rates."""
        drift = self.rate_matrix_derivative(q, v) @ np.asarray(v, float)
        return self.rate_matrix(q) @ np.asarray(a, float) + drift

    def accelerations_back(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Our accelerations from the library's, at our coordinates and rates."""
        drift = self.rate_matrix_derivative(q, v) @ np.asarray(v, float)
        return self.rate_matrix(q).T @ (np.asarray(a, float) - drift)

    def forces(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """The library's generalized forces P τ from ours: the power is the same."""
        return self.rates(q, tau)

    def forces_back(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Our generalized forces from the library's."""
        return self.rates_back(q, tau)

    # --- the turning of the rates -------------------------------------------------------------

    def rate_matrix(self, q: ArrayLike) -> Array:
        """P with the library's rates = P v: orthogonal, shape (nv, nv)."""
        ours, matrix = self._ours(q), self._square()
        for block in self.blocks:
            turn = _turn(block.motion, ours[block.coordinates])
            start = np.eye(block.motion.rate_count)
            own = self._with_turn(block.motion, start, turn.T)
            matrix[block.library_rates, block.rates] = own
        return matrix

    def rate_matrix_derivative(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ṗ along the motion with our rates v, shape (nv, nv)."""
        ours, rates, matrix = self._ours(q), np.asarray(v, float), self._square()
        for block in self.blocks:
            turn = _turn(block.motion, ours[block.coordinates])
            spin = _spin(block.motion, rates[block.rates])
            start = np.zeros((block.motion.rate_count, block.motion.rate_count))
            # Ṙ = ω× R, hence d(Rᵀ)/dt = -Rᵀ ω×.
            own = self._with_turn(block.motion, start, -turn.T @ spin)
            matrix[block.library_rates, block.rates] = own
        return matrix

    def _with_turn(self, motion: JointMotion, matrix: Array, turn: Array) -> Array:
        """The matrix with `turn` in the diagonal blocks that the library turns."""
        for k, is_turned in enumerate(self.turned(motion)):
            if is_turned:
                # A planar joint's rates (x, y, angle) turn about z like a vector.
                matrix[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = turn
        return matrix

    def _ours(self, q: ArrayLike) -> Array:
        names = self.system.coordinate_names
        return np.array(unpack(q, self.system.coordinate_count, "q", names), float)

    def _square(self) -> Array:
        return np.zeros((self.system.rate_count, self.system.rate_count))


def _turn(motion: JointMotion, q: Array) -> Array:
    """Moved joint frame → joint frame, for the joints whose rates a library may turn."""
    if isinstance(motion, Planar):
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if isinstance(motion, Free):
        return rotation_matrix(q[3:])
    return np.eye(3)


def _spin(motion: JointMotion, v: Array) -> Array:
    """ω× in the joint frame."""
    x, y, z = 0.0, 0.0, 0.0
    if isinstance(motion, Planar):
        z = v[2]
    elif isinstance(motion, Free):
        x, y, z = v[3:]
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation_matrix(quaternion: Array) -> Array:
    """The rotation matrix (3, 3) of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# --- reading and writing models -----------------------------------------------------------------


def library(name: str) -> Any:
    """The optional library, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"the oracle {name} is not installed: pip install 'percuss[dev]'"
        ) from error


def refuse_unheld(system: System, where: str) -> None:
    """Another library holds numbers only, and trees whose joints move by themselves."""
    if system.followers:
        joint = system.followers[0]
        raise ModelError(
            f"cannot hand system {system.name!r} to {where}: joint {joint.name!r} "
            f"{followed(joint.motion)}, and {where} solves no such couplings exactly; "
            "percuss.model.uncoupled(system) is the same tree without them"
        )
    values: Mapping[str, Any] = parameters(system) | {
        f"{joint.name}.axis.{name}": a
        for joint in system.joints
        if isinstance(joint.motion, (Revolute, Prismatic))
        for name, a in zip("xyz", joint.motion.axis, strict=True)
    }
    for name, value in values.items():
        if not is_constant(value):
            raise ModelError(
                f"cannot hand system {system.name!r} to {where}: parameter {name} is "
                f"{value!r}; give it a number with system.with_parameters({{{name!r}: …}})"
            )


def shifted(offset: Any) -> Pose:
    """Displaced without turning."""
    return Pose(position=vector(offset))
