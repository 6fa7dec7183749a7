"""A model that cannot be right is refused with a message that teaches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import percuss
from percuss import (
    Body,
    Fixed,
    Frame,
    Free,
    Joint,
    Limits,
    ModelError,
    Pose,
    Revolute,
    Symmetric3,
    System,
    Vector3,
)
from percuss.model import sphere
from tests.tracers import traced


def arm(**changes: Any) -> System:
    """A valid two-body system with some part replaced."""
    parts: dict[str, Any] = {
        "name": "arm",
        "bodies": [percuss.box("base", (1, 1, 1), 10.0), percuss.rod("link", 1.0, 1.0)],
        "joints": [
            Joint("base", Free(), "world", "base"),
            Joint("hinge", Revolute((0, 0, 1)), "base", "link"),  # type: ignore[arg-type]
        ],
    }
    return System(**(parts | changes))


@pytest.mark.parametrize("mass", [0.0, -1.0, math.nan, math.inf])
def test_masses_must_be_positive(mass: float) -> None:
    with pytest.raises(ModelError, match=r"body 'b': mass must be finite and > 0 kg, got"):
        Body("b", mass, inertia=(1.0, 1.0, 1.0))


def test_a_mass_of_text_names_the_field() -> None:
    with pytest.raises(ModelError, match="body 'b': mass"):
        Body("b", "heavy")  # type: ignore[arg-type]


@pytest.mark.parametrize("com", [(0, math.nan, 0), (math.inf, 0, 0)])
def test_centres_of_mass_must_be_finite(com: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match=r"body 'b': com [xy] must be a finite length in m"):
        Body("b", 1.0, com)  # type: ignore[arg-type]


def test_the_triangle_inequality_names_the_failing_moments() -> None:
    # Link 1 of a published ETS-VII model.
    with pytest.raises(ModelError, match=r"0\.25, 0\.25, 1\.69 kg m².*1\.69, exceeds.*0\.5"):
        Body("Link_1", 35.0, inertia=(0.25, 0.25, 1.69))  # type: ignore[arg-type]


def test_a_negative_principal_moment_is_named_although_the_diagonal_is_positive() -> None:
    inertia = {"xx": 1.0, "yy": 1.0, "zz": 1.0, "xy": 1.5}
    with pytest.raises(ModelError, match=r"-0\.5 is negative"):
        Body("b", 1.0, inertia=inertia)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_inertia_must_be_finite(value: float) -> None:
    with pytest.raises(ModelError, match="inertia entries must be finite"):
        Body("b", 1.0, inertia=(1.0, value, 1.0))  # type: ignore[arg-type]


def test_thin_rods_and_flat_plates_are_physical() -> None:
    assert percuss.rod("rod", 2.0, 3.0).inertia.xx == 0.0
    assert Body.planar("plate", 1.0, 0.3).inertia.zz == 0.3


def test_an_unknown_parent_lists_the_bodies() -> None:
    joints = [Joint("base", Free(), "world", "base"), Joint("hinge", Revolute(), "bsae", "link")]
    with pytest.raises(ModelError, match=r"joint 'hinge': unknown parent 'bsae'.*'base', 'link'"):
        arm(joints=joints)


def test_an_unknown_child_is_named() -> None:
    joints = [Joint("base", Free(), "world", "base"), Joint("hinge", Revolute(), "base", "lnk")]
    with pytest.raises(ModelError, match="joint 'hinge': unknown child 'lnk'"):
        arm(joints=joints)


def test_duplicate_names_are_refused() -> None:
    with pytest.raises(ModelError, match="the name 'link' stands for 2"):
        arm(frames=[Frame("link", "base")])
    twice = [Joint("j", Free(), "world", "base"), Joint("j", Revolute(), "base", "link")]
    with pytest.raises(ModelError, match="the name 'j' stands for 2 joints"):
        arm(joints=twice)


def test_cycles_are_shown() -> None:
    bodies = [percuss.rod(name, 1.0, 1.0) for name in ("a", "b", "c")]
    joints = [
        Joint("root", Free(), "world", "c"),
        Joint("ab", Revolute(), "a", "b"),
        Joint("ba", Revolute(), "b", "a"),
    ]
    with pytest.raises(ModelError, match=r"cycle: (a → b → a|b → a → b)"):
        System("loop", tuple(bodies), tuple(joints))


def test_two_joints_on_one_body_are_a_loop() -> None:
    joints = [
        Joint("base", Free(), "world", "base"),
        Joint("one", Revolute(), "base", "link"),
        Joint("two", Revolute(), "base", "link"),
    ]
    with pytest.raises(ModelError, match=r"'link' hangs from 2 joints \(one, two\)"):
        arm(joints=joints)


def test_a_body_without_a_joint_is_told_where_to_hang() -> None:
    with pytest.raises(ModelError, match="body 'link' is on no joint"):
        arm(joints=[Joint("base", Free(), "world", "base")])


def test_no_bodies_at_all() -> None:
    with pytest.raises(ModelError, match="has no bodies"):
        System("nothing", (), ())


@pytest.mark.parametrize(
    "axis",
    [
        (0, 0, 0),
        (math.nan, 0, 1),
        (math.inf, 0, 0),
        (sympy.Integer(0), 0, 0),
        (np.array([1.0, 0.0]), 0, 0),
    ],
)
def test_axes_must_have_a_direction(axis: tuple[Any, ...]) -> None:
    with pytest.raises(ModelError, match="revolute axis must be a finite vector of length > 0"):
        Revolute(axis)  # type: ignore[arg-type]


def test_axes_are_normalised() -> None:
    assert Revolute((0, 3, 4)).axis.array() == pytest.approx([0, 0.6, 0.8])  # type: ignore[arg-type]


def test_reversed_limits_show_both_ends() -> None:
    joint = Joint("hinge", Revolute(), "base", "link", limits=Limits(lower=1.0, upper=-1.0))
    with pytest.raises(ModelError, match=r"limits reversed: lower 1 must not exceed upper -1"):
        arm(joints=[Joint("base", Free(), "world", "base"), joint])


@pytest.mark.parametrize(
    ("friction", "message"),
    [
        (percuss.Friction(viscous=-1.0), "viscous friction must be finite and ≥ 0"),
        (percuss.Friction(coulomb=math.nan), "coulomb friction"),
        (percuss.Friction(coulomb=1.0, smoothing=0.0), "smoothing must be > 0"),
    ],
)
def test_friction_takes_energy(friction: percuss.Friction, message: str) -> None:
    joint = Joint("hinge", Revolute(), "base", "link", friction=friction)
    with pytest.raises(ModelError, match=message):
        arm(joints=[Joint("base", Free(), "world", "base"), joint])


def test_a_free_joint_has_no_friction() -> None:
    base = Joint("base", Free(), "world", "base", friction=percuss.Friction(viscous=1.0))
    with pytest.raises(ModelError, match="a free joint takes no friction"):
        arm(joints=[base, Joint("hinge", Revolute(), "base", "link")])


def test_placements_are_finite_rotations() -> None:
    nowhere = Joint(
        name="hinge",
        motion=Revolute(),
        parent="base",
        child="link",
        placement=Pose.at((math.nan, 0, 0)),
    )
    with pytest.raises(ModelError, match="joint 'hinge': placement: position x must be finite"):
        arm(joints=[Joint("base", Free(), "world", "base"), nowhere])
    from percuss.algebra import Rotation
    from percuss.algebra.vectors import Matrix3

    mirror = Pose(Rotation(Matrix3.of([[1, 0, 0], [0, 1, 0], [0, 0, -1]])))
    with pytest.raises(ModelError, match="not a rotation"):
        arm(frames=[Frame("f", "link", mirror)])


def test_base_modes_fit_the_base_joint() -> None:
    with pytest.raises(ModelError, match="base mode 'fixed' needs the base on a fixed joint"):
        arm(mode="fixed")
    with pytest.raises(ModelError, match="is not one of fixed, free-floating"):
        arm(mode="flying")
    fixed = [Joint("base", Fixed(), "world", "base"), Joint("hinge", Revolute(), "base", "link")]
    with pytest.raises(ModelError, match="needs the base on a planar or free joint"):
        arm(joints=fixed, mode="free-flying")


def test_planar_bodies_stay_in_the_plane() -> None:
    bodies = [Body.planar("base", 1.0, 1.0), percuss.rod("link", 1.0, 1.0)]
    with pytest.raises(ModelError, match=r"'base' has only its moment about z, but joint 'base'"):
        arm(bodies=bodies)


def test_unknown_names_suggest_the_nearest() -> None:
    system = percuss.robot("demo-7")
    with pytest.raises(ModelError, match="Did you mean 'tool'"):
        system.frame("tol")
    with pytest.raises(ModelError, match="no joint 'elbow'"):
        system.joint("elbow")
    with pytest.raises(ModelError, match=r"Did you mean 'link1\.mass'"):
        system.with_parameters({"link1.masss": 1.0})


def test_wrong_state_sizes_name_the_coordinates() -> None:
    with pytest.raises(ValueError, match=r"q must have 5 entries \(base\.x, base\.y"):
        percuss.mass_matrix(percuss.robot("thesis"), [0.0, 1.0])


@pytest.mark.parametrize("entry", [(0, 1), (0, 2), (1, 2)])
def test_an_inertia_matrix_is_symmetric(entry: tuple[int, int]) -> None:
    matrix = np.diag([1.0, 1.0, 1.0])
    matrix[entry] = 0.1
    names = "".join("xyz"[k] for k in entry)
    message = rf"body 'b': inertia must be symmetric, but {names} = 0\.1 and {names[::-1]} = 0\.0"
    for given in (matrix, matrix.tolist()):
        with pytest.raises(ModelError, match=message):
            Body("b", 1.0, inertia=given)
    matrix[entry[::-1]] = 0.1 + 1e-12
    assert Body("b", 1.0, inertia=matrix).inertia.xx == 1.0


@pytest.mark.parametrize(
    "mass",
    [sympy.Integer(-2), np.float32(-1.0), np.array([1.0, -1.0]), sympy.oo, np.array([1.0, np.nan])],
)
def test_known_masses_of_any_kind_are_checked(mass: Any) -> None:
    with pytest.raises(ModelError, match="mass must be finite and > 0 kg"):
        Body("b", mass)


def test_known_values_of_any_kind_are_accepted_where_they_are_right() -> None:
    batch = np.array([1.0, 2.0])
    assert Body("b", batch, inertia=Symmetric3(batch, batch, batch)).mass is batch
    assert Body("b", sympy.Rational(1, 3), inertia=(sympy.Integer(1),) * 3).mass == sympy.S(1) / 3


def test_known_inertias_of_any_kind_are_checked() -> None:
    with pytest.raises(ModelError, match="triangle inequality"):
        Body("b", 1.0, inertia=(sympy.Integer(1), 1.0, 3.0))
    with pytest.raises(ModelError, match="triangle inequality"):
        Body("b", 1.0, inertia=(1.0, 1.0, np.array([1.0, 3.0])))
    with pytest.raises(ModelError, match="inertia entries must be finite"):
        Body("b", 1.0, inertia=(1.0, 1.0, np.array([1.0, np.nan])))


def test_known_positions_of_any_kind_are_checked() -> None:
    nowhere = Pose(position=Vector3(np.float32(np.nan), 0.0, 0.0))
    with pytest.raises(ModelError, match="position x must be finite"):
        arm(frames=[Frame("f", "link", nowhere)])


def test_friction_and_limits_are_scalars() -> None:
    with pytest.raises(ModelError, match="friction: viscous must be a scalar, got 'a'"):
        percuss.Friction("a")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="limits: upper must be a scalar"):
        Limits(upper="far")  # type: ignore[arg-type]
    negative = percuss.Friction(np.float32(-0.5))  # type: ignore[arg-type]
    assert type(negative.viscous) is float
    joint = Joint("hinge", Revolute(), "base", "link", friction=negative)
    with pytest.raises(ModelError, match=r"viscous friction must be finite and ≥ 0, got -0\.5"):
        arm(joints=[Joint("base", Free(), "world", "base"), joint])


def test_a_joint_limited_on_one_side_is_printed_so() -> None:
    for limits, text in (
        (Limits(upper=3.0), "−∞…3 rad"),
        (Limits(lower=-0.5), "-0.5…∞ rad"),
    ):
        joint = Joint("hinge", Revolute(), "base", "link", limits=limits)
        shown = str(arm(joints=[Joint("base", Free(), "world", "base"), joint]))
        assert text in shown
        assert "inf" not in shown


def test_limits_may_be_traced() -> None:
    def speed(limit: Any) -> Any:
        limits = Limits(-limit, limit, limit, limit)  # type: ignore[arg-type]
        joint = Joint("hinge", Revolute(), "base", "link", limits=limits)
        system = arm(joints=[Joint("base", Free(), "world", "base"), joint])
        assert "hinge" in str(system)
        assert system.actuated == (False,) * 6 + (True,)
        return system.joint("hinge").limits.speed * 2.0  # type: ignore[return-value]

    for tracer, found in traced(speed, 1.5).items():
        assert float(found) == 3.0, tracer


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: percuss.rod("b", -1.0, 1.0), "length must be finite and > 0 m, got -1"),
        (lambda: percuss.disk("b", -1.0, 1.0), "radius must be finite and > 0 m, got -1"),
        (lambda: percuss.disk("b", math.inf, 1.0), "radius must be finite and > 0 m, got inf"),
        (lambda: sphere("b", 0.0, 1.0), "radius must be finite and > 0 m, got 0"),
        (lambda: percuss.box("b", (1, -1, 1), 1.0), "size y must be finite and ≥ 0 m, got -1"),
        (lambda: percuss.cylinder("b", 1.0, -1.0, 1.0), "length must be finite and ≥ 0 m, got -1"),
        (lambda: percuss.cylinder("b", sympy.Integer(-1), 1.0, 1.0), "radius must be finite"),  # type: ignore[arg-type]
        (lambda: percuss.disk("b", "1", 1.0), "radius must be a scalar, got '1'"),  # type: ignore[arg-type]
        (lambda: percuss.rod("b", 1.0, "1"), "mass must be a scalar, got '1'"),  # type: ignore[arg-type]
        (lambda: percuss.box("b", 1.0, 1.0), "size must be a sequence of 3 scalars, got 1.0"),
        (lambda: Body("b", 1.0, 1.0), "com must be two or three scalars, got 1.0"),
        (lambda: Body("b", 1.0, inertia=1.0), "inertia must be a mapping with xx, .* got 1.0"),
    ],
)
def test_shapes_say_what_they_expect(build: Callable[[], Body], message: str) -> None:
    with pytest.raises(ModelError, match=rf"body 'b': {message}"):
        build()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"motion": Revolute}, r"motion must be a joint motion such as Revolute\(\(0, 0, 1\)\)"),
        ({"motion": "revolute"}, "motion must be a joint motion"),
        ({"placement": (0, 0, 1)}, r"placement must be a Pose, got \(0, 0, 1\)"),
        ({"child_placement": None}, "child_placement must be a Pose, got None"),
        ({"limits": (-1, 1)}, "limits must be a Limits"),
        ({"friction": 0.1}, "friction must be a Friction, got 0.1"),
        ({"parent": None}, "parent must be a name, got None"),
        ({"child": Body("b", 1.0)}, "child must be a name"),
    ],
)
def test_joints_say_what_they_expect(changes: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {"motion": Revolute(), "parent": "base", "child": "link"}
    with pytest.raises(ModelError, match=f"joint 'hinge': {message}"):
        Joint("hinge", **(parts | changes))


def test_base_modes_list_what_is_allowed() -> None:
    with pytest.raises(ModelError, match=r"'floating' is not one of fixed, free-floating, att"):
        percuss.BaseMode("floating")
    with pytest.raises(ModelError, match="is not one of fixed"):
        percuss.robot("thesis").with_mode("floating")


def test_unknown_names_of_any_type_are_named() -> None:
    with pytest.raises(ModelError, match="has no frame or body None"):
        percuss.robot("thesis").frame(None)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="the library has no robot None"):
        percuss.robot(None)  # type: ignore[arg-type]


def test_of_many_names_the_nearest_are_shown() -> None:
    system = percuss.robot("demo-7")
    count = len(percuss.parameters(system))
    with pytest.raises(ModelError, match=rf"link1\.mass, .* … and {count - 3} more") as error:
        system.with_parameters({"link1.masss": 1.0})
    assert len(str(error.value)) < 200
