"""Numbers for symbols, each shared subexpression evaluated once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy
from sympy.functions.elementary.piecewise import ExprCondPair

from tests.strategies import Array

_FUNCTIONS: dict[Any, Any] = {
    sympy.Add: lambda *terms: math.fsum(terms),
    sympy.Mul: lambda *factors: math.prod(factors),
    sympy.Pow: lambda base, exponent: base**exponent,
    sympy.sin: math.sin,
    sympy.cos: math.cos,
    sympy.atan2: math.atan2,
    sympy.Eq: lambda a, b: a == b,
    sympy.StrictLessThan: lambda a, b: a < b,
    sympy.StrictGreaterThan: lambda a, b: a > b,
    sympy.And: lambda *conditions: all(conditions),
    sympy.Or: lambda *conditions: any(conditions),
    sympy.Not: lambda condition: not condition,
    sympy.ITE: lambda condition, a, b: a if condition else b,
}


def evaluate(expressions: Any, values: dict[sympy.Symbol, float]) -> Array:
    """The numbers of an expression or of a matrix of them, flat."""
    __tracebackhide__ = True  # printing the expressions of a failed test would take hours
    known: dict[Any, Any] = dict(values)

    def number(x: Any) -> Any:
        __tracebackhide__ = True
        if x not in known:
            known[x] = _evaluated(x, number)
        return known[x]

    whole: Any = expressions
    entries = list(whole) if isinstance(expressions, sympy.MatrixBase) else [whole]
    return np.array([float(number(sympy.sympify(x))) for x in entries])


def _evaluated(x: Any, number: Any) -> Any:
    __tracebackhide__ = True
    if x.is_Number:
        return float(x)
    if x in (sympy.true, sympy.false):
        return bool(x)
    if isinstance(x, sympy.Piecewise):
        # Branches that do not hold are not evaluated: they may divide by zero.
        pairs = [arg for arg in x.args if isinstance(arg, ExprCondPair)]
        return next(number(pair.expr) for pair in pairs if number(pair.cond))
    return _FUNCTIONS[x.func](*(number(arg) for arg in x.args))
