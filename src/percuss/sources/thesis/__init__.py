"""The thesis on capture by a planar vehicle-manipulator system (VMS), chapters 2–4.

Its tables 4.1–4.3 are in `tables`, its simulations in `cases`, its formulas as printed and as
they should be in `matrices` and `formulas`, and its errors, each with a computation that shows
it, in `errata`.
"""

from percuss.exports import on_demand as _on_demand
from percuss.sources.thesis.cases import CLOSURES, Case, simulation_of
from percuss.sources.thesis.errata import ERRATA

__all__ = ["CLOSURES", "ERRATA", "Case", "simulation_of"]

__getattr__, __dir__ = _on_demand(__name__, {})
