"""Slopes of the reaction, and its extremes inside tolerances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss import ModelError
from percuss.percussion import AxisBody, ratio_of, reaction_range, reaction_ratio
from percuss.percussion.admissible import Interval
from percuss.percussion.fixed_axis import impact_coefficient
from percuss.percussion.sensitivity import PARAMETERS, slopes, slopes_of
from percuss.percussion.worst_case import tolerance_margin
from tests.percussion.test_fixed_axis import LINK_1, LINK_2, angles, axis_bodies
from tests.tracers import slopes as derivatives_of
from tests.truth.compare import derivative

VALUES = {"angle": 1.2, "at": 0.9, "mass": 20.0, "com": 0.3, "inertia": 2.5}


def ratio(values: dict[str, float]) -> float:
    body = AxisBody(values["mass"], values["com"], values["inertia"])
    return float(reaction_ratio(body, values["at"], values["angle"]))  # type: ignore[arg-type]


@given(axis_bodies, st.floats(-2.0, 2.0), angles)
@settings(max_examples=50)
def test_slopes_by_differences(body: AxisBody, at: float, angle: float) -> None:
    values: dict[str, Any] = {
        "angle": angle, "at": at, "mass": body.mass, "com": body.com, "inertia": body.inertia
    }  # fmt: skip
    if ratio(values) < 0.05:
        return  # near the tip of the cone differences see its other side
    found = slopes(body, at, angle).ratio
    for name in PARAMETERS:
        step = 1e-3 * (values[name] if name in ("mass", "com", "inertia") else 0.03)

        def moved(t: float, name: str = name, step: float = step) -> float:
            return ratio(values | {name: values[name] + t * step})

        expected = float(derivative(moved, 0.1)) / step
        assert float(found[name]) == pytest.approx(expected, rel=1e-6, abs=1e-8 / step)  # type: ignore[arg-type]


def test_at_the_centre_of_percussion_angle_and_place_matter_alike() -> None:
    """One unit of reaction per unit of C_ID and per rad: not more for the angle, as printed."""
    found = slopes_of(1.0, math.pi / 2)
    assert found.ratio == {"angle": pytest.approx(1.0), "coefficient": pytest.approx(1.0)}
    for turn, shift in ((1e-6, 0.0), (-1e-6, 0.0), (0.0, 1e-6), (0.0, -1e-6)):
        felt = float(ratio_of(1.0 + shift, math.pi / 2 + turn))  # type: ignore[arg-type]
        assert felt == pytest.approx(1e-6, rel=1e-9)


def test_slopes_are_those_of_autodiff_and_symbols() -> None:
    import sympy

    arguments = [VALUES[name] for name in PARAMETERS]

    def felt(angle: Any, at: Any, mass: Any, com: Any, inertia: Any) -> Any:
        return reaction_ratio(AxisBody(mass, com, inertia), at, angle)

    automatic = derivatives_of(lambda x: felt(*x), np.array(arguments))
    ours = slopes(LINK_2, VALUES["at"], VALUES["angle"]).ratio
    symbols = sympy.symbols(PARAMETERS, positive=True)
    expression = felt(*symbols)
    numbers = dict(zip(symbols, arguments, strict=True))
    for way, found in automatic.items():
        assert [ours[name] for name in PARAMETERS] == pytest.approx(found, rel=1e-13), way
    for name, symbol in zip(PARAMETERS, symbols, strict=True):
        assert ours[name] == pytest.approx(float(expression.diff(symbol).subs(numbers)), rel=1e-13)


tolerances = st.fixed_dictionaries(
    {},
    optional={
        "angle": st.floats(0.0, 2.0),
        "at": st.floats(0.0, 1.0),
        "mass": st.floats(0.0, 0.09),
        "com": st.floats(0.0, 1.0),
        "inertia": st.floats(0.0, 0.009),
    },
)


@given(axis_bodies, st.floats(-2.0, 2.0), angles, tolerances, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_nothing_inside_the_tolerances_is_beyond_the_extremes(
    body: AxisBody, at: float, angle: float, allowed: dict[str, float], seed: int
) -> None:
    found = reaction_range(body, at, angle, allowed)
    rng = np.random.default_rng(seed)
    count = 4000
    nominal: dict[str, Any] = {
        "angle": angle, "at": at, "mass": body.mass, "com": body.com, "inertia": body.inertia
    }  # fmt: skip
    # Uniform, with many on the faces of the box.
    shares = np.clip(rng.uniform(-1.6, 1.6, (5, count)), -1.0, 1.0)
    drawn = {
        name: nominal[name] + share * allowed.get(name, 0.0)
        for (name, share) in zip(PARAMETERS, shares, strict=True)
    }
    coefficient = drawn["at"] * drawn["com"] * drawn["mass"]
    coefficient = coefficient / (drawn["inertia"] + drawn["mass"] * drawn["com"] ** 2)
    felt = np.asarray(ratio_of(coefficient, drawn["angle"]))
    slack = 1e-12 * (1 + found.largest.ratio)
    assert felt.max() <= found.largest.ratio + slack, "a larger reaction was drawn"
    assert felt.min() >= found.least.ratio - slack, "a smaller reaction was drawn"
    assert coefficient.min() >= found.coefficient.lower - slack
    assert coefficient.max() <= found.coefficient.upper + slack
    for extreme in (found.least, found.largest):
        assert ratio(extreme.parameters) == pytest.approx(extreme.ratio, abs=1e-12)
        for name in PARAMETERS:
            off = abs(extreme.parameters[name] - nominal[name])
            assert off <= allowed.get(name, 0.0) * (1 + 1e-12) + 1e-12, f"{name} is outside"


def test_without_tolerances_there_is_one_value() -> None:
    found = reaction_range(LINK_1, 0.8, 1.3, {})
    exact = float(reaction_ratio(LINK_1, 0.8, 1.3))  # type: ignore[arg-type]
    assert found.least.ratio == found.largest.ratio == exact
    c = float(impact_coefficient(LINK_1, 0.8))  # type: ignore[arg-type]
    assert found.coefficient == Interval(c, c)


def test_the_margin_of_tolerances_is_where_the_limit_is_met() -> None:
    allowed = {"angle": 0.02, "at": 0.01, "mass": 0.5, "com": 0.01, "inertia": 0.1}
    factor = tolerance_margin(LINK_2, 0.7, 1.5, allowed, limit=0.4)
    assert factor > 1
    scaled = {name: factor * value for name, value in allowed.items()}
    assert reaction_range(LINK_2, 0.7, 1.5, scaled).largest.ratio == pytest.approx(0.4, abs=1e-12)
    assert tolerance_margin(LINK_2, 1.0, math.pi / 2, allowed, limit=0.3) == 0.0
    assert math.isinf(tolerance_margin(LINK_2, 0.7, 1.5, {"angle": 0.1}, limit=1.0))
    assert tolerance_margin(LINK_2, 0.7, 1.5, {"mass": 10.0}, limit=1.0) == pytest.approx(2.0)
    for bad in ({"masss": 1.0}, {"mass": -1.0}):
        with pytest.raises(ModelError):
            tolerance_margin(LINK_2, 0.7, 1.5, bad, limit=0.4)


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ({"masss": 1.0}, "no tolerance of 'masss'. Did you mean 'mass'"),
        ({"at": -0.1}, "tolerance of at must be finite and ≥ 0 m, got -0.1"),
        ({"mass": 25.0}, "admit bodies that cannot be"),
        ({"inertia": 2.5, "com": 0.4}, "admit bodies that cannot be"),
    ],
)
def test_bad_tolerances_are_refused(allowed: dict[str, float], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        reaction_range(LINK_2, 0.7, 1.5, allowed)
