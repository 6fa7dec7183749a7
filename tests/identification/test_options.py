"""The numbers of a search: described, held to what is allowed, and obeyed."""

from __future__ import annotations

import math
import re
from dataclasses import FrozenInstanceError, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import percuss
from percuss.identification.data.sensors import Sensors
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.identification.options.group import OptionGroup
from percuss.identification.options.search import GROUPS
from percuss.identification.result import Identification
from percuss.model.errors import ModelError
from percuss.scenario import with_overrides
from tests.identification.cases import thesis

SOURCE = Path(percuss.__file__).parent / "identification"
NAMES = [each.name for each in SearchOptions.described()]
NUMBER = re.compile(r"^(_?[A-Z][A-Z_0-9]+) *(?::[^=]*)?= *\(?[-0-9.]", re.MULTILINE)
STAY = {
    "data/hdf5_contents.py": {"FILTERS", "MOST_ATTRIBUTE", "MOST_BYTES", "MOST_OBJECTS"},
    "data/measured.py": {"MOST_BYTES"},
    "data/measured_columns.py": {"UNIT_TOLERANCE"},
    "data/measured_csv.py": {"_CHUNK", "_LONGEST"},
    "data/neighbours.py": {"_AT_ONCE"},
    "data/sensors.py": {"MOST_BYTES", "RATE"},
    "data/synthesis.py": {"MOST_SAMPLES"},
    "estimate/confidence.py": {"LEVEL"},
    "estimate/fit.py": {"_AT_ONCE"},
    "estimate/held_elsewhere.py": {"_HOLDING"},
    "estimate/jump.py": {"_ROUNDING"},
    "estimate/objective.py": {"_LARGEST"},
    "estimate/semidefinite.py": {"_ROUNDING"},
    "forward/engine_model.py": {"LANES", "_LASTING"},
    "forward/inertia.py": {"_THINNEST"},
    "forward/model.py": {"_LANES"},
    "forward/motion.py": {"_MOST_STEPS"},
    "forward/numbers.py": {"_ASIDE"},
    "observability/proposal.py": {"_LANES"},
    "result.py": {"_SHOWN"},
}
"""Numbers that decide nothing: limits on the files of strangers and on memory, the format of files,
rounding, the 95 % that intervals are stated for, how much a prompt shows, how a bound is looked
for, and that no search begins with a body without extension."""
SENSORS = Sensors({"joint": {"noise": 1e-4}, "base.position": {"noise": 1e-3}})


@cache
def found(**changed: Any) -> Identification:
    """What is identified of one record, with other values of the options `group__name`."""
    options = DEFAULT.changed({name.replace("__", "."): x for name, x in changed.items()})
    true = with_overrides(thesis(1), {"target.velocity.linear": [-0.9, 0.05]})
    record = percuss.synthesise(true, SENSORS, seed=1, rate=25.0)
    return percuss.identify(
        thesis(1), record, SENSORS, ["velocity", "mass"], starts=3, advice=False, options=options
    )


def test_every_option_is_described_with_its_unit_and_its_reason() -> None:
    assert len(NAMES) == len(set(NAMES))
    for each in SearchOptions.described():
        assert each.what.endswith("."), each.name
        assert each.why.endswith("."), each.name
        assert each.held.endswith("."), f"{each.name}: what holds it is not said"
        assert each.allowed, each.name


@pytest.mark.parametrize("group", list(GROUPS.values()), ids=list(GROUPS))
def test_the_reference_has_every_option(group: type[OptionGroup]) -> None:
    page = (SOURCE.parents[2] / "docs" / "reference" / "identify.md").read_text(encoding="utf-8")
    assert f".. autoclass:: {group.__module__}.{group.__name__}" in page
    text = str(group.__doc__)
    for each in group.described():
        name = each.name.partition(".")[2]
        said = " ".join(part for part in (each.what, each.why, each.held) if part)
        assert f"        {name}: {said}\n" in text


