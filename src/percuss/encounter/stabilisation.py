"""How a capture came to rest: settling, wheels, thrusters, and the momentum that remains."""

from __future__ import annotations

import numpy as np

from percuss.control.momentum import RestMotion, dump_plan, rest_motion
from percuss.control.settling import (
    FULL,
    SETTLED,
    MomentumDump,
    Stabilisation,
    ThrusterUse,
    WheelHistory,
)
from percuss.control.wheels import wheel_rates
from percuss.dynamics.composite import momentum
from percuss.encounter.assembly import Assembly
from percuss.encounter.observation import Observation
from percuss.model.names import BaseMode
from percuss.model.systems import System

NO_RATE = 1e-9
"""rad/s and m/s: a rate that never exceeds it has nothing to settle."""
NO_MOMENTUM = 1e-12
"""N m s: wheels that hold no more are empty."""


def stabilisation_of(
    observation: Observation,
    *,
    capacity: float | None = None,
    dump_torque: float | None = None,
    dump_after: float = 0.0,
    lever_arm: float | None = None,
) -> Stabilisation:
    """How the motion after a grasp came to rest.

    Args:
        observation: the motion from the grasp on; its first time is that of the grasp.
        capacity: of the wheels, N m s, if they have one.
        dump_torque: of thrusters that empty the wheels, N m, if there are such.
        dump_after: when they begin, s after the grasp.
        lever_arm: of those thrusters, m.
    """
    assembly, time = observation.assembly, observation.time
    sizes = _rate_sizes(observation)
    settled = {name: _settled_at(time, size) for name, size in sizes.items()}
    late = [name for name, at in settled.items() if at is None]
    wheels = _wheel_history(time, observation.integral("wheels"), capacity)
    first, last = _rest(observation, 0), _rest(observation, -1)
    begin = float(time[0])
    dump = None
    if wheels is not None and dump_torque is not None:
        dump = _dump(observation, begin + dump_after, dump_torque, lever_arm)
    return Stabilisation(
        mode=assembly.chaser.mode or BaseMode.FIXED,
        planar=assembly.is_planar,
        begin=begin,
        end=float(time[-1]),
        settling_time=None if late else max((at or 0.0 for at in settled.values()), default=None),
        unsettled={name: float(sizes[name][-1] / sizes[name].max()) for name in late},
        peak_torques=np.abs(observation.motion.commands).max(axis=1),
        wheels=wheels,
        thrusters=_thruster_use(observation) if dump is None else ThrusterUse(0.0, dump.used),
        remaining=last,
        remains=(False, False)
        if first is None or last is None
        else (
            _remains(first.linear_momentum, last.linear_momentum),
            _remains(first.angular_momentum, last.angular_momentum),
        ),
        energy=(float(observation.kinetic_energy[0]), float(observation.kinetic_energy[-1])),
        dump=dump,
    )


# --- parts --------------------------------------------------------------------------------------


def _rate_sizes(observation: Observation) -> dict[str, np.ndarray]:
    """Size over time of the rates that actuators drive, by kind: (time,), rad/s or m/s."""
    groups = driven_groups(observation.assembly)
    return {name: np.linalg.norm(observation.v[rows], axis=0) for name, rows in groups.items()}


def driven_groups(assembly: Assembly) -> dict[str, list[int]]:
    """The chaser's rates that actuators drive, by kind: of base and joints, turning and sliding."""
    chaser, driven = assembly.chaser, assembly.plant.actuated
    base = range(chaser.rate_count)[_base_rates(chaser)]
    groups: dict[str, list[int]] = {}
    for k, unit in enumerate(chaser.rate_units):
        turning = unit == "rad/s"
        if k in base:
            name = "the base's rotation" if turning else "the base's translation"
        else:
            name = "joint rates" if turning else "sliding joints"
        if driven[k]:
            groups.setdefault(name, []).append(k)
    return groups


def _base_rates(chaser: System) -> slice:
    """Rates of a base that can move; none where the arm stands on the world."""
    if chaser.mode == BaseMode.FIXED:
        return slice(0, 0)
    return chaser.node(chaser.base_joint.child).rates


def _settled_at(time: np.ndarray, size: np.ndarray) -> float | None:
    """Time since the first after which the size stays within 2 % of its peak; None: not yet."""
    bound = SETTLED * float(size.max())
    if bound <= SETTLED * NO_RATE:
        return 0.0
    at = _within_from(time, size, bound)
    return None if at is None else at - float(time[0])


