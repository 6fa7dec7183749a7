"""The forward model while a joint is moved on purpose: many manoeuvres in one batch.

A manoeuvre adds a smooth torque to one joint: the second derivative of sin(ω t) sin²(π t / T), a
burst of oscillations that begins and ends at rest over the record's length T, ω = 2π k / T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import Scalar, formula, pack, plain, sin, terms, unpack
from percuss.control import ControlLaw, saturated
from percuss.encounter.actuation import effort_limits
from percuss.encounter.equations import Equations
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.motion import MotionAfterImpact, Parameters
from percuss.identification.forward.observation import SensorModel
from percuss.identification.forward.programs import ForwardPrograms
from percuss.identification.forward.sampling import Sampling
from percuss.identification.options import DEFAULT
from percuss.model.errors import ModelError


@formula
def burst(t: Scalar, cycles: Scalar, length: Scalar) -> Scalar:
    """d²/dt² of sin(ω t) sin²(π t / T), 1/s², with ω = 2π cycles / T."""
    slow = 2.0 * math.pi / length
    fast = slow * cycles

    def term(rate: Scalar) -> Scalar:
        return rate * rate * sin(rate * t)

    sides = 0.5 * (term(fast + slow) + term(fast - slow))
    return -(0.5 * (term(fast) - sides))


def peak(cycles: float, length: float) -> float:
    """Largest |burst|, 1/s²."""
    t = np.linspace(0.0, length, 64 * math.ceil(cycles + 1.0) + 1)
    return float(np.max(np.abs([float(np.asarray(burst(x, cycles, length))) for x in t.tolist()])))


@dataclass(frozen=True)
class ExcitedMotion(MotionAfterImpact):
    """Motion with a burst of torques on the joints.

    The parameters `excitation` (joints + 1,) are factors of `burst` for the movable joints in
    their order (N m s²), and its number of cycles; `length` T is in s.
    """

    length: float = 1.0

    def equations(self, p: Parameters) -> Equations:
        known = super().equations(p)
        if "excitation" not in p:
            return known
        law = self._excited(known.law, p["excitation"])
        return Equations(known.assembly, law, known.load, known.wheels)

    def _excited(self, law: ControlLaw, excitation: Any) -> ControlLaw:
        chaser = self.impact_motion.start.chaser
        joints = chaser.movable_joints
        entries = unpack(excitation, len(joints) + 1, "excitation")
        places = [chaser.node(joint.child).rates.start for joint in joints]

        def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
            u, memory = law.command(t, q, v, memory)
            torques = list(unpack(u, chaser.rate_count, "u"))
            shape = terms(burst(t, entries[-1], self.length))
            for place, factor in zip(places, entries[:-1], strict=True):
                torques[place] = plain(torques[place] + factor * shape)
            return pack(torques), memory

        return saturated(
            replace(law, command=command, idle=False),
            effort_limits(self.encounter.plain.control.limits, chaser),
        )


@dataclass(frozen=True)
class ExcitedPrograms(ForwardPrograms):
    """The compiled parts with `excitation` among the parameters of the motion."""

    @property
    def moving(self) -> tuple[str, ...]:
        return (*super().moving, "excitation")

    @property
    def shown(self) -> tuple[str, ...]:
        kinds = {channel.kind for channel in self.observation.channels}
        felt = ("excitation",) if kinds & {"joint_torque", "tool_force"} else ()
        return (*super().shown, *felt)

    @cached_property
    def _like(self) -> Parameters:
        joints = len(self.motion.impact_motion.start.chaser.movable_joints)
        return {**super()._like, "excitation": np.ones(joints + 1)}


@dataclass(frozen=True)
class ExcitedModel:
    """The forward model `plain` with a manoeuvre in every case of a batch.

    Its integration has `resolved` steps in the shortest period of a manoeuvre at least.
    """

    plain: ForwardModel
    resolved: int = DEFAULT.advice.resolved

    def __post_init__(self) -> None:
        if self.plain.motion.lead is not None:
            raise ModelError(
                "time: a manoeuvre begins at the impact, so the time of the impact must be known"
            )
        if not self.length > 0.0:
            raise ModelError(
                f"times: a manoeuvre needs a record after the impact, got {self.length} s"
            )

    @property
    def length(self) -> float:
        """How long the record lasts, and the manoeuvre (s)."""
        return float(self.plain.times[-1])

    @cached_property
    def motion(self) -> ExcitedMotion:
        motion = self.plain.motion
        return ExcitedMotion(motion.impact_motion, motion.lead, self.length)

    @cached_property
    def _sampling(self) -> Sampling:
        plain = self.plain._sampling
        observation = SensorModel(self.motion, self.plain.channels, self.plain.markers)
        programs = ExcitedPrograms(
            self.plain.unknowns, observation, plain.programs.has_before, self.plain.threads
        )
        return replace(plain, programs=programs)

    def excited(
        self, theta: np.ndarray, excitation: np.ndarray, kept: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values (m, batch), derivatives by θ (m, n, batch), and joints' (joints, …) at θ (n,).

        `excitation` (joints + 1, batch): see `ExcitedMotion`; `kept`: indices of the times that
        are asked for, default all. The last are derivatives by θ of the coordinates of the
        movable joints that have one, (joints, times, n, batch); NaN for other joints.
        """
        count, batch = len(theta), excitation.shape[1]
        sampling = self._sampling if kept is None else _fewer(self._sampling, kept)
        seeds = np.repeat(np.eye(count), batch, axis=1)
        pair, p, dp = self._followed(sampling, theta, seeds, np.tile(excitation, (1, count)))
        values, slopes = sampling.observed(pair, p, dp)
        shape = (*sampling.places.shape, count, batch)
        slopes = slopes.reshape(shape).reshape(-1, count, batch)
        turned = self._angles(pair[1])
        turned = turned.reshape(*turned.shape[:2], count, batch)
        return values[..., :batch].reshape(-1, batch), slopes, turned

    def joint_positions(self, theta: np.ndarray, excitation: np.ndarray) -> np.ndarray:
        """Coordinates (rad, or m) of the movable joints (joints, times, batch), at θ (n,).

        At every time that a sensor shows; NaN for joints that have not one coordinate.
        """
        still = np.zeros((len(theta), excitation.shape[1]))
        pair, _, _ = self._followed(self._sampling, theta, still, excitation)
        return self._angles(pair[0])

    def _followed(
        self, sampling: Sampling, theta: np.ndarray, seeds: np.ndarray, driven: np.ndarray
    ) -> tuple[tuple[Any, Any], dict[str, Any], dict[str, Any]]:
        """States and directions (entries, times, lanes), and the parameters of the lanes."""
        programs = sampling.programs
        lanes = np.repeat(np.asarray(theta, float)[:, None], seeds.shape[1], axis=1)
        start, along = programs.begun((lanes,), (seeds,))
        p = {**start["p"], "excitation": driven}
        dp = {**along["p"], "excitation": np.zeros_like(driven)}
        moving, still = ({k: w[k] for k in programs.moving} for w in (p, dp))
        run = programs.variations(self._step(float(np.max(driven[-1]))))
        pair = sampling.trajectory(run, (start["x"], along["x"]), (moving, still), lambda s: s)
        return pair, p, dp

    def _step(self, cycles: float) -> float:
        """The step of the integration (s): the free motion's, cut to resolve the torque."""
        step = self.plain.step
        return step / math.ceil(self.resolved * (cycles + 1.0) * step / self.length)

    def _angles(self, states: np.ndarray) -> np.ndarray:
        chaser = self.motion.impact_motion.start.chaser
        joints = chaser.movable_joints
        found = np.full((len(joints), *states.shape[1:]), np.nan)
        for k, joint in enumerate(joints):
            if joint.motion.rate_count == 1:
                found[k] = states[chaser.node(joint.child).coordinates.start]
        return found


def _fewer(sampling: Sampling, kept: np.ndarray) -> Sampling:
    """The samples at some of the times."""
    places = sampling.places[:, kept]
    used = np.unique(places)
    return replace(sampling, clock=sampling.clock[used], places=np.searchsorted(used, places))
