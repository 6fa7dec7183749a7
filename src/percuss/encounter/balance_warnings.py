"""Balances of energy and momentum that do not close to what the integration promises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.encounter.phase import Phase


def drifts(phases: Sequence[Phase]) -> tuple[str, ...]:
    """A sentence for each balance that is open by more than the integration allows."""
    return tuple(sentence for phase in phases for sentence in _said(phase))


def _said(phase: Phase) -> tuple[str, ...]:
    found, assembly = _drifting(phase), phase.observation.assembly
    if found and not assembly.plant.conserves:
        amounts = [f"{amount:.3g} {unit} of {name}" for name, amount, unit, _, _ in found]
        return (
            f"the {assembly.closure} equations of motion let {' and '.join(amounts)} drift away",
        )
    where = {"after": "after the impact", "observe": "while observing"}
    return tuple(
        f"{where.get(phase.name, f'in the {phase.name}')} {name} drifts by {amount:.3g} {unit}, "
        "more than the integration allows "
        f"({allowed:.0e} of {scale:.3g} {unit}); ask for a smaller "
        "tolerance or step"
        for name, amount, unit, scale, allowed in found
    )


def _drifting(phase: Phase) -> list[tuple[str, float, str, float, float]]:
    """Name, residual, unit, size and allowed share of what drifts in a phase."""
    balance, observation = phase.balance, phase.observation
    sizes = observation.momentum_sizes
    work = float(np.abs(observation.integral("work")).max())
    rows = [
        ("energy", balance.energy, float(observation.kinetic_energy.max()) + work, "J"),
        ("linear momentum", balance.linear_momentum, sizes[0], "N s"),
        ("angular momentum", balance.angular_momentum, sizes[1], "N m s"),
    ]
    fixed = phase.integration.method == "rk4"
    allowed = 1e-6 if fixed else 1e3 * phase.integration.relative_tolerance
    return [
        (name, residual, unit, scale, allowed)
        for name, residual, scale, unit in rows
        if residual is not None and residual > allowed * scale
    ]
