"""The thesis's two simulations through the public path, to the digits known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from percuss.sources import reproduction
from percuss.sources.registry import Reproduction
from percuss.sources.table import number
from percuss.sources.thesis import CLOSURES
from percuss.sources.thesis.tables import POSITIONS, VELOCITIES, VMS, tables

DOCS = Path(__file__).parents[2] / "docs"

RELATIVE = 5e-8
"""Half a unit of the eighth digit."""

IMPACTS = {
    "published": {
        "chaser_velocity": [-0.0035555556, 0, 0, -0.112, 0.47822222],
        "target_velocity": [-0.43911111, 0, -0.43911111],
        "impulse": [-2.56, 0],
        "moment": 0,
        "energy": 3.2933333,
        "linear_momentum": [-9.1466667, 0],
        "angular_momentum": 67.32,
    },
    "pin": {
        "chaser_velocity": [-0.0025575448, 0, 0, -0.08056266, 0.34398977],
        "target_velocity": [-0.87723785, 0, 0.2455243],
        "impulse": [-1.8414322, 0],
        "moment": 0,
        "energy": 6.5792839,
        "linear_momentum": [-15, 0],
        "angular_momentum": 120,
    },
    "weld": {
        "chaser_velocity": [-0.002441009, 0, 0, -0.076891782, 0.33401139],
        "target_velocity": [-0.87713588, 0, 0.25711961],
        "impulse": [-1.8429618, 0],
        "moment": -0.085435313,
        "energy": 6.5785191,
        "linear_momentum": [-15, 0],
        "angular_momentum": 120,
    },
}
FREE = {
    "published": [1.0201251, 2.5912765, np.pi / 2, 1.264582, 0.63069392],
    "pin": [0.86385934, 2.8880422, np.pi / 2, 1.5838892, -0.33408078],
    "weld": [0.87111412, 2.8936798, np.pi / 2, 1.6367699, -0.31258264],
}
PEAKS = {
    "published": [15, 6.3875793, 75, 75, 45],
    "pin": [10, 8.06146, 50, 50, 30],
    "weld": [30, 5.3130278, 180, 180, 120],
}


@pytest.fixture(scope="module")
def thesis() -> Reproduction:
    return reproduction("thesis")


@pytest.fixture(scope="module")
def found(thesis: Reproduction) -> Any:
    return thesis.summary["simulations"]


def close(got: Any, wanted: Any, digits: float = RELATIVE) -> None:
    np.testing.assert_allclose(got, wanted, rtol=digits, atol=1e-13)


@pytest.mark.parametrize("closure", CLOSURES)
def test_impact_of_simulation_1(found: Any, closure: str) -> None:
    impact, wanted = found["1"][closure]["impact"], IMPACTS[closure]
    for name in ("chaser_velocity", "target_velocity", "impulse"):
        close(impact[name], wanted[name])
    close(impact["moment"], wanted["moment"], 1e-7)
    close([impact["energy"]["before"], impact["energy"]["after"]], [7.5, wanted["energy"]])
    close(impact["linear_momentum"]["before"], [-15, 0])
    close(impact["linear_momentum"]["after"], wanted["linear_momentum"])
    close(impact["angular_momentum"]["before"], 120)
    close(impact["angular_momentum"]["after"], wanted["angular_momentum"])


@pytest.mark.parametrize("closure", CLOSURES)
def test_simulation_2_where_all_closures_coincide(found: Any, closure: str) -> None:
    impact = found["2"][closure]["impact"]
    close(impact["chaser_velocity"], [0, -1 / 9, 0, 0, 0])
    close(impact["target_velocity"], [0, -1 / 9, 0])
    close(impact["impulse"], [0, -13.333333])
    close([impact["energy"]["before"], impact["energy"]["after"]], [7.5, 0.83333333])
    close(found["2"][closure]["free"]["coordinates"], [1, 2 - 10 / 9, np.pi / 2, 0, 0], 1e-10)


@pytest.mark.parametrize("closure", CLOSURES)
def test_free_motion(found: Any, closure: str) -> None:
    free = found["1"][closure]["free"]
    close(free["coordinates"], FREE[closure])
    close(free["coordinates"][2], np.pi / 2, 1e-15)
    assert free["balance"]["energy"] < 1e-10
    close(free["energy"], IMPACTS[closure]["energy"])


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_right_closures_keep_momentum_in_free_motion(found: Any, closure: str) -> None:
    free = found["1"][closure]["free"]
    np.testing.assert_allclose(free["linear_momentum"], [-15, 0], atol=1e-10)
    np.testing.assert_allclose(free["angular_momentum"], 120, atol=1e-9)
    if closure == "pin":
        close(free["target_angle"], 5.9866119)


def test_published_momentum_drifts_in_free_motion(found: Any) -> None:
    free = found["1"]["published"]["free"]
    close([*free["linear_momentum"], free["angular_momentum"]], [-9.3115509, -1.271459, 60.056816])
    start = POSITIONS.object_angle(VMS.gamma)
    turned = sum(free["coordinates"][2:]) - sum(POSITIONS.coordinates[2:])
    close(free["target_angle"], start + turned, 1e-14)


@pytest.mark.parametrize("closure", CLOSURES)
def test_controlled_motion(found: Any, closure: str) -> None:
    held = found["1"][closure]["controlled"]
    close(held["peak_control"], PEAKS[closure], 5e-7 if closure == "pin" else RELATIVE)
    assert held["damping_ratio"] == 1.0
    for simulation in ("1", "2"):
        for motion in ("controlled", "underdamped"):
            off = found[simulation][closure][motion]["largest_deviation_from_closed_form"]
            assert off < 1e-11, (
                f"{simulation} {closure} {motion}: p = p_d + ṗ_f t e⁻ᵗ, off by {off}"
            )


def test_on_a_pin_the_object_is_never_at_rest(found: Any) -> None:
    held = found["1"]["pin"]["controlled"]
    close(held["target_spin"], 0.7328696, 1e-7)
    assert np.linalg.norm(held["control_at_end"]) > 1.0, "u never vanishes"
    assert np.linalg.norm(found["1"]["weld"]["controlled"]["control_at_end"]) < 0.1


def test_underdamped_overshoots_and_says_how_damped(thesis: Reproduction, found: Any) -> None:
    assert found["1"]["pin"]["underdamped"]["damping_ratio"] == 0.3
    assert thesis.summary["tables"]["damping_ratio"] == {"controlled": 1.0, "underdamped": 0.3}
    assert "ξ; here it is 0.3" in " ".join(thesis.words)


def test_tables_are_printable_and_complete(thesis: Reproduction) -> None:
    first, second, third = tables()
    assert str(first).startswith("Table 4.1")
    assert "15 kg" in str(first)
    assert "4.21 rad" in str(second)
    assert len(third.rows) == 8
    assert "−1 m/s" in third.markdown()
    assert thesis.summary["tables"]["4.1"]["m_b"] == VMS.m_b
    assert thesis.summary["tables"]["4.3"]["2"]["target"] == list(VELOCITIES[2].target)


def test_the_story_has_its_numbers(thesis: Reproduction) -> None:
    text = " ".join(thesis.words)
    for value in ("5.853 N s (39 %)", "52.68 N m s (44 %)", "0.7328696 rad/s", "−0.11111111 m/s"):
        assert value in text


@pytest.mark.parametrize("closure", CLOSURES)
def test_the_page_of_the_documentation_has_the_same_numbers(found: Any, closure: str) -> None:
    text = (DOCS / "sources" / "thesis.md").read_text(encoding="utf-8")
    impact, free = found["1"][closure]["impact"], found["1"][closure]["free"]
    shown = [
        *impact["chaser_velocity"],
        *impact["target_velocity"],
        *impact["impulse"],
        impact["moment"],
        impact["energy"]["after"],
        impact["angular_momentum"]["after"],
        *free["coordinates"][3:],
    ]
    for value in shown:
        assert f" {number(value)}" in text, f"docs/sources/thesis.md lacks {number(value)}"


@pytest.mark.parametrize("figure", ["thesis-momentum.png", "thesis-figure-4-1.png"])
def test_the_figures_of_the_documentation_are_small(figure: str) -> None:
    path = DOCS / "_static" / figure
    assert 10_000 < path.stat().st_size < 150_000
    assert figure in (DOCS / "sources" / "thesis.md").read_text(encoding="utf-8")
