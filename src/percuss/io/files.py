"""Files that appear whole or not at all, in folders that may hold others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from percuss.interruption import during, held, note_written
from percuss.io.places import PROBE, blamed, real_place, refused
from percuss.io.staging import recover, staging, write_new
from percuss.model.errors import ModelError


def write_files(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, which may hold others; files of these names are replaced.

    All are written to a hidden folder first, so that a failure leaves everything as it was. A
    new folder then appears whole; in one that exists the files take their names, the first of
    them last. Signals wait for that, and what a kill has cut in two a later call completes.
    """
    _write(folder, files, str(folder))
    return Path(folder)


def write_file(path: str | Path, content: str | bytes) -> Path:
    """Write one file; see `write_files`."""
    place = Path(path)
    _write(place.parent, {place.name: content}, str(path))
    return place


def try_files(folder: str | Path, names: Iterable[str]) -> Path:
    """The folder's real place, after everything about writing these files was tried.

    Nothing stays of the trial. Raises ModelError where the files cannot be, OSError where the
    disk is full.
    """
    return _try(folder, names, str(folder))


def try_file(path: str | Path) -> None:
    """Try everything about writing one file; see `try_files`."""
    place = Path(path)
    _try(place.parent, [place.name], str(path))


def _write(folder: str | Path, files: Mapping[str, str | bytes], what: str) -> None:
    place = _place(folder, what)
    is_there = place.is_dir()
    # A folder that can be written may lie in one that cannot.
    parent, name = (place, "") if is_there else (place.parent, place.name)
    with during(f"writing {what}"), blamed(what), staging(parent, name) as made:
        write_new(made, files)
        with held():
            if is_there:
                os.rename(made / "new", made / "moving")
                for file in reversed(list(files)):
                    os.replace(made / "moving" / file, place / file)
            else:
                os.rename(made / "new", place)
            note_written(what)


def _try(folder: str | Path, names: Iterable[str], what: str) -> Path:
    with refused(what):
        place = _place(folder, what)
        is_there = place.is_dir()
        parent, name = (place, "") if is_there else (place.parent, place.name)
        with staging(parent, name, is_trial=True) as made:
            for file in names:
                if (place / file).is_dir():
                    raise ModelError(f"{place / file}: is a folder; give another place")
                write_new(made, {file: PROBE})
                (made / "new" / file).unlink()
            if not is_there:
                with held():
                    os.rename(made / "new", place)
                    place.rmdir()
    return place


def _place(folder: str | Path, what: str) -> Path:
    place = real_place(folder)
    with blamed(what):
        for left in (place.parent, place):
            recover(left)
    return place
