"""Free flight in a circular orbit: drift and libration against their closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

import percuss
from percuss.control.guidance.prediction import predicted_state
from percuss.dynamics import CircularOrbit
from percuss.dynamics.orbit import EARTH_GRAVITATIONAL_PARAMETER, FIELDS
from tests.encounter.encounters import scenario

Array = np.ndarray
LOW = {"altitude": "500 km"}

FREE: dict[str, Any] = {
    "name": "free",
    "orbit": LOW,
    "chaser": {"robot": "demo-7", "mode": "free-floating"},
    "target": {
        "mass": 10,
        "inertia": {"xx": 1, "yy": 3, "zz": 2.5},
        "contact": [0.1, 0, 0],
        "position": [120.0, -340.0, 80.0],
        "orientation": {"rpy": [0, 0, 0.5]},
        "velocity": {"linear": [0.05, -0.2, 0.03]},
    },
    "approach": {"capture-radius": 0.001, "timeout": 5677.0},
    "impact": {"closure": "weld"},
    "duration": 1,
    "output": {"samples": 101},
}
"""A target that flies by itself for a whole revolution."""


def clohessy_wiltshire(n: float, place: Any, velocity: Any, t: Array) -> tuple[Array, Array]:
    """Place and velocity (time, 3) in the local orbital frame, in closed form."""
    (x, y, z), (vx, vy, vz) = place, velocity
    c, s = np.cos(n * t), np.sin(n * t)
    there = (
        (4 - 3 * c) * x + s / n * vx + 2 / n * (1 - c) * vy,
        6 * (s - n * t) * x + y - 2 / n * (1 - c) * vx + (4 * s - 3 * n * t) / n * vy,
        c * z + s / n * vz,
    )
    moving = (
        3 * n * s * x + c * vx + 2 * s * vy,
        6 * n * (c - 1) * x - 2 * s * vx + (4 * c - 3) * vy,
        -n * s * z + c * vz,
    )
    return np.stack(there, axis=1), np.stack(moving, axis=1)


def test_drift_is_that_of_clohessy_and_wiltshire() -> None:
    """To 1e-10 m of 1.5 km after a whole revolution."""
    chosen = percuss.Scenario(**FREE)
    data = percuss.run(chosen).data
    n = float(chosen.start.orbit.mean_motion)  # type: ignore[union-attr, arg-type]
    given = FREE["target"]["position"], FREE["target"]["velocity"]["linear"]
    there, moving = clohessy_wiltshire(n, *given, data["time"].values)
    assert np.abs(there).max() > 1400.0
    assert np.abs(data["target_local_position"].values - there).max() < 3e-10
    assert np.abs(data["target_local_velocity"].values - moving).max() < 3e-13
    np.testing.assert_allclose(data["orbit_angle"].values, n * data["time"].values, rtol=1e-14)


def kepler(mu: Any, place: Any, velocity: Any, t: float) -> list[Any]:
    """Position of a body on an ellipse after t (s), by Kepler's equation, with many digits."""
    r0 = mp.sqrt(sum(x * x for x in place))
    turning = sum(x * v for x, v in zip(place, velocity, strict=True)) / mp.sqrt(mu)
    a = 1 / (2 / r0 - sum(v * v for v in velocity) / mu)
    n = mp.sqrt(mu / a**3)

    def late(change: Any) -> Any:
        """Mean anomaly less n t, at a change of the eccentric anomaly."""
        c, s = mp.cos(change), mp.sin(change)
        return change + turning / mp.sqrt(a) * (1 - c) - (1 - r0 / a) * s - n * t

    change = mp.findroot(late, n * t)
    c, s = mp.cos(change), mp.sin(change)
    f, g = 1 - a / r0 * (1 - c), t + (s - change) / n
    return [f * x + g * v for x, v in zip(place, velocity, strict=True)]


def test_exact_field_is_the_difference_of_two_orbits() -> None:
    """Against Kepler's ellipse with forty digits, and an integration of both orbits by SciPy."""
    chosen = scenario(FREE, orbit=LOW | {"field": "two-body"})
    data = percuss.run(chosen).data
    times, found = data["time"].values, data["target_position"].values
    orbit = chosen.start.orbit
    assert orbit is not None
    radius, mu = float(orbit.semi_major_axis), EARTH_GRAVITATIONAL_PARAMETER  # type: ignore[arg-type]
    q, v = chosen.start.target_coordinates[:3], chosen.start.target_rates[:3]
    with mp.workdps(40):
        R, n = mpf(radius), mp.sqrt(mpf(mu) / mpf(radius) ** 3)
        place = [mpf(float(a)) + b for a, b in zip(q, (R, 0, 0), strict=True)]
        moving = [mpf(float(a)) + b for a, b in zip(v, (0, R * n, 0), strict=True)]
        for k in (1, 20, 50, 77, 100):
            t = mpf(float(times[k]))
            origin = (R * mp.cos(n * t), R * mp.sin(n * t), 0)
            there = kepler(mpf(mu), place, moving, t)
            wanted = [float(a - b) for a, b in zip(there, origin, strict=True)]
            assert np.abs(found[k] - wanted).max() < 3e-10, f"at {times[k]} s"

    def rates(_: float, x: Array) -> Array:
        return np.concatenate([x[3:], -mu * x[:3] / np.linalg.norm(x[:3]) ** 3])

    circle = np.array([radius, 0.0, 0.0, 0.0, radius * float(n), 0.0])
    ends = [
        solve_ivp(rates, (0, times[-1]), start, "DOP853", rtol=1e-13, atol=1e-9).y[:3, -1]
        for start in (circle + np.concatenate([q, v]), circle)
    ]
    assert np.abs(found[-1] - (ends[0] - ends[1])).max() < 2e-5, "of 7000 km"


