"""Contacts that take time: a surface that gives way, and a given pulse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.impact import Contact, bounce
from percuss.impact.compliance import Compliance
from percuss.impact.compliant_mass import damping_for
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, ScenarioError
from percuss.scenario.impact import SLIP_SPEED
from percuss.simulate.failure import SimulationError
from percuss.simulate.leg import AFTER, CONTACT
from percuss.simulate.loads import Pulse, Touch
from percuss.simulate.stage import stage_before
from percuss.simulate.stretches import Stretches
from percuss.simulate.touching import Facing, approach_speed, pushes

MOST_TOUCHES = 2_000
"""Of one run."""


def touch_of(scenario: Scenario, contact: Contact, facing: Facing | None) -> Touch:
    """The compliant contact that a scenario asks for, at its first touch."""
    spec = scenario.impact
    law: Any = spec.law or "hunt-crossley"
    assert spec.stiffness is not None
    damping = spec.damping
    if damping is None:
        assert facing is not None, "the rules ask for the damping of a bilateral spring"
        damping = _damping(scenario, contact, facing, law)
    slip = SLIP_SPEED if spec.slip_speed is None else spec.slip_speed
    compliance = Compliance(law, float(spec.stiffness), float(damping), spec.friction or 0.0, slip)
    stage = stage_before(scenario.start)
    assert stage.tree is not None
    surface = None if facing is None else facing.surface
    return Touch(stage.tree, stage.tool, contact.grip, surface, compliance)


def _damping(scenario: Scenario, contact: Contact, facing: Facing, law: Any) -> float:
    """What makes the effective mass rebound with the restitution asked for."""
    spec = scenario.impact
    normal = facing.normal(contact)
    speed = approach_speed(contact, normal)
    if speed <= 0.0:
        raise ScenarioError(
            "impact.restitution: the points do not approach each other, so that no damping "
            "follows from it; give damping"
        )
    mass = bounce(contact, 1.0, normal=normal.array()).effective_mass
    try:
        return float(damping_for(law, spec.restitution, float(spec.stiffness or 0), mass, speed))
    except ModelError as error:
        raise ScenarioError(f"impact.restitution: {error}") from None


def yield_to(stretches: Stretches, contact: Contact, touch: Touch, facing: Facing | None) -> None:
    """The contact pushes for a while, perhaps again and again, for the scenario's duration."""
    stage = stretches.turned(
        stage_before(stretches.scenario.start).starting_at(
            np.concatenate([contact.chaser_coordinates, contact.target_coordinates]),
            np.concatenate([contact.chaser_rates, contact.target_rates]),
        )
    )
    driver = stretches.driver_after(stage)
    end = stretches.now + stretches.scenario.duration
    touching = facing is None or approach_speed(contact, facing.normal(contact)) > 0.0
    # Each stretch has smooth equations: what jumps does so between two of them.
    loads = {made: replace(touch, made=made) for made in (True, False)}
    for _ in range(2 * MOST_TOUCHES):
        leg = stretches.add(
            "contact" if touching else "flight",
            CONTACT if touching else AFTER,
            stage,
            driver,
            end,
            stretches.spacing,
            None if facing is None else pushes(touch, -1 if touching else 1),
            just=True,
            load=loads[touching],
        )
        if not leg.was_ended or leg.end >= end:
            return
        stage, touching = stretches.carried(stage), not touching
    raise SimulationError(
        f"the contact began {MOST_TOUCHES} times by {stretches.now:.6g} s of {end:.6g} s: the tool "
        "chatters on the surface. More damping, or a softer control, lets it rest."
    )


def push(stretches: Stretches) -> Pulse:
    """A given force on the chaser alone, then what it leaves."""
    scenario = stretches.scenario
    spec = scenario.impact
    assert spec.force is not None
    assert spec.duration is not None
    stage = stage_before(replace(scenario.start, target=None, grip=None))
    assert stage.tree is not None
    force = Vector3(*[*(float(x) for x in spec.force), 0.0][:3])
    pulse = Pulse(stage.tree, stage.tool, force, spec.frame == "link")
    driver = stretches.driver_after(stage)
    lasting = spec.duration
    stretches.add("contact", CONTACT, stage, driver, lasting, lasting / 200, load=pulse)
    stage = stretches.carried(stage)
    end = lasting + scenario.duration
    stretches.add("after", AFTER, stage, driver, end, stretches.spacing)
    return pulse
