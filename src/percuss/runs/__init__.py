"""Runs: scenarios carried out, and what is kept of them."""

from percuss.runs.result import Result
from percuss.runs.run import run

__all__ = ["Result", "run"]
