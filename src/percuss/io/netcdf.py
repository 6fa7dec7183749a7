"""netCDF files of named variables.

A netCDF-4 file is an HDF5 file with rules: dimensions are dimension scales that are numbered, and
every variable says which of them it has. They are kept here with h5py alone, in a third of the
time that a library for netCDF takes to create, detach and attach them one by one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.version import __version__

if TYPE_CHECKING:
    import h5py


@dataclass(frozen=True)
class NetcdfVariable:
    """Values over named dimensions, numbers or (dtype object) texts, and what is said of them."""

    dimensions: tuple[str, ...]
    values: np.ndarray
    attributes: Mapping[str, str]


def netcdf_bytes(
    variables: Mapping[str, NetcdfVariable],
    attributes: Mapping[str, str],
    dimensions: Sequence[str],
) -> bytes:
    """The bytes of a netCDF-4 file; what `xarray.open_dataset(..., engine="h5netcdf")` reads.

    Args:
        variables: by name, in the order in which they are written. A variable named as its
            dimension is what the others over this dimension refer to: it stands before them.
        attributes: of the whole file.
        dimensions: all of them, numbered in this order.
    """
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w", track_order=True) as file:
        versions = f"version=2,percuss={__version__},hdf5={h5py.version.hdf5_version}"
        file.attrs["_NCProperties"] = np.bytes_(f"{versions},h5py={h5py.__version__}".encode())
        for name, variable in variables.items():
            _put(file, name, variable, dimensions)
        for name, value in attributes.items():
            file.attrs[name] = value
    return buffer.getvalue()


def _put(file: h5py.File, name: str, variable: NetcdfVariable, dimensions: Sequence[str]) -> None:
    """Write one variable over its own ones of the dimensions."""
    import h5py

    own, values = variable.dimensions, variable.values
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
    for key, value in variable.attributes.items():
        written.attrs[key] = value
