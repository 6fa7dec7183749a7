"""Whether the numbers of a run can be: finite, conserved, and whole."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

FILES = {"summary.json", "result.nc", "report.html"}

OPEN = 1e-4
"""Share of energy or momentum by which a balance may be open without a word. Runs promise 1e-7
(1e3 times the relative tolerance, or 1e-6 with fixed steps) and warn beyond; sizes here are those
of the totals that are on record, which are smaller than those of the parts where parts cancel."""

GAIN = 1e-9
"""Share by which rounding may raise the energy in an impact."""


def not_finite(value: Any, path: str = "") -> str:
    """Where in plain data a number is NaN or infinite; nothing where none is."""
    if isinstance(value, dict):
        return next(filter(None, (not_finite(v, f"{path}.{k}") for k, v in value.items())), "")
    if isinstance(value, list):
        return next(filter(None, (not_finite(v, f"{path}[]") for v in value)), "")
    return path.lstrip(".") if isinstance(value, float) and not math.isfinite(value) else ""


def nonsense_in_run(folder: Path) -> str:
    """What cannot be in a result folder; nothing where all is as promised."""
    missing = FILES - {path.name for path in folder.iterdir()} if folder.is_dir() else FILES
    if missing:
        return f"status 0 without {', '.join(sorted(missing))}"
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    odd = not_finite(summary)
    if odd:
        return f"{odd} is not finite"
    return _impacts(summary) or _record(folder / "result.nc", summary)


def _impacts(summary: dict[str, Any]) -> str:
    """Energy that appears, or momentum that goes, in an impact without a word about it."""
    if summary["closure"] == "pulse":
        return ""  # a force from outside brings energy
    said = " ".join([*summary["warnings"], *summary["verdict"]])
    for impact in summary["impacts"]:
        before, after = impact["energy"]["before"], impact["energy"]["after"]
        if after > before * (1 + GAIN) + 1e-300 and "energy" not in said:
            return "energy appears in an impact"
        if summary["mode"] == "fixed" or summary["closure"] == "published":
            continue
        for name in ("linear_momentum", "angular_momentum"):
            old, new = (np.atleast_1d(impact[name][key]) for key in ("before", "after"))
            size = math.sqrt(2 * before * 1e3) + float(np.linalg.norm(old))
            if np.linalg.norm(new - old) > OPEN * size and name.replace("_", " ") not in said:
                return f"{name} is lost in an impact"
    return ""


def _record(path: Path, summary: dict[str, Any]) -> str:
    import h5netcdf

    with h5netcdf.File(path, "r") as file:
        values = {
            name: np.asarray(variable[...])
            for name, variable in file.variables.items()
            if np.dtype(variable.dtype).kind == "f"
        }
    for name, array in values.items():
        if np.isinf(array).any():
            return f"{name} on record is infinite"
    drift = any("drift" in text for text in summary["warnings"])
    if drift or summary["closure"] == "published":
        return ""
    balance = summary["balance"]
    for name in ("energy", "linear_momentum", "angular_momentum"):
        if name not in values or balance[name] is None:
            continue
        array = np.nan_to_num(values[name])
        size = float(np.abs(array).max(initial=0.0)) + float(
            np.abs(array - array[:1]).max(initial=0.0)
        )
        if balance[name] > OPEN * size and balance[name] > _smallest(name, values):
            return f"the balance of {name} is open and nothing says so"
    return ""


def _smallest(name: str, values: dict[str, np.ndarray]) -> float:
    """What rounding leaves of momenta that cancel: judged beside the energy on record."""
    energy = float(np.abs(np.nan_to_num(values["energy"])).max(initial=0.0))
    return OPEN * (energy if name == "energy" else math.sqrt(energy * 1e3) + energy)
