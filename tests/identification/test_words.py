"""What cannot be known is called by its name, and what can be known of it is given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.jump import jump_map
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.scene import Scene, moves, scene_of
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.combinations import after_impact, meanings
from percuss.identification.observability.gauges import families
from percuss.identification.observability.words import account, in_words, unobservable, weak
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load, with_overrides
from tests.identification.cases import NOISE, SCENARIOS, thesis

Array = NDArray[np.float64]
PLANE = ["joint.1", "joint.2", "base.x", "base.y", "base.angle"]
SPACE = [*(f"joint.{k}" for k in range(1, 8)), "base.x", "base.y", "base.z"]
SEEDS = st.integers(0, 2**32 - 1)


def told(
    scenario: Scenario, groups: list[str], channels: list[str], times: Array
) -> tuple[Unknowns, Information]:
    """What a record of these channels tells at the scenario's own values."""
    unknowns = Unknowns(scenario, groups)
    model = ForwardModel(scenario, unknowns, channels, times)
    values, slopes = model.linearised(unknowns.start[:, None])
    table = values.reshape(len(channels), len(times), 1)
    _, rows = Weighting(model, NOISE).whitened(table, values, slopes)
    return unknowns, information(unknowns, unknowns.start, rows[..., 0])


def space() -> Scenario:
    return load(SCENARIOS / "pin-3d.yaml")


def scene_from(random: np.random.Generator, planar: bool) -> Scene:
    turn = np.array([0.0, 0.0, random.normal()]) if planar else random.normal(size=3)
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    root = random.normal(size=(3, 3))
    second = root @ root.T
    arm, linear, angular = random.normal(size=(3, 3))
    if planar:
        arm[2] = linear[2] = angular[0] = angular[1] = 0.0
    return Scene(
        planar,
        R,
        np.zeros(3) if planar else turn,
        arm,
        float(random.uniform(1, 100)),
        np.trace(second) * np.eye(3) - second,
        linear,
        angular,
    )


ALL_PLANE = "vx vy omega angle mass com.x com.y inertia contact.x contact.y".split()
ALL_SPACE = [
    *"vx vy vz wx wy wz attitude.x attitude.y attitude.z mass com.x com.y com.z".split(),
    *(f"inertia.{k}" for k in ("xx", "yy", "zz", "xy", "xz", "yz")),
    *"contact.x contact.y contact.z".split(),
]


@given(SEEDS, st.booleans())
@settings(max_examples=40, deadline=None)
def test_every_named_change_is_called_by_its_name(seed: int, planar: bool) -> None:
    random = np.random.default_rng(seed)
    scene = scene_from(random, planar)
    names = ALL_PLANE if planar else ALL_SPACE
    sizes = {"mass": scene.mass, "inertia": float(np.trace(scene.inertia))}
    ranges = np.array([sizes.get(name.partition(".")[0], 1.0) for name in names])
    for family in families(scene, names):
        # Parts of about one size, as shares of the ranges: of a small part nothing need be said.
        a = random.choice([-1.0, 1.0], family.basis.shape[1])
        a *= random.uniform(0.5, 1.0, len(a))
        a /= np.linalg.norm(family.basis / ranges[:, None], axis=0)
        direction = family.basis @ a
        (found,) = in_words(direction[:, None], names, [""] * len(names), ranges, scene=scene)
        assert found.words == family.words(a)
        aligned = found.direction / np.linalg.norm(found.direction)
        assert abs(aligned @ direction) == pytest.approx(np.linalg.norm(direction), rel=1e-9)


