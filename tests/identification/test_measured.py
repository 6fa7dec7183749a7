"""Measurements in files: what comes back, and what is refused."""

from __future__ import annotations

import io
import pickle
import random
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.identification.data.measured import Measured, read_measured, write_measured
from percuss.identification.data.measured_csv import csv_text, parse_csv
from percuss.identification.data.measured_netcdf import netcdf_data, parse_netcdf
from percuss.model.errors import ModelError

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PLANAR = percuss.load(SCENARIOS / "thesis-1.yaml").start.chaser
SPATIAL = percuss.load(SCENARIOS / "pin-3d.yaml").start.chaser
NAMES = ("joint.1", "joint_rate.joint2", "base.x", "gyro.z", "tool_force.y", "marker.a.b.x")


@st.composite
def records(draw: st.DrawFn) -> Measured:
    """Any measurements: numbers of all sizes, samples missing."""
    count = draw(st.integers(1, 12))
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    step = st.floats(1e-6, 1e3)
    times = np.cumsum([draw(step) for _ in range(count)])
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    entries = st.one_of(numbers, st.just(float("nan")))
    columns = {name: np.array([draw(entries) for _ in range(count)]) for name in chosen}
    return Measured(times, columns)


@settings(max_examples=60, deadline=None)
@given(records())
def test_files_give_back_every_digit(record: Measured) -> None:
    for found in (
        parse_csv(csv_text(record).encode(), "m.csv"),
        parse_netcdf(netcdf_data(record), "m.nc"),
        pickle.loads(pickle.dumps(record)),
    ):
        assert found.names == record.names
        np.testing.assert_array_equal(found.time, record.time)
        for name in record.names:
            np.testing.assert_array_equal(found.columns[name], record.columns[name], name)


@pytest.mark.parametrize("suffix", [".csv", ".nc"])
def test_a_file_is_read_by_its_content(tmp_path: Path, suffix: str) -> None:
    record = Measured(np.array([0.1, 0.2]), {"joint.1": np.array([1.0, np.nan])})
    place = write_measured(record, tmp_path / "new" / f"record{suffix}")
    moved = place.rename(tmp_path / "record.txt")
    found = read_measured(moved, PLANAR)
    assert found.names == ("joint.joint1",), "joints come by their own names"
    assert found.samples == 1


GOOD = "time,joint.1,base.x\n0.1,1,2\n0.2,,3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("time,joint.1\n", "no rows"),
        ("joint.1,base.x\n1,2\n", "no column 'time'"),
        ("Time,joint.1\n1,2\n", "Did you mean 'Time'"),
        ("time\n1\n", "nothing was measured"),
        ("time,jiont.1\n1,2\n", "Did you mean 'joint.1'"),
        ("time,base.q\n1,2\n", "unknown column 'base.q'"),
        ("time,joint.1,joint.1\n1,2,3\n", "two columns 'joint.1'"),
        ("time;joint.1\n1;2\n", "separated by commas, not by semicolons"),
        ("time,joint.1\n0.1,1\n0.2,one\n", "line 3: joint.1 must be a finite number"),
        ("time,joint.1\n0.1,1\n0.2,nan\n", "got 'nan'"),
        ("time,joint.1\n0.1,1\n0.2,-inf\n", "line 3: joint.1 must be a finite number"),
        ("time,joint.1\n0.1,1\n0.2,1e999\n", "got '1e999'"),
        ("time,joint.1\n0.1,1_0\n", "got '1_0'"),
        ("time,joint.1\n0.1,1\n\n0.05,1\n", "line 4: time must increase"),
        ("time,joint.1\n0.1,1\n0.1,1\n", "line 3: time must increase"),
        ("time,joint.1\n-0.1,1\n", "counted from the impact"),
        ("time,joint.1\n,1\n", "line 2: time is blank"),
        ("time,joint.1,base.x\n0.1,1,2\n0.2,1", "ends in the middle of the row"),
        ("time,joint.1,base.x\n0.1,1\n0.2,1,2\n", "line 2: has 2 entries, the header has 3"),
        ("time,joint.1\n0.1,1,5\n", "has 3 entries, the header has 2"),
        ('time,joint.1\n0.1,"1\n', "line 2: not a row of CSV"),
        ("time,joint.1\n0.1,\0\n", "zero byte"),
        ("time,base.qw,base.qx,base.qy\n0.1,1,0,0\n", "base.qz missing"),
        ("time,base.qw,base.qx,base.qy,base.qz\n0.1,1,,0,0\n", "3 of four entries"),
        ("time,base.qw,base.qx,base.qy,base.qz\n0.1,1,0.1,0,0\n", "of length 1.00499"),
    ],
)
def test_errors_say_where_and_what(tmp_path: Path, text: str, told: str) -> None:
    place = tmp_path / "measured.csv"
    place.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_measured(place)
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(place))


