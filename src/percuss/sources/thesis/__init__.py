"""The thesis on capture by a planar vehicle-manipulator system (VMS), chapters 2–4.

Its tables 4.1–4.3 are in `tables`, its simulations in `cases`, its formulas as printed and as
they should be in `matrices` and `formulas`, and its errors, each with a computation that shows
it, in `errata`.
"""

from percuss.sources.evidence import Evidence
from percuss.sources.thesis.cases import CLOSURES, MOTIONS, Case, scenario_text, simulation_of
from percuss.sources.thesis.errata import ERRATA
from percuss.sources.thesis.evidence import Finding, ThesisErratum
from percuss.sources.thesis.sample import MOVING, SIMULATION_1, ThesisSample
from percuss.sources.thesis.tables import (
    POSITIONS,
    VELOCITIES,
    VMS,
    Positions,
    Vms,
    tables,
)

__all__ = [
    "CLOSURES",
    "ERRATA",
    "MOTIONS",
    "MOVING",
    "POSITIONS",
    "SIMULATION_1",
    "VELOCITIES",
    "VMS",
    "Case",
    "Evidence",
    "Finding",
    "Positions",
    "ThesisErratum",
    "ThesisSample",
    "Vms",
    "scenario_text",
    "simulation_of",
    "tables",
]
