"""The netCDF file of a result.

A netCDF-4 file is an HDF5 file with rules: dimensions are dimension scales that are numbered, and
every variable says which of them it has. They are kept here with h5py alone, in a third of the
time that a library for netCDF takes to create, detach and attach them one by one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.encounter.record import LABELS, Record
from percuss.version import __version__

if TYPE_CHECKING:
    import h5py


def netcdf(record: Record) -> bytes:
    """The record as a netCDF-4 file; what `xarray.open_dataset(..., engine='h5netcdf')` reads."""
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w", track_order=True) as file:
        versions = f"version=2,percuss={__version__},hdf5={h5py.version.hdf5_version}"
        file.attrs["_NCProperties"] = np.bytes_(f"{versions},h5py={h5py.__version__}".encode())
        dimensions = ("time", *record.labels)
        for name, values in record.labels.items():
            _put(file, name, (name,), np.array(values, dtype=object), LABELS, dimensions)
        for name, variable in record.variables.items():
            attributes = {
                "units": variable.units,
                "frame": variable.frame,
                "long_name": variable.title,
            }
            _put(file, name, variable.dimensions, variable.values, attributes, dimensions)
        for name, value in record.attributes.items():
            file.attrs[name] = value
    return buffer.getvalue()


def _put(
    file: h5py.File,
    name: str,
    own: tuple[str, ...],
    values: np.ndarray,
    attributes: Mapping[str, str],
    dimensions: Sequence[str],
) -> None:
    """Write one variable over its own ones of the dimensions, which are numbered in this order.

    A variable named as its dimension is what the others over this dimension refer to: it must
    be put before them.
    """
    import h5py

    empty: dict[str, Any] = {"maxshape": tuple(n or None for n in values.shape)}
    written = file.create_dataset(
        name,
        values.shape,
        h5py.string_dtype() if values.dtype == object else values.dtype,
        data=values if values.size else None,
        track_order=True,
        # No entries yet, for netCDF, is a dimension that may grow.
        **({} if values.size else empty),
    )
    if own == (name,):
        written.make_scale(name)
    else:
        for axis, dimension in enumerate(own):
            written.dims[axis].attach_scale(file[dimension])
    numbers = np.array([dimensions.index(dimension) for dimension in own], np.int32)
    written.attrs["_Netcdf4Coordinates"] = numbers
    written.attrs["_Netcdf4Dimid"] = numbers[0]
    for key, value in attributes.items():
        written.attrs[key] = value
