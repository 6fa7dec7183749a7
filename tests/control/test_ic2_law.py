"""The law around impact compensation: when it acts, what it feels, what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import Force, Frame, ModelError, Pose, System, Vector3, forward_dynamics, robot
from percuss.control import (
    ControlLaw,
    TreePlant,
    computed_torque,
    hold,
    sampled,
    saturated,
    user_law,
)
from percuss.control.ic2 import ic2
from percuss.control.ic2_advice import ic2_advice, impact_place
from percuss.control.ic2_compensation import compensation
from percuss.control.ic2_sensing import force_delayed, rate_limited
from percuss.control.joint_friction_models import DryFriction, LuGre
from percuss.control.laws import Felt, no_control, restricted
from percuss.dynamics import joint_friction
from percuss.kernel import fingerprint
from percuss.model import Body, Fixed, Friction, Joint, PlanarLink, planar_arm
from tests.tracers import traced

Array = NDArray[np.float64]

ROBOT = robot("percussion").with_mode("free-flying")
PLANT = TreePlant(ROBOT)
NORMAL = np.array([0.0, 0.0, 0.0, -math.pi / 2, math.pi / 2])
REST = np.zeros(5)
PUSH = Vector3(0.0, -100.0, 0.0)
MOVING = np.array([0.1, -0.2, 0.3, -0.4, 0.5])
TRACKING = computed_torque(PLANT, hold(PLANT, NORMAL + 0.1), 4.0, 4.0)
FREE = no_control(PLANT)


def command(law: ControlLaw, felt: Felt, q: Any = NORMAL, v: Any = MOVING) -> Array:
    return np.asarray(law.command(0.0, q, v, law.memory, felt)[0], float)


# --- when it acts -------------------------------------------------------------------------------


def test_the_normal_law_drives_while_nothing_is_felt() -> None:
    law = ic2(PLANT, "tool", TRACKING)
    normal, _ = TRACKING.command(0.0, NORMAL, MOVING, None)
    nothing = Vector3.zero()
    for felt in (Felt(nothing), Felt(nothing, touching=False), Felt(PUSH, touching=False)):
        np.testing.assert_array_equal(command(law, felt), normal)
    pushed = command(law, Felt(PUSH))
    own = np.array(compensation(PLANT, "tool").torques(NORMAL, MOVING, PUSH), float)
    np.testing.assert_array_equal(pushed, own)
    assert np.abs(pushed - normal).max() > 1.0


def test_a_threshold_keeps_it_from_small_forces() -> None:
    law = ic2(PLANT, "tool", FREE, threshold=50.0)
    for size, acts in ((49.9, False), (50.1, True)):
        for touching in (None, True):
            felt = Felt(Vector3(0.0, -size, 0.0), touching)
            assert bool(command(law, felt, v=REST).any()) is acts, f"{size} N"


def test_combinators_pass_on_what_is_felt() -> None:
    law = ic2(PLANT, "tool", FREE)
    felt = Felt(PUSH)
    limited = saturated(law, [math.inf, math.inf, 10.0, 20.0, 30.0])
    np.testing.assert_allclose(command(limited, felt, v=REST), [0, 0, 10, 20, 28.333333], atol=1e-6)
    floating = TreePlant(ROBOT.with_mode("free-floating"))
    kept = restricted(law, floating)
    np.testing.assert_allclose(
        command(kept, felt, v=REST)[2:], [0, 28.333333, 28.333333], atol=1e-6
    )
    slow = sampled(kept, 0.01)
    assert slow.feels
    assert slow.period == 0.01
    assert command(slow, felt).shape == (5,)


def test_a_law_over_a_law_that_feels() -> None:
    heard: list[Any] = []

    def listening(t: Any, q: Any, v: Any, memory: Any, force: Any) -> tuple[Any, Any]:
        del t, q, v
        heard.append(force)
        return np.zeros(5), memory

    law = ic2(PLANT, "tool", user_law(listening, feels=True))
    command(law, Felt(PUSH))
    np.testing.assert_array_equal(heard[0], [0.0, -100.0, 0.0])


def test_other_arms_go_on_under_the_normal_law() -> None:
    system = robot("two-arms").with_mode("free-flying")
    plant = TreePlant(system)
    q, v = np.linspace(-0.5, 0.9, 7), np.zeros(7)
    normal = computed_torque(plant, hold(plant, np.zeros(7)), 4.0, 4.0)
    law = ic2(plant, system.frames[0].name, normal)
    chain = compensation(plant, system.frames[0].name).chain
    on_way = [axis.rate for axis in chain.axes]
    off = [k for k in range(3, 7) if k not in on_way]
    assert len(off) == 2
    found, usual = command(law, Felt(PUSH), q, v), normal.command(0.0, q, v, None)[0]
    np.testing.assert_array_equal(found[off], np.asarray(usual)[off])
    np.testing.assert_array_equal(found[:2], 0.0, "thrusters are silent")
    a = forward_dynamics(system, q, v, found, wrenches=[(system.frames[0], _force(PUSH))])
    again = compensation(plant, system.frames[0].name)
    chosen = np.array(again.torques(q, v, PUSH, tuple(np.asarray(usual, float))), float)
    np.testing.assert_allclose(found, chosen, atol=1e-12)
    assert np.isfinite(a).all()


def _force(push: Vector3) -> Any:
    return Force(push, Vector3.zero())


def test_believing_the_wrong_point_changes_the_torques_by_the_offset() -> None:
    for rule in ("acceleration", "force"):
        law = ic2(PLANT, "tool", FREE, offset=(-0.1, 0.0), rule=rule)
        np.testing.assert_allclose(command(law, Felt(PUSH), v=REST)[2:], 18.333333, atol=1e-6)


# --- scalars ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["acceleration", "force"])
def test_any_scalar_gives_the_same_torques(rule: str) -> None:
    law = ic2(PLANT, "tool", TRACKING, rule=rule, threshold=1.0)
    rng = np.random.default_rng(3)
    q, v = NORMAL + 0.3 * rng.normal(size=5), rng.normal(size=5)
    force = np.array([30.0, -80.0, 0.0])

    def along(q: Any, v: Any, force: Any) -> Any:
        return law.command(0.0, q, v, None, Felt(Vector3(*force)))[0]

    exact = np.asarray(along(q, v, force.tolist()), float)
    for found in traced(along, q, v, force).values():
        np.testing.assert_allclose(found, exact, rtol=1e-10, atol=1e-10)
    for still in traced(along, q, v, np.zeros(3)).values():
        np.testing.assert_allclose(still, TRACKING.command(0.0, q, v, None)[0], atol=1e-10)
    batch = np.asarray(along(*(np.stack([x, x], -1) for x in (q, v, force))), float)
    np.testing.assert_allclose(batch, np.stack([exact, exact], -1), rtol=1e-10, atol=1e-10)


def test_closed_form_of_one_link_on_the_ground() -> None:
    """A link on a fixed axis: n = -r F exactly, whatever its symbols stand for."""
    m, c, inertia, length, push = sympy.symbols("m c I l F", positive=True)
    arm = planar_arm([PlanarLink(length, m, com=c, inertia=inertia)])
    torque = compensation(TreePlant(arm), "tool").torques([0.0], [0.0], Vector3(0.0, push, 0.0))
    cop = c + inertia / (m * c)
    assert sympy.simplify(torque[0] - (-(length - cop) * push)) == 0


def test_fingerprints_tell_laws_apart() -> None:
    options: list[dict[str, Any]] = [
        {},
        {"rule": "force"},
        {"base_torque": False},
        {"threshold": 1.0},
        {"friction": "none"},
        {"friction": DryFriction(1.0)},
        {"offset": (0.1, 0.0)},
        {"period": 0.01},
    ]
    keys = [fingerprint(ic2(PLANT, "tool", TRACKING, **given)) for given in options]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert keys == [fingerprint(ic2(PLANT, "tool", TRACKING, **given)) for given in options]
    law = ic2(PLANT, "tool", TRACKING, period=0.01)
    assert fingerprint(force_delayed(law, 0.02)) != fingerprint(force_delayed(law, 0.03))
    assert fingerprint(rate_limited(law, 5.0, 5)) != fingerprint(rate_limited(law, 6.0, 5))
    own = user_law(lambda _t, _q, v, memory: (-v, memory))
    assert fingerprint(ic2(PLANT, "tool", own)) is None


# --- friction -----------------------------------------------------------------------------------


def rubbing(viscous: float, coulomb: float) -> System:
    rub = Friction(viscous, coulomb, 0.01)
    joints = [
        joint if joint is ROBOT.base_joint else replace(joint, friction=rub)
        for joint in ROBOT.joints
    ]
    return replace(ROBOT, joints=tuple(joints))


@given(st.floats(0, 20), st.floats(0, 20), st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_ideal_compensation_makes_friction_vanish(
    viscous: float, coulomb: float, seed: int
) -> None:
    system = rubbing(viscous, coulomb)
    rng = np.random.default_rng(seed)
    v = rng.normal(size=5)
    smooth = np.array(compensation(PLANT, "tool").torques(NORMAL, v, PUSH), float)
    rough = np.array(compensation(TreePlant(system), "tool").torques(NORMAL, v, PUSH), float)
    np.testing.assert_allclose(rough, smooth - np.asarray(joint_friction(system, v)), atol=1e-8)
    loads = [("tool", _force(PUSH))]
    a = forward_dynamics(ROBOT, NORMAL, v, smooth, wrenches=loads)
    b = forward_dynamics(system, NORMAL, v, rough, wrenches=loads)
    np.testing.assert_allclose(a, b, atol=1e-8)
    model = DryFriction(viscous, coulomb, 0.01)
    same = compensation(TreePlant(system), "tool", friction=model).torques(NORMAL, v, PUSH)
    np.testing.assert_allclose(np.array(same, float), rough, atol=1e-8)


def test_without_compensation_friction_spoils_it() -> None:
    plant = TreePlant(rubbing(5.0, 2.0))
    torques = [
        np.array(compensation(plant, "tool", friction=f).torques(NORMAL, MOVING, PUSH), float)
        for f in ("ideal", "none")
    ]
    assert np.abs(torques[0] - torques[1]).max() > 1.0


LUGRE = LuGre(stiffness=1e4, coulomb=2.0, static=3.0, stribeck=0.05, damping=10.0, viscous=0.4)


@given(st.floats(-3, 3).filter(lambda w: abs(w) > 1e-3))
def test_lugre_slides_on_the_stribeck_curve(rate: float) -> None:
    """At a constant rate the bristles settle, and the friction is level · sign + viscous · rate."""
    z = 0.0
    for _ in range(4000):
        z = float(LUGRE.deflected(rate, z, 1e-2 * 3e-4 / abs(rate)))  # type: ignore[arg-type]
    level = 2.0 + math.exp(-((rate / 0.05) ** 2))
    expected = -math.copysign(level, rate) - 0.4 * rate
    assert float(LUGRE.torque(rate, z)) == pytest.approx(expected, rel=1e-6)  # type: ignore[arg-type]


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40), st.sampled_from([1e-5, 1e-3, 1.0]))
def test_bristles_never_bend_further_than_static_friction_allows(
    rates: list[float], period: float
) -> None:
    z = 0.0
    for rate in rates:
        z = float(LUGRE.deflected(rate, z, period))  # type: ignore[arg-type]
        assert abs(z) <= 3.0 / 1e4 * (1 + 1e-12)


def test_lugre_is_a_spring_before_it_slides() -> None:
    z = float(LUGRE.deflected(1e-6, 0.0, 1.0))  # type: ignore[arg-type]
    assert z == pytest.approx(1e-6, rel=1e-2)
    assert float(LUGRE.torque(0.0, 1e-6)) == pytest.approx(-1e-2)  # type: ignore[arg-type]


def test_bristles_are_the_laws_memory() -> None:
    law = ic2(PLANT, "tool", FREE, friction=LUGRE, period=1e-3)
    u, memory = law.command(0.0, NORMAL, MOVING, law.memory, Felt(PUSH))
    for _ in range(200):
        u, memory = law.command(0.0, NORMAL, MOVING, memory, Felt(PUSH))
    sliding = DryFriction(viscous=0.4, coulomb=2.0, smoothing=1e-9)
    expected = command(ic2(PLANT, "tool", FREE, friction=sliding), Felt(PUSH))
    np.testing.assert_allclose(u, expected, rtol=1e-3)
    _, unchanged = law.command(0.0, NORMAL, REST, memory, Felt(Vector3.zero()))
    np.testing.assert_array_equal(unchanged[1], memory[1])


# --- sensors and drives -------------------------------------------------------------------------


def test_a_delayed_force_is_felt_later_and_longer() -> None:
    law = force_delayed(ic2(PLANT, "tool", FREE, period=1e-3), 3e-3)
    memory, seen = law.memory, []
    for k in range(10):
        force = PUSH if 2 <= k < 5 else Vector3.zero()
        u, memory = law.command(1e-3 * k, NORMAL, REST, memory, Felt(force))
        seen.append(bool(np.abs(u).max() > 1.0))
    assert seen == [5 <= k < 8 for k in range(10)]


def test_torques_rise_at_their_rate() -> None:
    limits = [math.inf, math.inf, 1000.0, 5000.0, math.inf]
    law = rate_limited(ic2(PLANT, "tool", FREE, period=1e-3), limits, 5)
    memory, seen = law.memory, []
    for _ in range(3):
        u, memory = law.command(0.0, NORMAL, REST, memory, Felt(PUSH))
        seen.append(np.asarray(u)[2:])
    np.testing.assert_allclose(seen, [[k, 5 * k, 28.333333] for k in (1, 2, 3)], atol=1e-6)
    u, memory = law.command(0.0, NORMAL, REST, memory, Felt(Vector3.zero()))
    np.testing.assert_allclose(np.asarray(u)[2:], [2.0, 10.0, 0.0], atol=1e-9)


# --- advice -------------------------------------------------------------------------------------


def place(at: float, force: Any) -> Any:
    return impact_place(PLANT, Frame.point("link2", (at, 0.0, 0.0)), NORMAL, force)


def test_where_an_impact_is() -> None:
    tip = place(1.0, [0.0, -100.0, 0.0])
    assert (tip.link, tip.joint) == ("link2", "joint2")
    assert tip.center == pytest.approx(0.71666667)
    assert tip.coefficient == pytest.approx(1.3953488)
    assert tip.along == pytest.approx(0.0, abs=1e-12)
    assert place(1.0, [-1.0, -1.0, 0.0]).along == pytest.approx(math.sqrt(0.5))


def test_it_is_said_when_it_does_not_help() -> None:
    felt, free = {"joint1": 0.5, "joint2": 4.0}, {"joint1": 2.0, "joint2": 3.0}
    said = " ".join(ic2_advice(place(0.72, [-50.0, -100.0, 0.0]), felt, free, base_torque=False))
    assert "44.7 % of the force acts along the line from joint2" in said
    assert "3.33 mm from the centre of percussion of link2" in said
    assert "rule force leaves such an impact alone" in said
    assert "joint2 (4 N instead of 3 N)" in said
    assert "The base does not get the torque of the first joint" in said
    near = ic2_advice(place(0.1, [0.0, -1.0, 0.0]), felt, felt, torques=(101.0, 61.0))
    assert "up to 101 N m where the force alone would ask for 61 N m" in near[0]
    assert ic2_advice(place(1.0, [0.0, -1.0, 0.0]), {"joint1": 1.0}, {"joint1": 2.0}) == ()


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "torque"}, "rule must be one of"),
        ({"threshold": -1.0}, "threshold must be finite and ≥ 0 N, got -1"),
        ({"threshold": math.nan}, "threshold must be finite"),
        ({"friction": "some"}, "friction must be one of"),
        ({"friction": {"joint9": DryFriction(1.0)}}, "joint9"),
        ({"friction": LUGRE}, "give a period in s"),
        ({"offset": (0.1,)}, "offset must be two or three lengths in m"),
        ({"offset": (0.1, math.nan)}, "offset must be two or three lengths in m"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ic2(PLANT, "tool", FREE, **options)


def test_systems_that_cannot_are_refused() -> None:
    base = Body.planar("base", 100.0, 10.0)
    slides = planar_arm([PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0, joint="prismatic")], base=base)
    with pytest.raises(
        ModelError, match="joint 'joint2' between the base and 'link2' is prismatic"
    ):
        ic2(TreePlant(slides), "tool", FREE)
    with pytest.raises(ModelError, match="there is none before 'base'"):
        ic2(PLANT, "base", FREE)
    wheel = planar_arm(
        [PlanarLink(1.0, 1.0), PlanarLink(1.0, 1.0, com=0.0, inertia=1.0)], base=base
    )
    with pytest.raises(ModelError, match="'link2' has its centre of mass on joint 'joint2'"):
        ic2(TreePlant(wheel), "tool", FREE)
    with pytest.raises(ModelError, match="not a body of the chaser"):
        ic2(TreePlant(ROBOT, 4), "tool", FREE)
    with pytest.raises(ModelError, match="needs a TreePlant"):
        ic2(object(), "tool", FREE)  # type: ignore[arg-type]


def test_what_looks_back_must_be_sampled() -> None:
    law = ic2(PLANT, "tool", FREE)
    with pytest.raises(ModelError, match="give it a period"):
        force_delayed(law, 1e-3)
    with pytest.raises(ModelError, match="give it a period"):
        rate_limited(law, 1.0, 5)
    fast = ic2(PLANT, "tool", FREE, period=1e-3)
    for delay in (0.0, -1.0, math.inf, 1.5e-3):
        with pytest.raises(ModelError, match="delay must be"):
            force_delayed(fast, delay)
    with pytest.raises(ModelError, match="for a law that feels"):
        force_delayed(sampled(FREE, 1e-3), 1e-3)
    with pytest.raises(ModelError, match=r"rates: entry 0 must be > 0"):
        rate_limited(fast, 0.0, 5)
    with pytest.raises(ModelError, match="sampled every"):
        ic2(PLANT, "tool", sampled(TRACKING, 2e-3), period=1e-3)
    with pytest.raises(ModelError, match="LuGre: stiffness must be finite and > 0"):
        LuGre(stiffness=0.0, coulomb=1.0, static=1.0)
    with pytest.raises(ModelError, match="DryFriction: viscous must be finite and ≥ 0"):
        DryFriction(viscous=-1.0)


def test_bodies_on_fixed_joints_belong_to_their_link() -> None:
    """The tip cut off and fixed on again changes nothing."""
    tip = Body.planar("tip", 5.0, 0.25, (0.1, 0.0))
    bare = planar_arm(
        [PlanarLink(1.0, 30.0, com=0.3, inertia=3.33), PlanarLink(1.0, 15.0, com=0.2, inertia=1.0)],
        base=Body.planar("base", 300.0, 50.0),
        mount=(0.5, 0.5),
    ).with_mode("free-flying")
    glued = replace(
        bare,
        bodies=(*bare.bodies, tip),
        joints=(
            *bare.joints,
            Joint(
                name="glue",
                motion=Fixed(),
                parent="link2",
                child="tip",
                placement=Pose.at((0.5, 0.0)),
            ),
        ),
    )
    whole = bare.bodies[2].spatial_inertia + Pose.at((0.5, 0.0)).act(tip.spatial_inertia)
    one = replace(
        bare.bodies[2],
        mass=whole.mass,
        com=whole.center_of_mass,
        inertia=whole.central_inertia,
    )
    merged = replace(bare, bodies=(*bare.bodies[:2], one))
    found = [
        np.array(compensation(TreePlant(system), at).torques(NORMAL, MOVING, PUSH), float)
        for system, at in (
            (glued, Frame.point("tip", (0.5, 0.0, 0.0))),
            (merged, Frame.point("link2", (1.0, 0.0, 0.0))),
        )
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)
