"""`percuss cop plan`: the configuration that feels least of a capture."""

from __future__ import annotations

import io
import json
import math
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from percuss.cli.options import AllowCode, Json, Overrides, ScenarioFile
from percuss.cli.progress import progress_bar
from percuss.cli.show_lines import remark_line
from percuss.cli.terminal import Terminal, as_is
from percuss.encounter.errors import shown_path
from percuss.io.folders import try_folder, write_folder
from percuss.model.errors import ModelError, closest
from percuss.scenario import Scenario, load, with_overrides
from percuss.scenario.code import allowed_code
from percuss.scenario.control import PythonBlock
from percuss.scenario.fields import refuse_large
from percuss.scenario.models import model_files
from percuss.scenario.overrides import parse_settings
from percuss.scenario.units import UnitError, in_words, parse_amount, parse_unit

if TYPE_CHECKING:
    from percuss.percussion.planner.result import PercussionPlan

EXAMPLE = "Example: percuss cop plan scenarios/pin-3d.yaml --weights joints=1,base=0.5"
_UNITS = {"joints": "rad", "contact": "m", "velocity": "m/s", "spin": "rad/s"}


def plan_capture(
    scenario: ScenarioFile,
    weights: Annotated[
        str,
        typer.Option(
            metavar="NAME=W,…",
            help="What counts, and how much: a joint by name, joints (all others), base (its "
            "linear momentum after the impact), rate (its angular rate; N s per rad/s).",
        ),
    ] = "joints=1",
    objective: Annotated[
        str, typer.Option(metavar="total|largest", help="Root of the sum of squares, or the most.")
    ] = "total",
    keep: Annotated[
        str,
        typer.Option(
            metavar="nothing|contact",
            help="contact: the tool stays where it is in the world; nothing: the target comes to "
            "wherever the tool is.",
        ),
    ] = "nothing",
    *,
    free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="contact|approach",
            help="What may change besides the joints: the contact point on the target's surface, "
            "the side that it comes from (the base's attitude). Repeatable.",
        ),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=±",
            help=f"How far off {', '.join(_UNITS)} may be, e.g. 'joints=0.5 deg'. Repeatable.",
        ),
    ] = None,
    over: Annotated[
        str, typer.Option(metavar="worst|mean", help="Of the tolerances: worst case or mean.")
    ] = "worst",
    length: Annotated[
        str | None,
        typer.Option(
            metavar="M", help="Moments count as forces at this distance; default they do not."
        ),
    ] = None,
    overlap: Annotated[
        str,
        typer.Option(metavar="avoid|allow", help="Whether bodies may be inside each other."),
    ] = "avoid",
    starts: Annotated[int, typer.Option(help="Descents to try.")] = 24,
    samples: Annotated[int, typer.Option(help="Random configurations to start from.")] = 4096,
    seed: Annotated[
        int | None, typer.Option(help="Of the random numbers; default the scenario's.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to put plan.yaml, summary.json and plan.png; default out/SCENARIO-plan.",
        ),
    ] = None,
    overrides: Overrides = None,
    allow_code: AllowCode = False,
    as_json: Json = False,
) -> None:
    """Find the arm configuration that feels least of a scenario's impact; prove it by a run.

    Writes the planned scenario, ready for `percuss run`, a summary and a picture of before and
    after.
    """
    # Late, as other commands do without it and start sooner.
    from percuss.percussion.planner import PlannerSettings, plan_percussion

    loaded = load(scenario, parse_settings(overrides or []))
    folder = out if out is not None else Path("out") / f"{scenario.stem}-plan"
    try_folder(folder)
    settings = PlannerSettings(
        weights=_weights(weights),
        objective=objective,
        keep=keep,
        free=tuple(dict.fromkeys(free or ())),
        tolerance=dict(_tolerance(text) for text in tolerance or ()),
        over=over,
        length=math.inf if length is None else _amount(length, "m", "--length"),
        overlap=overlap,
        starts=starts,
        samples=samples,
        seed=loaded.seed if seed is None else seed,
    )
    started = time.perf_counter()
    with progress_bar(f"planning {loaded.name}") as progress:
        plan = plan_percussion(loaded, settings, progress=progress, allow_code=allow_code)
    place = write_folder(folder, _files(plan, folder))
    if as_json:
        print(json.dumps(plan.summary(), indent=2, allow_nan=False))
        return
    console = Terminal(highlight=False)
    _show(console, plan)
    took = time.perf_counter() - started
    console.print(
        f"\n{place}/plan.yaml is the planned scenario, {place}/plan.png shows before and after "
        f"({took:.1f} s).",
        markup=False,
        soft_wrap=True,
    )


def _files(plan: PercussionPlan, folder: Path) -> dict[str, str | bytes]:
    # Late, as other commands do without it and start sooner.
    from percuss.report.percussion_plan_figure import plan_figure

    buffer = io.BytesIO()
    plan_figure(plan).savefig(buffer, format="png", dpi=130)
    relocated = replace(plan, scenario=_relocated(plan.scenario, folder))
    files: dict[str, str | bytes] = {
        "plan.yaml": relocated.text,
        "summary.json": json.dumps(plan.summary(), allow_nan=False, ensure_ascii=False),
        "plan.png": buffer.getvalue(),
    }
    control = plan.scenario.control
    if isinstance(control, PythonBlock):
        # A law runs from beside its scenario only, so it goes with it.
        _, files[_law_name(control.file)] = allowed_code(plan.scenario, control, ("control",))
    return files


