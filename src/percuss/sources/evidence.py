"""What it takes to call a formula wrong: two numbers that should be equal and are not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Evidence:
    """A quantity by the printed formula and by the right one.

    `general` is the same quantity by percuss's general functions, which know nothing of the
    document; None where the right value itself comes from a simulation by them.
    """

    quantity: str
    unit: str
    printed: tuple[float, ...]
    right: tuple[float, ...]
    general: tuple[float, ...] | None

    @staticmethod
    def of(quantity: str, unit: str, printed: Any, right: Any, *, general: Any = None) -> Evidence:
        """The evidence in numbers or arrays."""
        return Evidence(
            quantity=quantity,
            unit=unit,
            printed=_entries(printed),
            right=_entries(right),
            general=None if general is None else _entries(general),
        )

    @property
    def scale(self) -> float:
        """Size of the quantity, which rounding is relative to."""
        return max(1.0, *(abs(x) for x in (*self.printed, *self.right)))

    @cached_property
    def difference(self) -> float:
        """Largest |printed - right|, in the unit."""
        return float(np.max(np.abs(np.subtract(self.printed, self.right))))

    @cached_property
    def disagreement(self) -> float | None:
        """Largest |right - general|, in the unit."""
        if self.general is None:
            return None
        return float(np.max(np.abs(np.subtract(self.right, self.general))))

    @property
    def differs(self) -> bool:
        """Whether the printed value is wrong by more than rounding."""
        return self.difference > 1e-9 * self.scale

    @property
    def confirmed(self) -> bool:
        """Whether the right value is that of the general functions, where there is one."""
        return self.disagreement is None or self.disagreement < 1e-9 * self.scale

    @property
    def verdict(self) -> str:
        """Wrong, and confirmed by what."""
        if not self.differs:
            return "no difference"
        if self.disagreement is None:
            return "wrong: shown by simulation"
        return "wrong: confirmed" if self.confirmed else "wrong: not confirmed"

    def data(self) -> dict[str, Any]:
        """The evidence as plain data."""
        return {
            "quantity": self.quantity,
            "unit": self.unit,
            "printed": list(self.printed),
            "right": list(self.right),
            "general": None if self.general is None else list(self.general),
            "difference": self.difference,
            "verdict": self.verdict,
        }


def _entries(values: Any) -> tuple[float, ...]:
    return tuple(float(x) + 0.0 for x in np.atleast_1d(np.asarray(values, float)).ravel())
