"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from percuss.model.errors import ModelError


def write_files(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, which may hold others; files of these names are replaced.

    All are written beside their places first, so that a failure leaves the folder as it was; one
    that did not exist is not left behind empty.
    """
    place = refuse_folder(folder)
    made = _made(place)
    waiting = {name: place / f".{name}.{uuid.uuid4().hex}" for name in files}
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with waiting[name].open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
        for name, hidden in waiting.items():
            hidden.replace(place / name)
    except OSError as error:
        raise OSError(error.errno, f"{place} could not be written: {error.strerror}") from error
    finally:
        for hidden in waiting.values():
            hidden.unlink(missing_ok=True)
        for made_here in made:
            with contextlib.suppress(OSError):
                made_here.rmdir()  # only where it is still empty
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


def _made(place: Path) -> list[Path]:
    """Folders that do not exist yet, the innermost first."""
    return [path for path in (place, *place.parents) if not path.exists()]
