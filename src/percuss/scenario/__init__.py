"""Scenario files: what meets what, how, and what follows."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand
from percuss.scenario.advice import warnings
from percuss.scenario.build import build
from percuss.scenario.command import gain_list
from percuss.scenario.errors import Problem, ScenarioError
from percuss.scenario.json_schema import json_schema
from percuss.scenario.loading import load, load_document, loads
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import believed, parse_settings, with_overrides

if TYPE_CHECKING:
    from percuss.scenario.comparison import ic2_comparison

__all__ = [
    "Problem",
    "Scenario",
    "ScenarioError",
    "believed",
    "build",
    "gain_list",
    "ic2_comparison",
    "json_schema",
    "load",
    "load_document",
    "loads",
    "parse_settings",
    "warnings",
    "with_overrides",
]

__getattr__, __dir__ = on_demand(__name__, {"comparison": ("ic2_comparison",)})
"""The comparison carries encounters out, which reading a file does not need."""
