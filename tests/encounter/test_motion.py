"""Motion after the impact: conservation, other integrators, MuJoCo, actuation by base mode."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import percuss
from percuss.control import user_law
from percuss.control.laws import no_control
from percuss.control.plant import Plant
from percuss.encounter.balances import balance_of
from percuss.encounter.closures import Pin, Weld
from percuss.encounter.equations import Equations
from percuss.encounter.failure import SimulationError
from percuss.encounter.integration import Integration, integrate_motion
from percuss.encounter.observation import Observation
from percuss.scenario.simulation import simulate
from tests.encounter.scenes import SPATIAL, THESIS, TRACKING, scene
from tests.impact.captures import Capture, captures
from tests.oracles import to_mujoco
from tests.studies import cases

mujoco: Any = import_module("mujoco")


@pytest.mark.sampled
@settings(max_examples=cases(5, 12))
@given(capture=captures(max_joints=3))
def test_random_captures_balance(capture: Capture) -> None:
    """Energy and momentum add up, gravity, friction and tumbling included."""
    for closure in (Pin(), Weld()):
        contact = capture.contact
        assembly = closure.assembly_after(contact, closure.jump(contact))
        equations = Equations(assembly, no_control(assembly.plant))
        times = np.linspace(0.0, 0.5, 21)
        motion = integrate_motion(equations, times, Integration())
        observation = Observation(equations, motion)
        balance = balance_of(observation)
        size = 1.0 + float(np.abs(observation.kinetic_energy).max())
        assert balance.energy < 1e-8 * size, f"{closure}: energy is out of balance"
        for name in ("linear_momentum", "angular_momentum"):
            residual = getattr(balance, name)
            if residual is not None:
                moved = 1.0 + float(max(np.abs(part).max() for part in observation.momentum))
                assert residual < 1e-8 * moved, f"{closure}: {name} is out of balance"


@pytest.mark.parametrize("closure", ["pin", "weld"])
@pytest.mark.parametrize("base", [THESIS, SPATIAL], ids=["planar", "spatial"])
def test_against_mujoco(base: dict[str, Any], closure: str) -> None:
    """The captured system flies as MuJoCo says."""
    duration, step = 3.0, 1e-3
    simulation = simulate(scene(base, impact__closure=closure, duration=duration))
    tree = simulation.assembly.tree
    assert tree is not None
    q, v = simulation.assembly.coordinates, simulation.assembly.rates
    twin = to_mujoco(tree)
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    twin.model.opt.timestep = step
    data = mujoco.MjData(twin.model)
    data.qpos[:], data.qvel[:] = twin.coordinates(q), twin.rates(q, v)
    mujoco.mj_step(twin.model, data, round(duration / step))
    ours = simulation.observation.q[:, -1]
    theirs = np.array(twin.coordinates_back(data.qpos))
    error = np.abs(percuss.difference(tree, ours, theirs)).max()
    assert error < 2e-9, f"positions after {duration} s differ by {error:.1e}"


@pytest.mark.parametrize("base", [THESIS, SPATIAL], ids=["planar", "spatial"])
def test_tighter_tolerances_change_nothing_that_matters(base: dict[str, Any]) -> None:
    usual = percuss.run(scene(base))
    tight = percuss.run(scene(base, integration={"relative-tolerance": 1e-13}))
    difference = np.abs(usual.record["coordinates"] - tight.record["coordinates"]).max()
    assert difference < 1e-9


@pytest.mark.parametrize("method", ["rk4", "dormand-prince"])
def test_other_methods_agree(method: str) -> None:
    step = {"step": 0.01} if method == "rk4" else {}
    usual = percuss.run(scene(SPATIAL, control=TRACKING))
    other = percuss.run(scene(SPATIAL, control=TRACKING, integration={"method": method, **step}))
    assert other.summary["integration"]["method"] == method
    difference = np.subtract(
        usual.summary["final"]["coordinates"], other.summary["final"]["coordinates"]
    )
    assert np.abs(difference).max() < 1e-7


def test_fixed_steps_converge_with_order_four() -> None:
    exact = percuss.run(scene(THESIS)).summary["final"]["coordinates"]
    errors = []
    for step in (0.2, 0.1, 0.05):
        found = percuss.run(scene(THESIS, integration={"method": "rk4", "step": step}))
        errors.append(np.abs(np.subtract(found.summary["final"]["coordinates"], exact)).max())
    ratios = [errors[0] / errors[1], errors[1] / errors[2]]
    assert min(ratios) > 12, f"halving the step divides the error by {ratios}, not by 16"


# --- actuation by base mode -----------------------------------------------------------------


def test_wheels_take_the_angular_momentum() -> None:
    result = percuss.run(scene(SPATIAL, control=TRACKING, duration=30))
    wheels = result.record["wheel_momentum"]
    whole = result.record["angular_momentum"] + wheels
    assert np.abs(whole - whole[0]).max() < 1e-9, "wheels only exchange momentum with the base"
    assert np.linalg.norm(wheels[-1]) > 0.1
    start = np.array(SPATIAL["chaser"]["joints"])
    np.testing.assert_allclose(result.summary["final"]["coordinates"][7:], start, atol=1e-6)
    turned = 2 * np.arccos(min(1.0, abs(result.summary["final"]["coordinates"][3])))
    assert turned < 1e-5, "the wheels hold the attitude"
    assert result.summary["peak"]["control"][:3] == [0.0, 0.0, 0.0], "nothing pushes the base"


def test_free_floating_controls_the_joints_only() -> None:
    result = percuss.run(
        scene(SPATIAL, chaser__mode="free-floating", control=TRACKING, duration=30)
    )
    start = np.array(SPATIAL["chaser"]["joints"])
    np.testing.assert_allclose(result.summary["final"]["coordinates"][7:], start, atol=1e-6)
    assert result.summary["peak"]["control"][:6] == [0.0] * 6
    assert result.summary["balance"]["angular_momentum"] < 1e-9
    assert np.linalg.norm(result.summary["final"]["target"]["angular"]) > 1e-3, "it keeps turning"
    assert any("free-floating" in line for line in result.summary["advice"])
    assert any("cannot be removed" in line for line in result.summary["advice"])


def test_free_flying_stops_everything() -> None:
    result = percuss.run(scene(SPATIAL, chaser__mode="free-flying", control=TRACKING, duration=30))
    assert np.abs(result.summary["final"]["rates"]).max() < 1e-6
    assert np.linalg.norm(result.summary["final"]["target"]["linear"]) < 1e-6
    assert result.summary["balance"]["linear_momentum"] < 1e-9, "thrust is accounted for"
    assert result.summary["balance"]["angular_momentum"] < 1e-9


def test_fixed_base_keeps_its_entries() -> None:
    result = percuss.run(scene(SPATIAL, chaser__mode="fixed", chaser__velocity=None))
    summary = result.summary
    assert summary["impact"]["chaser_velocity"][:6] == [0.0] * 6
    assert summary["final"]["coordinates"][:7] == [0, 0, 0, 1, 0, 0, 0]
    assert summary["balance"]["linear_momentum"] is None
    change = np.subtract(
        summary["impact"]["linear_momentum"]["after"],
        summary["impact"]["linear_momentum"]["before"],
    )
    np.testing.assert_allclose(change, -np.array(summary["impact"]["base_impulse"]), atol=1e-12)


def test_saturation_is_said() -> None:
    tracking = TRACKING | {"limits": {"joints": 20, "base": 5}}
    result = percuss.run(scene(THESIS, impact__closure="weld", control=tracking))
    assert max(result.summary["peak"]["control"]) == 20
    assert any("joint1 at 20 N m for" in line for line in result.summary["advice"])
    assert result.summary["balance"]["energy"] < 1e-8


def test_bounce_flies_apart() -> None:
    impact = {"closure": "bounce", "restitution": 0.5}
    result = percuss.run(scene(THESIS, impact=impact, target__velocity__linear=[0, -1], duration=3))
    assert result.summary["impact"]["effective_mass"] == pytest.approx(13.333333, rel=1e-7)
    velocity = result.record["target_velocity"]
    np.testing.assert_allclose(velocity - velocity[0], 0.0, atol=1e-12)
    gap = result.record["target_position"][:, 1] - result.record["tool_position"][:, 1]
    assert gap[-1] > gap[0] + 1.0, "they part"
    assert "grasp_force" not in result.record.variables


def test_gravity_is_accounted_for() -> None:
    result = percuss.run(scene(THESIS, gravity=[0, -9.81], impact__closure="weld"))
    for name in ("energy", "linear_momentum", "angular_momentum"):
        assert result.summary["balance"][name] < 1e-7, f"{name} under gravity"
    fallen = result.record["linear_momentum"][-1, 1] - result.record["linear_momentum"][0, 1]
    assert fallen == pytest.approx(-9.81 * 135 * 10, rel=1e-9)


# --- laws of one's own ------------------------------------------------------------------------


def test_user_law_in_python() -> None:
    """A damper written by hand takes energy out, and the balance knows."""

    def damper(plant: Plant) -> Any:
        def law(t: Any, q: Any, v: Any, memory: Any) -> Any:
            del t, q
            return -200.0 * v[: plant.own_rates], memory

        return user_law(law)

    result = percuss.run(scene(THESIS, impact__closure="weld"), control=damper)
    energy = result.record["energy"]
    assert energy[-1] < 0.2 * energy[0]
    assert (np.diff(energy) < 1e-9).all(), "a damper never feeds energy in"
    assert result.summary["balance"]["energy"] < 1e-9


def test_sampled_law_with_memory() -> None:
    """An integral term in a law sampled at 50 Hz; the energy it feeds in is accounted for."""

    def integral(_: Plant) -> Any:
        def law(t: Any, q: Any, v: Any, memory: Any) -> Any:
            del t
            memory = memory + 0.02 * q[3:5]
            u = np.concatenate([np.zeros(3), -30.0 * q[3:5] - 40.0 * v[3:5] - 5.0 * memory])
            return u, memory

        return user_law(law, memory=np.zeros(2), period=0.02)

    found = simulate(scene(THESIS, impact__closure="weld", duration=1.0), integral)
    assert found.integration.method == "dormand-prince"
    commands = found.observation.motion.commands
    jumps = np.abs(np.diff(commands, axis=1)).max(axis=0) > 0
    assert 40 <= jumps.sum() <= 50, "the command is held between samples"
    assert balance_of(found.observation).energy < 1e-8


def test_law_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(
        "def law(t, q, v, memory):\n    return -200.0 * v[:5], memory\n", encoding="utf-8"
    )
    document = scene(THESIS, impact__closure="weld").text
    (tmp_path / "s.yaml").write_text(f"{document}control: {{law: python, file: law.py}}\n")
    result = percuss.run(percuss.load(tmp_path / "s.yaml"), allow_code=True)
    assert result.record["energy"][-1] < 0.2 * result.record["energy"][0]


def test_law_file_without_the_function(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text("def other(t, q, v, memory):\n    return 0, memory\n")
    document = scene(THESIS).text
    (tmp_path / "s.yaml").write_text(f"{document}control: {{law: python, file: law.py}}\n")
    with pytest.raises(percuss.ScenarioError, match=r"no function 'law'.*other"):
        percuss.run(percuss.load(tmp_path / "s.yaml"), allow_code=True)


def test_memory_needs_a_period() -> None:
    def remembering(plant: Plant) -> Any:
        del plant
        return user_law(lambda t, q, v, m: (0.0 * v[:5], m), memory=np.zeros(1))  # noqa: ARG005

    with pytest.raises(SimulationError, match="needs a period"):
        percuss.run(scene(THESIS), control=remembering)


def test_hopeless_gains_end_with_an_explanation() -> None:
    def explosive(plant: Plant) -> Any:
        del plant
        return user_law(lambda t, q, v, m: (1e3 * v[:5] ** 3, m))  # noqa: ARG005

    with pytest.raises(SimulationError, match=r"stopped at .* s of 10 s"):
        percuss.run(scene(THESIS, impact__closure="weld"), control=explosive)