def test_other_encodings_are_named(tmp_path: Path) -> None:
    place = tmp_path / "measured.csv"
    for data, told in (
        (GOOD.encode("utf-16"), "UTF-16"),
        (GOOD.replace("base.x", "marker.é.x").encode("latin-1"), "line 1: not text in UTF-8"),
    ):
        place.write_bytes(data)
        with pytest.raises(ModelError, match=told):
            read_measured(place)
    place.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_measured(place).names == ("joint.1", "base.x"), "a byte order mark and CRLF"
    with pytest.raises(ModelError, match="there is no such file"):
        read_measured(tmp_path / "nothing.csv")
    with pytest.raises(ModelError, match="is a folder"):
        read_measured(tmp_path)


def test_columns_that_the_chaser_cannot_have(tmp_path: Path) -> None:
    place = tmp_path / "measured.csv"
    for name, chaser, told in (
        ("joint.3", PLANAR, "numbers from 1 to 2"),
        ("joint.shoulder", PLANAR, "there is no joint 'shoulder'"),
        ("gyro.x", PLANAR, "in the plane"),
        ("base.z", PLANAR, "in the plane"),
        ("base.angle", SPATIAL, "of a spatial chaser"),
    ):
        place.write_text(f"time,{name}\n0.1,1\n")
        with pytest.raises(ModelError, match=told):
            read_measured(place, chaser)
    place.write_text("time,joint.1,joint.joint1\n0.1,1,1\n")
    with pytest.raises(ModelError, match="measured twice"):
        read_measured(place, PLANAR)


def test_a_file_without_a_last_line_break_is_read_with_a_note(tmp_path: Path) -> None:
    place = tmp_path / "measured.csv"
    place.write_text(GOOD.rstrip("\n"))
    assert "line break" in read_measured(place).notes[0]
    place.write_text(GOOD)
    assert read_measured(place).notes == ()


def test_netcdf_that_is_none_or_lacks_something(tmp_path: Path) -> None:
    whole = netcdf_data(Measured(np.array([0.1, 0.2]), {"joint.1": np.array([1.0, 2.0])}))
    for data in (whole[:200], b"CDF\x01", b"\x89HDF\r\n\x1a\n" + bytes(100)):
        (tmp_path / "m.nc").write_bytes(data)
        with pytest.raises(ModelError, match=r"m.nc: cannot be read as netCDF: it is damaged"):
            read_measured(tmp_path / "m.nc")


def test_units_that_are_no_text_are_refused(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "m.h5", "w") as file:
        file["time"] = [0.1, 0.2]
        file["time"].attrs["units"] = np.bytes_(b"\xff")
        file["joint.1"] = [1.0, 2.0]
    with pytest.raises(ModelError, match=r"time has the unit .*; it must be in s"):
        read_measured(tmp_path / "m.h5")


