"""What is measured along the motions of an ensemble: peaks, energy and momentum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import add, dot, mul, pack, unpack
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy, potential_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.encounter.ensemble.joint_use import single_joints
from percuss.encounter.equations import Equations
from percuss.encounter.stabilisation import driven_groups
from percuss.kernel.duals import array_of, value_of
from percuss.kernel.tracing.writing import real
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode

Make = Callable[[Any], Equations]
"""The equations of motion of a case from its parameters."""


SQUARES = ("base_rate", "wheels", "reactions", "force", "groups")
"""Peaks that are looked at as squares."""
NAMES = (*SQUARES, "control", "highest", "lowest", "fastest")


@dataclass(frozen=True)
class Peaks:
    """Largest values over a motion; `equations` are those of any of the cases.

    Lengths of vectors are looked at as squares, which are smooth where a vector vanishes;
    `found` takes the roots.
    """

    make: Make
    equations: Equations
    reactions: bool
    settling: bool = False
    limits: bool = False

    def statistics(self) -> dict[str, kernel.Maximum]:
        """The largest values by name, as a rollout takes them."""
        wheels = self.equations.slices["wheels"]
        chaser = self.equations.assembly.chaser
        found = {"control": kernel.Maximum(self._commands)}
        if isinstance(chaser.base_joint.motion, (Free, Planar)):
            found["base_rate"] = kernel.Maximum(self._base_rate)
        if wheels.stop > wheels.start:
            found["wheels"] = kernel.Maximum(lambda t, x, u, p: _square(x[wheels]))  # noqa: ARG005
        if self.reactions and chaser.moving_joints:
            found["reactions"] = kernel.Maximum(self._reactions)
        if self.equations.load is not None:
            found["force"] = kernel.Maximum(self._force)
        if self.settling and driven_groups(self.equations.assembly):
            found["groups"] = kernel.Maximum(lambda t, x, u, p: self.groups(x))  # noqa: ARG005
        if self.limits and single_joints(chaser):
            found |= self._uses()
        return found

    def _uses(self) -> dict[str, kernel.Maximum]:
        """Positions, to both sides, and sizes of the rates of joints with one axis."""
        joints = single_joints(self.equations.assembly.chaser)
        q, v = self.equations.slices["q"].start, self.equations.slices["v"].start

        def positions(x: Any, sign: float) -> Any:
            return pack(mul(sign, x[q + one.coordinate]) for one in joints)

        def rates(x: Any) -> Any:
            return np.abs(real(pack(x[v + one.rate] for one in joints)))

        return {
            "highest": kernel.Maximum(lambda t, x, u, p: positions(x, 1.0)),  # noqa: ARG005
            "lowest": kernel.Maximum(lambda t, x, u, p: positions(x, -1.0)),  # noqa: ARG005
            "fastest": kernel.Maximum(lambda t, x, u, p: rates(x)),  # noqa: ARG005
        }

    def groups(self, x: Any) -> Any:
        """Squares of the sizes of the driven rates by kind (rad²/s², m²/s²)."""
        v = x[self.equations.slices["v"]]
        kinds = driven_groups(self.equations.assembly).values()
        return pack(_square([v[k] for k in rows]) for rows in kinds)

    @staticmethod
    def found(statistics: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Largest values by name, from what a rollout returns; others are left out."""
        arrays = {name: array_of(statistics[name]) for name in statistics if name in NAMES}
        return {name: np.sqrt(a) if name in SQUARES else a for name, a in arrays.items()}

    def _command(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        return u if u is not None else self.make(p).command(t, self._core(x), None)[0]

    def _core(self, x: Any) -> Any:
        return x[: self.equations.size]

    def _commands(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """|u| on each of the chaser's rates (N, N m)."""
        return np.abs(real(self._command(t, x, u, p)))

    def _base_rate(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """ω² of the base (rad²/s²)."""
        del t, u, p
        chaser = self.equations.assembly.chaser
        rates = chaser.node(chaser.base_joint.child).rates
        turning = 1 if isinstance(chaser.base_joint.motion, Planar) else 3
        return _square(x[self.equations.slices["v"]][rates.stop - turning : rates.stop])

    def _reactions(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """Square of the force through each moving joint of the chaser (N²)."""
        equations, core = self.make(p), self._core(x)
        a = equations.driven(t, core, self._command(t, x, u, p))[equations.slices["v"]]
        q, v = equations.state(core)
        loads = joint_reactions(equations.system, q, v, a, wrenches=equations.wrenches(t, core))
        joints = equations.assembly.chaser.moving_joints
        return pack(_square(loads[joint.name].linear.array()) for joint in joints)

    def _force(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """Square of the force at the tool (N²)."""
        del u
        equations = self.make(p)
        assert equations.load is not None
        return _square(equations.load(t, *equations.state(self._core(x))).force.array())


def totals_of(make: Make) -> Callable[[Any, Any], tuple[Any, Any, Any]]:
    """(x, p) → energy (1,), J; momentum (3,), N s; angular momentum (3,), N m s, no wheels."""

    def totals(x: Any, p: Any) -> tuple[Any, Any, Any]:
        equations = make(p)
        q, v = equations.state(x)
        system = equations.system
        energy = add(kinetic_energy(system, q, v), potential_energy(system, q))
        whole = momentum(system, q, v)
        return pack([energy]), pack(list(whole.linear)), pack(list(whole.angular))

    return totals


def residuals_between(
    equations: Equations, before: Any, after: Any, x0: np.ndarray, *, x1: np.ndarray
) -> np.ndarray:
    """Change of the totals minus work and external impulse from x0 to x1, (3, cases).

    NaN for the momentum that a fixed base passes on to the world. What is left is rounding and
    tolerance, which has no derivative.
    """
    energy, linear, angular = (
        value_of(b) - value_of(a) for a, b in zip(before, after, strict=True)
    )
    x0, x1 = value_of(x0), value_of(x1)
    work, push, turn, wheels = (
        x1[equations.slices[name]] for name in ("work", "linear", "angular", "wheels")
    )
    found = np.full((3, x0.shape[1]), np.nan)
    found[0] = np.abs(energy[0] - work[0])
    if equations.assembly.chaser.mode == BaseMode.FIXED:
        return found
    if equations.planar:
        linear, angular = linear[:2], angular[2:]
    if len(wheels):
        angular = angular + wheels - x0[equations.slices["wheels"]]
    found[1] = np.linalg.norm(linear - push, axis=0)
    found[2] = np.linalg.norm(angular - turn, axis=0)
    return found


def _square(vector: Any) -> Any:
    entries = unpack(vector, len(vector), "vector")
    return dot(entries, entries)
