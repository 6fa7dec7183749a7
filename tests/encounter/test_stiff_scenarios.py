"""Scenarios whose equations are stiff: they are valid, and how stiff they are is known.

They lie in a folder of their own, which the tests that run every scenario do not look into.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import percuss
from percuss.control.laws import no_control
from percuss.encounter.assembly import assembly_before
from percuss.encounter.equations import Equations
from percuss.encounter.fastest import fastest, jacobian

ROOT = Path(__file__).parents[2]
STIFF = sorted((ROOT / "scenarios/stiff").glob("*.yaml"))


@pytest.mark.parametrize("path", STIFF, ids=lambda path: path.stem)
def test_it_is_valid(path: Path) -> None:
    scenario = percuss.load(path)
    assert scenario.start.target is not None


def test_joint_friction_brakes_within_a_microsecond() -> None:
    """At rest the friction of a joint is (viscous + coulomb / smoothing) times its rate, so that
    the fast eigenvalues of the equations are those of -M⁻¹ times these numbers."""
    scenario = percuss.load(ROOT / "scenarios/stiff/joint-friction.yaml")
    start = scenario.start
    arm = start.chaser
    rubbing = np.zeros(arm.rate_count)
    for joint in arm.moving_joints:
        friction = joint.friction
        rubbing[arm.node(joint.child).rates] = (
            friction.viscous + friction.coulomb / friction.smoothing
        )
    M = np.asarray(percuss.mass_matrix(arm, start.chaser_coordinates), float)
    expected = scipy.linalg.eigh(np.diag(rubbing), M, eigvals_only=True)[-1]
    assembly = assembly_before(start)
    equations = Equations(assembly, no_control(assembly.plant))
    x = np.array(equations.start)
    x[equations.slices["v"]] = 0.0
    found = fastest(jacobian(equations, 0.0, x))
    assert found.value.real == pytest.approx(-expected, rel=1e-3)
    assert found.size > 1e6
    name = equations.system.rate_names[found.entry - equations.slices["v"].start]
    assert name == "arm_joint7"
