"""Signals and time limits: answered at once, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from percuss.cli.main import main
from percuss.interruption import Interruption, Interrupts
from tests.fuzz.judge import FAILURES
from tests.fuzz.signals import (
    PROMPTLY,
    THESIS,
    Ask,
    disturbed,
    hidden,
    mass_in,
    quick_run,
    random_signals,
)
from tests.studies import cases

ROOT = Path(__file__).parents[2]
SPATIAL = ROOT / "scenarios" / "pin-3d.yaml"
ENDLESS = (
    *("--set", "integration={method: rk4, step: 2e-6, most-steps: 1000000}"),
    *("--set", "duration=200"),
)
"""10⁸ steps in one call of machine code: minutes."""

SIGNALS = int(os.environ.get("PERCUSS_SIGNALS") or cases(10, 200))
"""How many signals at random moments."""


@pytest.fixture(scope="module")
def trial() -> Iterator[Ask]:
    """Runs a command with slow renames and a signal; see tests/cli/disturbed.py."""
    with disturbed() as ask:
        yield ask


def last_swap(result: dict[str, Any], place: Path) -> int:
    """Which of the renames brought the result to its place."""
    return max(k for k, target in enumerate(result["renames"]) if target == str(place))


# --- the swap of result folders -----------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1], ids=["between the renames", "in the second rename"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_folders_are_swapped_waits(
    trial: Ask, tmp_path: Path, number: signal.Signals, side: int
) -> None:
    place = tmp_path / "out"
    trial(*quick_run(place, 11))
    swap = last_swap(trial(*quick_run(place, 12)), place)
    result = trial(*quick_run(place, 13), delay=0.1, signal=number, at=[swap, side])
    assert mass_in(place) == 13
    assert result["status"] == 0, "the result is there: that is no failure"
    assert "nothing was written" not in result["stderr"]
    assert hidden(place) == []


@pytest.mark.parametrize("side", [0, 1], ids=["between the renames", "after the second"])
def test_what_a_killed_run_left_is_put_in_order(trial: Ask, tmp_path: Path, side: int) -> None:
    place = tmp_path / "out"
    trial(*quick_run(place, 11))
    swap = last_swap(trial(*quick_run(place, 12)), place)
    result = trial(*quick_run(place, 13), delay=0.1, signal=signal.SIGKILL, at=[swap, side])
    assert result["status"] == -signal.SIGKILL
    # A run that comes to nothing restores the old result too.
    failed = trial("run", SPATIAL, "--out", place, *ENDLESS, "--max-time", "0.7")
    assert failed["status"] == 1
    assert mass_in(place) == (13 if side else 12)
    assert hidden(place) == []


@pytest.mark.sampled
def test_signals_at_random_moments(trial: Ask, tmp_path: Path) -> None:
    """Old result intact or new result whole; no leftovers; the truth is told."""
    for found in random_signals(trial, tmp_path / "out", SIGNALS, seed=15):
        assert found.judgement.verdict not in FAILURES, found.judgement.why


# --- answers in time ----------------------------------------------------------------------------


def launched(*arguments: str | Path, code: str = "") -> subprocess.Popen[str]:
    """The command in a process of its own, told to heed SIGINT, which says when it begins."""
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "print('begins', flush=True); import runpy; "
    )
    end = "runpy.run_module('percuss', run_name='__main__', alter_sys=True)"
    line = [sys.executable, "-c", f"{start}{code}{end}", *map(str, arguments)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    return process


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[str, float]:
    """What the command says after a signal, and how long that takes (s)."""
    began = time.monotonic()
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    return said, time.monotonic() - began


def test_a_running_kernel_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first run compiles its kernels, the second finds them on the disk.
    monkeypatch.setenv("PERCUSS_CACHE", str(tmp_path / "cache"))
    told = "import logging; logging.basicConfig(level=10, stream=__import__('sys').stdout); "
    for number, origin in ((signal.SIGINT, "compiling"), (signal.SIGTERM, "from the disk")):
        process = launched("run", SPATIAL, "--out", tmp_path / "out", *ENDLESS, code=told)
        origins = _origins_of_code(process, 2)
        time.sleep(2.0)
        said, took = ended(process, number)
        assert all(origin in line for line in origins)
        assert process.returncode == 1
        assert said == "percuss: interrupted; nothing was written\n"
        assert took < PROMPTLY
        assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def _origins_of_code(process: subprocess.Popen[str], count: int) -> list[str]:
    """The first lines in which a process says that it has machine code, and where from."""
    assert process.stdout is not None
    origins: list[str] = []
    while len(origins) < count:
        line = process.stdout.readline()
        if not line:
            _, said = process.communicate()
            pytest.fail(f"the command ended with {len(origins)} kernels of {count}: {said}")
        if "machine code after" in line:
            origins.append(line)
    return origins


@pytest.mark.parametrize("moment", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_imports_are_ended_quietly(tmp_path: Path, number: signal.Signals, moment: float) -> None:
    process = launched("run", THESIS, "--out", tmp_path / "out", *ENDLESS)
    time.sleep(moment)
    said, took = ended(process, number)
    assert process.returncode == 1, said
    assert said == "percuss: interrupted; nothing was written\n"
    assert took < PROMPTLY


def test_time_limit_says_what_was_going_on(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "percuss", "run", str(SPATIAL), *ENDLESS]
    line += ["--out", str(tmp_path / "new" / "out"), "--max-time", "4 s"]
    began = time.monotonic()
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert time.monotonic() - began < PROMPTLY
    assert done.returncode == 1
    assert done.stderr.startswith("percuss: --max-time 4 s is over while ")
    assert "simulating ball-joint capture in space" in done.stderr
    assert done.stderr.endswith("; nothing was written\n")
    assert list(tmp_path.iterdir()) == []


COMMANDS = ("run", "approach", "cop plan", "cop of", "source", "derive", "identify", "check")


@pytest.mark.parametrize("command", [*COMMANDS, "schema", "robots"])
def test_every_command_has_a_time_limit(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    line = [sys.executable, "-m", "percuss", *command.split(), "--help"]
    assert "--max-time" in subprocess.run(line, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "3 m", "soon"])
def test_time_limits_that_are_none(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["percuss", "check", str(THESIS), f"--max-time={text}"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("percuss: error: --max-time")


def test_a_library_that_is_being_loaded_is_not_interrupted() -> None:
    """Python code that a library in C++ calls while it is loaded cannot pass on an exception."""
    done = []

    class Loader(ExtensionFileLoader):
        def exec_module(self, module: ModuleType) -> None:
            signal.raise_signal(signal.SIGTERM)
            time.sleep(0.1)
            done.append(module.__name__)

    def load() -> None:
        Loader("library", "library.so").exec_module(ModuleType("library"))
        time.sleep(PROMPTLY)

    began = time.monotonic()
    with pytest.raises(Interruption), Interrupts():
        load()
    assert done == ["library"]
    assert time.monotonic() - began < PROMPTLY


def test_what_is_half_made_when_a_signal_comes_ends_quietly() -> None:
    code = """
