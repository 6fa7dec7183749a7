"""`percuss source NAME`: files, JSON, figures, exit statuses."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

from percuss.cli.source import reproduce

PROGRAM = "from percuss.cli.main import main; main()"
FIGURES = (
    "momentum",
    "figure-4-1",
    "figure-4-2",
    "figure-4-3",
    "figure-4-5",
    "figure-4-6",
    "appendix-1",
    "appendix-2",
)


def percuss(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("source")


@pytest.fixture(scope="module")
def result(place: Path) -> subprocess.CompletedProcess[str]:
    """The command with --json, once for all tests of what it leaves."""
    found = percuss("source", "thesis", "--json", cwd=place)
    assert found.returncode == 0, found.stderr
    return found


@pytest.fixture(scope="module")
def folder(result: subprocess.CompletedProcess[str], place: Path) -> Path:
    assert result.returncode == 0
    return place / "out" / "source-thesis"


def test_json_and_nothing_else(result: subprocess.CompletedProcess[str], folder: Path) -> None:
    assert result.stderr == ""
    printed = json.loads(result.stdout)
    stored = json.loads((folder / "summary.json").read_text("utf-8"))
    assert stored.pop("files") == sorted(path.name for path in folder.iterdir())
    assert printed == stored
    assert printed["source"] == "thesis"
    assert set(printed["simulations"]) == {"1", "2"}
    assert len(printed["errata"]) > 30
    assert all(entry["evidence"]["difference"] > 0 for entry in printed["errata"])


def test_files(folder: Path) -> None:
    kinds = ("png", "svg")
    names = {"index.html", "summary.json", *(f"{n}.{kind}" for n in FIGURES for kind in kinds)}
    assert {path.name for path in folder.iterdir()} == names


def test_prints_the_headline_and_replaces_an_earlier_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "summary.json").write_text('{"files": ["summary.json"]}')
    reproduce("thesis", tmp_path / "result")
    shown, complaints = capsys.readouterr()
    assert complaints == ""
    for text in ("published", "−1.8414322", "67.32", "0.7328696", "result/index.html"):
        assert text in shown
    assert re.search(r"\d+ errors of chapters 2–4", shown)
    lines = [line for line in shown.splitlines() if "index.html" not in line]
    assert max(map(cell_len, lines)) <= 80
    assert len((tmp_path / "result" / "summary.json").read_text("utf-8")) > 1000


@pytest.mark.parametrize("name", FIGURES)
def test_figures_show_something(folder: Path, name: str) -> None:
    data = (folder / f"{name}.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width > 900
    assert height > 500
    assert len(colors(data)) > 50, "a figure has more than a background"


def colors(data: bytes) -> np.ndarray:
    """Distinct bytes of the raw image rows; a blank picture has a handful."""
    raw, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            raw += data[at + 8 : at + 8 + length]
        at += 12 + length
    return np.unique(np.frombuffer(zlib.decompress(raw), np.uint8))


def test_the_page_needs_nothing_else(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.count('src="data:image/svg+xml;base64,') == len(FIGURES)
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    for text in ("Table 4.1", "Table 4.3", "Figure 4.6", "(2.13)", "Misprints"):
        assert text in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["theses"], ["'theses'", "Did you mean 'thesis'?"]),
        (["seminar"], ["'seminar'", "There are: thesis, lecture, fixed-and-free-floating"]),
        ([""], ["''", "There are: thesis"]),
        ([], ["Missing argument"]),
    ],
)
def test_unknown_names_are_bad_input(
    tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    found = percuss("source", *arguments, cwd=tmp_path)
    assert found.returncode == 2
    assert found.stdout == ""
    for word in words:
        assert word in found.stderr
    assert "Traceback" not in found.stderr
    assert not list(tmp_path.iterdir()), "nothing is written"
