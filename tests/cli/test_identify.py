"""`percuss identify` and `percuss run --measure` as a user meets them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from percuss.identification.data.measured import read_measured
from tests.cli.test_run import launch, percuss_command

FOLDER = Path(__file__).parents[2] / "scenarios" / "identify"
MEASURED, SCENARIO, SENSORS = (
    FOLDER / name for name in ("measured.csv", "capture.yaml", "sensors.yaml")
)
TRUTH = {"vx": -0.4, "vy": -0.1, "omega": 0.2}
"""As in the head of capture.yaml."""
SET = (
    "--set",
    "target.velocity.linear=[-0.4, -0.1]",
    "--set",
    "target.velocity.angular=0.2",
)
GIVEN = ("--scenario", SCENARIO, "--sensors", SENSORS)


def test_the_shipped_example_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found"
    line = ("identify", MEASURED, *GIVEN, "--unknown", "velocity", "--out", out)
    assert percuss_command(monkeypatch, *line) == 0
    shown = capsys.readouterr().out
    for word in ("quantity", "estimate", "± 1σ", "how known", "omega", "rad/s"):
        assert word in shown
    document = json.loads((out / "identify.json").read_text())
    for name, value in TRUTH.items():
        assert abs(document["estimate"][name] - value) < 4 * document["sigma"][name]
        assert document["sigma"][name] < 1e-3
    assert document["fit"]["warnings"] == []
    files = {path.name for path in out.iterdir()}
    pictures = {f"identify-{n}.png" for n in ("fit", "residuals", "posterior", "information")}
    assert files == {"identify.json", "identify.html", *pictures}
    assert capsys.readouterr().err == ""

    (out / "of the user").write_text("kept")
    assert percuss_command(monkeypatch, *line, "--json") == 0
    printed = capsys.readouterr().out
    assert printed == (out / "identify.json").read_text(), "--json prints the file and nothing else"
    assert (out / "of the user").read_text() == "kept"


def test_the_example_was_made_by_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ("run", SCENARIO, *SET, "--measure", SENSORS, "--seed", "8")
    for folder, more in (("a", ()), ("b", ()), ("c", ("--seed", "9"))):
        assert percuss_command(monkeypatch, *made, *more, "--out", tmp_path / folder) == 0
    assert "measured.csv" in capsys.readouterr().out.replace("\n", "")
    a, b, c = ((tmp_path / folder / "measured.csv").read_bytes() for folder in "abc")
    assert a == b
    assert a != c
    found, shipped = read_measured(tmp_path / "a" / "measured.csv"), read_measured(MEASURED)
    assert found.names == shipped.names
    for name in found.names:
        np.testing.assert_allclose(found.columns[name], shipped.columns[name], atol=1e-9)
    summary = json.loads((tmp_path / "a" / "summary.json").read_text())
    assert summary["files"] == ["measured.csv", "report.html", "result.nc", "summary.json"]
    # The folder is known as a result, and is replaced.
    assert percuss_command(monkeypatch, "run", SCENARIO, "--out", tmp_path / "a") == 0
    assert not (tmp_path / "a" / "measured.csv").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"--unknown": "velocty"}, "Did you mean 'velocity'?"),
        ({"--unknown": "velocity,,mass"}, "with commas between them"),
        ({"--unknown": "restitution"}, "a pin has none"),
        ({"--scenario": "nothing.yaml"}, "there is no such file"),
        ({"--sensors": "nothing.yaml"}, "expected sensors (YAML)"),
        ({"measured": "nothing.csv"}, "expected measurements (CSV or netCDF)"),
        ({"measured": "time,joint.7\n1,2\n"}, "there is no joint '7'"),
        ({"measured": "time,joint.1\n1,x\n"}, "line 2: joint.1 must be a finite number"),
        ({"measured": "time,gyro.z\n1,2\n"}, "no sensor 'gyro'"),
        ({"sensors": "joint: {noise: 1 kg}\n"}, "which is a mass"),
        ({"--out": "file"}, "is not a folder"),
        ({"--out": "file/deeper"}, "cannot be written to"),
        (
            {"measured": "time,joint.1\n-1,0.3\n"},
            "time is counted from the impact (s, ≥ 0), got -1",
        ),
        ({"measured": "time,joint.1\n0.1,\n"}, "every sample is missing"),
        ({"measured": "time,flux\n0.1,2\n"}, "unknown column 'flux'"),
        ({"sensors": "joint: {noise: -1e-4}\n"}, "joint.noise: must be a number in rad or m > 0"),
        ({"sensors": "joints: {noise: 1e-4}\n"}, "Did you mean 'joint'?"),
        ({"--scenario": str(FOLDER.parent / "miss.yaml")}, "apart at the start"),
        ({"--set": "impact.closure=published"}, "an identification needs one of pin, weld, bounce"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    changes: dict[str, str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    measured = MEASURED
    options: dict[str, str | Path] = {
        "--scenario": SCENARIO,
        "--sensors": SENSORS,
        "--out": "found",
    }
    for name, value in changes.items():
        if name == "measured":
            measured = Path("m.csv")
            if "\n" in value:
                measured.write_text(value)
        elif name == "sensors":
            options["--sensors"] = "s.yaml"
            Path("s.yaml").write_text(value)
        else:
            options[name] = value
    before = sorted(path.name for path in tmp_path.iterdir())
    line = [part for pair in options.items() for part in pair]
    assert percuss_command(monkeypatch, "identify", measured, *line) == 2
    caught = capsys.readouterr()
    assert told in caught.err
    assert caught.err.startswith("percuss: error: ")
    assert caught.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--seed", "3"), "give --measure SENSORS.yaml too"),
        (("--measure", "nothing.yaml"), "expected sensors (YAML)"),
    ],
)
def test_measuring_that_cannot_be(
    more: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert percuss_command(monkeypatch, "run", SCENARIO, *more, "--out", "out") == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_current_folder_is_the_default(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "case")
    given = ("--scenario", "capture.yaml", "--sensors", "sensors.yaml")
    done = launch("identify", "measured.csv", *given, "--json", cwd=tmp_path / "case")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["order"] == ["vx", "vy", "omega"]
    assert (tmp_path / "case" / "identify.json").read_text() == done.stdout


def test_the_posterior_is_drawn_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("identify", MEASURED, *GIVEN, "--posterior", "--json", "--out", tmp_path / "found")
    assert percuss_command(monkeypatch, *line) == 0
    document = json.loads(capsys.readouterr().out)
    drawn = document["posterior"]
    assert drawn["gelman_rubin"] < 1.05
    assert drawn["effective_samples"] > 500
    for name, value in TRUTH.items():
        assert drawn["sigma"][name] == pytest.approx(document["sigma"][name], rel=0.15)
        low, high = drawn["interval_95"][name]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        assert abs(value - middle) < 2.0 * half


def test_a_manoeuvre_is_told_in_words_and_in_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Simulation 2: nothing tells the spin until a joint is swung."""
    scenario = FOLDER.parent / "thesis-2.yaml"
    run = ("run", scenario, "--set", "duration=5 s", "--measure", SENSORS, "--seed", "3")
    assert percuss_command(monkeypatch, *run, "--out", tmp_path / "run") == 0
    capsys.readouterr()
    record = tmp_path / "run" / "measured.csv"
    given = ("--scenario", scenario, "--sensors", SENSORS, "--out", tmp_path / "found")
    assert percuss_command(monkeypatch, "identify", record, *given) == 0
    shown = " ".join(capsys.readouterr().out.split())
    document = json.loads((tmp_path / "found" / "identify.json").read_text())
    assert "omega" not in document["estimate"]
    low, high = document["bounds"]["omega"]
    assert low < 0.0 < high
    assert "omega lies between" in shown
    assert "a record of 10 s" not in shown, "beside the stationary point only it would tell more"
    swing = document["manoeuvre"]
    assert swing["words"] in shown
    for word in (swing["joint"], "Hz", "N m", "from the impact on", "omega becomes known"):
        assert word in swing["words"]
    times = np.linspace(0.0, swing["duration"], 2001)
    torque = sum(
        part["torque"] * np.sin(2.0 * np.pi * part["frequency"] * times) for part in swing["sines"]
    )
    assert np.abs(torque).max() == pytest.approx(abs(swing["amplitude"]), rel=0.02)
    assert swing["sigma"]["omega"] < 1e-3


