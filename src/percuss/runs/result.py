"""What a run gives back: numbers, and ways to show and keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from percuss.encounter.errors import shown
from percuss.encounter.record import Record
from percuss.encounter.records import EncounterResult
from percuss.io import write_file, write_folder
from percuss.report import page
from percuss.report.judgement import headline
from percuss.runs.files import netcdf
from percuss.runs.summary import summary_of, summary_text


@dataclass(frozen=True)
class Result:
    """The outcome of a run.

    Attributes:
        scenario_text: the scenario as it was run, overrides included.
        encounter: what became of the encounter, as records.
        record: the history, variable by variable.
    """

    scenario_text: str
    encounter: EncounterResult
    record: Record

    def __repr__(self) -> str:
        """Name, how it ended, impulse, energy and what the balances leave open."""
        found, line = self.encounter, headline(self.encounter)
        parts = [line] if line.startswith(found.status) else [found.status, line]
        balance = found.balance
        left = [
            f"{residual:.0e} {unit}"
            for residual, unit in (
                (balance.energy, "J"),
                (balance.linear_momentum, "N s"),
                (balance.angular_momentum, "N m s"),
            )
            if residual is not None
        ]
        if left:
            parts.append(f"out of balance by {', '.join(left)}")
        return f"<Result {shown(found.name)}: {'; '.join(parts)}>"

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The encounter as plain data, as in `summary.json`."""
        return summary_of(self.encounter)

    @cached_property
    def data(self) -> Any:
        """The history as an xarray dataset; the same as in `result.nc`."""
        return self.record.dataset()

    def plot(self) -> Any:
        """An overview as a matplotlib figure."""
        from percuss.report import plot

        return plot(self.record, self.encounter)

    def report(self, path: str | Path) -> Path:
        """Write the report: one page that needs nothing else, with figures and an animation."""
        return write_file(path, self.page())

    def page(self) -> str:
        """The report as HTML."""
        return page(self.record, self.encounter, self.scenario_text)

    def save(self, folder: str | Path, also: Mapping[str, str | bytes] | None = None) -> Path:
        """Write summary.json, result.nc and report.html; the folder appears whole or not at all.

        `also` holds further files by name.
        """
        files: dict[str, str | bytes] = {
            "summary.json": summary_text(self.encounter),
            "result.nc": netcdf(self.record),
            "report.html": self.page(),
            **(also or {}),
        }
        return write_folder(folder, files)
