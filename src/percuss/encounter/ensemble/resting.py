"""What it takes to bring captures to rest, and the motion that remains, of many cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.scalars import div, dot, mul, pack, plain, terms, unpack
from percuss.algebra.vectors import Vector3
from percuss.control.settling import FULL
from percuss.dynamics.composite import momentum, total_inertia
from percuss.encounter.ensemble.impacts import GraspOfCases
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.measures import Make
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.equations import Equations
from percuss.kernel.duals import array_of
from percuss.model.names import BaseMode

THRUSTERS = "thrusters"
FULL_AT = "full"


@dataclass(frozen=True)
class Effort:
    """What thrusters and wheels give over a motion; `equations` are those of any of the cases."""

    make: Make
    equations: Equations

    @property
    def by_thrusters(self) -> bool:
        """Whether thrusters act at all: on a free-flying base, or to unload wheels."""
        flies = self.equations.chaser.mode == BaseMode.FREE_FLYING
        return flies or self.equations.wheels.dump_torque is not None

    @property
    def fills(self) -> bool:
        """Whether there are wheels that may be full."""
        held = self.equations.slices["wheels"]
        return held.stop > held.start and self.equations.wheels.capacity is not None

    def statistics(self) -> dict[str, kernel.Integral | kernel.FirstCrossing]:
        """The effort by name, as a rollout takes it: ∫ |F| dt, ∫ |τ| dt, when wheels are full."""
        found: dict[str, kernel.Integral | kernel.FirstCrossing] = {}
        if self.by_thrusters:
            found[THRUSTERS] = kernel.Integral()
        if self.fills:
            found[FULL_AT] = kernel.FirstCrossing(self._fullness, direction=1)
        return found

    def integrands(
        self, equations: Equations, t: Any, x: Any, u: Any, *, rates: Any
    ) -> dict[str, Any]:
        """What is integrated, under commands u on the chaser's rates."""
        del rates
        if not self.by_thrusters:
            return {}
        chaser = equations.chaser
        flies = chaser.mode == BaseMode.FREE_FLYING
        given = u if flies else pack(equations.unloading(t, x))
        rates = chaser.node(chaser.base_joint.child).rates
        turning = 1 if rates.stop - rates.start == 3 else 3
        base = unpack(given, chaser.rate_count, "forces of thrusters")[rates]
        return {THRUSTERS: pack([_size(base[:-turning]), _size(base[-turning:])])}

    def _fullness(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """|h|² beyond that of wheels that count as full ((N m s)²)."""
        del t, u
        held, capacity = x[self.equations.slices["wheels"]], self.make(p).wheels.capacity
        assert capacity is not None
        entries, most = unpack(held, len(held), "wheels"), mul(FULL, capacity)
        return plain(dot(entries, entries) - terms(most) * most)


def _size(entries: Any) -> Any:
    """Length of up to three entries."""
    return Vector3(*entries, *[0.0] * (3 - len(entries))).norm()


@dataclass(frozen=True)
class Remaining:
    """How captures would move with all joints locked, from their states at the end."""

    machine: Machine
    grasp: GraspOfCases

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> dict[str, np.ndarray]:
        """Linear (N s) and angular momentum about the centre of mass (N m s), (3, cases), world
        axes; angular speed `spin` (rad/s) and speed `drift` of the centre of mass (m/s)."""
        found = self._compiled(q, v, {name: p[name] for name in self.grasp.like})
        return {name: array_of(values) for name, values in found.items()}

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        like = self.grasp.like
        still = np.zeros(self.grasp.attachment(like).joined.rate_count)
        return self.machine.compiled(self._motion, like["held"], still, like)

    def _motion(self, q: Coordinates, v: Rates, p: Parameters) -> dict[str, Any]:
        system = self.grasp.attachment(p).joined
        whole, body = momentum(system, q, v), total_inertia(system, q)
        about = whole.angular - body.center_of_mass.cross(whole.linear)
        inertia = body.central_inertia.matrix()
        if self.grasp.before.is_planar:
            spin = Vector3(0.0, 0.0, div(about.z, inertia.rows[2].z))
        else:
            rows = [list(row) for row in inertia.rows]
            spin = Vector3(*solve_symmetric(rows, list(about)))
        return {
            "linear_momentum": pack(list(whole.linear)),
            "angular_momentum": pack(list(about)),
            "spin": spin.norm(),
            "drift": div(whole.linear.norm(), body.mass),
        }
