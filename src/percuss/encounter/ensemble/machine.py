"""How many cases are computed at once, and by which method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import percuss.kernel as kernel
from percuss.encounter.encounter import Encounter
from percuss.encounter.method import Integration, asked_integration, kernel_method
from percuss.kernel.rollouts.methods import Method


@dataclass(frozen=True)
class Machine:
    """Integration method, back end and threads of an ensemble."""

    method: Method
    backend: str = "auto"
    threads: int | None = None
    reactions: bool = False
    """Whether the forces through the joints are looked at, too."""
    impacts: bool = False
    """Whether everything about the last impact is kept: velocities, energy and momentum before and
    after, the impulses through the joints."""
    settling: bool = False
    """Whether it is found out when the motion after a grasp has come to rest."""
    approach: bool = False
    """Whether it is found out how the tools arrive, beside their plans."""
    limits: bool = False
    """Whether it is looked at how far the joints are used."""
    stabilisation: bool = False
    """Whether it is found out what the motion after a grasp takes, and what remains."""
    asked: Integration | None = None
    """What the encounter asks for, where the method follows from that."""

    @property
    def keeps_impacts(self) -> bool:
        """Whether impacts are worked out as a whole: for themselves, or for the joints' sake."""
        return self.impacts or self.limits

    def compiled(self, function: Callable[..., Any], *like: Any) -> kernel.Kernel:
        """A function of one case as one of many.

        Where what it closes over can be told apart, its program is kept on disk.
        """
        key = kernel.fingerprint(function)
        return kernel.compile(function, *like, backend=self.backend, threads=self.threads, key=key)

    def __fingerprint__(self) -> Any:
        """What functions of a case look at: not where and by which method they run."""
        return self.reactions, self.impacts, self.settling, self.limits, self.stabilisation


def machine_of(encounter: Encounter, method: Method | None, **options: Any) -> Machine:
    """The machine that an encounter's `integration` asks for, unless a method is given."""
    if method is not None:
        return Machine(method, **options)
    asked = asked_integration(encounter.integration, _is_sampled(encounter))
    return Machine(kernel_method(asked), **options, asked=asked)


def _is_sampled(encounter: Encounter) -> bool:
    """Whether a law is sampled in time, before the grasp or after it."""
    laws = [encounter.control]
    if encounter.approach is not None:
        laws.append(encounter.approach.control)
    return any(law.period is not None for law in laws)
