"""Equations of motion in closed form, written as LaTeX, Python or C."""

from percuss.exports import on_demand as _on_demand
from percuss.symbolic.c import to_c
from percuss.symbolic.latex import formulas, to_latex
from percuss.symbolic.python import to_python
from percuss.symbolic.systems import derive, derive_system

__all__ = ["derive", "derive_system", "formulas", "to_c", "to_latex", "to_python"]

__getattr__, __dir__ = _on_demand(__name__, {})
