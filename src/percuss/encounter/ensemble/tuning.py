"""PD gains from a frequency, for many cases: found once for each, before it moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import percuss.kernel as kernel
from percuss.algebra.scalars import pack
from percuss.encounter.approach import Gains, Law
from percuss.encounter.assembly import Assembly
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters
from percuss.kernel.duals import array_of


@dataclass(frozen=True)
class Tuning:
    """The gains of a law by the pose in which a case begins.

    In the equations of motion they would be worked out anew at every evaluation.

    Attributes:
        law: of a case, from its parameters.
        tunes: whether it is tuned so.
        begun: the assembly on which a case begins, as its law knows it, from its parameters.
        like: parameters of one case that determine the assembly.
    """

    law: Callable[[Parameters], Law]
    tunes: bool
    machine: Machine
    begun: Callable[[Parameters], Assembly]
    like: Parameters

    def numbers(self, p: Parameters) -> Parameters:
        """`gains` (2 · own rates, cases), kp then kd; nothing where the law is not tuned so."""
        if not self.tunes:
            return {}
        return {"gains": array_of(self._compiled({name: p[name] for name in self.like}))}

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        def found(p: Parameters) -> Any:
            tuned = self.law(p).tuned_gains(self.begun(p))
            assert tuned is not None
            return pack([*tuned[0], *tuned[1]])

        return self.machine.compiled(found, self.like)


def gains_from(p: Parameters) -> Gains | None:
    """(kp, kd) of a case from its parameters, None where there are none."""
    if "gains" not in p:
        return None
    own = len(p["gains"]) // 2
    return p["gains"][:own], p["gains"][own:]
