"""The equations of motion of a stretch of an encounter, with the integrals that check them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, add, dot, mul, pack, sub, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control import (
    ControlLaw,
    Felt,
    TreePlant,
    dump_torques,
    joints_kept,
    wheel_limited,
    wheel_rates,
)
from percuss.control.plant import key_of
from percuss.dynamics.loads import joint_friction
from percuss.dynamics.orbit import CircularOrbit, OrbitalLoads, orbital_loads
from percuss.encounter.loads import Load
from percuss.encounter.outside import external_wrench, weight
from percuss.encounter.stage import Stage
from percuss.kinematics.manifold import coordinate_rates
from percuss.model.document import system_to_dict
from percuss.model.errors import ModelError
from percuss.model.names import BaseMode
from percuss.model.systems import Frame, System
from percuss.version import __version__


@dataclass(frozen=True)
class WheelUse:
    """What the wheels of an attitude-controlled base can hold, and how they are unloaded.

    `capacity` in N m s, None for any; thrusters with `dump_torque` (N m) unload the wheels from
    the time `dump_after` (s) on.
    """

    capacity: float | None = None
    dump_torque: float | None = None
    dump_after: float = 0.0


ANY_WHEELS = WheelUse()
RISE = 1.0
"""Time (s) in which thrusters that unload the wheels come to their torque."""


class Equations:
    """dx/dt of the flat state x = (q, v, wheel momentum, orbit, work, external impulse, contact).

    After q and v come integrals over time: the momentum in the wheels (N m s, world axes), in an
    orbit the angle θ = n t by which the local orbital frame has turned (rad), the work of motors,
    thrusters, friction, loads and the orbit (J), and the impulse of everything outside
    (thrusters, gravity, the orbit, a pulse), linear (N s) and angular about the world's origin
    (N m s), world axes. With them energy and momentum can be balanced at any time. Where a load
    acts at the tool, its impulse on the chaser (N s, world axes) and its work (J) are the last
    entries. The orbit's angle is part of the state because each stretch has a clock of its own.
    """

    def __init__(
        self,
        stage: Stage,
        law: ControlLaw,
        load: Load | None = None,
        wheels: WheelUse = ANY_WHEELS,
        orbit: CircularOrbit | None = None,
    ) -> None:
        if stage.plant.passengers:
            _refuse_passengers(stage, wheels, orbit)
        self.stage = stage
        self.law = law
        self.load = load
        self.wheels = wheels
        self.orbit = orbit
        self.system: System = stage.tree
        plant = stage.plant
        planar = stage.is_planar
        has_wheels = stage.chaser.mode == BaseMode.ATTITUDE_CONTROLLED
        axes, turns = (2, 1) if planar else (3, 3)
        sizes = {
            "q": plant.coordinate_count,
            "v": plant.rate_count,
            "wheels": turns if has_wheels else 0,
            "orbit": 0 if orbit is None else 1,
            "work": 1,
            "linear": axes,
            "angular": turns,
            "load_impulse": axes if load is not None else 0,
            "load_work": 1 if load is not None else 0,
        }
        bounds = list(accumulate(sizes.values(), initial=0))
        self.slices = {
            name: slice(*ends) for name, ends in zip(sizes, pairwise(bounds), strict=True)
        }
        self.size = bounds[-1]
        self.planar = planar
        self._made: dict[Any, Any] = {}
        self.wheel_momentum = np.zeros(sizes["wheels"])
        self.orbit_angle = np.zeros(sizes["orbit"])
        self.memory = law.memory

    def begun_with(
        self,
        stage: Stage,
        wheel_momentum: np.ndarray | None,
        memory: Any = None,
        orbit_angle: Any = None,
    ) -> Equations:
        """The same equations for bodies of the same kind that start elsewhere.

        The law begins with this memory, by default with that of its own start; the local orbital
        frame is turned by `orbit_angle` (rad) then, by default as here. What was compiled is
        shared.
        """
        other = copy(self)
        other.stage = stage
        other.memory = self.law.memory if memory is None else memory
        if wheel_momentum is not None:
            other.wheel_momentum = wheel_momentum
        if orbit_angle is not None and self.orbit is not None:
            other.orbit_angle = np.reshape(np.asarray(orbit_angle, float), (1,))
        for name in ("start", "key"):
            other.__dict__.pop(name, None)
        return other

    @cached_property
    def start(self) -> np.ndarray:
        """The state at the beginning; work and impulses begin at zero."""
        x = np.zeros(self.size)
        x[self.slices["q"]] = self.stage.coordinates
        x[self.slices["v"]] = self.stage.rates
        x[self.slices["wheels"]] = self.wheel_momentum
        x[self.slices["orbit"]] = self.orbit_angle
        return x

    def kept(self, name: Any, make: Callable[[], Any]) -> Any:
        """What was made of these equations under a name, made now if it was not."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @property
    def compiled(self) -> kernel.Kernel:
        """(t, x) → (dx/dt, u) as machine code."""
        example = np.zeros(self.size)
        return self.kept("motion", lambda: kernel.compile(self.rates, 0.0, example, key=self.key))

    @property
    def compiled_law(self) -> kernel.Kernel:
        """(t, x, memory) → (u, memory) of a sampled law as machine code."""
        example = np.zeros(self.size)
        return self.kept("law", lambda: kernel.compile(self.command, 0.0, example, self.law.memory))

    @cached_property
    def key(self) -> str | None:
        """Determines the compiled program: the code, the bodies, the law and the loads."""
        load = "no load" if self.load is None else self.load.key
        orbit = "no orbit" if self.orbit is None else self.orbit.key
        plant = key_of(self.stage.plant)
        if self.law.key is None or plant is None or load is None or orbit is None:
            return None
        document = json.dumps(system_to_dict(self.stage.tree))
        parts = [document, plant, self.law.key, load, orbit, repr(self.wheels), str(self.slices)]
        return "\n".join(["motion", code_fingerprint(), *parts])

    # --- functions of scalars of any kind -----------------------------------------------------

    def rates(self, t: Any, x: Any) -> tuple[Any, Any]:
        """(dx/dt, u) of a law without memory."""
        u, _ = self.command(t, x, self.law.memory)
        return self.driven(t, x, u), u

    def command(self, t: Any, x: Any, memory: Any) -> tuple[Any, Any]:
        """(u, memory): generalized forces on the chaser's rates, zero where nothing drives."""
        q, v = self.state(x)
        felt = (self._felt(t, q, v),) if self.law.feels else ()
        u, memory = self.law.command(t, q, v, memory, *felt)
        plant = self.stage.plant
        driven = np.asarray(plant.actuated, float)
        u = pack(mul(float(a), b) for a, b in zip(driven, _scalars(u), strict=True))
        if self.wheels.capacity is not None:
            u = self._with_limited_wheels(t, x, u)
        return u, memory

    def _felt(self, t: Any, q: Any, v: Any) -> Felt:
        """What a sensor at the tool shows: the load on the chaser there."""
        if self.load is None:
            return Felt(Vector3.zero(), touching=False)
        return Felt(self.load(t, q, v).force, self.load.made)

    def _with_limited_wheels(self, t: Any, x: Any, u: Any) -> Any:
        """u with what the wheels can give, joints held as they would be with all of it."""
        plant, h = self.stage.plant, x[self.slices["wheels"]]
        assert isinstance(plant, TreePlant)
        unloading = self._unloading(t, x)
        on_wheels = pack(sub(a, b) for a, b in zip(_scalars(u), unloading, strict=True))
        allowed = wheel_limited(plant, on_wheels, h, self.wheels.capacity)
        limited = pack(add(a, b) for a, b in zip(_scalars(allowed), unloading, strict=True))
        return joints_kept(plant, self.state(x)[0], u, limited)

    def _unloading(self, t: Any, x: Any) -> list[Scalar]:
        """Torque of the thrusters that unload the wheels, on the chaser's rates (N m)."""
        plant, torque = self.stage.plant, self.wheels.dump_torque
        if torque is None:
            return [0.0] * plant.own_rates
        full = dump_torques(plant, x[self.slices["wheels"]], torque)
        return [mul(self._begun(t), entry) for entry in _scalars(full)]

    def _begun(self, t: Any) -> Scalar:
        """Share of the thrusters' torque: it rises within RISE, smoothly, as steps need it."""
        share = mul(1.0 / RISE, sub(t, self.wheels.dump_after))
        share = where(share > 0.0, share, 0.0)  # type: ignore[operator]
        share = where(share < 1.0, share, 1.0)  # type: ignore[operator]
        return mul(mul(share, share), sub(3.0, mul(2.0, share)))

    def driven(self, t: Any, x: Any, u: Any) -> Any:
        """dx/dt under given forces u on the chaser's rates."""
        q, v = self.state(x)
        plant, system = self.stage.plant, self.system
        forces = unpack(u, plant.own_rates, "u")
        power = dot(forces, _scalars(v)[: plant.own_rates])
        power = add(power, dot(_scalars(joint_friction(system, v)), _scalars(v)))
        outside = external_wrench(system, self.stage.chaser, q, forces)
        for passenger in plant.passengers:
            outside = outside + weight(passenger.system, passenger.state(q, v)[0])
        applied = None if self.load is None else self.load(t, q, v)
        acting: list[tuple[Frame, Force]] = []
        for part in (applied, self.orbital_loads(x)):
            if part is not None:
                acting += part.wrenches
                power = add(power, part.power)
                outside = outside + part.outside
        accelerations = plant.accelerations(q, v, u, acting)
        turning, outside = self._wheel_rates(t, x, u, outside)
        parts = [
            *_scalars(coordinate_rates(system, q, v)),
            *_scalars(accelerations),
            *turning,
            *([] if self.orbit is None else [self.orbit.mean_motion]),
            power,
            *self._along(outside.linear),
            *self._about(outside.angular),
        ]
        if applied is not None:
            parts += [*self._along(applied.force), applied.power]
        return pack(parts)

    def orbital_loads(self, x: Any) -> OrbitalLoads | None:
        """What the orbit does to the bodies at a flat state; None without an orbit."""
        if self.orbit is None:
            return None
        (angle,) = _scalars(x[self.slices["orbit"]])
        return orbital_loads(self.orbit, self.system, angle, *self.state(x))

    def wrenches(self, t: Any, x: Any) -> list[tuple[Frame, Force]]:
        """What acts on the bodies besides motors and thrusters, at frames, world axes."""
        load = None if self.load is None else self.load(t, *self.state(x))
        parts = (load, self.orbital_loads(x))
        return [pair for part in parts if part is not None for pair in part.wrenches]

    def _wheel_rates(self, t: Any, x: Any, u: Any, outside: Force) -> tuple[list[Scalar], Force]:
        """ḣ of the wheels, and what acts from outside with the thrusters that unload them."""
        plant = self.stage.plant
        if self.wheels.dump_torque is None:
            return list(_scalars(wheel_rates(plant, u))), outside
        unloading = self._unloading(t, x)
        # The base feels the law's torque as it is: the wheels give what the thrusters take.
        on_wheels = [sub(a, b) for a, b in zip(_scalars(u), unloading, strict=True)]
        taken = _scalars(wheel_rates(plant, pack(sub(0.0, torque) for torque in unloading)))
        moment = Vector3(0.0, 0.0, taken[0]) if self.planar else Vector3(*taken)
        rates = list(_scalars(wheel_rates(plant, pack(on_wheels))))
        return rates, outside + Force(Vector3.zero(), moment)

    def _along(self, vector: Vector3) -> list[Scalar]:
        return list(vector)[: 2 if self.planar else 3]

    def _about(self, vector: Vector3) -> list[Scalar]:
        return list(vector)[2:] if self.planar else list(vector)

    def state(self, x: Any) -> tuple[Any, Any]:
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


def _refuse_passengers(stage: Stage, wheels: WheelUse, orbit: CircularOrbit | None) -> None:
    """What is known of bodies in a tree only."""
    asked = None
    if orbit is not None:
        asked = "orbit: the loads of an orbit act on"
    elif wheels.capacity is not None:
        asked = "control.limits.wheels: joints are held against wheels that are full in"
    if asked is not None:
        raise ModelError(
            f"{asked} a tree of bodies, which closure {stage.closure} does not leave; take pin or "
            "weld"
        )


def _scalars(values: Any) -> tuple[Scalar, ...]:
    return unpack(values, len(values), "values")


@cache
def code_fingerprint() -> str:
    """Changes whenever a source file of the package does."""
    stamps: list[tuple[str, int, int]] = []
    package = str(Path(__file__).parents[1])
    for folder, _, names in os.walk(package):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
            found = os.stat(path)
            stamps.append((path.removeprefix(package), found.st_size, found.st_mtime_ns))
    return f"{__version__} {hashlib.sha256(json.dumps(sorted(stamps)).encode()).hexdigest()}"
