"""The thesis's simulations as scenarios, built from its tables, and carried out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from percuss.encounter.simulation import Simulation
from percuss.scenario import loads
from percuss.scenario.simulation import simulate
from percuss.sources.thesis.tables import POSITIONS, VELOCITIES, VMS

CLOSURES = ("published", "pin", "weld")
"""What the thesis printed, and the two ways in which it can be meant."""

MOTIONS = ("free", "controlled", "underdamped")

DURATION = 10.0
"""Of every motion (s)."""

DAMPING = {"controlled": 1.0, "underdamped": 0.3}
"""ξ: 1 by (4.30); the thesis does not say that of its underdamped appendix, 0.3 is our choice."""


@dataclass(frozen=True)
class Case:
    """One run: Table 4.3's simulation, a closure and a motion, or a variation on them.

    `mount` is joint 1 in the base frame (m); the thesis has it at the base's centre of mass.
    """

    simulation: int = 1
    closure: str = "pin"
    motion: str = "free"
    mode: str = "free-flying"
    mount: tuple[float, float] = (0.0, 0.0)

    @property
    def damping_ratio(self) -> float | None:
        """ξ of (4.29); None without control."""
        return DAMPING.get(self.motion)


def scenario_text(case: Case, metre: float = 1.0) -> str:
    """The scenario file of a case; `metre` is the number of units of length in a metre."""
    v, p, u = VMS, POSITIONS, metre
    control = "{law: none}"
    if case.damping_ratio is not None:
        # K_p = 1, K_d = 2 ξ √K_p on every coordinate.
        control = (
            "{law: computed-torque, natural-frequency: 1.0, "
            f"damping-ratio: {case.damping_ratio}, goal: initial}}"
        )
    velocity = VELOCITIES[case.simulation]
    vx, vy, spin = velocity.target
    bx, by, turn, *joints = velocity.chaser
    return f"""\
name: thesis simulation {case.simulation}, {case.closure}, {case.motion}
chaser:
  base: {{shape: disk, mass: {v.m_b!r}, radius: {v.r * u!r}}}
  mount: [{case.mount[0] * u!r}, {case.mount[1] * u!r}]
  mode: {case.mode}
  arm:
    - {{joint: revolute, length: {v.l1 * u!r}, mass: {v.m1!r}}}
    - {{joint: revolute, length: {v.l2 * u!r}, mass: {v.m2!r}}}
  position: [{p.x_b * u!r}, {p.y_b * u!r}]
  angle: {p.theta_0!r}
  joints: [{p.q1!r}, {p.q2!r}]
  velocity: {{linear: [{bx * u!r}, {by * u!r}], angular: {turn!r}, joints: {joints!r}}}
target:
  shape: disk
  mass: {v.m_O!r}
  radius: {v.r * u!r}
  contact: {{angle: {v.gamma!r}}}
  angle: {p.object_angle(v.gamma)!r}
  velocity: {{linear: [{vx * u!r}, {vy * u!r}], angular: {spin!r}}}
impact: {{closure: {case.closure}}}
control: {control}
duration: {DURATION!r}
"""


@lru_cache(maxsize=64)
def simulation_of(case: Case) -> Simulation:
    """A case carried out; the same one is carried out once."""
    return simulate(loads(scenario_text(case), f"thesis simulation {case.simulation}"))


def all_cases() -> tuple[Case, ...]:
    """Both simulations with every closure and motion."""
    return tuple(
        Case(simulation, closure, motion)
        for simulation in VELOCITIES
        for closure in CLOSURES
        for motion in MOTIONS
    )


def displacement(simulation: Simulation) -> np.ndarray:
    """p(t) - p(0), shape (5, time), m and rad."""
    q = simulation.observation.q[:5]
    return q - q[:, :1]


def closed_form(case: Case, time: np.ndarray) -> np.ndarray:
    """p - p_d by (4.27) with e(0) = 0 and ė(0) = -ṗ_f, shape (5, time), m and rad.

    ṗ_f t e⁻ᵗ for ξ = 1, and ṗ_f e^(-ξt) sin(ω t) / ω with ω = √(1 - ξ²) below.
    """
    ratio = case.damping_ratio
    if ratio is None:
        raise ValueError(f"{case}: the error equation (4.27) is of a controlled motion")
    rates = np.asarray(simulation_of(case).impact.chaser_rates, float)
    if ratio == 1.0:
        return np.outer(rates, time * np.exp(-time))
    frequency = np.sqrt(1 - ratio**2)
    return np.outer(rates, np.exp(-ratio * time) * np.sin(frequency * time) / frequency)