@given(SEEDS, st.booleans(), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_what_is_said_spans_what_is_hidden(seed: int, planar: bool, count: int) -> None:
    """Whatever the hidden space, no direction is invented and none is left out."""
    random = np.random.default_rng(seed)
    scene = scene_from(random, planar)
    names = ALL_PLANE if planar else ALL_SPACE
    ranges = random.uniform(0.5, 20.0, len(names))
    hidden = random.normal(size=(len(names), count))
    known = families(scene, names)
    for k in range(random.integers(count + 1)):
        hidden[:, k] = known[random.integers(len(known))].basis[:, 0]
    rank = np.linalg.matrix_rank(hidden / ranges[:, None], tol=1e-8)
    found = in_words(hidden, names, [""] * len(names), ranges, scene=scene)
    said = np.stack([item.direction for item in found], axis=1) / ranges[:, None]
    assert said.shape[1] == rank
    both = np.concatenate([said, hidden / ranges[:, None]], axis=1)
    assert np.linalg.matrix_rank(said, tol=1e-6) == rank
    assert np.linalg.matrix_rank(both, tol=1e-6) == rank
    assert np.abs(said).max(axis=0) == pytest.approx(1.0)
    assert all(item.words for item in found)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("shaped", [True, False])
def test_moves_and_gradients_are_derivatives(planar: bool, shaped: bool) -> None:
    """Against central differences of the target that θ stands for; of a shape, the inertia
    goes with the mass."""
    scenario = thesis(1) if planar else space()
    if shaped and not planar:
        box = {"shape": "box", "mass": 80.0, "size": [1.2, 1.0, 1.6], "contact": [-0.6, 0.1, 0.2]}
        scenario = with_overrides(scenario, {"target": box})
    groups = ["velocity", "attitude", "mass", "com", "inertia", "contact"]
    unknowns = Unknowns(scenario, [group for group in groups if not shaped or group != "inertia"])
    assert unknowns.inertia_follows_mass == shaped
    random = np.random.default_rng(3)
    theta = unknowns.start + 0.3 * unknowns.scale * random.normal(size=len(unknowns))
    names = unknowns.names
    to_theta = np.linalg.inv(unknowns.slopes(theta))

    def values(at: Array) -> list[Array]:
        scene = scene_of(unknowns, at)
        parts = [scene.arm, scene.world_inertia.ravel(), scene.linear, scene.angular]
        found = [meaning.values for meaning in meanings(scene, names)]
        return [
            np.array([scene.mass]),
            *parts,
            *found,
        ]

    scene = scene_of(unknowns, theta)
    change = moves(scene, names)
    exact = [
        change.mass[None],
        change.arm,
        change.inertia.reshape(9, -1),
        change.linear,
        change.angular,
        *(meaning.gradients.T for meaning in meanings(scene, names)),
    ]
    step = 1e-5
    for k, name in enumerate(names):
        along = to_theta[:, k] * unknowns.ranges[k]
        forth, back = values(theta + step * along), values(theta - step * along)
        for part, (a, b) in enumerate(zip(forth, back, strict=True)):
            slope = (a - b) / (2 * step * unknowns.ranges[k])
            size = 1.0 + np.abs(exact[part]).max()
            if planar and part == 2:
                slope, given_ = slope[8:], exact[part][8:, k]
            else:
                given_ = exact[part][:, k]
            assert slope == pytest.approx(given_, abs=2e-7 * size), (name, part)


def test_the_velocity_just_after_the_impact_and_its_gradient() -> None:
    unknowns = Unknowns(thesis(1), ["velocity", "mass", "com", "inertia"])
    theta = unknowns.start + np.array([0.1, 0.2, -0.3, 0.1, 0.05, -0.1, 0.2])
    shown = after_impact(unknowns, theta)
    assert shown is not None
    to_theta = np.linalg.inv(unknowns.slopes(theta))
    for k in range(len(theta)):
        ends = [after_impact(unknowns, theta + h * to_theta[:, k]) for h in (1e-5, -1e-5)]
        assert ends[0] is not None
        assert ends[1] is not None
        slope = (ends[0].values - ends[1].values) / 2e-5
        assert shown.gradients[k] == pytest.approx(slope, abs=1e-8)
    # Table 4.3, pin: x and y of the tip, 5 and 3 m beyond the joints.
    start = after_impact(unknowns, unknowns.start)
    assert start is not None
    tip = -0.0025575448 + 5 * 0.08056266 - 3 * 0.34398977
    assert start.values == pytest.approx([tip, 0.0], abs=1e-8)


def test_the_jump_of_a_pin_hides_rotations_about_the_contact_point() -> None:
    for scenario, said in (
        (thesis(1), ["rotation about the contact point"]),
        (space(), [f"rotation about the axis {k} through the contact point" for k in "xyz"]),
    ):
        jump = jump_map(scenario)
        velocity = Unknowns(scenario, ["velocity"])
        scene = scene_of(velocity, velocity.start)
        found = in_words(jump.null_space, jump.names, jump.units, velocity.ranges, scene=scene)
        assert [item.words for item in found] == said
        for item in found:
            assert np.abs(jump.matrix @ item.direction).max() < 1e-12


def test_simulation_2_shows_the_velocity_of_the_contact_point_only() -> None:
    unknowns, known = told(thesis(2), ["velocity"], PLANE, np.arange(1, 251) / 50)
    found = account(unknowns, unknowns.start, known)
    assert [item.words for item in found.unobservable] == ["rotation about the contact point"]
    (combination,) = found.known
    assert combination.words == "velocity of the target's contact point along x"
    # The contact point is 1 m below the centre of mass: v + ω × (contact - centre of mass).
    assert combination.direction == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)
    assert combination.value == pytest.approx(combination.direction @ unknowns.start)
    covariance = np.linalg.pinv(known.matrix, rcond=1e-12)
    sigma = np.sqrt(combination.direction @ covariance @ combination.direction)
    assert combination.sigma == pytest.approx(sigma, rel=1e-6)
    assert [name for name, ok in zip(known.names, known.known, strict=True) if ok] == ["vy"]


