"""Wheels: they fill up to their capacity and no further, and thrusters empty them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from percuss.algebra import Pose
from percuss.control import TreePlant, detumble, user_law, wheel_limited
from percuss.control.laws import no_control
from percuss.control.wheels import LAYER, dump_torques, joints_kept, wheel_rates
from percuss.dynamics import momentum
from percuss.model import WORLD, Free, Joint, ModelError, Planar, System, disk
from tests.control.closed_loop import small_robot
from tests.control.wheel_loop import WheelMotion, captured_plant, wheel_motion
from tests.strategies import Array, random_body, random_pose
from tests.tracers import slopes, traced

SEEDS = st.integers(0, 2**32 - 1)


def lone_disk() -> TreePlant:
    """8 kg, 1 m: 4 kg m² about its normal."""
    body = disk("base", 1.0, 8.0)
    joint = Joint("base", Planar(), WORLD, "base")
    return TreePlant(
        System(name="disk", bodies=(body,), joints=(joint,), frames=(), mode="attitude-controlled")  # type: ignore[arg-type]
    )


def turned_base(rng: np.random.Generator) -> TreePlant:
    """A body in space whose rates are along axes turned in the world."""
    body = random_body(rng, "base")
    joint = Joint(
        name="base",
        motion=Free(),
        parent=WORLD,
        child="base",
        placement=Pose(random_pose(rng).rotation),
    )
    return TreePlant(
        System(
            name="turned",
            bodies=(body,),
            joints=(joint,),
            frames=(),
            mode="attitude-controlled",  # type: ignore[arg-type]
        )
    )


def fading(h: float, capacity: float) -> float:
    """σ as it is documented."""
    x = (capacity**2 - h**2) / (capacity**2 - (0.98 * capacity) ** 2)
    x = min(1.0, max(0.0, x))
    return x**2 * (3 - 2 * x)


def whole(plant: TreePlant, found: WheelMotion) -> tuple[Array, Array]:
    """Momentum of the tree at each time: linear, angular about the world's origin."""
    total = momentum(plant.system, found.q.T, found.v.T)
    count = len(found.q)
    rows = [
        np.stack([np.broadcast_to(np.asarray(x, float), count) for x in part], -1)
        for part in (total.linear, total.angular)
    ]
    return rows[0], rows[1]


# --- saturation -----------------------------------------------------------------------------------


def test_a_single_wheel_fills_up() -> None:
    """A disk turned by a constant torque: ω = u t / I until the last 2 %, then no more than C/I."""
    plant = lone_disk()
    law = user_law(lambda t, q, v, m: (np.array([0.0, 0.0, -0.5]), m))  # noqa: ARG005
    times = np.linspace(0.0, 40.0, 401)
    found = wheel_motion(plant, law, np.zeros(3), np.zeros(3), times, capacity=10.0)
    # Where the layer begins, a value is read off a step that may lead into it.
    free = times < 0.98 * 10.0 / 0.5
    assert np.abs(found.v[free, 2] + 0.5 * times[free] / 4.0).max() < 1e-11
    assert np.abs(found.h[:, 0] + 4.0 * found.v[:, 2]).max() < 1e-11, "h + I ω is conserved"
    assert np.all(found.h[:, 0] <= 10.0), "the wheel holds more than it can"
    # Inside the layer dh/dt = 0.5 σ(h), so the time it takes is an integral.
    taken, _ = quad(lambda h: 1 / (0.5 * fading(h, 10.0)), 9.8, float(found.h[-1, 0]))
    assert taken == pytest.approx(40.0 - 19.6, rel=1e-7)
    assert np.all(np.diff(found.h[:, 0]) > 0), "it never stops filling, only ever slower"


