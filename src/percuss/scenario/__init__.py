"""Scenario files: what meets what, how, and what follows."""

from percuss.scenario.advice import warnings
from percuss.scenario.build import Start, build
from percuss.scenario.command import GoalPoints, effort_limits, gain_list, goal_points
from percuss.scenario.errors import Problem, ScenarioError
from percuss.scenario.json_schema import json_schema
from percuss.scenario.loading import load, load_document, loads
from percuss.scenario.model import Scenario
from percuss.scenario.overlap import overlaps
from percuss.scenario.overrides import believed, parse_settings, with_overrides
from percuss.scenario.reach import far_away, unreachable

__all__ = [
    "GoalPoints",
    "Problem",
    "Scenario",
    "ScenarioError",
    "Start",
    "believed",
    "build",
    "effort_limits",
    "far_away",
    "gain_list",
    "goal_points",
    "json_schema",
    "load",
    "load_document",
    "loads",
    "overlaps",
    "parse_settings",
    "unreachable",
    "warnings",
    "with_overrides",
]