def _law_name(file: str) -> str:
    """What the copy of a law's file beside the plan is called."""
    return f"law-{Path(file).name}"


def _relocated(scenario: Scenario, folder: Path) -> Scenario:
    """The scenario with the files that it names as seen from another folder."""
    models, control = model_files(scenario.chaser), scenario.control
    law = control.file if isinstance(control, PythonBlock) else None
    if not models and law is None:
        return scenario
    # Validated where it is now: the new folder does not exist yet.
    here = {shown_path(at): str((scenario.folder / name).resolve()) for at, name in models.items()}
    checked = with_overrides(scenario, here)
    places = {
        at: Path(os.path.relpath(scenario.folder / name, os.path.realpath(folder))).as_posix()
        for at, name in models.items()
    }
    if law is not None:
        places[("control", "file")] = _law_name(law)
    for at, name in places.items():
        block: Any = checked.document
        for key in at[:-1]:
            block = block[key]
        block[at[-1]] = name
    return checked


def _show(console: Console, plan: PercussionPlan) -> None:
    console.rule(as_is(plan.scenario.name, "bold"), align="left")
    for title, rows in (
        ("felt", _felt_rows(plan)),
        ("configuration", _configuration_rows(plan)),
    ):
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2))
        # Where it is narrow, names go on in the next line: none is cut off.
        for k, name in enumerate((title, "before", "planned", "")):
            number = k in (1, 2)
            table.add_column(
                name, justify="right" if number else "left", no_wrap=number, overflow="fold"
            )
        for row in rows:
            table.add_row(*map(as_is, row))
        console.print(table)
        console.print()
    for sentence in plan.sentences:
        remark_line(console, "[green]·[/]", sentence)
    for warning in plan.warnings:
        remark_line(console, "[yellow]warning:[/]", warning)


def _felt_rows(plan: PercussionPlan) -> list[tuple[str, str, str, str]]:
    before, after, settings = plan.before, plan.after, plan.planner_settings
    over = f", {settings.over} case" if settings.is_robust else ""
    rows = [(f"objective ({settings.objective}{over})", _g(before.cost), _g(after.cost), "N s")]
    if settings.is_robust:
        rows.append(("  without errors", _g(before.nominal), _g(after.nominal), "N s"))
    rows += [
        (name, _g(size), _g(after.joints[name]), "N s") for name, size in before.joints.items()
    ]
    rows.append(("base momentum", _g(before.base_momentum), _g(after.base_momentum), "N s"))
    rows.append(("base rate", _g(before.base_rate), _g(after.base_rate), "rad/s"))
    return rows


def _configuration_rows(plan: PercussionPlan) -> list[tuple[str, str, str, str]]:
    problem = plan.problem
    rows = []
    for k, joint in enumerate(problem.joints):
        turns = joint.motion.kind == "revolute"
        scale = 180.0 / math.pi if turns else 1.0
        was, now = scale * problem.initial[k], scale * plan.x[k]
        rows.append((joint.name, f"{was:.4f}", f"{now:.4f}", "deg" if turns else "m"))
    for name, part in problem.parts.items():
        if name != "joints" and part.stop > part.start:
            was = "as given"
            path = "target.contact" if name == "contact" else "chaser.angle"
            path = path if path in plan.settings else "chaser.orientation"
            value: Any = plan.settings[path]
            entries = value if isinstance(value, list) else [value]
            rows.append((path, was, ", ".join(f"{x:.5g}" for x in entries), ""))
    return rows


def _weights(text: str) -> dict[str, float]:
    found = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ModelError(f"--weights {text!r}: write NAME=VALUE, separated by commas")
        found[name.strip()] = _amount(value, "", f"--weights {name.strip()}")
    return found


def _tolerance(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    if not equals or name not in _UNITS:
        raise ModelError(
            f"--tolerance {text!r}: write NAME=VALUE, with NAME one of {', '.join(_UNITS)}."
            f"{closest(name, _UNITS)}"
        )
    return name, _amount(value, _UNITS[name], f"--tolerance {name}")


def _amount(text: str, unit: str, what: str) -> float:
    """A number in SI, with or without its unit."""
    try:
        amount = parse_amount(text.strip())
    except UnitError as error:
        raise ModelError(f"{what} {text!r}: {error}") from error
    expected = parse_unit(unit).dimension
    if amount.dimension not in (None, expected):
        raise ModelError(f"{what} {text!r} must be {in_words(expected)}")
    if not math.isfinite(amount.value):
        raise ModelError(f"{what} must be finite, got {text!r}")
    refuse_large(amount.value, unit, f"{what} {text!r}")
    return amount.value


def _g(value: float) -> str:
    return f"{value:.6g}" if abs(value) > 1e-14 else "0"
