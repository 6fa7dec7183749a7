"""A plan simulated: does the run's impact do what was predicted?"""

from __future__ import annotations

import numpy as np

from percuss.encounter.failure import SimulationError
from percuss.impact.outcome import Impact
from percuss.kinematics.frames import frame_velocity
from percuss.model.joints import Free, Planar
from percuss.model.systems import Frame
from percuss.percussion.planner.felt import FeltImpact
from percuss.percussion.planner.problem import ImpactProblem
from percuss.percussion.planner.result import Verification
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate

_MOST = 1e-7
"""Relative difference beyond which prediction and run contradict each other."""


def verified(problem: ImpactProblem, scenario: Scenario, predicted: FeltImpact) -> Verification:
    """Run the planned scenario and compare its first impact with the prediction."""
    simulation = simulate(scenario)
    if not simulation.sequence.impacts:
        raise SimulationError("the planned scenario has no impact; its plan cannot be verified")
    first = simulation.sequence.impacts[0]
    joints = _sizes(problem, first.impact)
    momentum, rate = _base(scenario, first.impact)
    scale = max([1e-12, *joints.values(), momentum])
    gaps = [abs(joints[name] - predicted.joints[name]) / scale for name in joints]
    gaps.append(abs(momentum - predicted.base_momentum) / scale)
    gaps.append(abs(rate - predicted.base_rate) / max(1e-12, rate, predicted.base_rate, 1e-6))
    difference = float(max(gaps))
    if not difference < _MOST:
        raise SimulationError(
            "the run of the planned scenario differs from the plan's prediction by "
            f"{difference:.3g} of the largest reaction"
        )
    return Verification(joints, momentum, rate, difference)


def _sizes(problem: ImpactProblem, impact: Impact) -> dict[str, float]:
    """Reaction impulses by joint (N s), moments counted as the plan does."""
    found = {}
    for name in problem.felt_by:
        load = impact.joint_reactions[name]
        force, moment = (np.array(v.array(), float) for v in (load.linear, load.angular))
        found[name] = float(
            np.hypot(np.linalg.norm(force), np.linalg.norm(moment) / problem.length)
        )
    return found


def _base(scenario: Scenario, impact: Impact) -> tuple[float, float]:
    """Linear momentum of the base (N s) and its angular rate (rad/s) after the impact."""
    start = scenario.start
    base, joint = start.chaser.base, start.chaser.base_joint
    if not isinstance(joint.motion, (Free, Planar)):
        passed = np.array(impact.base_impulse.linear.array(), float)
        return float(np.linalg.norm(passed)), 0.0
    at = Frame.point(base.name, tuple(base.com))
    motion = frame_velocity(start.chaser, start.chaser_coordinates, impact.chaser_rates, at)
    linear, angular = (np.array(v.array(), float) for v in (motion.linear, motion.angular))
    mass = float(base.mass)  # type: ignore[arg-type]
    return mass * float(np.linalg.norm(linear)), float(np.linalg.norm(angular))
