"""The paper "Parametric sensitivity and control of on-orbit manipulators during impacts using the
Centre of Percussion concept".

Its data are in `paper`, its pulses in `cases` and `compensation`, its robot at the onset of a blow
in `newton_euler`, its IC² written out in `written_out`, its errors in `errata`.
"""

from percuss.sources.centre_of_percussion.cases import PulseCase, PulseReactions, felt
from percuss.sources.centre_of_percussion.compensation import (
    by_equations,
    by_force,
    compensated,
    free_joints,
    locked,
)
from percuss.sources.centre_of_percussion.newton_euler import Onset, blow, compensating, onset
from percuss.sources.centre_of_percussion.paper import TABLE_1, PaperLink, Robot

__all__ = [
    "TABLE_1",
    "Onset",
    "PaperLink",
    "PulseCase",
    "PulseReactions",
    "Robot",
    "blow",
    "by_equations",
    "by_force",
    "compensated",
    "compensating",
    "felt",
    "free_joints",
    "locked",
    "onset",
]
