"""What is found out about each of many cases."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from percuss.encounter.errors import EncounterError, shown
from percuss.model.errors import closest

WHAT = ("impact", "peak.joint_reaction", "settled")
"""What costs time beyond the motion itself: everything about the last impact, forces through the
joints over time, and when the motion after a grasp comes to rest, which takes that motion twice."""


@dataclass(frozen=True)
class Asked:
    """What is looked at besides what the motions themselves tell.

    Attributes:
        impacts: everything about the last impact of each case.
        reactions: largest forces through the joints.
        settling: when the motion after a grasp has come to rest.
    """

    impacts: bool = True
    reactions: bool = True
    settling: bool = True

    @staticmethod
    def of(ask: Collection[str] | None) -> Asked:
        """From names of `WHAT`; None for all of it.

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
        return Asked("impact" in ask, "peak.joint_reaction" in ask, "settled" in ask)
