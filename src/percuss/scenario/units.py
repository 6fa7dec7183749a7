"""Numbers with units: "70 deg", "5 kN", "2 kg m^2", "3 deg/s" become SI values.

A unit is made of factors, `N m`, `kg*m**2`, `m/s^2`, `kg m²`; a `/` divides by the factor right
after it. Powers may be fractions (`N/m^1.5`). SI prefixes go before m, g, s, rad, N, J, W, Pa.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from percuss.model.errors import closest

Dimension = tuple[Fraction, Fraction, Fraction, Fraction]
"""Powers of m, kg, s and rad. The angle counts, so that 3 m is no angle."""


@dataclass(frozen=True)
class Unit:
    """A unit: `scale` takes a number in it to SI."""

    scale: float
    dimension: Dimension


@dataclass(frozen=True)
class Amount:
    """A number in SI, and its dimension: None when it was written without a unit."""

    value: float
    dimension: Dimension | None


class UnitError(ValueError):
    """A text that is no number with a unit."""


def dimension(m: int = 0, kg: int = 0, s: int = 0, rad: int = 0) -> Dimension:
    """The dimension of these powers."""
    return (Fraction(m), Fraction(kg), Fraction(s), Fraction(rad))


_BASIC = {
    "m": (1.0, dimension(m=1)),
    "g": (1e-3, dimension(kg=1)),
    "s": (1.0, dimension(s=1)),
    "rad": (1.0, dimension(rad=1)),
    "N": (1.0, dimension(1, 1, -2)),
    "J": (1.0, dimension(2, 1, -2)),
    "W": (1.0, dimension(2, 1, -3)),
    "Pa": (1.0, dimension(-1, 1, -2)),
    "Nm": (1.0, dimension(2, 1, -2)),
}
_DEGREE = (math.pi / 180.0, dimension(rad=1))
_PLAIN = {
    "t": (1000.0, dimension(kg=1)),
    "min": (60.0, dimension(s=1)),
    "h": (3600.0, dimension(s=1)),
    "deg": _DEGREE,
    "degree": _DEGREE,
    "degrees": _DEGREE,
    "°": _DEGREE,
    "rev": (2.0 * math.pi, dimension(rad=1)),
    "rpm": (2.0 * math.pi / 60.0, dimension(s=-1, rad=1)),
}
_PREFIXES = {
    "n": 1e-9,
    "u": 1e-6,
    "µ": 1e-6,
    "μ": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 1e-1,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
}
UNITS: dict[str, Unit] = {
    name: Unit(scale, powers)
    for name, (scale, powers) in [
        *((p + n, (f * s, d)) for p, f in _PREFIXES.items() for n, (s, d) in _BASIC.items()),
        *_BASIC.items(),
        *_PLAIN.items(),
    ]
}
"""Every symbol that stands for a unit. Plain names win over prefixes: min is a minute."""

_COMMON = "m mm cm km kg g t s ms min h rad deg N kN Nm J W Pa rpm rev".split()
"""What is suggested to someone who mistyped."""

_SPELLED = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "mins": "min", "minute": "min", "minutes": "min",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "meter": "m", "meters": "m", "metre": "m", "metres": "m",
    "kilogram": "kg", "kilograms": "kg", "gram": "g", "grams": "g",
    "ton": "t", "tons": "t", "tonne": "t", "tonnes": "t",
    "radian": "rad", "radians": "rad",
    "newton": "N", "newtons": "N", "joule": "J", "joules": "J",
}  # fmt: skip
"""How units are written elsewhere."""

_COMMA = re.compile(r"\s*[-+]?\d+(,\d+)+(\.\d*)?")
_NUMBER = re.compile(r"\s*([-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\.?inf|\.?nan))", re.I)
_POWER = r"\^|\*\*"
_FACTOR = re.compile(
    rf"\s*(?P<operator>/|\*(?!\*)|·)?\s*(?P<name>[A-Za-zµμ]+|°|1(?=\s*/))"
    rf"(?:\s*(?:{_POWER})\s*\(?\s*(?P<power>[-+]?\d+(?:\.\d+|/\d+)?)\s*\)?|(?P<raised>[⁻²³⁴]+))?"
)
_RAISED = str.maketrans("⁻²³⁴", "-234")


def parse_amount(text: str) -> Amount:
    """A number with or without a unit; UnitError says what is wrong with it.

    >>> parse_amount("5 kN").value
    5000.0
    >>> parse_amount("2.5e-3").value
    0.0025
    """
    comma = _COMMA.match(text)
    if comma:
        raise UnitError(_without_comma(comma))
    number = _NUMBER.match(text)
    if not number:
        raise UnitError("not a number with a unit")
    value = float(number[1].lower().replace(".inf", "inf").replace(".nan", "nan"))
    unit = text[number.end() :].strip()
    if not unit:
        return Amount(value, None)
    parsed = parse_unit(unit)
    return Amount(value * parsed.scale, parsed.dimension)


def _without_comma(comma: re.Match[str]) -> str:
    """What to write instead of a number with commas."""
    written = comma[0].strip()
    if written.count(",") > 1 or comma[2]:
        return f"a number has no commas: write {written.replace(',', '')}"
    return f"a number has a decimal point, not a comma: write {written.replace(',', '.')}"


@cache
def parse_unit(text: str) -> Unit:
    """A unit such as `kg m^2`; UnitError names the part that is none."""
    scale, powers = 1.0, dimension()
    position = 0
    while position < len(text):
        factor = _FACTOR.match(text, position)
        if not factor:
            raise UnitError(f"{text[position:].strip()!r} is not a unit")
        power = _power(factor)
        if abs(power) > 9:
            raise UnitError(f"the power {power} in {text!r} is too large")
        name = factor["name"]
        if name != "1":
            known = _unit(name)
            scale *= known.scale ** float(power)
            a, b, c, d = (p + power * q for p, q in zip(powers, known.dimension, strict=True))
            powers = (a, b, c, d)
        position = factor.end()
        if not text[position:].strip():
            break
    return Unit(scale, powers)


def _power(factor: re.Match[str]) -> Fraction:
    written = factor["power"] or (factor["raised"] or "1").translate(_RAISED)
    try:
        power = Fraction(written)
    except (ValueError, ZeroDivisionError):
        raise UnitError(f"{written!r} is not a power") from None
    return -power if factor["operator"] == "/" else power


def _unit(name: str) -> Unit:
    if name in UNITS:
        return UNITS[name]
    if name == "Hz":
        raise UnitError("'Hz' may mean turns or radians per second: write rev/s or rad/s")
    if name.lower() in _SPELLED:
        raise UnitError(f"{name!r} is not a unit: write {_SPELLED[name.lower()]}")
    raise UnitError(f"{name!r} is not a unit.{closest(name, _COMMON)}")


_NAMES = {
    "length": "m",
    "mass": "kg",
    "time": "s",
    "angle": "rad",
    "velocity": "m/s",
    "angular velocity": "rad/s",
    "acceleration": "m/s^2",
    "force": "N",
    "torque": "N m",
    "moment of inertia": "kg m^2",
    "stiffness": "N/m",
    "damping": "N s/m",
}


def in_words(powers: Dimension) -> str:
    """ "a length" for a dimension that has a name, else its unit in SI."""
    for name, unit in _NAMES.items():
        if parse_unit(unit).dimension == powers:
            return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
    parts = [
        base if power == 1 else f"{base}^{power}"
        for base, power in zip(("m", "kg", "s", "rad"), powers, strict=True)
        if power
    ]
    return f"in {' '.join(parts)}" if parts else "a pure number"
