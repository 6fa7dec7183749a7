"""Output that appears whole or not at all, and what a later run does about a killed one."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from percuss import ModelError
from percuss.interruption import held
from percuss.io import write_file
from percuss.io.files import try_file, try_files, write_files
from percuss.io.folders import try_folder, write_folder
from percuss.io.staging import PREFIX


def result(text: str) -> dict[str, str | bytes]:
    return {"summary.json": "{}", "text": text}


def left_behind(parent: Path, **content: str) -> Path:
    """A staging folder as a killed run leaves it; `a/b` is written `a__b`."""
    place = parent / f"{PREFIX}deadbeef"
    for name, text in content.items():
        path = place / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def test_the_old_result_comes_back(tmp_path: Path) -> None:
    left_behind(tmp_path, name="out", old__text="old", new__text="new")
    try_folder(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "text").read_text() == "old"


def test_a_finished_swap_is_cleared(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", result("new"))
    left_behind(tmp_path, name="out", gone__text="half of the old one")
    try_folder(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "text").read_text() == "new"


def test_old_beside_new_is_cleared(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", result("new"))
    left_behind(tmp_path, name="out", old__text="old")
    write_folder(tmp_path / "out", result("newer"))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "text").read_text() == "newer"


def test_files_on_their_way_arrive(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "mine").write_text("mine")
    time.sleep(0.02)
    left_behind(tmp_path, moving__a="new", moving__b="new", moving__c="new")
    time.sleep(0.02)
    (tmp_path / "b").write_text("changed since")
    (tmp_path / "c").mkdir()
    write_file(tmp_path / "d", "d")
    found = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert found == {"a": "new", "b": "changed since", "mine": "mine", "d": "d"}


@pytest.mark.parametrize("name", ["", "../out", "/out", "a/b"])
def test_a_name_that_leads_elsewhere_is_not_followed(tmp_path: Path, name: str) -> None:
    place = left_behind(tmp_path, name=name, old__text="old")
    with pytest.raises(ModelError, match=r"could not be written: .*is not the name of a folder"):
        try_folder(tmp_path / "out")
    assert (place / "old" / "text").read_text() == "old", (
        "nothing is removed that is not understood"
    )


def test_a_run_that_lives_is_left_alone(tmp_path: Path) -> None:
    place = left_behind(tmp_path, name="out", old__text="old")
    lock = os.open(place, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    write_folder(tmp_path / "out", result("new"))
    assert place.is_dir()
    os.close(lock)
    write_folder(tmp_path / "out", result("newer"))
    assert not place.exists()


def test_without_locks_only_what_is_old_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    place = left_behind(tmp_path, name="out", new__text="new")
    write_folder(tmp_path / "out", result("new"))
    assert place.is_dir(), "its writer may live"
    an_hour_ago = time.time() - 3600
    os.utime(place, (an_hour_ago, an_hour_ago))
    write_folder(tmp_path / "out", result("newer"))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_strange_things_of_that_name_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}file").write_text("mine")
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "precious").write_text("mine")
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "target")
    write_folder(tmp_path / "out", result("new"))
    assert (tmp_path / f"{PREFIX}file").read_text() == "mine"
    assert (tmp_path / f"{PREFIX}link" / "precious").read_text() == "mine"


def test_a_trial_leaves_nothing(tmp_path: Path) -> None:
    try_folder(tmp_path / "a" / "b" / "out")
    try_files(tmp_path / "c" / "d", ["x.json"])
    try_file(tmp_path / "e" / "x.json")
    assert list(tmp_path.iterdir()) == []
    write_folder(tmp_path / "out", result("old"))
    stamp = (tmp_path / "out").stat().st_mtime_ns
    try_folder(tmp_path / "out")
    assert (tmp_path / "out").stat().st_mtime_ns == stamp
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_removes_the_parents_it_made(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File name too long"):
        write_folder(tmp_path / "a" / "out", {**result("x"), "x" * 300: ""})
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelError, match="is a folder"):
        try_file(tmp_path / "folder")
    with pytest.raises(ModelError, match="File name too long"):
        try_file(tmp_path / ("x" * 300))
    write_file(tmp_path / "x.txt", "")
    with pytest.raises(ModelError, match="cannot be written to"):
        try_file(tmp_path / "x.txt" / "folder" / "y")


def test_new_folders_of_files_appear_whole(tmp_path: Path) -> None:
    write_files(tmp_path / "a" / "b", {"x": "x", "y": b"y"})
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["x", "y"]
    write_files(tmp_path / "a" / "b", {"x": "new"})
    assert (tmp_path / "a" / "b" / "x").read_text() == "new"
    assert (tmp_path / "a" / "b" / "y").read_text() == "y"


def test_writers_in_many_processes(tmp_path: Path) -> None:
    """Runs into one parent do not clear each other's work away."""
    code = (
        "import sys; from pathlib import Path; from percuss.io.folders import write_folder\n"
        "for k in range(20): write_folder(Path(sys.argv[1]), {'summary.json': '{}', 'k': str(k)})"
    )
    line = [sys.executable, "-c", code]
    running = [subprocess.Popen([*line, str(tmp_path / f"out-{k}")]) for k in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out-0", "out-1", "out-2"]


# --- signals that wait ---------------------------------------------------------------------------


def test_signals_wait_and_then_reach_the_host() -> None:
    seen: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("handled"))
    try:
        with held():
            with held():
                signal.raise_signal(signal.SIGTERM)
                signal.raise_signal(signal.SIGTERM)
            seen.append("done")
        assert seen == ["done", "handled"]
    finally:
        signal.signal(signal.SIGTERM, before)


def pressed_within(steps: list[int]) -> None:
    with held():
        signal.raise_signal(signal.SIGINT)
        steps.append(1)


def test_an_interruption_waits_too() -> None:
    steps: list[int] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            pressed_within(steps)
        assert steps == [1]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_write_too(tmp_path: Path) -> None:
    thread = threading.Thread(target=write_folder, args=(tmp_path / "out", result("x")))
    thread.start()
    thread.join()
    assert (tmp_path / "out" / "text").read_text() == "x"
