"""What Python and C output have in common: functions with their arguments and used names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from percuss.dynamics.formulations.quantities import SymbolQuantity
from percuss.symbolic.derivation import Definition, Derivation


@dataclass(frozen=True)
class Function:
    """A function to write: its matrix, and which inputs it reads."""

    name: str
    words: str
    matrix: Any
    is_vector: bool
    """Whether its one column is an array of one axis."""
    takes_rates: bool
    coordinates: tuple[tuple[int, SymbolQuantity], ...]
    """(index, quantity) of the coordinates in use; likewise the rates."""
    rates: tuple[tuple[int, SymbolQuantity], ...]
    parameters: tuple[SymbolQuantity, ...]
    definitions: tuple[Definition, ...]


def functions(derivation: Derivation) -> Iterator[Function]:
    """The functions of a system: mass_matrix, coriolis_forces, gravity_forces, jacobians."""
    d = derivation
    yield _function(d, "mass_matrix", "M(q) of M dv/dt + C + G = tau", d.mass_matrix)
    words = "C(q, v): Coriolis and centrifugal forces"
    yield _function(d, "coriolis_forces", words, d.coriolis_forces, is_force=True, takes_rates=True)
    words = "G(q): what holds against gravity"
    yield _function(d, "gravity_forces", words, d.gravity_forces, is_force=True)
    rows = ", ".join(d.jacobian_rows)
    taken: list[str] = []
    for frame, J in d.jacobians.items():
        name = f"jacobian_{identifier(frame)}"
        taken.append(name)
        unique = name if taken.count(name) == 1 else f"{name}_{taken.count(name)}"
        yield _function(d, unique, f"J(q) of {frame}: ({rows}) = J v, world axes", J)


def _function(
    derivation: Derivation,
    name: str,
    words: str,
    matrix: Any,
    *,
    is_force: bool = False,
    takes_rates: bool = False,
) -> Function:
    used = derivation.symbols(list(matrix))
    return Function(
        name=f"{derivation.name}_{name}",
        words=words,
        matrix=matrix,
        is_vector=is_force,
        takes_rates=takes_rates,
        coordinates=tuple((k, q) for k, q in enumerate(derivation.coordinates) if q.symbol in used),
        rates=tuple((k, q) for k, q in enumerate(derivation.rates) if q.symbol in used),
        parameters=tuple(q for q in derivation.parameters if q.symbol in used),
        definitions=derivation.needed(list(matrix)),
    )


def identifier(name: str) -> str:
    """A name that Python and C take: letters, digits and underscores."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return plain if plain and not plain[0].isdigit() else f"n_{plain}"
