"""`percuss approach`: the timetable of a meeting."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import percuss
from percuss.cli.main import app

SCENARIOS = Path(__file__).parents[2] / "scenarios"
MISSION = str(SCENARIOS / "mission-3d.yaml")


def test_the_best_time_is_one_that_a_run_keeps() -> None:
    done = CliRunner().invoke(
        app, ["approach", MISSION, "--from", "30", "--to", "50", "--count", "3", "--json"]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["at"] for row in found["candidates"]] == [30, 40, 50]
    assert all(row["feasible"] for row in found["candidates"])
    assert found["best"] in (30, 40, 50)
    settings = {"approach.meet.at": found["best"], "duration": 1, "output.samples": 11}
    summary = percuss.run(percuss.load(MISSION, settings)).summary
    assert summary["status"] == "captured"
    # It closes in at 1 cm/s and is there within 1 cm.
    assert abs(summary["impact"]["time"] - found["best"]) < 1.5
    row = next(row for row in found["candidates"] if row["at"] == found["best"])
    assert len(row["coordinates"]) == len(summary["final"]["coordinates"])
    np.testing.assert_allclose(np.linalg.norm(row["coordinates"][3:7]), 1.0, atol=1e-12)


def test_in_words() -> None:
    done = CliRunner().invoke(app, ["approach", MISSION, "--count", "2"])
    assert done.exit_code == 0, done.output
    assert "Meet at" in done.stdout
    assert "The base moves to where the arm meets the grip" in done.stdout


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("thesis-1.yaml", "approach: is missing"),
        ("three-bounces.yaml", "free-floating: it moves as momentum demands"),
    ],
)
def test_what_cannot_be_planned_says_why(scenario: str, words: str) -> None:
    done = CliRunner().invoke(app, ["approach", str(SCENARIOS / scenario)])
    assert done.exit_code != 0
    assert words in str(done.exception)
