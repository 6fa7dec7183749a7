"""Derivatives of large SymPy expressions, each shared subexpression differentiated once.

`sympy.diff` walks an expression as a tree and asks again and again which symbols it holds. The
energies of a tree of bodies share most of their parts, and as a graph they are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy


@dataclass(frozen=True)
class DerivativesBySymbol:
    """Derivatives by one symbol, remembered."""

    symbol: Any
    known: dict[Any, Any] = field(default_factory=dict)

    def of(self, x: Any) -> Any:
        """∂x/∂symbol of a SymPy expression."""
        if x not in self.known:
            self.known[x] = self._of(x)
        return self.known[x]

    def _of(self, x: Any) -> Any:
        if not x.args:
            return sympy.S.One if x == self.symbol else sympy.S.Zero
        if x.is_Add:
            changes = [self.of(term) for term in x.args]
            return sympy.Add(*(change for change in changes if change != 0))
        if x.is_Mul:
            return self._of_product(x.args)
        if x.is_Pow and not x.exp.args and x.exp.is_Number:
            change = self.of(x.base)
            return x.exp * x.base ** (x.exp - 1) * change if change != 0 else sympy.S.Zero
        if isinstance(x, (sympy.sin, sympy.cos)):
            change = self.of(x.args[0])
            if change == 0:
                return sympy.S.Zero
            sine, cosine = sympy.sin(x.args[0]), sympy.cos(x.args[0])
            return cosine * change if isinstance(x, sympy.sin) else -sine * change
        return sympy.diff(x, self.symbol)

    def _of_product(self, factors: Sequence[Any]) -> Any:
        terms = []
        for k, factor in enumerate(factors):
            change = self.of(factor)
            if change != 0:
                terms.append(sympy.Mul(*factors[:k], change, *factors[k + 1 :]))
        return sympy.Add(*terms)


def partial_derivatives(symbols: Sequence[Any]) -> tuple[DerivativesBySymbol, ...]:
    """One memory for each symbol, to be shared by all expressions that belong together."""
    return tuple(DerivativesBySymbol(symbol) for symbol in symbols)
