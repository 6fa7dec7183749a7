"""Result folders that appear whole or not at all, and the netCDF file in them."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from percuss.model.errors import ModelError
from percuss.simulate.record import Record

SIGN = "summary.json"
"""The file by which a folder is known as a result."""


def write_folder(folder: str | Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder that is made anew; an older result there is replaced.

    The files are written to a hidden folder beside it, which then takes its name, so that an
    interrupted or failed run leaves nothing half-written and an older result as it was.
    """
    place = Path(folder)
    refuse_foreign(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    old = place.with_name(f".{place.name}.{uuid.uuid4().hex}.old")
    try:
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
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return place


def refuse_foreign(place: Path) -> None:
    """ModelError for a place where a result would replace what no run has written."""
    if place.is_file():
        raise ModelError(f"--out {place}: is a file; give a folder")
    if place.is_dir() and any(place.iterdir()) and not (place / SIGN).is_file():
        raise ModelError(
            f"--out {place}: the folder holds other files and no {SIGN}; "
            "give a new folder, or one of an earlier result, which is replaced"
        )


def netcdf(record: Record) -> bytes:
    """The record as a netCDF-4 file; what `xarray.open_dataset(..., engine='h5netcdf')` reads."""
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.dimensions = {"time": len(record.time)} | {
            name: len(values) for name, values in record.labels.items()
        }
        for name, values in record.labels.items():
            _put(file, name, (name,), np.array(values, dtype=object), {})
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