import signal, sys
from percuss.interruption import Interrupts

class Half:
    def __init__(self):
        signal.raise_signal(signal.SIGTERM)
        self.handle = 3

    def __del__(self):
        self.handle

try:
    with Interrupts(is_last=True):
        Half()
except BaseException as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


# --- the host program ---------------------------------------------------------------------------

_ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


def test_handlers_of_the_host_are_back_afterwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def mine(_number: int, _frame: object) -> None: ...

    kept = {number: signal.signal(number, mine) for number in _ALL}
    try:
        before = sys.unraisablehook
        for words in (["robots", "--max-time", "100"], ["robots", "nobody"]):
            monkeypatch.setattr(sys, "argv", ["percuss", *words])
            with pytest.raises(SystemExit):
                main()
        assert all(signal.getsignal(number) is mine for number in _ALL)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert sys.unraisablehook is before
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    capsys.readouterr()


def test_importing_changes_no_handler() -> None:
    code = (
        "import signal; every = range(1, signal.NSIG); "
        "before = [signal.getsignal(n) for n in every]; "
        "import percuss, percuss.cli.commands, percuss.result, percuss.io, percuss.kernel; "
        "percuss.run; assert before == [signal.getsignal(n) for n in every]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- the output is tried first ------------------------------------------------------------------


def refused(out: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The end of a command that would otherwise run for minutes."""
    line = [*prefix, sys.executable, "-m", "percuss", "run", str(SPATIAL), *ENDLESS]
    line += ["--out", str(out)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)


def test_too_long_a_name_is_refused_first(tmp_path: Path) -> None:
    done = refused(tmp_path / "new" / ("x" * 256))
    assert done.returncode == 2
    assert "File name too long" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_is_fine(trial: Ask, tmp_path: Path) -> None:
    place = tmp_path / ("x" * 255)
    assert trial(*quick_run(place, 3))["status"] == 0
    assert trial(*quick_run(place, 4))["status"] == 0
    assert mass_in(place) == 4
    assert hidden(place) == []


def test_a_mount_point_is_refused_first(tmp_path: Path) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    shell = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(mount))
    if subprocess.run([*shell, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    done = refused(mount, shell)
    assert done.returncode == 2
    assert "is a mount point" in done.stderr
    assert f"{mount}/result" in done.stderr


def test_a_full_disk_is_noticed_first(tmp_path: Path) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    size = 'mount -t tmpfs -o size=128k none "$0" && exec "$@"'
    shell = ("unshare", "-rm", "sh", "-c", size, str(mount))
    if subprocess.run([*shell, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    done = refused(mount / "out", shell)
    assert done.returncode == 1
    assert "No space left" in done.stderr


def test_a_place_that_cannot_be_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file" / "out", tmp_path / "file", Path("/proc/out")):
        done = refused(out)
        assert done.returncode == 2, out
        assert str(out) in done.stderr
    assert (tmp_path / "file").read_text() == "mine"