def test_mass_inertia_and_centre_of_mass_of_simulation_2() -> None:
    groups = ["velocity", "mass", "inertia", "com"]
    unknowns, known = told(thesis(2), groups, PLANE, np.arange(1, 101) / 20)
    found = account(unknowns, unknowns.start, known)
    said = [item.words for item in found.unobservable]
    assert len(said) == 5
    assert "moment of inertia" in said
    assert "rotation about the contact point" in said
    assert any(line.startswith("mass and velocity of the centre of mass along y") for line in said)
    after = {item.words: item.value for item in found.known}
    # Table 4.3: both move on with -1/9 m/s.
    assert after["velocity of the contact point just after the impact along y"] == pytest.approx(
        -1 / 9
    )
    assert not known.known.any()


def test_the_gauge_of_attitude_centre_of_mass_and_contact_point() -> None:
    groups = ["velocity", "attitude", "mass", "com", "inertia", "contact"]
    times = np.arange(1, 101) / 20
    unknowns, known = told(thesis(1), groups, PLANE, times)
    found = account(unknowns, unknowns.start, known)
    said = " | ".join(item.words for item in found.unobservable)
    assert "attitude and centre-of-mass direction together" in said
    assert said.count("centre of mass and contact point moved together") == 2
    assert [item.words for item in found.known] == [
        f"vector from contact to centre of mass along {axis} of the world" for axis in "xy"
    ]
    assert [item.value for item in found.known] == pytest.approx([0.0, 1.0], abs=1e-9)
    # Going along them changes no measurement; for the attitude to second order only.
    model = ForwardModel(thesis(1), unknowns, PLANE, times)
    here = model(unknowns.start)
    for item in found.unobservable:
        moved = model(unknowns.start + 1e-4 * item.direction)
        assert np.abs(moved - here).max() < 1e-7, item.words


def test_the_gauge_in_space_carries_the_inertia_tensor() -> None:
    scenario = space()
    unknowns, known = told(scenario, ["attitude", "com", "inertia"], SPACE, np.arange(1, 51) / 10)
    scene = scene_of(unknowns, unknowns.start)
    said = [item.words for item in unobservable(known, scene)]
    gauge = [line for line in said if "with the inertia tensor" in line]
    assert len(gauge) == 3, said
    unknowns, known = told(scenario, ["attitude"], SPACE, np.arange(1, 51) / 10)
    (line,) = unobservable(known, scene_of(unknowns, unknowns.start))
    # A cube is alike from all sides: only where its centre of mass is can be seen.
    assert line.words == "attitude about the line from the contact point to the centre of mass"


def test_weak_quantities_are_named() -> None:
    root = np.diag([100.0, 2.0, 0.1])
    names, units = ("vx", "mass", "inertia"), ("m/s", "kg", "kg m²")
    found = weak(Information(names, units, np.ones(3), root, np.zeros(3, bool)))
    assert [item.name for item in found] == ["mass"]
    assert "± 0.5 kg" in found[0].words


def test_well_known_unknowns_need_no_words() -> None:
    unknowns, known = told(thesis(1), ["velocity"], PLANE, np.arange(1, 51) / 10)
    found = account(unknowns, unknowns.start, known)
    assert (found.unobservable, found.known, found.weak) == ((), (), ())


def test_wrong_shapes_are_refused() -> None:
    scene = scene_from(np.random.default_rng(0), True)
    with pytest.raises(ModelError, match=r"shape \(3, k\)"):
        in_words(np.ones((2, 1)), ["vx", "vy", "omega"], ["", "", ""], np.ones(3), scene=scene)
