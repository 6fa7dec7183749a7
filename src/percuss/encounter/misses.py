"""An approach whose law drives the arm without end, since the target is where it cannot reach."""

from __future__ import annotations

import numpy as np

from percuss.encounter.contact_geometry import distance_of
from percuss.encounter.encounter import Encounter
from percuss.encounter.equations import Equations
from percuss.encounter.failure import Halt
from percuss.encounter.reach import metres, remedy, tool_chain
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.inverse.chain import distance

_STRETCHED = 0.95
"""Share of its span from which on an arm counts as stretched: the law's commands grow without end
as the tool comes to the edge of what it can reach, and a few hundredths of the span before it."""


def miss_of(encounter: Encounter, equations: Equations, halt: Halt, origin: float) -> str | None:
    """A sentence on how far the tool missed the contact point before its motion ran away.

    `origin` is the zero of the law's clock (s, time of the run). None where the arm was not
    stretched, so that something else made the motion run away.
    """
    assembly, start = equations.assembly, encounter.start
    chain = tool_chain(start)
    if chain is None or assembly.grip is None:
        return None
    q = halt.states[equations.slices["q"]]
    parts = distance_of(assembly, assembly.grip, q)
    apart = np.array([np.broadcast_to(np.asarray(x, float), q.shape[1]) for x in parts])
    away = np.linalg.norm(apart, axis=0)
    k = int(np.argmin(away))
    own = q[: assembly.chaser.coordinate_count, k]
    span = chain.span(own)
    tool = frame_pose(assembly.chaser, own, assembly.tool).position
    used = distance(chain.task, tool, span.origin) / span.most
    if not used >= _STRETCHED:
        return None
    return (
        f"approach: the tool misses the contact point by {metres(float(away[k]))}, which is out of "
        f"reach: it came nearest at {origin + float(halt.times[k]):.4g} s, with the arm stretched "
        f"to {used:.1%} of its {metres(span.most)}, and there the law drives the joints without "
        f"end. {remedy(encounter)}"
    )
