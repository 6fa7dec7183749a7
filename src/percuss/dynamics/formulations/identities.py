"""Whether an expression in sines and cosines is zero for all values, decided exactly."""

from __future__ import annotations

from typing import Any

import sympy

from percuss.algebra.scalars import is_symbolic_matrix
from percuss.dynamics.formulations.trigonometric import TrigPolynomial, TrigRing
from percuss.model.errors import ModelError


def is_identically_zero(expression: Any) -> bool:
    """Whether an expression, or every entry of a matrix, is zero wherever it is defined.

    Read as a quotient of polynomials in symbols, sines and cosines over the rational numbers,
    modulo s² + c² = 1 and the addition formulas; no simplification rules, no numbers put in.
    ModelError for what is no such quotient, floating-point numbers included.

    >>> q1, q2 = sympy.symbols("q1 q2")
    >>> is_identically_zero(sympy.sin(q1) ** 2 + sympy.cos(q1) ** 2 - 1)
    True
    >>> cos, sin = sympy.cos, sympy.sin
    >>> is_identically_zero(cos(q1) * cos(q2) - sin(q1) * sin(q2) - cos(q1 + q2))
    True
    >>> is_identically_zero(sympy.sin(2 * q1) - 2 * sympy.sin(q1))
    False
    """
    entries = list(expression) if is_symbolic_matrix(expression) else [expression]
    return all(not normal_form(entry) for entry in entries)


def normal_form(expression: Any) -> TrigPolynomial:
    """The numerator of an expression in the one form that it has; zero exactly if it is."""
    x = sympy.sympify(expression)
    x = x.replace(sympy.tan, lambda angle: sympy.sin(angle) / sympy.cos(angle))
    if any(power.exp.is_negative for power in x.atoms(sympy.Pow)):
        numerator, denominator = sympy.fraction(sympy.together(x))
        if not _read(denominator):
            raise ModelError(f"{expression} divides by something that is zero for all values")
        x = numerator
    return _read(x)


def _read(expression: Any) -> TrigPolynomial:
    return TrigRing.of([expression]).convert(expression)
