"""The coverage study: two thousand targets drawn, measured with noise and identified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from percuss.identification.coverage import Coverage, coverage
from percuss.identification.data.channels import all_names
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.scenario import load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS


@dataclass(frozen=True)
class Study:
    """Targets drawn about those of a scenario, `share` of the plausible ranges to either side.

    `sample` of them are drawn where the study does not run in full.
    """

    name: str
    cases: int
    sample: int
    groups: tuple[str, ...]
    scenario: str = "thesis-1"
    changed: dict[str, Any] = field(default_factory=dict)
    robot: dict[str, float] = field(default_factory=dict)
    rate: float = 25.0
    length: float = 5.0
    share: float = 0.5
    missing: float = 0.0
    quantities: int = 3

    @property
    def model(self) -> ForwardModel:
        scenario = with_overrides(load(SCENARIOS / f"{self.scenario}.yaml"), self.changed)
        attitude = "base.angle" if scenario.is_planar else "base.orientation"
        names = all_names(scenario.start.chaser, ("joint", "base.position", attitude))
        unknowns = Unknowns(scenario, self.groups, robot=self.robot or None)
        times = np.arange(1, round(self.rate * self.length) + 1) / self.rate
        return ForwardModel(scenario, unknowns, names, times)


EVERYTHING = ("velocity", "mass", "inertia", "com")
HELD = {
    "law": "pd",
    "kp": [0, 0, 0, 20, 20],
    "kd": [0, 0, 0, 10, 10],
    "goal": "initial",
}

STUDIES = (
    Study("pin", 700, 200, ("velocity",)),
    Study("weld", 400, 100, ("velocity", "mass"), changed={"impact.closure": "weld"}, quantities=4),
    Study(
        "held by its joints, a tenth of the samples missing",
        300,
        80,
        ("velocity", "mass"),
        changed={"control": HELD},
        missing=0.1,
        quantities=4,
    ),
    Study(
        "the robot's own state uncertain",
        200,
        60,
        ("velocity", "robot"),
        robot={"joint": 1e-3, "joint_rate": 1e-3},
    ),
    Study("everything unknown", 300, 50, EVERYTHING, quantities=7),
    Study(
        "seven joints in space",
        100,
        40,
        ("velocity",),
        scenario="pin-3d",
        rate=20.0,
        share=0.2,
        quantities=6,
    ),
)
FALSE_ALARM = 0.01
"""How often right intervals fail the study, all tests together."""
TESTS = sum(2 * study.quantities for study in STUDIES)
"""Intervals and errors of every quantity."""


def coverage_of(study: Study) -> Coverage:
    return coverage(
        study.model,
        NOISE,
        study.cases,
        seed=[each.name for each in STUDIES].index(study.name) + 2026,
        share=study.share,
        missing=study.missing,
    )
