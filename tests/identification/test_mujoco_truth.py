"""What MuJoCo's own captures tell of the target is what MuJoCo's target did.

MuJoCo holds with a constraint that takes a few tenths of a millisecond, so that its jump is not
quite that of an instant. The error of that is measured here without noise: it is linear in the
constraint's time constant, and at speeds of a capture a fraction of a standard deviation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from percuss.identification.data.sensors import sensors_of
from percuss.identification.identification import identify
from percuss.identification.result import Identification
from percuss.scenario import Scenario, load
from tests.identification.cases import SCENARIOS
from tests.identification.mujoco_capture import SETTLING, Capture, mujoco_capture
from tests.studies import cases

Array = NDArray[np.float64]

PLANAR = {"joint": 1e-4, "base.position": 1e-3, "base.angle": 1e-3}
SPATIAL = {"joint": 1e-4, "base.position": 1e-3, "base.orientation": 1e-3, "gyro": 1e-3}
TORQUE = {"joint_torque": 1e-2}
LOOSE = {"control": {"law": "none"}}
FLOATING = LOOSE | {"chaser.mode": "free-floating"}


def _held(*gains: tuple[float, float], base: int) -> dict[str, Any]:
    """A pd law with (kp, kd) of each joint, the first of them for the base's rates too."""
    kp, kd = zip(*[gains[0]] * base, *gains, strict=True)
    return {"control": {"law": "pd", "kp": list(kp), "kd": list(kd)}}


ARM = _held(*[(10, 4)] * 7, base=6)
BOX = {"shape": "box", "mass": 1000.0, "size": [1.2, 1.0, 1.6], "contact": [-0.6, 0.1, 0.2]}
"""A target whose inertia is that of its shape: it goes with the mass."""


@dataclass(frozen=True)
class Plan:
    """A kind of capture: what is known of it, how fast targets come, and how it is measured.

    `linear` (m/s) and `angular` (rad/s) are bounds of the speeds, `unknown` what is asked for,
    `wrong` what the scenario that is known has otherwise than MuJoCo.
    """

    file: str
    linear: tuple[float, float]
    angular: tuple[float, float]
    noise: Mapping[str, float]
    settings: Mapping[str, Any] = field(default_factory=dict)
    duration: float = 2.0
    rate: float = 100.0
    unknown: tuple[str, ...] = ("velocity",)
    wrong: Mapping[str, Any] = field(default_factory=dict)

    def scenario(self, **changes: Any) -> Scenario:
        more = {name.replace("__", "."): value for name, value in changes.items()}
        given = {**self.settings, "duration": self.duration, **more}
        return load(SCENARIOS / f"{self.file}.yaml", given)

    def capture(self, seed: int, settling: float | None = SETTLING) -> Capture:
        """A target that comes from anywhere, turning about any axis."""
        random = np.random.default_rng(seed)
        time = np.arange(1, round(self.duration * self.rate) + 1) / self.rate
        axes, spins = (2, 1) if "base.angle" in self.noise else (3, 3)
        linear = _direction(random, axes) * random.uniform(*self.linear)
        angular = _direction(random, spins) * random.uniform(*self.angular)
        spin = angular.tolist() if spins == 3 else float(angular[0])
        velocity = {"linear": linear.tolist(), "angular": spin}
        return mujoco_capture(self.scenario(target__velocity=velocity), time, settling=settling)

    def identified(self, capture: Capture, seed: int | None) -> Identification:
        sensors = sensors_of({kind: {"noise": sigma} for kind, sigma in self.noise.items()})
        known = self.scenario(**self.wrong)
        measured = capture.measured(self.noise, seed)
        return identify(known, measured, sensors, self.unknown, advice=False)

    def truth(self, capture: Capture) -> dict[str, float]:
        """Of everything that may be asked for: velocities of the flight in MuJoCo, the rest as
        MuJoCo's model was made."""
        target = self.scenario().start.target
        assert target is not None
        planar = len(capture.velocity) == 3
        names = ("vx", "vy", "omega") if planar else ("vx", "vy", "vz", "wx", "wy", "wz")
        found = dict(zip(names, capture.velocity.tolist(), strict=True))
        body = target.base
        return found | {"mass": float(body.mass), "inertia": float(body.inertia.zz)}  # type: ignore[arg-type]

    def errors(self, capture: Capture, found: Identification) -> Array:
        """(estimate - truth) / σ of everything asked for."""
        truth = self.truth(capture)
        assert len(found.estimate) == len(found.unknowns), f"without a number: {found.rows}"
        return np.array([(x - truth[k]) / found.sigma[k] for k, x in found.estimate.items()])


def _direction(random: np.random.Generator, axes: int) -> Array:
    drawn = random.normal(size=axes)
    return drawn / np.linalg.norm(drawn)


