"""The best and the worst way to strike a link, centres of percussion of links, derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import Frame, ModelError, System, frame_pose, parameters, robot
from percuss.percussion import (
    Holding,
    best_direction,
    best_point,
    impact_reactions,
    reaction_map,
    reaction_slopes,
    with_joints_at_percussion_points,
    worst_strike,
)
from percuss.percussion.links import jointed_link, link_percussion
from percuss.percussion.spatial import body_reaction
from tests.percussion.test_multibody import COP_2, NORMAL, ROBOT
from tests.strategies import random_coordinates, random_planar_system, random_system
from tests.truth.compare import derivative

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def array(quantity: Any) -> Array:
    return np.array(quantity.array(), float)


def chain(rng: np.random.Generator, count: int = 4) -> System:
    return random_system(rng, count, ("revolute", "spherical"), ("free",))


@given(seeds)
@settings(max_examples=20)
def test_the_map_is_the_reaction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = chain(rng)
    q, link = random_coordinates(rng, system), str(rng.choice([b.name for b in system.bodies]))
    holding = Holding(str(rng.choice(["free", "held attitude"])))
    found = reaction_map(system, q, link, holding)
    point, impulse = rng.normal(size=(2, 3))
    turn = np.array(frame_pose(system, q, link).rotation.array(), float)
    exact = impact_reactions(system, q, Frame.point(link, point), turn @ impulse, holding=holding)
    ours = found.reactions(point, impulse)
    assert set(ours) == set(exact.joints)
    for name, load in exact.joints.items():
        assert np.allclose(ours[name], array(load.reaction), rtol=0, atol=1e-10), name
    wrench = np.concatenate([impulse, np.cross(point, impulse)])
    assert np.allclose(found.base @ wrench, array(exact.base_motion), rtol=0, atol=1e-10)


def felt(found: Any, point: Array, f: Array, weights: dict[str, float], length: float) -> float:
    scale = np.array([1, 1, 1, 1 / length, 1 / length, 1 / length])
    reactions = found.reactions(point, f)
    parts = [weight * scale * reactions[name] for name, weight in weights.items()]
    return float(np.linalg.norm(np.concatenate(parts)))


@given(seeds)
@settings(max_examples=20)
def test_no_point_and_no_direction_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = chain(rng)
    found = reaction_map(system, random_coordinates(rng, system), system.bodies[-1].name)
    weights = {name: float(rng.uniform(0.1, 2.0)) for name in found.joints}
    direction, length = rng.normal(size=3), float(rng.uniform(0.2, 3.0))
    best = best_point(found, direction, weights, length=length)
    f = best.direction
    assert felt(found, best.point, f, weights, length) == pytest.approx(best.felt, abs=1e-12)
    for _ in range(30):
        other = best.point + 10 ** rng.uniform(-4, 1) * rng.normal(size=3)
        assert felt(found, other, f, weights, length) >= best.felt * (1 - 1e-9) - 1e-12
    slid = best.point + 3.0 * best.spanned[0]
    assert felt(found, slid, f, weights, length) == pytest.approx(best.felt, abs=1e-9)

    a, b = rng.normal(size=(2, 3))
    on_segment = best_point(found, direction, weights, length=length, between=(a, b))
    for share in np.linspace(0, 1, 21):
        other = felt(found, a + share * (b - a), f, weights, length)
        assert other >= on_segment.felt * (1 - 1e-9) - 1e-12

    way = best_direction(found, a, weights, length=length)
    for _ in range(30):
        other = rng.normal(size=3)
        other /= np.linalg.norm(other)
        assert felt(found, a, other, weights, length) >= way.felt * (1 - 1e-9) - 1e-12


def test_the_best_point_of_link_2_is_its_centre_of_percussion() -> None:
    found = reaction_map(ROBOT, NORMAL, "link2")
    best = best_point(found, (0.0, -1.0))
    assert best.point == pytest.approx([COP_2, 0.0, 0.0], abs=1e-14)
    assert max(best.forces.values()) < 1e-14
    way = best_direction(found, (COP_2, 0.0))
    assert way.direction == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    inner = best_point(found, (0.0, -1.0), "all", between=((0.0, 0.0), (0.5, 0.0)))
    assert inner.point == pytest.approx([0.5, 0.0, 0.0])


@given(seeds)
@settings(max_examples=20)
def test_the_worst_blow_inside_tolerances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = chain(rng, 3)
    found = reaction_map(system, random_coordinates(rng, system), system.bodies[-1].name)
    point, impulse = rng.normal(size=(2, 3))
    off, turn = rng.uniform(0.0, 0.3, (2, 3))
    off[int(rng.integers(3))] = 0.0
    most, p, f = worst_strike(
        found, point, impulse, point_tolerance=off, impulse_tolerance=turn, weights="all"
    )
    weights = dict.fromkeys(found.joints, 1.0)
    assert felt(found, p, f, weights, math.inf) == pytest.approx(most, rel=1e-12)
    assert np.all(np.abs(p - point) <= off + 1e-15)
    for _ in range(200):
        drawn = np.clip(rng.uniform(-1.5, 1.5, (2, 3)), -1, 1)
        other = felt(found, point + drawn[0] * off, impulse + drawn[1] * turn, weights, math.inf)
        assert other <= most * (1 + 1e-12)


# --- links --------------------------------------------------------------------------------------


@given(seeds)
@settings(max_examples=25)
def test_the_centre_of_percussion_of_every_link_leaves_no_force(seed: int) -> None:
    """On the link's own joint, and the moment that remains there is its pitch."""
    rng = np.random.default_rng(seed)
    system = chain(rng, 5)
    for entry in link_percussion(system):
        assert entry.point is not None
        assert entry.direction is not None
        alone = body_reaction(jointed_link(system, entry.link), entry.point, entry.direction)
        reach = 1 + float(np.linalg.norm(entry.point))
        assert np.linalg.norm(array(alone.reaction.linear)) < 1e-10 * reach
        left = array(alone.reaction.angular)
        assert np.allclose(left, entry.pitch * entry.direction, atol=1e-10 * reach), "pitch"


