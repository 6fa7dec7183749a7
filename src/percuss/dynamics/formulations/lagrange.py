"""Lagrange's equations in SymPy, from the positions of the centres of mass.

    T = Σ ½ m ṙ · ṙ + ½ ω · I ω,    U = -Σ m g · r,    d/dt ∂T/∂ẋ - ∂T/∂x + ∂U/∂x = Q

with ṙ = ∂r/∂x ẋ and the angular velocity from R, in body axes, ω× = Rᵀ Ṙ. Nothing here uses
velocities, Jacobians or the recursive algorithms: only where the bodies are. The coordinates x are
true ones (`percuss.dynamics.formulations.charts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.dynamics.formulations.charts import chart_names, chart_poses, rates_map
from percuss.dynamics.formulations.derivatives import partial_derivatives
from percuss.dynamics.inertias import refuse_massless
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class LagrangeEquations:
    """M(x) ẍ + c(x, ẋ) + g(x) = Q, with what it was derived from; all SymPy, not simplified.

    Energies in J; forces in N and N m. `generalized_forces` Q is the virtual work of the given
    wrenches; efforts τ of the joints add Eᵀ τ with v = E ẋ.
    """

    coordinates: tuple[Any, ...]
    rates: tuple[Any, ...]
    kinetic_energy: Any
    potential_energy: Any
    mass_matrix: Any
    """Shape (n, n)."""
    coriolis_forces: Any
    """c, shape (n, 1)."""
    gravity_forces: Any
    """g = ∂U/∂x, shape (n, 1)."""
    generalized_forces: Any
    """Q, shape (n, 1)."""
    rates_map: Any
    """E with v = E ẋ, shape (n, n)."""

    @property
    def bias_forces(self) -> Any:
        """c + g, shape (n, 1)."""
        return self.coriolis_forces + self.gravity_forces


def lagrange_equations(
    system: System,
    coordinates: Sequence[Any] | None = None,
    rates: Sequence[Any] | None = None,
    wrenches: Mapping[Any, Any] | None = None,
) -> LagrangeEquations:
    """Lagrange's equations of a system whose parameters are numbers or SymPy expressions.

    Args:
        coordinates: symbols for the true coordinates, default named as `chart_names` does.
        rates: symbols for their time derivatives, default with "_dot" behind.
        wrenches: force and moment at frames, world axes, about the frame's origin: a `Force`
            or six scalars by frame.
    """
    refuse_massless(system)
    names = chart_names(system)
    x = _symbols(coordinates, names, "coordinates")
    x_dot = _symbols(rates, [f"{symbol}_dot" for symbol in x], "rates")
    poses = chart_poses(system, sympy.Matrix(x) if x else [])
    T, U = sympy.S.Zero, sympy.S.Zero
    for node, pose in zip(system.tree, poses, strict=True):
        r = _column(pose.act(node.body.com))
        r_dot = _total_derivative(r, x, x_dot)
        omega = angular_velocity(pose, x, x_dot)
        inertia = sympy.Matrix(node.body.inertia.array())
        T += node.body.mass * r_dot.dot(r_dot) / 2 + (omega.T * inertia * omega)[0] / 2
        U -= node.body.mass * _column(system.gravity).dot(r)
    M, c, g = equations_from_energies(T, U, x, x_dot)
    return LagrangeEquations(
        coordinates=x,
        rates=x_dot,
        kinetic_energy=T,
        potential_energy=U,
        mass_matrix=M,
        coriolis_forces=c,
        gravity_forces=g,
        generalized_forces=_virtual_work(system, poses, x, wrenches),
        rates_map=_map(system, x),
    )


def equations_from_energies(
    kinetic: Any, potential: Any, coordinates: Sequence[Any], rates: Sequence[Any]
) -> tuple[Any, Any, Any]:
    """M, c, g of M ẍ + c + g = Q by Lagrange's equations of T(x, ẋ), quadratic in ẋ, and U(x)."""
    x, x_dot = list(coordinates), list(rates)
    by_x, by_rate = partial_derivatives(x), partial_derivatives(x_dot)
    T, U = sympy.sympify(kinetic), sympy.sympify(potential)
    momenta = [derivative.of(T) for derivative in by_rate]
    size = len(x)
    M = sympy.zeros(size, size)
    for i in range(size):
        for j in range(i + 1):
            M[i, j] = M[j, i] = by_rate[j].of(momenta[i])
    c = [
        sympy.Add(*(by_x[i].of(momentum) * x_dot[i] for i in range(size)), -by_x[k].of(T))
        for k, momentum in enumerate(momenta)
    ]
    g = [derivative.of(U) for derivative in by_x]
    return M, sympy.Matrix(size, 1, c), sympy.Matrix(size, 1, g)


def angular_velocity(pose: Pose, coordinates: Sequence[Any], rates: Sequence[Any]) -> Any:
    """ω in body axes from ω× = Rᵀ Ṙ, shape (3, 1)."""
    R = sympy.Matrix(pose.rotation.array())
    R_dot = _total_derivative(R, coordinates, rates)
    # Of ω× = Rᵀ Ṙ only the three entries that hold ω are multiplied out.
    columns, changes = [R.col(k) for k in range(3)], [R_dot.col(k) for k in range(3)]
    return sympy.Matrix([columns[(k + 2) % 3].dot(changes[(k + 1) % 3]) for k in range(3)])


def _virtual_work(
    system: System, poses: tuple[Pose, ...], x: Sequence[Any], wrenches: Mapping[Any, Any] | None
) -> Any:
    """Q_k = Σ f · ∂r/∂x_k + n · ∂φ/∂x_k, shape (n, 1)."""
    Q = sympy.zeros(len(x), 1)
    for named, given in (wrenches or {}).items():
        frame: Frame = system.frame(named)
        wrench = given if isinstance(given, Force) else Force.of(given, f"wrench at {frame.name}")
        pose = poses[system.node(frame.body).index] @ frame.placement
        r, R = _column(pose.position), sympy.Matrix(pose.rotation.array())
        for k in range(len(x)):
            unit = [1 if i == k else 0 for i in range(len(x))]
            turn = R * angular_velocity(pose, x, unit)
            Q[k] += _column(wrench.linear).dot(_total_derivative(r, x, unit))
            Q[k] += _column(wrench.angular).dot(turn)
    return Q


def _map(system: System, x: Sequence[Any]) -> Any:
    return sympy.Matrix(rates_map(system, sympy.Matrix(x) if x else []))


def _symbols(given: Sequence[Any] | None, names: Sequence[str], what: str) -> tuple[Any, ...]:
    if given is None:
        return tuple(sympy.Symbol(name) for name in names)
    symbols = tuple(given)
    if len(symbols) != len(names) or not all(isinstance(s, sympy.Symbol) for s in symbols):
        raise ModelError(
            f"{what} must be {len(names)} SymPy symbols ({', '.join(names)}), got {symbols}"
        )
    if len(set(symbols)) != len(symbols):
        raise ModelError(f"{what} must be {len(names)} different symbols, got {symbols}")
    return symbols


def _column(vector: Any) -> Any:
    return sympy.Matrix([sympy.sympify(entry) for entry in vector])


def _total_derivative(matrix: Any, coordinates: Sequence[Any], rates: Sequence[Any]) -> Any:
    """d/dt of a matrix of functions of the coordinates."""
    pairs = list(zip(partial_derivatives(coordinates), rates, strict=True))
    return matrix.applyfunc(
        lambda entry: sympy.Add(*(by.of(entry) * y_dot for by, y_dot in pairs if y_dot != 0))
    )
