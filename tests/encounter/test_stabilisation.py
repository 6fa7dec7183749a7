"""Stabilisation after a capture: settling, wheels, thrusters, dump, and what remains."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import percuss
from percuss.control import ControlLaw, TreePlant, detumble, sampled
from percuss.control.laws import no_control
from percuss.dynamics import momentum
from percuss.encounter.assembly import Assembly
from percuss.encounter.balances import balance_of
from percuss.encounter.closures import Pin, Weld
from percuss.encounter.equations import Equations, WheelUse
from percuss.encounter.integration import Integration, integrate_motion
from percuss.encounter.observation import Observation
from percuss.encounter.stabilisation import stabilisation_of
from percuss.encounter.summary.stabilisation import stabilisation_record
from percuss.io.plain_data import Forms
from percuss.model import WORLD, Frame, Joint, Planar, Prismatic, System, disk, rod
from tests.control.closed_loop import thesis_contact
from tests.control.wheel_loop import spatial_contact
from tests.oracles import to_mujoco

mujoco: Any = import_module("mujoco")

MODES = ("free-floating", "attitude-controlled", "free-flying")
SETTLES = 3.0 * np.log(50.0)
"""When exp(-t / 3 s) has fallen to 2 %."""


def grasped(mode: str, closure: str, planar: bool) -> Assembly:
    contact = thesis_contact() if planar else spatial_contact(mode)
    if planar:
        contact = replace(contact, chaser=contact.chaser.with_mode(mode))
    made = Pin() if closure == "pin" else Weld()
    return made.assembly_after(contact, made.jump(contact))


def alone(mode: str, rates: Any, boom: bool = False) -> Assembly:
    """A disk of 8 kg and 4 kg m² with no target, perhaps with a boom that slides."""
    bodies = [disk("base", 1.0, 8.0)]
    joints = [Joint("base", Planar(), WORLD, "base")]
    if boom:
        bodies.append(rod("boom", 1.0, 2.0))
        joints.append(Joint("slide", Prismatic((1, 0, 0)), "base", "boom"))
    chaser = System(name="disk", bodies=tuple(bodies), joints=tuple(joints), frames=(), mode=mode)  # type: ignore[arg-type]
    q = np.zeros(chaser.coordinate_count)
    tool = Frame("tool", bodies[-1].name)
    v = np.asarray(rates, float)
    return Assembly(
        chaser=chaser,
        target=None,
        tool=tool,
        grip=None,
        closure="apart",
        plant=TreePlant(chaser),
        tree=chaser,
        coordinates=q,
        rates=v,
    )


def observation_of(
    assembly: Assembly,
    law: ControlLaw,
    duration: float,
    wheels: WheelUse | None = None,
    samples: int = 61,
) -> Observation:
    equations = Equations(assembly, law, wheels=WheelUse() if wheels is None else wheels)
    method = "dop853" if law.period is None else "dormand-prince"
    times = np.linspace(0.0, duration, samples)
    motion = integrate_motion(equations, times, Integration(method))
    return Observation(equations, motion)


# --- settling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_settles_when_rates_are_at_two_percent(mode: str, closure: str, planar: bool) -> None:
    assembly = grasped(mode, closure, planar)
    observation = observation_of(assembly, detumble(assembly.plant, 3.0), 20.0)
    found = stabilisation_of(observation)
    assert found.settling_time == pytest.approx(SETTLES, rel=1e-8)
    assert found.unsettled == {}
    balance = balance_of(observation)
    assert balance.linear_momentum is not None
    assert balance.angular_momentum is not None
    linear, angular = observation.momentum_sizes
    assert balance.linear_momentum < 1e-10 * max(1.0, linear)
    assert balance.angular_momentum < 1e-10 * max(1.0, angular)
    assert np.array_equal(found.peak_torques, np.abs(observation.motion.commands).max(axis=1))
    assert "from 11.74 s after the grasp on" in found.sentences[0]


def test_not_settled_is_said_with_how_much_is_left() -> None:
    assembly = grasped("free-flying", "weld", True)
    found = stabilisation_of(observation_of(assembly, detumble(assembly.plant, 3.0), 6.0))
    assert found.settling_time is None
    # The base did not turn after this impact, so there is nothing of it to settle.
    assert set(found.unsettled) == {"joint rates", "the base's translation"}
    assert found.unsettled["joint rates"] == pytest.approx(np.exp(-2.0), rel=1e-9)
    assert found.sentences[0].startswith("Not settled 6 s after the grasp, when the run ends:")
    assert "joint rates at 13.5 %" in found.sentences[0]


def test_the_clock_of_the_run() -> None:
    """Settling counts from the grasp, the wheels' times are those of the run."""
    assembly = alone("attitude-controlled", [0, 0, 2.0])
    observation = observation_of(
        assembly, detumble(assembly.plant, 4.0), 20.0, WheelUse(5.0, 0.2, 10.0)
    )
    late = replace(observation, origin=100.0)
    first, second = (
        stabilisation_of(x, capacity=5.0, dump_torque=0.2, dump_after=10.0)
        for x in (observation, late)
    )
    assert first.settling_time == second.settling_time
    assert first.wheels is not None
    assert second.wheels is not None
    assert first.wheels.saturated_at is not None
    assert second.wheels.saturated_at == pytest.approx(first.wheels.saturated_at + 100.0)
    assert first.dump is not None
    assert second.dump is not None
    assert second.dump.planned_end == pytest.approx(first.dump.planned_end + 100.0)
    assert second.dump.used == pytest.approx(first.dump.used, rel=1e-12)


