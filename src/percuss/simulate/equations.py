"""The equations of motion after the impact, with the integrals that check them."""

from __future__ import annotations

import hashlib
import json
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, add, dot, mul, pack, unpack
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, wheel_rates
from percuss.dynamics.composite import total_inertia
from percuss.dynamics.loads import joint_friction
from percuss.kinematics.manifold import coordinate_rates
from percuss.kinematics.trees import tree_poses
from percuss.model.document import system_to_dict
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.simulate.stage import Stage
from percuss.version import __version__


class Equations:
    """dx/dt of the flat state x = (q, v, wheel momentum, work, external impulse).

    The last entries are integrals over time since the impact: work of motors, thrusters and
    friction (J), and the impulse of everything outside (thrusters, gravity), linear (N s) and
    angular about the world's origin (N m s), world axes. With them energy and momentum can be
    balanced at any time.
    """

    def __init__(self, stage: Stage, law: ControlLaw) -> None:
        self.stage = stage
        self.law = law
        self.system: System = stage.tree if stage.tree is not None else stage.chaser
        plant = stage.plant
        planar = stage.contact.is_planar
        wheels = stage.chaser.mode == BaseMode.ATTITUDE_CONTROLLED
        sizes = {
            "q": plant.coordinate_count,
            "v": plant.rate_count,
            "wheels": (1 if planar else 3) if wheels else 0,
            "work": 1,
            "linear": 2 if planar else 3,
            "angular": 1 if planar else 3,
        }
        bounds = list(accumulate(sizes.values(), initial=0))
        self.slices = {
            name: slice(*ends) for name, ends in zip(sizes, pairwise(bounds), strict=True)
        }
        self.size = bounds[-1]
        self.planar = planar

    @cached_property
    def start(self) -> np.ndarray:
        """The state just after the impact; wheels and integrals begin at zero."""
        x = np.zeros(self.size)
        x[self.slices["q"]] = self.stage.coordinates
        x[self.slices["v"]] = self.stage.rates
        return x

    @cached_property
    def compiled(self) -> kernel.Kernel:
        """(t, x) → (dx/dt, u) as machine code."""
        return kernel.compile(self.rates, 0.0, np.zeros(self.size), key=self.key)

    @cached_property
    def compiled_law(self) -> kernel.Kernel:
        """(t, x, memory) → (u, memory) of a sampled law as machine code."""
        return kernel.compile(
            self.command,
            0.0,
            np.zeros(self.size),
            self.law.memory,
        )

    @property
    def key(self) -> str | None:
        """Determines the compiled program: the code, the bodies and the law."""
        if self.law.key is None or self.stage.tree is None:
            return None
        document = json.dumps(system_to_dict(self.stage.tree))
        return "\n".join(["motion", code_fingerprint(), document, self.law.key, str(self.slices)])

    # --- functions of scalars of any kind -----------------------------------------------------

    def rates(self, t: Any, x: Any) -> tuple[Any, Any]:
        """(dx/dt, u) of a law without memory."""
        u, _ = self.command(t, x, self.law.memory)
        return self.driven(x, u), u

    def command(self, t: Any, x: Any, memory: Any) -> tuple[Any, Any]:
        """(u, memory): generalized forces on the chaser's rates, zero where nothing drives."""
        q, v = self._state(x)
        u, memory = self.law.command(t, q, v, memory)
        driven = np.asarray(self.stage.plant.actuated, float)
        return pack(mul(float(a), b) for a, b in zip(driven, _scalars(u), strict=True)), memory

    def driven(self, x: Any, u: Any) -> Any:
        """dx/dt under given forces u on the chaser's rates."""
        q, v = self._state(x)
        plant, system = self.stage.plant, self.system
        forces = unpack(u, plant.own_rates, "u")
        power = dot(forces, _scalars(v)[: plant.own_rates])
        power = add(power, dot(_scalars(joint_friction(system, v)), _scalars(v)))
        outside = self.external_wrench(q, forces)
        linear, angular = list(outside.linear), list(outside.angular)
        parts = [
            *_scalars(coordinate_rates(system, q, v)),
            *_scalars(plant.accelerations(q, v, u)),
            *_scalars(wheel_rates(plant, u)),
            power,
            *(linear[:2] if self.planar else linear),
            *(angular[2:] if self.planar else angular),
        ]
        return pack(parts)

    def external_wrench(self, q: Any, forces: tuple[Scalar, ...]) -> Force:
        """What acts from outside, world axes about the world's origin: thrusters and gravity.

        A free-flying base is pushed and turned from outside; wheels only exchange momentum
        with it, and what a fixed base passes on is not asked for.
        """
        system = self.system
        body = total_inertia(system, q)
        weight = system.gravity * body.mass
        wrench = Force(weight, body.first_moment.cross(system.gravity))
        chaser = self.stage.chaser
        joint = chaser.base_joint
        if chaser.mode != BaseMode.FREE_FLYING or not isinstance(joint.motion, (Free, Planar)):
            return wrench
        own = forces[chaser.node(joint.child).rates]
        if isinstance(joint.motion, Planar):
            push, turn = Vector3(own[0], own[1], 0.0), Vector3(0.0, 0.0, own[2])
        else:
            push, turn = Vector3(*own[:3]), Vector3(*own[3:])
        axes = joint.placement.rotation
        origin = tree_poses(system, q).world_poses()[system.node(joint.child).index]
        at = (origin @ joint.child_placement.inverse()).position
        push, turn = axes @ push, axes @ turn
        return wrench + Force(push, at.cross(push) + turn)

    def _state(self, x: Any) -> tuple[Any, Any]:
        """q with unit quaternions, and v."""
        q, v = x[self.slices["q"]], x[self.slices["v"]]
        if not self.stage.quaternions:
            return q, v
        entries = list(_scalars(q))
        for first in self.stage.quaternions:
            part = entries[first : first + 4]
            # One Newton step towards the sphere: the integration leaves it by rounding only.
            scale = add(1.5, mul(-0.5, dot(part, part)))
            entries[first : first + 4] = [mul(scale, entry) for entry in part]
        return pack(entries), v


def _scalars(values: Any) -> tuple[Scalar, ...]:
    return unpack(values, len(values), "values")


@cache
def code_fingerprint() -> str:
    """Changes whenever a source file of the package does."""
    folder = Path(__file__).parents[1]
    stamps = [
        (str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*.py"))
    ]
    return f"{__version__} {hashlib.sha256(json.dumps(stamps).encode()).hexdigest()}"
