"""The pulses of section 6 as scenarios, and carried out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from percuss.encounter.phase import CONTACT
from percuss.encounter.simulation import Simulation
from percuss.scenario import loads
from percuss.scenario.simulation import simulate
from percuss.sources.centre_of_percussion.paper import TABLE_1

Array = np.ndarray


@dataclass(frozen=True)
class PulseCase:
    """A pulse on link 2: `at` m from joint 2, under `angle` (degrees), N, for s.

    `joint_2` is its place on link 1 (m); `control` a control block, as in a scenario file;
    `after` how long the motion is followed when the pulse is over (s).
    """

    at: float
    angle: float = 90.0
    force: float = 1000.0
    duration: float = 0.01
    joint_2: float = TABLE_1.joint_2
    control: str = "{law: none}"
    after: float = 0.01


def scenario_text(case: PulseCase) -> str:
    """The scenario file of a case."""
    p, one, two = TABLE_1, TABLE_1.link1, TABLE_1.link2
    phi = math.radians(case.angle)
    # cos 90° is 6e-17 in floating point; a normal blow has no part along the link.
    along = 0.0 if case.angle == 90.0 else -case.force * math.cos(phi)
    across = -case.force * math.sin(phi)
    return f"""\
name: a blow of {case.force:g} N at {case.at:.4g} m under {case.angle:g} degrees
chaser:
  base: {{mass: {p.mass!r}, inertia: {p.inertia!r}}}
  mount: [{p.mount[0]!r}, {p.mount[1]!r}]
  mode: free-flying
  arm:
    - {{length: {case.joint_2!r}, mass: {one.mass!r}, com: {one.com!r}, inertia: {one.inertia!r}}}
    - {{length: {two.length!r}, mass: {two.mass!r}, com: {two.com!r}, inertia: {two.inertia!r}}}
  tool: {{link: 2, at: {case.at!r}}}
  joints: [-90 deg, 90 deg]
impact: {{closure: pulse, force: [{along!r}, {across!r}], frame: link, duration: {case.duration!r}}}
control: {case.control}
duration: {case.after!r}
"""


@lru_cache(maxsize=64)
def simulation_of(case: PulseCase) -> Simulation:
    """A case carried out; the same one is carried out once."""
    return simulate(loads(scenario_text(case), "section 6"))


@dataclass(frozen=True)
class PulseReactions:
    """What the joints feel of a pulse.

    `time` (n,) in s; `reactions` by joint, (n, 2): force on the outboard link in that link's axes
    (N); `torques` (3, n): base, joint 1 and joint 2 (N m); `during` says which samples are within
    the pulse.
    """

    time: Array
    reactions: dict[str, Array]
    torques: Array
    during: Array

    def size(self, joint: str) -> Array:
        """|N| over time (n,), N."""
        return np.linalg.norm(self.reactions[joint], axis=1)

    def at_onset(self, joint: str) -> float:
        """|N| at the first instant (N)."""
        return float(self.size(joint)[0])

    def peak(self, joint: str) -> float:
        """Largest |N| within the pulse (N)."""
        return float(self.size(joint)[self.during].max())


@lru_cache(maxsize=64)
def felt(case: PulseCase) -> PulseReactions:
    """A case carried out, seen from the joints."""
    return felt_in(simulation_of(case))


def felt_in(simulation: Simulation) -> PulseReactions:
    """Pulse and motion after it, one after the other."""
    phases = simulation.phases
    return PulseReactions(
        np.concatenate([phase.observation.time for phase in phases]),
        {
            joint: np.concatenate([phase.observation.reaction(joint)[0][:, :2] for phase in phases])
            for joint in ("joint1", "joint2")
        },
        np.concatenate([phase.observation.motion.commands[2:5] for phase in phases], axis=1),
        np.concatenate(
            [np.full(len(phase.observation.time), phase.kind == CONTACT) for phase in phases]
        ),
    )