def test_sliding_joints_settle_by_their_own_measure() -> None:
    assembly = alone("free-flying", [0.1, 0.0, 2.0, 0.3], boom=True)
    found = stabilisation_of(
        observation_of(assembly, detumble(assembly.plant, [9.0, 9, 1, 2]), 8.0)
    )
    # 2 s · ln 50 is 7.8 s and 1 s · ln 50 is 3.9 s; only the translation takes longer.
    assert found.unsettled == {"the base's translation": pytest.approx(np.exp(-8 / 9), rel=1e-8)}


def test_where_nothing_is_driven_nothing_settles() -> None:
    assembly = alone("free-floating", [0.1, 0.0, 0.2])
    found = stabilisation_of(observation_of(assembly, no_control(assembly.plant), 5.0))
    assert found.settling_time is None
    assert found.sentences[0] == "No actuator drives anything, so nothing settles."
    assert len(found.sentences) == 3, "it turns and drifts on"


# --- wheels and thrusters -------------------------------------------------------------------------


def test_wheels_fill_up_when_they_should() -> None:
    """I ω₀ = 8 N m s into wheels for 5: full, at 98 %, at t = -T ln(1 - 4.9 / 8)."""
    assembly = alone("attitude-controlled", [0, 0, 2.0])
    observation = observation_of(
        assembly, detumble(assembly.plant, 4.0), 60.0, WheelUse(capacity=5.0)
    )
    found = stabilisation_of(observation, capacity=5.0)
    assert found.wheels is not None
    assert found.wheels.saturated_at == pytest.approx(-4.0 * np.log(1 - 4.9 / 8.0), rel=2e-4)
    assert 4.99 < found.wheels.peak <= 5.0
    assert found.settling_time is None
    assert found.remaining is not None
    assert found.remaining.angular_momentum[2] == pytest.approx(8.0 - found.wheels.final, rel=1e-10)
    assert any("They were full at 3.792 s" in text for text in found.sentences)
    assert any("which the wheels have not taken up" in text for text in found.sentences)


def test_wheels_that_are_large_enough() -> None:
    assembly = grasped("attitude-controlled", "weld", True)
    found = stabilisation_of(
        observation_of(assembly, detumble(assembly.plant, 3.0), 60.0), capacity=100.0
    )
    assert found.wheels is not None
    assert found.wheels.saturated_at is None
    assert found.wheels.final == pytest.approx(75.0, rel=1e-6)
    assert found.remains == (True, False), "the drift stays, the turning is in the wheels"
    assert found.thrusters is None
    assert "15 N s, which wheels and joints cannot remove" in found.sentences[-1]


