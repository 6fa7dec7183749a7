"""The homogeneous matrices of chapters 2 and 3, as they should be: M, W, L, J and Φ.

All are (4, 4) arrays. M is a pose, W = Ṁ M⁻¹ a velocity, L = W / (signed rate) a direction of
motion, J = ∫ [P; 1][P; 1]ᵀ dm a body, Φ an action. M, W, L change frame by similarity, J and Φ by
congruence. The frames 0, 1, 2 are those of Figure 2.6: on the base, and at the ends of the arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.sources.thesis.sample import Sample
from percuss.sources.thesis.tables import VMS

Array = np.ndarray

ORIGIN = np.array([0.0, 0.0, 0.0, 1.0])


def placed(angle: float, x: float, y: float) -> Array:
    """The pose of (2.21): turned by `angle` (rad) about z, shifted by (x, y) (m)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def arm(angle: float, length: float) -> Array:
    """ᵏ⁻¹ₖM of (2.22): a joint, and the end of the arm behind it."""
    return placed(angle, length * np.cos(angle), length * np.sin(angle))


def velocity(spin: float, vx: float = 0.0, vy: float = 0.0) -> Array:
    """W of (2.10) in the plane: rad/s, and m/s of the body point at the origin."""
    return np.array([[0, -spin, 0, vx], [spin, 0, 0, vy], [0, 0, 0, 0], [0, 0, 0, 0.0]])


def action(moment: float, fx: float = 0.0, fy: float = 0.0) -> Array:
    """Φ of (3.21) in the plane: N m about the origin, and N."""
    return np.array([[0, -moment, 0, fx], [moment, 0, 0, fy], [0, 0, 0, 0], [-fx, -fy, 0, 0.0]])


def similar(M: Array, W: Array) -> Array:
    """M W M⁻¹ (2.12): how velocities change frame, and how the thesis moves J and Φ too."""
    return M @ W @ np.linalg.inv(M)


def congruent(M: Array, J: Array) -> Array:
    """M J Mᵀ: how bodies and actions change frame."""
    return M @ J @ M.T


def disk_body(mass: float, radius: float) -> Array:
    """J of a disk in a frame at its centre (3.26)."""
    return np.diag([mass * radius**2 / 4, mass * radius**2 / 4, 0.0, mass])


def rod_body(mass: float, length: float) -> Array:
    """J of a slender rod along x in the frame at its far end, kg m², kg m and kg."""
    J = np.zeros((4, 4))
    J[0, 0], J[3, 3] = mass * length**2 / 3, mass
    J[0, 3] = J[3, 0] = -mass * length / 2
    return J


def energy(W: Array, J: Array) -> float:
    """T = ½ Tr(W J Wᵀ) (3.25), J."""
    return 0.5 * float(np.trace(W @ J @ W.T))


def pseudo_product(phi: Array, W: Array) -> float:
    """Φ ⊗ W = f · v + c · ω (3.22): W for a velocity, N or N m for an L."""
    force, speed = phi[:3, 3], W[:3, 3]
    pairs = ((2, 1), (0, 2), (1, 0))
    return float(force @ speed) + sum(float(phi[i] * W[i]) for i in pairs)


@dataclass(frozen=True)
class Chain:
    """The matrices of a VMS in a state, all in the fixed frame f unless said otherwise."""

    state: Sample

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
        return sum(energy(self.velocities[k], J) for k, J in bodies.items())

    def power(self, actions: dict[str, Array]) -> float:
        """Σ Φ ⊗ W with these ᶠΦ, W."""
        return sum(pseudo_product(phi, self.velocities[k]) for k, phi in actions.items())
