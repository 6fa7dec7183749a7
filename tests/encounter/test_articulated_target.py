"""A target of two bodies, a hub with a panel on a hinge: what is conserved is conserved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import percuss
from percuss.algebra import Pose
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.simulation import Simulation, carry_out
from percuss.kinematics import frame_pose, frame_velocity
from percuss.model import Frame, Joint, Revolute, System
from tests.encounter.test_in_python import cube
from tests.impact.captures import three

HUB, PANEL = 120.0, 15.0
RATES = (-0.05, 0.01, 0.0, 0.02, 0.0, 0.1, 0.3)
SIZE = (0.1, 1.5, 0.5)
HINGE, MIDDLE = (0.0, 0.4, 0.0), (0.0, 0.75, 0.0)
"""The hinge on the hub, and the panel's centre from the hinge (m)."""

CLOSURES = {
    "pin": percuss.Pin(),
    "weld": percuss.Weld(),
    "bounce": percuss.Bounce(0.5, friction=0.2),
    "surface": percuss.Compliant(1e4, restitution=0.6),
    "spring": percuss.Compliant(1e3, damping=5.0, law="bilateral"),
}


def hinged() -> System:
    """A cube with a panel that turns about z, free in space."""
    hub = percuss.free_body(percuss.box("hub", (0.8, 0.8, 0.8), mass=HUB))
    panel = percuss.box("panel", SIZE, mass=PANEL)
    hinge = Joint(
        name="hinge",
        motion=Revolute((0, 0, 1)),
        parent="hub",
        child="panel",
        placement=Pose.at(HINGE),
        child_placement=Pose.at(MIDDLE),
    )
    return replace(hub, name="hinged", bodies=(*hub.bodies, panel), joints=(*hub.joints, hinge))


def encounter(closure: Any, **changes: Any) -> percuss.Encounter:
    given = {"target": hinged(), "target_rates": RATES, "closure": closure, "duration": 2.0}
    return cube(**given | changes)


