"""Result folders that appear whole or not at all, and that say beforehand if they cannot."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from percuss.interruption import during, held, note_written
from percuss.io.places import PROBE, blamed, real_place, refused
from percuss.io.staging import recover, staging, write_new
from percuss.model.errors import ModelError

SIGN = "summary.json"
"""By this file a folder is known as a result; its key `files` lists everything that belongs."""


def write_folder(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder that is made anew; an older result there is replaced.

    One of the files is `summary.json`, whose key `files` comes to name them all. They are
    written to a hidden folder beside it, which then takes its place; signals wait for that. An
    interrupted or failed run leaves nothing half-written and an older result as it was; what a
    killed one has left is put in order first.
    """
    place = _own_place(folder)
    with during(f"writing {folder}"), blamed(folder), staging(place.parent, place.name) as made:
        write_new(made, {**files, SIGN: _listing(files)})
        with held():
            with contextlib.suppress(FileNotFoundError):
                os.rename(place, made / "old")
            os.rename(made / "new", place)
            note_written(str(folder))
            if (made / "old").exists():
                os.rename(made / "old", made / "gone")
    return Path(folder)


def try_folder(folder: str | Path) -> Path:
    """The folder's real place, after everything about writing it was tried; nothing stays of it.

    Raises ModelError where a result cannot be or would destroy something, OSError where the
    disk is full.
    """
    with refused(folder):
        place = _own_place(folder)
        with staging(place.parent, place.name, is_trial=True) as made:
            write_new(made, {SIGN: PROBE})
            (made / "new" / SIGN).unlink()
            with held():
                if place.exists():
                    # Put back in the end; a mount point, say, cannot be moved.
                    os.rename(place, made / "old")
                else:
                    os.rename(made / "new", place)
                    place.rmdir()
    return place


def _own_place(folder: str | Path) -> Path:
    """The folder's real place; ModelError where a result there would destroy something."""
    place = real_place(folder)
    with blamed(folder):
        for left in (place.parent, place):
            recover(left)
    if place == Path.cwd() or place in Path.cwd().parents:
        raise ModelError(f"{folder}: is where you are; give a folder of its own")
    if place.is_dir() and not _is_result(place):
        raise ModelError(
            f"{folder}: the folder holds other files; give a new folder, or one that holds "
            "an earlier result and nothing else, which is replaced"
        )
    return place


def _listing(files: Mapping[str, str | bytes]) -> str:
    """The summary with the names of all files."""
    summary = json.loads(files[SIGN])
    summary["files"] = sorted(files)
    return json.dumps(summary, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _is_result(place: Path) -> bool:
    """Whether a folder is empty, or holds a result and nothing that is not part of it."""
    names = {entry.name for entry in place.iterdir()}
    if not names:
        return True
    try:
        summary = json.loads((place / SIGN).read_bytes())
    except (OSError, ValueError):
        return False
    listed = summary.get("files") if isinstance(summary, dict) else None
    return isinstance(listed, list) and names <= set(map(str, listed))
