"""Odd measurements: tables as CSV, netCDF-4 (HDF5) and classic netCDF."""

from __future__ import annotations

import io
import math
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.texts import damaged_bytes, damaged_text, encoded
from tests.fuzz.values import hostile_number, hostile_text, shifted

Table = dict[str, list[Any]]
"""Columns by name."""

_NAMES = ("time", "joint.1", "joint.3", "joint_rate.1", "base.x", "base.angle", "base.qw", "gyro.z",
          "gyro.x", "tool_force.x", "marker.A.x", "joint_torque.2", "foo", "")  # fmt: skip


def read_table(text: str, rows: int) -> Table:
    """The first rows of a CSV text."""
    header, *lines = text.split("\n")[: rows + 1]
    cells = [line.split(",") for line in lines if line]
    return {
        name: [float(row[k]) if row[k] else math.nan for row in cells]
        for k, name in enumerate(header.split(","))
    }


def odd_table(table: Table, rng: Random) -> Table:
    """The table as a sensor, a script or a person in a hurry would leave it."""
    table = {name: list(values) for name, values in table.items()}
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(sorted(table))
        values = table[name]
        n = len(values)
        if not n:
            return table
        k = rng.randrange(n)
        match rng.randrange(13):
            case 0:
                values[k] = hostile_number(rng, values[k] if isinstance(values[k], float) else None)
            case 1:
                factor = rng.choice((57.29578, 1e3, 1e-3, -1.0, 0.0, 1e6))
                table[name] = [v * factor if isinstance(v, float) else v for v in values]
            case 2:
                more = rng.choice((1.7e9, -5.0, 1e-9, 100.0))
                table["time"] = [_plus(t, more) for t in table.get("time", values)]
            case 3:
                values[k:] = [math.nan] * (n - k)
            case 4:
                del table[name]
                if not table:
                    return {"time": [0.0]}
            case 5:
                table[rng.choice(_NAMES)] = table.pop(name)
            case 6:
                rows = rng.choice((0, 1, 2, 3, n))
                table = {own: column[:rows] for own, column in table.items()}
            case 7:
                table = {own: [*column[: k + 1], *column[k:]] for own, column in table.items()}
            case 8:
                order = list(range(n))
                rng.shuffle(order)
                table = {
                    own: [column[i] for i in order if i < len(column)]
                    for own, column in table.items()
                }
            case 9:
                values[k] = hostile_text(rng)
            case 10:
                table[name] = [values[0]] * n
            case 11:
                table[name] = [shifted(rng, v) if isinstance(v, float) else v for v in values]
            case _:
                table = {own: column[:: rng.choice((2, 5, -1))] for own, column in table.items()}
    return table


def _plus(value: Any, more: float) -> Any:
    return value + more if isinstance(value, float) else value


def as_csv(table: Table, rng: Random) -> bytes:
    """The table as CSV, with another separator or line end now and then, or damaged."""
    mark = rng.choice((",",) * 8 + (";", "\t", ", "))
    end = rng.choice(("\n",) * 6 + ("\r\n", "\r"))
    rows = [list(table), *map(list, zip(*table.values(), strict=False))]
    text = end.join(mark.join(_cell(value) for value in row) for row in rows) + end
    if rng.random() < 0.2:
        text = damaged_text(text, rng, [text])
    data = encoded(text)
    return damaged_bytes(data, rng) if rng.random() < 0.1 else data


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def as_netcdf(table: Table, rng: Random) -> bytes:
    """The table as netCDF-4, damaged now and then."""
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.dimensions = {"time": max(map(len, table.values())) or 1}
        for name, values in table.items():
            if not name or "/" in name or not name.isprintable():
                continue
            array = np.array([_number(value) for value in values], float)
            kind = rng.choice(("f8",) * 8 + ("f4", "i4"))
            made = file.create_variable(name, ("time",), dtype=kind)
            if len(array) and kind != "i4":
                with np.errstate(all="ignore"):
                    made[: len(array)] = array
            if rng.random() < 0.1:
                key, value = _attribute(rng)
                made.attrs[key] = value
    data = buffer.getvalue()
    return damaged_bytes(data, rng) if rng.random() < 0.3 else data


def _attribute(rng: Random) -> tuple[str, Any]:
    key = rng.choice(("units", "scale_factor", "add_offset", "missing_value", "comment"))
    return key, rng.choice((1.0, 0.0, "deg", "rad", "", math.nan, 1e300, [1.0, 2.0], 0, "\x1b[1m"))


def as_hdf5(table: Table, rng: Random) -> bytes:
    """The table as HDF5 that is not quite netCDF, or damaged."""
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for name, values in table.items():
            if name and "/" not in name and "\0" not in name:
                _put(file, encoded(name), _array(values, rng), rng)
        match rng.randrange(14):
            case 0:
                file["soft"] = h5py.SoftLink("/time")
            case 1:
                file["outer"] = h5py.ExternalLink("other.h5", "/time")
            case 2:
                file.create_group("inner").create_dataset("time", data=[1.0])
            case 3:
                file.create_dataset("huge", shape=(10**9,), dtype="f8", chunks=(1000,))
            case 4:
                file.attrs["title"] = "x" * rng.choice((10, 60_000))
            case 5:
                file.create_dataset("texts", data=["a", "b"], dtype=h5py.string_dtype())
            case 6:
                file.create_dataset("compound", data=np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]))
            case _:
                pass
    data = buffer.getvalue()
    return damaged_bytes(data, rng) if rng.random() < 0.4 else data


def _array(values: list[Any], rng: Random) -> np.ndarray:
    numbers = [_number(value) for value in values]
    array = np.array(numbers, float)
    match rng.randrange(12):
        case 0:
            with np.errstate(all="ignore"):
                return array.astype("f4")
        case 1:
            return np.nan_to_num(array).clip(-1e9, 1e9).astype(rng.choice(("i4", "u1", "i8", "?")))
        case 2:
            return array.astype("c16")
        case 3:
            return np.tile(array, (2, 1))
        case 4:
            return array[:0]
        case 5:
            with np.errstate(all="ignore"):
                return array.astype("f2")
        case _:
            return array


def _number(value: Any) -> float:
    if isinstance(value, str):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _put(file: Any, name: bytes, array: np.ndarray, rng: Random) -> None:
    options: dict[str, Any] = {}
    if array.size and rng.random() < 0.1:
        options = {"chunks": True, "compression": rng.choice(("gzip", "lzf"))}
    with np.errstate(all="ignore"):
        made = file.create_dataset(name, data=array, **options)
    if rng.random() < 0.3:
        key, value = _attribute(rng)
        made.attrs[rng.choice((key, key, "_FillValue"))] = rng.choice((value, value, b"\xff", []))


def as_classic(table: Table, rng: Random) -> bytes:
    """The table as classic netCDF, damaged now and then."""
    from scipy.io import netcdf_file

    buffer = io.BytesIO()
    file = netcdf_file(buffer, "w")
    file.createDimension("time", max(map(len, table.values())) or 1)
    for name, values in table.items():
        if not name.isidentifier() and "." not in name:
            continue
        array = np.array([_number(value) for value in values], float)
        made = file.createVariable(name.encode("ascii", "replace").decode(), "d", ("time",))
        made[: len(array)] = array
        if rng.random() < 0.2:
            made.units = rng.choice(("deg", "rad", "s", "m", ""))
    file.flush()
    data = buffer.getvalue()
    return damaged_bytes(data, rng) if rng.random() < 0.5 else data
