"""What a controller takes the bodies for, where that is not what they are."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.control import Plant
from percuss.encounter.stage import Stage, plant_like
from percuss.model.systems import System


@dataclass(frozen=True)
class Belief:
    """Chaser and target as a controller takes them to be: the same bodies with other masses.

    `words` says in what they differ from the truth, to end "The controller believes that …".
    """

    chaser: System
    target: System | None = None
    words: str = "the bodies are others"

    def plant(self, stage: Stage) -> Plant:
        """The plant of a stage, with these bodies in the places of its own."""
        return plant_like(stage, self.chaser, self.target if stage.target is not None else None)


def believed_plant(belief: Belief | None, stage: Stage) -> Plant:
    """What a controller takes the bodies of a stage for."""
    return stage.plant if belief is None else belief.plant(stage)
