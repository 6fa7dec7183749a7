"""What targets are made of: a body with a grip, panels, shells, and uncertain moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body, Visual
from percuss.model.library.entry import Assumption
from percuss.model.library.vehicles import TRANSLUCENT
from percuss.model.single import free_body
from percuss.model.systems import Frame, System

_MOMENTS = ("xx", "yy", "zz")


def caught(body: Body, grip: Sequence[float], *drawn: Visual) -> System:
    """A target with the frame "grip" at a point (m) and panels that are drawn only."""
    shown = replace(body, name="target", visuals=(*body.visuals, *drawn))
    return free_body(shown, frames=[Frame("grip", "target", Pose.at(grip))])


def panel(size: tuple[float, float, float], at: tuple[float, float, float]) -> Visual:
    """A box (m) that is drawn and is no obstacle."""
    return Visual("box", size, Pose.at(at), color=TRANSLUCENT)


def panels(size: tuple[float, float, float], at: tuple[float, float, float]) -> tuple[Visual, ...]:
    """A panel and its mirror image on the other side of the x-z plane."""
    x, y, z = at
    return panel(size, at), panel(size, (x, -y, z))


def shell(radius: float, length: float, mass: float) -> Body:
    """A thin cylindrical shell along z, as an empty stage: m r² about z."""
    axial = mass * radius**2
    across = axial / 2.0 + mass * length**2 / 12.0
    look = Visual("cylinder", (radius, length))
    inertia = Symmetric3(across, across, axial)
    return Body("target", mass, Vector3.zero(), inertia, visuals=(look,))


def moment_assumptions(body: Body, low: float, high: float, reason: str) -> tuple[Assumption, ...]:
    """The moments of inertia, each alone within shares of its value."""
    values = [float(getattr(body.inertia, key)) for key in _MOMENTS]
    return tuple(
        Assumption(
            parameter=f"target.inertia.{key}",
            value=value,
            low=low * value,
            high=high * value,
            reason=reason,
        )
        for key, value in zip(_MOMENTS, values, strict=True)
    )
