"""One input given to percuss in this process, in a folder of its own."""

from __future__ import annotations

import functools
import io
import os
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.cases import READ, Case


@dataclass(frozen=True)
class Ending:
    """How percuss ended.

    Attributes:
        status: of the command.
        out: what it printed.
        err: what it said on stderr, libraries behind Python's back included.
        crash: the kind of the exception that nobody caught and where it was raised, or nothing.
        trace: the whole of that.
        seconds: how long it took.
        busy: how long the processor worked on it (s).
        files: what is in the folder afterwards and was not put there, by relative path.
    """

    status: int
    out: str
    err: str
    crash: str
    trace: str
    seconds: float
    busy: float
    files: tuple[str, ...]


def prepare() -> None:
    """Import what commands import late, and build the command line once, before workers fork."""
    import h5netcdf  # noqa: F401
    import matplotlib.figure  # noqa: F401
    import mujoco  # noqa: F401
    import typer.main

    import percuss.cli.commands
    import percuss.identification.identification
    import percuss.report.identify_page
    import percuss.result  # noqa: F401

    # Typer makes its parser anew for every command line, which takes as long as a check.
    typer.main.get_command = functools.cache(typer.main.get_command)


def drive(case: Case, folder: Path) -> Ending:
    """Let percuss have an input; the folder is emptied before."""
    _lay_out(case, folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return _driven(case, folder)
    finally:
        os.chdir(before)


def _lay_out(case: Case, folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, data in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _driven(case: Case, folder: Path) -> Ending:
    # As the real streams: what cannot be encoded shows.
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    crash = trace = ""
    status = 0
    started, worked = time.perf_counter(), time.process_time()
    with _behind_python() as behind, redirect_stdout(out), redirect_stderr(err):
        try:
            _act(case)
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        except BaseException as error:  # whatever it is, it would have been a traceback
            crash, trace = _place(error), traceback.format_exc()
            status = 1
    seconds, busy = time.perf_counter() - started, time.process_time() - worked
    texts = [own.buffer.getvalue().decode("utf-8", "replace") for own in (out, err)]  # type: ignore[attr-defined]
    return Ending(
        status,
        texts[0],
        texts[1] + behind[0],
        crash,
        trace,
        seconds,
        busy,
        _new_files(case, folder),
    )


@contextmanager
def _behind_python() -> Iterator[list[str]]:
    """What libraries write to the process's own stderr ends up in the list."""
    said = [""]
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            said[0] = file.read(100_000).decode("utf-8", "replace")


def _act(case: Case) -> None:
    from percuss.cli.main import main

    if case.arguments[:1] == (READ,):
        _read(*case.arguments[1:])
        return
    sys.argv = ["percuss", *case.arguments]
    main()


def _read(measured: str, sensors: str) -> None:
    """What `percuss identify` does first, with its answers to errors."""
    from percuss.cli.terminal import plain
    from percuss.identification.data.measured import read_measured
    from percuss.identification.data.sensors import read_sensors
    from percuss.model.errors import ModelError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            read_sensors(sensors)
            found = read_measured(measured, _chaser())
        except ModelError as error:
            print(f"percuss: error: {plain(str(error))}", file=sys.stderr)
            raise SystemExit(2) from None
    print(f"{len(found.time)} samples of {', '.join(found.columns)}")


@functools.cache
def _chaser():
    from percuss.scenario import loads
    from tests.fuzz import corpus

    return loads(corpus.scenario_texts()["identify"]).start.chaser


def _place(error: BaseException) -> str:
    """`KeyError at scenario/build.py:81`: of our own frames the innermost."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/percuss/" in frame.filename] or list(frames)
    last = own[-1]
    name = last.filename.rpartition("/percuss/")[2]
    return f"{type(error).__name__} at {name}:{last.lineno}"


def _new_files(case: Case, folder: Path) -> tuple[str, ...]:
    found = (path for path in folder.rglob("*") if not path.is_dir() or path.name.startswith("."))
    names = (path.relative_to(folder).as_posix() for path in found)
    return tuple(sorted(name for name in names if name not in case.files))
