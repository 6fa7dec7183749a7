"""What is derived of a system: definitions first, then M, c, g and J in terms of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.dynamics.formulations.quantities import SymbolQuantity

BASE_RATES = (
    "Rates of a base that moves are along world axes: the linear velocity of its frame's origin, "
    "then the angular velocity."
)


@dataclass(frozen=True)
class Definition:
    """A named subexpression: `expression` uses parameters, states and earlier definitions."""

    quantity: SymbolQuantity
    expression: Any


@dataclass(frozen=True)
class Derivation:
    """Closed forms of M(q) v̇ + C(q, v) + G(q) = τ and of Jacobians, in SymPy.

    Matrices are (n, n), (n, 1), (n, 1) and, by frame, one row for each of `jacobian_rows`.
    """

    name: str
    """Short, for names of functions: arm, target, captured."""
    title: str
    coordinates: tuple[SymbolQuantity, ...]
    rates: tuple[SymbolQuantity, ...]
    parameters: tuple[SymbolQuantity, ...]
    definitions: tuple[Definition, ...]
    mass_matrix: Any
    coriolis_forces: Any
    gravity_forces: Any
    jacobians: dict[str, Any]
    jacobian_rows: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"<Derivation {self.name!r} of {len(self.rates)} rates and {len(self.parameters)} "
            f"parameters: {self.title}>"
        )

    @property
    def has_gravity(self) -> bool:
        return any(entry != 0 for entry in self.gravity_forces)

    def needed(self, expressions: Any) -> tuple[Definition, ...]:
        """The definitions that these expressions use, also through others, in order."""
        wanted = set().union(*(x.free_symbols for x in expressions))
        chosen: list[Definition] = []
        for definition in reversed(self.definitions):
            if definition.quantity.symbol in wanted:
                chosen.append(definition)
                wanted |= definition.expression.free_symbols
        return tuple(reversed(chosen))

    def symbols(self, expressions: Any) -> set[Any]:
        """Every symbol that these expressions and their definitions use."""
        found = set().union(*(x.free_symbols for x in expressions))
        for definition in self.needed(expressions):
            found |= definition.expression.free_symbols
        return found
