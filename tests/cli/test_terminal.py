"""Names from strangers on a terminal: shown letter by letter, whatever they hold."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.cli.terminal import Terminal, as_is, message, plain
from tests.cli.test_run import THESIS, percuss_command

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
QUOTED = '"\\e]0;owned\\a\\e[2J\\x9b31m\\x7f\\u202e"'
"""The same in YAML."""
BRACKETS = r"a[bold]b[/]c[/x]\ [d\]"


def scenario(folder: Path, name: str) -> Path:
    text = THESIS.read_text().replace("duration: 10 s", "duration: 0.2 s")
    lines = [line for line in text.splitlines() if not line.startswith("name:")]
    place = folder / "s.yaml"
    place.write_text("\n".join([f"name: {name}", *lines, ""]))
    return place


@given(st.text())
def test_plain_text_has_no_commands_and_keeps_the_rest(text: str) -> None:
    shown = plain(text)
    assert not RAW.search(shown)
    assert plain(shown) == shown
    if text.isprintable():
        assert shown == text


@given(st.text(st.characters(codec="utf-8")))
def test_a_console_lets_no_command_through(text: str) -> None:
    console = Terminal(width=200, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(text, markup=False)
        console.print(as_is(text))
        console.rule(text.replace("[", ""))
    assert not RAW.search(captured.get())


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--out", "out"],
        ["run", "--json", "--out", "out"],
        ["check"],
        ["check", "--json"],
        ["derive"],
        ["derive", "--as", "c"],
        ["cop"],
        ["cop", "plan", "--starts", "1", "--samples", "64", "--out", "plan"],
    ],
    ids=" ".join,
)
def test_a_name_reaches_no_terminal_raw(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    place = scenario(tmp_path, QUOTED)
    assert percuss_command(monkeypatch, *arguments, place) == 0
    shown = capsys.readouterr()
    assert not RAW.search(shown.out)
    assert not RAW.search(shown.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", f"{EVIL}.yaml"],
        ["check", "good.yaml", f"{EVIL}.yaml"],
        ["run", "good.yaml", f"--{EVIL}"],
        ["run", "good.yaml", "--seed", EVIL],
        ["run", "good.yaml", "--set", f"target.{EVIL}=1"],
        ["run", "good.yaml", "--out", f"/dev/null/{EVIL}"],
        ["cop", EVIL],
        [EVIL],
        ["robots", EVIL],
        ["identify", EVIL, "--scenario", "good.yaml", "--sensors", EVIL],
    ],
    ids=range(10),
)
def test_errors_repeat_arguments_in_plain_letters(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    scenario(tmp_path, "good").rename(tmp_path / "good.yaml")
    assert percuss_command(monkeypatch, *arguments) in (1, 2)
    error = capsys.readouterr().err
    assert error
    assert not RAW.search(error)


@pytest.mark.parametrize("command", [["run"], ["cop", "plan", "--starts", "1", "--samples", "64"]])
def test_names_and_places_print_as_they_are(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = scenario(tmp_path, f"'{BRACKETS}'")
    out = tmp_path / BRACKETS.replace("/", ".")
    monkeypatch.setenv("COLUMNS", "200")
    assert percuss_command(monkeypatch, *command, place, "--out", out) == 0
    shown = capsys.readouterr().out
    assert BRACKETS in shown
    assert f"{out}/" in shown


def test_a_bar_shows_a_name_as_it_is(tmp_path: Path) -> None:
    """On a terminal, where a bar appears: its name is no markup."""
    code = (
        "import time\nfrom percuss.cli import progress\nprogress.PATIENCE = 0.05\n"
        f"with progress.progress_bar({(BRACKETS + EVIL)!r}) as told:\n"
        "    time.sleep(0.5); told(0.5); time.sleep(0.5)\n"
    )
    primary, secondary = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stderr=secondary, cwd=tmp_path) as process:
        os.close(secondary)
        shown = b""
        while True:
            try:
                part = os.read(primary, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(primary)
    assert process.returncode == 0, shown
    assert BRACKETS.encode() in shown
    assert b"owned\x07" not in shown


@given(st.lists(st.text(max_size=3000), max_size=120).map("\n".join))
def test_a_message_fits_on_a_terminal(text: str) -> None:
    lines = message(text).split("\n")
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 1000
    if text.isprintable() and len(text) <= 1000:
        assert message(text) == text


@pytest.mark.parametrize("line", ["{}: 1", "target: {{{}: 1}}", "impact: {{closure: [{}]}}"])
def test_long_names_are_cut_in_messages(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "s.yaml"
    place.write_text(f"name: a\n{line.format('x' * 5000)}\n")
    for words in (["check", place], ["check", THESIS, "--set", f"{'x' * 5000}=1"]):
        assert percuss_command(monkeypatch, *words) == 2
        error = capsys.readouterr().err
        assert max(map(len, error.splitlines())) < 1100
