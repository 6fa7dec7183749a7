"""The lecture on manipulator dynamics: a two-link arm by Lagrange, and the general case.

Its arm on symbols is in `arm`, its formulas term by term in `terms`, its errors in `errata`.
"""

from percuss.exports import on_demand as _on_demand
from percuss.sources.lecture.arm import letters, symbolic_arm
from percuss.sources.lecture.written import closed, written

__all__ = ["closed", "letters", "symbolic_arm", "written"]

__getattr__, __dir__ = _on_demand(__name__, {})
