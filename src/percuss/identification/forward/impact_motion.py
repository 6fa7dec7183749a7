"""The impact that an identification starts from and the motion after it, as the engine has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import unpack
from percuss.encounter.closures import Bounce
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.one_motion import OneMotion, jump_of
from percuss.encounter.equations import Equations
from percuss.encounter.start import Start
from percuss.identification.forward.kept import LastMade
from percuss.identification.forward.known import KnownEncounter
from percuss.identification.forward.tried import TriedEncounter
from percuss.identification.forward.unknowns import Unknowns
from percuss.impact import Jump
from percuss.kernel.rollouts.methods import RK4
from percuss.model.errors import ModelError

CLOSURES = ("pin", "weld", "bounce")
"""Impacts that can be identified."""
PLASTIC = ("pin", "weld")
"""Those that hold the target from then on, whose jump of velocities is linear."""


@dataclass(frozen=True)
class ImpactAndMotion:
    """An encounter that is one impact and one motion, as functions of θ."""

    unknowns: Unknowns

    def __post_init__(self) -> None:
        if self.encounter.orbit is not None:
            raise ModelError(
                "orbit: an identification does not account for the loads of an orbit, which would "
                "be read as motion of the target; leave orbit out of the scenario"
            )
        if self.closure not in CLOSURES:
            raise ModelError(
                f"impact.closure: an identification needs one of {', '.join(CLOSURES)}, got "
                f"{self.closure!r}"
            )
        closure = self.encounter.closure
        if isinstance(closure, Bounce) and closure.repeat is not None:
            raise ModelError(
                "impact.repeat: an identification takes one impact; describe the last one"
            )

    @property
    def encounter(self) -> KnownEncounter:
        return self.unknowns.encounter

    @property
    def start(self) -> Start:
        """Chaser and target of the scenario as they touch."""
        return self.encounter.start

    @property
    def closure(self) -> str:
        """The name of the closure."""
        return self.encounter.closure.name

    @property
    def planar(self) -> bool:
        return self.encounter.is_planar

    @cached_property
    def tried(self) -> TriedEncounter:
        """The encounter as a function of θ."""
        return TriedEncounter(self.unknowns)

    @cached_property
    def motion(self) -> OneMotion:
        """The impact and the equations of what moves then."""
        # How motions are integrated is not looked at here.
        return OneMotion(self.tried.template(), Machine(RK4(1.0)))

    @cached_property
    def like(self) -> dict[str, np.ndarray]:
        """Parameters of the scenario's own motion, see `OneMotion.begun`."""
        begun = self.motion.begun(self.motion.template.like)["p"]
        return {name: np.array(unpack(x, len(x), name), float) for name, x in begun.items()}

    @cached_property
    def known(self) -> Equations:
        """Equations of the scenario's own motion."""
        return self.motion.equations(self.like)

    def jump(self, theta: Any) -> Jump:
        """The rates just after the impact, of any scalars."""
        return jump_of(self.tried.at(theta))[1]


_KEPT: LastMade[ImpactAndMotion] = LastMade(32)
"""Motions by the fingerprint of what they follow from, for unknowns like those that are gone."""


@lru_cache(maxsize=8)
def impact_and_motion_of(unknowns: Unknowns) -> ImpactAndMotion:
    """The impact and the motion of these unknowns, kept for the next time the like are asked for.

    Its own unknowns may have other ranges.
    """
    return _KEPT.of(kernel.fingerprint(unknowns), lambda: ImpactAndMotion(unknowns))
