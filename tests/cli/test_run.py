"""`percuss run`, `check` and `schema` as a user meets them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from percuss.cli.main import main

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))
THESIS = SCENARIOS[0].with_name("thesis-1.yaml")


def percuss_command(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """The exit status of the command, run in this process."""
    monkeypatch.setattr(sys, "argv", ["percuss", *map(str, arguments)])
    before = signal.getsignal(signal.SIGTERM)
    try:
        main()
    except SystemExit as ended:
        code = ended.code
        return 0 if code is None else int(code)
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def launch(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "percuss", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_shipped_scenarios_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert percuss_command(monkeypatch, "run", path, "--out", tmp_path / "out") == 0
    shown = capsys.readouterr().out
    assert "momentum" in shown
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    balance = summary["balance"]
    if summary["impact"] is None:
        assert summary["status"] == "missed"
        assert balance["energy"] < 1e-7
        return
    scale = 1.0 + summary["impact"]["energy"]["before"]
    assert balance["energy"] < 1e-7 * scale, "energy is out of balance after the impact"
    if balance["linear_momentum"] is not None and summary["closure"] != "published":
        assert balance["linear_momentum"] < 1e-7 * scale
        change = [
            abs(a - b)
            for a, b in zip(
                summary["impact"]["linear_momentum"]["before"],
                summary["impact"]["linear_momentum"]["after"],
                strict=True,
            )
        ]
        assert max(change) < 1e-11 * (1 + max(map(abs, summary["impact"]["impulse"])))


def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    done = launch("run", THESIS, "--json", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert json.loads(done.stdout)["impact"]["impulse"][0] == pytest.approx(-1.8414322, abs=1e-7)
    assert done.stderr == ""


def test_set_replaces_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--set", "impact.closure=weld", "--set", "target.mass=20 kg", "--json")
    status = percuss_command(monkeypatch, "run", THESIS, "--out", tmp_path / "out", *arguments)
    assert status == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["closure"] == "weld"
    assert summary["impact"]["energy"]["before"] == pytest.approx(10.0)


def test_default_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert percuss_command(monkeypatch, "run", THESIS) == 0
    assert (tmp_path / "out" / "thesis-1" / "report.html").is_file()
    assert "out/thesis-1/report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("target.mass=-3", "target.mass"),
        ("target.mass=abc", "target.mass"),
        ("target.mas=3", "mass"),
        ("impact.closure=glue", "pin"),
        ("duration=5 m", "duration"),
        ("target.mass", "path=value"),
    ],
)
def test_bad_settings_are_explained(
    setting: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert percuss_command(monkeypatch, "check", THESIS, "--set", setting) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_check_and_schema(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert percuss_command(monkeypatch, "check", THESIS) == 0
    assert "valid" in capsys.readouterr().out
    assert percuss_command(monkeypatch, "check", THESIS, "--json") == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
    assert percuss_command(monkeypatch, "schema") == 0
    assert "properties" in json.loads(capsys.readouterr().out)


def test_foreign_folder_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert percuss_command(monkeypatch, "run", THESIS, "--out", tmp_path) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """A limit on file sizes stands for a disk that is full."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
        "from percuss.cli.main import main; main()"
    )
    line = [sys.executable, "-c", code, "run", str(THESIS), "--out", str(tmp_path / "out")]
    environment = os.environ | {"PERCUSS_CACHE": "off"}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert "too large" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [], "something half-written was left"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_interruption_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    # A shell without job control starts what is in the background deaf to SIGINT.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from percuss.cli.main import main; main()"
    )
    line = [sys.executable, "-c", code, "run", str(THESIS), "--out", str(tmp_path / "out")]
    line += ["--set", "duration=100000", "--set", "output.samples=200000"]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(2.5)
        process.send_signal(number)
        try:
            _, error = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode != 0
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == [], "something half-written was left"


# --- mutated files ------------------------------------------------------------------------------

_JUNK = ("nan", "-1", "0", "1e400", "[]", "{}", "null", '"70 deg"', "5 kN", "yes", "x", "1e-3")


def mutated(text: str, rng: random.Random) -> str:
    """A scenario file with something wrong, or only odd, with it."""
    lines = text.splitlines()
    kind = rng.randrange(7)
    chosen = [k for k, line in enumerate(lines) if ":" in line and not line.startswith("#")]
    k = rng.choice(chosen)
    if kind == 0:
        del lines[k]
    elif kind == 1:
        lines.insert(k, lines[k])
    elif kind == 2:
        key, _, _ = lines[k].partition(":")
        lines[k] = f"{key}: {rng.choice(_JUNK)}"
    elif kind == 3:
        return text[: rng.randrange(len(text))]
    elif kind == 4:
        place = rng.randrange(len(lines[k]))
        lines[k] = lines[k][:place] + rng.choice("{}[]:,-#&*!%@`\\\x00é") + lines[k][place:]
    elif kind == 5:
        key, colon, value = lines[k].partition(":")
        lines[k] = key[:-1] + colon + value
    else:
        digits = [i for i, c in enumerate(lines[k]) if c.isdigit()]
        if digits:
            place = rng.choice(digits)
            lines[k] = lines[k][:place] + rng.choice(("-", "e", "9e9", ".")) + lines[k][place:]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(20))
def test_mutated_files_run_or_are_explained(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twelve mutations a seed: a message, or a run that balances.

    Exit 2, or 1 where the file is right but its motion runs away (a target 100 km off).
    """
    rng = random.Random(seed)
    for k in range(12):
        source = rng.choice(SCENARIOS)
        path = tmp_path / f"mutated-{k}.yaml"
        text = mutated(source.read_text(encoding="utf-8"), rng)
        path.write_text(text, encoding="utf-8")
        quick = ("--set", "duration=0.2", "--set", "output.samples=3", "--json")
        status = percuss_command(monkeypatch, "run", path, "--out", tmp_path / "out", *quick)
        printed = capsys.readouterr()
        if status == 0:
            summary = json.loads(printed.out)
            impact = summary["impact"] or {"energy": {"before": 0.0}}
            assert summary["balance"]["energy"] < 1e-6 * (1 + impact["energy"]["before"])
        else:
            stopped = status == 1 and "the motion stopped at" in printed.err
            assert status == 2 or stopped, f"exit {status} for\n{text}\n{printed.err}"
            assert printed.err.startswith("percuss: error: ")
            assert len(printed.err) > 30
