"""Runs: scenarios carried out, and what is kept of them."""

from percuss.runs.result import Result
from percuss.runs.run import run, simulate
from percuss.runs.summary import read_summary

__all__ = ["Result", "read_summary", "run", "simulate"]
