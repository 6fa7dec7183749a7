"""A proposed manoeuvre does what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from percuss.encounter.actuation import effort_limits
from percuss.identification.data.sensors import sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.information import information
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.identification import identify
from percuss.identification.observability.excitation import Excitation
from percuss.identification.observability.manoeuvre import ExcitedModel, burst, peak
from percuss.identification.observability.proposal import propose
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, load
from tests.identification.cases import NOISE, SCENARIOS, thesis

Array = NDArray[np.float64]
CHANNELS = ["joint.1", "joint.2", "base.x", "base.y", "base.angle"]
SIGMAS = np.array([1e-4, 1e-4, 1e-3, 1e-3, 1e-3])
JOINTS = ["joint1", "joint2"]
TIMES = np.arange(1, 101) / 20


def model_of(scenario: Scenario, groups: list[str]) -> ForwardModel:
    return ForwardModel(scenario, Unknowns(scenario, groups), CHANNELS, TIMES)


@pytest.fixture(scope="module")
def proposed() -> Excitation:
    model = model_of(thesis(2), ["velocity"])
    return propose(model, NOISE, model.unknowns.start)


def test_the_spin_of_simulation_2_becomes_known(proposed: Excitation) -> None:
    """Nothing tells it while the arm is straight and still; a swing of the arm does."""
    assert list(proposed.before.known) == [False, True, False]
    assert proposed.after.known.all()
    assert proposed.factors["omega"] == np.inf
    assert "omega becomes known" in proposed.words
    assert proposed.travel <= 0.3


def as_law(proposed: Excitation, scenario: Scenario, folder: Path) -> dict[str, object]:
    """The manoeuvre as a law of the user's own, written from its sines; the change of scenario."""
    chaser = scenario.start.chaser
    entries = ["0.0 * t"] * chaser.rate_count
    entries[chaser.node(chaser.joint(proposed.joint).child).rates.start] = " + ".join(
        f"{a!r} * np.sin({2.0 * np.pi * f!r} * t)" for a, f in proposed.sines
    )
    (folder / "swing.py").write_text(
        "import numpy as np\n"
        "def law(t, q, v, memory):\n"
        f"    return np.stack([{', '.join(entries)}]), memory\n"
    )
    return {"control": {"law": "python", "file": "swing.py"}}


def test_what_is_promised_is_found_by_another_simulation(
    proposed: Excitation, tmp_path: Path
) -> None:
    """The torque as a law of the user's own, integrated adaptively; slopes by differences."""
    place = tmp_path / "scenario.yaml"
    place.write_text((SCENARIOS / "thesis-2.yaml").read_text())
    law = as_law(proposed, thesis(2), tmp_path)
    sensors = sensors_of({kind: {"noise": 1.0} for kind in NOISE if kind != "base.orientation"})

    def shown(velocity: Array) -> Array:
        changed = {
            "target.velocity.linear": velocity[:2].tolist(),
            "target.velocity.angular": float(velocity[2]),
            "duration": 5.0,
            **law,
        }
        flown = load(place, changed).with_code_allowed()
        measured = synthesise(flown, sensors, names=CHANNELS, rate=20.0, noise=False)
        return np.concatenate(list(measured.columns.values()))

    start = Unknowns(thesis(2), ["velocity"]).start
    step = 4e-5
    slopes = np.stack(
        [(shown(start + step * e) - shown(start - step * e)) / (2 * step) for e in np.eye(3)],
        axis=1,
    )
    rows = slopes / np.repeat(SIGMAS, len(TIMES))[:, None]
    sigmas = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
    assert proposed.after.sigmas == pytest.approx(sigmas, rel=2e-5)


def test_a_swing_in_space_keeps_its_promise(tmp_path: Path) -> None:
    """Proposed from a first record, flown, measured with noise and fitted."""
    place = tmp_path / "scenario.yaml"
    place.write_text((SCENARIOS / "pin-3d.yaml").read_text())
    still = load(place, {"duration": 5.0})
    sensors = sensors_of(
        {
            kind: {"noise": NOISE[kind], "rate": 10}
            for kind in ("joint", "base.position", "base.orientation")
        }
    )
    names = synthesise(still, sensors, noise=False).names
    model = ForwardModel(still, Unknowns(still, ["velocity"]), names, np.arange(1, 51) / 10)
    swing = propose(model, NOISE, model.unknowns.start, quantity="vz")
    assert swing.factors["vz"] > 5.0
    chaser = still.start.chaser
    limit = effort_limits(still.encounter.control.limits, chaser)
    assert abs(swing.amplitude) <= limit[chaser.node(chaser.joint(swing.joint).child).rates.start]
    flown = load(place, {"duration": 5.0, **as_law(swing, still, tmp_path)})
    flown = flown.with_code_allowed()
    record = synthesise(flown, sensors, seed=3)
    found = identify(flown, record, sensors, starts=2, advice=False)
    assert list(found.sigma.values()) == pytest.approx(swing.after.sigmas, rel=0.03)
    errors = np.array(list(found.estimate.values())) - model.unknowns.start
    assert np.abs(errors / swing.after.sigmas).max() < 4.0
    joints = [name for name in names if name.startswith("joint.")]
    swung, plain = (synthesise(x, sensors, names=joints, noise=False) for x in (flown, still))
    off = max(np.abs(swung.columns[name] - plain.columns[name]).max() for name in joints)
    assert off == pytest.approx(swing.travel, rel=1e-3)
    assert swing.travel <= 0.3


