"""Subscripts of sines and cosines: c012 of theta0 + q1 + q2, and orders to list things in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.polys.rings import PolyElement

from percuss.dynamics.formulations.quantities import SymbolQuantity


def index_of(quantity: SymbolQuantity) -> tuple[str, str]:
    """How an angle shows in a subscript, plain and in LaTeX: 1 for q1, 0 for theta0, t for theta_t.

    Other angles show whole.
    """
    name = str(quantity.symbol)
    for start in ("q", "theta_", "theta"):
        rest = name.removeprefix(start)
        if rest != name and (rest.isdigit() or start == "theta_"):
            return rest, rest
    return name, quantity.latex


def subscript(factors: Sequence[tuple[Any, SymbolQuantity | None]]) -> tuple[str, str]:
    """Plain and LaTeX subscript of Σ factor · angle; None stands for one radian.

    Single characters that are simply added stand side by side, as in c12; else signs are
    written: c_{1-2}, and c1_m2 where only letters can be.
    """
    shown = [(factor, ("1rad", "1") if q is None else index_of(q)) for factor, q in factors]
    if all(factor == 1 and len(index[0]) == 1 for factor, index in shown):
        joined = "".join(index[0] for _, index in shown)
        return joined, joined
    plain, latex = [], ""
    for factor, (name, tall) in shown:
        size = abs(factor)
        words = "" if size == 1 else f"{size}x".replace("/", "o")
        plain.append(("m" if factor < 0 else "") + words + name)
        times = "" if size == 1 else f"{sympy.latex(size)}\\cdot "
        sign = "-" if factor < 0 else "+" if latex else ""
        latex += f"{sign}{times}{tall}"
    return "_".join(plain), latex


def by_length(polynomial: PolyElement) -> tuple[int, int, str]:
    """Shorter before longer, lower degree before higher, else by name."""
    degree = max(sum(exponents) for exponents in polynomial.itermonoms())
    return len(polynomial), degree, str(polynomial)


def ratio(whole: PolyElement, part: PolyElement) -> Any:
    """The number t such that t · part is among the terms of the whole; None if there is none."""
    ratios = {whole.get(monomial, 0) / number for monomial, number in part.terms()}
    return ratios.pop() if len(ratios) == 1 and 0 not in ratios else None


def rational(number: Any) -> Any:
    """A SymPy rational from a number of a coefficient ring."""
    return sympy.Rational(int(number.numerator), int(number.denominator))
