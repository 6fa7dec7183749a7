"""The command line as a newcomer meets it."""

from __future__ import annotations

import json
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


def test_json_is_all_there_is_on_stdout() -> None:
    listing = json.loads(command("robots", "--json").stdout)
    assert {"name", "kind", "title", "source"} == set(listing[0])
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
