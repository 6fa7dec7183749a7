"""Measurements in netCDF: a dimension `time` and variables with the names of the columns."""

from __future__ import annotations

import io
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from percuss.identification.data.hdf5_contents import refuse_hdf5
from percuss.identification.data.impact_clock import after_impact, since
from percuss.identification.data.measured_columns import Measured, measured_of, refuse_names
from percuss.identification.data.vectors import VECTORS
from percuss.io.netcdf import NetcdfVariable, netcdf_bytes
from percuss.model.errors import ModelError


def is_netcdf(data: bytes) -> bool:
    """Whether these are the bytes of a netCDF file, netCDF-4 (HDF5) or classic."""
    return data[:4] == b"\x89HDF" or data[:3] == b"CDF"


def parse_netcdf(
    data: bytes, file: str, impact: Decimal | None = None, *, robust: bool = False
) -> Measured:
    """Measurements in the bytes of a netCDF file; NaN and the fill value are missing samples.

    `impact` and `robust` as of `parse_csv`.
    """
    try:
        if data[:4] == b"\x89HDF":
            refuse_hdf5(data, file)
            table, units = _modern(data, impact)
        else:
            table, units = _classic(data, impact)
    except ModelError:
        raise
    except Exception as error:
        # Damaged files fail in many ways inside the readers, in words of their own; all mean the
        # same to a user.
        raise ModelError(
            f"{file}: cannot be read as netCDF: it is damaged or incomplete; write it anew, or as "
            "CSV"
        ) from error
    refuse_names(list(table), file)
    _refuse_units(units, file)
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
    note = None
    if impact is not None and np.isfinite(table["time"]).all():
        kept, note = after_impact(table["time"], impact, file)
        table = {name: values[kept] for name, values in table.items()}
    columns = {name: values for name, values in table.items() if name != "time"}
    try:
        return measured_of(table["time"], columns, (note,) if note else (), robust=robust)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def netcdf_data(measured: Measured) -> bytes:
    """The bytes of a netCDF-4 file."""
    variables = {
        name: NetcdfVariable(("time",), np.asarray(values, float), {"units": unit_of(name)})
        for name, values in {"time": measured.time, **measured.columns}.items()
    }
    title = "measurements after an impact; time is counted from it"
    return netcdf_bytes(variables, {"title": title}, ("time",))


def unit_of(name: str) -> str:
    """SI unit of a column by its name; of joints, that of revolute ones."""
    stem = name.partition(".")[0]
    if stem == "base":
        last = name.partition(".")[2]
        return "rad" if last == "angle" else "m" if last in ("x", "y", "z") else "1"
    if stem in VECTORS:
        return VECTORS[stem].unit
    return {
        "time": "s",
        "joint": "rad",
        "joint_rate": "rad/s",
        "joint_torque": "N m",
        "tool_force": "N",
    }.get(stem, "m")


Table = tuple[dict[str, np.ndarray], dict[str, Any]]
"""Numbers, and what the file says of their units, by name."""


def _modern(data: bytes, impact: Decimal | None) -> Table:
    import h5netcdf

    # Numbers in HDF5 as other programs write them have no named dimensions; they need none.
    with h5netcdf.File(io.BytesIO(data), "r", phony_dims="access") as file:
        found = {name: dict(variable.attrs) for name, variable in file.variables.items()}
        values = {name: np.asarray(variable[...]) for name, variable in file.variables.items()}
    return _table(values, found, impact)


def _classic(data: bytes, impact: Decimal | None) -> Table:
    from scipy.io import netcdf_file

    with netcdf_file(io.BytesIO(data), "r", mmap=False) as file:
        found = {name: dict(variable._attributes) for name, variable in file.variables.items()}
        values = {name: np.array(variable[...]) for name, variable in file.variables.items()}
    return _table(values, found, impact)


def _table(
    values: Mapping[str, np.ndarray],
    attributes: Mapping[str, Mapping[str, Any]],
    impact: Decimal | None,
) -> Table:
    table = {name: _filled(own, attributes[name]) for name, own in values.items()}
    if impact is not None and "time" in table:
        table["time"] = _times_since(values["time"], table["time"], attributes["time"], impact)
    return table, {name: own["units"] for name, own in attributes.items() if "units" in own}


_SPELLINGS = {
    "s": {"s", "second", "seconds", "sec"},
    "m": {"m", "meter", "metre", "meters", "metres"},
    "rad": {"rad", "radian", "radians"},
    "rad/s": {"rad/s", "rad s-1", "radian/second"},
    "N m": {"N m", "N.m", "N*m", "Nm"},
    "N": {"N", "newton", "newtons"},
    "m/s": {"m/s", "m s-1"},
    "1": {"1", ""},
}
_SLIDING = {"rad": "m", "rad/s": "m/s", "N m": "N"}
"""Units of joints that slide, by those of joints that turn."""


def _refuse_units(units: Mapping[str, Any], file: str) -> None:
    """Numbers in other units would be taken for SI; without a word of units they are SI."""
    for name, given in units.items():
        text = given.decode(errors="replace") if isinstance(given, bytes) else str(given)
        wanted = [unit_of(name)]
        if name.startswith("joint"):
            wanted += [_SLIDING[wanted[0]]]
        if not any(text.strip() in _SPELLINGS[unit] for unit in wanted):
            raise ModelError(
                f"{file}: {name} has the unit {text!r}; it must be in {' or '.join(wanted)}"
            )


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


def _times_since(
    values: np.ndarray, found: np.ndarray, attributes: Mapping[str, Any], impact: Decimal
) -> np.ndarray:
    """Seconds since the impact, taken of the numbers as they stand in the file (n,).

    `found` are the same as floats, NaN where the file has its fill value.
    """
    if values.dtype.kind not in "fiu" or values.ndim != 1:
        return found
    scale, offset = (
        Decimal(repr(float(np.asarray(attributes.get(key, default)).ravel()[0])))
        for key, default in (("scale_factor", 1.0), ("add_offset", 0.0))
    )
    return np.array(
        [
            since(Decimal(own) * scale + offset, impact) if np.isfinite(number) else np.nan
            for own, number in zip(values.tolist(), found.tolist(), strict=True)
        ]
    )
