"""What a plan is to make small, what it may change, and what may go wrong meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from percuss.model.errors import ModelError, closest

OBJECTIVES = ("total", "largest")
"""`total`: √Σ of the squares of all weighted terms; `largest`: the largest of them."""
KEPT = ("nothing", "contact")
FREEDOMS = ("contact", "approach")
OVER = ("worst", "mean")
TOLERANCES = {"joints": "rad", "contact": "m", "velocity": "m/s", "spin": "rad/s"}
"""What may be off, with its unit; a sliding joint's is in m."""
BASE, RATE, ALL = "base", "rate", "joints"
OVERLAPS = ("avoid", "allow")
_COUNTS = {"starts": (1, 10_000), "samples": (16, 10_000_000), "seed": (0, 2**63 - 1)}


@dataclass(frozen=True)
class PlannerSettings:
    """What to plan for.

    Attributes:
        weights: of a joint's reaction impulse by the joint's name, of all others with `joints`,
            of the base's linear momentum after the impact with `base` (all per N s), and of its
            angular rate after it with `rate` (N s per rad/s). Default: all joints alike.
        objective: `total` or `largest`, in N s.
        length: by which moments at the joints are divided to count as forces (m); infinite: only
            forces count.
        keep: `contact`: the tool stays where it is in the world; `nothing`: the target comes to
            wherever the tool is.
        free: what may change besides the joints: `contact`, the point of the target's surface;
            `approach`, the attitude of the base, so that the target comes from another side.
        tolerance: by how much joints, contact, velocity and spin may be off, each entry ±.
        over: `worst` or (root) `mean` (square) over these errors.
        overlap: whether plans in which target and chaser are inside each other are passed over.
        starts: descents; samples: random configurations to choose the starts from.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: {ALL: 1.0})
    objective: str = "total"
    length: float = math.inf
    keep: str = "nothing"
    free: tuple[str, ...] = ()
    tolerance: Mapping[str, float] = field(default_factory=dict)
    over: str = "worst"
    overlap: str = "avoid"
    starts: int = 24
    samples: int = 4096
    seed: int = 0

    def __post_init__(self) -> None:
        _one_of("objective", self.objective, OBJECTIVES)
        _one_of("keep", self.keep, KEPT)
        _one_of("over", self.over, OVER)
        _one_of("overlap", self.overlap, OVERLAPS)
        for name in self.free:
            _one_of("free", name, FREEDOMS)
        if not self.length > 0.0:
            raise ModelError(f"length must be > 0 m, got {self.length!r}")
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ModelError(
                    f"{name} must be a whole number from {least} to {most}, got {value!r}"
                )
        for name, value in self.tolerance.items():
            _one_of("tolerance of", name, TOLERANCES)
            _refuse_size(f"the tolerance of {name}", value, TOLERANCES[name])
        for name, value in self.weights.items():
            _refuse_size(f"the weight of {name}", value, "")
        if not any(self.weights.values()):
            raise ModelError("weights must hold one that is > 0, else there is nothing to plan for")

    def of_terms(self, joints: Iterable[str]) -> tuple[float, ...]:
        """Weights of the joints by name, of the base's momentum and of its rate."""
        names = list(joints)
        for name in self.weights:
            if name not in (*names, ALL, BASE, RATE):
                allowed = [*names, ALL, BASE, RATE]
                raise ModelError(
                    f"weights: there is no {name!r} to weigh.{closest(name, allowed)} "
                    f"There are: {', '.join(allowed)}"
                )
        other = self.weights.get(ALL, 0.0)
        own = [float(self.weights.get(name, other)) for name in names]
        return (*own, float(self.weights.get(BASE, 0.0)), float(self.weights.get(RATE, 0.0)))

    @property
    def is_robust(self) -> bool:
        return any(self.tolerance.values())


def _one_of(what: str, value: Any, allowed: Iterable[str]) -> None:
    names = list(allowed)
    if value not in names:
        raise ModelError(
            f"{what} must be one of {', '.join(names)}, got {value!r}.{closest(value, names)}"
        )


def _refuse_size(what: str, value: Any, unit: str) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (number and math.isfinite(value) and value >= 0.0):
        raise ModelError(
            f"{what} must be finite and ≥ 0{' ' + unit if unit else ''}, got {value!r}"
        )
