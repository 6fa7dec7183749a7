"""Scenario files: what meets what, how, and what follows."""

from percuss.scenario.advice import warnings
from percuss.scenario.build import build
from percuss.scenario.command import gain_list
from percuss.scenario.errors import Problem, ScenarioError
from percuss.scenario.json_schema import json_schema
from percuss.scenario.loading import load, load_document, loads
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import believed, parse_settings, with_overrides

__all__ = [
    "Problem",
    "Scenario",
    "ScenarioError",
    "believed",
    "build",
    "gain_list",
    "json_schema",
    "load",
    "load_document",
    "loads",
    "parse_settings",
    "warnings",
    "with_overrides",
]
