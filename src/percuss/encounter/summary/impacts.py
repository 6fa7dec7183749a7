"""The impacts of a run as records."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from percuss.algebra.motions import Force
from percuss.encounter.lasting_contacts import LastingContact
from percuss.encounter.loads import Touch
from percuss.encounter.records.impact import (
    AngularMomentumChange,
    ContactRecord,
    EnergyChange,
    ImpactRecord,
    JointReaction,
    LinearMomentumChange,
    TouchRecord,
)
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.entries import axial, flat, vector
from percuss.impact.compliance import Compliance
from percuss.impact.outcome import Impact


def impacts_of(simulation: Simulation) -> tuple[ImpactRecord, ...]:
    """Every impact in order, instantaneous ones and those that took time."""
    instantaneous = (
        _impact(event.impact, event.relative_velocity, event.time, 0.0, simulation=simulation)
        for event in simulation.sequence.impacts
    )
    lasting = (
        _impact(
            contact.impact,
            contact.relative_velocity,
            contact.begin,
            contact.duration if contact.ended else None,
            simulation=simulation,
        )
        for contact in simulation.lasting_contacts
    )
    return (*instantaneous, *lasting)


def _impact(
    impact: Impact,
    relative: np.ndarray | None,
    time: float,
    duration: float | None,
    *,
    simulation: Simulation,
) -> ImpactRecord:
    """An impact at a time (s) that took a while (s), None where it has not ended.

    `relative` is the velocity of the target's contact point seen from the tool just before (3,),
    m/s, world axes.
    """
    planar, normal, target = simulation.assembly.is_planar, impact.normal, impact.target_rates
    speed = None if normal is None or relative is None else float(-relative @ normal)
    return ImpactRecord(
        time=time,
        duration=duration,
        closure=impact.closure,
        chaser_velocity=flat(simulation.view.rates(np.asarray(impact.chaser_rates, float))),
        target_velocity=flat(target) if len(target) else None,
        relative_velocity=None if relative is None else vector(relative, planar),
        impulse=vector(impact.impulse, planar),
        moment=axial(impact.moment, planar) if impact.passes_moment else None,
        base_impulse=vector(impact.base_impulse.linear, planar),
        base_moment=axial(impact.base_impulse.angular, planar),
        effective_mass=None if impact.effective_mass is None else float(impact.effective_mass),
        normal=None if normal is None else vector(normal, planar),
        normal_speed=speed,
        surface=None if normal is None else _surface(simulation),
        energy=EnergyChange(float(impact.energy_before), float(impact.energy_after)),
        linear_momentum=LinearMomentumChange(
            vector(impact.linear_momentum_before, planar),
            vector(impact.linear_momentum_after, planar),
        ),
        angular_momentum=AngularMomentumChange(
            axial(impact.angular_momentum_before, planar),
            axial(impact.angular_momentum_after, planar),
        ),
        joint_reactions=_reactions(impact.joint_reactions, planar),
    )


def _surface(simulation: Simulation) -> str | None:
    """What of the target the tool meets, in words."""
    contact_surface = simulation.sequence.contact_surface
    return None if contact_surface is None else contact_surface.surface.describe()


def _reactions(loads: Mapping[str, Force], planar: bool) -> dict[str, JointReaction]:
    return {name: _reaction(load, planar) for name, load in loads.items()}


def _reaction(load: Force, planar: bool) -> JointReaction:
    force = np.asarray(load.linear.array(), float)
    return JointReaction(
        force=vector(force, planar),
        moment=axial(load.angular, planar),
        magnitude=float(np.linalg.norm(force)),
    )


# --- contacts that take time ---------------------------------------------------------------------


def contact_of(simulation: Simulation) -> ContactRecord | None:
    """A contact that takes time: its law and every touch; None for other closures."""
    load = simulation.sequence.load
    if load is None:
        return None
    planar, is_touch = simulation.assembly.is_planar, isinstance(load, Touch)
    touches = tuple(_touch(contact, planar, is_touch) for contact in simulation.lasting_contacts)
    if not isinstance(load, Touch):
        return ContactRecord(
            law="pulse",
            stiffness=None,
            damping=None,
            friction=None,
            slip_speed=None,
            surface=None,
            touches=touches,
        )
    law: Compliance = load.compliance
    return ContactRecord(
        law=law.law,
        stiffness=_number(law.stiffness),
        damping=_number(law.damping),
        friction=_number(law.friction),
        slip_speed=_number(law.slip_speed) if law.has_friction else None,
        surface="spring between the points" if load.surface is None else _words(load),
        touches=touches,
    )


def _touch(contact: LastingContact, planar: bool, is_touch: bool) -> TouchRecord:
    return TouchRecord(
        begin=contact.begin,
        end=contact.end if contact.ended else None,
        duration=contact.duration if contact.ended else None,
        peak_force=contact.peak_force,
        impulse=vector(contact.impact.impulse, planar),
        restitution=contact.restitution,
        energy_lost=contact.energy_lost if is_touch else None,
    )


def _words(touch: Touch) -> str:
    describe = getattr(touch.surface, "describe", None)
    return str(describe()) if describe else "surface"


def _number(value: object) -> float:
    return float(np.asarray(value, float))