def test_thrusters_take_what_moved() -> None:
    """∫|F| dt = m v₀ (1 - exp(-t/T)), and the same for the torque with I ω₀."""
    assembly = alone("free-flying", [0.3, -0.4, 2.0])
    found = stabilisation_of(observation_of(assembly, detumble(assembly.plant, 2.0), 9.0))
    gone = 1 - np.exp(-4.5)
    assert found.thrusters is not None
    assert found.thrusters.force_impulse == pytest.approx(8.0 * 0.5 * gone, rel=1e-4)
    assert found.thrusters.torque_impulse == pytest.approx(8.0 * gone, rel=1e-4)
    assert found.wheels is None
    assert found.remains == (False, False)
    assert len(found.sentences) == 2


def test_commands_held_between_samples_are_summed_as_held() -> None:
    """Sampled every Δ: v falls by (1 - Δ/T) each time, so the impulse is a sum."""
    assembly = alone("free-flying", [0.5, 0.0, 0.0])
    law = sampled(detumble(assembly.plant, 2.0), 0.5)
    found = stabilisation_of(observation_of(assembly, law, 8.0))
    assert found.thrusters is not None
    assert found.thrusters.force_impulse == pytest.approx(4.0 * (1 - 0.75**16), rel=1e-9)


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_a_dump_within_the_run(planar: bool) -> None:
    """From 20 s on the wheels lose 10 % of what they hold a second, and nothing else changes."""
    assembly = grasped("attitude-controlled", "weld", planar)
    law = detumble(assembly.plant, 1.0)
    quiet = observation_of(assembly, law, 40.0)
    stored = float(np.linalg.norm(quiet.integral("wheels")[-1]))
    torque = 0.1 * stored
    observation = observation_of(assembly, law, 40.0, WheelUse(None, torque, 20.0))
    found = stabilisation_of(observation, dump_torque=torque, dump_after=20.0, lever_arm=0.5)
    assert found.dump is not None
    assert found.wheels is not None
    assert found.dump.plan.momentum == pytest.approx(stored, rel=1e-6)
    assert found.dump.planned_end == pytest.approx(30.0, rel=1e-6)
    # Half a second is lost while the torque rises. A tenth, δ, is left at 29.5 s; from there to
    # 2 %, x = |h| / δ = 0.2, x² / (3 - x²) falls from 1/2 with exp(-3 t).
    fading = np.log(0.5 * (3 - 0.04) / 0.04) / 3
    assert found.dump.end == pytest.approx(29.5 + fading, abs=1e-3)
    assert found.dump.plan.propellant_impulse == pytest.approx(2 * stored, rel=1e-6)
    assert found.dump.used == pytest.approx(stored - found.wheels.final, rel=1e-4)
    assert found.dump.propellant == 2 * found.dump.used
    assert found.thrusters is not None
    assert vars(found.thrusters) == {"force_impulse": 0.0, "torque_impulse": found.dump.used}
    assert found.wheels is not None
    assert found.wheels.final < 1e-3 * stored
    h = np.linalg.norm(observation.integral("wheels"), axis=1)
    straight = (observation.time > 22.0) & (observation.time < 28.0)
    line = h + torque * observation.time
    # What is left of the detumbling still loads the wheels a little.
    assert np.ptp(line[straight]) < 1e-8 * stored, "the wheels do not lose τ every second"
    same = np.abs(
        observation.q[:, observation.motion.recorded] - quiet.q[:, quiet.motion.recorded]
    ).max()
    assert same < 1e-8, "the base must not feel the dump"
    balance = balance_of(observation)
    assert balance.angular_momentum is not None
    assert balance.angular_momentum < 1e-10 * max(1.0, observation.momentum_sizes[1])


def test_a_dump_that_does_not_end_is_said() -> None:
    assembly = grasped("attitude-controlled", "weld", True)
    observation = observation_of(
        assembly, detumble(assembly.plant, 3.0), 30.0, WheelUse(None, 0.5, 25.0)
    )
    found = stabilisation_of(observation, dump_torque=0.5, dump_after=25.0)
    assert "That would end at 175 s, after the run." in found.sentences[-2]
    # 4.5 s of the full torque: it rises within the first of the five.
    assert "from then on: 2.25 N m s; when the run ends the wheels hold" in found.sentences[-1]
    dump = stabilisation_record(found).dump
    assert dump is not None
    assert dump.impulse is dump.propellant is dump.end is None
    assert dump.used == pytest.approx(2.25, rel=1e-4)


