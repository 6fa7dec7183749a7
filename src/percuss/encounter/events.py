"""What ends a phase of motion: a quantity that changes its sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.equations import Equations
from percuss.encounter.flat_state import FlatState

ZERO = 1e-11
"""Within that (SI) of zero at the start of a phase, only the slope of a signal tells on which
side it is. Positions of some metres are computed to 1e-14 m, and contacts located to a few times
that; a bounce on an arc lower than this is not told from rest."""


@dataclass(frozen=True)
class EventSignal:
    """A quantity of time and state that ends a phase when it changes its sign.

    Attributes:
        name: what it means.
        value: (t, q, v) → number, any scalar.
        direction: -1 where it falls through zero, +1 where it rises.
    """

    name: str
    value: Callable[[Any, Any, Any], Any]
    direction: int

    def falling(self, flat: FlatState) -> Callable[[Any, Any], Any]:
        """(t, x) → its value at a flat state, positive before it ends the phase."""

        def value(t: Any, x: Any) -> Any:
            found = self.value(t, *flat.motion(x))
            return found if self.direction < 0 else -found

        return value


@dataclass(frozen=True)
class EventSignals:
    """The signals of a phase, seen along its motion.

    `just` says that the phase begins where a signal has just changed its sign: its value there
    is zero to rounding, and only its slope tells on which side it is.
    """

    equations: Equations
    signals: tuple[EventSignal, ...]
    just: bool = False

    @property
    def compiled(self) -> kernel.Kernel:
        """(t, x) → values of all signals, turned so that each falls through zero."""
        falling, example = self.falling, np.zeros(self.equations.size)

        def values(t: Any, x: Any) -> Any:
            return np.stack([value(t, x) for value in falling])

        return self.equations.kept(
            ("signals", self.signals),
            lambda: kernel.compile(values, 0.0, example, key=kernel.fingerprint(values)),
        )

    @property
    def falling(self) -> list[Callable[[Any, Any], Any]]:
        """(t, x) → value of each signal, turned so that it falls through zero."""
        return [signal.falling(self.equations.flat) for signal in self.signals]

    def over_at_once(self, begin: float) -> int | None:
        """The first signal that has its last sign from the start at `begin` (s).

        None where the phase begins just after a change.
        """
        if self.just:
            return None
        values = np.asarray(self.compiled(begin, self.equations.start))
        inside = np.flatnonzero(values <= 0.0)
        return int(inside[0]) if len(inside) else None