@given(seeds)
@settings(max_examples=25)
def test_the_last_link_of_a_planar_robot_struck_there_leaves_the_rest_at_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_planar_system(rng, 5)
    q = random_coordinates(rng, system)
    carriers = {joint.parent for joint in system.joints}
    for entry in link_percussion(system):
        if entry.link in carriers or entry.point is None:
            continue
        turn = np.array(frame_pose(system, q, entry.link).rotation.array(), float)
        blow = turn @ entry.direction
        found = impact_reactions(system, q, Frame.point(entry.link, entry.point), blow)
        for name, load in found.joints.items():
            assert np.linalg.norm(array(load.reaction)) < 1e-9, f"{name} feels a blow on the CoP"


@given(seeds)
@settings(max_examples=25)
def test_joints_on_centres_of_percussion_shield_the_joint_before(seed: int) -> None:
    """In the plane, for whatever comes across normal to the line from joint to joint."""
    rng = np.random.default_rng(seed)
    system = with_joints_at_percussion_points(random_planar_system(rng, 5))
    points = {entry.link: entry.point for entry in link_percussion(system)}
    for joint in system.joints:
        point = points.get(joint.parent)
        if point is None:
            continue
        assert array(joint.placement.position) == pytest.approx(point)
        directions = {entry.link: entry.direction for entry in link_percussion(system)}
        found = body_reaction(jointed_link(system, joint.parent), point, directions[joint.parent])
        assert np.linalg.norm(array(found.reaction)) < 1e-10


def test_links_without_a_centre_of_percussion() -> None:
    entries = {entry.joint: entry for entry in link_percussion(robot("demo-7"))}
    assert entries["wrist_roll"].point is None
    assert entries["wrist_roll"].carried == {"tool": 0.0}
    assert entries["elbow_pitch"].point == pytest.approx([0.0, 0.0, 0.304], abs=1e-12)
    assert entries["elbow_pitch"].carried["forearm_roll"] == pytest.approx(0.45 / 0.304)


# --- derivatives --------------------------------------------------------------------------------


def test_slopes_of_a_robots_reactions() -> None:
    names = ["link2.mass", "link1.com.x", "link2.inertia.zz", "base.mass", "joint1.placement.y"]
    q, impulse = np.array([0.1, 0.2, 0.3, -1.2, 0.8]), np.array([0.4, -1.0, 0.0])
    found = reaction_slopes(ROBOT, q, "tool", impulse, names=names)
    values = parameters(ROBOT)
    for joint in ("joint1", "joint2"):

        def of(system: System, q: Array, at: Frame, push: Array, joint: str = joint) -> Array:
            return array(impact_reactions(system, q, at, push).joints[joint].reaction)

        tool = ROBOT.frame("tool")
        assert np.allclose(found.reaction[joint], of(ROBOT, q, tool, impulse), atol=1e-13)
        for k, name in enumerate(names):

            def moved(t: float, name: str = name) -> Array:
                changed = ROBOT.with_parameters({name: float(values[name]) + t})  # type: ignore[arg-type]
                return of(changed, q, tool, impulse)  # noqa: B023

            slope = derivative(moved, 1e-2)
            assert np.allclose(found.by_parameter[joint][:, k], slope, atol=1e-8), name
        for k in range(5):
            unit = np.eye(5)[k]
            slope = derivative(lambda t, u=unit: of(ROBOT, q + t * u, tool, impulse))  # noqa: B023
            assert np.allclose(found.by_coordinate[joint][:, k], slope, atol=1e-9)
        slope = derivative(lambda t: of(ROBOT, q, Frame.point("link2", (1 + t, 0, 0)), impulse))
        assert np.allclose(found.by_point[joint][:, 0], slope, atol=1e-10)
        assert np.allclose(found.by_impulse[joint] @ impulse, found.reaction[joint], atol=1e-13)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: best_point(m, (0.0, 0.0)), "direction must be a vector of length > 0"),
        (lambda m: best_point(m, (0.0, 1.0), {"joint9": 1.0}), "no joint 'joint9'"),
        (lambda m: best_point(m, (0.0, 1.0), {"joint1": -1.0}), "must be finite and ≥ 0"),
        (lambda m: best_point(m, (0.0, 1.0), "some"), "'all' or None, got 'some'"),
        (lambda m: best_point(m, (0.0, 1.0), length=0.0), "length must be > 0 m"),
        (lambda m: best_direction(m, (math.nan, 1.0)), "point must be two or three finite"),
        (lambda m: worst_strike(m, (0, 0), (1, 0), point_tolerance=(-1, 0, 0)), "must be ≥ 0"),
        (lambda _: best_point(reaction_map(ROBOT, NORMAL, "base"), (0, 1)), "'base' floats"),
        (lambda _: reaction_map(ROBOT, NORMAL, "link3"), "no body 'link3'"),
        (
            lambda _: reaction_slopes(ROBOT, NORMAL, "tool", (1, 0), names=["mass"]),
            "no parameter 'mass'",
        ),
        (lambda _: reaction_slopes(ROBOT, NORMAL, "tool", (1, 0, 0, 0)), "two or three numbers"),
    ],
)
def test_bad_questions_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call(reaction_map(ROBOT, NORMAL, "link2"))
