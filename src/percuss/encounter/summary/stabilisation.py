"""How a captured target came to rest, as a record."""

from __future__ import annotations

import numpy as np

from percuss.control.momentum import RestMotion
from percuss.control.settling import MomentumDump, Stabilisation
from percuss.encounter.records.stabilisation import DumpRecord, RemainingMotion, StabilisationRecord
from percuss.encounter.simulation import Simulation
from percuss.encounter.stabilisation import stabilisation_of
from percuss.encounter.summary.entries import length


def stabilised(simulation: Simulation) -> StabilisationRecord | None:
    """How a captured target came to rest; None where no joint holds one."""
    if simulation.assembly.grasp is None:
        return None
    law = simulation.encounter.control
    dump = law.dump
    found = stabilisation_of(
        simulation.observation,
        capacity=law.limits.wheels,
        dump_torque=None if dump is None else dump.torque,
        dump_after=0.0 if dump is None else dump.after,
        lever_arm=None if dump is None else dump.lever_arm,
    )
    return stabilisation_record(found)


def stabilisation_record(found: Stabilisation) -> StabilisationRecord:
    """What is kept of a stabilisation."""
    return StabilisationRecord(
        settling_time=found.settling_time,
        wheels=found.wheels,
        thrusters=found.thrusters,
        remaining=None if found.remaining is None else _remaining(found.remaining, found.planar),
        dump=None if found.dump is None else _dump(found.dump),
        sentences=tuple(found.sentences),
    )


def _remaining(rest: RestMotion, planar: bool) -> RemainingMotion:
    turning: np.ndarray = rest.angular_momentum
    return RemainingMotion(
        linear_momentum=tuple(rest.linear_momentum[: 2 if planar else 3].tolist()),
        angular_momentum=float(turning[2]) if planar else tuple(turning.tolist()),
        spin=length(rest.spin),
        drift=length(rest.drift),
    )


def _dump(dump: MomentumDump) -> DumpRecord:
    return DumpRecord(
        momentum=dump.plan.momentum,
        torque=dump.plan.torque,
        duration=dump.plan.duration,
        impulse=dump.plan.propellant_impulse,
        end=dump.end,
        begin=dump.begin,
        used=dump.used,
        propellant=dump.propellant,
    )
