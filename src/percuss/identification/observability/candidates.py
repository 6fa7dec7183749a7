"""Manoeuvres of single joints that keep to the limits of torque and of travel."""

from __future__ import annotations

import math

import numpy as np

from percuss.dynamics.composite import mass_matrix
from percuss.encounter.actuation import effort_limits
from percuss.identification.observability.manoeuvre import ExcitedModel, peak
from percuss.identification.options import DEFAULT
from percuss.identification.options.reporting import AdviceOptions
from percuss.model.errors import ModelError

Option = tuple[int, float, float]
"""(joint, cycles, largest torque with its sign)."""


def options_within(
    model: ExcitedModel,
    theta: np.ndarray,
    travel: float,
    torque: float | None,
    *,
    cycles: tuple[float, ...],
    options: AdviceOptions = DEFAULT.advice,
) -> list[Option]:
    """Manoeuvres of all joints that have a motor, within the limits of torque."""
    chaser = model.motion.impact_motion.start.chaser
    limits = effort_limits(model.plain.encounter.plain.control.limits, chaser)
    inertias = _inertias(model)
    probes: list[Option] = []
    most: list[float] = []
    for k, joint in enumerate(chaser.movable_joints):
        if joint.motion.rate_count != 1:
            continue
        limit = float(limits[chaser.node(joint.child).rates.start])
        largest = min(limit, math.inf if torque is None else torque)
        for count in cycles:
            small = min(options.probe * travel * inertias[k] * peak(count, model.length), largest)
            if small > 0.0:
                probes += [(k, count, small), (k, count, -small)]
                most += [largest, largest]
    if not probes:
        raise ModelError("no joint has a motor that may move it: there is nothing to excite")
    found: list[Option] = []
    for option, largest, far in zip(probes, most, excursions(model, theta, probes), strict=True):
        if not (math.isfinite(far) and far > 0.0):
            continue
        whole = abs(option[2]) * travel / far
        sizes = dict.fromkeys(min(share * whole, largest) for share in options.sizes)
        found += [(option[0], option[1], math.copysign(x, option[2])) for x in sizes]
    return found or probes


def _inertias(model: ExcitedModel) -> list[float]:
    """What each joint feels of the whole tree at the impact, everything else free (kg m²)."""
    assembly = model.motion.known.assembly
    inverse = np.linalg.inv(np.array(mass_matrix(assembly.tree, assembly.coordinates), float))
    chaser = model.motion.impact_motion.start.chaser
    places = [chaser.node(joint.child).rates.start for joint in chaser.movable_joints]
    return [1.0 / float(inverse[place, place]) for place in places]


def excursions(model: ExcitedModel, theta: np.ndarray, options: list[Option]) -> np.ndarray:
    """How far each moves any joint (rad or m); infinite beyond limits that are kept without."""
    angles = model.joint_positions(theta, excitations(model, options))
    simple = ~np.isnan(angles[:, 0, 0])
    chaser = model.motion.impact_motion.start.chaser
    off = np.abs(angles[simple][..., 1:] - angles[simple][..., :1])
    far = np.max(np.where(np.isfinite(off), off, np.inf), axis=(0, 1))
    for own, joint in zip(angles, chaser.movable_joints, strict=True):
        limits = chaser.node(joint.child).limits
        inside = (own >= float(limits.lower)) & (own <= float(limits.upper))
        if inside[:, 0].all():
            far[~inside[:, 1:].all(axis=0)] = np.inf
    return far


def excitations(model: ExcitedModel, options: list[Option]) -> np.ndarray:
    """Parameters (joints + 1, 1 + options) of `ExcitedMotion`; the first lane has no torque."""
    joints = model.motion.impact_motion.start.chaser.movable_joints
    table = np.zeros((len(joints) + 1, 1 + len(options)))
    table[-1] = 1.0
    for k, (joint, count, amplitude) in enumerate(options, start=1):
        table[joint, k] = amplitude / peak(count, model.length)
        table[-1, k] = count
    return table