def test_the_layer_is_what_is_written() -> None:
    """σ = x² (3 - 2x) with x = (C² - h²) / (C² - (0.98 C)²), against the torque that is left."""
    plant = lone_disk()
    assert LAYER == 0.02
    for h in (0.0, 9.7, 9.8, 9.81, 9.9, 9.99, 10.0, 11.0):
        left = wheel_limited(plant, [1.0, 2.0, -3.0], [h], 10.0)
        assert np.abs(left - [1.0, 2.0, -3.0 * fading(h, 10.0)]).max() < 1e-13
        assert np.array_equal(wheel_limited(plant, [1.0, 2.0, 3.0], [h], 10.0), [1.0, 2.0, 3.0])


def test_detumbling_a_disk_until_the_wheel_is_full() -> None:
    """I ω₀ = 8 N m s, a wheel for 5: ω = ω₀ exp(-t/T) until 4.9, and 3 N m s stay in the disk."""
    plant = lone_disk()
    times = np.linspace(0.0, 60.0, 601)
    v = np.array([0.0, 0.0, 2.0])
    found = wheel_motion(plant, detumble(plant, 4.0), np.zeros(3), v, times, capacity=5.0)
    full = -4.0 * np.log(1 - 4.9 / 8.0)
    free = times < full
    assert np.abs(found.v[free, 2] - 2.0 * np.exp(-times[free] / 4.0)).max() < 1e-11
    assert found.h.max() <= 5.0
    assert found.v[-1, 2] == pytest.approx(0.75, abs=1e-4)


