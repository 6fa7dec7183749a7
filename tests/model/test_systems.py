"""Base modes, actuators, parameters and builders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss import DHLink, ModelError, PlanarArm, PlanarLink, Pose
from percuss.model.library.entry import LibraryEntry
from tests.tracers import slopes


def test_actuators_follow_the_base_mode() -> None:
    thesis = percuss.robot("thesis")
    expected = {
        "free-floating": (False, False, False, True, True),
        "attitude-controlled": (False, False, True, True, True),
        "free-flying": (True,) * 5,
    }
    for mode, actuated in expected.items():
        assert thesis.with_mode(mode).actuated == actuated
    spatial = percuss.robot("demo-7").with_mode("attitude-controlled")
    assert spatial.actuated == (False,) * 3 + (True,) * 10


def test_a_base_can_be_held_and_let_go() -> None:
    floating = percuss.robot("2r-floating")
    held = floating.with_mode("fixed", Pose.planar(1.0, 2.0, 0.3))
    assert (held.rate_count, str(held.mode)) == (2, "fixed")
    q = [0.4, -0.7]
    whole = [1.0, 2.0, 0.3, *q]
    np.testing.assert_allclose(
        percuss.mass_matrix(held, q), percuss.mass_matrix(floating, whole)[3:, 3:], atol=1e-14
    )
    assert held.with_mode("free-floating").rate_count == 5
    with pytest.raises(ModelError, match="no base to set free"):
        percuss.robot("2r-fixed").with_mode("free-flying")


def test_tables_name_everything_with_units() -> None:
    text = str(percuss.robot("demo-7"))
    for word in (
        "mass kg",
        "principal moments kg m²",
        "elbow_pitch",
        "60 N m",
        "satellite",
        "tool",
    ):
        assert word in text
    m = sympy.Symbol("m")
    assert "mass not constant" in str(percuss.robot("thesis").with_parameters({"base.mass": m}))


@pytest.mark.parametrize("entry", percuss.robots(), ids=lambda entry: entry.name)
def test_every_robot_of_the_library_moves_and_conserves(entry: LibraryEntry) -> None:
    system = percuss.robot(entry.name)
    assert system.name == entry.name
    assert system.source
    q, v = percuss.neutral(system), np.linspace(0.1, 0.4, system.rate_count)
    matrix = percuss.mass_matrix(system, q)
    assert np.linalg.eigvalsh(matrix).min() > 0
    acceleration = percuss.forward_dynamics(system, q, v)
    residual = matrix @ acceleration + percuss.bias_forces(system, q, v)
    assert np.abs(residual).max() < 1e-9 * np.abs(matrix).max()


def test_library_numbers_are_those_of_the_sources() -> None:
    percussion = percuss.robot("percussion")
    assert percuss.total_mass(percussion) == 350.0
    assert percussion.joint("joint1").placement.position.array() == pytest.approx([0.5, 0.5, 0])
    assert percussion.node("link1").body.inertia.zz == 3.33
    two = percuss.robot("2r-fixed")
    assert [float(b.com.x) for b in two.bodies] == [0.773, 0.583]  # type: ignore[arg-type]
    assert percuss.total_mass(percuss.robot("thesis")) == 120.0


def test_several_arms_keep_their_names_apart() -> None:
    system = percuss.robot("two-arms")
    tools = [
        percuss.frame_pose(system, percuss.neutral(system), f"{s}_tool") for s in ("left", "right")
    ]
    np.testing.assert_allclose(tools[0].position.array(), [0, 0.9704, 0], atol=1e-15)
    np.testing.assert_allclose(tools[1].position.array(), [0, -0.9704, 0], atol=1e-15)


def test_empty_arms_and_odd_links_are_refused() -> None:
    with pytest.raises(ModelError, match="is empty; give at least one link"):
        percuss.planar_arm([])
    with pytest.raises(ModelError, match="is empty"):
        percuss.dh_arm([])
    with pytest.raises(ModelError, match=r"length must be finite and > 0 m, got -1"):
        PlanarLink(-1.0, 1.0)
    with pytest.raises(ModelError, match="revolute or prismatic, got 'ball'"):
        PlanarLink(1.0, 1.0, joint="ball")
    with pytest.raises(ModelError, match="needs a base body"):
        percuss.planar_arm([PlanarLink(1.0, 1.0)], mode="free-floating")
    with pytest.raises(ModelError, match="mount must be a point"):
        percuss.planar_robot({"a": PlanarArm([PlanarLink(1.0, 1.0)], (1.0, 2.0, 3.0))})
    with pytest.raises(ModelError, match="'standard' or 'modified'"):
        percuss.dh_arm([DHLink(a=1, alpha=0, d=0, theta=0, mass=1.0)], convention="craig")


def test_planar_arms_can_slide() -> None:
    links = [PlanarLink(1.0, 1.0), PlanarLink(0.5, 2.0, joint="prismatic", com=0.1, inertia=0.2)]
    system = percuss.planar_arm(links)
    tool = percuss.frame_pose(system, [np.pi / 2, 0.3], "tool")
    np.testing.assert_allclose(tool.position.array(), [0, 1.8, 0], atol=1e-15)
    # m2 and m1 l²/3 + I2 + m2 (1 + 0.3 + 0.1)² by hand.
    np.testing.assert_allclose(
        percuss.mass_matrix(system, [0.2, 0.3]),
        np.diag([1 / 3 + 0.2 + 2 * 1.4**2, 2.0]),
        atol=1e-14,
    )


rows = st.lists(
    st.tuples(*[st.floats(-2, 2)] * 4, st.sampled_from(["revolute", "prismatic"])),
    min_size=1,
    max_size=7,
)


@given(rows, st.integers(0, 2**32 - 1))
def test_dh_tables_give_the_textbook_chain(table: list[tuple], seed: int) -> None:  # type: ignore[type-arg]
    variables = np.random.default_rng(seed).uniform(-2, 2, len(table))

    def rotation(axis: str, angle: float) -> np.ndarray:
        return Pose.at(rpy=[angle if a == axis else 0.0 for a in "xyz"]).matrix()

    def shift(axis: str, length: float) -> np.ndarray:
        return Pose.at([length if a == axis else 0.0 for a in "xyz"]).matrix()

    links = [
        DHLink(a=a, alpha=alpha, d=d, theta=theta, mass=1.0, joint=kind)
        for a, alpha, d, theta, kind in table
    ]
    for convention in ("standard", "modified"):
        system = percuss.dh_arm(links, convention=convention)
        expected = np.eye(4)
        for (a, alpha, d, theta, kind), q in zip(table, variables, strict=True):
            turn, slide = (theta + q, d) if kind == "revolute" else (theta, d + q)
            about_z = rotation("z", turn) @ shift("z", slide)
            about_x = shift("x", a) @ rotation("x", alpha)
            step = about_z @ about_x if convention == "standard" else about_x @ about_z
            expected = expected @ step
        found = percuss.frame_pose(system, variables, "tool").matrix()
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_dh_bodies_carry_their_inertia_in_the_dh_frame() -> None:
    """A one-link standard DH arm: CoM given in the distal frame, 0.4 m short of the tip."""
    link = DHLink(1.0, 0.0, 0.0, 0.0, mass=2.0, com=(-0.4, 0, 0), inertia=(0.0, 0.1, 0.1))
    system = percuss.dh_arm([link])
    assert percuss.mass_matrix(system, [0.7])[0, 0] == pytest.approx(2.0 * 0.6**2 + 0.1)


def test_dh_arms_ride_on_a_free_base() -> None:
    base = percuss.box("base", (1, 1, 1), 50.0)
    link = DHLink(0.5, 0.0, 0.1, 0.0, mass=1.0, inertia=(0.01, 0.01, 0.01))
    system = percuss.dh_arm([link, link], base=base, mount=Pose.at((0, 0, 0.5)))
    assert (system.rate_count, str(system.mode)) == (8, "free-floating")


def test_parameters_take_any_scalar_without_rebuilding() -> None:
    thesis = percuss.robot("thesis")
    q = [0.1, 0.2, 0.3, 0.4, 0.5]
    mass = sympy.Symbol("m", positive=True)
    symbolic = percuss.mass_matrix(thesis.with_parameters({"link2.mass": mass}), q)
    numeric = percuss.mass_matrix(thesis.with_parameters({"link2.mass": 7.5}), q)
    np.testing.assert_allclose(np.array(symbolic.subs(mass, 7.5), dtype=float), numeric, rtol=1e-14)

    def entry(m: Any) -> Any:
        return percuss.mass_matrix(thesis.with_parameters({"link2.mass": m}), q)[0, 0]

    for way, slope in slopes(entry, 10.0).items():
        assert slope == pytest.approx(1.0), way


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base.com.x", 0.2),
        ("base.inertia.zz", 45.0),
        ("joint1.placement.y", 0.3),
        ("joint2.placement.yaw", 0.4),
        ("tool.placement.x", 2.5),
        ("joint1.friction.viscous", 0.7),
        ("gravity.y", -9.81),
    ],
)
def test_every_kind_of_parameter_is_found_and_set(name: str, value: float) -> None:
    changed = percuss.robot("thesis").with_parameters({name: value})
    assert percuss.parameters(changed)[name] == pytest.approx(value)
    others = set(percuss.parameters(changed)) - {name}
    before = percuss.parameters(percuss.robot("thesis"))
    assert all(percuss.parameters(changed)[k] == before[k] for k in others)


def test_numbers_given_as_parameters_are_validated() -> None:
    with pytest.raises(ModelError, match="mass must be finite and > 0"):
        percuss.robot("thesis").with_parameters({"base.mass": -1.0})


def test_passive_joints_are_not_actuated() -> None:
    passive = percuss.Limits(effort=0.0)
    arm = percuss.planar_arm([PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0, limits=passive)])
    assert arm.actuated == (True, False)
    base, target = percuss.disk("base", 1.0, 1.0), percuss.disk("target", 1.0, 1.0)
    joints = [
        percuss.Joint("base", percuss.Planar(), "world", "base"),
        percuss.Joint("target", percuss.Planar(), "world", "target"),
    ]
    both = percuss.System("both", (base, target), tuple(joints), mode="free-flying")  # type: ignore[arg-type]
    assert both.actuated == (True,) * 3 + (False,) * 3


@pytest.mark.parametrize("motion", [percuss.Revolute, percuss.Prismatic])
def test_axes_and_smoothing_are_parameters(motion: type[percuss.Revolute]) -> None:
    joint = percuss.Joint("joint", motion((0, 0, 1)), "world", "body")  # type: ignore[arg-type]
    system = percuss.System("one", (percuss.box("body", (1, 1, 1), 1.0),), (joint,))
    changed = system.with_parameters(
        {"joint.axis.y": 3.0, "joint.axis.z": 4.0, "joint.friction.smoothing": 0.02}
    )
    new = changed.joint("joint")
    assert isinstance(new.motion, motion)
    assert new.motion.axis.array() == pytest.approx([0.0, 0.6, 0.8])
    assert new.friction.smoothing == 0.02
    assert percuss.parameters(changed)["joint.axis.z"] == pytest.approx(0.8)


def test_only_what_can_be_set_is_a_parameter() -> None:
    percussion = percuss.robot("percussion")
    names = percuss.parameters(percussion)
    assert "base.inertia.zz" in names
    assert "base.inertia.xx" not in names
    assert "base.friction.viscous" not in names
    assert "base.axis.x" not in names
    held = percuss.parameters(percussion.with_mode("fixed"))
    assert "base.friction.viscous" not in held
    for name, value in (names | {"joint1.friction.viscous": 0.3}).items():
        changed = percussion.with_parameters({name: value})
        assert percuss.parameters(changed)[name] == pytest.approx(value)


def test_tables_show_rare_columns_only_when_needed() -> None:
    plain = str(percuss.robot("demo-7"))
    assert "child placed" not in plain
    assert "friction" not in plain
    rubbing = percuss.Friction(viscous=0.5, coulomb=0.25)
    link = DHLink(a=1.0, alpha=0.0, d=0.0, theta=0.0, mass=1.0, friction=rubbing)
    text = str(percuss.dh_arm([link]))
    assert "1 degree of freedom," in text
    for words in ("child placed at m", "viscous 0.5 N m s/rad, dry 0.25 N m above 0.001 rad/s"):
        assert words in text


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: percuss.planar_arm([(1, 1)]), r"link 1 must be a PlanarLink, got \(1, 1\)"),  # type: ignore[list-item]
        (lambda: percuss.planar_arm(PlanarLink(1, 1)), "links must be a list of PlanarLink"),  # type: ignore[arg-type]
        (lambda: percuss.planar_robot({"a": PlanarLink(1, 1)}), "must be a PlanarArm"),  # type: ignore[dict-item]
        (lambda: PlanarLink(1, "1"), "planar link: mass must be a scalar, got '1'"),  # type: ignore[arg-type]
        (lambda: percuss.dh_arm([(1, 0, 0, 0)]), "link 1 must be a DHLink"),  # type: ignore[list-item]
        (
            lambda: DHLink(a=1, alpha=0, d=None, theta=0, mass=1),  # type: ignore[arg-type]
            "DH link: d must be a scalar, got None",
        ),
    ],
)
def test_builders_say_what_they_expect(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build()


def test_points_can_have_names() -> None:
    left = percuss.Frame.point("link1", (0.1, 0.2), "left")
    right = percuss.Frame.point("link1", (0.1, -0.2, 0.0), name="right")
    system = percuss.robot("thesis").with_frames(left, right)
    assert system.frame("left").placement.position.array() == pytest.approx([0.1, 0.2, 0.0])
    assert percuss.Frame.point("link1", (0, 0)).name == "point on link1"


def test_gravity_of_a_plane_needs_two_entries() -> None:
    for system in (
        percuss.planar_arm([PlanarLink(1.0, 1.0)], gravity=(0.0, -9.81)),
        percuss.robot("thesis").with_gravity([0.0, -9.81]),
    ):
        assert system.gravity.array() == pytest.approx([0.0, -9.81, 0.0])


def test_a_frame_with_the_name_of_a_joint_has_parameters_of_its_own() -> None:
    """Links and joints of a file are named apart; an empty link becomes a frame."""
    arm = percuss.robot("2r-floating")
    joint = arm.joint("joint2")
    named = arm.with_frames(percuss.Frame(joint.name, "link2", Pose.at((0.1, 0.2, 0.0))))
    known = percuss.parameters(named)
    assert known[f"{joint.name}.frame.placement.x"] == 0.1
    assert known[f"{joint.name}.placement.x"] == joint.placement.position.x
    moved = named.with_parameters({f"{joint.name}.frame.placement.x": 0.7})
    assert moved.frame(joint.name).placement.position.x == 0.7
    assert moved.joint(joint.name).placement.position.x == joint.placement.position.x
    set_back = named.with_parameters({f"{joint.name}.placement.x": 0.3})
    assert set_back.frame(joint.name).placement.position.x == 0.1
    assert set_back.joint(joint.name).placement.position.x == 0.3