PLANS = {
    "planar pin": Plan("thesis-1", (0.3, 0.6), (0.1, 0.4), PLANAR),
    "planar pin, mass and inertia": Plan(
        "thesis-1",
        (0.3, 0.6),
        (0.1, 0.4),
        PLANAR,
        unknown=("velocity", "mass", "inertia"),
        wrong={"target__mass": 11.0, "target__inertia": 9.0},
        duration=4.0,
        rate=50.0,
    ),
    "planar weld": Plan("tumbling-2d", (0.05, 0.2), (0.1, 0.4), PLANAR, LOOSE),
    "planar weld, held": Plan(
        "tumbling-2d",
        (0.05, 0.2),
        (0.1, 0.4),
        PLANAR | TORQUE,
        _held((50, 50), (50, 30), (20, 10), base=3),
    ),
    "spatial pin": Plan("pin-3d", (0.02, 0.05), (0.04, 0.12), SPATIAL, duration=3.0, rate=50.0),
    "spatial weld": Plan("tumbling-3d", (0.02, 0.06), (0.02, 0.06), SPATIAL, FLOATING, rate=50.0),
    "spatial weld, held": Plan(
        "tumbling-3d",
        (0.02, 0.1),
        (0.02, 0.1),
        SPATIAL | TORQUE,
        FLOATING | ARM,
        duration=1.5,
        rate=50.0,
    ),
    "planar weld, mass of a box": Plan(
        "tumbling-2d",
        (0.05, 0.2),
        (0.1, 0.4),
        PLANAR,
        LOOSE,
        unknown=("velocity", "mass"),
        wrong={"target__mass": 48.0},
    ),
    "spatial weld, mass of a box": Plan(
        "tumbling-3d",
        (0.02, 0.06),
        (0.02, 0.06),
        SPATIAL,
        FLOATING | {"target": BOX},
        unknown=("velocity", "mass"),
        wrong={"target__mass": 800.0},
        duration=4.0,
        rate=25.0,
    ),
}
SEEDS = {name: range(cases(1, 3 if name.startswith("planar") else 2)) for name in PLANS}


@cache
def _captured(name: str, seed: int) -> Capture:
    capture = PLANS[name].capture(seed)
    assert capture.gap < 1e-9, "they touch when the constraint is switched on"
    assert capture.stretch < 1e-8, "the hard constraint holds them together"
    return capture


@cache
def _seen(name: str, seed: int) -> tuple[Identification, Array]:
    """What noisy measurements of a capture tell, and its errors in standard deviations."""
    plan, capture = PLANS[name], _captured(name, seed)
    found = plan.identified(capture, _noise_seed(name, seed))
    return found, plan.errors(capture, found)


def _size(found: Identification, errors: Array) -> float:
    """√(eᵀ Σ⁻¹ e): the largest error that any combination has, in its own σ."""
    sigmas = np.array(list(found.sigma.values()))
    correlation = found.covariance / np.outer(sigmas, sigmas)
    return float(np.sqrt(errors @ np.linalg.solve(correlation, errors)))


def _noise_seed(name: str, seed: int) -> int:
    """Noise of its own for each capture, so that their errors are independent."""
    return 1 + 10 * list(PLANS).index(name) + seed


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "seed"), [(n, seed) for n in PLANS for seed in SEEDS[n]])
def test_the_target_was_doing_what_it_did_in_mujoco(name: str, seed: int) -> None:
    found, errors = _seen(name, seed)
    told = dict(zip(found.estimate, errors.round(2).tolist(), strict=True))
    assert np.abs(errors).max() < 3.0, f"off by so many σ: {told}"
    assert not found.warnings, found.warnings
    samples = found.fit.samples
    low, high = chi2.ppf([1e-4, 1 - 1e-4], found.fit.freedom) / samples
    assert low < found.fit.rms**2 < high, f"residuals of {found.fit.rms:.3f} σ"


@pytest.mark.sampled
def test_errors_of_all_captures_together_are_those_stated() -> None:
    """eᵀ Σ⁻¹ e of each is a χ², and so is their sum."""
    total, count = 0.0, 0
    for name in PLANS:
        for seed in SEEDS[name]:
            found, errors = _seen(name, seed)
            total += _size(found, errors) ** 2
            count += len(errors)
    assert chi2.sf(total, count) > 1e-4, f"χ² = {total:.1f} of {count}: overconfident"
    assert chi2.cdf(total, count) > 1e-4, f"χ² = {total:.1f} of {count}: σ too large"


@pytest.mark.parametrize("name", list(PLANS))
def test_the_bias_of_mujocos_settling_is_below_the_noise(name: str) -> None:
    plan, capture = PLANS[name], _captured(name, 0)
    found = plan.identified(capture, None)
    bias = plan.errors(capture, found)
    assert np.abs(bias).max() < 0.25, f"bias in σ: {bias.round(3)}"
    worst = _size(found, bias)
    assert worst < 1.25, f"some combination is off by {worst:.2f} of its σ"


def test_a_fast_capture_is_right_when_mujoco_settles_in_no_time() -> None:
    """0.3 m/s and a weld: MuJoCo's settling is seen, halves with its time, and vanishes with it."""
    plan = Plan("tumbling-3d", (0.3, 0.3), (0.1, 0.1), SPATIAL, FLOATING, duration=1.0, rate=50.0)
    found = []
    for settling in (SETTLING, SETTLING / 2.0):
        capture = plan.capture(1, settling)
        found.append(plan.errors(capture, plan.identified(capture, None)))
    slow, fast = found
    size = float(np.abs(slow).max())
    assert size > 0.5, "too small to say anything"
    left = 2.0 * fast - slow
    assert np.abs(left).max() < 0.02 * size, f"bias {slow} then {fast}: not linear in the time"


@pytest.mark.parametrize("name", list(PLANS))
def test_a_constraint_that_yields_is_noticed(name: str) -> None:
    """MuJoCo's constraint as it is where nothing is said: 20 ms, and the warning is about it."""
    plan = PLANS[name]
    found = plan.identified(plan.capture(0, settling=None), _noise_seed(name, 0))
    assert any("the model is wrong" in warning for warning in found.warnings), found.warnings
