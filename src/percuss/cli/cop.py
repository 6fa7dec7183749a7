"""`percuss cop`: centres of percussion, of one body or of every link of a robot.

`app` is a group whose commands have names (`percuss cop NAME …`). Whatever does not begin with
one goes to `of`, so that `percuss cop ROBOT` and `percuss cop --mass …` work.
"""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from percuss.cli.cop_facts import BodyFacts, body_facts, body_json, robot_facts, robot_json
from percuss.cli.cop_plan import EXAMPLE as PLAN_EXAMPLE
from percuss.cli.cop_plan import plan_capture
from percuss.cli.cop_show import show_body, show_links
from percuss.cli.options import Json
from percuss.io import write_file
from percuss.io.files import try_file
from percuss.model.errors import ModelError, closest
from percuss.percussion.fixed_axis import AxisBody
from percuss.percussion.links import link_percussion
from percuss.percussion.sensitivity import PARAMETERS, UNITS
from percuss.scenario.fields import refuse_large
from percuss.scenario.units import UnitError, in_words, parse_amount, parse_unit

_DEFAULT = "of"
_PNG = b"\x89PNG"
_NEEDED = ("mass", "com", "inertia", "at")


class PercussionCommands(TyperGroup):
    """Commands by name, and `of` for everything else."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if named else [_DEFAULT, *args])


app = typer.Typer(cls=PercussionCommands, add_completion=False, pretty_exceptions_enable=False)
EXAMPLE = "Example: percuss cop --mass 20 --com 0.3 --inertia 2.5 --at 1 --angle '70 deg'"


@app.callback()
def commands() -> None:
    """Centres of percussion: where to be struck so that the joint feels nothing."""


app.command(name="plan", epilog=PLAN_EXAMPLE)(plan_capture)


@app.command(name=_DEFAULT, epilog=EXAMPLE)
def analyse(
    robot: Annotated[
        str | None,
        typer.Argument(
            help="A robot of the library, a URDF, system or scenario file: all its links.",
            metavar="ROBOT",
        ),
    ] = None,
    mass: Annotated[str | None, typer.Option(metavar="M", help="Mass, kg.")] = None,
    com: Annotated[
        str | None, typer.Option(metavar="R", help="Centre of mass, m from the axis.")
    ] = None,
    inertia: Annotated[
        str | None, typer.Option(metavar="I", help="About the centre of mass, kg m².")
    ] = None,
    *,
    at: Annotated[str | None, typer.Option(metavar="L", help="Impact, m from the axis.")] = None,
    angle: Annotated[
        str | None,
        typer.Option(
            metavar="PHI",
            help="Of the impact with the line from axis to centre of mass; rad, or '70 deg'. "
            "Default 90 deg.",
        ),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(metavar="OMEGA", help="Largest reaction per impact: what keeps it?"),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=±",
            help=f"How far off {', '.join(PARAMETERS)} may be: the worst case. Repeatable.",
        ),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the design chart.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Centre of percussion of a body on an axis (--mass …), or of every link of a ROBOT.

    Numbers are SI or carry their unit: --angle "70 deg", --com "30 cm". To find the arm
    configuration that feels least of a capture: percuss cop plan --help.
    """
    given = {"mass": mass, "com": com, "inertia": inertia, "at": at, "angle": angle}
    others = {"limit": limit, "tolerance": tolerance, "chart": chart}
    if robot is not None:
        extra = [f"--{name}" for name, value in (given | others).items() if value]
        if extra:
            raise ModelError(f"{', '.join(extra)}: for one body, not for the robot {robot!r}")
        _robot(robot, as_json)
        return
    missing = [f"--{name}" for name in _NEEDED if given[name] is None]
    if missing:
        raise ModelError(
            f"give a ROBOT, or a body: {', '.join(missing)} missing. See percuss cop --help"
        )
    values = {name: _number(text, name) for name, text in given.items() if text is not None}
    facts = body_facts(
        AxisBody(values["mass"], values["com"], values["inertia"]),
        values["at"],
        values.get("angle", math.pi / 2),
        None if limit is None else _number(limit, "limit"),
        allowed=dict(_tolerance(text) for text in tolerance or []),
    )
    if chart is not None:
        _draw(chart, facts)
    if as_json:
        print(json.dumps(body_json(facts), indent=2, allow_nan=False))
    else:
        show_body(facts)


def _robot(source: str, as_json: bool) -> None:
    # Late, as other commands do without it and start sooner.
    from percuss.symbolic.systems import parts

    part = parts(source)[0]
    links = link_percussion(part.system)
    if not links:
        raise ModelError(
            f"{source}: no link is on a revolute joint, so none has a percussion point"
        )
    facts = robot_facts(part.title, links)
    if as_json:
        print(json.dumps(robot_json(facts), indent=2, allow_nan=False))
    else:
        show_links(facts)


def _draw(path: Path, facts: BodyFacts) -> None:
    """Write the design chart with this body and impact."""
    # Late, as other commands do without it and start sooner.
    from percuss.report.percussion_figures import design_figure

    if path.suffix.lower() != ".png" or path.is_dir():
        raise ModelError(f"--chart {path}: must be a .png file")
    if path.exists() and not _is_picture(path):
        raise ModelError(f"--chart {path}: exists and is no picture; give a new file")
    try_file(path)
    body = AxisBody(facts.mass, facts.com, facts.inertia)
    impact, limit = (facts.impact_coefficient, facts.angle), facts.limit
    pair: tuple[float | None, float | None] = (None, None)
    if limit is not None and limit.reaction_ratio < 1 and limit.points is not None:
        pair = (limit.reaction_ratio, facts.angle)
    buffer = io.BytesIO()
    design_figure(*pair, body=body, impact=impact).savefig(buffer, format="png", dpi=120)
    write_file(path, buffer.getvalue())


def _is_picture(path: Path) -> bool:
    """Whether a file is a picture that may be replaced; a pipe or a device is none."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_PNG)) == _PNG


def _number(text: str, name: str) -> float:
    """A number in SI, with or without its unit."""
    try:
        amount = parse_amount(text)
    except UnitError as error:
        raise ModelError(f"--{name} {text!r}: {error}") from error
    expected = parse_unit(UNITS.get(name, "")).dimension
    if amount.dimension not in (None, expected):
        raise ModelError(f"--{name} {text!r} must be {in_words(expected)}")
    if not math.isfinite(amount.value):
        raise ModelError(f"--{name} must be finite, got {text!r}")
    refuse_large(amount.value, UNITS.get(name, ""), f"--{name} {text!r}")
    return amount.value


def _tolerance(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    if not equals or name not in PARAMETERS:
        raise ModelError(
            f"--tolerance {text!r}: write NAME=VALUE, with NAME one of {', '.join(PARAMETERS)}."
            f"{closest(name, PARAMETERS)}"
        )
    return name, _number(value, name)
