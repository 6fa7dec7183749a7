"""Formulas as a person writes them: 2 c2 l cos θ2."""

from __future__ import annotations

import re
from typing import Any


def exact(expression: Any) -> Any:
    """The expression with whole numbers and fractions in place of floating-point numbers."""
    import sympy

    return sympy.nsimplify(expression, rational=True)


def closed(expression: Any) -> Any:
    """Sines and cosines of sums of angles, no products of them, and divisions carried out."""
    import sympy

    from percuss.dynamics.formulations.identities import normal_form

    above, below = sympy.fraction(sympy.together(exact(expression)))
    return sympy.expand(sympy.cancel(normal_form(above).as_expression() / below))


def written(expression: Any) -> str:
    """One line of Unicode."""
    import sympy

    text = sympy.sstr(expression)
    text = re.sub(r"(sin|cos)\(([^()+\-*/ ]+)\)", r"\1 \2", text)
    text = re.sub(r"(sin|cos) (\S+?)\*\*2", r"\1² \2", text)
    text = text.replace("**2", "²").replace("*", " ").replace("-", "−")
    return text.replace("/2", " / 2").replace("/4", " / 4")
