"""The equations of motion of a phase of an encounter, with the integrals that check them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus, multiple, plus
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, add, dot, mul, pack, plain, sub, terms, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, TreePlant, wheel_limited
from percuss.control.laws import Felt
from percuss.control.wheels import dump_torques, joints_kept, wheel_rates
from percuss.dynamics.loads import joint_friction
from percuss.dynamics.orbit import CircularOrbit, OrbitalLoads, orbital_loads
from percuss.encounter.assembly import Assembly
from percuss.encounter.flat_state import FlatState
from percuss.encounter.loads import Load
from percuss.encounter.mechanics import Mechanics
from percuss.encounter.outside import external_wrench, weight
from percuss.kinematics.manifold import coordinate_rates
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System


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


@dataclass(frozen=True)
class Beginning:
    """What a phase starts with besides the state of the bodies.

    `wheel_momentum` in N m s, world axes, None for none; `orbit_angle` (rad), by which the local
    orbital frame has turned, None for zero; `memory` of the law, None for that of its own start.
    """

    wheel_momentum: Any = None
    orbit_angle: Any = None
    memory: Any = None


AT_FIRST = Beginning()


@dataclass(frozen=True, eq=False)
class Equations:
    """dx/dt of the flat state x = (q, v, wheel momentum, orbit, work, external impulse, contact).

    After q and v come integrals over time: the momentum in the wheels (N m s, world axes), in an
    orbit the angle θ = n t by which the local orbital frame has turned (rad), the work of motors,
    thrusters, friction, loads and the orbit (J), and the impulse of everything outside
    (thrusters, gravity, the orbit, a pulse), linear (N s) and angular about the world's origin
    (N m s), world axes. With them energy and momentum can be balanced at any time. Where a load
    acts at the tool, its impulse on the chaser (N s, world axes) and its work (J) are the last
    entries. The orbit's angle is part of the state because each phase has a clock of its own.

    Functions of time and state look at nothing of the assembly but what `__fingerprint__` tells:
    where a phase starts is in `start` alone.
    """

    assembly: Assembly
    law: ControlLaw
    load: Load | None = None
    wheels: WheelUse = ANY_WHEELS
    orbit: CircularOrbit | None = None
    begin: Beginning = AT_FIRST
    made: dict[Any, Any] = field(default_factory=dict[Any, Any], repr=False)
    """What was compiled of them; the same dict for equations that differ in their start alone."""

    def __post_init__(self) -> None:
        if self.plant.passengers:
            _refuse_passengers(self.assembly, self.wheels, self.orbit)

    def __fingerprint__(self) -> Any:
        """What its functions of time and state follow from: not where a phase starts."""
        return self.around, self.law, self.load

    @property
    def around(self) -> tuple[Any, ...]:
        """What its functions of time and state follow from besides the law and the load."""
        return self.system, self.chaser, self.plant, self.flat, self.wheels, self.orbit

    @cached_property
    def system(self) -> System:
        """All bodies that move."""
        return self.assembly.tree

    @property
    def chaser(self) -> System:
        return self.assembly.chaser

    @property
    def plant(self) -> Mechanics:
        return self.assembly.plant

    @cached_property
    def flat(self) -> FlatState:
        """Where the parts of the state are."""
        return FlatState.of(self.assembly, self.orbit, loaded=self.load is not None)

    @property
    def slices(self) -> dict[str, slice]:
        return self.flat.slices

    @property
    def size(self) -> int:
        """Entries of the state."""
        return self.flat.size

    @property
    def planar(self) -> bool:
        """Whether everything stays in the plane."""
        return self.slices["angular"].stop - self.slices["angular"].start == 1

    # --- where a phase starts ---------------------------------------------------------------

    def begun_with(
        self,
        assembly: Assembly,
        wheel_momentum: np.ndarray | None,
        memory: Any = None,
        orbit_angle: Any = None,
    ) -> Equations:
        """The same equations for bodies of the same kind that start elsewhere.

        The law begins with this memory, by default with that of its own start; the local orbital
        frame is turned by `orbit_angle` (rad) then, by default as here. What was compiled is
        shared.
        """
        if wheel_momentum is None:
            wheel_momentum = self.begin.wheel_momentum
        if orbit_angle is None:
            orbit_angle = self.begin.orbit_angle
        return replace(
            self, assembly=assembly, begin=Beginning(wheel_momentum, orbit_angle, memory)
        )

    @property
    def memory(self) -> Any:
        """The memory of the law at the beginning."""
        return self.law.memory if self.begin.memory is None else self.begin.memory

    @cached_property
    def start(self) -> np.ndarray:
        """The state at the beginning; work and impulses begin at zero."""
        x = np.zeros(self.size)
        x[self.slices["q"]] = self.assembly.coordinates
        x[self.slices["v"]] = self.assembly.rates
        if self.begin.wheel_momentum is not None:
            x[self.slices["wheels"]] = self.begin.wheel_momentum
        if self.orbit is not None and self.begin.orbit_angle is not None:
            x[self.slices["orbit"]] = self.begin.orbit_angle
        return x

    # --- compiled -----------------------------------------------------------------------------

    def kept(self, name: Any, make: Callable[[], Any]) -> Any:
        """What was made of these equations under a name, made now if it was not."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    @property
    def compiled(self) -> kernel.Kernel:
        """(t, x) → (dx/dt, u) as machine code."""
        return self._compiled(self.rates, 0.0, np.zeros(self.size))

    @property
    def compiled_law(self) -> kernel.Kernel:
        """(t, x, memory) → (u, memory) of a sampled law as machine code."""
        return self._compiled(self.command, 0.0, np.zeros(self.size), self.law.memory)

    @property
    def compiled_motion(self) -> kernel.Kernel:
        """(t, x, u) → dx/dt under given forces as machine code."""
        return self._compiled(self.driven, 0.0, np.zeros(self.size), np.zeros(self.plant.own_rates))

    def _compiled(self, function: Callable[..., Any], *like: Any) -> kernel.Kernel:
        """One of the functions below, kept on disk where all that it follows from can be told."""
        return self.kept(
            function.__name__,
            lambda: kernel.compile(function, *like, key=kernel.fingerprint(function)),
        )

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
        plant = self.plant
        driven = np.asarray(plant.actuated, float)
        u = pack(mul(float(a), b) for a, b in zip(driven, _scalars(u), strict=True))
        if self.wheels.capacity is not None:
            u = self._with_limited_wheels(t, x, u)
        return u, memory

    def _felt(self, t: Any, q: Coordinates, v: Rates) -> Felt:
        """What a sensor at the tool shows: the load on the chaser there."""
        if self.load is None:
            return Felt(Vector3.zero(), touching=False)
        return Felt(self.load(t, q, v).force, self.load.made)

    def _with_limited_wheels(self, t: Any, x: Any, u: Any) -> Any:
        """u with what the wheels can give, joints held as they would be with all of it."""
        plant, h = self.plant, x[self.slices["wheels"]]
        assert isinstance(plant, TreePlant)
        unloading = self.unloading(t, x)
        on_wheels = pack(minus(_scalars(u), unloading))
        allowed = wheel_limited(plant, on_wheels, h, self.wheels.capacity)
        limited = pack(plus(_scalars(allowed), unloading))
        return joints_kept(plant, self.state(x)[0], u, limited)

    def unloading(self, t: Any, x: Any) -> list[Scalar]:
        """Torque of the thrusters that unload the wheels, on the chaser's rates (N m)."""
        plant, torque = self.plant, self.wheels.dump_torque
        if torque is None:
            return [0.0] * plant.own_rates
        full = dump_torques(plant, x[self.slices["wheels"]], torque)
        return list(multiple(self._begun(t), _scalars(full)))

    def _begun(self, t: Any) -> Scalar:
        """Share of the thrusters' torque: it rises within RISE, smoothly, as steps need it."""
        share = plain((1.0 / RISE) * (terms(t) - self.wheels.dump_after))
        share = where(share > 0.0, share, 0.0)
        share = where(share < 1.0, share, 1.0)
        return plain(terms(share) * share * (3.0 - 2.0 * terms(share)))

    def driven(self, t: Any, x: Any, u: Any) -> Any:
        """dx/dt under given forces u on the chaser's rates."""
        q, v = self.state(x)
        plant, system = self.plant, self.system
        forces = unpack(u, plant.own_rates, "u")
        power = dot(forces, _scalars(v)[: plant.own_rates])
        power = add(power, dot(_scalars(joint_friction(system, v)), _scalars(v)))
        outside = external_wrench(system, self.chaser, q, forces)
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
        q, v = self.state(x)
        return orbital_loads(self.orbit, self.system, angle, q, v=v)

    def wrenches(self, t: Any, x: Any) -> list[tuple[Frame, Force]]:
        """What acts on the bodies besides motors and thrusters, at frames, world axes."""
        load = None if self.load is None else self.load(t, *self.state(x))
        parts = (load, self.orbital_loads(x))
        return [pair for part in parts if part is not None for pair in part.wrenches]

    def _wheel_rates(self, t: Any, x: Any, u: Any, outside: Force) -> tuple[list[Scalar], Force]:
        """ḣ of the wheels, and what acts from outside with the thrusters that unload them."""
        plant = self.plant
        if self.wheels.dump_torque is None:
            return list(_scalars(wheel_rates(plant, u))), outside
        unloading = self.unloading(t, x)
        # The base feels the law's torque as it is: the wheels give what the thrusters take.
        on_wheels = list(minus(_scalars(u), unloading))
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
        return self.flat.motion(x)


def _refuse_passengers(assembly: Assembly, wheels: WheelUse, orbit: CircularOrbit | None) -> None:
    """What is known of bodies in a tree only."""
    asked = None
    if orbit is not None:
        asked = "orbit: the loads of an orbit act on"
    elif wheels.capacity is not None:
        asked = "control.limits.wheels: joints are held against wheels that are full in"
    if asked is not None:
        raise ModelError(
            f"{asked} a tree of bodies, which closure {assembly.closure} does not leave; take pin "
            "or weld"
        )


def _scalars(values: Any) -> tuple[Scalar, ...]:
    return unpack(values, len(values), "values")
