"""The closure of the thesis as it was published, as encounters know closures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from percuss.encounter.assembly import Assembly
from percuss.encounter.phase_machine import Grasp
from percuss.impact import Contact, Jump
from percuss.sources.published.jump import published
from percuss.sources.published.plant import PublishedPlant


@dataclass(frozen=True)
class Published(Grasp):
    """A pin by (4.9)–(4.11) of the thesis, in the plane: it loses momentum.

    The motion after it follows (4.15)–(4.19), which are not the equations of a tree of bodies:
    the chaser's tree moves by them, and the target rides along. `percuss.Pin` and `percuss.Weld`
    are the closures to use.
    """

    name: ClassVar[str] = "published"

    def jump(self, contact: Contact) -> Jump:
        return published(contact)

    def assembly_after(self, contact: Contact, jump: Jump) -> Assembly:
        q = np.array(contact.chaser_coordinates, float)
        v = np.array(jump.chaser_rates, float)
        plant = PublishedPlant(contact)
        return Assembly.of_contact(contact, self.name, plant, contact.chaser, q=q, v=v)
