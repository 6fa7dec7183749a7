"""Contacts that take time: a surface that gives way, and a given pulse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.encounter.assembly import Assembly, assembly_before
from percuss.encounter.contact_geometry import (
    ContactSurface,
    approach_speed,
    contact_at,
    pushes,
    relative_velocity,
)
from percuss.encounter.encounter import Encounter
from percuss.encounter.equations import Equations
from percuss.encounter.errors import EncounterError
from percuss.encounter.failure import SimulationError
from percuss.encounter.loads import Push, Touch
from percuss.encounter.phase import AFTER, CONTACT
from percuss.encounter.phase_integrator import Driver, PhaseIntegrator
from percuss.encounter.phase_machine import Give, Thrust
from percuss.impact import Contact, bounce
from percuss.impact.compliant_mass import damping_for
from percuss.impact.contact_laws import law_named
from percuss.model.errors import ModelError

MOST_TOUCHES = 2_000
"""Of one run."""
AT_REST = 1e-12
"""Speed (m/s, or share of the fastest rate) of points that do not move on each other: what rounding
leaves of a few hundred operations."""
_GLANCE = 1e-3
"""How far ahead (s) it is looked whether points at rest begin to move on each other."""
_LOOKS = 33
"""Times of the run at which that is looked for."""
_PRESSED = 1e-9
"""Acceleration (m/s²) from which on something moves points at rest on each other."""


def touch_of(
    encounter: Encounter, give: Give, contact: Contact, contact_surface: ContactSurface | None
) -> Touch:
    """The compliant contact that an encounter asks for, at its first touch."""
    damping = give.damping
    if damping is None:
        if contact_surface is None:
            unit = law_named(give.law).damping_unit
            message = f"is missing: law {give.law} needs it, in {unit}"
            raise EncounterError(("impact", "damping"), message)
        damping = _damping(give, contact, contact_surface)
    compliance = give.compliance(damping)
    assembly = assembly_before(encounter.start)
    surface = None if contact_surface is None else contact_surface.surface
    return Touch(
        system=assembly.tree,
        tool=assembly.tool,
        grip=contact.grip,
        surface=surface,
        compliance=compliance,
    )


def _damping(give: Give, contact: Contact, contact_surface: ContactSurface) -> float:
    """What makes the effective mass rebound with the restitution asked for."""
    normal = contact_surface.normal(contact)
    speed = approach_speed(contact, normal)
    if speed <= _rounding(contact):
        raise EncounterError(
            ("impact", "restitution"),
            "the points do not approach each other along the normal (at "
            f"{speed + 0.0:.3g} m/s, and at {_relative_speed(contact):.3g} m/s in all), so that no "
            "damping follows from it; give damping, another impact.normal, or another velocity "
            "(target.velocity)",
        )
    mass = bounce(contact, 1.0, normal=normal.array()).effective_mass
    try:
        return float(damping_for(give.law, give.restitution, give.stiffness, mass, speed))
    except ModelError as error:
        raise EncounterError(("impact", "restitution"), str(error)) from None


def integrate_contact(
    integrator: PhaseIntegrator,
    contact: Contact,
    touch: Touch,
    contact_surface: ContactSurface | None,
) -> None:
    """The contact pushes for a while, perhaps again and again, to the end."""
    assembly = integrator.turned(
        assembly_before(integrator.encounter.start).starting_at(
            np.concatenate([contact.chaser_coordinates, contact.target_coordinates]),
            np.concatenate([contact.chaser_rates, contact.target_rates]),
        )
    )
    driver = integrator.driver_after(assembly)
    end = integrator.now + integrator.encounter.duration
    touching = (
        contact_surface is None or approach_speed(contact, contact_surface.normal(contact)) > 0.0
    )
    if contact_surface is not None and _relative_speed(contact) <= _rounding(contact):
        _refuse_idle(integrator, assembly, driver, contact)
    # Each phase has smooth equations: what jumps does so between two of them.
    loads = {made: replace(touch, made=made) for made in (True, False)}
    ends = {made: pushes(touch, -1 if made else 1) for made in (True, False)}
    for _ in range(2 * MOST_TOUCHES):
        phase = integrator.add(
            "contact" if touching else "flight",
            CONTACT if touching else AFTER,
            assembly,
            driver,
            end=end,
            spacing=integrator.spacing,
            signal=None if contact_surface is None else ends[touching],
            just=True,
            load=loads[touching],
        )
        if not phase.was_ended or phase.end >= end:
            return
        if (
            all(one.end == one.begin for one in integrator.phases[-4:])
            and len(integrator.phases) >= 4
        ):
            raise _at_a_standstill(integrator, driver)
        assembly, touching = integrator.carried(assembly), not touching
    raise SimulationError(
        f"the contact began {MOST_TOUCHES} times by {integrator.now:.6g} s of {end:.6g} s: the "
        "tool chatters on the surface. More damping, or a softer control, lets it rest."
    )


def _at_a_standstill(integrator: PhaseIntegrator, driver: Driver) -> SimulationError:
    """Contact and flight that follow each other at one instant."""
    law = integrator.encounter.control.name
    acting = (
        "nothing presses them together, nor apart"
        if driver.law.idle
        else f"the control (law {law}) parts them while they touch and brings them together "
        "while they do not"
    )
    return SimulationError(
        f"at {integrator.now:.6g} s contact and flight follow each other without time going on: "
        f"{acting}. Another control, or another impact.stiffness or damping, lets them rest on "
        "each other or part."
    )


def _refuse_idle(
    integrator: PhaseIntegrator, assembly: Assembly, driver: Driver, contact: Contact
) -> None:
    """Points that touch at rest, and that nothing moves on each other: there is no impact.

    What a law that is sampled will do is not known beforehand.
    """
    if driver.law.period is not None:
        return
    equations = Equations(
        assembly, driver.law, wheels=driver.wheels, orbit=integrator.orbit
    ).begun_with(assembly, None, orbit_angle=integrator.orbit_angle)
    # What a law will do later counts too: a goal may be reached from rest.
    lasting = integrator.encounter.duration * np.linspace(0.0, 1.0, _LOOKS)
    times = integrator.now - driver.origin + lasting
    start = equations.start
    rates, _ = equations.compiled(times, np.repeat(start[:, None], _LOOKS, axis=1))
    soon = [
        contact_at(assembly, state[equations.slices["q"]], state[equations.slices["v"]])
        for state in start + _GLANCE * np.asarray(rates, float).T
    ]
    if max(_relative_speed(one) for one in soon) <= _GLANCE * _PRESSED:
        raise EncounterError(
            ("impact", "closure"),
            "compliant needs tool and target to approach each other; they touch at "
            f"rest ({_relative_speed(contact):.3g} m/s), and nothing presses them together. Give "
            "the target a velocity towards the tool (target.velocity), or the chaser one "
            "(chaser.velocity, control.goal)",
        )


def _relative_speed(contact: Contact) -> float:
    return float(np.linalg.norm(relative_velocity(contact)))


def _rounding(contact: Contact) -> float:
    """Speed of the points (m/s) that rounding alone may leave."""
    rates = np.concatenate([contact.chaser_rates, contact.target_rates])
    return AT_REST * max(1.0, float(np.max(np.abs(rates), initial=0.0)))


def push(integrator: PhaseIntegrator, thrust: Thrust) -> Push:
    """A given force on the chaser alone, then what it leaves."""
    assembly = assembly_before(integrator.encounter.touched)
    force = Vector3(*[*(float(x) for x in thrust.force), 0.0][:3])
    pulse = Push(assembly.tree, assembly.tool, force, thrust.in_link)
    driver = integrator.driver_after(assembly)
    lasting = thrust.lasting
    integrator.add(
        "contact", CONTACT, assembly, driver, end=lasting, spacing=lasting / 200, load=pulse
    )
    assembly = integrator.carried(assembly)
    end = lasting + integrator.encounter.duration
    integrator.add("after", AFTER, assembly, driver, end=end, spacing=integrator.spacing)
    return pulse
