"""Times of a record that cannot be seconds after an impact, or that no fit can follow."""

from __future__ import annotations

import numpy as np

from percuss.identification.data.measured_columns import Measured
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options.records import RecordOptions
from percuss.model.errors import ModelError


def refuse_times(measured: Measured, unknowns: Unknowns, options: RecordOptions) -> None:
    """ModelError where the times of a record are not those of a motion after an impact."""
    time, duration = measured.time, unknowns.encounter.duration
    first, last = float(time[0]), float(time[-1])
    span = last - first
    if first > options.latest_begin * max(span, duration):
        clock = " They look like Unix time." if 1e9 < first < 1e10 else ""
        raise ModelError(
            f"times start {first:.4g} s after the impact, where the record is {span:.4g} s long "
            f"and the scenario {duration:g} s.{clock} Times are counted from the impact: give its "
            "time by the same clock with --impact-at (impact_at), or subtract it; if they are "
            "right, say so with a longer duration (--set duration=…)"
        )
    steps = np.diff(time)
    if len(steps) and steps.min() < options.closest_times:
        k = int(np.argmin(steps))
        raise ModelError(
            f"time: samples {k + 1} and {k + 2} are {steps[k]:.2g} s apart, at {time[k]:.12g} s; "
            f"samples must be at least {options.closest_times:g} s apart"
        )
    _refuse_units(last, duration, float(np.median(steps)) if len(steps) else 0.0, options)
    if last > options.longest:
        raise ModelError(
            f"time: the record ends {last:.6g} s after the impact, and motion is followed for "
            f"{options.longest:g} s at most; times are in seconds: leave out what is later"
        )
    most = options.most_work // len(unknowns)
    if len(time) > most:
        raise ModelError(
            f"the record has {len(time)} rows, and a fit of {len(unknowns)} unknowns takes at most "
            f"{most}: keep one row in {-(-len(time) // most)}, or leave out the end"
        )


def _refuse_units(last: float, duration: float, spacing: float, options: RecordOptions) -> None:
    """Say so where the times would be right in milliseconds, micro- or nanoseconds."""
    if last < options.other_units * duration or spacing < 0.5:
        return
    for name, factor in (("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9)):
        if last <= 2.0 * duration * factor:
            raise ModelError(
                f"time: samples are {spacing:.3g} s apart and the record ends at {last:.4g} s, "
                f"where the scenario lasts {duration:g} s: the times look like {name}. They must "
                "be in seconds; if they are, say so with a longer duration (--set duration=…)"
            )
