"""Derivations of spatial systems: the recursive algorithms on symbols, recurring parts named.

Multiplied out, the mass matrix of a spatial arm has thousands of terms and says nothing. Nested as
the recursion builds it, with each part that occurs twice named once, it stays of the size of the
algorithm: a seven-joint arm on a free base is about 3,000 operations.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import sympy

from percuss.dynamics.composite import mass_matrix
from percuss.dynamics.formulations.quantities import SymbolQuantity, letter
from percuss.dynamics.formulations.symbols import SymbolicSystem
from percuss.dynamics.inverse import coriolis_forces, gravity_forces
from percuss.kinematics.jacobians import jacobian
from percuss.symbolic.collect import ROWS
from percuss.symbolic.derivation import Definition, Derivation
from percuss.symbolic.naming import index_of


def derive_recursively(
    symbolic: SymbolicSystem, frames: Sequence[str], name: str, title: str
) -> Derivation:
    """M, c, g and J as the recursive algorithms compute them; any joints, quaternions included."""
    system = symbolic.system
    q, v = (
        sympy.Matrix([quantity.symbol for quantity in quantities]) if quantities else []
        for quantities in (symbolic.coordinates, symbolic.rates)
    )
    matrices = [
        mass_matrix(system, q),
        coriolis_forces(system, q, v),
        gravity_forces(system, q),
        *(jacobian(system, q, frame) for frame in frames),
    ]
    # Only `cse` sees shared parts as shared: until then nothing else may walk the expressions.
    temporary = (sympy.Dummy() for _ in itertools.count())
    found: Any = sympy.cse(
        [_exact(matrix) for matrix in matrices],
        symbols=temporary,
        optimizations=[],
        order="none",
    )
    parts, written = found
    definitions, named = _named(parts, symbolic)
    written = [matrix.xreplace(named) for matrix in written]
    used: set[Any] = set()
    for x in (*written, *(definition.expression for definition in definitions)):
        used |= x.free_symbols
    M, c, g, *jacobians = written
    return Derivation(
        name=name,
        title=title,
        coordinates=symbolic.coordinates,
        rates=symbolic.rates,
        parameters=tuple(p for p in symbolic.parameters if p.symbol in used),
        definitions=definitions,
        mass_matrix=M,
        coriolis_forces=c,
        gravity_forces=g,
        jacobians=dict(zip(frames, jacobians, strict=True)),
        jacobian_rows=ROWS,
    )


def _exact(matrix: Any) -> Any:
    """A SymPy matrix of what may be numbers."""
    if isinstance(matrix, sympy.MatrixBase):
        return matrix
    column = matrix.reshape(-1, 1) if matrix.ndim == 1 else matrix
    return sympy.Matrix(column.shape[0], column.shape[1], [sympy.nsimplify(x) for x in column.flat])


def _named(
    parts: Sequence[tuple[Any, Any]], symbolic: SymbolicSystem
) -> tuple[tuple[Definition, ...], dict[Any, Any]]:
    """The parts with names, c1 for cos(q1) and u1, u2 … for the others; names by old symbol."""
    angles = {q.symbol: q for q in (*symbolic.coordinates, *symbolic.parameters)}
    named: dict[Any, Any] = {}
    definitions: list[Definition] = []
    numbers = itertools.count(1)
    for symbol, part in parts:
        if isinstance(part, (sympy.sin, sympy.cos)) and part.args[0] in angles:
            plain, latex = index_of(angles[part.args[0]])
            name = "s" if isinstance(part, sympy.sin) else "c"
            quantity = SymbolQuantity(
                sympy.Symbol(f"{name}{plain}"), f"{name}_{{{latex}}}", str(part), "1"
            )
        else:
            plain, latex = letter("u", str(next(numbers)))
            quantity = SymbolQuantity(sympy.Symbol(plain), latex, "recurring part", "")
        named[symbol] = quantity.symbol
        definitions.append(Definition(quantity, part.xreplace(named)))
    return tuple(definitions), named
