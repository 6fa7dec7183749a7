"""Impacts: what two systems do when they touch, in no time or in a short one."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand
from percuss.impact.bounce import bounce
from percuss.impact.compliant_loads import (
    CompliantContact,
    CompliantLoads,
    compliant_contact,
    compliant_loads,
)

if TYPE_CHECKING:
    from percuss.impact.closures import Jump, pin, pinned, weld
    from percuss.impact.compliance import (
        Compliance,
        contact_force,
        dissipation,
        elastic_energy,
        normal_force,
        push_margin,
        release_margin,
        trial_force,
    )
    from percuss.impact.compliant_mass import (
        damping_for,
        duration_of,
        peak_force_of,
        restitution_of,
    )
    from percuss.impact.contact import Contact, mobility, velocity_jump
    from percuss.impact.contact_laws import CONTACT_LAWS, ContactLaw, SpringLaw, SurfaceLaw
    from percuss.impact.outcome import Impact, assess
    from percuss.impact.sizes import momentum_sizes
    from percuss.impact.surfaces import (
        Box,
        Cylinder,
        Disk,
        HalfSpace,
        Sphere,
        Surface,
        is_solid,
        surface_of,
    )
    from percuss.impact.verdict import ConservationLaw, State, percent

__all__ = [
    "CONTACT_LAWS",
    "Box",
    "Compliance",
    "CompliantContact",
    "CompliantLoads",
    "ConservationLaw",
    "Contact",
    "ContactLaw",
    "Cylinder",
    "Disk",
    "HalfSpace",
    "Impact",
    "Jump",
    "Sphere",
    "SpringLaw",
    "State",
    "Surface",
    "SurfaceLaw",
    "assess",
    "bounce",
    "compliant_contact",
    "compliant_loads",
    "contact_force",
    "damping_for",
    "dissipation",
    "duration_of",
    "elastic_energy",
    "is_solid",
    "mobility",
    "momentum_sizes",
    "normal_force",
    "peak_force_of",
    "percent",
    "pin",
    "pinned",
    "push_margin",
    "release_margin",
    "restitution_of",
    "surface_of",
    "trial_force",
    "velocity_jump",
    "weld",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "closures": ("Jump", "pin", "pinned", "weld"),
        "compliance": (
            "Compliance",
            "contact_force",
            "dissipation",
            "elastic_energy",
            "normal_force",
            "push_margin",
            "release_margin",
            "trial_force",
        ),
        "compliant_mass": ("damping_for", "duration_of", "peak_force_of", "restitution_of"),
        "contact": ("Contact", "mobility", "velocity_jump"),
        "contact_laws": ("CONTACT_LAWS", "ContactLaw", "SpringLaw", "SurfaceLaw"),
        "outcome": ("Impact", "assess"),
        "sizes": ("momentum_sizes",),
        "surfaces": (
            "Box",
            "Cylinder",
            "Disk",
            "HalfSpace",
            "Sphere",
            "Surface",
            "is_solid",
            "surface_of",
        ),
        "verdict": ("ConservationLaw", "State", "percent"),
    },
)
"""Names that are also those of a module are imported at once, the others when asked for."""
