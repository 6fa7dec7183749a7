"""Derivations for programs: names, units, values and expressions as text in a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from percuss.dynamics.formulations.quantities import SymbolQuantity
from percuss.symbolic.derivation import BASE_RATES, Derivation
from percuss.symbolic.writing import Code, Writer


def to_mapping(derivations: Sequence[Derivation], title: str) -> dict[str, Any]:
    """Everything derived, ready for JSON; expressions are Python without a prefix."""
    return {
        "title": title,
        "conventions": BASE_RATES,
        "systems": [_system(derivation) for derivation in derivations],
    }


def _system(derivation: Derivation) -> dict[str, Any]:
    writer = Writer.of(derivation, Code())

    def rows(matrix: Any) -> list[list[str]]:
        return [[writer.write(x) for x in matrix.row(i)] for i in range(matrix.rows)]

    return {
        "name": derivation.name,
        "title": derivation.title,
        "coordinates": [_quantity(q) for q in derivation.coordinates],
        "rates": [_quantity(q) for q in derivation.rates],
        "parameters": [_quantity(q) | {"value": q.value} for q in derivation.parameters],
        "definitions": [
            {"name": str(d.quantity.symbol), "expression": writer.write(d.expression)}
            for d in derivation.definitions
        ],
        "mass_matrix": rows(derivation.mass_matrix),
        "coriolis_forces": [writer.write(x) for x in derivation.coriolis_forces],
        "gravity_forces": [writer.write(x) for x in derivation.gravity_forces],
        "jacobian_rows": list(derivation.jacobian_rows),
        "jacobians": {frame: rows(J) for frame, J in derivation.jacobians.items()},
    }


def _quantity(quantity: SymbolQuantity) -> dict[str, Any]:
    return {
        "name": str(quantity.symbol),
        "latex": quantity.latex,
        "meaning": quantity.meaning,
        "unit": quantity.unit,
    }
