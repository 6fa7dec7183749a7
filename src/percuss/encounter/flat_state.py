"""The flat state of a phase: where its parts are, and what it says of the bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from percuss.algebra.linear import multiple
from percuss.algebra.scalars import Scalar, dot, pack, plain, terms, unpack
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.assembly import Assembly
from percuss.model.names import BaseMode


@dataclass(frozen=True)
class FlatState:
    """Parts by name with their sizes, one after the other; `quaternions` begin at these entries."""

    sizes: tuple[tuple[str, int], ...]
    quaternions: tuple[int, ...]

    @staticmethod
    def of(assembly: Assembly, orbit: CircularOrbit | None, *, loaded: bool) -> FlatState:
        """The state of the bodies of a phase; `loaded` where a load acts at the tool."""
        axes, turns = (2, 1) if assembly.is_planar else (3, 3)
        has_wheels = assembly.chaser.mode == BaseMode.ATTITUDE_CONTROLLED
        sizes = {
            "q": assembly.plant.coordinate_count,
            "v": assembly.plant.rate_count,
            "wheels": turns if has_wheels else 0,
            "orbit": 0 if orbit is None else 1,
            "work": 1,
            "linear": axes,
            "angular": turns,
            "load_impulse": axes if loaded else 0,
            "load_work": 1 if loaded else 0,
        }
        return FlatState(tuple(sizes.items()), assembly.quaternions)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each part is."""
        bounds = accumulate((size for _, size in self.sizes), initial=0)
        names = (name for name, _ in self.sizes)
        return {name: slice(*ends) for name, ends in zip(names, pairwise(bounds), strict=True)}

    @cached_property
    def size(self) -> int:
        """How many entries there are."""
        return sum(size for _, size in self.sizes)

    def motion(self, x: Any) -> tuple[Any, Any]:
        """q with unit quaternions, and v."""
        q, v = x[self.slices["q"]], x[self.slices["v"]]
        if not self.quaternions:
            return q, v
        entries: list[Scalar] = list(unpack(q, len(q), "q"))
        for first in self.quaternions:
            part = entries[first : first + 4]
            # One Newton step towards the sphere: the integration leaves it by rounding only.
            scale = plain(1.5 + terms(-0.5) * dot(part, part))
            entries[first : first + 4] = list(multiple(scale, part))
        return pack(entries), v
