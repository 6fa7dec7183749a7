"""Impacts: what two systems do when they touch, at one point and in no time."""

from percuss.impact.bounce import bounce
from percuss.impact.closures import Jump, pin, pinned, weld
from percuss.impact.contact import Contact, mobility, velocity_jump
from percuss.impact.outcome import Impact, assess
from percuss.impact.published import published
from percuss.impact.published_plant import PublishedPlant
from percuss.impact.sizes import momentum_sizes
from percuss.impact.verdict import Law, State, percent

__all__ = [
    "Contact",
    "Impact",
    "Jump",
    "Law",
    "PublishedPlant",
    "State",
    "assess",
    "bounce",
    "mobility",
    "momentum_sizes",
    "percent",
    "pin",
    "pinned",
    "published",
    "velocity_jump",
    "weld",
]
