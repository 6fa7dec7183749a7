"""What goes in: Table 1, the circle of the case study, and the arms that percuss makes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from percuss.kinematics import circle, cubic
from percuss.kinematics.task_paths import CirclePath
from percuss.model.library.registry import robot
from percuss.model.planar import PlanarLink, planar_arm
from percuss.model.systems import System
from percuss.sources.table import Table, number


@dataclass(frozen=True)
class TwoLinks:
    """Two links: lengths and centres of mass from their joints (m), masses (kg), moments of
    inertia about the centres of mass (kg m²), and free fall (m/s²).
    """

    L1: float = 1.0
    L2: float = 1.0
    m1: float = 12.456
    m2: float = 12.456
    c1: float = 0.773
    c2: float = 0.583
    I1: float = 1.042
    I2: float = 1.042
    g: float = 9.81

    def rods(self) -> TwoLinks:
        """Slender rods of these lengths and masses, as in (14)–(23): centre halfway, m L²/12."""
        return TwoLinks(
            L1=self.L1,
            L2=self.L2,
            m1=self.m1,
            m2=self.m2,
            c1=self.L1 / 2,
            c2=self.L2 / 2,
            I1=self.m1 * self.L1**2 / 12,
            I2=self.m2 * self.L2**2 / 12,
            g=self.g,
        )

    def system(self, gravity: bool = True) -> System:
        """The arm as percuss builds it, for its general functions."""
        links = [
            PlanarLink(self.L1, self.m1, com=self.c1, inertia=self.I1),
            PlanarLink(self.L2, self.m2, com=self.c2, inertia=self.I2),
        ]
        return planar_arm(links, gravity=(0.0, -self.g if gravity else 0.0, 0.0))


@dataclass(frozen=True)
class Circle:
    """x = a + r cos φ, y = b + r sin φ (m), with φ(t) a cubic from 0 to 2π in `duration` (s)."""

    a: float = 1.2
    b: float = 1.2
    r: float = 0.2
    duration: float = 10.0

    def path(self) -> CirclePath:
        """The tool's path, its velocity and its acceleration at any time."""
        return circle((self.a, self.b), self.r, cubic([0.0], [1.0], self.duration))

    def coefficients(self) -> tuple[float, float]:
        """a2 and a3 of φ(t) = a2 t² + a3 t³, rad/s² and rad/s³."""
        piece = cubic([0.0], [math.tau], self.duration).pieces[0][0]
        return float(piece[2]), float(piece[3])  # type: ignore[arg-type]


TABLE_1 = TwoLinks()
CIRCLE = Circle()

TIMES = (0.0, 2.5, 5.0, 7.5, 10.0)
"""When torques are compared (s)."""


@lru_cache(maxsize=2)
def fixed_arm(gravity: bool) -> System:
    """The library's robot "2r-fixed", with or without gravity."""
    arm = robot("2r-fixed")
    return arm.with_parameters({"gravity.y": -TABLE_1.g}) if gravity else arm


def input_tables() -> tuple[Table, ...]:
    """Table 1 and the circle."""
    p, c = TABLE_1, CIRCLE
    links = ((1, p.L1, p.m1, p.c1, p.I1), (2, p.L2, p.m2, p.c2, p.I2))
    return (
        Table(
            "Table 1: the links",
            ("link", "length, m", "mass, kg", "centre of mass, m", "inertia, kg m²"),
            tuple(tuple(number(x) for x in row) for row in links),
        ),
        Table(
            "The circle of the end-effector",
            ("centre, m", "radius, m", "duration, s"),
            ((f"({number(c.a)}, {number(c.b)})", number(c.r), number(c.duration)),),
        ),
    )
