"""What ends a stretch of motion: a quantity that changes its sign, found to rounding."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.kernel import tracing
from percuss.model.document import system_to_dict
from percuss.simulate.equations import Equations, code_fingerprint

ZERO = 1e-9
"""Below that (SI) a value that has just changed its sign is taken for zero."""
_HALVINGS = 12
"""How often the interval between two looks at a signal is divided at most."""
_ASIDE = 0.4142
"""Where in an interval it is looked at again: off the middle, which a signal that comes back after
half the interval would pass by."""
_OPEN = 0.1
"""Share of a signal's value up to which the cubic through two looks may be off between them."""


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

    @cached_property
    def compiled(self) -> kernel.Kernel:
        """(t, x, dx/dt) → values and slopes of all signals, turned so that each falls through
        zero."""
        example = np.zeros(self.equations.size)
        return kernel.compile(self._along, 0.0, example, example, key=self.key)

    @cached_property
    def key(self) -> str | None:
        """Determines what is compiled: the code, the bodies and the signals."""
        known = [
            f"{signal.direction} {signal.key}" for signal in self.signals if signal.key is not None
        ]
        if len(known) < len(self.signals) or self.equations.stage.tree is None:
            return None
        bodies = json.dumps(system_to_dict(self.equations.stage.tree))
        parts = [code_fingerprint(), bodies, str(self.equations.slices), *known]
        return "\n".join(["watch", *parts])

    def along(self, equations: Equations, just: bool) -> Watch:
        """The same signals along another motion under the same equations; shares what was
        compiled."""
        _ = self.compiled  # kept with the first use, and only then part of a copy
        other = copy(self)
        object.__setattr__(other, "equations", equations)
        object.__setattr__(other, "just", just)
        return other

    def falling(self, signal: Signal, t: Any, x: Any) -> Any:
        """The signal's value at a flat state, positive before it ends the stretch."""
        value = signal.value(t, *self.equations.state(x))
        return value if signal.direction < 0 else -value

    def _along(self, t: Any, x: Any, rates: Any) -> tuple[Any, Any]:
        def values(time: Any, at: Any) -> Any:
            return np.stack([self.falling(signal, time, at) for signal in self.signals])

        return tracing.jvp(values, (t, x), (1.0, rates))

    def at(self, t: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and slopes, each (signals,) or (signals, times)."""
        rates, _ = self.equations.compiled(t, x)
        values, slopes = self.compiled(t, x, rates)
        return np.asarray(values), np.asarray(slopes)

    def over_at_once(self, begin: float) -> int | None:
        """The first signal that has its last sign from the start at `begin` (s).

        None where the stretch begins just after a change.
        """
        if self.just:
            return None
        values, _ = self.at(begin, self.equations.start)
        inside = np.flatnonzero(values <= 0.0)
        return int(inside[0]) if len(inside) else None

    def first(
        self, times: np.ndarray, state: Callable[[np.ndarray], np.ndarray], *, begins: bool
    ) -> tuple[np.ndarray, tuple[float, int] | None]:
        """When and which of the signals first falls through zero between the times (s).

        Args:
            times: increasing, shape (n,): values and slopes are looked at there.
            state: times (n,) → flat states (entries, n) between them.
            begins: whether the stretch begins at the first of the times.

        Returns:
            The times at which the signals were looked at, those given and others between them;
            and the time of the first fall with the index of its signal, None where none falls.
        """
        just = begins and self.just
        times, values, slopes = self._resolved(times, state, just)
        found: tuple[float, int] | None = None
        for k in range(len(self.signals)):
            when = self._first_of(k, times, values[k], slopes[k], state, just)
            if when is not None and (found is None or when < found[0]):
                found = when, k
        return times, found

    def _resolved(
        self, times: np.ndarray, state: Callable[[np.ndarray], np.ndarray], just: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times close enough for what happens between them to show, with values and slopes.

        A state that changes evenly is integrated in long steps, while a signal of it may come
        and go many times: a point of a turning body does.
        """
        values, slopes = self.at(times, state(times))
        unsure = np.ones(len(times) - 1, bool)
        for _ in range(_HALVINGS):
            left = np.flatnonzero(unsure)
            if not len(left):
                break
            width = times[left + 1] - times[left]
            inner = times[left] + _ASIDE * width
            there, slope = self.at(inner, state(inner))
            expected = _cubic(values, slopes, left, width)
            least = np.minimum(np.minimum(values[:, left], values[:, left + 1]), there)
            if just and left[0] == 0:
                least[:, 0] = np.minimum(values[:, 1], there[:, 0])
            rounding = 1e-13 * (np.abs(values[:, left]) + np.abs(values[:, left + 1]))
            # Once a value is below zero there is no need to look closer.
            off = np.abs(there - expected) > np.maximum(_OPEN * np.abs(least), rounding)
            wrong = np.asarray((off & (least > 0.0)).any(axis=0))
            new = np.flatnonzero(wrong | (there <= 0.0).any(axis=0))
            at = left[new] + 1
            times = np.insert(times, at, inner[new])
            values = np.insert(values, at, there[:, new], axis=1)
            slopes = np.insert(slopes, at, slope[:, new], axis=1)
            unsure = np.zeros(len(times) - 1, bool)
            place = left[new] + np.arange(len(new))
            unsure[place], unsure[place + 1] = wrong[new], wrong[new]
        return times, values, slopes

    def _first_of(
        self,
        k: int,
        times: np.ndarray,
        values: np.ndarray,
        slopes: np.ndarray,
        state: Callable[[np.ndarray], np.ndarray],
        just: bool,
    ) -> float | None:
        def at(t: float) -> tuple[float, float]:
            value, slope = self.at(t, state(np.array([t]))[:, 0])
            return float(value[k]), float(slope[k])

        for i in range(len(times) - 1):
            a, b = float(times[i]), float(times[i + 1])
            left = just and i == 0 and abs(values[0]) < ZERO
            if left and slopes[0] <= 0.0 and (slopes[0] < -ZERO or values[1] <= 0.0):
                # On zero and not leaving it on the right side: it is over at once.
                return a
            if not (left or values[i] > 0.0):
                continue
            if values[i + 1] <= 0.0:
                return _crossing(at, a, b, float(values[0]) if left else None)
            if slopes[i] < 0.0 < slopes[i + 1]:
                # It turns round between the two: it may have been below for a moment.
                lowest = _root(lambda t: at(t)[1], a, b)
                if at(lowest)[0] <= 0.0:
                    return _crossing(at, a, lowest, None)
        return None


def _cubic(
    values: np.ndarray, slopes: np.ndarray, left: np.ndarray, width: np.ndarray
) -> np.ndarray:
    """Of the cubics through values and slopes at both ends, what they are at _ASIDE."""
    s, r = _ASIDE, 1.0 - _ASIDE
    ends = (1.0 + 2.0 * s) * r * r * values[:, left] + s * s * (3.0 - 2.0 * s) * values[:, left + 1]
    return ends + width * s * r * (r * slopes[:, left] - s * slopes[:, left + 1])


def _crossing(
    at: Callable[[float], tuple[float, float]], a: float, b: float, start: float | None
) -> float:
    """Where the value falls through zero in (a, b]; `start` is its value at a zero at a."""
    if start is None:
        return _root(lambda t: at(t)[0], a, b)
    slope = at(a)[1]
    # The zero at the beginning is divided out, so that only the next one is found.
    return _root(lambda t: (at(t)[0] - start) / (t - a) if t > a else slope, a, b)


def _root(function: Callable[[float], float], a: float, b: float) -> float:
    from scipy.optimize import brentq

    fa, fb = function(a), function(b)
    if fa == 0.0 or fb == 0.0 or (fa > 0.0) == (fb > 0.0):
        return a if fa == 0.0 else b
    return float(brentq(function, a, b, xtol=4e-16 * max(1.0, abs(b)), rtol=1e-15))  # type: ignore[arg-type]
