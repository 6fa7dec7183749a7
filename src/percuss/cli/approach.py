"""`percuss approach`: when to meet a tumbling target, and where the base should be then."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from percuss.cli.options import Json, Overrides, ScenarioFile
from percuss.cli.terminal import Terminal
from percuss.interruption import during
from percuss.scenario import Scenario, ScenarioError, load
from percuss.scenario.overrides import parse_settings


def approach_times(
    scenario: ScenarioFile,
    earliest: Annotated[
        float | None,
        typer.Option("--from", metavar="S", help="First time to look at, s; default observe + 5."),
    ] = None,
    latest: Annotated[
        float | None,
        typer.Option("--to", metavar="S", help="Last time to look at, s; default the timeout."),
    ] = None,
    count: Annotated[int, typer.Option(help="How many times to look at.", min=1, max=1000)] = 11,
    *,
    overrides: Overrides = None,
    as_json: Json = False,
) -> None:
    """When to meet the target of a scenario with `approach`, and from where: a timetable.

    Each time is planned as `approach.meet` would be: reach, rates, efforts, and the place of the
    base when it moves. The easiest one within the robot's limits is named.
    """
    loaded = load(scenario, parse_settings(overrides or []))
    with during(f"planning {count} times to meet the target of {loaded.name}"):
        table = _timetable(loaded, earliest, latest, count)
    if as_json:
        print(json.dumps(_plain(table), indent=2, allow_nan=False))
        return
    console = Terminal(width=max(100, Terminal().width), highlight=False)
    console.print(str(table), markup=False)
    best = table.best
    if best is None or best.plan is None:
        return
    console.print()
    for sentence in (*best.plan.sentences, *best.needs.sentences):
        console.print(sentence, markup=False)
    console.print(f"\nIn the scenario: approach: {{meet: {{at: {best.at:g} s, …}}}}", markup=False)


def _timetable(scenario: Scenario, earliest: float | None, latest: float | None, count: int) -> Any:
    # Late, as other commands do without it and start sooner.
    from percuss.control.guidance import when_to_go

    approach, start = scenario.approach, scenario.start
    if approach is None:
        raise ScenarioError("approach: is missing; there is no meeting to plan without it")
    meet = approach.meet
    observe = approach.observe or 0.0
    last = approach.timeout if latest is None else latest
    first = min(observe + 5.0, last) if earliest is None else earliest
    if not observe < first <= last:
        raise ScenarioError(
            f"--from must be after {observe:g} s (observe) and not after --to, {last:g} s, got "
            f"{first:g}"
        )
    if last > approach.timeout:
        raise ScenarioError(
            f"--to must not be after the approach's timeout, {approach.timeout:g} s, got {last:g}"
        )
    return when_to_go(
        start.chaser,
        start.chaser_coordinates,
        start.tool,
        start.target,  # type: ignore[arg-type]
        q_t=start.target_coordinates,
        v_t=start.target_rates,
        grip=start.grip,  # type: ignore[arg-type]
        closing_speed=0.0 if meet is None else meet.closing_speed,
        base="stay" if meet is None else meet.base,
        earliest=first,
        latest=last,
        count=count,
        go=observe,
        orbit=start.orbit,
    )


def _plain(table: Any) -> dict[str, Any]:
    def row(candidate: Any) -> dict[str, Any]:
        plan = candidate.plan
        return {
            "at": candidate.at,
            "distance": candidate.distance,
            "grip_speed": candidate.grip_speed,
            "spin": candidate.spin,
            "manipulability": candidate.manipulability,
            "feasible": candidate.is_feasible,
            "why_not": candidate.why_not,
            "coordinates": None if plan is None else [float(x) for x in plan.coordinates],
            "rates": None if plan is None else [float(x) for x in plan.rates],
        }

    return {
        "candidates": [row(candidate) for candidate in table.candidates],
        "best": None if table.best is None else table.best.at,
        "words": table.words,
    }
