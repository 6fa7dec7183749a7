"""Whatever drives the robot after the impact, data without noise give the truth back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from percuss.identification.data.sensors import Sensors, sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.information import information
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.identification import identify
from percuss.identification.observability.proposal import propose
from percuss.identification.result import Identification
from percuss.scenario import Scenario, load

CAPTURE = Path(__file__).parents[2] / "scenarios" / "identify" / "capture.yaml"
MOVING = {"target.velocity.linear": [-0.4, -0.1], "target.velocity.angular": 0.2}
RATE = 25
TIMES = np.arange(1, 101) / 25
SENSORS = sensors_of(
    {
        "joint": {"noise": 1e-4, "rate": RATE},
        "base.position": {"noise": 1e-3, "rate": RATE},
        "base.angle": {"noise": 1e-3, "rate": RATE},
    }
)
CLOSE = 1e-3
"""Of a standard deviation: how near to the truth data without noise must lead."""

COMPUTED = {"law": "computed-torque", "natural-frequency": 1.0, "damping-ratio": 0.7}
PYTHON = """
import numpy as np

def law(t, q, v, memory):
    pull = -8.0 * (q[3:5] - np.array([0.349, 0.698])) - 6.0 * v[3:5]
    return np.concatenate([np.zeros(3), pull + memory]), 0.9 * memory + 0.1 * pull
"""


def found_in(
    folder: Path,
    changes: dict[str, Any],
    unknown: tuple[str, ...] = ("velocity",),
    sensors: Sensors = SENSORS,
) -> tuple[Identification, dict[str, float]]:
    """What is found from data without noise, first guesses elsewhere, and the truth."""
    place = folder / "scenario.yaml"
    place.write_text(CAPTURE.read_text())
    (folder / "law.py").write_text(PYTHON)
    true: Scenario = load(place, {**MOVING, "duration": "4 s", **changes}).with_code_allowed()
    record = synthesise(true, sensors, noise=False)
    away = {"target.velocity.linear": [-0.3, 0.1], "target.velocity.angular": 0.0}
    guessed = load(place, {**away, "duration": "4 s", **changes}).with_code_allowed()
    found = identify(guessed, record, sensors, unknown, starts=2, advice=False)
    entries = Unknowns(true, unknown)
    values = np.asarray(entries.quantities(entries.start), float)
    return found, dict(zip(entries.names, values.tolist(), strict=True))


def errors(found: Identification, truth: dict[str, float]) -> dict[str, float]:
    """In standard deviations."""
    return {name: (x - truth[name]) / found.sigma[name] for name, x in found.estimate.items()}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"control": COMPUTED}, id="computed torque, free-floating"),
        pytest.param(
            {
                "chaser.mode": "free-flying",
                "control": {**COMPUTED, "limits": {"joints": 1.0, "base": 2.0}},
            },
            id="computed torque that saturates",
        ),
        pytest.param(
            {
                "chaser.mode": "free-flying",
                "impact.closure": "weld",
                "control": {**COMPUTED, "believes": {"target.mass": 9, "chaser.base.mass": 80}},
            },
            id="computed torque of a wrong model",
        ),
        pytest.param(
            {
                "chaser.mode": "attitude-controlled",
                "control": {"law": "detumble", "time-constant": 2.0},
            },
            id="wheels that turn the base",
        ),
        pytest.param(
            {
                "chaser.mode": "attitude-controlled",
                "control": {"law": "detumble", "time-constant": 2.0, "limits": {"wheels": 0.3}},
            },
            id="wheels that fill up",
        ),
        pytest.param({"chaser.mode": "fixed"}, id="fixed base"),
        pytest.param(
            {
                "control": {
                    "law": "python",
                    "file": "law.py",
                    "period": "50 ms",
                    "memory": [0.0, 0.0],
                }
            },
            id="sampled law with a memory",
        ),
    ],
)
def test_the_truth_comes_back(changes: dict[str, Any], tmp_path: Path) -> None:
    found, truth = found_in(tmp_path, changes)
    assert found.estimate, "something of the target's velocity can be known"
    off = errors(found, truth)
    assert max(map(abs, off.values())) < CLOSE, off
    assert found.fit.rms < CLOSE


def test_a_swing_on_top_of_a_sampled_law(tmp_path: Path) -> None:
    """A manoeuvre that is added to what a law commands, and held as it is, tells of the mass."""
    place = tmp_path / "scenario.yaml"
    place.write_text(CAPTURE.read_text())
    (tmp_path / "law.py").write_text(PYTHON)
    law = {"law": "python", "file": "law.py", "period": "50 ms", "memory": [0.0, 0.0]}
    scenario = load(place, {**MOVING, "control": law}).with_code_allowed()
    model = ForwardModel(
        scenario, Unknowns(scenario, ["velocity", "mass"]), ["joint.1", "joint.2"], TIMES
    )
    swing = propose(model, {"joint": 1e-4}, model.unknowns.start, quantity="mass")
    assert swing.factors["mass"] > 1.5
    sines = " + ".join(f"{a!r} * np.sin({2.0 * np.pi * f!r} * t)" for a, f in swing.sines)
    joint = 3 + [j.name for j in scenario.start.chaser.movable_joints].index(swing.joint)
    more = PYTHON.replace("def law", "def plain") + (
        "\ndef law(t, q, v, memory):\n"
        "    u, memory = plain(t, q, v, memory)\n"
        f"    return u + ({sines}) * np.eye(len(u))[{joint}], memory\n"
    )
    (tmp_path / "law.py").write_text(more)
    flown = load(place, {**MOVING, "control": law}).with_code_allowed()
    driven = ForwardModel(flown, Unknowns(flown, ["velocity", "mass"]), model.channels, TIMES)
    _, slopes = driven.linearised(driven.unknowns.start)
    found = information(driven.unknowns, driven.unknowns.start, slopes / 1e-4)
    assert found.sigmas == pytest.approx(swing.after.sigmas, rel=1e-3)
