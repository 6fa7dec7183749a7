"""Numbers with units mean what they say, and a wrong unit is found."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Quantity
from percuss.scenario.units import UNITS, UnitError, dimension, parse_amount, parse_unit


@pytest.mark.parametrize(
    ("text", "value", "powers"),
    [
        ("70 deg", math.radians(70), dimension(rad=1)),
        ("90°", math.pi / 2, dimension(rad=1)),
        ("5 kN", 5000.0, dimension(1, 1, -2)),
        ("10 s", 10.0, dimension(s=1)),
        ("10s", 10.0, dimension(s=1)),
        ("0.5 m", 0.5, dimension(m=1)),
        ("-.5m", -0.5, dimension(m=1)),
        ("3 deg/s", math.radians(3), dimension(s=-1, rad=1)),
        ("2 kg m^2", 2.0, dimension(2, 1)),
        ("2 kg*m**2", 2.0, dimension(2, 1)),
        ("2 kg m²", 2.0, dimension(2, 1)),
        ("2 kg·m²", 2.0, dimension(2, 1)),
        ("4 N m", 4.0, dimension(2, 1, -2)),
        ("4 Nm", 4.0, dimension(2, 1, -2)),
        ("4 N m/rad", 4.0, dimension(2, 1, -2, -1)),
        ("60 rpm", 2 * math.pi, dimension(s=-1, rad=1)),
        ("1 rev/s", 2 * math.pi, dimension(s=-1, rad=1)),
        ("1 ms", 1e-3, dimension(s=1)),
        ("1 m s", 1.0, dimension(1, 0, 1)),
        ("2 min", 120.0, dimension(s=1)),
        ("9.81 m/s^2", 9.81, dimension(1, 0, -2)),
        ("9.81 m/s/s", 9.81, dimension(1, 0, -2)),
        ("9.81 m s^-2", 9.81, dimension(1, 0, -2)),
        ("3 1/s", 3.0, dimension(s=-1)),
        ("2 g", 2e-3, dimension(kg=1)),
        ("1.5 t", 1500.0, dimension(kg=1)),
        ("1e3 N/m", 1000.0, dimension(0, 1, -2)),
        ("1e-3", 1e-3, None),
        ("  7  ", 7.0, None),
    ],
)
def test_text_with_a_unit(text: str, value: float, powers: object) -> None:
    amount = parse_amount(text)
    assert amount.value == pytest.approx(value, rel=1e-15)
    assert amount.dimension == powers


def test_fractional_powers() -> None:
    m, kg, s, rad = parse_unit("N/m^1.5").dimension
    assert (m * 2, kg, s, rad) == (-1, 1, -2, 0)
    assert parse_unit("N/m^(3/2)") == parse_unit("N/m^1.5")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("abc", "not a number with a unit"),
        ("", "not a number with a unit"),
        ("deg 70", "not a number with a unit"),
        ("70 degs", "'degs' is not a unit. Did you mean 'deg'?"),
        ("70 furlong", "'furlong' is not a unit"),
        ("3 Hz", "write rev/s or rad/s"),
        ("3 m^^2", "is not a unit"),
        ("3 m/", "is not a unit"),
        ("3 m^99", "too large"),
        ("3 m^1/0", "not a power"),
        ("1 2", "is not a unit"),
    ],
)
def test_text_that_is_no_quantity(text: str, complaint: str) -> None:
    with pytest.raises(UnitError, match=complaint.replace("?", r"\?")):
        parse_amount(text)


@given(st.floats(-1e6, 1e6), st.sampled_from(sorted(UNITS)), st.sampled_from([1, 2, -1, 3]))
def test_every_unit_scales_and_keeps_its_dimension(value: float, name: str, power: int) -> None:
    amount = parse_amount(f"{value!r} {name}^{power}")
    unit = UNITS[name]
    assert amount.value == pytest.approx(value * unit.scale**power, rel=1e-14, abs=0)
    assert amount.dimension == tuple(p * power for p in unit.dimension)


@given(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_products_and_quotients(a: str, b: str) -> None:
    product, quotient = parse_unit(f"{a} {b}"), parse_unit(f"{a}/{b}")
    first, second = UNITS[a], UNITS[b]
    assert product.scale == pytest.approx(first.scale * second.scale, rel=1e-15)
    assert quotient.scale == pytest.approx(first.scale / second.scale, rel=1e-15)
    pairs = list(zip(first.dimension, second.dimension, strict=True))
    assert product.dimension == tuple(p + q for p, q in pairs)
    assert quotient.dimension == tuple(p - q for p, q in pairs)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(UnitError):
        assert isinstance(parse_amount(text).value, float)


@given(st.sampled_from(sorted(UNITS)))
def test_an_angle_takes_angles_only(name: str) -> None:
    text, unit = f"1 {name}", UNITS[name]
    angle = Quantity("rad")
    if unit.dimension == dimension(rad=1):
        assert angle.read(text) == pytest.approx(unit.scale)
        return
    with pytest.raises(RefusedError, match=r"must be a number in rad, got .*, which is"):
        angle.read(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "inf", ".nan", 10**400, 1e16])
def test_quantities_are_finite(value: object) -> None:
    with pytest.raises(RefusedError, match="number"):
        Quantity("m").read(value)


def test_limits_may_be_infinite() -> None:
    assert Quantity("N", least=0, infinite=True).read(math.inf) == math.inf
    assert Quantity("N", least=0, infinite=True).read("inf") == math.inf
    with pytest.raises(RefusedError):
        Quantity("N", least=0, infinite=True).read(math.nan)


@pytest.mark.parametrize("value", [True, None, [1], {"a": 1}, b"1", 1j])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(RefusedError, match="must be a number in m"):
        Quantity("m").read(value)
