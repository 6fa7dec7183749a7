"""Expressions as text, in the order a person writes: number, parameters, sine or cosine, rates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from percuss.dynamics.formulations.quantities import SymbolQuantity
from percuss.symbolic.derivation import Derivation


class Syntax(ABC):
    """How the parts of an expression are put together in one language."""

    @abstractmethod
    def symbol(self, quantity: SymbolQuantity) -> str: ...

    @abstractmethod
    def number(self, value: Any) -> str: ...

    @abstractmethod
    def product(self, factors: list[str]) -> str: ...

    @abstractmethod
    def power(self, base: str, exponent: int) -> str: ...

    @abstractmethod
    def reciprocal(self, expression: str) -> str: ...

    @abstractmethod
    def function(self, name: str, argument: str) -> str: ...


class Latex(Syntax):
    """Formulas for LaTeX and MathJax."""

    def symbol(self, quantity: SymbolQuantity) -> str:
        return quantity.latex

    def number(self, value: Any) -> str:
        if value.is_Integer:
            return str(value)
        if value.is_Rational and value.q <= 1000:
            return f"\\tfrac{{{value.p}}}{{{value.q}}}"
        return f"{float(value):.6g}"

    def product(self, factors: list[str]) -> str:
        return "\\, ".join(factors)

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def reciprocal(self, expression: str) -> str:
        return f"\\frac{{1}}{{{expression}}}"

    def function(self, name: str, argument: str) -> str:
        is_sum = "+" in argument or "-" in argument
        return f"\\{name}({argument})" if is_sum else f"\\{name} {argument}"


class Code(Syntax):
    """Formulas for Python and C; whole powers are products, which both compute exactly alike."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def symbol(self, quantity: SymbolQuantity) -> str:
        return str(quantity.symbol)

    def number(self, value: Any) -> str:
        if value.is_Integer and abs(value) < 1000:
            return str(value)
        return repr(float(value))

    def product(self, factors: list[str]) -> str:
        return "*".join(factors)

    def power(self, base: str, exponent: int) -> str:
        return "*".join([base] * exponent)

    def reciprocal(self, expression: str) -> str:
        return f"(1.0/({expression}))"

    def function(self, name: str, argument: str) -> str:
        return f"{self.prefix}{name}({argument})"


@dataclass(frozen=True)
class Writer:
    """Writes the expressions of one derivation in one syntax."""

    syntax: Syntax
    quantities: Mapping[Any, SymbolQuantity]
    ranks: Mapping[Any, int]

    @staticmethod
    def of(derivation: Derivation, syntax: Syntax) -> Writer:
        named = [definition.quantity for definition in derivation.definitions]
        waves = [q for q in named if q.unit == "1"]
        speeds = [q for q in named if q.unit == "rad/s"]
        constants = [q for q in named if q not in waves and q not in speeds]
        order = [
            *derivation.parameters,
            *constants,
            *derivation.coordinates,
            *waves,
            *derivation.rates,
            *speeds,
        ]
        return Writer(
            syntax, {q.symbol: q for q in order}, {q.symbol: k for k, q in enumerate(order)}
        )

    def write(self, x: Any) -> str:
        """The expression as text."""
        if x.is_Add:
            text = ""
            for term in sorted(x.args, key=self._key):
                sign, body = self._signed(term)
                text += f" {sign} {body}" if text else (body if sign == "+" else f"-{body}")
            return text
        sign, body = self._signed(x)
        return body if sign == "+" else f"-{body}"

    def _signed(self, x: Any) -> tuple[str, str]:
        number, rest = x.as_coeff_Mul()
        sign = "-" if number < 0 else "+"
        size = abs(number)
        factors = [] if rest == 1 else [self._factor(f) for f in self._factors(rest)]
        if size != 1 or not factors:
            factors.insert(0, self.syntax.number(size))
        return sign, self.syntax.product(factors)

    def _factors(self, x: Any) -> list[Any]:
        return sorted(x.args if x.is_Mul else [x], key=lambda f: (f.is_Add, self._key(f)))

    def _factor(self, x: Any) -> str:
        if x.is_Symbol:
            return self.syntax.symbol(self.quantities[x])
        if x.is_Pow and x.exp.is_Integer and x.exp > 0:
            return self.syntax.power(self._factor(x.base), int(x.exp))
        if x.is_Pow and x.exp.is_Integer:
            return self.syntax.reciprocal(self.write(x.base**-x.exp))
        if isinstance(x, (sympy.sin, sympy.cos)):
            return self.syntax.function(type(x).__name__, self.write(x.args[0]))
        return f"({self.write(x)})"

    def _key(self, x: Any) -> list[int]:
        """The ranks of its symbols, highest first."""
        return sorted((self.ranks[symbol] for symbol in x.free_symbols), reverse=True)
