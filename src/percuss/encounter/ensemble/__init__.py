"""Ensembles: whole encounters by the thousand, with the answers of single runs."""

from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.encounter.outcome import Outcome

__all__ = ["Ensemble", "EnsembleResult", "Outcome"]
