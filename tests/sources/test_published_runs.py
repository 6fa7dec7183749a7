"""The published motion in an encounter: its target rides along with the chaser's tree."""

from __future__ import annotations

import numpy as np
import pytest

import percuss
from percuss.control import TreePlant
from percuss.control.laws import no_control
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.assembly import Assembly
from percuss.encounter.belief import Belief
from percuss.encounter.equations import Equations
from percuss.encounter.mechanics import Mechanics
from percuss.encounter.state_names import entry_name
from percuss.impact.sizes import momentum_sizes
from percuss.kernel import fingerprint
from percuss.model import ModelError
from percuss.scenario.simulation import simulate
from percuss.sources.published import published
from percuss.sources.published.closure import Published
from percuss.sources.published.plant import PublishedPlant
from tests.encounter.scenes import THESIS, TRACKING, scene
from tests.impact.captures import thesis, three

FALLING = {"gravity": [0, -9.81], "duration": 2.0}


def assembly_after_it() -> Assembly:
    contact = thesis(1)
    return Published().assembly_after(contact, published(contact))


def test_an_encounter_can_ask_it_all_it_asks() -> None:
    assembly = assembly_after_it()
    motion: Mechanics = assembly.plant
    assert not motion.conserves
    assert TreePlant(assembly.chaser).conserves
    assert assembly.tree is assembly.chaser
    assert assembly.holds_target
    (target,) = motion.passengers
    assert target.system is assembly.target
    q, v = target.state(assembly.coordinates, assembly.rates)
    np.testing.assert_allclose(q, thesis(1).target_coordinates, atol=1e-12)
    np.testing.assert_allclose(v, published(thesis(1)).target_rates, atol=1e-12)
    velocity = target.center_velocity(assembly.coordinates, assembly.rates)
    np.testing.assert_array_equal(three(velocity.linear), [*v[:2], 0.0])
    np.testing.assert_array_equal(three(velocity.angular), [0.0, 0.0, v[2]])


def test_its_target_weighs_what_it_weighs() -> None:
    """135 kg fall, and the potential energy is that of the same bodies in one tree."""
    found, pinned = (
        simulate(scene(THESIS, impact__closure=closure, **FALLING))
        for closure in ("published", "pin")
    )
    impulse = np.stack(
        [
            observation.integral("linear")[-1]
            for observation in (found.observation, pinned.observation)
        ]
    )
    np.testing.assert_allclose(impulse, [[0.0, -135.0 * 9.81 * 2.0]] * 2, rtol=1e-9, atol=1e-9)
    heights = [float(run.record["potential_energy"][0]) for run in (found, pinned)]
    assert heights[0] == pytest.approx(heights[1], rel=1e-12)


def test_all_bodies_are_seen() -> None:
    found = simulate(scene(THESIS, impact__closure="published", duration=1.0))
    assert [track.owner for track in found.record.tracks] == ["chaser"] * 3 + ["target"]
    observation = found.observation
    np.testing.assert_array_equal(
        found.record.tracks[-1].positions, observation.target_center[observation.motion.recorded]
    )
    own, _ = momentum_sizes(observation.system, observation.q, observation.v)
    speed = np.linalg.norm(observation.target_velocity[:, :3], axis=1)
    assert observation.momentum_sizes[0] == pytest.approx(np.max(own + 15.0 * speed), rel=1e-12)


def test_its_program_is_not_that_of_the_chaser_alone() -> None:
    """Both have the tree of the chaser; what is kept on the disk must not be exchanged."""
    assembly = assembly_after_it()
    alone = Assembly(
        chaser=assembly.chaser,
        target=None,
        tool=assembly.tool,
        grip=None,
        closure="apart",
        plant=TreePlant(assembly.chaser),
        tree=assembly.chaser,
        coordinates=assembly.coordinates,
        rates=assembly.rates,
    )
    both = [Equations(some, no_control(some.plant)) for some in (assembly, alone)]
    keys = [fingerprint(equations.rates) for equations in both]
    assert None not in keys
    assert keys[0] != keys[1]


def test_a_controller_may_believe_in_other_masses() -> None:
    assembly = assembly_after_it()
    heavier = thesis(1).chaser.with_parameters({"link1.mass": 11.0})
    plant = Belief(heavier).plant(assembly)
    assert isinstance(plant, PublishedPlant)
    assert [body.mass for body in plant.contact.chaser.bodies] == [100.0, 11.0, 10.0]
    assert plant.contact.target == thesis(1).target


def test_entries_of_its_state_are_the_chasers() -> None:
    assembly = assembly_after_it()
    equations = Equations(assembly, no_control(assembly.plant))
    assert entry_name(equations, 3) == "coordinate 'joint1'"
    assert entry_name(equations, 7) == "rate 'base.angle'"


def test_what_is_known_of_trees_only_is_refused() -> None:
    assembly = assembly_after_it()
    orbit = CircularOrbit.at_altitude(500e3)
    with pytest.raises(ModelError, match=r"^orbit: .*closure published does not leave; take pin"):
        Equations(assembly, no_control(assembly.plant), orbit=orbit)
    wheels = TRACKING | {"limits": {"wheels": 2}}
    chosen = scene(
        THESIS, chaser__mode="attitude-controlled", impact__closure="published", control=wheels
    )
    with pytest.raises(ModelError, match=r"^control.limits.wheels: .* which closure published"):
        percuss.run(chosen)