def _within_from(time: np.ndarray, size: np.ndarray, bound: float) -> float | None:
    """Time from which on a size that was above the bound stays within it; None: not yet."""
    k = int(np.flatnonzero(size > bound)[-1])
    if k + 1 == len(time):
        return None
    # What settles dies out exponentially: between two samples the logarithm is a line.
    high, low = np.log(size[k] / bound), np.log(max(size[k + 1], 1e-300) / bound)
    return float(time[k] + (time[k + 1] - time[k]) * high / (high - low))


def _wheel_history(time: np.ndarray, h: np.ndarray, capacity: float | None) -> WheelHistory | None:
    if not h.shape[1]:
        return None
    size = np.linalg.norm(h, axis=1)
    at: float | None = None
    if capacity is not None and size.max() >= FULL * capacity:
        k = int(np.argmax(size >= FULL * capacity))
        at = float(time[k])
        if k:
            share = (FULL * capacity - size[k - 1]) / (size[k] - size[k - 1])
            at = float(time[k - 1] + share * (time[k] - time[k - 1]))
    return WheelHistory(
        peak=float(size.max()),
        final=float(size[-1]),
        capacity=capacity,
        saturated_at=at,
        initial=float(size[0]),
    )


def _thruster_use(observation: Observation) -> ThrusterUse | None:
    chaser, motion = observation.assembly.chaser, observation.motion
    if chaser.mode != BaseMode.FREE_FLYING:
        return None
    rates = _base_rates(chaser)
    turning = 1 if rates.stop - rates.start == 3 else 3
    base = motion.commands[rates]
    force, torque = (np.linalg.norm(x, axis=0) for x in (base[:-turning], base[-turning:]))
    held = observation.equations.law.period is not None
    return ThrusterUse(*(_integral(motion.time, x, held) for x in (force, torque)))


def _integral(time: np.ndarray, values: np.ndarray, held: bool) -> float:
    """The integral of values that are held from one time to the next, or that change evenly."""
    if held:
        return float(values[:-1] @ np.diff(time))
    return float(np.trapezoid(values, time))


def _rest(observation: Observation, k: int) -> RestMotion | None:
    """How all that is held together would move at sample k with its joints locked."""
    assembly = observation.assembly
    if assembly.chaser.mode == BaseMode.FIXED:
        return None
    # A target that is not held is not the chaser's to stop.
    apart = assembly.target is not None and assembly.grasp is None
    system = assembly.chaser if apart else assembly.tree
    q, v = observation.q[: system.coordinate_count, k], observation.v[: system.rate_count, k]
    whole = momentum(system, q, v)
    return rest_motion(system, q, whole.linear.array(), whole.angular.array())


def _remains(before: np.ndarray, after: np.ndarray) -> bool:
    left = float(np.linalg.norm(after))
    return left > max(1e-9, SETTLED * float(np.linalg.norm(before)))


def _dump(
    observation: Observation, begin: float, torque: float, lever_arm: float | None
) -> MomentumDump:
    """Planned for what the wheels hold when it begins, at the latest at the end; and as it went."""
    time, h = observation.time, observation.integral("wheels")
    there = [float(np.interp(begin, time, column)) for column in h.T]
    plan = dump_plan(there, torque, lever_arm)
    later = time > begin
    end: float | None = None
    if plan.momentum > NO_MOMENTUM and later.any():
        # It begins between two samples: what the wheels held then comes before those after it.
        size = np.append(plan.momentum, np.linalg.norm(h[later], axis=1))
        end = _within_from(np.append(begin, time[later]), size, SETTLED * plan.momentum)
    return MomentumDump(plan, begin, _unloaded(observation), end)


def _unloaded(observation: Observation) -> float:
    """∫ |d| dt of the thrusters' torque d that unloads the wheels in this motion, N m s.

    With the torque u on the base, ḣ = -(u - d): so d is ḣ less the rate that u alone would give.
    """
    equations, motion = observation.equations, observation.motion
    if equations.wheels.dump_torque is None:
        return 0.0
    alone = np.asarray(wheel_rates(observation.assembly.plant, motion.commands))
    given = np.linalg.norm(motion.rates[equations.slices["wheels"]] - alone, axis=0)
    # Before the dump begins the difference is rounding.
    given[motion.time <= equations.wheels.dump_after] = 0.0
    return _integral(motion.time, given, held=False)
