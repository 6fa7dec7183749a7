"""The manipulator equations as lectures write them, over any scalar.

    M = Σ Jᵢᵀ Mᵢ Jᵢ,    h_k = Σ_j (Ṁ_kj - ½ Σ_i ∂M_ij/∂x_k ẋ_i) ẋ_j

with Mᵢ = [m 1, -c×; c×, I] of each link about its frame origin. The derivatives need true
coordinates x: those of a chart (`percuss.dynamics.formulations.charts`), which are the system's
own except for spherical and free joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from percuss.algebra.linear import minus, plus
from percuss.algebra.scalars import Scalar, add, dot, is_symbolic_matrix, pack, plain, terms, unpack
from percuss.dynamics.formulations.charts import (
    chart_coordinates,
    chart_names,
    rates_map,
    rates_map_derivative,
)
from percuss.dynamics.inertias import refuse_massless
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.jacobians import jacobian, jacobian_time_derivative
from percuss.model.systems import Node, System

Matrix = tuple[tuple[Scalar, ...], ...]


def link_mass_matrix(system: System, body: str) -> Any:
    """Mᵢ = [m 1, -c×; c×, I], c = m · (centre of mass) and I about the frame origin: (6, 6)."""
    return system.node(body).body.spatial_inertia.matrix()


def lecture_mass_matrix(system: System, x: Any) -> Any:
    """M(x) = Σ Jᵢᵀ Mᵢ Jᵢ with T = ½ ẋᵀ M ẋ: shape (n, n)."""
    chart = _Chart.at(system, x)
    mass = _zeros(system.rate_count)
    for node in system.tree:
        J = chart.link_jacobian(node)
        mass = _plus(mass, _product(_transposed(J), _product(_link_matrix(node), J)))
    return _packed(mass)


def lecture_mass_matrix_derivatives(system: System, x: Any) -> tuple[Any, ...]:
    """∂M/∂x_k for each k: Σ (∂Jᵢ/∂x_k)ᵀ Mᵢ Jᵢ and its transpose, shape (n, n) each."""
    return tuple(_packed(change) for change in _Chart.at(system, x).mass_changes)


def lecture_bias_forces(system: System, x: Any, x_rates: Any) -> Any:
    """h_k of above less the gravity forces Σ Jᵢᵀ fᵢ^g, shape (n,), N and N m.

    `x_rates` are ẋ; fᵢ^g is the weight m g at the link's centre of mass.
    """
    chart = _Chart.at(system, x)
    rates = unpack(x_rates, system.rate_count, "x_rates", chart_names(system))
    forces: list[Scalar] = []
    for k, change in enumerate(chart.mass_changes):
        # Row k of Ṁ = Σ_l ∂M/∂x_l ẋ_l.
        flow = [
            dot([other[k][j] for other in chart.mass_changes], rates) for j in range(len(rates))
        ]
        quadratic = dot(rates, [dot(row, rates) for row in change])
        forces.append(plain(dot(flow, rates) - 0.5 * terms(quadratic)))
    return pack(minus(forces, chart.weights))


@dataclass(frozen=True)
class _Chart:
    """A system at true coordinates x, with its own coordinates q and v = E ẋ."""

    system: System
    x: tuple[Scalar, ...]

    @staticmethod
    def at(system: System, x: Any) -> _Chart:
        refuse_massless(system)
        return _Chart(system, unpack(x, system.rate_count, "x", chart_names(system)))

    @cached_property
    def q(self) -> Any:
        return chart_coordinates(self.system, self.x)

    @cached_property
    def E(self) -> Matrix:  # noqa: N802
        return _rows(rates_map(self.system, self.x))

    @cached_property
    def E_changes(self) -> list[Matrix]:  # noqa: N802
        """∂E/∂x_k."""
        size = range(self.system.rate_count)
        return [_rows(rates_map_derivative(self.system, self.x, k)) for k in size]

    def link_jacobian(self, node: Node) -> Matrix:
        """Jᵢ: velocity of the link's frame in its own axes = Jᵢ ẋ, (6, n)."""
        return _product(_rows(jacobian(self.system, self.q, node.body.name, "body")), self.E)

    @cached_property
    def mass_changes(self) -> list[Matrix]:
        """∂M/∂x_k."""
        changes = [_zeros(self.system.rate_count) for _ in self.x]
        for node in self.system.tree:
            own = _rows(jacobian(self.system, self.q, node.body.name, "body"))
            felt = _product(_link_matrix(node), _product(own, self.E))
            for k in range(len(self.x)):
                half = _product(_transposed(self._jacobian_change(node, own, k)), felt)
                changes[k] = _plus(changes[k], _plus(half, _transposed(half)))
        return changes

    def _jacobian_change(self, node: Node, own: Matrix, k: int) -> Matrix:
        """∂Jᵢ/∂x_k = (dJ/dt at ẋ = e_k) E + J ∂E/∂x_k."""
        along = [row[k] for row in self.E]
        name = node.body.name
        moved = _rows(jacobian_time_derivative(self.system, self.q, along, name, "body"))
        return _plus(_product(moved, self.E), _product(own, self.E_changes[k]))

    @cached_property
    def weights(self) -> list[Scalar]:
        """Σ Jᵢᵀ fᵢ^g."""
        on_rates: list[Scalar] = [0.0] * len(self.x)
        for node in self.system.tree:
            J = _rows(jacobian(self.system, self.q, node.body.name))
            com = frame_pose(self.system, self.q, node.body.name).rotation @ node.body.com
            weight = self.system.gravity * node.body.mass
            wrench = (*weight, *com.cross(weight))
            columns = zip(*J, strict=True)
            on_rates = [
                add(old, dot(column, wrench)) for old, column in zip(on_rates, columns, strict=True)
            ]
        return [dot(column, on_rates) for column in zip(*self.E, strict=True)]


def _link_matrix(node: Node) -> Matrix:
    return _rows(node.body.spatial_inertia.matrix())


# --- matrices of any size -----------------------------------------------------------------------


def _rows(matrix: Any) -> Matrix:
    return tuple(
        tuple(row) for row in (matrix.tolist() if is_symbolic_matrix(matrix) else list(matrix))
    )


def _packed(rows: Matrix) -> Any:
    return pack([list(row) for row in rows])


def _zeros(size: int) -> Matrix:
    return ((0.0,) * size,) * size


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def _transposed(a: Matrix) -> Matrix:
    return tuple(zip(*a, strict=True))


def _plus(a: Matrix, b: Matrix) -> Matrix:
    pairs = zip(a, b, strict=True)
    return tuple(plus(p, q) for p, q in pairs)
