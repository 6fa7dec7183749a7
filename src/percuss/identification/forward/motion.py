"""The motion after the impact with the derivatives along it, as compiled rollouts.

The state is followed together with a direction: ẋ = f(t, x, p), δẋ = (∂f/∂x) δx + (∂f/∂p) δp. One
direction of one case is a lane; what classical Runge–Kutta steps give for the pair is exactly
the derivative of what they give for the state alone, up to the projection of quaternions.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack, unpack
from percuss.control import ControlLaw
from percuss.encounter.equations import Equations
from percuss.identification.forward.impact_motion import ImpactAndMotion
from percuss.identification.forward.known import KnownEncounter
from percuss.kernel import trees
from percuss.kernel.tracing.derivatives import jvp

Parameters = Mapping[str, Any]
"""Of a case: those of `OneMotion.equations`, and `time` (s) of the impact if that is unknown."""


@dataclass(frozen=True)
class MotionAfterImpact:
    """Equations of motion after the impact, for any scalars, and their integration.

    `lead` (begin, end), s: with an impact at an unknown time τ₀, motion begins at the time `begin`
    of the rollout's clock and has caught up with the clock of the measurements at `end`: from
    there on the time since the impact is t - τ₀. In between it follows a cubic that is smooth at
    `end`, so that steps which end there lose no accuracy.
    """

    impact_motion: ImpactAndMotion
    lead: tuple[float, float] | None = None

    @property
    def encounter(self) -> KnownEncounter:
        return self.impact_motion.encounter

    @property
    def like(self) -> Parameters:
        """Parameters of the scenario's own motion; those of the encounter alone."""
        return self.impact_motion.like

    @property
    def known(self) -> Equations:
        """Equations of the scenario's own motion: sizes and names."""
        return self.impact_motion.known

    @property
    def law(self) -> ControlLaw:
        return self.known.law

    @cached_property
    def size(self) -> int:
        """Entries of the state: coordinates, rates, and momentum of the wheels (N m s)."""
        return self.known.slices["wheels"].stop

    @property
    def quaternions(self) -> tuple[int, ...]:
        return self.known.assembly.quaternions

    def equations(self, p: Parameters) -> Equations:
        """The equations of a case."""
        return self.impact_motion.motion.equations({name: p[name] for name in self.like})

    # --- rates ---------------------------------------------------------------------------------

    def full(self, x: Any) -> Any:
        """The state as `Equations` has it, its integrals zero."""
        rest = [0.0] * (self.known.size - self.size)
        return pack([*unpack(x, self.size, "x"), *rest])

    def clock(self, t: Any, p: Parameters) -> tuple[Any, Any]:
        """Time since the impact (s), and how fast it passes."""
        if self.lead is None or "time" not in p:
            return t, 1.0
        begin, end = self.lead
        length = end - begin
        early = end - p["time"][0]
        u = (t - begin) / length
        a, b = 3.0 * early - length, length - 2.0 * early
        before, speed = u * u * (a + b * u), u * (2.0 * a + 3.0 * b * u) / length
        late = t >= end
        return np.where(late, t - p["time"][0], before), np.where(late, 1.0, speed)

    def rates(self, t: Any, x: Any, u: Any, p: Parameters) -> Any:
        """dx/dt of the rollout's clock."""
        equations = self.equations(p)
        since, speed = self.clock(t, p)
        full = self.full(x)
        found = equations.rates(since, full)[0] if u is None else equations.driven(since, full, u)
        slopes = found[: self.size]
        return slopes if isinstance(speed, float) else slopes * speed

    def _sampled(self, t: Any, x: Any, memory: Any, p: Parameters) -> tuple[Any, Any]:
        return self.equations(p).command(self.clock(t, p)[0], self.full(x), memory)

    # --- compiled ------------------------------------------------------------------------------

    def rollout(self, like: Parameters, step: float, threads: int | None = None) -> kernel.Rollout:
        """Integration of states, parameters like these."""
        controller = None
        if self.law.period is not None:
            controller = kernel.Controller(self._sampled, self.law.memory, self.law.period)
        return kernel.rollout(
            self.rates,
            state=np.zeros(self.size),
            parameters=dict(like),
            method=kernel.RK4(step),
            controller=controller,
            quaternions=self.quaternions,
            threads=threads,
        )

    def variation(
        self, like: Parameters, step: float, threads: int | None = None
    ) -> kernel.Rollout:
        """Integration of pairs (state, direction), of parameters and their directions."""

        def rates(t: Any, x: Any, u: Any, p: Any) -> Any:
            if u is None:
                return jvp(lambda y, w: self.rates(t, y, None, w), (x[0], p[0]), (x[1], p[1]))
            return jvp(
                lambda y, c, w: self.rates(t, y, c, w), (x[0], u[0], p[0]), (x[1], u[1], p[1])
            )

        def command(t: Any, x: Any, memory: Any, p: Any) -> Any:
            (u, kept), (du, dkept) = jvp(
                lambda y, m, w: self._sampled(t, y, m, w),
                (x[0], memory[0], p[0]),
                (x[1], memory[1], p[1]),
            )
            return (u, du), (kept, dkept)

        controller = None
        if self.law.period is not None:
            memory = self.law.memory
            still = trees.map_leaves(lambda m: np.zeros(np.shape(m)), memory)
            controller = kernel.Controller(command, (memory, still), self.law.period)
        return kernel.rollout(
            rates,
            state=(np.zeros(self.size), np.zeros(self.size)),
            parameters=(dict(like), dict(like)),
            method=kernel.RK4(step),
            controller=controller,
            quaternions=self.quaternions,
            threads=threads,
        )


_MOST_STEPS = 64
"""Rollouts with other steps that are kept: halvings of a few motions."""


@lru_cache(maxsize=_MOST_STEPS)
def with_step(run: kernel.Rollout, step: float) -> kernel.Rollout:
    """The same compiled rollout with another step (s); its law is not sampled."""
    # The step is an input of the compiled loop, not a constant in it; the copy shares the loop
    # only if it was made before.
    assert run.iteration is not None
    other, other.problem = copy(run), copy(run.problem)
    other.problem.method = kernel.RK4(step)
    return other