def test_a_dump_takes_what_full_wheels_had_no_room_for() -> None:
    """8 N m s turn, wheels hold 5: thrusters take all 8, more than the plan for 5."""
    assembly = alone("attitude-controlled", [0, 0, 2.0])
    observation = observation_of(
        assembly, detumble(assembly.plant, 2.0), 60.0, WheelUse(5.0, 0.5, 10.0)
    )
    found = stabilisation_of(
        observation, capacity=5.0, dump_torque=0.5, dump_after=10.0, lever_arm=0.25
    )
    assert found.dump is not None
    assert found.dump.plan.momentum == pytest.approx(5.0, rel=1e-2)
    taken = abs(
        float((observation.integral("angular")[-1] - observation.integral("angular")[0])[0])
    )
    assert taken == pytest.approx(8.0, rel=1e-6)
    assert found.dump.used == pytest.approx(taken, rel=1e-4), "thrusters took other than was lost"
    assert found.dump.propellant == pytest.approx(4 * taken, rel=1e-4)
    assert found.dump.end is not None
    assert found.dump.end > found.dump.planned_end
    assert "8 N m s, 32 N s of propellant impulse" in found.sentences[-1]
    assert "Plan for what the wheels held when the dump began, at 10 s: to" in found.sentences[-2]


def test_a_run_tells_what_its_dump_took() -> None:
    """What bodies and wheels have lost together from the grasp to the end."""
    law = {"law": "detumble", "time-constant": 2.0, "limits": {"wheels": 0.1}}
    dump = {"torque": 0.05, "after": 3.0, "lever-arm": 0.2}
    scenario = percuss.load("scenarios/air-bearing.yaml", {"control": {**law, "dump": dump}})
    run = percuss.run(scenario)
    whole = (run.data["angular_momentum"] + run.data["wheel_momentum"]).values
    since = run.data["time"].values >= run.summary["impacts"][0]["time"]
    lost = float(whole[since][0] - whole[-1])
    told = run.summary["stabilisation"]
    assert told["dump"]["used"] == pytest.approx(lost, rel=1e-5)
    assert told["dump"]["propellant"] == pytest.approx(5 * lost, rel=1e-5)
    assert told["thrusters"] == {"force_impulse": 0.0, "torque_impulse": told["dump"]["used"]}


@pytest.mark.parametrize("period", [None, 0.1])
def test_what_thrusters_gave_in_space_and_with_gravity(period: float | None) -> None:
    """∫|d| dt from the wheels' own rates is that of the outside torque, weight left out."""
    assembly = grasped("attitude-controlled", "weld", False)
    law = detumble(assembly.plant, 3.0)
    law = law if period is None else sampled(law, period)
    observation = observation_of(assembly, law, 20.0, WheelUse(None, 0.2, 1.0))
    found = stabilisation_of(observation, dump_torque=0.2, dump_after=1.0)
    assert found.dump is not None
    outside = np.linalg.norm(
        observation.motion.rates[observation.equations.slices["angular"]], axis=0
    )
    assert found.dump.used == pytest.approx(
        np.trapezoid(outside, observation.motion.time), rel=1e-12
    )
    steps = np.linalg.norm(np.diff(observation.integral("angular"), axis=0), axis=1).sum()
    assert found.dump.used == pytest.approx(steps, rel=1e-4)
    assert assembly.tree is not None
    heavy = replace(assembly, tree=assembly.tree.with_gravity((0.0, 0.0, -9.81)))
    heavy = replace(heavy, plant=replace(assembly.plant, system=heavy.tree))  # type: ignore[type-var]
    fallen = observation_of(heavy, law, 20.0, WheelUse(None, 0.2, 1.0))
    assert np.abs(fallen.integral("linear")[-1]).max() > 100.0, "it falls"
    again = stabilisation_of(fallen, dump_torque=0.2, dump_after=1.0)
    assert again.dump is not None
    # Falling freely changes nothing of the turning.
    assert again.dump.used == pytest.approx(found.dump.used, rel=1e-4)


