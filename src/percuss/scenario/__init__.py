"""Scenario files: what meets what, how, and what follows."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand
from percuss.scenario.build import build
from percuss.scenario.errors import ScenarioError
from percuss.scenario.json_schema import json_schema
from percuss.scenario.loading import load, loads
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import with_overrides

if TYPE_CHECKING:
    from percuss.scenario.comparison import ic2_comparison

__all__ = [
    "Scenario",
    "ScenarioError",
    "build",
    "ic2_comparison",
    "json_schema",
    "load",
    "loads",
    "with_overrides",
]

__getattr__, __dir__ = _on_demand(__name__, {"comparison": ("ic2_comparison",)})
"""The comparison carries encounters out, which reading a file does not need."""
