"""Tables 4.1–4.3 of the thesis: the one place that holds its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

from percuss.sources.table import Table, number


@dataclass(frozen=True)
class Vms:
    """Table 4.1. Lengths in m, masses in kg, γ in rad; r is the radius of base and object."""

    l1: float = 2.0
    l2: float = 3.0
    m_b: float = 100.0
    m1: float = 10.0
    m2: float = 10.0
    m_O: float = 15.0  # noqa: N815
    r: float = 1.0
    gamma: float = 0.5


@dataclass(frozen=True)
class Positions:
    """Table 4.2 as printed, in m and rad. θ_O is rounded there; (4.20) gives it in full."""

    theta_0: float = math.pi / 2
    x_b: float = 1.0
    y_b: float = 2.0
    q1: float = 0.0
    q2: float = 0.0
    x_O: float = 1.0  # noqa: N815
    y_O: float = 8.0  # noqa: N815
    theta_O: float = 4.21  # noqa: N815

    @property
    def coordinates(self) -> tuple[float, float, float, float, float]:
        """p = (x_b, y_b, θ0, q1, q2) of (2.19)."""
        return (self.x_b, self.y_b, self.theta_0, self.q1, self.q2)

    def object_angle(self, gamma: float) -> float:
        """θ_O = θ0 + q1 + q2 + π - γ (4.20), rad."""
        return self.theta_0 + self.q1 + self.q2 + math.pi - gamma


@dataclass(frozen=True)
class Velocities:
    """A column of Table 4.3: ṗ in the order of (2.19) and ψ̇ = (ẋ_O, ẏ_O, θ̇_O), m/s and rad/s."""

    chaser: tuple[float, float, float, float, float]
    target: tuple[float, float, float]


_AT_REST = (0.0, 0.0, 0.0, 0.0, 0.0)
VMS = Vms()
POSITIONS = Positions()
VELOCITIES = MappingProxyType(
    {1: Velocities(_AT_REST, (-1.0, 0.0, 0.0)), 2: Velocities(_AT_REST, (0.0, -1.0, 0.0))}
)
"""Table 4.3 by number of the simulation."""

COORDINATES = ("x_b", "y_b", "θ0", "q1", "q2")
"""Names of the entries of p, in its order."""


def tables() -> tuple[Table, Table, Table]:
    """Tables 4.1–4.3 as the thesis prints them."""
    v, p = VMS, POSITIONS
    first = Table(
        "Table 4.1: VMS parameters",
        ("l1", "l2", "m_b", "m1", "m2", "m_O", "r", "γ"),
        (
            (
                *(f"{number(x)} m" for x in (v.l1, v.l2)),
                *(f"{number(x)} kg" for x in (v.m_b, v.m1, v.m2, v.m_O)),
                f"{number(v.r)} m",
                f"{number(v.gamma)} rad",
            ),
        ),
    )
    second = Table(
        "Table 4.2: the simulations' initial positions",
        ("θ0", "x_b", "y_b", "q1", "q2", "x_O", "y_O", "θ_O"),
        (
            (
                "π/2 rad",
                *(f"{number(x)} m" for x in (p.x_b, p.y_b)),
                *(f"{number(x)} rad" for x in (p.q1, p.q2)),
                *(f"{number(x)} m" for x in (p.x_O, p.y_O)),
                f"{number(p.theta_O)} rad",
            ),
        ),
    )
    # The thesis lists θ0 first.
    order = (("θ̇0", 2, "rad/s"), ("ẋ_b", 0, "m/s"), ("ẏ_b", 1, "m/s"))
    joints = (("q̇1", 3, "rad/s"), ("q̇2", 4, "rad/s"))
    rows = [
        (name, *(f"{number(c.chaser[k])} {unit}" for c in VELOCITIES.values()))
        for name, k, unit in (*order, *joints)
    ]
    rows += [
        (name, *(f"{number(c.target[k])} {unit}" for c in VELOCITIES.values()))
        for k, (name, unit) in enumerate((("ẋ_O", "m/s"), ("ẏ_O", "m/s"), ("θ̇_O", "rad/s")))
    ]
    third = Table(
        "Table 4.3: the simulations' initial velocities",
        ("", "simulation 1", "simulation 2"),
        tuple(rows),
    )
    return first, second, third