def test_swings_that_a_law_cannot_hold_are_left_out() -> None:
    """A servicer under computed torque: some bursts throw it off, and count for nothing."""
    scenario = load(SCENARIOS / "tumbling-3d.yaml")
    names = [f"joint.{k}" for k in range(1, 8)]
    unknowns = Unknowns(scenario, ["velocity", "mass"])
    model = ForwardModel(scenario, unknowns, names, np.arange(1, 51) / 5)
    swing = propose(model, NOISE, unknowns.start)
    assert not swing.before.known[unknowns.names.index("mass")]
    assert swing.factors["mass"] == np.inf
    assert swing.travel <= 0.3
    assert np.isfinite(swing.after.sigmas).all()


def test_bursts_begin_and_end_at_rest() -> None:
    t = np.linspace(0.0, 5.0, 20001)
    for cycles in (1.0, 2.0, 8.0):
        torque = np.array([float(np.asarray(burst(x, cycles, 5.0))) for x in t])
        speed = np.cumsum(torque) * (t[1] - t[0])
        assert abs(torque[0]) < 1e-9
        assert abs(torque[-1]) < 1e-9
        assert abs(speed[-1]) < 1e-4 * np.abs(speed).max()
        place = np.cumsum(speed) * (t[1] - t[0])
        wanted = np.sin(2 * np.pi * cycles * t / 5.0) * np.sin(np.pi * t / 5.0) ** 2
        assert place == pytest.approx(wanted, abs=2e-2)
        assert peak(cycles, 5.0) == pytest.approx(np.abs(torque).max(), rel=2e-2)


def test_no_manoeuvre_is_the_plain_model_and_slopes_are_derivatives() -> None:
    model = model_of(thesis(1), ["velocity", "mass"])
    excited = ExcitedModel(model)
    theta = model.unknowns.start + np.array([0.02, -0.03, 0.05, 0.1])
    table = np.array([[0.0, 3.0], [0.0, -2.0], [1.0, 2.0]])
    values, slopes, turned = excited.excited(theta, table)
    angles = excited.joint_positions(theta, table)
    plain, plain_slopes = model.linearised(theta)
    assert values[:, 0] == pytest.approx(plain, abs=1e-8)
    assert slopes[..., 0] == pytest.approx(plain_slopes, abs=1e-7)
    assert angles[:, :, 1] == pytest.approx(values[:, 1].reshape(5, -1)[:2], abs=1e-13)
    assert turned == pytest.approx(slopes.reshape(5, -1, 4, 2)[:2], abs=1e-12)
    few, few_slopes, _ = excited.excited(theta, table, np.array([3, 99]))
    assert few == pytest.approx(values.reshape(5, -1, 2)[:, [3, 99]].reshape(10, 2), abs=1e-9)
    assert few_slopes.shape == (10, 4, 2)
    assert np.abs(values[:, 1] - plain).max() > 0.01
    step = 1e-5
    for k in range(4):
        ends = [excited.excited(theta + h * np.eye(4)[k], table)[0] for h in (step, -step)]
        difference = (ends[0] - ends[1]) / (2 * step)
        assert slopes[:, k] == pytest.approx(difference, abs=1e-7 * (1 + np.abs(slopes).max()))


def test_the_information_is_that_of_the_slopes(proposed: Excitation) -> None:
    model = model_of(thesis(2), ["velocity"])
    table = np.zeros((3, 1))
    joint = JOINTS.index(proposed.joint)
    table[joint] = proposed.amplitude / peak(proposed.cycles, proposed.length)
    table[2] = proposed.cycles
    _, slopes, _ = ExcitedModel(model).excited(model.unknowns.start, table)
    rows = slopes[..., 0] / np.repeat(SIGMAS, len(TIMES))[:, None]
    again = information(model.unknowns, model.unknowns.start, rows)
    assert proposed.after.sigmas == pytest.approx(again.sigmas, rel=1e-9)
    torque = proposed.torque(np.linspace(-1.0, 6.0, 7001))
    assert np.abs(torque).max() == pytest.approx(abs(proposed.amplitude), rel=2e-2)
    rising = np.linspace(0.0, 5.0, 11)
    factor = proposed.amplitude / peak(proposed.cycles, 5.0)
    told = [factor * float(np.asarray(burst(t, proposed.cycles, 5.0))) for t in rising]
    assert proposed.torque(rising) == pytest.approx(told, abs=1e-12)
    assert proposed.torque(0.05) * proposed.amplitude > 0.0
    assert torque[0] == torque[-1] == 0.0


def test_a_quantity_is_favoured_and_limits_are_kept() -> None:
    model = model_of(thesis(1), ["velocity", "mass", "inertia", "com"])
    start = model.unknowns.start
    any_of = propose(model, NOISE, start, torque=5.0)
    mass = propose(model, NOISE, start, torque=5.0, quantity="mass")
    assert abs(any_of.amplitude) <= 5.0
    assert abs(mass.amplitude) <= 5.0
    assert mass.factors["mass"] >= any_of.factors["mass"] > 1.0
    assert any_of.after.strengths[-1] > any_of.before.strengths[-1]
    assert "falls" in any_of.words


def test_bad_input_is_refused() -> None:
    model = model_of(thesis(2), ["velocity"])
    start = model.unknowns.start
    with pytest.raises(ModelError, match="quantity: 'spin' is not unknown here"):
        propose(model, NOISE, start, quantity="spin")
    with pytest.raises(ModelError, match="travel must be finite and > 0"):
        propose(model, NOISE, start, travel=-1.0)
    with pytest.raises(ModelError, match="torque must be finite and > 0"):
        propose(model, NOISE, start, torque=0.0)
