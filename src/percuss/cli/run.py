"""`percuss run` and `percuss schema`."""

from __future__ import annotations

import json
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from percuss.cli.options import AllowCode, Json, Overrides, ScenarioFile
from percuss.cli.progress import progress_bar
from percuss.cli.show import show_encounter
from percuss.cli.terminal import Terminal, as_is
from percuss.io.folders import try_folder
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, json_schema, load
from percuss.scenario.overrides import parse_settings

if TYPE_CHECKING:
    from percuss.encounter.simulation import Simulation
    from percuss.identification.data.sensors import Sensors


def run_scenario(
    scenario: ScenarioFile,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to put summary.json, result.nc and report.html; default out/SCENARIO.",
        ),
    ] = None,
    measure: Annotated[
        Path | None,
        typer.Option(
            metavar="SENSORS.yaml",
            help="Also write measured.csv: what these sensors would have shown after the impact.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Of the sensors' noise; default the scenario's seed."),
    ] = None,
    *,
    overrides: Overrides = None,
    allow_code: AllowCode = False,
    as_json: Json = False,
) -> None:
    """Simulate a capture: print the summary, write summary.json, result.nc and report.html."""
    # Late, as other commands do without it and start sooner.
    from percuss.result import result_of
    from percuss.scenario.simulation import simulate

    loaded = _loaded(scenario, overrides)
    sensors = None if measure is None else _sensors(measure)
    if seed is not None and sensors is None:
        raise ModelError("--seed: is of the noise of sensors; give --measure SENSORS.yaml too")
    folder = out if out is not None else Path("out") / scenario.stem
    try_folder(folder)
    started = time.perf_counter()
    # A law of the user's may print; stdout is for the result.
    with progress_bar(f"simulating {loaded.name}") as progress, redirect_stdout(sys.stderr):
        simulation = simulate(loaded, progress=progress, allow_code=allow_code)
        result = result_of(simulation)
        chosen = loaded.seed if seed is None else seed
        also = {} if sensors is None else {"measured.csv": _measured(simulation, sensors, chosen)}
    place = result.save(folder, also)
    if as_json:
        print(json.dumps(result.summary, indent=2, allow_nan=False))
        return
    console = Terminal()
    show_encounter(console, result.encounter)
    took = time.perf_counter() - started
    console.print(as_is(f"\n{place}/report.html shows it ({took:.2f} s)."), soft_wrap=True)
    if also:
        console.print(as_is(f"{place}/measured.csv is what the sensors show."), soft_wrap=True)


def print_schema(as_json: Json = False) -> None:
    """The JSON Schema of scenario files, for editors that complete and check as you type."""
    del as_json  # it is JSON anyway
    print(json.dumps(json_schema(), indent=2))


def _loaded(path: Path, overrides: list[str] | None) -> Scenario:
    return load(path, parse_settings(overrides or []))


def _sensors(path: Path) -> Sensors:
    # Late: only a run that is measured needs it.
    from percuss.identification.data.sensors import read_sensors

    return read_sensors(path)


def _measured(simulation: Simulation, sensors: Sensors, seed: int) -> str:
    """The text of measured.csv."""
    # Late: only a run that is measured needs it.
    from percuss.identification.data.measured_csv import csv_text
    from percuss.identification.data.synthesis import measure

    return csv_text(measure(simulation, sensors, seed))
