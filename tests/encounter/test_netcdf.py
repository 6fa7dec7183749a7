"""The netCDF file of a result, as other libraries read and write it."""

from __future__ import annotations

import io
from dataclasses import replace

import h5netcdf
import h5py
import numpy as np
import xarray

import percuss
from percuss.encounter.record import Record, Variable
from tests.encounter.scenes import SPATIAL, scene


def small(joints: tuple[str, ...] = ("Gelenk α", "b")) -> Record:
    """Three times of something with named joints."""
    values = np.arange(3.0 * len(joints)).reshape(3, len(joints))
    variables = {
        "time": Variable(
            dimensions=("time",),
            values=np.array([0.0, 0.5, 2.0]),
            units="s",
            frame="since the start",
            title="time",
        ),
        "rates": Variable(
            dimensions=("time", "joint"),
            values=values,
            units="rad/s",
            frame="none",
            title="Raten der Gelenke",
        ),
        "phase": Variable(
            dimensions=("time",),
            values=np.array([0, 1, 1], np.int8),
            units="1",
            frame="none",
            title="phase",
        ),
    }
    return Record(
        labels={"joint": joints},
        variables=variables,
        attributes={"seed": "0", "scenario": "ω: 1\n"},
        tracks=(),
        planar=False,
    )


def test_what_xarray_reads_is_the_record() -> None:
    for record in (small(), percuss.run(scene(SPATIAL, duration=1.0)).record):
        with xarray.open_dataset(io.BytesIO(record.netcdf()), engine="h5netcdf") as read:
            assert read.identical(record.dataset())
            assert list(read.data_vars) == list(record.dataset().data_vars)


def test_the_same_as_what_xarray_writes() -> None:
    record = small()
    buffer = io.BytesIO()
    record.dataset().to_netcdf(buffer, engine="h5netcdf")
    with (
        xarray.open_dataset(io.BytesIO(record.netcdf()), engine="h5netcdf") as ours,
        xarray.open_dataset(io.BytesIO(buffer.getvalue()), engine="h5netcdf") as theirs,
    ):
        assert ours.identical(theirs)
        assert {name: v.dtype for name, v in ours.variables.items()} == {
            name: v.dtype for name, v in theirs.variables.items()
        }


def test_dimensions_are_marked_as_netcdf_marks_them() -> None:
    """A netCDF library finds dimensions by their scales and numbers."""
    record = small()
    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.dimensions = {"time": 3, "joint": 2}
        file.create_variable("joint", ("joint",), h5py.string_dtype())
        for name, variable in record.variables.items():
            file.create_variable(name, variable.dimensions, variable.values.dtype)
    with (
        h5py.File(io.BytesIO(record.netcdf())) as ours,
        h5py.File(io.BytesIO(buffer.getvalue())) as theirs,
    ):
        assert list(ours) == list(theirs)
        for name in theirs:
            assert set(theirs[name].attrs) <= set(ours[name].attrs), name
            for key in ("CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates"):
                expected = str(theirs[name].attrs.get(key))
                assert str(ours[name].attrs.get(key)) == expected, (name, key)


def test_nothing_moves() -> None:
    record = small(joints=())
    with xarray.open_dataset(io.BytesIO(record.netcdf()), engine="h5netcdf") as read:
        assert dict(read.sizes) == {"time": 3, "joint": 0}
        assert read["rates"].shape == (3, 0)
        np.testing.assert_array_equal(read["phase"], record["phase"])


def test_a_file_does_not_depend_on_what_else_is_kept() -> None:
    assert small().netcdf() == replace(small(), planar=True).netcdf()
