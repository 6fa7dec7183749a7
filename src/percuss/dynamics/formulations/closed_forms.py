"""Closed forms of the equations of motion, as polynomials in sines and cosines.

Lagrange's equations from the poses of the bodies, with every expression kept in its one form
(`percuss.dynamics.formulations.trigonometric`): sines and cosines of sums of angles, no products
of them. M from ∂r/∂x and ω, then

    c_k = Σ_ij (∂M_ki/∂x_j - ½ ∂M_ij/∂x_k) ẋ_i ẋ_j,    g_k = -Σ m g · ∂r/∂x_k .
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.polys.domains import QQ

from percuss.algebra.poses import Pose
from percuss.dynamics.formulations.symbols import SymbolicSystem
from percuss.dynamics.formulations.trigonometric import TrigPolynomial, TrigRing
from percuss.dynamics.inertias import refuse_massless
from percuss.kinematics.trees import tree_poses
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Planar, Prismatic, Revolute

Column = tuple[TrigPolynomial, ...]
Table = tuple[Column, ...]
"""Rows of polynomials."""


@dataclass(frozen=True)
class ClosedForms:
    """M ẍ + c + g = τ and the Jacobians of frames, in one ring."""

    symbolic: SymbolicSystem
    ring: TrigRing
    mass_matrix: Table
    coriolis_forces: Column
    gravity_forces: Column
    jacobians: dict[str, Table]
    """By frame, (6, n): linear before angular velocity, world axes."""


def closed_forms(symbolic: SymbolicSystem, frames: Iterable[str] = ()) -> ClosedForms:
    """Closed forms of a system of revolute, prismatic, planar and fixed joints.

    Joints that follow others may be among them, with multipliers that are numbers.
    The number of terms grows as 3ⁿ with the number n of joints that turn about different axes;
    in the plane, where all turn about one, it grows as n².
    """
    system = symbolic.system
    refuse_massless(system)
    for joint in system.joints:
        if not isinstance(joint.motion.uncoupled, (Revolute, Prismatic, Planar, Fixed)):
            raise ModelError(
                f"joint {joint.name!r} is {joint.motion.kind}; closed forms are for revolute, "
                "prismatic, planar and fixed joints"
            )
    x = [quantity.symbol for quantity in symbolic.coordinates]
    world = tree_poses(system, sympy.Matrix(x) if x else []).world_poses()
    places = {
        name: world[system.node(frame.body).index] @ frame.placement
        for name, frame in ((name, system.frame(name)) for name in frames)
    }
    ring = _ring(symbolic, [*world, *places.values()])
    bodies = [
        _MovingBody.of(ring, node.body, pose, x)
        for node, pose in zip(system.tree, world, strict=True)
    ]
    M = _mass_matrix(ring, bodies, len(x))
    return ClosedForms(
        symbolic=symbolic,
        ring=ring,
        mass_matrix=M,
        coriolis_forces=_coriolis(ring, M, symbolic),
        gravity_forces=_gravity(ring, bodies, system.gravity, len(x)),
        jacobians={name: _jacobian(ring, pose, x) for name, pose in places.items()},
    )


@dataclass(frozen=True)
class _MovingBody:
    """A body with its mass, its inertia, and ∂r/∂x_k and ω per ẋ_k (body axes) for each k."""

    mass: TrigPolynomial
    inertia: Table
    center: Table
    spin: Table

    @staticmethod
    def of(ring: TrigRing, body: Any, pose: Pose, x: Sequence[Any]) -> _MovingBody:
        inertia = [_converted(ring, row) for row in body.inertia.matrix().rows]
        center = _converted(ring, pose.act(body.com))
        R = [_converted(ring, row) for row in pose.rotation.matrix.rows]
        return _MovingBody(
            ring.convert(body.mass),
            tuple(inertia),
            tuple(tuple(entry.derivative(y) for entry in center) for y in x),
            tuple(_spin(ring, _transposed(R), y) for y in x),
        )


def _ring(symbolic: SymbolicSystem, poses: Iterable[Pose]) -> TrigRing:
    """The ring of everything that the closed forms are made of."""
    system = symbolic.system
    entries: list[Any] = [*system.gravity]
    for body in system.bodies:
        entries += [body.mass, *body.com, *body.inertia]
    for pose in poses:
        entries += [*(x for row in pose.rotation.matrix.rows for x in row), *pose.position]
    symbols = [quantity.symbol for quantity in (*symbolic.coordinates, *symbolic.rates)]
    return TrigRing.of([sympy.sympify(x) for x in entries], symbols, accepts_floats=True)


def _converted(ring: TrigRing, entries: Iterable[Any]) -> Column:
    return tuple(ring.convert(entry) for entry in entries)


def _spin(ring: TrigRing, rows: Table, y: Any) -> Column:
    """a of a× = A ∂Aᵀ/∂y for a rotation A by its rows: with A = Rᵀ that is ω in body axes.

    With A = R it is minus the angular velocity in world axes.
    """
    changes = [[entry.derivative(y) for entry in row] for row in rows]
    return tuple(_dot(ring, rows[(k + 2) % 3], changes[(k + 1) % 3]) for k in range(3))


def _mass_matrix(ring: TrigRing, bodies: Sequence[_MovingBody], size: int) -> Table:
    M = [[ring.zero] * size for _ in range(size)]
    for body in bodies:
        turned = [tuple(_dot(ring, row, spin) for row in body.inertia) for spin in body.spin]
        for i in range(size):
            for j in range(i + 1):
                linear = body.mass * _dot(ring, body.center[i], body.center[j])
                M[i][j] = M[i][j] + linear + _dot(ring, body.spin[i], turned[j])
    return tuple(tuple(M[max(i, j)][min(i, j)] for j in range(size)) for i in range(size))


def _coriolis(ring: TrigRing, M: Table, symbolic: SymbolicSystem) -> Column:
    x = [quantity.symbol for quantity in symbolic.coordinates]
    speeds = [ring.coefficients(quantity.symbol) for quantity in symbolic.rates]
    size = range(len(x))
    changes = [[[M[i][j].derivative(y) for j in size] for i in size] for y in x]
    forces = []
    for k in size:
        total = ring.zero
        for i in size:
            for j in size:
                christoffel = changes[j][k][i] - changes[k][i][j].scaled(QQ(1, 2))
                total = total + christoffel.scaled(speeds[i] * speeds[j])
        forces.append(total)
    return tuple(forces)


def _gravity(ring: TrigRing, bodies: Sequence[_MovingBody], gravity: Any, size: int) -> Column:
    fall = _converted(ring, gravity)
    forces = [ring.zero] * size
    for body in bodies:
        for k in range(size):
            forces[k] = forces[k] - body.mass * _dot(ring, fall, body.center[k])
    return tuple(forces)


def _jacobian(ring: TrigRing, pose: Pose, x: Sequence[Any]) -> Table:
    position = _converted(ring, pose.position)
    R = tuple(_converted(ring, row) for row in pose.rotation.matrix.rows)
    columns = []
    for y in x:
        spin = tuple(-a for a in _spin(ring, R, y))
        columns.append((*(entry.derivative(y) for entry in position), *spin))
    return _transposed(columns) if columns else ((),) * 6


def _transposed(rows: Sequence[Column]) -> Table:
    return tuple(zip(*rows, strict=True))


def _dot(
    ring: TrigRing, a: Iterable[TrigPolynomial], b: Iterable[TrigPolynomial]
) -> TrigPolynomial:
    total = ring.zero
    for p, q in zip(a, b, strict=True):
        if p and q:
            total = total + p * q
    return total
