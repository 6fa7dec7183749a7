"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from percuss.model.errors import ModelError


def write_files(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, which may hold others; files of these names are replaced.

    All are written to a hidden folder beside it first, so that a failure leaves everything as it
    was. A new folder then appears whole; in one that exists the files take their names, the
    first of them last.
    """
    place = refuse_folder(folder)
    fresh = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    if place.is_dir():
        # A folder that can be written may lie in one that cannot.
        fresh = place / f".{uuid.uuid4().hex}"
    try:
        fresh.mkdir(parents=True)
        for name, content in files.items():
            with (fresh / name).open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
        if place.is_dir():
            for name in reversed(list(files)):
                (fresh / name).replace(place / name)
        else:
            fresh.rename(place)
    except OSError as error:
        raise OSError(error.errno, f"{place} could not be written: {error.strerror}") from error
    finally:
        if fresh.exists():
            shutil.rmtree(fresh)
    return Path(folder)


def refuse_folder(folder: str | Path) -> Path:
    """The folder's real place; ModelError where nothing can be written."""
    place = Path(os.path.realpath(folder))
    if os.path.lexists(place) and not place.is_dir():
        raise ModelError(f"{folder}: is not a folder")
    above = next(p for p in (place, *place.parents) if p.exists())
    if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        raise ModelError(f"{folder}: {above} cannot be written to; give another place")
    return place
