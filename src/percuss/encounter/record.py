"""What a run leaves behind: named, united variables over time, and the bodies that moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.io.netcdf import NetcdfVariable, netcdf_bytes
from percuss.model.bodies import Visual

LABELS = {"units": "1", "frame": "none", "long_name": "names of the entries"}
"""Attributes of the labels of a dimension."""


@dataclass(frozen=True)
class Variable:
    """Values over named dimensions, with what a reader must know to use them.

    `units` are SI; a variable whose entries differ has one unit per entry of its last
    dimension, joined by commas. `frame` says in which axes, and about which point.
    """

    dimensions: tuple[str, ...]
    values: np.ndarray
    units: str
    frame: str
    title: str

    @property
    def attributes(self) -> dict[str, str]:
        """What files say of the variable besides its values."""
        return {"units": self.units, "frame": self.frame, "long_name": self.title}


@dataclass(frozen=True)
class Track:
    """A body on its way: `positions` (time, 3) in m and `quaternions` (time, 4), world ← body."""

    name: str
    owner: str
    """"chaser" or "target"."""
    visuals: tuple[Visual, ...]
    positions: np.ndarray
    quaternions: np.ndarray


@dataclass(frozen=True)
class Record:
    """The history of one run.

    `labels` name the entries of each dimension but `time`; `variables` are those of the
    result file; `attributes` hold the scenario text, version and hash; `tracks` let a viewer
    draw the bodies at the times of `variables["time"]`.
    """

    labels: Mapping[str, tuple[str, ...]]
    variables: Mapping[str, Variable]
    attributes: Mapping[str, str]
    tracks: tuple[Track, ...]
    planar: bool

    def __repr__(self) -> str:
        return (
            f"<Record of {len(self.time)} times to {self.time[-1]:g} s: "
            f"{len(self.variables)} variables, {len(self.tracks)} bodies>"
        )

    @property
    def time(self) -> np.ndarray:
        """Times since the start of the run (s), shape (time,), strictly increasing."""
        return self.variables["time"].values

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a variable."""
        return self.variables[name].values

    def dataset(self) -> Any:
        """The record as an xarray dataset."""
        import xarray

        coordinates: dict[str, Any] = {
            name: (name, list(values), LABELS) for name, values in self.labels.items()
        }
        data = {
            name: (variable.dimensions, variable.values, variable.attributes)
            for name, variable in self.variables.items()
        }
        coordinates["time"] = data.pop("time")
        return xarray.Dataset(data, coordinates, dict(self.attributes))

    def netcdf(self) -> bytes:
        """The record as a netCDF-4 file: `result.nc`."""
        labels = {
            name: NetcdfVariable((name,), np.array(values, dtype=object), LABELS)
            for name, values in self.labels.items()
        }
        variables = {
            name: NetcdfVariable(variable.dimensions, variable.values, variable.attributes)
            for name, variable in self.variables.items()
        }
        return netcdf_bytes({**labels, **variables}, self.attributes, ("time", *self.labels))