def brought(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of hub at `at` and panel, by hand: both stand along the axes."""
    v, w, turning = np.array(RATES[:3]), np.array(RATES[3:6]), RATES[6]
    spin = w + np.array([0.0, 0.0, turning])
    hinge, middle = np.array(HINGE), np.array(MIDDLE)
    moving = v + np.cross(w, hinge) + np.cross(spin, middle)
    x, y, z = SIZE
    panel = PANEL / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    linear = HUB * v + PANEL * moving
    angular = (
        np.cross(at, HUB * v)
        + np.cross(at + hinge + middle, PANEL * moving)
        + HUB / 6 * 0.8**2 * w
        + panel * spin
    )
    return linear, angular


@pytest.fixture(scope="module", params=CLOSURES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[str, Simulation]:
    return request.param, carry_out(encounter(CLOSURES[request.param]))


def test_momentum_is_what_the_target_brought(case: tuple[str, Simulation]) -> None:
    name, simulation = case
    linear, angular = brought(np.array(simulation.encounter.target_coordinates[:3]))
    for phase in simulation.phases:
        found = phase.observation.momentum
        for values, there, kind in zip(
            found, (linear, angular), ("linear", "angular"), strict=True
        ):
            off = np.abs(values - there).max() / np.linalg.norm(there)
            assert off < 1e-9, f"{name}: {kind} momentum is off by {off:.1e} in {phase.name}"


def test_energy_is_lost_at_the_impact_alone(case: tuple[str, Simulation]) -> None:
    name, simulation = case
    assert simulation.balance.energy < 1e-9, "energy and work do not add up"
    if not simulation.sequence.impacts:
        first, last = simulation.phases[0].observation, simulation.phases[-1].observation
        assert last.kinetic_energy[-1] < first.kinetic_energy[0], "a damped contact takes energy"
        return
    assert [str(law.state) for law in simulation.impact.laws] == ["kept", "kept", "lost"]
    energy = simulation.observation.kinetic_energy
    assert energy[0] == pytest.approx(simulation.impact.energy_after, rel=1e-12)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9, err_msg=name)


def about_the_hinge(target: System, q: Any, v: Any) -> float:
    """Angular momentum of the panel about the hinge's line, which lies along z (N m s)."""
    hinge = three(frame_pose(target, q, Frame("hinge", "hub", Pose.at(HINGE))).position)
    pose, motion = frame_pose(target, q, "panel"), frame_velocity(target, q, v, "panel")
    x, y, _ = SIZE
    own = PANEL / 12 * (x * x + y * y) * three(motion.angular)[2]
    arm = three(pose.position) - hinge
    return float(own + np.cross(arm, PANEL * three(motion.linear))[2])


@pytest.mark.parametrize("name", ["pin", "weld", "bounce"])
def test_no_impulse_turns_the_panel_about_its_hinge(name: str) -> None:
    """The hinge passes on a force and no moment about its line."""
    contact = encounter(CLOSURES[name]).contact
    assert contact is not None
    jumps = {"pin": percuss.impact.pin, "weld": percuss.impact.weld}
    jump = jumps[name](contact) if name in jumps else percuss.impact.bounce(contact, 0.5, 0.2)
    target, q = contact.target, contact.target_coordinates
    before = about_the_hinge(target, q, contact.target_rates)
    after = about_the_hinge(target, q, np.array(jump.target_rates, float))
    assert after == pytest.approx(before, rel=1e-12)
    assert abs(jump.target_rates[6] - RATES[6]) > 1e-3, "the hub is hit, and the panel swings"


def test_an_elastic_bounce_keeps_energy() -> None:
    impact = carry_out(encounter(percuss.Bounce(1.0))).impact
    assert impact.energy_after == pytest.approx(impact.energy_before, rel=1e-12)


def test_a_hinge_that_does_not_move_at_all_is_a_rigid_target() -> None:
    """With the panel welded on, the whole moves as one body of that mass and inertia does."""
    hub = hinged()
    locked = percuss.lock(hub, {"hinge": 0.0})
    found = carry_out(encounter(percuss.Weld(), target=locked, target_rates=RATES[:6]))
    (linear, _), mass = found.observation.momentum, HUB + PANEL
    center = np.array([0.0, 1.15 * PANEL / mass, 0.0])
    there = mass * (np.array(RATES[:3]) + np.cross(RATES[3:6], center))
    np.testing.assert_allclose(linear, np.broadcast_to(there, linear.shape), atol=1e-9)


@pytest.mark.parametrize("name", ["weld", "bounce", "surface"])
def test_many_at_once_are_one_by_one(name: str) -> None:
    one = encounter(CLOSURES[name])
    rates = np.array(RATES)[:, None] * np.array([1.0, 0.5])
    many = Ensemble(one)(target_rates=rates)
    for k in range(2):
        alone = carry_out(replace(one, target_rates=rates[:, k])).observation
        own = one.chaser.coordinate_count
        np.testing.assert_allclose(many.coordinates[:own, k], alone.q[:own, -1], atol=1e-6)


def test_the_body_that_is_held_carries_the_others() -> None:
    edge = Frame("edge", "panel", Pose.at((-0.05, 0.3, 0.1)))
    for closure in CLOSURES.values():
        with pytest.raises(
            percuss.EncounterError,
            match=r"^target\.contact: is on 'panel', which does not carry the target 'hinged', as "
            r"'hub' does: make it the root first with percuss\.reroot",
        ):
            encounter(closure, grip=edge)
    turned = percuss.reroot(hinged(), "panel")
    rates = (*RATES[:6], 0.0)
    found = carry_out(encounter(percuss.Weld(), target=turned, grip=edge, target_rates=rates))
    assert found.status == "captured"
    assert found.balance.energy < 1e-9
