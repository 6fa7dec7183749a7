"""The motion after the thesis's impacts: the numbers that independent code gave."""

from __future__ import annotations

import math

import numpy as np
import pytest

import percuss
from tests.encounter.scenes import THESIS, TRACKING, scene

FREE = {
    "published": (1.0201251, 2.5912765, math.pi / 2, 1.264582, 0.63069392),
    "pin": (0.86385934, 2.8880422, math.pi / 2, 1.5838892, -0.33408078),
    "weld": (0.87111412, 2.8936798, math.pi / 2, 1.6367699, -0.31258264),
}
PEAKS = {
    "published": (15.0, 6.3875793, 75.0, 75.0, 45.0),
    "pin": (10.0, 8.06146, 50.0, 50.0, 30.0),
    "weld": (30.0, 5.3130278, 180.0, 180.0, 120.0),
}


@pytest.mark.parametrize("closure", FREE)
def test_free_motion_for_ten_seconds(closure: str) -> None:
    result = percuss.run(scene(THESIS, impact__closure=closure))
    # The printed values carry eight digits.
    np.testing.assert_allclose(
        result.summary["final"]["coordinates"], FREE[closure], rtol=1e-7, atol=1e-8
    )
    if closure == "pin":
        assert result.summary["final"]["target"]["angle"] == pytest.approx(5.9866119, abs=5e-8)
    balance = result.summary["balance"]
    assert balance["energy"] < 1e-10
    if closure != "published":
        assert balance["linear_momentum"] < 1e-10, "momentum drifts after the capture"
        assert balance["angular_momentum"] < 1e-9, "angular momentum drifts after the capture"


def test_published_motion_lets_momentum_drift() -> None:
    result = percuss.run(scene(THESIS, impact__closure="published"))
    momentum = result.record["linear_momentum"][-1]
    np.testing.assert_allclose(momentum, (-9.3115509, -1.271459), rtol=1e-7)
    assert result.record["angular_momentum"][-1] == pytest.approx(60.056816, rel=1e-7)
    assert any("5.853 N s" in line for line in result.summary["warnings"])


@pytest.mark.parametrize("closure", PEAKS)
def test_controlled_motion_returns_and_needs_these_forces(closure: str) -> None:
    result = percuss.run(scene(THESIS, impact__closure=closure, control=TRACKING))
    # 8.06146 is printed with six digits.
    np.testing.assert_allclose(result.summary["peak"]["control"], PEAKS[closure], rtol=2e-7)
    time = result.record.time[:, None]
    start = np.array([1.0, 2.0, math.pi / 2, 0.0, 0.0])
    rates = np.array(result.summary["impact"]["chaser_velocity"])
    path = start + rates * time * np.exp(-time)
    error = np.abs(result.record["coordinates"] - path).max()
    assert error < 1e-10, f"the error leaves p_d + v t exp(-t) by {error:.1e}"
    if closure == "pin":
        turning = result.summary["final"]["target"]["angular"]
        assert turning == pytest.approx(0.7328696, abs=5e-8), "the free swing of the target"


def test_offset_mount_turns_the_base() -> None:
    centred = percuss.run(scene(THESIS)).summary["final"]["coordinates"][2]
    offset = percuss.run(scene(THESIS, chaser__mount=[0.3, 0.0])).summary["final"]["coordinates"][2]
    assert centred == pytest.approx(math.pi / 2, abs=1e-12)
    assert abs(offset - math.pi / 2) > 0.05, "a joint off the base's centre must turn the base"


def test_wrong_model_leaves_the_linear_error_equation() -> None:
    tracking = TRACKING | {"believes": {"target.mass": 14}}
    result = percuss.run(scene(THESIS, impact__closure="weld", control=tracking))
    time = result.record.time[:, None]
    rates = np.array(result.summary["impact"]["chaser_velocity"])
    path = np.array([1.0, 2.0, math.pi / 2, 0.0, 0.0]) + rates * time * np.exp(-time)
    assert np.abs(result.record["coordinates"] - path).max() > 1e-4
