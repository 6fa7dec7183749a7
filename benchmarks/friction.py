"""Friction in the joints of a free-floating arm: what the stiff method of the kernel takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import percuss
from benchmarks.motion import motion
from benchmarks.table import Row, best_of
from percuss import kernel

DURATION = 10.0
VISCOUS = (10.0, 10.0, 5.0, 5.0, 5.0, 2.0, 2.0)
"""N m s/rad, of the size that descriptions of small laboratory arms give."""
COULOMB = 1.0
"""N m, likewise, smoothed over 1e-3 rad/s."""


def rubbing_arm() -> percuss.System:
    """Seven joints on a free satellite, each with viscous and dry friction."""
    system = percuss.robot("iiwa-14")
    amounts = iter(VISCOUS)
    joints = [
        joint
        if joint is system.base_joint
        else replace(joint, friction=percuss.Friction(viscous=next(amounts), coulomb=COULOMB))
        for joint in system.joints
    ]
    return replace(system, joints=tuple(joints))


def free_floating() -> Row:
    """Ten seconds at a tolerance of 1e-10; joints turn, stop and creep."""
    system = rubbing_arm()
    nq, nv = system.coordinate_count, system.rate_count
    run = kernel.rollout(
        motion(system),
        state=np.zeros(nq + nv),
        method=kernel.Rosenbrock(1e-10, 1e-12),
        quaternions=[slice(3, 7)],
        single=True,
    )
    start = np.concatenate([percuss.neutral(system), np.full(nv, 0.1)])
    start[7:nq] = 0.3, -0.5, 0.2, 0.9, 0.1, 0.7, 0.0
    steps = int(run(start, duration=DURATION).steps)
    seconds = best_of(lambda: run(start, duration=DURATION))
    work = f"7-joint arm with friction, free-floating, {DURATION:g} s at 1e-10, {steps} steps"
    return Row(
        work, f"{seconds * 1e3:.0f} ms", "–", f"{seconds / steps * 1e6:.0f} µs/step", "≤ 1 s"
    )


def jobs() -> list[tuple[str, Callable[[], Row | list[Row]]]]:
    """What is measured here, with titles."""
    return [("friction in the joints", free_floating)]
