"""Measurements from files and to files: `measured.csv`, or netCDF with the same names."""

from __future__ import annotations

from pathlib import Path

from percuss.identification.data.impact_clock import ImpactAt, impact_time
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.measured_csv import csv_text, parse_csv
from percuss.identification.data.measured_netcdf import is_netcdf, netcdf_data, parse_netcdf
from percuss.identification.data.reading import read_bytes
from percuss.io import write_file
from percuss.model.errors import ModelError
from percuss.model.systems import System

__all__ = ["MOST_BYTES", "Measured", "read_measured", "write_measured"]

MOST_BYTES = 100_000_000
"""Of a file with measurements: an hour of thirty channels at 100 Hz, as numbers of 9 digits."""


def read_measured(
    path: str | Path,
    chaser: System | None = None,
    *,
    impact_at: ImpactAt | None = None,
    robust: bool = False,
) -> Measured:
    """Measurements in a CSV or netCDF file; ModelError names file, line, column and value.

    Args:
        chaser: what was measured on; a column that it cannot have is refused, and joints come
            by their own names.
        impact_at: when the impact was by the clock of the file (s), where that does not begin
            with it: Unix time, say. It is subtracted from the digits that stand in the file, so
            that nothing is lost, and rows before the impact are left out. Text, or a `Decimal`,
            keeps every digit.
        robust: True leaves out attitudes that are no unit quaternions, up to a tenth of them,
            instead of refusing the file.
    """
    data = read_bytes(path, "measurements (CSV or netCDF)", MOST_BYTES)
    parse = parse_netcdf if is_netcdf(data) else parse_csv
    impact = None if impact_at is None else impact_time(impact_at)
    found = parse(data, str(path), impact, robust=robust)
    if chaser is None:
        return found
    try:
        return found.of(chaser)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def write_measured(measured: Measured, path: str | Path) -> Path:
    """Write measurements: netCDF where the name ends in .nc, CSV otherwise; whole or not at all."""
    place = Path(path)
    content = netcdf_data(measured) if place.suffix == ".nc" else csv_text(measured)
    return write_file(place, content)
