"""What a summary amounts to: the headline, and whether each law was kept."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from percuss.report.words import flat, lookup, number, size

TOLERANCE = 1e-9
"""Change of momentum or energy, relative to its scale, that still counts as rounding."""

_PLASTIC = ("pin", "weld", "published")


class Mark(StrEnum):
    """How a verdict line is shown."""

    KEPT = "kept"
    BROKEN = "broken"
    REMARK = "remark"


def headline(summary: Mapping[str, Any], reach: float = 0.0) -> str:
    """One line in words: weld capture: impulse 1.84 N s, energy 7.5 → 6.58 J, momentum conserved.

    `reach` is the distance of the contact point from the world origin (m); it scales what
    counts as rounding in the angular momentum.
    """
    closure = lookup(summary, "impact.closure")
    if lookup(summary, "impact") is None:
        return "motion without an impact"
    kind = {True: f"{closure} capture", False: str(closure)}[closure in _PLASTIC]
    parts: list[str] = []
    impulse = size(lookup(summary, "impact.impulse"))
    if impulse is not None:
        parts.append(f"impulse {number(impulse, 3)} N s")
    before, after = (lookup(summary, f"impact.energy.{when}") for when in ("before", "after"))
    if before is not None and after is not None:
        parts.append(f"energy {number(before, 3)} → {number(after, 3)} J")
    parts.extend(_momentum_words(summary, reach))
    return f"{kind if closure else 'impact'}: {', '.join(parts)}"


def _momentum_words(summary: Mapping[str, Any], reach: float) -> list[str]:
    if fixed_base(summary):
        passed = size(_force(lookup(summary, "impact.base_impulse")))
        return [f"the fixed base passed {number(passed, 3)} N s to the world"] if passed else []
    kept = {law: is_kept(summary, law, reach) for law in ("linear momentum", "angular momentum")}
    if all(answer is True for answer in kept.values()):
        return ["momentum conserved"]
    lost = [law for law, answer in kept.items() if answer is False]
    return [f"{' and '.join(lost)} NOT conserved"] if lost else []


def fixed_base(summary: Mapping[str, Any]) -> bool:
    """Whether the base was held, so that momentum is not the chaser's and target's to keep."""
    if summary.get("mode") is not None:
        return str(summary["mode"]) == "fixed"
    passed = size(lookup(summary, "impact.base_impulse"))
    balance = lookup(summary, "balance")
    held = isinstance(balance, Mapping) and balance.get("linear_momentum", 0.0) is None
    return held or bool(passed)


def is_kept(summary: Mapping[str, Any], law: str, reach: float = 0.0) -> bool | None:
    """Whether the impact kept a law; None when the summary does not tell.

    `law` is "linear momentum", "angular momentum" (unchanged to rounding) or "energy" (never
    gained). `reach`: see `headline`.
    """
    path = f"impact.{law.replace(' ', '_')}"
    before, after = flat(lookup(summary, f"{path}.before")), flat(lookup(summary, f"{path}.after"))
    if not before or len(before) != len(after):
        return None
    if law == "energy":
        return bool(after[0] - before[0] <= TOLERANCE * max(before[0], after[0]))
    impulse = size(lookup(summary, "impact.impulse")) or 0.0
    scale = max(size(before) or 0.0, size(after) or 0.0, impulse)
    if law == "angular momentum":
        scale = max(scale, impulse * reach, size(lookup(summary, "impact.moment")) or 0.0)
    return bool(np.linalg.norm(np.subtract(after, before)) <= TOLERANCE * scale)


def mark(line: str, summary: Mapping[str, Any], reach: float = 0.0) -> Mark:
    """Kept or broken for a line that starts with the name of a law; else a remark.

    The numbers decide, not the wording. A fixed base takes momentum up, which breaks nothing.
    """
    for law in ("linear momentum", "angular momentum", "energy"):
        if line.lower().startswith(law):
            kept = is_kept(summary, law, reach)
            if kept is None or (not kept and law != "energy" and fixed_base(summary)):
                return Mark.REMARK
            return Mark.KEPT if kept else Mark.BROKEN
    return Mark.REMARK


def _force(impulse: Any) -> Any:
    """The force of {force, moment}; vectors are forces already."""
    return impulse.get("force") if isinstance(impulse, Mapping) else impulse
