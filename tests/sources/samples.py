"""Random states of the thesis's VMS and object."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from percuss.sources.thesis.sample import ThesisSample


@st.composite
def samples(draw: st.DrawFn) -> ThesisSample:
    """Any pose; rates and forces of about one, none of them zero."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def about_one(count: int) -> tuple[float, ...]:
        values = rng.uniform(0.2, 2.0, count) * rng.choice([-1.0, 1.0], count)
        return tuple(float(x) for x in values)

    place = tuple(float(x) for x in rng.normal(0.0, 3.0, 2))
    angles = tuple(float(x) for x in rng.uniform(-np.pi, np.pi, 4))
    return ThesisSample(
        p=(*place, *angles[:3]),
        rates=about_one(5),
        object_angle=angles[3],
        object_rates=about_one(3),
        forces=about_one(5),
    )
