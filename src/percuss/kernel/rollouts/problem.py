"""What a rollout integrates, on flat vectors: the user's functions seen from inside the loop."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.event import Event
from percuss.kernel.rollouts.extremes import Extremes
from percuss.kernel.rollouts.methods import RK4, Adaptive, Dop853, ErrorControlled, Method
from percuss.kernel.rollouts.methods.error_norm import ErrorNorm
from percuss.kernel.rollouts.methods.linearisation import Linearisation
from percuss.kernel.rollouts.methods.quaternions import nearly_unit, projected
from percuss.kernel.rollouts.shelf import Shelf, settings_of
from percuss.kernel.rollouts.statistics import InForce, Integral, Quantity, Statistic
from percuss.kernel.tracing.parts import Part
from percuss.kernel.tracing.writing import real

Array = Any
Tree = Any
"""Nested containers of arrays: see `percuss.kernel.trees`."""


@dataclass(frozen=True)
class Controller:
    """A control law with memory.

    Attributes:
        law: (t, x, memory, p) → (command, memory).
        memory: the memory before the first call, the same for all cases; nested containers of
            numbers or arrays, None when there is none. (What differs from case to case belongs
            in the parameters.)
        period: s. The law is sampled at start + k·period and its command held in between. None:
            the command follows the state within the step, while the memory the law returns at
            the beginning of a step is the one it sees from the next step on.
    """

    law: Callable[[Any, Any, Any, Any], tuple[Any, Any]]
    memory: Any = None
    period: float | None = None

    def __post_init__(self) -> None:
        if self.period is not None and not (self.period > 0 and math.isfinite(self.period)):
            raise KernelError(f"a controller's period must be > 0 s or None, got {self.period!r}")


class RolloutProblem:
    """The user's functions over the flat vector z = (state, integrals).

    `held` is the command of a sampled controller, None otherwise.
    """

    def __init__(
        self,
        f: Callable[[Any, Any, Any, Any], Any],
        *,
        state: Tree,
        parameters: Tree,
        method: Method,
        controller: Controller | None,
        statistics: Mapping[str, Statistic],
        events: Sequence[Event],
        quaternions: Sequence[int | slice],
        dtype: np.dtype[Any],
        key: str | None = None,
    ) -> None:
        self.method = method
        self._key = key
        # Traced once and called wherever they are used, so that each is in the code once. Methods
        # that add up their stages in loops find the rates of each in a row.
        self._f = Part(f)
        self._rates = Part(self._rates_at, whole=isinstance(method, (Adaptive, Dop853)))
        self.controller = controller and replace(controller, law=Part(controller.law))
        self.statistics = {
            name: statistic if value is None else replace(statistic, value=Part(value))
            for name, statistic, value in ((n, s, s.value) for n, s in statistics.items())
        }
        self.events = tuple(map(_with_parts, events))
        self.dtype = dtype
        leaves, self.state_tree = trees.flatten(state)
        self.state_shapes = [tuple(np.shape(leaf)) for leaf in leaves]
        self.size = sum(map(math.prod, self.state_shapes))
        if not self.size:
            raise KernelError("the state of a rollout is empty: give an example of its shape")
        leaves, self.parameter_tree = trees.flatten(parameters)
        self.parameter_shapes = [tuple(np.shape(leaf)) for leaf in leaves]
        self.quaternions = _offsets(quaternions, self.size)
        self.samples_every = _samples_every(method, controller)
        self._learn_shapes()
        self.linearisation = Linearisation(self.rates, self.size)
        self.norm = (
            ErrorNorm(method.relative, method.absolute, self.size, self.quaternions)
            if isinstance(method, ErrorControlled)
            else None
        )

    @cached_property
    def shelf(self) -> Shelf:
        """Where the problem's programs are kept, under a name that determines all of them."""
        law = self.controller
        return Shelf.of(
            self._key,
            self.method,
            (str(self.state_tree), self.state_shapes),
            (str(self.parameter_tree), self.parameter_shapes),
            self.quaternions,
            law and (law.memory, law.period),
            settings_of(self.statistics),
            settings_of(self.events),
            self.dtype.str,
        )

    def _learn_shapes(self) -> None:
        """What the functions return, from the functions themselves or as it was kept."""
        if self.controller is not None:
            self.memory_start = trees.map_leaves(
                lambda m: np.asarray(m, float), self.controller.memory
            )
        self.integrals = [name for name, s in self.statistics.items() if isinstance(s, Integral)]
        found = self.shelf.zeros("shapes", self._results)
        self.command_like = found.get("command")
        self.statistic_shapes = {name: a.shape for name, a in found["statistics"].items()}

    def _results(self) -> dict[str, Tree]:
        """A command, where there is a controller, and statistics, all zeros; what is wrong with
        the functions' results is refused."""

        def like(shapes: Sequence[tuple[int, ...]], tree: Any) -> Tree:
            return trees.unflatten(tree, [np.zeros(shape) for shape in shapes])

        t, u = np.zeros(()), None
        x = like(self.state_shapes, self.state_tree)
        p = like(self.parameter_shapes, self.parameter_tree)
        if self.controller is not None:
            u, memory = _result_like(self.controller.law, t, x, self.memory_start, p)
            given, found = trees.structure_of(self.memory_start), trees.structure_of(memory)
            shapes = [np.shape(m) for m in trees.leaves_of(self.memory_start)]
            if given != found or shapes != [m.shape for m in trees.leaves_of(memory)]:
                raise KernelError(
                    "the control law returns memory of another shape than it starts with: "
                    f"{self.memory_start} became {memory}"
                )
        rates, told = self._apart(_result_like(self._f, t, x, u, p))
        found = [leaf.shape for leaf in trees.leaves_of(rates)]
        if found != self.state_shapes:
            raise KernelError(
                f"f(t, x, u, p) must return rates shaped like the state {self.state_shapes}, "
                f"it returns {found}"
            )
        for event in self.events:
            shape = _result_like(event.value, t, x, u, p).shape
            if shape != ():
                raise KernelError(f"an event's value must be one number, it has shape {shape}")
            if callable(event.terminal):
                shape = _result_like(event.terminal, t, x, u, p).shape
                if shape != ():
                    raise KernelError(
                        f"an event's `terminal` must give one truth value, it has shape {shape}"
                    )
        values = {
            name: told[name] if s.value is None else _result_like(s.value, t, x, u, p)
            for name, s in self.statistics.items()
        }
        return {"statistics": values} | ({} if self.controller is None else {"command": u})

    @property
    def looks_ahead(self) -> bool:
        """Whether it is asked which command is in force from a time on."""
        return any(isinstance(statistic, InForce) for statistic in self.statistics.values())

    @property
    def sampled(self) -> bool:
        return self.controller is not None and self.controller.period is not None

    @cached_property
    def extremes(self) -> Extremes:
        """All maxima and minima among the statistics."""
        return Extremes(self.statistics, self.statistic_shapes, self.call)

    @property
    def interpolates(self) -> bool:
        """Whether what lies between the ends of a step is read off its dense output."""
        return isinstance(self.method, ErrorControlled) and self.method.interpolates

    # --- the user's functions -----------------------------------------------------------------

    def unflatten(self, z: Array) -> Tree:
        """The state in the user's shape, quaternions unit."""
        x = nearly_unit(z[: self.size], self.quaternions)
        ends = np.cumsum([math.prod(shape) for shape in self.state_shapes])
        pieces = [
            np.reshape(x[end - math.prod(shape) : end], shape)
            for end, shape in zip(ends, self.state_shapes, strict=True)
        ]
        return trees.unflatten(self.state_tree, pieces)

    def law(self, t: Array, z: Array, memory: Tree, p: Tree) -> tuple[Tree, Tree]:
        """(command, memory) of the controller, as floating point."""
        assert self.controller is not None
        result = self.controller.law(t, self.unflatten(z), memory, p)
        return trees.map_leaves(real, result)

    def call(
        self, quantity: Quantity, t: Array, z: Array, held: Tree, memory: Tree, p: Tree
    ) -> Array:
        """A quantity (t, x, u, p) at a point."""
        value = quantity(t, self.unflatten(z), self.command(t, z, held, memory, p), p)
        return real(value)

    def command(self, t: Array, z: Array, held: Tree, memory: Tree, p: Tree) -> Tree:
        if self.controller is None or self.sampled:
            return held
        return self.law(t, z, memory, p)[0]

    def rates(self, t: Array, z: Array, held: Tree, memory: Tree, p: Tree) -> Array:
        """dz/dt, integrands included."""
        return self._rates(t, z, held, memory, p)

    def _rates_at(self, t: Array, z: Array, held: Tree, memory: Tree, p: Tree) -> Array:
        x, u = self.unflatten(z), self.command(t, z, held, memory, p)
        rates, told = self._apart(self._f(t, x, u, p))
        parts = [np.ravel(real(leaf)) for leaf in trees.leaves_of(rates)]
        for name in self.integrals:
            value = self.statistics[name].value
            parts.append(np.ravel(real(told[name] if value is None else value(t, x, u, p))))
        return np.concatenate(parts)

    def _apart(self, found: Tree) -> tuple[Tree, Mapping[str, Array]]:
        """What f returns: the rates, and the integrands that it tells."""
        if all(s.value is not None for s in self.statistics.values()):
            return found, {}
        return found

    def value_and_slope(
        self, quantity: Quantity, t: Array, z: Array, k: Array, held: Tree, memory: Tree, p: Tree
    ) -> tuple[Array, Array]:
        """A quantity and its time derivative along the motion dz/dt = k."""
        from percuss.kernel.tracing.derivatives import jvp

        def along(time: Array, at: Array) -> Array:
            return self.call(quantity, time, at, held, memory, p)

        return jvp(along, (t, z), (1.0, k))

    def project(self, z: Array) -> Array:
        return projected(z, self.quaternions)

    def flatten_state(self, x: Tree) -> Array:
        leaves = trees.leaves_of(x)
        shapes = [np.shape(leaf) for leaf in leaves]
        if trees.structure_of(x) != self.state_tree or shapes != self.state_shapes:
            raise KernelError(
                f"an event's action must return a state shaped like {self.state_shapes}, "
                f"it returns {shapes}"
            )
        return np.concatenate([np.ravel(real(leaf)) for leaf in leaves])

    def integral_slices(self) -> dict[str, slice]:
        """Where each integral lies in z."""
        places: dict[str, slice] = {}
        at = self.size
        for name in self.integrals:
            count = math.prod(self.statistic_shapes[name])
            places[name] = slice(at, at + count)
            at += count
        return places


