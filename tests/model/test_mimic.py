"""Joints that follow others in models: what they are, what is refused, and what keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose
from percuss.kinematics import (
    join_configuration,
    join_velocity,
    poses,
    reroot_configuration,
    reroot_velocity,
    split_configuration,
    split_velocity,
)
from percuss.model import (
    WORLD,
    Fixed,
    Free,
    Joint,
    Limits,
    Mimic,
    ModelError,
    Prismatic,
    Revolute,
    Spherical,
    System,
    attach,
    box,
    detach,
    load_system,
    lock,
    merge_fixed,
    parameters,
    rebase,
    reroot,
    save_system,
    system_from_dict,
    system_to_dict,
    write_urdf,
)
from percuss.model.couplings import uncoupled
from tests.strategies import coupled, random_state, random_system
from tests.truth.compare import assert_same, pose_matrix


def hand(*more: Joint, right: Any = None, **options: Any) -> System:
    """A floating palm with a finger, one that follows it, and what else hangs from the palm."""
    follower = right or Mimic(Prismatic((0, 1, 0)), "left", -1.0, 0.02)
    joints = (
        Joint("base", Free(), WORLD, "palm"),
        Joint(
            name="right",
            motion=follower,
            parent="palm",
            child="right finger",
            placement=Pose.at((0.1, -0.1, 0.0)),
        ),
        Joint(
            name="left",
            motion=Prismatic((0, 1, 0)),
            parent="palm",
            child="left finger",
            placement=Pose.at((0.1, 0.1, 0.0)),
        ),
        *more,
    )
    names = [joint.child for joint in joints]
    return System(
        "hand", tuple(box(name, (0.1, 0.1, 0.1), 1.0) for name in names), joints, **options
    )


def placed(system: System, q: Any) -> dict[str, Any]:
    return {name: pose_matrix(pose) for name, pose in poses(system, q).items()}


def assert_same_places(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name, matrix in theirs.items():
        assert_same(ours[name], matrix, f"pose of {name!r}", 1e-12, scale=1.0)


def test_a_follower_has_no_coordinate_of_its_own() -> None:
    system = hand()
    assert system.coordinate_names[-1:] == ("left",)
    assert system.rate_names[-1:] == ("left",)
    assert (system.coordinate_count, system.rate_count) == (8, 7)
    assert [joint.name for joint in system.movable_joints] == ["left"]
    assert [joint.name for joint in system.moving_joints] == ["right", "left"]
    assert [joint.name for joint in system.followers] == ["right"]
    left, right = system.node("left finger"), system.node("right finger")
    assert (right.coordinates, right.rates) == (left.coordinates, left.rates)
    assert right.follows
    assert not left.follows
    assert system.leader(right.joint) is left.joint
    assert system.actuated[-1:] == (True,)
    q = percuss.neutral(system)
    q[-1] = 0.03
    y = poses(system, q)["right finger"].position.y
    assert y == pytest.approx(-0.1 - 0.03 + 0.02)


def test_a_follower_of_a_follower_is_led_by_the_first() -> None:
    tip = Joint("tip", Mimic(Revolute((0, 0, 1)), "right", 3.0, 0.5), "right finger", "tip")
    motion = hand(tip).joint("tip").motion
    assert isinstance(motion, Mimic)
    assert motion.leader == "left"
    assert motion.multiplier == pytest.approx(-3.0)
    assert motion.offset == pytest.approx(3.0 * 0.02 + 0.5)
    assert hand(tip) == replace(hand(tip)), "flattened once and for all"


@pytest.mark.parametrize(
    ("right", "message"),
    [
        (
            Mimic(Revolute(), "lft"),
            "'right' follows 'lft', which does not exist. Did you mean 'left'",
        ),
        (Mimic(Revolute(), "right"), "in a circle: 'right' → 'right'"),
        (Mimic(Revolute(), "base"), "follows 'base', which is free: a leader is revolute or"),
        (Mimic(Revolute(), "ball"), "follows 'ball', which is spherical"),
        (Mimic(Revolute(), "bolt"), "follows 'bolt', which is fixed"),
        (Mimic(Revolute(), "other"), "in a circle: 'right' → 'other' → 'right'"),
    ],
)
def test_leaders_that_cannot_lead_are_refused(right: Mimic, message: str) -> None:
    more = (
        Joint("ball", Spherical(), "palm", "ball body"),
        Joint("bolt", Fixed(), "palm", "bolt body"),
    )
    if right.leader == "other":
        more = (*more, Joint("other", Mimic(Revolute(), "right"), "palm", "other body"))
    with pytest.raises(ModelError, match=message):
        hand(*more, right=right)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Free(), "left"), "revolute or prismatic, got Free"),
        ((Revolute(), ""), "must be the name of a joint, got ''"),
        ((Revolute(), 3), "must be the name of a joint, got 3"),
        ((Revolute(), "left", float("nan")), "multiplier must be finite, got nan"),
        ((Revolute(), "left", 1.0, float("inf")), "offset must be finite, got inf"),
        ((Revolute(), "left", "two"), "multiplier must be a scalar"),
    ],
)
def test_hostile_couplings(arguments: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Mimic(*arguments)


def test_limits_of_a_follower_narrow_its_leader() -> None:
    system = hand()
    left, right = system.joint("left"), system.joint("right")
    changed = replace(
        system,
        joints=(
            system.base_joint,
            replace(right, limits=Limits(-0.01, 0.05, speed=0.3, effort=1.0)),
            replace(left, limits=Limits(-0.02, 0.5, speed=0.5, effort=7.0)),
        ),
    )
    # -q + 0.02 within -0.01 … 0.05: q within -0.03 … 0.03.
    limits = changed.node("left finger").limits
    assert limits.lower == pytest.approx(-0.02)
    assert limits.upper == pytest.approx(0.03)
    assert limits.speed == pytest.approx(0.3)
    assert limits.effort == 7.0, "a follower has no motor"
    assert changed.node("right finger").limits == limits
    assert changed.joint("left").limits.upper == 0.5, "what was given stays"
    nowhere = tuple(
        replace(joint, limits=Limits(1.0, 2.0)) if joint.name == "right" else joint
        for joint in changed.joints
    )
    with pytest.raises(ModelError, match=r"'right' follows left \* -1 \+ 0.02, but no position of"):
        replace(changed, joints=nowhere)


def test_the_table_says_who_follows_whom() -> None:
    line = next(x for x in str(hand()).splitlines() if x.startswith("right ") and "→" in x)
    assert "prismatic" in line
    assert "follows left * -1 + 0.02" in line
    assert "coupling" not in str(percuss.robot("thesis"))


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_files_keep_couplings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = coupled(rng, random_system(rng, 5))
    again = system_from_dict(yaml.safe_load(yaml.safe_dump(system_to_dict(system))))
    q = random_state(rng, system).q
    assert again.coordinate_names == system.coordinate_names
    assert_same_places(placed(again, q), placed(system, q))


def test_saved_and_loaded(tmp_path: Path) -> None:
    save_system(hand(), tmp_path / "hand.yaml")
    assert load_system(tmp_path / "hand.yaml") == hand()
    document = system_to_dict(hand())
    assert document["joints"][1]["mimic"] == {"joint": "left", "multiplier": -1.0, "offset": 0.02}
    assert document["joints"][1]["kind"] == "prismatic"


@pytest.mark.parametrize(
    ("mimic", "message"),
    [
        ({"multiplier": 2.0}, "the key 'joint' is missing"),
        ({"joint": "left", "factor": 2.0}, "unknown key 'factor'"),
        ({"joint": "left", "multiplier": "two"}, "multiplier must be a number"),
        ({"joint": 3}, "joint must be text"),
        ("left", "mimic must be a mapping"),
    ],
)
def test_hostile_files(mimic: Any, message: str) -> None:
    document = system_to_dict(hand())
    document["joints"][1]["mimic"] = mimic
    with pytest.raises(ModelError, match=message):
        system_from_dict(document)


def test_only_joints_of_one_coordinate_can_follow_in_a_file() -> None:
    document = system_to_dict(hand())
    document["joints"][0]["mimic"] = {"joint": "left"}
    with pytest.raises(ModelError, match="a free joint cannot follow another"):
        system_from_dict(document)


def test_urdf_says_mimic() -> None:
    text = write_urdf(hand())
    assert '<mimic joint="left" multiplier="-1.0" offset="0.02"/>' in text
    assert text.count("<mimic") == 1


def test_a_locked_leader_locks_its_followers() -> None:
    system = lock(hand(), {"left": 0.03})
    assert not system.followers
    assert not system.movable_joints
    free = np.array([0, 0, 0, 1.0, 0, 0, 0, 0.03])
    assert_same_places(placed(system, free[:7]), placed(hand(), free))


def test_a_locked_follower_locks_its_leader() -> None:
    system = lock(hand(), {"right": -0.01})
    assert not system.movable_joints
    free = np.array([0, 0, 0, 1.0, 0, 0, 0, 0.03])
    assert_same_places(placed(system, free[:7]), placed(hand(), free))
    assert lock(hand(), {"right": -0.01, "left": 0.03}).rate_count == 6
    with pytest.raises(ModelError, match=r"cannot be locked at 0\.5 and 0\.03 together"):
        lock(hand(), {"right": 0.5, "left": 0.03})
    still = hand(right=Mimic(Prismatic((0, 1, 0)), "left", 0.0, 0.02))
    with pytest.raises(ModelError, match="multiplier 0 stays at its offset"):
        lock(still, {"right": 0.02})


def test_prefixes_rename_leaders() -> None:
    motion = hand().prefixed("a_").joint("a_right").motion
    assert isinstance(motion, Mimic)
    assert motion.leader == "a_left"


def test_parameters() -> None:
    known = parameters(hand())
    assert known["right.mimic.multiplier"] == -1.0
    assert known["right.mimic.offset"] == 0.02
    assert known["right.axis.y"] == 1.0
    changed = hand().with_parameters(
        {"right.mimic.multiplier": 2.0, "right.mimic.offset": 0.1, "right.axis.x": 1.0}
    )
    motion = changed.joint("right").motion
    assert isinstance(motion, Mimic)
    assert (motion.multiplier, motion.offset, motion.leader) == (2.0, 0.1, "left")
    assert motion.axis.x == pytest.approx(np.sqrt(0.5))


def test_uncoupled_gives_every_joint_a_coordinate() -> None:
    assert uncoupled(hand()).rate_names[-2:] == ("right", "left")
    assert uncoupled(percuss.robot("demo-7")) == percuss.robot("demo-7")


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_other_descriptions_of_the_same_tree_move_alike(seed: int) -> None:
    """Merging fixed bodies and moving body frames onto their joints keep the couplings."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "fixed")
    system = coupled(rng, random_system(rng, 6, kinds, ("free",)))
    q = random_state(rng, system).q
    names = {body.name for body in system.bodies}
    for other in (merge_fixed(system), rebase(system)):
        found = placed(other, q)
        for name, matrix in placed(system, q).items():
            moved = f"{name}_frame" if f"{name}_frame" in found else name
            if name in names:
                assert_same(found[moved], matrix, f"pose of {name!r}", 1e-12, scale=1.0)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_a_tree_on_another_root_moves_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = coupled(rng, random_system(rng, 5, ("revolute", "prismatic"), ("free",)))
    if sum(joint.parent == WORLD for joint in system.joints) > 1:
        return
    state = random_state(rng, system)
    other = reroot(system, str(rng.choice([body.name for body in system.bodies])))
    q = reroot_configuration(system, other, state.q)
    v = reroot_velocity(system, other, state.q, state.v)
    assert_same_places(placed(other, q), placed(system, state.q))
    energies = percuss.kinetic_energy(other, q, v), percuss.kinetic_energy(system, state.q, state.v)
    assert energies[0] == pytest.approx(energies[1], rel=1e-11)


