"""Impacts: what two systems do when they touch, in no time or in a short one."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand
from percuss.impact.bounce import bounce
from percuss.impact.compliant_loads import compliant_loads

if TYPE_CHECKING:
    from percuss.impact.closures import Jump, pin, weld
    from percuss.impact.compliance import Compliance, release_margin
    from percuss.impact.compliant_mass import (
        damping_for,
        duration_of,
        peak_force_of,
        restitution_of,
    )
    from percuss.impact.contact import Contact
    from percuss.impact.contact_laws import CONTACT_LAWS, SurfaceLaw
    from percuss.impact.outcome import assess
    from percuss.impact.surfaces import Box, Cylinder, Disk, HalfSpace, Sphere, surface_of

__all__ = [
    "CONTACT_LAWS",
    "Box",
    "Compliance",
    "Contact",
    "Cylinder",
    "Disk",
    "HalfSpace",
    "Jump",
    "Sphere",
    "SurfaceLaw",
    "assess",
    "bounce",
    "compliant_loads",
    "damping_for",
    "duration_of",
    "peak_force_of",
    "pin",
    "release_margin",
    "restitution_of",
    "surface_of",
    "weld",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "closures": ("Jump", "pin", "weld"),
        "compliance": ("Compliance", "release_margin"),
        "compliant_mass": ("damping_for", "duration_of", "peak_force_of", "restitution_of"),
        "contact": ("Contact",),
        "contact_laws": ("CONTACT_LAWS", "SurfaceLaw"),
        "outcome": ("assess",),
        "surfaces": ("Box", "Cylinder", "Disk", "HalfSpace", "Sphere", "surface_of"),
    },
)
"""Names that are also those of a module are imported at once, the others when asked for."""
