"""The formulas of chapter 4 in plain matrices: as printed, and what replaces them.

M, C, J of the VMS and M_O, J_O of the object come from percuss's general functions; they agree
with (2.24), (2.33), (3.5) and (3.17).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.dynamics import bias_forces, mass_matrix, momentum
from percuss.impact import Contact
from percuss.kinematics import jacobian, jacobian_time_derivative

Array = np.ndarray


@dataclass(frozen=True)
class ContactMatrices:
    """VMS and object at the moment of contact, as matrices; ṗ_i and ψ̇_i are before the impact."""

    contact: Contact

    @cached_property
    def M(self) -> Array:  # noqa: N802
        """The mass matrix of the VMS, (5, 5)."""
        return mass_matrix(self.contact.chaser, self.contact.chaser_coordinates)

    @cached_property
    def M_O(self) -> Array:  # noqa: N802
        """The mass matrix of the object, (3, 3)."""
        return mass_matrix(self.contact.target, self.contact.target_coordinates)

    @cached_property
    def C(self) -> Array:  # noqa: N802
        """The centrifugal and Coriolis forces of the VMS, (5,)."""
        c = self.contact
        return bias_forces(c.chaser, c.chaser_coordinates, c.chaser_rates)

    @cached_property
    def J(self) -> Array:  # noqa: N802
        """(2.24), (2, 5)."""
        return jacobian(self.contact.chaser, self.contact.chaser_coordinates, self.contact.tool)[:2]

    @cached_property
    def J_O(self) -> Array:  # noqa: N802
        """(2.33), (2, 3)."""
        return jacobian(self.contact.target, self.contact.target_coordinates, self.contact.grip)[:2]

    @cached_property
    def p_i(self) -> Array:
        return np.asarray(self.contact.chaser_rates, float)

    @cached_property
    def psi_i(self) -> Array:
        return np.asarray(self.contact.target_rates, float)

    # --- as printed ---------------------------------------------------------------------------

    @cached_property
    def pseudo_inverse(self) -> Array:
        """J_O⁺ = J_Oᵀ (J_O J_Oᵀ)⁻¹ (2.18), (3, 2)."""
        return self.J_O.T @ np.linalg.inv(self.J_O @ self.J_O.T)

    @cached_property
    def carried(self) -> Array:
        """(J_O⁺)ᵀ M_O J_O⁺: the object's inertia at the contact point in (4.11), (2, 2)."""
        return self.pseudo_inverse.T @ self.M_O @ self.pseudo_inverse

    @cached_property
    def published(self) -> tuple[Array, Array]:
        """ṗ_f and ψ̇_f by (4.9)–(4.11)."""
        G = self.M + self.J.T @ self.carried @ self.J
        H = self.M @ self.p_i + self.J.T @ self.pseudo_inverse.T @ self.M_O @ self.psi_i
        p_f = np.linalg.solve(G, H)
        return p_f, self.pseudo_inverse @ self.J @ p_f

    @cached_property
    def M_after(self) -> Array:  # noqa: N802
        """M′ of (4.19), (5, 5)."""
        return self.M + self.J.T @ self.carried @ self.J

    @cached_property
    def C_after(self) -> Array:  # noqa: N802
        """C′ of (4.19) with total derivatives and (4.21), (5,)."""
        c, plus = self.contact, self.pseudo_inverse
        J_rate = jacobian_time_derivative(c.chaser, c.chaser_coordinates, c.chaser_rates, c.tool)[
            :2
        ]
        rate = self._pseudo_inverse_rate()
        felt = self.J.T @ plus.T @ self.M_O
        return self.C + felt @ (rate @ self.J + plus @ J_rate) @ self.p_i

    def _pseudo_inverse_rate(self) -> Array:
        """dJ_O⁺/dt when the object turns with the last arm (4.21)."""
        c, J, plus = self.contact, self.J_O, self.pseudo_inverse
        turning = jacobian(c.chaser, c.chaser_coordinates, c.tool)[5] @ self.p_i
        motion = np.array([0.0, 0.0, turning])
        J_rate = jacobian_time_derivative(c.target, c.target_coordinates, motion, c.grip)[:2]
        free = np.eye(3) - plus @ J
        return -plus @ J_rate @ plus + free @ J_rate.T @ np.linalg.inv(J @ J.T)

    # --- right --------------------------------------------------------------------------------

    @cached_property
    def felt(self) -> Array:
        """Λ = (J_O M_O⁻¹ J_Oᵀ)⁻¹: the object's inertia at the contact point, (2, 2)."""
        return np.linalg.inv(self.J_O @ np.linalg.solve(self.M_O, self.J_O.T))

    @cached_property
    def pinned(self) -> tuple[Array, Array]:
        """ṗ_f and ψ̇_f of an impulse without a moment: all of (4.1), (4.8)."""
        G = self.M + self.J.T @ self.felt @ self.J
        H = self.M @ self.p_i + self.J.T @ self.felt @ self.J_O @ self.psi_i
        p_f = np.linalg.solve(G, H)
        impulse = -self.felt @ (self.J @ p_f - self.J_O @ self.psi_i)
        return p_f, self.psi_i - np.linalg.solve(self.M_O, self.J_O.T @ impulse)

    @cached_property
    def swing(self) -> Array:
        """N: the object's motion about the contact point at 1 rad/s, J_O N = 0, (3,)."""
        return np.array([*-self.J_O[:, 2], 1.0])

    # --- what any closure can be asked ----------------------------------------------------------

    def momentum(self, rates: tuple[Array, Array]) -> Array:
        """(p_x, p_y, L) of VMS and object together, L about the origin: N s, N s, N m s."""
        c = self.contact
        total = momentum(c.chaser, c.chaser_coordinates, rates[0]) + momentum(
            c.target, c.target_coordinates, rates[1]
        )
        return np.asarray([total.linear.x, total.linear.y, total.angular.z], float)

    def unexplained(self, rates: tuple[Array, Array]) -> Array:
        """J_Oᵀ P + M_O Δψ̇ with P by (4.2): what the object's own equation leaves over, (3,)."""
        change = self.M_O @ (rates[1] - self.psi_i)
        impulse = -self.pseudo_inverse.T @ change
        return self.J_O.T @ impulse + change

    @property
    def p(self) -> Array:
        return np.asarray(self.contact.chaser_coordinates, float)
