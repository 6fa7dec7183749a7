"""The command line as a newcomer meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import percuss


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "percuss", *arguments], capture_output=True, text=True, timeout=60
    )


def test_the_library_is_listed_with_what_the_project_starts_from() -> None:
    result = command("robots")
    assert result.returncode == 0, result.stderr
    for name in ("thesis", "thesis-target", "percussion", "2r-fixed", "2r-floating", "lecture"):
        assert f"\n{name} " in result.stdout
    for name in ("demo-7", "cube", "disk"):
        assert f"\n{name} " in result.stdout


def test_one_robot_is_shown_as_print_shows_it() -> None:
    result = command("robots", "thesis")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"{percuss.robot('thesis')}\n"


def test_the_list_fits_on_a_terminal() -> None:
    lines = command("robots").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    listed = {line.split()[0] for line in lines if line and not line.startswith(" ")}
    assert {entry.name for entry in percuss.robots()} <= listed


def test_a_flying_arm_says_what_is_assumed_and_its_posture() -> None:
    shown = command("robots", "ssrms").stdout
    assert shown.startswith(str(percuss.robot("ssrms")))
    for words in ("Nguyen & Hughes", "upper_boom.com.x", "3.555", "2.844 … 4.266", "2332 N m"):
        assert words in shown
    assert "elbow_pitch     120 deg" in shown
    assert "read as about" in shown


def test_json_is_all_there_is_on_stdout() -> None:
    listing = json.loads(command("robots", "--json").stdout)
    assert {"name", "kind", "title", "source"} <= set(listing[0])
    ssrms = next(found for found in listing if found["name"] == "ssrms")
    assert ssrms["posture"]["elbow_pitch"] == pytest.approx(2.0943951023931953)
    assert {"parameter", "value", "low", "high", "reason"} == set(ssrms["assumed"][0])
    document = json.loads(command("robots", "thesis", "--json").stdout)
    assert percuss.system_from_dict(document).rate_count == 5


def test_an_unknown_robot_is_bad_input() -> None:
    result = command("robots", "tesis")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "percuss: error: the library has no robot 'tesis'. Did you mean"
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--help",), ("robots", "--help"), ("--version",)])
def test_help_and_version(arguments: tuple[str, ...]) -> None:
    result = command(*arguments)
    assert result.returncode == 0
    assert "percuss" in result.stdout


def test_an_unknown_option_is_bad_input() -> None:
    assert command("robots", "--jsn").returncode == 2


@pytest.mark.parametrize("arguments", [("robots", "thesis"), ("robots",), ("robots", "→")])
def test_a_terminal_that_is_not_utf8_shows_question_marks(arguments: tuple[str, ...]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "percuss", *arguments],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        timeout=60,
    )
    shown = result.stdout.decode("ascii") + result.stderr.decode("ascii")
    assert "Traceback" not in shown
    assert result.returncode == (2 if "→" in arguments else 0)
    if "thesis" in arguments:
        table = f"{percuss.robot('thesis')}\n"
        assert shown == table.encode("ascii", "replace").decode("ascii")


@pytest.mark.parametrize("arguments", [("robots",), ("robots", "thesis"), ("robots", "--json")])
def test_a_reader_that_goes_away_is_no_error_to_talk_about(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    # As in a shell, where nothing is written before a buffer is full or the program ends.
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    try:
        result = subprocess.run(
            [sys.executable, "-m", "percuss", *arguments],
            stdout=writer,
            env=buffered,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")
