"""Result folders that appear whole or not at all, and the netCDF file in them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from percuss.model.errors import ModelError
from percuss.simulate.record import LABELS, Record

SIGN = "summary.json"
"""By this file a folder is known as a result; its key `files` lists everything that belongs."""


def write_folder(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder that is made anew; an older result there is replaced.

    One of the files is `summary.json`, whose key `files` comes to name them all. They are
    written to a hidden folder beside it, which then takes its name, so that an interrupted or
    failed run leaves nothing half-written and an older result as it was.
    """
    place = refuse_foreign(folder)
    files = {**files, SIGN: _listing(files)}
    fresh = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    old = place.with_name(f".{place.name}.{uuid.uuid4().hex}.old")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            with (fresh / name).open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            place.rename(old)
        try:
            fresh.rename(place)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                old.rename(place)
            raise
    except OSError as error:
        # The hidden folder is no name that a user knows.
        raise OSError(error.errno, f"{place} could not be written: {error.strerror}") from error
    finally:
        for left in (fresh, old):
            if left.exists():
                shutil.rmtree(left)
    return Path(folder)


def refuse_foreign(folder: str | Path) -> Path:
    """The folder's real place; ModelError where a result cannot be or would destroy something."""
    place = Path(os.path.realpath(folder))
    if place == Path.cwd() or place in Path.cwd().parents:
        raise ModelError(f"{folder}: is where you are; give a folder of its own")
    if os.path.lexists(place) and not place.is_dir():
        raise ModelError(f"{folder}: is not a folder; give a new one")
    if place.is_dir() and not _is_result(place):
        raise ModelError(
            f"{folder}: the folder holds other files; give a new folder, or one that holds "
            "an earlier result and nothing else, which is replaced"
        )
    above = next(parent for parent in place.parents if parent.exists())
    if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        raise ModelError(f"{folder}: {above} cannot be written to; give another place")
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


def netcdf(record: Record) -> bytes:
    """The record as a netCDF-4 file; what `xarray.open_dataset(..., engine='h5netcdf')` reads."""
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.dimensions = {"time": len(record.time)} | {
            name: len(values) for name, values in record.labels.items()
        }
        for name, values in record.labels.items():
            _put(file, name, (name,), np.array(values, dtype=object), LABELS)
        for name, variable in record.variables.items():
            attributes = {
                "units": variable.units,
                "frame": variable.frame,
                "long_name": variable.title,
            }
            _put(file, name, variable.dimensions, variable.values, attributes)
        for name, value in record.attributes.items():
            file.attrs[name] = value
    return buffer.getvalue()


def _put(
    file: Any,
    name: str,
    dimensions: tuple[str, ...],
    values: np.ndarray,
    attributes: Mapping[str, str],
) -> None:
    import h5py

    is_text = values.dtype == object
    kind = h5py.string_dtype() if is_text else values.dtype
    variable = file.create_variable(name, dimensions, dtype=kind)
    if values.size:
        variable[...] = values
    for key, value in attributes.items():
        variable.attrs[key] = value
