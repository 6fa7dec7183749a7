"""Equations of motion in closed form, written as LaTeX, Python or C."""

from percuss.symbolic.c import to_c
from percuss.symbolic.derivation import Definition, Derivation
from percuss.symbolic.json_form import to_mapping
from percuss.symbolic.latex import formulas, to_latex
from percuss.symbolic.python import to_python
from percuss.symbolic.systems import derive, derive_system

__all__ = [
    "Definition",
    "Derivation",
    "derive",
    "derive_system",
    "formulas",
    "to_c",
    "to_latex",
    "to_mapping",
    "to_python",
]