def test_a_dump_that_begins_with_empty_wheels_or_not_at_all() -> None:
    assembly = alone("attitude-controlled", [0, 0, 2.0])
    law = detumble(assembly.plant, 2.0)
    at_once = observation_of(assembly, law, 40.0, WheelUse(None, 0.5, 0.0))
    found = stabilisation_of(at_once, dump_torque=0.5)
    assert found.dump is not None
    assert found.dump.plan.momentum == 0.0
    assert found.dump.end is None, "2 % of nothing is not reached"
    assert found.dump.used == pytest.approx(8.0, rel=1e-4)
    assert "there is nothing to dump" in found.sentences[-2]
    never = observation_of(assembly, law, 5.0, WheelUse(None, 0.5, 9.0))
    late = stabilisation_of(never, dump_torque=0.5, dump_after=9.0)
    assert late.dump is not None
    assert late.dump.used == 0.0
    assert late.dump.end is None
    assert late.sentences[-1] == "The dump would begin at 9 s, after the run."


def test_wheels_fuller_than_their_capacity_at_the_grasp() -> None:
    """What came before left 7 N m s in wheels for 5: said, and nothing loads them further."""
    assembly = alone("attitude-controlled", [0, 0, 0.5])
    law = detumble(assembly.plant, 2.0)
    times = np.linspace(0.0, 10.0, 61)
    for before, overfull in ((7.0, True), (5.0, False)):
        equations = Equations(assembly, law, wheels=WheelUse(capacity=5.0))
        equations = equations.begun_with(assembly, np.array([before]))
        motion = integrate_motion(equations, times, Integration("dop853"))
        found = stabilisation_of(Observation(equations, motion), capacity=5.0)
        assert found.wheels is not None
        assert found.wheels.initial == before
        assert found.wheels.peak == pytest.approx(before, rel=1e-12)
        assert found.wheels.saturated_at == 0.0
        assert found.wheels.is_overfull_at_first is overfull
        told = [text for text in found.sentences if "more than that in them" in text]
        assert len(told) == overfull
        assert all(f"closed, {before:g} N m s:" in text for text in told)


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_balances_hold_with_full_wheels_and_a_dump(closure: str) -> None:
    for planar, capacity in ((True, 20.0), (False, 0.4)):
        assembly = grasped("attitude-controlled", closure, planar)
        use = WheelUse(capacity, 0.02 * capacity, 8.0)
        observation = observation_of(
            assembly, detumble(assembly.plant, 3.0, passive=True), 25.0, use
        )
        found = stabilisation_of(observation, capacity=capacity)
        assert found.wheels is not None
        assert found.wheels.saturated_at is not None
        assert found.wheels.peak <= capacity
        balance = balance_of(observation)
        assert balance.angular_momentum is not None
        assert balance.angular_momentum < 1e-10 * max(1.0, observation.momentum_sizes[1])
        assert balance.energy < 1e-9 * max(1.0, float(observation.kinetic_energy.max()))


def test_a_swing_pumped_up_by_full_wheels_is_told() -> None:
    assembly = grasped("attitude-controlled", "pin", True)
    use = WheelUse(capacity=60.0)
    wild = observation_of(assembly, detumble(assembly.plant, 3.0), 40.0, use)
    calm = observation_of(assembly, detumble(assembly.plant, 3.0, passive=True), 40.0, use)
    told = [
        any("gains energy" in text for text in stabilisation_of(x, capacity=60.0).sentences)
        for x in (wild, calm)
    ]
    assert told == [True, False]


