"""What is watched along the motions of an ensemble, as entries and events of a rollout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.ensemble.measures import Make
from percuss.encounter.equations import Equations
from percuss.encounter.events import ZERO, EventSignal
from percuss.kernel.tracing.derivatives import jvp
from percuss.kinematics.manifold import coordinate_rates

MOST_TOUCHES = 2_000
"""Of one case."""

Watched = Callable[[Any, Equations], EventSignal]
"""The signal of a case from its parameters and equations."""


@dataclass(frozen=True)
class Ending:
    """A signal of the coordinates that ends a phase when it falls through zero.

    It is integrated along with the state: so the steps follow it, also where the bodies drift so
    evenly that a single step would take them past each other. Where it turns round is an event
    too, which keeps the smallest value. The last four entries of the state are the signal, its
    slope, its smallest value, and when that was.
    """

    make: Make
    watched: Watched
    size: int
    """Entries of the equations' own state."""

    extras = 4

    def value(self, equations: Equations, t: Any, x: Any, p: Any) -> Any:
        """The signal, positive before it ends the phase."""
        return _falling(self.watched, equations, t, x[: self.size], p=p)

    def slope(self, equations: Equations, t: Any, x: Any, p: Any) -> Any:
        """d/dt of the signal."""
        core = x[: self.size]
        change = coordinate_rates(equations.system, *equations.state(core))
        place = equations.slices["q"]
        along = np.concatenate([np.zeros(place.start), change, np.zeros(self.size - place.stop)])
        return jvp(lambda at: self.value(equations, t, at, p), (core,), (along,))[1]

    def rates(
        self, equations: Equations, t: Any, core: Any, rates: Any, *, p: Any
    ) -> tuple[Any, ...]:
        """d/dt of the extra entries, along the rates of the state."""
        slope, change = jvp(lambda at: self.slope(equations, t, at, p), (core,), (rates,))
        return slope, change, 0.0, 0.0

    def events(self) -> list[kernel.Event]:
        def kept(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u
            value = self.value(self.make(p), t, x, p)
            lowest = np.where(value < x[-2], np.stack([value, t]), x[-2:])
            return np.concatenate([x[:-2], lowest])

        return [
            kernel.Event(
                lambda t, x, u, p: self.value(self.make(p), t, x, p),  # noqa: ARG005
                direction=-1,
                terminal=True,
                zero=ZERO,
            ),
            kernel.Event(lambda t, x, u, p: x[-3], direction=1, action=kept),  # noqa: ARG005
        ]


@dataclass(frozen=True)
class Pushing:
    """A signal that is positive while a contact pushes: how often, and for how long.

    The last entries of the state are the impulse of the contact when it last began (N s), how
    often it began, how often it ended, and the times at which it ended less those at which it
    began (s).
    """

    make: Make
    watched: Watched
    size: int

    impulse: slice
    """Where the impulse of the contact is in the state."""

    @property
    def extras(self) -> int:
        return 3 + self.impulse.stop - self.impulse.start

    def rates(
        self, equations: Equations, t: Any, core: Any, rates: Any, *, p: Any
    ) -> tuple[Any, ...]:
        del equations, t, core, rates, p
        return (0.0,) * self.extras

    def events(self) -> list[kernel.Event]:
        def value(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u
            return -_falling(self.watched, self.make(p), t, x[: self.size], p=p)

        def begun(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u, p
            counts = np.stack([x[-3] + 1.0, x[-2], x[-1] - t])
            return np.concatenate([x[: self.size], x[self.impulse], counts])

        def ended(t: Any, x: Any, u: Any, p: Any) -> Any:
            del u, p
            return np.concatenate([x[:-2], np.stack([x[-2] + 1.0, x[-1] + t])])

        return [
            kernel.Event(value, direction=1, action=begun, zero=ZERO, most=MOST_TOUCHES),
            kernel.Event(value, direction=-1, action=ended, zero=ZERO),
        ]


@dataclass(frozen=True)
class Settling:
    """When the driven rates last fell to bounds that the parameters tell, all kinds of them."""

    squares: Callable[[Any], Any]
    """State → squares of the sizes by kind (rad²/s², m²/s²)."""

    extras = 0

    def rates(
        self, equations: Equations, t: Any, core: Any, rates: Any, *, p: Any
    ) -> tuple[Any, ...]:
        del equations, t, core, rates, p
        return ()

    def events(self) -> list[kernel.Event]:
        def above(t: Any, x: Any, u: Any, p: Any) -> Any:
            del t, u
            # One event for all kinds: under one law they often fall to their bounds together.
            return np.max(np.stack(list(self.squares(x))) / p["bounds"] ** 2) - 1.0

        return [kernel.Event(above, direction=-1)]


def _falling(watched: Watched, equations: Equations, t: Any, core: Any, *, p: Any) -> Any:
    signal = watched(p, equations)
    value = signal.value(t, *equations.state(core))
    return value if signal.direction < 0 else -value
