"""Whether the motion of an ensemble is stiff, from its nominal case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.approach import Law
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.equations import Equations
from percuss.encounter.method import kernel_method
from percuss.kernel.rollouts.methods import ErrorControlled, Method
from percuss.kernel.rollouts.stiffness import MANY, Stiffness
from percuss.model.systems import System

_LOOKED_AT = 0.1
"""Share of the steps for which a stiff method pays, foreseen from the numbers of a law alone, from
which on a motion is looked at: coupled inertias let errors decay faster than a law asks for."""


def chosen_method(
    machine: Machine,
    equations: Equations,
    p: Parameters,
    law: Law,
    *,
    lasting: float,
    make: Callable[[Method], kernel.Rollout],
) -> tuple[kernel.Rollout, str]:
    """The motion by the ensemble's method, or by a stiff one and why, a sentence.

    Only what an automatic choice is asked for is looked at, and only where joints rub, which brakes
    light bodies within microseconds, or where the law says that errors decay fast: looking takes a
    tenth of a second and more. The nominal case (equations and parameters) is looked at with joints
    that rub at rest, where dry friction is stiffest, and where it brings them.

    Args:
        law: that drives the motion.
        lasting: s, of the motion.
        make: the motion by a method.
    """
    run = make(machine.method)
    if machine.asked is None or not machine.asked.automatic:
        return run, ""
    usual = type(machine.method)
    assert issubclass(usual, ErrorControlled)
    rubbing = _rubbing(equations.system)
    steps = Stiffness(_rate_of(law)).steps(lasting, usual)
    if not rubbing and steps < _LOOKED_AT * MANY:
        return run, ""
    state = np.zeros(run.problem.size)
    state[: equations.size] = equations.start
    first = equations.slices["v"].start
    state[[first + k for k in rubbing]] = 0.0
    try:
        found = kernel.stiffness(run, state, p)
    except kernel.KernelError:
        # The rates have no derivative here, and a stiff method would need it.
        return run, ""
    if not found.is_stiff(lasting, usual):
        return run, ""
    where = "where joints stand still " if rubbing else f"under the law {law.name} "
    reason = (
        f"{where}the nominal motion decays at up to {found.decay:.3g} 1/s: for stability alone "
        f"{machine.asked.method} would take {found.steps(lasting, usual):.2g} steps in "
        f"{lasting:g} s"
    )
    return make(kernel_method(replace(machine.asked, method="rosenbrock"))), reason


def _rate_of(law: Law) -> float:
    """How fast errors decay under a law by its own numbers (1/s); infinite for gains (N m/rad, N m
    s/rad), which tell nothing without the inertia that they act on."""
    strength = law.strength
    if "kp" in strength or "kd" in strength:
        return np.inf
    frequency = float(np.max(strength.get("natural-frequency", 0.0)))
    ratio = float(np.max(strength.get("damping-ratio", 1.0)))
    slowest = float(np.min(strength.get("time-constant", np.inf)))
    return max(frequency * max(1.0, 2.0 * ratio), 1.0 / slowest)


def _rubbing(system: System) -> list[int]:
    """The places, among the rates, of joints with friction."""
    found: list[int] = []
    for joint in system.moving_joints:
        if joint.friction.viscous or joint.friction.coulomb:
            rates = system.node(joint.child).rates
            found += range(rates.start, rates.stop)
    return found