# --- what remains ---------------------------------------------------------------------------------


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_joints_alone_remove_no_momentum(planar: bool, closure: str) -> None:
    assembly = grasped("free-floating", closure, planar)
    observation = observation_of(assembly, detumble(assembly.plant, 3.0), 30.0)
    found = stabilisation_of(observation)
    assert found.remains == (True, True)
    assert found.remaining is not None
    assert assembly.tree is not None
    start = momentum(assembly.tree, assembly.coordinates, assembly.rates, about="com")
    linear, angular = start.linear.array(), start.angular.array()
    scale = np.abs(angular).max()
    assert np.abs(found.remaining.linear_momentum - linear).max() < 1e-10 * np.abs(linear).max()
    assert np.abs(found.remaining.angular_momentum - angular).max() < 1e-9 * scale
    energy = observation.kinetic_energy[-1]
    assert found.remaining.energy <= energy * (1 + 1e-9)
    if closure == "weld":
        # The joints have lost all but exp(-10) of their rates: the rest moves as one body.
        assert found.remaining.energy == pytest.approx(energy, rel=1e-3)
        spin = np.linalg.norm(found.remaining.spin)
        base = observation.v[2, -1] if planar else np.linalg.norm(observation.v[3:6, -1])
        assert spin == pytest.approx(base, rel=1e-3)


def test_a_fixed_base_keeps_no_account() -> None:
    contact = spatial_contact("fixed")
    assembly = Weld().assembly_after(contact, Weld().jump(contact))
    found = stabilisation_of(observation_of(assembly, detumble(assembly.plant, 3.0), 20.0))
    assert found.remaining is None
    assert found.settling_time == pytest.approx(SETTLES, rel=1e-8)
    assert len(found.sentences) == 1


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_the_record_is_plain_data_when_written(planar: bool) -> None:
    assembly = grasped("attitude-controlled", "weld", planar)
    observation = observation_of(assembly, detumble(assembly.plant, 3.0), 20.0)
    found = stabilisation_of(observation, dump_torque=0.1, lever_arm=1.0)
    block = Forms().written(stabilisation_record(found))
    assert json.loads(json.dumps(block)) == block
    keys = ["settling_time", "wheels", "thrusters", "remaining", "dump", "sentences"]
    assert list(block) == keys
    assert list(block["wheels"]) == ["peak", "final", "capacity", "saturated_at", "initial"]
    assert len(block["remaining"]["linear_momentum"]) == (2 if planar else 3)
    assert isinstance(block["remaining"]["angular_momentum"], float if planar else list)
    plan = ["momentum", "torque", "duration", "impulse"]
    assert list(block["dump"]) == [*plan, "end", "begin", "used", "propellant"]


# --- against MuJoCo -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "closure", "planar"),
    [
        ("free-floating", "weld", False),
        ("attitude-controlled", "pin", False),
        ("free-flying", "pin", True),
    ],
)
def test_detumbling_against_mujoco(mode: str, closure: str, planar: bool) -> None:
    """The torques of the law, replayed in MuJoCo, move the captured tree the same way."""
    assembly = grasped(mode, closure, planar)
    tree = assembly.tree
    assert tree is not None
    duration, step = 4.0, 4e-3
    observation = observation_of(assembly, detumble(assembly.plant, 3.0), duration, samples=2001)
    command = CubicSpline(observation.motion.time, observation.motion.commands, axis=1)
    twin = to_mujoco(tree)
    data = mujoco.MjData(twin.model)
    size = tree.rate_count - len(observation.motion.commands)

    def rates(t: float, q: Any, v: Any) -> tuple[Any, Any]:
        data.qpos[:], data.qvel[:] = twin.coordinates(q), twin.rates(q, v)
        tau = np.concatenate([command(t), np.zeros(size)])
        data.qfrc_applied[:] = twin.forces(q, tau)
        mujoco.mj_forward(twin.model, data)
        change = percuss.coordinate_rates(tree, q, v)
        return np.asarray(change), twin.accelerations_back(q, v, data.qacc)

    q, v = assembly.coordinates.copy(), assembly.rates.copy()
    for k in range(round(duration / step)):
        t, h = k * step, step
        a = rates(t, q, v)
        b = rates(t + h / 2, q + h / 2 * a[0], v + h / 2 * a[1])
        c = rates(t + h / 2, q + h / 2 * b[0], v + h / 2 * b[1])
        d = rates(t + h, q + h * c[0], v + h * c[1])
        q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        v = v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    places = np.abs(percuss.difference(tree, observation.q[:, -1], q)).max()
    speeds = np.abs(observation.v[:, -1] - v).max()
    assert places < 1e-9, f"positions after {duration} s differ by {places:.1e}"
    assert speeds < 1e-9, f"rates after {duration} s differ by {speeds:.1e}"