def test_a_record_that_begins_at_the_impact_has_an_answer_and_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first sample at t = 0 is as good as any other: a record twice as long goes on after it."""
    scenario = FOLDER.parent / "thesis-2.yaml"
    run = ("run", scenario, "--set", "duration=5 s", "--measure", SENSORS, "--seed", "3")
    assert percuss_command(monkeypatch, *run, "--out", tmp_path / "run") == 0
    header, *rows = (tmp_path / "run" / "measured.csv").read_text().splitlines()
    record = tmp_path / "measured.csv"
    record.write_text("\n".join([header, "0,0,0,1,2,1.5707963", *rows]) + "\n")
    given = ("--scenario", scenario, "--sensors", SENSORS, "--out", tmp_path / "found")
    assert percuss_command(monkeypatch, "identify", record, *given) == 0, capsys.readouterr().err
    document = json.loads((tmp_path / "found" / "identify.json").read_text())
    assert document["measured"]["times"] == 251
    assert "vy" in document["estimate"]
    assert any("a marker on the target" in text for text in document["advice"])
    assert not any("could not be told" in text for text in document["advice"])


def test_advice_that_cannot_be_given_is_said_and_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sample at the impact: no record to make longer, and no time for a manoeuvre."""
    record = tmp_path / "measured.csv"
    header = MEASURED.read_text().splitlines()[0]
    record.write_text(f"{header}\n0,0.3491,0.6980,0.0007,-0.0012,0.5230\n")
    line = ("identify", record, *GIVEN, "--out", tmp_path / "found", "--json")
    assert percuss_command(monkeypatch, *line) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    assert document["estimate"] == {}
    advice = "\n".join(document["advice"])
    assert "whether a longer record would help could not be told: times: a record of one" in advice
    assert "whether a swing of one joint would help could not be told: times:" in advice
    assert "a marker on the target would not tell more of vx, vy, omega" in advice