def test_options_are_values() -> None:
    assert SearchOptions() == DEFAULT
    assert hash(SearchOptions()) == hash(DEFAULT)
    other = DEFAULT.changed({"descent.longest_step": 0.25, "ends.most": 5})
    assert (other.descent.longest_step, other.ends.most) == (0.25, 5)
    assert other.changed({"descent.longest_step": 0.5, "ends.most": 3}) == DEFAULT
    assert repr(other) == "<SearchOptions: descent.longest_step=0.25, ends.most=5>"
    assert repr(DEFAULT) == "<SearchOptions: all as by default>"
    with pytest.raises(FrozenInstanceError):
        DEFAULT.descent.longest_step = 0.25  # type: ignore[misc]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_number_is_refused_by_name(name: str) -> None:
    default = DEFAULT.value(name)
    hostile: list[Any] = [math.nan, math.inf, -math.inf, None, "1", True]
    if isinstance(default, tuple):
        hostile = [*hostile, (), (math.nan,), (1.0, None), [1.0], 1.0]
    elif isinstance(default, int):
        hostile = [*hostile, -1, 1.5]
    else:
        hostile = [*hostile, -1.0]
    for value in hostile:
        with pytest.raises(ModelError, match=f"^{re.escape(name)} must be "):
            DEFAULT.changed({name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("starts.spread", 0.0, "starts.spread must be finite and > 0, got 0.0"),
        ("descent.steps", 0, "descent.steps must be a whole number ≥ 1, got 0"),
        ("acceptance.leak", 1.0, "acceptance.leak must be finite and ≥ 0 and < 1, got 1.0"),
        ("residual_tests.false_alarm", 0.0, "residual_tests.false_alarm must be finite and > 0"),
        ("outliers.side", 13, "outliers.side must be a whole number ≥ 3 and ≤ 12, got 13"),
        ("descent.longest_stp", 1.0, "there is no 'descent.longest_stp'. Did you mean"),
        ("longest_step", 1.0, "options: there is no 'longest_step'"),
    ],
)
def test_a_refusal_says_what_is_allowed(name: str, value: Any, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        DEFAULT.changed({name: value})


def test_a_group_is_no_other_group() -> None:
    with pytest.raises(ModelError, match="starts must be StartOptions, got EndOptions"):
        SearchOptions(starts=DEFAULT.ends)  # type: ignore[arg-type]


def test_every_option_is_read_somewhere() -> None:
    """A number that nothing asks for would be no option."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in SOURCE.rglob("*.py")
        if path.name not in ("options.py", "option_group.py")
    )
    unread = [name for name in NAMES if not re.search(rf"\.{name.partition('.')[2]}\b", text)]
    assert not unread


def test_numbers_that_decide_are_options() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        found = set(NUMBER.findall(path.read_text(encoding="utf-8")))
        assert found == STAY.get(name, set()), name


def test_what_is_asked_for_by_default_is_what_is_used() -> None:
    plain, stated = (
        found(),
        percuss.identify(
            thesis(1),
            found().measured,
            SENSORS,
            ["velocity", "mass"],
            starts=3,
            advice=False,
        ),
    )
    assert plain.estimate == stated.estimate
    assert plain.sigma == stated.sigma
    assert plain.warnings == stated.warnings
    assert plain.fit.information.options == DEFAULT


def test_options_reach_the_search() -> None:
    other = found(descent__steps=1, descent__longest_step=1e-9)
    assert (other.fit.theta != found().fit.theta).any()
    with pytest.raises(ModelError, match="takes at most"):
        found(records__most_work=50)
    with pytest.raises(ModelError, match="σ from its neighbours"):
        found(outliers__gross=1e-3)


def test_options_reach_what_is_judged() -> None:
    assert found().estimate
    assert found(residual_tests__false_alarm=0.99).warnings
    weak = {each.name for each in found(observability__weak=1e-9).weak}
    assert weak == set(found().estimate)
    assert found(valleys__bent=1e-9).fit.is_bent
    assert not found().fit.is_bent


def test_all_options_are_carried_to_the_information() -> None:
    other = found(observability__weak=1e-9)
    assert other.fit.information.options == DEFAULT.changed({"observability.weak": 1e-9})
    assert {field.name for field in fields(SearchOptions)} == set(GROUPS)
