"""Surfaces stay as they are where the centre of mass or the contact point is tried elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import percuss
from percuss.identification.forward.choice import model_for
from percuss.identification.forward.unknowns import Unknowns
from percuss.scenario import Scenario, load
from tests.identification.cases import SCENARIOS

COMPLIANT = (
    "{closure: compliant, law: hunt-crossley, stiffness: 20000, restitution: 0.6, friction: 0.3}"
)
BOUNCE = "{closure: bounce, restitution: 0.6, friction: 0.3}"
AGAIN = "{closure: bounce, restitution: 0.6, friction: 0.3, repeat: {below: 1 cm/s}}"
SHOWN = ("joint.joint1", "joint.joint2", "base.x", "base.y")
TIMES = np.array([0.1, 1.0, 2.0])


def disk(impact: str) -> Scenario:
    """A disk whose shape the tool meets at a point where its normal leads to the centre."""
    return load(SCENARIOS / "bounce.yaml", {"impact": impact, "duration": "2 s"})


def shown(scenario: Scenario, group: str, away: list[float]) -> np.ndarray:
    """What is shown where `group` is away from the scenario's (m) along y, (values, cases)."""
    unknowns = Unknowns(scenario, [group])
    model = model_for(scenario, unknowns, SHOWN, TIMES)
    return model(unknowns.start[:, None] + np.array([[0.0] * len(away), away]))


@pytest.mark.parametrize("impact", [COMPLIANT, BOUNCE, AGAIN])
@pytest.mark.parametrize("group", ["com", "contact"])
def test_a_place_that_is_hardly_elsewhere_changes_hardly_anything(impact: str, group: str) -> None:
    """A jump of the motion would hide from a search what lies on its other side."""
    away = [0.0, 1e-8, -1e-8, 1e-4, -1e-4]
    values = shown(disk(impact), group, away)
    slope = (values[:, 3] - values[:, 4]) / 2e-4
    for k, distance in ((1, 1e-8), (2, -1e-8)):
        gap = np.abs(values[:, k] - values[:, 0] - slope * distance)
        assert gap.max() < 1e-9, f"{group} {distance:g} m away moves what is shown by {gap.max()}"


@pytest.mark.parametrize("impact", [COMPLIANT, BOUNCE, AGAIN])
def test_the_centre_of_mass_on_one_side_is_the_contact_on_the_other(impact: str) -> None:
    """Only where one is from the other matters: the surface goes with the contact point."""
    distances = [1e-3, -2e-3]
    by_com = shown(disk(impact), "com", distances)
    by_contact = shown(disk(impact), "contact", [-x for x in distances])
    assert np.abs(by_com - by_contact).max() < 1e-8


def test_stiffness_and_centre_of_mass_are_found_together() -> None:
    known = disk(COMPLIANT)
    sensors = percuss.Sensors({"joint": {"noise": 1e-4}, "base.position": {"noise": 1e-3}})
    true = percuss.with_overrides(known, {"impact.stiffness": 22000.0})
    record = percuss.synthesise(true, sensors, seed=1, rate=50.0)
    unknown = ["com", "impact.stiffness"]
    found = percuss.identify(known, record, sensors, unknown, starts=3, advice=False)
    truth = {"com.x": 0.0, "com.y": 0.0, "impact.stiffness": 22000.0}
    assert not found.warnings
    assert set(found.estimate) == set(truth)
    for name, value in found.estimate.items():
        assert abs(value - truth[name]) < 4.0 * found.sigma[name], name


def test_a_spring_between_the_points_has_no_surface() -> None:
    """What holds the points together has no normal that could be kept."""
    spring = disk("{closure: compliant, law: bilateral, stiffness: 300, damping: 5}")
    away = [0.0, 1e-4, -1e-4]
    for group in ("com", "contact"):
        values = shown(spring, group, away)
        assert np.isfinite(values).all()
        bend = values[:, 1] + values[:, 2] - 2.0 * values[:, 0]
        assert np.abs(bend).max() < 1e-6
