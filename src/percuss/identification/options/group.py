"""What an option is: a number with its reason, and what is allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

from percuss.model.errors import ModelError


@dataclass(frozen=True)
class DescribedOption:
    """What is written of one option.

    Attributes:
        name: with that of its group, `descent.longest_step`.
        value: the default.
        what: what it is, with its unit.
        why: its reason.
        held: what holds it: what happens to campaign cases if it is smaller or larger, or a test.
        allowed: in words.
    """

    name: str
    value: Any
    what: str
    why: str
    held: str
    allowed: str


@dataclass(frozen=True)
class _Limits:
    """Between which a number may lie."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None

    def holds(self, value: float) -> bool:
        return (
            (self.above is None or value > self.above)
            and (self.least is None or value >= self.least)
            and (self.below is None or value < self.below)
            and (self.most is None or value <= self.most)
        )

    @property
    def words(self) -> str:
        parts = (("> {:g}", self.above), ("≥ {:g}", self.least))
        upper = (("< {:g}", self.below), ("≤ {:g}", self.most))
        said = [text.format(x) for text, x in (*parts, *upper) if x is not None]
        return " and ".join(said)


def option(
    default: Any,
    what: str,
    why: str,
    *,
    held: str = "",
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> Any:
    """A field with its words; a number is > 0 where nothing else is said."""
    if above is None and least is None:
        above = 0.0
    limits = _Limits(above, least, below, most)
    return field(
        default=default, metadata={"what": what, "why": why, "held": held, "limits": limits}
    )


@dataclass(frozen=True)
class OptionGroup:
    """Numbers with their reasons, of what is allowed only; `group` is what they are called by."""

    group: ClassVar[str]

    def __post_init__(self) -> None:
        for each in fields(self):
            _refuse(f"{self.group}.{each.name}", getattr(self, each.name), each)

    @classmethod
    def described(cls) -> list[DescribedOption]:
        """What is written of every field, in order."""
        found: list[DescribedOption] = []
        for each in fields(cls):
            words = each.metadata
            found.append(
                DescribedOption(
                    name=f"{cls.group}.{each.name}",
                    value=each.default,
                    what=words["what"],
                    why=words["why"],
                    held=words["held"],
                    allowed=_allowed(each.default, words["limits"]),
                )
            )
        return found


def _refuse(name: str, value: Any, each: Any) -> None:
    """ModelError where a value is none that is allowed."""
    limits, default = each.metadata["limits"], each.default
    allowed = _allowed(default, limits)
    if isinstance(default, tuple):
        given = value if isinstance(value, tuple) else ()
        good = bool(given) and all(_is_finite(x) and limits.holds(x) for x in given)
    elif isinstance(default, int):
        good = _is_finite(value) and isinstance(value, Integral) and limits.holds(value)
    else:
        good = _is_finite(value) and limits.holds(value)
    if not good:
        raise ModelError(f"{name} must be {allowed}, got {value!r}")


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _allowed(default: Any, limits: _Limits) -> str:
    bounds = limits.words
    if isinstance(default, tuple):
        return f"a tuple of finite numbers {bounds}" if bounds else "a tuple of finite numbers"
    return f"a whole number {bounds}" if isinstance(default, int) else f"finite and {bounds}"


G = TypeVar("G", bound=OptionGroup)


def documented(group: type[G]) -> type[G]:
    """The class with every field in its docstring."""
    lines = [str(group.__doc__).rstrip(), "", "    Attributes:"]
    for each in fields(group):
        words = each.metadata
        said = " ".join(part for part in (words["what"], words["why"], words["held"]) if part)
        lines.append(f"        {each.name}: {said}")
    group.__doc__ = "\n".join(lines) + "\n"
    return group
