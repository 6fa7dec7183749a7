"""How a motion is integrated, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.errors import EncounterError, Path
from percuss.encounter.failure import SimulationError
from percuss.encounter.requirements import require, require_choice, require_count
from percuss.encounter.sampling import distinct
from percuss.kernel.rollouts.methods import ErrorControlled, Method
from percuss.model.checks import is_positive

MOST_STEPS = 50_000
"""Steps of a motion at most, unless more are allowed: some seconds of computing, 20 to 100 µs a
step."""
BETWEEN = 1e-2
"""How much closer the steps are than asked for: states between them are interpolated, with an
error some ten times that of the steps."""
LEAST_TOLERANCE = 2.3e-14
"""Some hundred roundings of 1: no relative tolerance below it can be met."""
TOLERANCES = 1e-14, 0.1
"""Least and largest relative tolerance that can be asked for."""
KERNEL_STEPS = 40
"""How many adaptive steps inside the kernel count as one where none of them is recorded: it takes
them so much faster."""
STIFF_STEPS = 5
"""How many steps of the Rosenbrock method inside the kernel count as one: 61 µs each for a
seven-joint arm, against 0.3 ms."""
FIXED_STEPS = 200
"""How many fixed steps inside the kernel count as one."""


@dataclass(frozen=True)
class Integration:
    """How to integrate: DOP853 to a relative tolerance, RK4 with a fixed step (s), Dormand–Prince
    5(4) inside the kernel, which also takes laws that are sampled in time, or a Rosenbrock method
    there, for motions that are stiff."""

    method: str = "dop853"
    relative_tolerance: float = 1e-10
    step: float | None = None
    most_steps: int = MOST_STEPS
    """After which the adaptive methods give up, or where more are foreseen."""
    automatic: bool = False
    """Whether a motion that turns out to be stiff may be integrated by another method."""
    reason: str = ""
    """Why another method was taken than the usual one, a sentence."""

    def __post_init__(self) -> None:
        path: Path = ("integration",)
        require_choice((*path, "method"), self.method, (*ADAPTIVE, "rk4"))
        tolerance = f"a number from {TOLERANCES[0]:g} to {TOLERANCES[1]:g}"
        at = (*path, "relative-tolerance")
        require(at, self.relative_tolerance, _is_tolerance, tolerance)
        require_count((*path, "most-steps"), self.most_steps, 1)
        if self.step is not None:
            require((*path, "step"), self.step, is_positive, "a time in s > 0")
        if self.method == "rk4" and self.step is None:
            message = "is missing: method rk4 needs a step in s, such as 0.001"
            raise EncounterError((*path, "step"), message)
        if self.method != "rk4" and self.step is not None:
            message = f"is for method rk4, not for {self.method}, got {self.step:g} s"
            raise EncounterError((*path, "step"), message)

    @property
    def absolute_tolerance(self) -> float:
        """The tolerance of each entry of the state, in its SI unit: 0.01 of the relative one."""
        return 1e-2 * self.relative_tolerance


def _is_tolerance(x: Any) -> Any:
    return (x >= TOLERANCES[0]) & (x <= TOLERANCES[1])


def asked_integration(integration: Integration, is_sampled: bool) -> Integration:
    """What is taken of an automatic choice to begin with.

    That is DOP853, or Dormand–Prince where a law is sampled in time: steps end at its samples, and
    long ones are of no use.
    """
    if integration.automatic and is_sampled:
        return replace(integration, method="dormand-prince")
    return integration


ADAPTIVE: dict[str, tuple[type[ErrorControlled], int]] = {
    "dop853": (kernel.Dop853, KERNEL_STEPS),
    "dormand-prince": (kernel.Adaptive, KERNEL_STEPS),
    "rosenbrock": (kernel.Rosenbrock, STIFF_STEPS),
}
"""By name, the adaptive methods inside the kernel, and how many of their steps count as one."""


def kernel_method(integration: Integration) -> Method:
    """The method inside the kernel, with the limit of steps that is allowed it there."""
    if integration.method == "rk4":
        assert integration.step is not None
        return kernel.RK4(integration.step)
    kind, count = ADAPTIVE[integration.method]
    relative, absolute = integration.relative_tolerance, integration.absolute_tolerance
    return kind(relative, absolute, most_steps=count * integration.most_steps)


def recording_method(integration: Integration) -> Method:
    """The method inside the kernel for a motion that is seen between the ends of its steps."""
    kind, _ = ADAPTIVE[integration.method]
    relative = max(LEAST_TOLERANCE, BETWEEN * integration.relative_tolerance)
    absolute = BETWEEN * integration.absolute_tolerance
    return kind(relative, absolute, most_steps=integration.most_steps)


def refuse_many(lasting: float, integration: Integration) -> None:
    """Fixed steps are counted before the first of them."""
    step, most = integration.step, FIXED_STEPS * integration.most_steps
    if step is not None and lasting / step > most:
        raise SimulationError(
            f"integration.step: {step:g} s makes {lasting / step:.3g} steps in {lasting:g} s, and "
            f"{most:,} are allowed ({FIXED_STEPS} times integration.most-steps): take steps of "
            f"{lasting / most:.2g} s or more, or raise integration.most-steps"
        )


@dataclass(frozen=True, kw_only=True)
class RecordedMotion:
    """States (entries, time), their rates, and commands (chaser rates, time) at times (s).

    `recorded` are the indices of the times that were asked for, and of the end. The others lie
    between them, where the integrator was: peaks and balances are taken at all. `integration` is
    how it was integrated in the end. `ended` is the
    signal that ended the motion before the last time asked for, None where none did; `memory`
    what a law that is sampled remembers at the end.
    """

    time: np.ndarray
    states: np.ndarray
    rates: np.ndarray
    commands: np.ndarray
    recorded: np.ndarray
    steps: int
    integration: Integration
    ended: int | None = None
    memory: Any = None


def merged(times: np.ndarray, others: np.ndarray, apart: float | np.ndarray) -> np.ndarray:
    """Both, in order; those of the others that are within `apart` (s) of one of the times are left
    out."""
    place = np.clip(np.searchsorted(times, others), 1, max(len(times) - 1, 1))
    near = np.minimum(place, len(times) - 1)
    gap = np.minimum(np.abs(others - times[near - 1]), np.abs(others - times[near]))
    return distinct(times, others[gap > apart])


def recorded(every: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Indices in `every` of the times asked for that were reached, and of the end."""
    reached = times[times < every[-1]]
    return np.append(np.searchsorted(every, reached), len(every) - 1)


def cubics(
    wanted: np.ndarray, times: np.ndarray, states: np.ndarray, rates: np.ndarray
) -> np.ndarray:
    """States (entries, wanted) on the cubics through states and rates (entries, times)."""
    k = np.clip(np.searchsorted(times, wanted, "right") - 1, 0, len(times) - 2)
    h = times[k + 1] - times[k]
    s = (wanted - times[k]) / h
    change, before, after = states[:, k + 1] - states[:, k], h * rates[:, k], h * rates[:, k + 1]
    bend = 3.0 * change - 2.0 * before - after
    return states[:, k] + s * (before + s * (bend + s * (before + after - 2.0 * change)))
