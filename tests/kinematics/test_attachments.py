"""Attaching, detaching and re-rooting change the description, never the physics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import Force, ModelError, Pose
from tests.strategies import random_state, random_system

seeds = st.integers(0, 2**32 - 1)


def single_tree(rng: np.random.Generator, count: int) -> percuss.System:
    """A random system with one root, on a free joint."""
    while True:
        system = random_system(rng, count, base=("free",))
        if sum(joint.parent == percuss.WORLD for joint in system.joints) == 1:
            return system


def total(*parts: tuple[percuss.System, np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    """Mass, first moment, momentum and energy of several systems together."""
    momentum, energy, moment = Force.zero(), 0.0, np.zeros(3)
    mass = 0.0
    for system, q, v in parts:
        momentum = momentum + percuss.momentum(system, q, v)
        energy += percuss.kinetic_energy(system, q, v)  # type: ignore[operator]
        moment += percuss.total_inertia(system, q).first_moment.array()
        mass += percuss.total_mass(system)  # type: ignore[operator]
    return {
        "mass": np.array([mass]),
        "first moment of mass": moment,
        "momentum": momentum.array(),
        "kinetic energy": np.array([energy]),
    }


def same(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> None:
    for name, value in before.items():
        scale = 1.0 + np.abs(value).max()
        np.testing.assert_allclose(after[name] / scale, value / scale, atol=1e-11, err_msg=name)


@settings(max_examples=60)
@given(seeds, st.sampled_from(["fixed", "pin", "spherical"]))
def test_attached_systems_keep_mass_momentum_and_energy(seed: int, joint: str) -> None:
    rng = np.random.default_rng(seed)
    host = random_system(rng, int(rng.integers(1, 5)))
    guest = single_tree(rng, int(rng.integers(1, 4))).prefixed("guest ")
    guest = guest.with_gravity(host.gravity)
    frame = host.bodies[int(rng.integers(len(host.bodies)))].name
    q_host, q_guest = random_state(rng, host).q, random_state(rng, guest).q
    relative = percuss.relative_pose(host, q_host, frame, guest, q_guest=q_guest)
    attachment = percuss.attach(host, guest, frame, relative, joint=joint, axis=rng.normal(size=3))

    q = percuss.join_configuration(attachment, q_host, q_guest)
    q_joint = percuss.poses(attachment.joined, q)
    for name, pose in percuss.poses(guest, q_guest).items():
        np.testing.assert_allclose(q_joint[name].matrix(), pose.matrix(), atol=1e-10)

    # Any motion of the joined system is one of the two parts, with the same momentum.
    v = rng.normal(size=attachment.joined.rate_count)
    v_host, v_guest = percuss.split_velocity(attachment, q, v)
    apart_q = percuss.split_configuration(attachment, q)
    same(
        total((host, apart_q[0], v_host), (guest, apart_q[1], v_guest)),
        total((attachment.joined, q, v)),
    )
    again = percuss.join_velocity(attachment, q, v_host, v_guest)
    np.testing.assert_allclose(again, v, atol=1e-9)
    np.testing.assert_allclose(percuss.join_configuration(attachment, *apart_q), q, atol=1e-9)


@settings(max_examples=60)
@given(seeds)
def test_cut_systems_keep_mass_momentum_and_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_system(rng, int(rng.integers(2, 8)))
    inner = [joint.name for joint in system.joints if joint.parent != percuss.WORLD]
    attachment = percuss.detach(system, inner[int(rng.integers(len(inner)))])
    state = random_state(rng, system)
    parts_q = percuss.split_configuration(attachment, state.q)
    parts_v = percuss.split_velocity(attachment, state.q, state.v)
    same(
        total((system, state.q, state.v)),
        total(
            (attachment.host, parts_q[0], parts_v[0]),
            (attachment.guest, parts_q[1], parts_v[1]),
        ),
    )
    q = percuss.join_configuration(attachment, *parts_q)
    joined = percuss.poses(system, q)
    for name, pose in percuss.poses(system, state.q).items():
        np.testing.assert_allclose(joined[name].matrix(), pose.matrix(), atol=1e-9)
    v = percuss.join_velocity(attachment, q, *parts_v)
    np.testing.assert_allclose(v, state.v, atol=1e-8)


@settings(max_examples=60)
@given(seeds)
def test_a_new_root_changes_nothing_physical(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = single_tree(rng, int(rng.integers(2, 7)))
    state = random_state(rng, system)
    body = system.bodies[int(rng.integers(len(system.bodies)))].name
    turned = percuss.reroot(system, body)
    q = percuss.reroot_configuration(system, turned, state.q)
    v = percuss.reroot_velocity(system, turned, state.q, state.v)
    assert turned.base.name == body
    poses = percuss.poses(turned, q)
    for name, pose in percuss.poses(system, state.q).items():
        np.testing.assert_allclose(poses[name].matrix(), pose.matrix(), atol=1e-9)
        before = percuss.frame_velocity(system, state.q, state.v, name).array()
        after = percuss.frame_velocity(turned, q, v, name).array()
        np.testing.assert_allclose(after, before, atol=1e-8, err_msg=f"velocity of {name}")
    same(total((system, state.q, state.v)), total((turned, q, v)))


def thesis_contact() -> tuple[percuss.System, percuss.System, np.ndarray, np.ndarray]:
    chaser, target = percuss.robot("thesis"), percuss.robot("thesis-target")
    q = np.array([1.0, 2.0, np.pi / 2, 0.0, 0.0])
    return chaser, target, q, np.array([1.0, 8.0, np.pi / 2 + np.pi - 0.5])


def test_a_planar_pin_keeps_the_targets_angle_unwrapped() -> None:
    chaser, target, q, q_target = thesis_contact()
    relative = percuss.relative_pose(chaser, q, "tool", target, q_guest=q_target)
    attachment = percuss.attach(chaser, target, "tool", relative, joint="pin")
    assert attachment.joined.is_planar
    joined = percuss.join_configuration(attachment, q, q_target)
    np.testing.assert_allclose(joined, [*q, 0.0], atol=1e-14)
    spun = joined.copy()
    spun[-1] += 20.0
    _, turned = percuss.split_configuration(attachment, spun)
    residual = (turned[2] - q_target[2] - 20.0) / (2 * np.pi)
    assert residual == pytest.approx(round(residual), abs=1e-12)
    assert abs(turned[2]) > 10.0, "the angle must count full turns"


def test_motion_that_the_joint_forbids_is_refused_or_dropped() -> None:
    chaser, target, q, q_target = thesis_contact()
    relative = percuss.relative_pose(chaser, q, "tool", target, q_guest=q_target)
    attachment = percuss.attach(chaser, target, "tool", relative, joint="fixed")
    joined = percuss.join_configuration(attachment, q, q_target)
    drifting = [-1.0, 0.0, 0.0]
    with pytest.raises(ModelError, match=r"does not allow .*1 m/s .*An impact has to remove them"):
        percuss.join_velocity(attachment, joined, np.zeros(5), drifting)
    dropped = percuss.join_velocity(attachment, joined, np.zeros(5), drifting, check=False)
    np.testing.assert_allclose(dropped, np.zeros(5), atol=1e-14)
    away = q_target + np.array([0.1, 0.0, 0.0])
    with pytest.raises(ModelError, match=r"cannot hold the guest where it is.*0\.1 m"):
        percuss.join_configuration(attachment, q, away)


def test_what_cannot_be_attached_says_why() -> None:
    chaser, target, _, _ = thesis_contact()
    with pytest.raises(ModelError, match="only a free base can be carried away"):
        percuss.attach(chaser, target.with_mode("fixed"), "tool", Pose.identity())
    with pytest.raises(ModelError, match="joint must be one of fixed, pin, spherical, got 'glue'"):
        percuss.attach(chaser, target, "tool", Pose.identity(), joint="glue")
    with pytest.raises(ModelError, match=r"are called 'base', .*rename with guest\.prefixed"):
        percuss.attach(chaser, chaser, "tool", Pose.identity())
    with pytest.raises(ModelError, match="there is nothing to detach it from"):
        percuss.detach(chaser, "base")


def shelf() -> percuss.System:
    """A planar arm whose bodies lie in planes of different heights."""
    base = percuss.disk("base", 1.0, 10.0)
    joints = (
        percuss.Joint(
            name="base",
            motion=percuss.Planar(),
            parent="world",
            child="base",
            placement=Pose.at((0.2, 0.1, 0.5)),
        ),
        percuss.Joint(
            name="elbow",
            motion=percuss.Revolute(),
            parent="base",
            child="link",
            placement=Pose.at((1.0, 0.0, 0.3)),
        ),
        percuss.Joint(
            name="wrist",
            motion=percuss.Revolute(),
            parent="link",
            child="hand",
            placement=Pose.at((1.0, 0.0, -0.1)),
        ),
    )
    bodies = (base, percuss.rod("link", 1.0, 2.0), percuss.rod("hand", 0.5, 1.0))
    return percuss.System("shelf", bodies, joints)


def test_parallel_planes_keep_their_height() -> None:
    system, q, v = shelf(), np.array([1.0, -2.0, 0.3, 0.4, -0.5]), np.linspace(0.1, 0.5, 5)
    assert system.is_planar
    before = percuss.poses(system, q)

    turned = percuss.reroot(system, "hand")
    poses = percuss.poses(turned, percuss.reroot_configuration(system, turned, q))
    for name, pose in before.items():
        np.testing.assert_allclose(poses[name].matrix(), pose.matrix(), atol=1e-14)

    cut = percuss.detach(system, "elbow")
    q_host, q_guest = percuss.split_configuration(cut, q)
    apart = percuss.poses(cut.host, q_host) | percuss.poses(cut.guest, q_guest)
    for name, pose in before.items():
        np.testing.assert_allclose(apart[name].matrix(), pose.matrix(), atol=1e-14)
    v_host, v_guest = percuss.split_velocity(cut, q, v)
    same(total((system, q, v)), total((cut.host, q_host, v_host), (cut.guest, q_guest, v_guest)))
    np.testing.assert_allclose(percuss.join_configuration(cut, q_host, q_guest), q, atol=1e-14)


def test_a_base_let_go_keeps_its_height() -> None:
    held = shelf().with_mode("fixed", Pose.at((0.0, 0.0, 0.7)))
    free = held.with_mode("free-floating")
    assert isinstance(free.base_joint.motion, percuss.Planar)
    assert percuss.frame_pose(free, [1, 2, 0.3, 0, 0], "base").position.array() == pytest.approx(
        [1.0, 2.0, 0.7]
    )


def test_a_planar_base_cannot_hand_over_to_a_body_that_leaves_the_plane() -> None:
    tilting = percuss.Joint("tilt", percuss.Revolute((0, 1, 0)), "base", "arm")  # type: ignore[arg-type]
    turning = percuss.Joint("turn", percuss.Revolute(), "base", "wheel")
    system = percuss.System(
        "table",
        (
            percuss.box("base", (1, 1, 1), 10.0),
            percuss.rod("arm", 1.0, 1.0),
            percuss.disk("wheel", 0.2, 1.0),
        ),
        (percuss.Joint("base", percuss.Planar(), "world", "base"), tilting, turning),
    )
    with pytest.raises(ModelError, match=r"'base' is held in a plane, and 'arm' can leave it"):
        percuss.reroot(system, "arm")
    # The wheel stays in the plane, and so may carry the rest.
    q, v = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.linspace(0.1, 0.5, 5)
    turned = percuss.reroot(system, "wheel")
    q_turned = percuss.reroot_configuration(system, turned, q)
    v_turned = percuss.reroot_velocity(system, turned, q, v)
    same(total((system, q, v)), total((turned, q_turned, v_turned)))


def test_a_planar_guest_stays_in_the_plane() -> None:
    spatial, disk = percuss.robot("demo-7"), percuss.robot("disk")
    with pytest.raises(ModelError, match=r"held in a plane.*build it with free_body\(body\)"):
        percuss.attach(spatial, disk, "tool", Pose.identity())
    with pytest.raises(ModelError, match="held in a plane"):
        percuss.attach(
            percuss.robot("thesis"), disk, "tool", Pose.identity(), joint="pin", axis=(1, 0, 0)
        )


def test_a_grasp_has_no_motor() -> None:
    chaser, target, _, _ = thesis_contact()
    joined = percuss.attach(chaser, target, "tool", Pose.identity(), joint="pin").joined
    assert joined.actuated == (True,) * 5 + (False,)


def test_gravities_must_agree() -> None:
    chaser, target, _, _ = thesis_contact()
    falling = target.with_gravity((0.0, -9.81))
    with pytest.raises(ModelError, match=r"\(0, -9\.81, 0\) m/s² and 'thesis' with \(0, 0, 0\)"):
        percuss.attach(chaser, falling, "tool", Pose.identity())
    percuss.attach(chaser, falling.with_gravity(chaser.gravity), "tool", Pose.identity())


def test_names_that_clash_are_told_apart() -> None:
    chaser, target, _, _ = thesis_contact()
    held = percuss.attach(chaser, target, "tool", Pose.identity()).joined
    with pytest.raises(ModelError, match=r"are called 'grip', 'target'; rename with guest\.prefix"):
        percuss.attach(held, target, "grip", Pose.identity())
    with pytest.raises(ModelError, match="there is a joint 'grasp' already; give name="):
        percuss.attach(held, target.prefixed("second "), "grip", Pose.identity())
    again = percuss.attach(held, target.prefixed("second "), "grip", Pose.identity(), name="two")
    assert again.joined.joint("two").child == "second target"


def test_the_relative_pose_must_be_one() -> None:
    chaser, target, _, _ = thesis_contact()
    with pytest.raises(ModelError, match="relative must be a Pose, got None"):
        percuss.attach(chaser, target, "tool", None)  # type: ignore[arg-type]


@pytest.mark.parametrize("spin", [-20.0, -3.0, 0.5, 3.2, 9.0, 20.0])
def test_a_pin_counts_full_turns_near_where_it_was(spin: float) -> None:
    chaser, target, q, q_target = thesis_contact()
    relative = percuss.relative_pose(chaser, q, "tool", target, q_guest=q_target)
    attachment = percuss.attach(chaser, target, "tool", relative, joint="pin")
    spun = np.array([*q, spin])
    parts = percuss.split_configuration(attachment, spun)
    wrapped = percuss.join_configuration(attachment, *parts)
    assert -np.pi < wrapped[-1] <= np.pi
    near = spun + 0.3
    np.testing.assert_allclose(
        percuss.join_configuration(attachment, *parts, near=near), spun, atol=1e-12
    )
