"""Numbers and short sentences as a reader sees them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from percuss.encounter.records.control import Setting

Row = tuple[str, str, str]
"""Name, value and remark of a table, as plain text."""

_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: float | None, digits: int = 4) -> str:
    """A number with significant digits, a true minus and a written power: −1.841, 2.2×10⁻¹⁶.

    What is not finite or not there is a dash.

    >>> number(-1.84143), number(2.2e-16), number(12345678.0), number(1000.0, 3)
    ('−1.841', '2.2×10⁻¹⁶', '1.235×10⁷', '1000')
    """
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{float(value):.{digits}g}"
    if "e" in text and not 1.0 <= abs(float(text)) < 1e5:
        mantissa, _, exponent = text.partition("e")
        return f"{_minus(mantissa)}×10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    # "7.5" and "7.500" say the same; short numbers read better.
    plain = f"{float(text):.0f}" if "e" in text else text
    return _minus("0" if float(text) == 0 else plain)


def digits_for(value: float | None, sigma: float | None) -> int:
    """Significant digits of a value of which the last two are those of its standard deviation.

    >>> digits_for(-0.399999, 3.2e-5), digits_for(14.84, 0.24), digits_for(None, None)
    (6, 4, 4)
    """
    if not value or not sigma:
        return 4
    places = math.floor(math.log10(abs(value))) - math.floor(math.log10(sigma)) + 2
    return max(2, min(12, places))


def vector(values: ArrayLike | None, unit: str, digits: int = 4) -> str:
    """(−1.841, 0) N s; a single entry stands without brackets.

    Entries that are rounding beside the largest are zero to a reader.

    >>> vector([-1.84, 1e-17], "N s"), vector(-0.5, "N m s")
    ('(−1.84, 0) N s', '−0.5 N m s')
    """
    entries = flat(values)
    if not entries:
        return "–"
    finite = [abs(x) for x in entries if math.isfinite(x)]
    noise = 1e-13 * max(finite, default=0.0)
    shown = [number(0.0 if abs(x) < noise else x, digits) for x in entries]
    return f"{shown[0]} {unit}" if len(shown) == 1 else f"({', '.join(shown)}) {unit}"


def flat(values: ArrayLike | None) -> list[float]:
    """Floats of a scalar, a list or an array; nothing for None."""
    if values is None:
        return []
    return [float(x) for x in np.asarray(values, dtype=float).reshape(-1)]


def size(values: ArrayLike | None) -> float | None:
    """Euclidean length of a scalar or vector; None where there is nothing."""
    entries = flat(values)
    return math.sqrt(math.fsum(x * x for x in entries)) if entries else None


def listed(items: Iterable[str]) -> str:
    """a, b and c.

    >>> listed(["one", "two", "three"]), listed(["one"])
    ('one, two and three', 'one')
    """
    parts = list(items)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def said(value: Setting) -> str:
    """A value of a document in words; numbers short, lists in brackets.

    >>> said({"at": 30.0, "base": "stay"}), said([1.0, 0.25])
    ('at 30, base stay', '(1, 0.25)')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {said(entry)}" for name, entry in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"({', '.join(said(entry) for entry in value)})"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return str(value)


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "bounce"), counted(3, "bounce")
    ('1 bounce', '3 bounces')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _minus(text: str) -> str:
    return text.replace("-", "−")
