"""Ensembles: whole encounters by the thousand, with the answers of single runs."""

from percuss.simulate.ensemble.ensemble import Ensemble
from percuss.simulate.ensemble.result import EnsembleResult, Outcome

__all__ = ["Ensemble", "EnsembleResult", "Outcome"]
