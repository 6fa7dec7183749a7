"""What goes in: Table 1 of the paper and the poses and pulses of its section 6."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from percuss.model.bodies import Body
from percuss.model.library.registry import robot
from percuss.model.systems import System
from percuss.percussion import AxisBody, with_joints_at_percussion_points
from percuss.sources.table import Table, number


@dataclass(frozen=True)
class PaperLink:
    """Mass (kg), moment of inertia about the centre of mass (kg m²), length and centre of mass
    from its joint (m), and the centre of percussion as the paper prints it (m).
    """

    mass: float
    inertia: float
    length: float
    com: float
    printed_cop: float

    @property
    def body(self) -> AxisBody:
        """The link as it turns about its joint."""
        return AxisBody(self.mass, self.com, self.inertia)

    @property
    def cop(self) -> float:
        """The centre of percussion from the joint (m)."""
        return float(self.body.percussion_distance)  # type: ignore[arg-type]

    def plate(self, angle: float = 0.0) -> Body:
        """The link as a flat body in the plane z = 0, turned by an angle (rad), joint at 0."""
        com = (self.com * math.cos(angle), self.com * math.sin(angle), 0.0)
        half = 0.5 * self.inertia  # of a flat body I_xx + I_yy = I_zz
        return Body("link", self.mass, com, (half, half, self.inertia))


@dataclass(frozen=True)
class Robot:
    """A base with mass (kg), moment of inertia (kg m²) and joint 1 at `mount` (m); two links.

    `joint_2` is where joint 2 sits on link 1, from joint 1 (m).
    """

    mass: float
    inertia: float
    mount: tuple[float, float]
    link1: PaperLink
    link2: PaperLink
    joint_2: float

    def with_joint_2_at_cop(self) -> Robot:
        """Joint 2 at the centre of percussion of link 1, as for figure 10c."""
        return replace(self, joint_2=self.link1.cop)

    @property
    def system(self) -> System:
        """The library's robot "percussion", joint 2 where it is here."""
        whole = robot("percussion")
        if self.joint_2 == self.link1.length:
            return whole
        return with_joints_at_percussion_points(whole, ["joint2"])


TABLE_1 = Robot(
    mass=300.0,
    inertia=50.0,
    mount=(0.5, 0.5),
    link1=PaperLink(30.0, 3.33, 1.0, 0.3, printed_cop=0.67),
    link2=PaperLink(20.0, 2.5, 1.0, 0.3, printed_cop=0.72),
    joint_2=1.0,
)

JOINTS = (-math.pi / 2, math.pi / 2)
"""q1, q2 in all simulations (rad): links normal to each other."""

PLACES = (0.1, 0.3, 0.5, TABLE_1.link2.cop, 0.9, 1.0)
"""Where link 2 is struck in figure 10a, from joint 2 (m): the paper says from 0.1 to 1.0 m."""

ANGLES = (90.0, 75.0, 60.0, 45.0, 30.0)
"""Impact angles of figures 10b and 10c (degrees); the paper does not say which it has."""

COMPENSATED = (0.3, 0.5, TABLE_1.link2.cop, 0.85, 1.0)
"""Where link 2 is struck in figure 12, from joint 2 (m); likewise."""

LIMIT, LEAST_ANGLE = 0.4, math.radians(70.0)
"""The designer's limits in section 3.3: reaction per impulse, and angle (rad)."""


def input_tables() -> tuple[Table, ...]:
    """Table 1, and what is struck how."""
    p = TABLE_1
    base = ("base", number(p.mass), number(p.inertia), "N/A", "0")
    links = tuple(
        (str(k), *(number(x) for x in (link.mass, link.inertia, link.length, link.com)))
        for k, link in enumerate((p.link1, p.link2), start=1)
    )
    return (
        Table(
            "Table 1: the robot",
            ("link", "mass, kg", "inertia, kg m²", "joint length, m", "centre of mass, m"),
            (base, *links),
        ),
        Table(
            "The pulses, at q = (−90°, 90°) and at rest",
            ("figure", "force, N", "duration, s", "where on link 2", "joint 2 on link 1"),
            (
                ("10a", "1000", "0.01", "0.1 to 1.0 m, normal", "at its tip, 1 m"),
                ("10b", "1000", "0.01", "at its CoP, several angles", "at its tip, 1 m"),
                ("10c", "1000", "0.01", "at its CoP, several angles", "at the CoP of link 1"),
                ("11", "100", "0.1", "at its tip, normal", "at its tip, 1 m"),
                ("12", "100", "0.1", "several points, normal", "at its tip, 1 m"),
            ),
        ),
    )
