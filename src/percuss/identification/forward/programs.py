"""The compiled parts of a forward model: the impact, the motion after it, and what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack, unpack, where
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.template import NUMBERS
from percuss.identification.forward.kept import LastMade
from percuss.identification.forward.motion import MotionAfterImpact, Parameters, with_step
from percuss.identification.forward.observation import SensorModel
from percuss.identification.forward.unknowns import Guess, Unknowns
from percuss.kinematics.frames import frame_pose

_KEPT: LastMade[Any] = LastMade(32)
"""What was compiled, by its name and the fingerprint of its programs, for models like one that is
gone, four of each. They take megabytes."""


@dataclass(frozen=True)
class ForwardPrograms:
    """Functions of θ, and their compiled forms with derivatives along a direction.

    `has_before`: whether a sample may be from before the impact.
    """

    unknowns: Unknowns
    observation: SensorModel
    has_before: bool
    threads: int | None = None

    @property
    def motion(self) -> MotionAfterImpact:
        return self.observation.motion

    @property
    def lead(self) -> tuple[float, float] | None:
        return self.motion.lead

    @property
    def moving(self) -> tuple[str, ...]:
        """Parameters that the motion depends on."""
        own = tuple(self.motion.like)
        return own if self.lead is None else (*own, "time")

    @property
    def shown(self) -> tuple[str, ...]:
        """Parameters that the observation depends on."""
        flight = ("flight",) if self.observation.used_markers else ()
        more = ("before", *flight, "time") if self.has_before else ()
        return (*self.observation.needs(), *more)

    def begin(self, theta: Any) -> dict[str, Any]:
        """State just after the impact, and the parameters of the motion, of any scalars."""
        impact_motion = self.motion.impact_motion
        begun = impact_motion.motion.begun({NUMBERS: theta})
        q, v = (unpack(begun[name], len(begun[name]), name) for name in ("q", "v"))
        wheels = [0.0] * (self.motion.size - len(q) - len(v))
        p: dict[str, Any] = dict(begun["p"])
        if self.has_before:
            guess = self.unknowns.guess(theta)
            p["time"] = pack([guess.time])
            p |= self._before(guess, impact_motion.tried.at(theta))
        kept = {*self.moving, *self.shown}
        return {"x": pack([*q, *v, *wheels]), "p": {k: p[k] for k in p if k in kept}}

    def _before(self, guess: Guess, encounter: Encounter) -> dict[str, Any]:
        """The chaser at the impact; markers in the world there, and their velocities."""
        chaser = *encounter.chaser_coordinates, *encounter.chaser_rates
        found: dict[str, Any] = {"before": pack(chaser)}
        observation = self.observation
        if not observation.used_markers:
            return found
        flying: list[Any] = []
        point = frame_pose(encounter.chaser, encounter.chaser_coordinates, encounter.tool).position
        for name in observation.used_markers:
            marker = observation.markers[name]
            arm = guess.rotation @ (marker - guess.contact)
            from_com = guess.rotation @ (marker - guess.com)
            flying += list(point + arm)[: observation.axes]
            flying += list(guess.linear + guess.angular.cross(from_com))[: observation.axes]
        return found | {"flight": pack(flying)}

    def observe(self, t: Any, x: Any, p: Parameters) -> Any:
        """What is shown at the time t of the clock in the state x, shape (channels,)."""
        if not self.has_before:
            return self.observation.values(t, x, p)
        since = t - p["time"][0]
        early = since < 0.0
        after = self.observation.values(where(early, 0.0, since), x, p)
        before = self.observation.before(where(early, since, 0.0), p)
        pairs = zip(before, after, strict=True)
        return pack(where(early, a, b) for a, b in pairs)

    # --- compiled ------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str | None:
        """A fingerprint of what the programs follow from; None where a law is the user's own."""
        return kernel.fingerprint(self)

    @cached_property
    def begun(self) -> kernel.Kernel:
        """((θ,), (direction,)) → what `begin` gives, and its derivative."""
        return self._compiled("begin", self.begin, self.unknowns.start)

    @cached_property
    def observed(self) -> kernel.Kernel:
        """((t, x, p), directions) → what `observe` gives, and its derivative."""
        like = {k: self._like[k] for k in self.shown}
        return self._compiled("observe", self.observe, 0.0, np.zeros(self.motion.size), like)

    def values(self, step: float) -> kernel.Rollout:
        """Integration of states with steps of this length (s)."""
        return self._rollout("values", step)

    def variations(self, step: float) -> kernel.Rollout:
        """Integration of states with a direction."""
        return self._rollout("variations", step)

    @cached_property
    def _like(self) -> Parameters:
        found, _ = self.begun((self.unknowns.start,), (np.zeros(len(self.unknowns)),))
        return found["p"]

    def _rollout(self, name: str, step: float) -> kernel.Rollout:
        # Only of a sampled law is the step part of what is compiled.
        sampled = self.motion.law.period is not None
        make = self.motion.rollout if name == "values" else self.motion.variation

        def made() -> kernel.Rollout:
            like = {k: self._like[k] for k in self.moving}
            return make(like, step, self.threads)

        run = self._kept(f"{name} {step if sampled else ''}", made)
        return run if sampled else with_step(run, step)

    def _compiled(self, name: str, function: Any, *like: Any) -> kernel.Kernel:
        """A function with its derivative along a direction."""
        both = kernel.jvp(function)

        def made() -> kernel.Kernel:
            key = kernel.fingerprint(both)
            return kernel.compile(both, like, like, threads=self.threads, key=key)

        return self._kept(name, made)

    def _kept(self, name: str, make: Any) -> Any:
        """What was compiled under this name, for these or for equal programs; else now."""
        if name not in self._own:
            known = None if self.fingerprint is None else (name, self.fingerprint)
            self._own[name] = _KEPT.of(known, make)
        return self._own[name]

    @cached_property
    def _own(self) -> dict[str, Any]:
        return {}