def _with_parts(event: Event) -> Event:
    """The event with its functions traced once each."""
    return replace(
        event,
        value=Part(event.value),
        action=event.action and Part(event.action),
        terminal=Part(event.terminal) if callable(event.terminal) else event.terminal,
    )


def _result_like(part: Any, *like: Any) -> Tree:
    """Zeros shaped like what a function returns."""
    leaves, tree = trees.flatten(like)
    traced = part.traced(tree, tuple(np.shape(leaf) for leaf in leaves))
    return trees.unflatten(traced.output_tree, [np.zeros(s) for s in traced.output_shapes])


def _offsets(quaternions: Sequence[int | slice], size: int) -> tuple[int, ...]:
    offsets: list[int] = []
    for entry in quaternions:
        first, last, stride = (
            (entry, entry + 4, 1) if isinstance(entry, int) else entry.indices(size)
        )
        if last - first != 4 or stride != 1 or not 0 <= first <= size - 4:
            raise KernelError(
                f"a quaternion is 4 consecutive entries of the flat state of {size}, got {entry!r}"
            )
        offsets.append(first)
    offsets.sort()
    if any(b - a < 4 for a, b in itertools.pairwise(offsets)):
        raise KernelError(f"quaternions overlap: they begin at {offsets}")
    return tuple(offsets)


def _samples_every(method: Method, controller: Controller | None) -> int:
    """Steps in one sample period of a fixed step; 0 when nothing is sampled on a grid."""
    if not isinstance(method, RK4) or controller is None or controller.period is None:
        return 0
    ratio = controller.period / method.step
    whole = round(ratio)
    if whole < 1 or abs(ratio - whole) > 1e-9 * max(1.0, ratio):
        raise KernelError(
            f"the controller's period {controller.period!r} s must be a multiple of the RK4 step "
            f"{method.step!r} s, it is {ratio:.6g} of them; try step="
            f"{controller.period / max(1, math.ceil(ratio))!r}"
        )
    return whole
