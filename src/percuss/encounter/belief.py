"""What a controller takes the bodies for, where that is not what they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from percuss.control.plant import Plant
from percuss.encounter.assembly import Assembly
from percuss.model.systems import System


@dataclass(frozen=True)
class Belief:
    """Chaser and target as a controller takes them to be: the same bodies with other masses.

    `words` says in what they differ from the truth, to end "The controller believes that …".
    """

    chaser: System
    target: System | None = None
    words: str = "the bodies are others"

    def plant(self, assembly: Assembly) -> Plant:
        """The plant of an assembly, with masses, centres of mass and inertias of these bodies."""
        return assembly.plant.with_systems(self._believed)

    def _believed(self, system: System) -> System:
        targets = () if self.target is None else self.target.bodies
        by_name = {body.name: body for body in (*self.chaser.bodies, *targets)}
        bodies = tuple(
            replace(body, mass=b.mass, com=b.com, inertia=b.inertia)
            for body, b in ((body, by_name.get(body.name, body)) for body in system.bodies)
        )
        return replace(system, bodies=bodies)


def believed_plant(belief: Belief | None, assembly: Assembly) -> Plant:
    """What a controller takes the bodies of an assembly for."""
    return assembly.plant if belief is None else belief.plant(assembly)
