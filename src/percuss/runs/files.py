"""The netCDF file of a result."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.simulate.record import LABELS, Record


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
