"""IC² and locked joints for the paper's robot, from its own equations.

(51)–(53) have the accelerations in them that the torques cause. The accelerations are affine in
the torques, so three evaluations and a system of two equations give both. These laws know the
pulse beforehand; they are what the general law `ic2`, which feels the force, is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, add, pack, plain, sub, terms, unpack
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, TreePlant
from percuss.control.plant import Plant
from percuss.kinematics.frames import frame_pose
from percuss.model.systems import Frame
from percuss.scenario import loads
from percuss.scenario.simulation import simulate
from percuss.sources.centre_of_percussion.cases import (
    PulseCase,
    PulseReactions,
    felt_in,
    scenario_text,
)
from percuss.sources.centre_of_percussion.paper import TABLE_1

Residual = Callable[[list[Scalar], Scalar, Scalar], tuple[Scalar, Scalar]]
"""(v̇, n1, n2) → two quantities that the torques n1, n2 have to make zero; affine."""

BRIEF = 1e-6
"""How long the motion after the pulse is followed (s): these laws do not know that it is over."""


def compensated(case: PulseCase, base_torque: bool = True) -> PulseReactions:
    """A normal blow with the torques of (51)–(53); ends with the pulse."""
    return _carried_out(case, "ic2", base_torque)


def locked(case: PulseCase) -> PulseReactions:
    """A normal blow with motors that keep both joints as they are; ends with the pulse."""
    return _carried_out(case, "locked", False)


@lru_cache(maxsize=16)
def _carried_out(case: PulseCase, kind: str, base_torque: bool) -> PulseReactions:
    brief = PulseCase(
        at=case.at,
        angle=case.angle,
        force=case.force,
        duration=case.duration,
        joint_2=case.joint_2,
        after=BRIEF,
    )
    residual = {"ic2": _compensating, "locked": _locking}[kind](case)

    def law(plant: Plant) -> ControlLaw:
        assert isinstance(plant, TreePlant)
        return _law(plant, case, residual, base_torque)

    return felt_in(simulate(loads(scenario_text(brief), "section 6"), law))


def _compensating(case: PulseCase) -> Residual:
    one, two = TABLE_1.link1, TABLE_1.link2
    k1 = (case.joint_2 - one.cop) * one.mass * one.com
    k2 = (case.at - two.cop) * two.mass * two.com

    def residual(a: list[Scalar], n1: Scalar, n2: Scalar) -> tuple[Scalar, Scalar]:
        first = add(a[2], a[3])
        second = add(first, a[4])
        return plain(terms(n1) - n2 + terms(k1) * first), plain(n2 + terms(k2) * second)

    return residual


def _locking(case: PulseCase) -> Residual:
    del case

    def residual(a: list[Scalar], n1: Scalar, n2: Scalar) -> tuple[Scalar, Scalar]:
        del n1, n2
        return a[3], a[4]

    return residual


def _law(plant: TreePlant, case: PulseCase, residual: Residual, base_torque: bool) -> ControlLaw:
    struck = Frame.point("link2", (case.at, 0.0, 0.0))

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        del t
        turn = frame_pose(plant.system, q, "link2").rotation
        push = Force(turn @ Vector3(0.0, -case.force, 0.0), Vector3.zero())

        def off(n1: float, n2: float) -> tuple[Scalar, Scalar]:
            u = pack([0.0, 0.0, n1 if base_torque else 0.0, n1, n2])
            a = plant.accelerations(q, v, u, [(struck, push)])
            return residual(list(unpack(a, 5, "v̇")), n1, n2)

        c1, c2 = off(0.0, 0.0)
        (a11, a21), (a12, a22) = (
            (sub(x, c1), sub(y, c2)) for x, y in (off(1.0, 0.0), off(0.0, 1.0))
        )
        det = plain(terms(a11) * a22 - terms(a12) * a21)
        n1 = plain(-((terms(c1) * a22 - terms(a12) * c2) / det))
        n2 = plain(-((terms(a11) * c2 - terms(a21) * c1) / det))
        return pack([0.0, 0.0, n1 if base_torque else 0.0, n1, n2]), memory

    return ControlLaw(command)
