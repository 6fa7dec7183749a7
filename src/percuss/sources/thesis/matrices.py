"""The homogeneous matrices of chapters 2 and 3, as they should be: M, W, L, J and Φ.

All are (4, 4) arrays. M is a pose, W = Ṁ M⁻¹ a velocity, L = W / (signed rate) a direction of
motion, J = ∫ [P; 1][P; 1]ᵀ dm a body, Φ an action. M, W, L change frame by similarity, J and Φ by
congruence. The frames 0, 1, 2 are those of Figure 2.6: on the base, and at the ends of the arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.algebra.poses import Pose
from percuss.dynamics.formulations.homogeneous import (
    action_matrix,
    congruent,
    kinetic_energy_of,
    pose_matrix,
    pseudo_scalar_product,
    similar,
    velocity_matrix,
)
from percuss.sources.thesis.sample import ThesisSample
from percuss.sources.thesis.tables import VMS

Array = np.ndarray

ORIGIN = np.array([0.0, 0.0, 0.0, 1.0])


def placed(angle: float, x: float, y: float) -> Array:
    """The pose of (2.21): turned by `angle` (rad) about z, shifted by (x, y) (m)."""
    return pose_matrix(Pose.planar(x, y, angle))


def arm(angle: float, length: float) -> Array:
    """ᵏ⁻¹ₖM of (2.22): a joint, and the end of the arm behind it."""
    return placed(angle, length * np.cos(angle), length * np.sin(angle))


def velocity(spin: float, vx: float = 0.0, vy: float = 0.0) -> Array:
    """W of (2.10) in the plane: rad/s, and m/s of the body point at the origin."""
    return velocity_matrix((vx, vy, 0.0, 0.0, 0.0, spin))


def action(moment: float, fx: float = 0.0, fy: float = 0.0) -> Array:
    """Φ of (3.21) in the plane: N m about the origin, and N."""
    return action_matrix((fx, fy, 0.0, 0.0, 0.0, moment))


def disk_body(mass: float, radius: float) -> Array:
    """J of a disk in a frame at its centre (3.26)."""
    return np.diag([mass * radius**2 / 4, mass * radius**2 / 4, 0.0, mass])


def rod_body(mass: float, length: float) -> Array:
    """J of a slender rod along x in the frame at its far end, kg m², kg m and kg."""
    J = np.zeros((4, 4))
    J[0, 0], J[3, 3] = mass * length**2 / 3, mass
    J[0, 3] = J[3, 0] = -mass * length / 2
    return J


@dataclass(frozen=True)
class VmsMatrices:
    """The matrices of a VMS in a state, all in the fixed frame f unless said otherwise."""

    state: ThesisSample

    @cached_property
    def poses(self) -> dict[str, Array]:
        """ᶠ_kM of the frames b, 0, 1, 2 by (2.22) with the identity in ᶠ_bM."""
        x, y, first, q1, q2 = self.state.p
        b = placed(0.0, x, y)
        zero = b @ placed(first, 0.0, 0.0)
        one = zero @ arm(q1, VMS.l1)
        return {"b": b, "0": zero, "1": one, "2": one @ arm(q2, VMS.l2)}

    @cached_property
    def directions(self) -> tuple[Array, ...]:
        """ᶠL of x_b, y_b, θ0, q1, q2: (2.29) projected as in (2.30)."""
        turn = velocity(1.0)
        return (
            velocity(0.0, 1.0, 0.0),
            velocity(0.0, 0.0, 1.0),
            similar(self.poses["b"], turn),
            similar(self.poses["0"], turn),
            similar(self.poses["1"], turn),
        )

    @cached_property
    def velocities(self) -> dict[str, Array]:
        """ᶠW of the base and the arms, added up by (2.11)."""
        parts = [L * rate for L, rate in zip(self.directions, self.state.rates, strict=True)]
        return {"b": sum(parts[:3]), "1": sum(parts[:4]), "2": sum(parts)}  # type: ignore[dict-item]

    @cached_property
    def own_bodies(self) -> dict[str, Array]:
        """J of base and arms, each in its own frame 0, 1, 2."""
        return {
            "b": disk_body(VMS.m_b, VMS.r),
            "1": rod_body(VMS.m1, VMS.l1),
            "2": rod_body(VMS.m2, VMS.l2),
        }

    @cached_property
    def own_actions(self) -> dict[str, Array]:
        """Φ of base and arms, each in its own frame: (3.28) with τ2 where τ3 is printed."""
        fx, fy, t0, t1, t2 = self.state.forces
        return {"b": action(t0 - t1, fx, fy), "1": action(t1 - t2), "2": action(t2)}

    def frame(self, body: str) -> Array:
        """ᶠM of the frame in which a body's own matrices are written."""
        return self.poses["0" if body == "b" else body]

    @cached_property
    def bodies(self) -> dict[str, Array]:
        """ᶠJ."""
        return {k: congruent(self.frame(k), J) for k, J in self.own_bodies.items()}

    @cached_property
    def actions(self) -> dict[str, Array]:
        """ᶠΦ."""
        return {k: congruent(self.frame(k), phi) for k, phi in self.own_actions.items()}

    def kinetic_energy(self, bodies: dict[str, Array]) -> float:
        """T_b + T_1 + T_2 (3.27) with these ᶠJ, J."""
        parts = [kinetic_energy_of(self.velocities[k], J) for k, J in bodies.items()]
        return float(np.asarray(parts, float).sum())

    def power(self, actions: dict[str, Array]) -> float:
        """Σ Φ ⊗ W with these ᶠΦ, W."""
        parts = [pseudo_scalar_product(phi, self.velocities[k]) for k, phi in actions.items()]
        return float(np.asarray(parts, float).sum())