def test_hdf5_without_named_dimensions_is_read(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "m.h5", "w") as file:
        file["time"] = [0.1, 0.2]
        file["joint.1"] = [1.0, 2.0]
    found = read_measured(tmp_path / "m.h5")
    assert found.columns["joint.1"].tolist() == [1.0, 2.0]
    with h5py.File(tmp_path / "m.h5", "a") as file:
        file["joint.2"] = [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ModelError, match=r"joint.2 must hold numbers over time"):
        read_measured(tmp_path / "m.h5")


def test_classic_netcdf_with_fill_values(tmp_path: Path) -> None:
    from scipy.io import netcdf_file

    with netcdf_file(tmp_path / "m.nc", "w") as file:
        file.createDimension("time", 3)
        for name, values in (("time", [0.1, 0.2, 0.3]), ("joint.1", [1.0, -999.0, 2.0])):
            variable = file.createVariable(name, "f8", ("time",))
            variable[:] = values
        file.variables["joint.1"]._FillValue = -999.0
    found = read_measured(tmp_path / "m.nc")
    np.testing.assert_array_equal(found.columns["joint.1"], [1.0, np.nan, 2.0])


def _refusal(place: Path) -> str | None:
    """What is said of a file that is no good."""
    try:
        read_measured(place)
    except ModelError as error:
        return str(error)
    return None


def test_damaged_files_never_crash(tmp_path: Path) -> None:
    """Bytes changed, cut and doubled at random: measurements, or an error that names the file."""
    rng = random.Random(5)
    record = Measured(np.arange(1, 9) / 10, {"joint.1": np.arange(8.0), "base.x": np.ones(8)})
    place = tmp_path / "m"
    for data in (csv_text(record).encode(), netcdf_data(record)):
        for _ in range(150):
            broken = bytearray(data)
            for _ in range(rng.randint(1, 4)):
                broken[rng.randrange(len(broken))] = rng.randrange(256)
            place.write_bytes(bytes(broken[: rng.randint(1, len(broken))]))
            told = _refusal(place)
            assert told is None or str(place) in told


def test_a_million_rows(tmp_path: Path) -> None:
    count = 1_000_000
    out = io.StringIO()
    out.write("time,joint.1,base.x\n")
    out.writelines(f"{k / 1000},{k % 7}.25,\n" for k in range(1, count + 1))
    (tmp_path / "m.csv").write_text(out.getvalue())
    began = time.process_time()
    found = read_measured(tmp_path / "m.csv")
    assert time.process_time() - began < 20
    assert (len(found.time), found.samples) == (count, count)
    assert found.columns["joint.1"][-1] == count % 7 + 0.25


def test_a_record_does_not_change() -> None:
    record = Measured(np.array([0.1]), {"joint.1": np.array([1.0])})
    with pytest.raises(ValueError, match="read-only"):
        record.columns["joint.1"][0] = 2.0
    with pytest.raises(ModelError, match="must have 1 samples"):
        Measured(np.array([0.1]), {"joint.1": np.array([1.0, 2.0])})
    with pytest.raises(ModelError, match="at least one column"):
        Measured(np.array([0.1]), {})
    assert record.until(0.1).samples == 1


@pytest.mark.parametrize(
    ("name", "unit", "right"),
    [("time", "ms", "s"), ("base.x", "mm", "m"), ("joint.1", "deg", "rad")],
)
def test_numbers_in_other_units_are_refused(
    tmp_path: Path, name: str, unit: str, right: str
) -> None:
    from scipy.io import netcdf_file

    with netcdf_file(tmp_path / "m.nc", "w") as file:
        file.createDimension("time", 2)
        for column in ("time", "base.x", "joint.1"):
            variable = file.createVariable(column, "d", ("time",))
            variable[:] = [1.0, 2.0]
            if column == name:
                variable.units = unit
    with pytest.raises(ModelError, match=f"{name} has the unit '{unit}'; it must be in {right}"):
        read_measured(tmp_path / "m.nc")