@settings(max_examples=100)
@given(seed=SEEDS, size=st.floats(0.0, 1.5))
def test_only_what_would_overload_is_taken_away(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    plant = turned_base(rng)
    u, h = rng.normal(size=6), rng.normal(size=3)
    h *= size / np.linalg.norm(h)
    left = wheel_limited(plant, u, h, 1.0)
    rate, allowed = wheel_rates(plant, u), wheel_rates(plant, left)
    assert np.array_equal(left[:3], u[:3]), "wheels do not push"
    if size <= 0.98 - 1e-12 or rate @ h <= 0:
        assert np.abs(left - u).max() < 1e-14, "a torque that may act was changed"
        return
    assert -1e-14 <= allowed @ h <= rate @ h + 1e-14, "the momentum grows no faster than asked"
    assert np.abs(np.cross(rate - allowed, h)).max() < 1e-14, "only the part along h may fade"
    if size >= 1.0:
        assert abs(allowed @ h) < 1e-14, "beyond the capacity the momentum still grows"


@settings(max_examples=60)
@given(seed=SEEDS)
def test_continuous_in_torque_and_momentum(seed: int) -> None:
    """No jump where h enters or leaves the layer, nor where a torque begins to load."""
    rng = np.random.default_rng(seed)
    plant = turned_base(rng)
    h = rng.normal(size=3)
    h *= float(rng.choice([0.98, 1.0, rng.uniform(0.98, 1.0)])) / np.linalg.norm(h)
    torque = np.cross(h, rng.normal(size=3))  # neither loads nor unloads
    axes = np.asarray(plant.system.base_joint.placement.rotation.array(), float)
    for part in (torque, torque - h, torque + h):
        u = np.concatenate([np.zeros(3), axes.T @ part])
        here = wheel_limited(plant, u, h, 1.0)
        step = 1e-9 * rng.normal(size=9)
        near = wheel_limited(plant, u + step[:6] * [0, 0, 0, 1, 1, 1], h + step[6:], 1.0)
        # The slope of σ over the layer is about 1.5 / 0.02.
        assert np.abs(near - here).max() < 1e-6 * (1 + np.abs(u).max())


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_momentum_is_conserved_and_capacity_is_kept(planar: bool, closure: str) -> None:
    """Tree + wheels - thrusters is constant, through filling, saturation and dumping."""
    plant, q, v = captured_plant("attitude-controlled", closure, planar)
    capacity = 20.0 if planar else 0.4
    times = np.linspace(0.0, 20.0, 201)
    found = wheel_motion(
        plant,
        detumble(plant, 3.0, passive=True),
        q,
        v,
        times,
        capacity=capacity,
        torque=0.01 * capacity,
        kept=True,
        tolerance=1e-13,
    )
    stored = np.linalg.norm(found.h, axis=1)
    assert stored.max() <= capacity, "the wheels hold more than they can"
    assert stored.max() > 0.98 * capacity, "the case does not reach saturation"
    linear, angular = whole(plant, found)
    if planar:
        angular = angular[:, 2:]
    total = angular + found.h - found.given
    scale = np.abs(angular).max()
    assert np.abs(total - total[0]).max() < 1e-10 * scale, "angular momentum is out of balance"
    assert np.abs(linear - linear[0]).max() < 1e-10 * np.abs(linear).max()


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_kept_joints_come_to_rest_with_full_wheels(planar: bool, closure: str) -> None:
    plant, q, v = captured_plant("attitude-controlled", closure, planar)
    capacity = 20.0 if planar else 0.4
    times = np.linspace(0.0, 15.0, 31)
    law = detumble(plant, 3.0)
    kept, naive = (
        wheel_motion(plant, law, q, v, times, capacity=capacity, kept=k) for k in (True, False)
    )
    joints = slice(3, 5) if planar else slice(6, 9)
    exact = v[joints] * np.exp(-times[:, None] / 3.0)
    assert np.abs(kept.v[:, joints] - exact).max() < 2e-11, "joints must decay as asked"
    assert np.abs(naive.v[:, joints] - exact).max() > 1e-2, "the correction does something"
    if planar:
        spun = abs(naive.v[-1, 2]) / abs(kept.v[-1, 2])
        assert spun > 2, "without it the base spins up under an arm that stays where it is"


@settings(max_examples=30)
@given(seed=SEEDS)
def test_kept_joints_accelerate_as_asked(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plant, q, v = captured_plant("attitude-controlled", str(rng.choice(["pin", "weld"])), False)
    plant = TreePlant(plant.system.with_gravity(rng.normal(size=3)), plant.own)
    u = rng.normal(size=plant.own_rates) * plant.actuated
    limited = u.copy()
    limited[3:6] *= rng.uniform(-0.5, 1.0, 3)
    kept = joints_kept(plant, q, u, limited)
    assert np.array_equal(np.asarray(kept)[:6], limited[:6]), "the base gets what it gets"
    asked, found = (np.asarray(plant.accelerations(q, v, x)) for x in (u, kept))
    assert np.abs(asked - found)[6:9].max() < 1e-11 * (1 + np.abs(asked).max())
    assert np.abs(np.subtract(joints_kept(plant, q, u, u), u)).max() == 0.0


# --- dump -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_dump_takes_momentum_out_at_a_constant_rate(planar: bool) -> None:
    """h(t) = h₀ - τ t along h₀ until δ = τ · 1 s is left, and the base feels nothing of it."""
    plant, q, v = captured_plant("attitude-controlled", "weld", planar)
    h = np.array([6.0]) if planar else np.array([2.0, -3.0, 6.0])
    size = np.linalg.norm(h)
    times = np.linspace(0.0, 40.0, 401)
    law = no_control(plant)
    dumped = wheel_motion(plant, law, q, v, times, h=h, torque=0.25)
    quiet = wheel_motion(plant, law, q, v, times, h=h)
    early = times < (size - 0.25) / 0.25
    exact = h * (1 - 0.25 * times[:, None] / size)
    assert np.abs(dumped.h - exact)[early].max() < 1e-11
    assert np.abs(dumped.given - (dumped.h - h)).max() < 1e-11, "what goes out went out"
    assert np.abs(dumped.q - quiet.q).max() < 1e-9, "the dump must not move the base"
    assert np.linalg.norm(dumped.h[-1]) < 1e-6


def test_the_end_of_a_dump() -> None:
    """Below δ, r = |h| / δ obeys r²/(3 - r²) = exp(-3 t / fade) / 2 from r = 1 on."""
    plant = lone_disk()
    times = np.linspace(0.0, 3.0, 31)
    nothing = np.zeros(3)
    found = wheel_motion(plant, no_control(plant), nothing, nothing, times, h=[0.2], torque=0.2)
    half = 0.5 * np.exp(-3.0 * times)
    exact = 0.2 * np.sqrt(3 * half / (1 + half))
    assert np.abs(found.h[:, 0] - exact).max() < 5e-12


@settings(max_examples=60)
@given(seed=SEEDS, size=st.floats(0.0, 5.0))
def test_dump_torque_opposes_the_momentum(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    plant = turned_base(rng)
    h = rng.normal(size=3)
    h *= size / np.linalg.norm(h)
    d = dump_torques(plant, h, 0.5, fade=2.0)
    torque = -wheel_rates(plant, d)  # in world axes
    assert not d[:3].any(), "a dump does not push"
    assert np.abs(np.cross(torque, h)).max() < 1e-14
    r = size / 1.0
    wanted = 0.5 * (1.0 if r >= 1 else 0.5 * r * (3 - r**2))
    assert torque @ h <= 1e-15, "it must not load the wheels"
    assert np.linalg.norm(torque) == pytest.approx(wanted, abs=1e-14)


def test_slopes_exist_everywhere() -> None:
    """Also at h = 0, on the edge of the fading, and at the capacity."""
    plant = TreePlant(small_robot("attitude-controlled"))
    for h in ([0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [1.0, 0.0, 0.0], [0.98, 0.0, 0.0]):
        x = np.array(h)
        for way, dump in slopes(lambda h: dump_torques(plant, h, 0.2), x).items():
            assert np.isfinite(dump).all(), way
        for way, limited in slopes(lambda h: wheel_limited(plant, -np.ones(8), h, 1.0), x).items():
            assert np.isfinite(limited).all(), way


# --- scalars and errors ---------------------------------------------------------------------------


def test_any_scalar() -> None:
    import sympy

    plant = TreePlant(small_robot("attitude-controlled"))
    rng = np.random.default_rng(2)
    u, h = rng.normal(size=8), rng.normal(size=3)
    h *= 0.99 / np.linalg.norm(h)
    u = u if u[3:6] @ h < 0 else -u
    symbols = sympy.symbols("h:3")
    for function in (
        lambda u, h: wheel_limited(plant, u, h, 1.0),
        lambda u, h: dump_torques(plant, h, 0.7),  # noqa: ARG005
        lambda u, h: dump_torques(plant, h, 3.0),  # noqa: ARG005
    ):
        exact = np.asarray(function(u, h))
        batch = function(np.stack([u, u], -1), np.stack([h, 0 * h], -1))
        closed = function(u, symbols).subs(dict(zip(symbols, h, strict=True)))
        for values in (
            *traced(function, u, h).values(),
            batch[:, 0],
            np.array(closed, float).ravel(),
        ):
            assert np.abs(np.asarray(values) - exact).max() < 1e-13


def test_no_limit_is_no_change() -> None:
    plant = lone_disk()
    assert np.array_equal(wheel_limited(plant, [1, 2, 3], [1e9], np.inf), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_impossible_values_are_refused(bad: float) -> None:
    plant = lone_disk()
    with pytest.raises(ModelError, match="capacity of the wheels must be > 0 N m s"):
        wheel_limited(plant, [0, 0, 0], [0], bad)
    with pytest.raises(ModelError, match="torque of the thrusters"):
        dump_torques(plant, [0], bad)
    with pytest.raises(ModelError, match="fade"):
        dump_torques(plant, [0], 1.0, fade=bad)


@pytest.mark.parametrize("mode", ["fixed", "free-floating", "free-flying"])
def test_other_bases_have_no_wheels(mode: Any) -> None:
    plant = TreePlant(small_robot(mode))
    u = np.zeros(plant.own_rates)
    for call in (
        lambda: wheel_limited(plant, u, np.zeros(3), 1.0),
        lambda: dump_torques(plant, np.zeros(3), 1.0),
    ):
        with pytest.raises(ModelError, match=f"attitude-controlled; this one is {mode}"):
            call()
    with pytest.raises(ValueError, match="momentum of the wheels"):
        wheel_limited(lone_disk(), [0, 0, 0], [0, 0, 0], 1.0)
