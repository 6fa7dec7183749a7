"""Equations of motion in closed form, written as LaTeX, Python or C."""

from percuss.derive.c import to_c
from percuss.derive.derivation import Definition, Derivation
from percuss.derive.json_form import to_mapping
from percuss.derive.latex import formulas, to_latex
from percuss.derive.python import to_python
from percuss.derive.systems import derive, derive_system

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
