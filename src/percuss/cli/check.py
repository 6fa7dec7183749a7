"""`percuss check`: whether a scenario is right, and what it comes to."""

from __future__ import annotations

import json
import math
import warnings as python_warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from percuss.cli.notices import shortened
from percuss.cli.options import Json, Overrides, ScenarioFile
from percuss.cli.terminal import plain
from percuss.encounter.provenance import by_file
from percuss.encounter.reach import unreachable
from percuss.model.errors import ModelNotice
from percuss.scenario import Scenario, ScenarioError, load
from percuss.scenario.advice import warnings
from percuss.scenario.code import code_wanted
from percuss.scenario.facts import Facts, facts
from percuss.scenario.overrides import parse_settings


def check_scenario(
    scenario: ScenarioFile,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse model files in which something had to be changed."),
    ] = False,
    overrides: Overrides = None,
    as_json: Json = False,
) -> None:
    """Validate a scenario without running it; exit status 2 and the reasons if it is wrong."""
    settings = parse_settings(overrides or [])
    loaded = _loaded(scenario, settings)
    if strict and loaded.notices:
        loaded = _loaded(scenario, settings | {"chaser.strict": "true"})
    impossible = unreachable(loaded.encounter)
    if impossible is not None:
        raise ScenarioError(f"approach.meet: {impossible}")
    found = facts(loaded)
    remarks = [*warnings(loaded), *found.problems]
    remarks += [f"{code}, if you allow it with --allow-code" for code in code_wanted(loaded)]
    if as_json:
        print(json.dumps(_report(loaded, found, remarks), indent=2, allow_nan=False))
        return
    kind = "planar" if loaded.is_planar else "spatial"
    said = (
        f"{scenario}: valid. {loaded.name}: {kind}, closure {loaded.impact.closure}, "
        f"{loaded.duration:g} s."
    )
    for line in (said, *_lines(loaded, found), *(f"warning: {remark}" for remark in remarks)):
        print(plain(line))


def _loaded(path: Path, settings: dict[str, str]) -> Scenario:
    with python_warnings.catch_warnings():
        # What was changed in model files is part of what is printed.
        python_warnings.simplefilter("ignore", ModelNotice)
        return load(path, settings)


def _lines(loaded: Scenario, found: Facts) -> list[str]:
    mode = loaded.start.chaser.mode
    count = f"{found.joints} joint{'' if found.joints == 1 else 's'}"
    lines = [f"chaser: {found.chaser_mass:.6g} kg, {count}, {mode} base."]
    if found.target_mass is not None:
        lines.append(f"target: {found.target_mass:.6g} kg.")
    if found.reach is not None:
        reach = f"at most {found.reach.most:.4g} m from joint {found.reach.joint!r}"
        how = "sum of the distances between joints"
        if not math.isfinite(found.reach.most):
            reach = f"without bound from joint {found.reach.joint!r}"
            how = "a joint that slides has no limits"
        apart = "" if found.apart is None else f"; the contact starts {found.apart:.4g} m from it"
        lines.append(f"reach of the tool {found.tool!r}: {reach} ({how}){apart}.")
    if loaded.notices:
        lines += shortened(by_file(loaded.notices))
    return lines


def _bounded(length: float) -> float | None:
    """A length for JSON, in which there is no infinity: null where there is no bound."""
    return length if math.isfinite(length) else None


def _report(loaded: Scenario, found: Facts, remarks: list[str]) -> dict[str, Any]:
    reach = found.reach
    return {
        "valid": True,
        "name": loaded.name,
        "planar": loaded.is_planar,
        "chaser": {"mass": found.chaser_mass, "joints": found.joints},
        "target": None if found.target_mass is None else {"mass": found.target_mass},
        "tool": found.tool,
        "reach": None if reach is None else {"from": reach.joint, "most": _bounded(reach.most)},
        "apart": found.apart,
        "notices": [notice.plain() for notice in loaded.notices],
        "warnings": remarks,
    }
