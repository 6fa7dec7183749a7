"""Measurements in netCDF: a dimension `time` and variables with the names of the columns."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.identify.measured import Measured, refuse_names
from percuss.model.errors import ModelError


def is_netcdf(data: bytes) -> bool:
    """Whether these are the bytes of a netCDF file, netCDF-4 (HDF5) or classic."""
    return data[:4] == b"\x89HDF" or data[:3] == b"CDF"


def parse_netcdf(data: bytes, file: str) -> Measured:
    """Measurements in the bytes of a netCDF file; NaN and the fill value are missing samples."""
    try:
        table = _modern(data) if data[:4] == b"\x89HDF" else _classic(data)
    except Exception as error:
        # Damaged files fail in many ways inside the readers; all mean the same to a user.
        raise ModelError(f"{file}: cannot be read as netCDF: {error}") from None
    refuse_names(list(table), file)
    for name, values in table.items():
        if values.dtype.kind not in "fiu" or values.ndim != 1:
            raise ModelError(
                f"{file}: {name} must hold numbers over time, got {values.dtype} of shape "
                f"{values.shape}"
            )
        if values.shape != table["time"].shape:
            raise ModelError(
                f"{file}: {name} has {len(values)} samples, time has {len(table['time'])}"
            )
    if not len(table["time"]):
        raise ModelError(f"{file}: holds no samples")
    columns = {name: values for name, values in table.items() if name != "time"}
    try:
        return Measured(table["time"], columns)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def netcdf_bytes(measured: Measured) -> bytes:
    """The bytes of a netCDF-4 file."""
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.dimensions = {"time": len(measured.time)}
        for name, values in {"time": measured.time, **measured.columns}.items():
            variable = file.create_variable(name, ("time",), dtype=float)
            variable[...] = values
            variable.attrs["units"] = unit_of(name)
        file.attrs["title"] = "measurements after an impact; time is counted from it"
    return buffer.getvalue()


def unit_of(name: str) -> str:
    """SI unit of a column by its name; of joints, that of revolute ones."""
    stem = name.partition(".")[0]
    if stem == "base":
        last = name.partition(".")[2]
        return "rad" if last == "angle" else "m" if last in ("x", "y", "z") else "1"
    return {
        "time": "s",
        "joint": "rad",
        "joint_rate": "rad/s",
        "joint_torque": "N m",
        "gyro": "rad/s",
        "tool_force": "N",
    }.get(stem, "m")


def _modern(data: bytes) -> dict[str, np.ndarray]:
    import h5netcdf

    with h5netcdf.File(io.BytesIO(data), "r") as file:
        return {
            name: _filled(np.asarray(variable[...]), dict(variable.attrs))
            for name, variable in file.variables.items()
        }


def _classic(data: bytes) -> dict[str, np.ndarray]:
    from scipy.io import netcdf_file

    with netcdf_file(io.BytesIO(data), "r", mmap=False) as file:
        return {
            name: _filled(np.array(variable[...]), dict(variable._attributes))
            for name, variable in file.variables.items()
        }


def _filled(values: np.ndarray, attributes: Mapping[str, Any]) -> np.ndarray:
    """Numbers with NaN for the fill value, scaled as their attributes say."""
    if values.dtype.kind not in "fiu":
        return values
    found = values.astype(float)
    for key in ("_FillValue", "missing_value"):
        if key in attributes:
            found[values == np.asarray(attributes[key]).ravel()[0]] = np.nan
    scale = float(np.asarray(attributes.get("scale_factor", 1.0)).ravel()[0])
    return found * scale + float(np.asarray(attributes.get("add_offset", 0.0)).ravel()[0])