def test_attached_and_let_go_again() -> None:
    """A hand holds a hand: both couplings stay, coordinates and rates go both ways."""
    host, guest = hand(), hand().prefixed("guest ")
    rng = np.random.default_rng(1)
    ours, theirs = random_state(rng, host), random_state(rng, guest)
    relative = percuss.relative_pose(host, ours.q, "left finger", guest, q_guest=theirs.q)
    held = attach(host, guest, "left finger", relative)
    assert len(held.joined.followers) == 2
    q = join_configuration(held, ours.q, theirs.q)
    assert q.shape == (9,)
    back = split_configuration(held, q)
    assert_same(back[0], ours.q, "the host's coordinates", 1e-12)
    assert_same(back[1][-1], theirs.q[-1], "the guest's finger", 1e-12)
    v = join_velocity(held, q, ours.v, theirs.v, check=False)
    parts = split_velocity(held, q, v)
    assert_same(parts[0], ours.v, "the host's rates", 1e-12)
    assert parts[1][-1] == theirs.v[-1]
    released = detach(held.joined, "grasp")
    assert [len(s.followers) for s in (released.host, released.guest)] == [1, 1]
    free = split_configuration(released, q)
    places = placed(released.host, free[0]) | placed(released.guest, free[1])
    assert_same_places(places, placed(held.joined, q))


@pytest.mark.parametrize("joint", ["left", "right", "wrist"])
def test_a_cut_that_parts_a_coupling_is_refused(joint: str) -> None:
    wrist = Joint("wrist", Revolute(), "palm", "tip")
    nail = Joint("nail", Mimic(Revolute(), "left", 2.0), "tip", "nail body")
    with pytest.raises(ModelError, match=f"cannot detach at '{joint}': joint '.*' follows 'left'"):
        detach(hand(wrist, nail), joint)
