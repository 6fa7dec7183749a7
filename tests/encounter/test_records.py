"""What records of an encounter tell besides their fields."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from importlib import import_module
from pkgutil import iter_modules

import pytest

from percuss.encounter import records
from percuss.encounter.records.approach import ContactBy
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import EnergyChange
from percuss.encounter.records.result import EncounterStatus
from percuss.impact.verdict import ConservationLaw, State
from tests.report import scripts
from tests.report.encounters import nothing_happens, phases

RECORDS = [
    record
    for module in iter_modules(records.__path__, f"{records.__name__}.")
    for record in vars(import_module(module.name)).values()
    if is_dataclass(record) and record.__module__ == module.name
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_records_cannot_change(record: type) -> None:
    made = object.__new__(record)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(record)[0].name, 1)


def test_the_last_impact_is_the_one_that_closed_the_grasp() -> None:
    encounter = scripts.bounces().encounter
    assert encounter.impact is encounter.impacts[-1]
    assert encounter.impacts[-1].closure == "weld"
    assert nothing_happens().impact is None


def test_the_verdict_is_the_laws_and_then_the_warnings() -> None:
    laws = (ConservationLaw("energy", State.LOST, "energy: a little lost"),)
    encounter = replace(nothing_happens(), laws=laws, warnings=("mind the gap",))
    assert encounter.verdict == ("energy: a little lost", "warning: mind the gap")
    assert encounter.law_states == {"energy": State.LOST}


def test_a_run_is_divided_unless_it_is_the_motion_after_an_impact() -> None:
    for given, wanted in (
        ((("after", 0.0, 1.0),), False),
        ((("approach", 0.0, 1.0),), True),
        ((("contact", 0.0, 1.0), ("after", 1.0, 2.0)), True),
    ):
        assert replace(nothing_happens(), phases=phases(*given)).is_divided == wanted


def test_nothing_is_brought_to_rest_without_a_law() -> None:
    case = scripts.mission()
    assert case.encounter.brought_to_rest is case.encounter.stabilisation is not None
    for settings in ({"law": "none"}, {"law": None}, {}):
        assert case.changed(control=ControlRecord(settings)).encounter.brought_to_rest is None


def test_a_control_block_keeps_its_order() -> None:
    control = ControlRecord({"kp": 1, "law": "pd", "kd": "2 N m s"})
    assert control.law == "pd"
    assert list(control.parameters) == ["kp", "kd"]
    assert control.is_driving


def test_a_miss_is_beyond_the_radius_where_a_point_counts() -> None:
    approach = scripts.passed().encounter.approach
    assert approach is not None
    assert approach.beyond_radius == pytest.approx(0.15557786)
    assert replace(approach, by=ContactBy.SURFACE).beyond_radius is None
    assert replace(approach, capture_radius=None).beyond_radius is None


def test_the_peak_of_a_contact_is_that_of_its_hardest_touch() -> None:
    contact = scripts.hit().encounter.contact
    assert contact is not None
    (touch,) = contact.touches
    harder = replace(touch, begin=20.0, peak_force=500.0)
    assert replace(contact, touches=(touch, harder, touch)).peak_force == 500.0
    assert replace(contact, touches=()).peak_force is None


def test_only_a_miss_is_missed() -> None:
    for status in EncounterStatus:
        assert replace(nothing_happens(), status=status).is_missed == (status == "missed")


def test_rounding_is_no_energy_lost() -> None:
    assert EnergyChange(before=3.0, after=3.0 - 4e-16).lost == 0.0
    assert EnergyChange(before=3.0, after=2.0).lost == 1.0
    assert EnergyChange(before=3.0, after=4.0).lost == -1.0
