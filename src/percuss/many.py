"""Many cases of an encounter or a scenario, from values by name to a dataset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.asked import Asked
from percuss.encounter.ensemble.dataset import dataset_of
from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.slopes import check_names, slopes_of
from percuss.encounter.ensemble.vary import MANY_FOR_A_GPU, Variation, Varied, known_names
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.number import Numbered
from percuss.encounter.numbers import EncounterNumbers
from percuss.kernel.backends import cuda
from percuss.kernel.rollouts.methods import Method
from percuss.scenario import Scenario
from percuss.scenario.numbers import ScenarioNumbers
from percuss.scenario.units import UnitError, in_words, parse_unit

__all__ = ["numbers_of"]

WHERE = ("auto", "cores", "gpu")


def simulate_many(
    encounter: Encounter | Scenario,
    vary: Mapping[str, Any],
    *,
    knows: str | Collection[str] = "nominal",
    ask: Collection[str] | None = None,
    signals: Sequence[str] = (),
    times: Any = None,
    derivatives: Sequence[str] = (),
    on: str = "auto",
    threads: int | None = None,
    method: Method | None = None,
    progress: Callable[[float], None] | None = None,
    allow_code: bool = False,
) -> Any:
    """Carry out cases that differ in numbers of an encounter: see `percuss.simulate`."""
    if threads is not None and (isinstance(threads, bool) or threads < 1):
        raise EncounterError(("threads",), f"must be 1 or more, or None, got {shown(threads)}")
    if isinstance(encounter, Scenario) and allow_code:
        encounter = encounter.with_code_allowed()
    if not isinstance(vary, Mapping):
        raise EncounterError(("vary",), f"must be values of numbers by name, got {shown(vary)}")
    numbered = numbers_of(encounter)
    varied = Varied.of(numbered, {name: in_si(numbered, name, vary[name]) for name in vary})
    options: dict[str, Any] = {
        "knows": known_names(knows, varied.names),
        "asked": Asked.of(ask),
        "backend": backend_for(on, len(varied)),
        "threads": threads,
        "method": method,
        "allow_code": allow_code,
    }
    by = check_names(derivatives, varied.names)
    histories = Histories.of(signals, times)
    variation = _variation(encounter, numbered, varied.names, options)
    found = variation(varied, progress, histories)
    return dataset_of(found, slopes_of(variation, found, by, histories, progress=progress))


_KEPT = 4
"""Encounters whose kernels are kept for further calls, the last ones."""
_kept: dict[str, Variation] = {}


def _variation(
    encounter: Encounter | Scenario,
    numbered: Numbered,
    names: tuple[str, ...],
    options: Mapping[str, Any],
) -> Variation:
    """The encounter compiled for cases that differ in some numbers.

    One that was used shortly before is taken again, where all that it follows from can be told:
    other values of the same numbers need no other kernels.
    """
    key = kernel.fingerprint((encounter, numbered, names, sorted(options.items())))
    found = None if key is None else _kept.pop(key, None)
    if found is None:
        found = Variation(encounter, numbered, names, **options)
    if key is not None:
        _kept[key] = found
        for old in list(_kept)[:-_KEPT]:
            _kept.pop(old, None)
    return found


def numbers_of(encounter: Encounter | Scenario) -> Numbered:
    """The numbers of an encounter, or of a scenario, by name."""
    if isinstance(encounter, Scenario):
        return ScenarioNumbers(encounter)
    return EncounterNumbers(encounter)


def backend_for(on: str, cases: int) -> str:
    """The back end of the kernels: on cores, on a GPU, or where so many cases are computed best."""
    if on not in WHERE:
        raise EncounterError(("on",), f"must be one of {', '.join(WHERE)}, got {shown(on)}")
    if on == "gpu" or (on == "auto" and cases >= MANY_FOR_A_GPU and cuda.available()):
        cuda.load_cupy()  # says what is missing
        return "cuda"
    return "auto"


def in_si(numbered: Numbered, name: str, given: Any) -> Any:
    """Values in SI units; a pair of values and a unit, or an array with `units`, is converted."""
    unit = getattr(given, "attrs", {}).get("units")
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str):
        given, unit = given
    if unit is None:
        return given
    number, path = numbered.number(name), tuple(name.split("."))
    try:
        read = parse_unit(unit)
        allowed = [parse_unit(one) for one in number.unit.split(" or ")] if number.unit else []
    except UnitError as error:
        raise EncounterError(path, f"has the unit {shown(unit)}: {error}") from None
    if read.dimension not in [one.dimension for one in allowed]:
        what = f"must be in {number.unit or 'no unit'}, got {unit}"
        raise EncounterError(path, f"{what}, which is {in_words(read.dimension)}")
    try:
        return read.scale * np.asarray(given, float)
    except (TypeError, ValueError):
        raise EncounterError(path, f"must be numbers in {unit}, got {shown(given)}") from None