@pytest.mark.parametrize("near", [1.0, 10.0])
def test_first_order_differs_with_the_square_of_the_distance(near: float) -> None:
    """The drift by the linear field is off by 100 times less ten times nearer."""
    off = []
    for size in (near, 10 * near):
        ends = []
        for field in FIELDS:
            where = (size * np.array([3.0, -2.0, 1.0])).tolist()
            chosen = scenario(
                FREE, orbit=LOW | {"field": field}, target__position=where, approach__timeout=1500
            )
            chosen = percuss.with_overrides(chosen, {"target.velocity": None})
            start = chosen.start
            state = start.target_coordinates, start.target_rates
            assert start.target is not None
            ends.append(predicted_state(start.target, *state, 1500.0, orbit=start.orbit)[0][:3])
        off.append(np.linalg.norm(ends[1] - ends[0]))
    assert off[1] / off[0] == pytest.approx(100.0, rel=2e-2 / near)


def test_a_long_body_swings_about_the_vertical() -> None:
    """Libration in the plane of the orbit, α̈ = −½ω² sin 2α with ω = n √(3 (I_yy − I_xx)/I_zz).

    At 0.5 rad it is a pendulum's, sin α = k sn(ωt + K, k) with k = sin α₀; at 1e-4 rad a cosine.
    """
    for start, slack in ((0.5, 3e-10), (1e-4, 1e-10)):
        chosen = scenario(FREE, target__orientation={"rpy": [0, 0, start]})
        data = percuss.run(chosen).data
        time, q = data["time"].values, data["target_orientation"].values
        n = float(chosen.start.orbit.mean_motion)  # type: ignore[union-attr, arg-type]
        found = np.unwrap(2 * np.arctan2(q[:, 3], q[:, 0])) - n * time
        frequency, k = n * math.sqrt(3 * (3 - 1) / 2.5), math.sin(start)
        sn, *_ = ellipj(frequency * time + ellipk(k * k), k * k)
        assert np.abs(np.sin(found) - k * sn).max() < slack
        if start < 1e-3:
            assert np.abs(found - start * np.cos(frequency * time)).max() < 1e-10


def test_a_body_swings_out_of_the_plane() -> None:
    """Small angles α about the radial and β about the track's axis, moments A, B, C:

    A α̈ = n² (B − C) α + n (A + B − C) β̇,   B β̈ = 4 n² (A − C) β − n (A + B − C) α̇.
    """
    A, B, C = 1.0, 3.0, 2.5
    n = float(CircularOrbit.at_altitude(500e3).mean_motion)  # type: ignore[arg-type]
    a0, b0 = 3e-5, -2e-5  # about x and y
    chosen = scenario(FREE, target__orientation={"rpy": [a0, b0, 0.0]})
    data = percuss.run(chosen).data
    time, q = data["time"].values, data["target_orientation"].values
    s = A + B - C
    system = np.array(
        [
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [n**2 * (B - C) / A, 0, 0, n * s / A],
            [0, 4 * n**2 * (A - C) / B, -n * s / B, 0],
        ]
    )
    for k in (10, 50, 100):
        t = float(time[k])
        alpha, beta, *_ = expm(system * t) @ [a0, b0, 0.0, 0.0]
        turn = percuss.Quaternion(*q[k].tolist()).to_rotation().array()
        c, sn = math.cos(n * t), math.sin(n * t)
        local = np.array([[c, sn, 0], [-sn, c, 0], [0, 0, 1]]) @ np.asarray(turn, float)
        found = np.array([local[2, 1], -local[2, 0]])
        assert np.abs(found - [alpha, beta]).max() < 3e-9, f"at {t} s"


def test_prediction_is_the_flight_of_the_run() -> None:
    """The planners' target and the integrated one, a revolution later."""
    chosen = percuss.Scenario(**FREE)
    start, record = chosen.start, percuss.run(chosen).record
    state = start.target_coordinates, start.target_rates
    assert start.target is not None
    q, v = predicted_state(start.target, *state, 5677.0, orbit=start.orbit)
    assert np.abs(q[:3] - record["target_position"][-1]).max() < 3e-8
    assert np.abs(v - record["target_velocity"][-1]).max() < 1e-10
    straight, _ = predicted_state(start.target, *state, 5677.0)
    assert np.linalg.norm(straight[:3] - q[:3]) > 1000.0
