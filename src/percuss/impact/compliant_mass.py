"""One mass against a compliant contact, in closed form: restitution, duration, greatest force.

Each law of `contact_laws` knows its own; here the arguments are checked. The mass is the effective
one of two systems, 1/(nᵀ W n), see `bounce`. Each argument is a number or a NumPy batch; batches go
together, last axis the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.impact.contact_laws import ContactLaw, law_named
from percuss.model.checks import is_not_negative, is_positive, known, shown, values
from percuss.model.errors import ModelError


def damping_for(law: str, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
    """The damping with which one mass that touches at a speed rebounds with a restitution.

    Args:
        restitution: e, 0 < e ≤ 1. A contact that only pushes reaches 0 only with infinite damping
            and refuses it; "bilateral" takes 0 as critical damping, which never swings back.
        stiffness: k > 0, N/m, under "hunt-crossley" N/m^1.5.
        mass: the effective mass m > 0 (kg).
        speed: v > 0 (m/s) at which they touch; only "hunt-crossley" depends on it.

    Returns:
        c ≥ 0, N s/m, under "hunt-crossley" N s/m^2.5.
    """
    found = law_named(law)
    _check(found, stiffness=stiffness, mass=mass, speed=speed)
    _refuse_unless_known("restitution", restitution)
    e = values(restitution)
    if not np.all(np.isfinite(e) & (e >= 0.0) & (e <= 1.0)):
        raise ModelError(f"restitution must be from 0 to 1, got {shown(restitution)}")
    if found.only_pushes and np.any(e == 0.0):
        raise ModelError(
            f"restitution must be > 0 under the law {law!r}, got {shown(restitution)}: a contact "
            "that only pushes needs infinite damping to keep what touches it; give a small one, "
            "such as 0.01, or use a plastic closure (pin, weld)"
        )
    return found.damping(restitution, stiffness, mass, speed)


def restitution_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """e, the speed at which one mass leaves over the speed v at which it touched."""
    found = law_named(law)
    _check(found, stiffness=stiffness, mass=mass, speed=speed, damping=damping)
    return found.restitution(stiffness, damping, mass, speed)


def duration_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """How long one mass that touches at speed v is in contact (s).

    Closed form for the linear laws; by quadrature, to about 1e-12, for "hunt-crossley".
    """
    found = law_named(law)
    _check(found, stiffness=stiffness, mass=mass, speed=speed, damping=damping)
    return found.duration(stiffness, damping, mass, speed)


def peak_force_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """The greatest force on one mass that touches at speed v (N).

    Linear and bilateral: m v ω exp(-ζ (3β - π)/sin β) with ζ = cos β below ζ = ½, c v (at once)
    above. "hunt-crossley": from an equation for the speed at which it occurs.
    """
    found = law_named(law)
    _check(found, stiffness=stiffness, mass=mass, speed=speed, damping=damping)
    return found.peak_force(stiffness, damping, mass, speed)


def _check(law: ContactLaw, **given: Any) -> None:
    units = {
        "stiffness": law.stiffness_unit,
        "damping": law.damping_unit,
        "mass": "kg",
        "speed": "m/s",
    }
    for name, value in given.items():
        _refuse_unless_known(name, value)
        allowed, words = (is_not_negative, "≥ 0") if name == "damping" else (is_positive, "> 0")
        if not np.all(allowed(values(value))):
            raise ModelError(f"{name} must be finite and {words} {units[name]}, got {shown(value)}")


def _refuse_unless_known(name: str, value: Any) -> None:
    if not known(value):
        raise ModelError(
            f"{name} must be a number or a NumPy batch, got {value!r}: damping and restitution "
            "are related by an equation that has to be solved for each case"
        )
