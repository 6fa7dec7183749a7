"""What ends a stretch of motion: a quantity that changes its sign."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.equations import Equations, code_fingerprint
from percuss.model.document import system_to_dict

ZERO = 1e-11
"""Within that (SI) of zero at the start of a stretch, only the slope of a signal tells on which
side it is. Positions of some metres are computed to 1e-14 m, and contacts located to a few times
that; a bounce on an arc lower than this is not told from rest."""


@dataclass(frozen=True)
class Signal:
    """A quantity of time and state that ends a stretch when it changes its sign.

    Attributes:
        name: what it means.
        value: (t, q, v) → number, any scalar.
        direction: -1 where it falls through zero, +1 where it rises.
        key: text that determines the quantity, None where there is no such text.
    """

    name: str
    value: Callable[[Any, Any, Any], Any]
    direction: int
    key: str | None


@dataclass(frozen=True)
class Watch:
    """The signals of a stretch, seen along its motion.

    `just` says that the stretch begins where a signal has just changed its sign: its value there
    is zero to rounding, and only its slope tells on which side it is.
    """

    equations: Equations
    signals: tuple[Signal, ...]
    just: bool = False

    @property
    def compiled(self) -> kernel.Kernel:
        """(t, x) → values of all signals, turned so that each falls through zero."""
        example = np.zeros(self.equations.size)
        return self.equations.kept(
            ("signals", self.signals),
            lambda: kernel.compile(self._values, 0.0, example, key=self.key),
        )

    @cached_property
    def key(self) -> str | None:
        """Determines what is compiled: the code, the bodies and the signals."""
        known = [
            f"{signal.direction} {signal.key}" for signal in self.signals if signal.key is not None
        ]
        if len(known) < len(self.signals):
            return None
        bodies = json.dumps(system_to_dict(self.equations.stage.tree))
        parts = [code_fingerprint(), bodies, str(self.equations.slices), *known]
        return "\n".join(["watch", *parts])

    def falling(self, signal: Signal, t: Any, x: Any) -> Any:
        """The signal's value at a flat state, positive before it ends the stretch."""
        value = signal.value(t, *self.equations.state(x))
        return value if signal.direction < 0 else -value

    def _values(self, t: Any, x: Any) -> Any:
        return np.stack([self.falling(signal, t, x) for signal in self.signals])

    def over_at_once(self, begin: float) -> int | None:
        """The first signal that has its last sign from the start at `begin` (s).

        None where the stretch begins just after a change.
        """
        if self.just:
            return None
        values = np.asarray(self.compiled(begin, self.equations.start))
        inside = np.flatnonzero(values <= 0.0)
        return int(inside[0]) if len(inside) else None
