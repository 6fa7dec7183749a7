"""Energy, work and momentum in every phase of random encounters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import percuss
from tests.encounter.encounters import ARM, COMING, CUBE, assert_whole, scenario, spatial
from tests.studies import cases

MODES = ("fixed", "free-floating", "attitude-controlled", "free-flying")
CLOSURES: dict[str, dict[str, Any]] = {
    "pin": {"closure": "pin"},
    "weld": {"closure": "weld"},
    "bounce": {"closure": "bounce", "restitution": 0.7, "friction": 0.3},
    "bounces": {
        "closure": "bounce",
        "restitution": 0.4,
        "friction": 0.2,
        "repeat": {"below": 0.05, "then": "pin", "most": 8},
    },
    "linear": {
        "closure": "compliant",
        "law": "linear",
        "stiffness": 3e3,
        "restitution": 0.5,
        "friction": 0.2,
        "slip-speed": 0.02,
    },
    "hunt-crossley": {"closure": "compliant", "stiffness": 2e4, "damping": 5e3},
    "bilateral": {"closure": "compliant", "law": "bilateral", "stiffness": 2e3, "damping": 40},
}
APPROACHES: dict[str, dict[str, Any]] = {
    "none": {},
    "hold-tool": {"control": {"law": "hold-tool", "natural-frequency": 1.0}},
    "match": {
        "meet": {"at": 4, "closing-speed": 0.05},
        "control": {"law": "match", "natural-frequency": 1.5},
    },
    "computed-torque": {
        "meet": {"at": 4, "closing-speed": 0.05},
        "control": {"law": "computed-torque", "natural-frequency": 1.0},
    },
}
AFTER: dict[str, dict[str, Any]] = {
    "none": {"law": "none"},
    "pd": {"law": "pd", "natural-frequency": 1.0, "limits": {"joints": 5}},
    "computed-torque": {"law": "computed-torque", "natural-frequency": 1.0},
    "detumble": {"law": "detumble", "time-constant": 2.0},
}


def possible(mode: str, approach: str) -> bool:
    """Whether a path of base and joints can be followed: it needs thrusters, or the ground."""
    return approach != "computed-torque" or mode in ("fixed", "free-flying")


def control_after(mode: str, law: str, wheels: float | None, dump: bool) -> dict[str, Any]:
    control = dict(AFTER[law])
    if mode == "attitude-controlled" and law != "none":
        if wheels is not None:
            control["limits"] = {**control.get("limits", {}), "wheels": wheels}
        if dump:
            control["dump"] = {"torque": 0.3, "after": 0.4}
    return control


def coming_at(tool: np.ndarray, speed: np.ndarray, after: float) -> np.ndarray:
    """Where a contact point must be now to be at the tool after a time (s)."""
    return tool - speed * after


@pytest.mark.sampled
@settings(max_examples=cases(10, 40), suppress_health_check=[HealthCheck.too_slow])
@given(
    mode=st.sampled_from(MODES),
    closure=st.sampled_from(sorted(CLOSURES)),
    approach=st.sampled_from(sorted(APPROACHES)),
    after=st.sampled_from(sorted(AFTER)),
    gravity=st.sampled_from([(0.0, 0.0), (0.0, 0.0), (0.02, -0.03)]),
    wheels=st.sampled_from([None, 0.05, 5.0]),
    dump=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_planar_encounters_balance(
    mode: str,
    closure: str,
    approach: str,
    after: str,
    gravity: tuple[float, float],
    wheels: float | None,
    dump: bool,
    seed: int,
) -> None:
    if not possible(mode, approach):
        approach = "match"
    rng = np.random.default_rng(seed)
    joints = np.array([50.0, -80.0]) + rng.uniform(-15, 15, 2)
    first, second = np.radians([joints[0], joints.sum()])
    tool = np.array([0.3, 0.1]) + 0.8 * np.array([math.cos(first), math.sin(first)])
    tool += 0.7 * np.array([math.cos(second), math.sin(second)])
    speed = np.array([-0.05, 0.0]) + rng.uniform(-0.01, 0.01, 2)
    grip = coming_at(tool, speed, 4.0) if approach != "none" else coming_at(tool, speed, 2.0)
    by_surface = bool(rng.random() < 0.4)
    way = {"contact": "surface"} if by_surface else {"capture-radius": 0.03}
    observe = {"observe": 0.5} if approach in ("match", "computed-torque") else {}
    chosen = scenario(
        COMING,
        chaser=ARM | {"mode": mode, "joints": np.radians(joints).tolist()},
        target__position=[float(grip[0]) + 0.3, float(grip[1])],
        target__velocity={"linear": speed.tolist(), "angular": float(rng.uniform(-0.02, 0.02))},
        approach={"timeout": 7.0, **way, **observe, **APPROACHES[approach]},
        impact=CLOSURES[closure],
        control=control_after(mode, after, wheels, dump),
        gravity=list(gravity),
        duration=1.5,
        output={"samples": 41},
    )
    result = percuss.run(chosen)
    assert_whole(result, 1e-8)
    if wheels is not None and mode == "attitude-controlled" and after != "none":
        held = result.record["wheel_momentum"][result.record["phase"] == 2]
        if len(held):
            most = max(wheels, abs(float(held[0])))
            assert np.abs(held).max() <= most * (1 + 1e-6), "wheels hold more than they can"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spatial")


@pytest.mark.parametrize(
    ("mode", "closure", "approach", "after"),
    [
        ("fixed", "weld", "none", "pd"),
        ("free-floating", "pin", "none", "detumble"),
        ("free-floating", "bounces", "none", "none"),
        ("attitude-controlled", "weld", "none", "detumble"),
        ("attitude-controlled", "hunt-crossley", "none", "computed-torque"),
        ("free-flying", "linear", "none", "pd"),
        ("free-flying", "bilateral", "none", "none"),
        ("free-flying", "weld", "computed-torque", "detumble"),
    ],
)
def test_spatial_encounters_balance(
    folder: Path, mode: str, closure: str, approach: str, after: str
) -> None:
    rng = np.random.default_rng(len(mode) + len(closure))
    base = spatial(
        folder,
        impact=CLOSURES[closure],
        gravity=[0.01, 0.0, -0.02] if closure == "pin" else [0.0, 0.0, 0.0],
    )
    tool = np.array([0.4 + 0.4 + 0.5 * math.cos(0.2), 0.1, 0.1 - 0.5 * math.sin(0.2)])
    speed = np.array([-0.06, 0.01, 0.0])
    contact = np.array(CUBE["contact"])
    center = tool - 2.0 * speed - contact
    chosen = scenario(
        base,
        chaser__mode=mode,
        control=control_after(mode, after, 0.02, closure == "weld"),
        target__position=center.tolist(),
        target__velocity={
            "linear": speed.tolist(),
            "angular": rng.uniform(-0.003, 0.003, 3).tolist(),
        },
        approach={"timeout": 6.0, "capture-radius": 0.05}
        | ({"observe": 0.5} if approach != "none" else {})
        | APPROACHES[approach]
        | ({"meet": {"at": 4, "base": "move"}} if approach == "computed-torque" else {}),
        duration=1.0,
    )
    result = percuss.run(chosen)
    assert result.summary["approach"]["touched"], result.summary["outcome"]
    assert_whole(result, 1e-8)
