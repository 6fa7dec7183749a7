"""Numbers and texts that programs stumble over."""

from __future__ import annotations

import math
from random import Random
from typing import Any

NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 2, 0.5, 1e-300, 5e-324, 1e-30, 1e-12, 1e-6, 1e6, 1e9, 1e12, 1e15, 1e16, 1e30,
    1e150, 1e154, 1e300, 1.7e308, -1e308, math.nan, math.inf, -math.inf, 2**31, 2**53 + 1, 2**63,
    10**30, 10**400, math.pi, -math.pi, 1 / 3, True, False,
)  # fmt: skip

TEXTS: tuple[str, ...] = (
    "", " ", "a", "null", "none", "yes", "~", "nan", "inf", "-inf", "1e400", "0x10", "1_000", "١٢",
    "70 deg", "5 kN", "3 m", "-2 s", "1 m^^2", "1e308 km", "kg", "1 kg kg", "%", "5 %", "1/0 m",
    "é", "日本", "a\u202eb", "\u200b", "\x1b[31mred\x1b[0m", "\x07", "\x00", "a\nb", "a\rb", "\\",
    "[bold]x[/bold]", "[/]", "$x^2$", "<b>&amp;", "'; --", "../..", "/dev/zero", "/dev/null",
    "/proc/self/mem", ".", "..", "{}", "[]", "{a: 1}", "*a", "&a", "!!python/name:os.system",
    "%s%n", "{0}", "x" * 300, "x" * 20_000, "\ud83d\ude00", "\udcff", "\ufeff", "\uffff", "--help",
)  # fmt: skip

UNITS = ("", " m", " mm", " km", " kg", " g", " s", " ms", " min", " rad", " deg", " deg/s", " N",
         " kN", " N m", " rad/s", " m/s", " %", " kg m^2", " Hz", " J", " parsec")  # fmt: skip


def hostile_number(rng: Random, old: float | None = None) -> Any:
    """A number that is odd by itself, or beside the one that it replaces."""
    if old is None or rng.random() < 0.3:
        return rng.choice(NUMBERS)
    return shifted(rng, old)


def shifted(rng: Random, old: float) -> float:
    """A number that has something to do with the old one: near it, or powers of ten away."""
    kind = rng.randrange(6)
    if kind == 0 or abs(old) > 1e300:
        return -old
    if kind == 1:
        return old * (1 + rng.choice((-1, 1)) * 10.0 ** -rng.randint(1, 16))
    if kind == 2:
        return old + rng.gauss(0.0, 1.0)
    if kind == 3:
        return old * rng.uniform(0.2, 5.0)
    try:
        return old * 10.0 ** rng.choice((-12, -9, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9, 12))
    except OverflowError:
        return math.inf


def hostile_text(rng: Random) -> str:
    """A text that means something to one of the layers it passes through."""
    if rng.random() < 0.15:
        return f"{hostile_number(rng)}{rng.choice(UNITS)}"
    return rng.choice(TEXTS)
