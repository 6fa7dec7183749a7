"""Can a record be one of this scenario at all? What is examined before anything is fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.identification.data.biases import unwound
from percuss.identification.data.channels import QUATERNION
from percuss.identification.data.frozen import constant_notes, refuse_frozen, refuse_rates
from percuss.identification.data.left_out import refuse_many
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.data.spikes import (
    judged,
    refuse_leaps,
    refuse_spikes,
    spikes,
    without,
)
from percuss.identification.estimate.beginning import refuse_beginning
from percuss.identification.estimate.record_times import refuse_times
from percuss.identification.estimate.speeds import refuse_speeds
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.kinematics.frames import planar_angle
from percuss.model.errors import ModelError


def examined(
    measured: Measured,
    sensors: Sensors,
    unknowns: Unknowns,
    *,
    robust: bool = False,
    options: SearchOptions = DEFAULT,
) -> Measured:
    """Measurements, without known biases, that a fit may begin with; ModelError says why not.

    Planar attitudes come without leaps of whole turns.
    In this order: times that are not seconds after the impact, columns without samples, too few
    samples, samples far from their neighbours (which `robust` leaves out), leaps, sensors that
    stand still, a beginning that is not where the scenario has the robot at the impact, rates that
    are not those of their joints, and a beginning that is too fast.
    """
    encounter, chaser = unknowns.encounter, unknowns.start_state.chaser
    bad = options.outliers
    refuse_times(measured, unknowns, options.records)
    _refuse_empty(measured)
    _refuse_few(measured, unknowns)
    columns = judged(measured, sensors, chaser, bad)
    if robust:
        found = spikes(measured, columns, bad.far)
        counts = {name: len(there) for name, there, _, _ in columns}
        refuse_many(found, counts, bad.most_share)
        measured = without(measured, found)
        columns = judged(measured, sensors, chaser, bad)
    else:
        refuse_spikes(spikes(measured, columns, bad.gross))
    refuse_leaps(measured, columns, bad)
    refuse_frozen(measured, columns, options)
    refuse_beginning(measured, sensors, unknowns, options)
    refuse_rates(measured, sensors, chaser, options.frozen)
    if encounter.is_planar:
        angle = planar_angle(chaser, encounter.start.chaser_coordinates, chaser.base.name)
        measured = unwound(measured, float(np.asarray(angle)))
    refuse_speeds(measured, sensors, unknowns, options)
    kinds = {channel.name: channel.kind for channel in measured.channels(chaser)}
    kinds["base.orientation"] = "base.orientation"
    notes = constant_notes(columns, sensors, kinds, options.frozen)
    return replace(measured, notes=(*measured.notes, *notes))


def _refuse_empty(measured: Measured) -> None:
    for name, values in measured.columns.items():
        if not np.isfinite(values).any():
            raise ModelError(f"{name}: every sample is missing; leave the column out")


def _refuse_few(measured: Measured, unknowns: Unknowns) -> None:
    """Every sample tells one number at most."""
    asked = [entry.name for entry in unknowns.entries if entry.prior is None]
    if measured.samples >= len(asked):
        return
    rows = f"{len(measured.time)} row{'s' if len(measured.time) > 1 else ''}"
    has = f"{measured.samples} sample{'s' if measured.samples > 1 else ''}"
    whole = (
        " (the four of a quaternion are three)"
        if f"base.{QUATERNION[0]}" in measured.columns
        else ""
    )
    raise ModelError(
        f"the record has {has}{whole} in {rows}, too few to tell {len(asked)} unknowns "
        f"({', '.join(asked)}): measure for longer, or ask for less (--unknown)"
    )