def test_what_becomes_of_the_inertia_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mass that is asked for leaves the question what the inertia is meanwhile."""
    line = ("identify", MEASURED, *GIVEN, "--unknown", "velocity,mass", "--out", tmp_path / "a")
    assert percuss_command(monkeypatch, *line) == 0
    said = "the inertia goes with the mass: it is that of the target's disk"
    assert said in " ".join(capsys.readouterr().out.split())
    assert json.loads((tmp_path / "a" / "identify.json").read_text())["assumed"] == [said]
    assert percuss_command(monkeypatch, *line, "--set", "target.inertia=7.5") == 0
    held = "the inertia is held at what target.inertia gives, whatever the mass"
    assert held in " ".join(capsys.readouterr().out.split())
    assert held in (tmp_path / "a" / "identify.html").read_text()


def test_unix_times_and_outliers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shipped record by another clock, with rows before the impact and one bad sample."""
    header, *rows = MEASURED.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    start = [*cells[0]]
    for row in cells:
        seconds, _, rest = row[0].partition(".")
        row[0] = f"{1_700_000_000 + int(seconds)}.{rest}"
    cells[30][header.split(",").index("base.x")] = "4.0"
    early = ["1699999999.5", *start[1:]]
    record = tmp_path / "unix.csv"
    record.write_text("\n".join([header, *(",".join(row) for row in (early, *cells))]) + "\n")
    line = ("identify", record, *GIVEN, "--out", tmp_path / "found")
    assert percuss_command(monkeypatch, *line) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "times start 1.7e+09 s after the impact" in said
    assert "--impact-at" in said
    line = (*line, "--impact-at", "1700000000")
    assert percuss_command(monkeypatch, *line) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "sample 31 of base.x (0.62 s) is 4,000 σ from its neighbours" in said
    assert "--robust" in said
    assert not (tmp_path / "found").exists()
    assert percuss_command(monkeypatch, *line, "--robust") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 sample is left out as an outlier: sample" in shown
    assert "1 row is before the impact" in shown
    document = json.loads((tmp_path / "found" / "identify.json").read_text())
    (left,) = document["left_out"]
    assert (left["column"], left["sample"], left["value"]) == ("base.x", 31, 4.0)
    assert left["against"] == "neighbours"
    assert "Left out as outliers" in (tmp_path / "found" / "identify.html").read_text()
    for name, value in TRUTH.items():
        assert abs(document["estimate"][name] - value) < 4 * document["sigma"][name]
    assert percuss_command(monkeypatch, *line[:-1], "yesterday") == 2
    assert "--impact-at" in capsys.readouterr().err
