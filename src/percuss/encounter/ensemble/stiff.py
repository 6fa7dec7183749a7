"""Whether the motion of an ensemble is stiff, from its nominal case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.equations import Equations
from percuss.encounter.method import kernel_method
from percuss.kernel.rollouts.methods import ErrorControlled, Method
from percuss.model.systems import System


def chosen_method(
    machine: Machine,
    equations: Equations,
    p: Parameters,
    lasting: float,
    make: Callable[[Method], kernel.Rollout],
) -> tuple[kernel.Rollout, str]:
    """The motion by the ensemble's method, or by a stiff one and why, a sentence.

    Only what an automatic choice is asked for, and only where joints rub, is looked at: that is
    where light bodies are braked within microseconds, and looking takes a tenth of a second. The
    nominal case (equations and parameters) is looked at with these joints at rest, where dry
    friction is stiffest, and where it brings them.

    Args:
        lasting: s, of the motion.
        make: the motion by a method.
    """
    run = make(machine.method)
    if machine.asked is None or not machine.asked.automatic:
        return run, ""
    rubbing = _rubbing(equations.system)
    if not rubbing:
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
    usual = type(machine.method)
    assert issubclass(usual, ErrorControlled)
    if not found.is_stiff(lasting, usual):
        return run, ""
    reason = (
        f"where joints stand still the nominal motion decays at up to {found.decay:.3g} 1/s: for "
        f"stability alone {machine.asked.method} would take {found.steps(lasting, usual):.2g} "
        f"steps in {lasting:g} s"
    )
    return make(kernel_method(replace(machine.asked, method="rosenbrock"))), reason


def _rubbing(system: System) -> list[int]:
    """The places, among the rates, of joints with friction."""
    found: list[int] = []
    for joint in system.moving_joints:
        if joint.friction.viscous or joint.friction.coulomb:
            rates = system.node(joint.child).rates
            found += range(rates.start, rates.stop)
    return found
