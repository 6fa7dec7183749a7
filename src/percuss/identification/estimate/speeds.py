"""Does a record begin faster than any plausible target can make the robot?"""

from __future__ import annotations

import numpy as np

from percuss.identification.data.left_out import count_words
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.jump import displacements, jump_map, rates_after
from percuss.identification.forward.impact_motion import PLASTIC
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError


def refuse_speeds(
    measured: Measured, sensors: Sensors, unknowns: Unknowns, options: SearchOptions = DEFAULT
) -> None:
    """ModelError where joints or base begin to move far too fast for an impact of this scenario.

    The jump of the velocities is linear in the target's, for a pin or a weld; its plausible
    velocity is that of the scenario, and the ranges of the unknowns about it.
    """
    encounter, start = unknowns.encounter, unknowns.start_state
    if encounter.closure.name not in PLASTIC:
        return
    channels = measured.channels(start.chaser)
    noise = {channel.kind: sensors[channel.kind].noise for channel in channels}
    table = np.stack(list(measured.columns.values()))
    rates, sigmas = rates_after(
        encounter, channels, measured.time, table, noise=noise, options=options.starts
    )
    own = options.beginning
    jump = jump_map(encounter)
    # A metre and a radian a second, about what the scenario says: see `Unknowns`.
    plausible = np.abs(jump.offset) + np.abs(jump.matrix) @ (1.0 + np.abs(jump.start))
    q = np.asarray(start.chaser_coordinates, float)
    moving = [
        (name, place, kind)
        for name, place, _, kind in displacements(start.chaser, q, channels, table)
        if np.isfinite(sigmas[place])
    ]
    fastest: dict[str, float] = {}
    for _, place, kind in moving:
        # m/s and rad/s are of one size in such machines; what hardly moves at first may soon.
        least = own.slowest * float(plausible.max())
        fastest[kind] = max(fastest.get(kind, least), float(plausible[place]))
    units = {channel.name: channel.unit for channel in channels}
    for name, place, kind in moving:
        speed, most = abs(float(rates[place])), fastest[kind]
        if speed > own.fastest * most + own.sure * sigmas[place]:
            unit = units.get(name, "rad")
            raise ModelError(
                f"{name} moves at {speed:.3g} {unit}/s just after the impact, "
                f"{count_words(speed / most)} times as fast as a plausible target makes it: is the "
                f"column in {unit}, and are the times in seconds? If the target was so fast, give "
                "its velocity in the scenario (target.velocity)"
            )
