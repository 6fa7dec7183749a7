"""What is found out about each of many cases."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from percuss.encounter.errors import EncounterError, shown
from percuss.model.errors import closest

WHAT = ("approach", "impact", "limits", "peak.joint_reaction", "settled", "stabilisation")
"""What costs time beyond the motion itself: how the tools arrive beside their plans, everything
about the last impact, how far joints are used beside their limits, forces through the joints over
time, when the motion after a grasp comes to rest, which takes that motion twice, and what it takes
to come to rest."""


@dataclass(frozen=True)
class Asked:
    """What is looked at besides what the motions themselves tell.

    Attributes:
        approach: how the tools arrive, beside their plans.
        impacts: everything about the last impact of each case.
        limits: how far the joints are used, beside their limits.
        reactions: largest forces through the joints.
        settling: when the motion after a grasp has come to rest.
        stabilisation: what thrusters and wheels give after a grasp, and the motion that remains.
    """

    approach: bool = True
    impacts: bool = True
    limits: bool = True
    reactions: bool = True
    settling: bool = True
    stabilisation: bool = True

    @staticmethod
    def of(ask: Collection[str] | None) -> Asked:
        """What is asked for by names of `WHAT`; None asks for all of it.

        EncounterError for a name that is none of them.
        """
        if ask is None:
            return Asked()
        if isinstance(ask, str):
            ask = [ask]
        for name in ask:
            if name not in WHAT:
                allowed = f"must be among {', '.join(WHAT)}"
                raise EncounterError(
                    ("ask",), f"{allowed}, got {shown(name)}.{closest(name, WHAT)}"
                )
        return Asked(*(name in ask for name in WHAT))
