"""Times by a clock that does not begin with the impact."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.identification.data.impact_clock import since
from percuss.identification.data.measured import read_measured
from percuss.model.errors import ModelError


@given(st.integers(0, 2 * 10**18), st.integers(0, 10**12))
def test_nothing_is_lost_of_nanoseconds_since_1970(impact: int, after: int) -> None:
    def seconds(nanoseconds: int) -> str:
        return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09d}"

    found = since(seconds(impact + after), Decimal(seconds(impact)))
    assert found == float(seconds(after))


def test_unix_times_of_a_file(tmp_path: Path) -> None:
    place = tmp_path / "m.csv"
    rows = [("1699999999.999999999", 9), ("1700000000.123456789", 1), ("1700000000.123456889", 2)]
    place.write_text("time,joint.1\n" + "".join(f"{t},{x}\n" for t, x in rows))
    found = read_measured(place, impact_at="1700000000.123456689")
    assert found.time.tolist() == [1e-7, 2e-7]
    assert found.columns["joint.1"].tolist() == [1.0, 2.0]
    assert "1 row is before the impact" in found.notes[0]
    with pytest.raises(ModelError, match=r"every row is before the impact at 1800000000\.0 s"):
        read_measured(place, impact_at=1.8e9)
    for wrong in ("soon", "nan", "inf", "", "1e400x"):
        with pytest.raises(ModelError, match="must be a finite number of seconds"):
            read_measured(place, impact_at=wrong)


def test_netcdf_keeps_its_own_numbers(tmp_path: Path) -> None:
    """Whole nanoseconds with a scale: more digits than a float has."""
    import h5netcdf

    place = tmp_path / "m.nc"
    with h5netcdf.File(place, "w") as file:
        file.dimensions = {"time": 3}
        time = file.create_variable("time", ("time",), dtype="i8")
        time[...] = 1_700_000_000_000_000_000 + np.array([-5, 10, 30])
        time.attrs["scale_factor"] = 1e-9
        time.attrs["units"] = "s"
        file.create_variable("joint.1", ("time",), dtype=float)[...] = [1.0, 2.0, 3.0]
    found = read_measured(place, impact_at=1_700_000_000)
    assert found.time.tolist() == [1e-8, 3e-8]
    assert found.columns["joint.1"].tolist() == [2.0, 3.0]
