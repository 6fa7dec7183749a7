"""What other people's scripts rely on: files in, identify.json out, of the thesis's captures.

The motions are computed by `plane_motion`, which shares nothing with the program's dynamics; the
scenario file has no velocity of the target. Numbers are those of PHYSICS.md section 8.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from percuss.identification.data.measured import Measured, read_measured
from percuss.identification.data.sensors import read_sensors
from percuss.identification.identification import identify
from percuss.scenario import load
from tests.cli.test_run import percuss_command
from tests.identification.cases import SCENARIOS
from tests.identification.plane_motion import Robot, motion

Array = NDArray[np.float64]
TIMES = np.arange(1, 501) / 100
NOISE = {"joint.1": 1e-4, "joint.2": 1e-4, "base.x": 1e-3, "base.y": 1e-3, "base.angle": 1e-3}
SENSORS = "{joint: {noise: 1.0e-4}, base.position: {noise: 1.0e-3}, base.angle: {noise: 1.0e-3}}\n"
VELOCITY = {1: (-1.0, 0.0, 0.0), 2: (0.0, -1.0, 0.0)}
"""Of the target before the impact (m/s, m/s, rad/s), by simulation."""
BODY = {"mass": 15.0, "inertia": 7.5, "com.x": 0.0, "com.y": 0.0}
CRAMER_RAO = {"pin": (9.87e-6, 1.394e-4, 1.298e-5), "weld": (1.011e-5, 1.394e-4, 1.285e-5)}
ALL = "velocity,mass,inertia,com"
AT_ONCE = "vx", "vy", "omega"


def truth(number: int) -> dict[str, float]:
    return dict(zip(AT_ONCE, VELOCITY[number], strict=True)) | BODY


def shown(closure: str, quantities: dict[str, float], times: Array = TIMES) -> dict[str, Array]:
    """What exact sensors show; the centre of mass 1 m beyond the tool, `com` in target axes."""
    arm = 1j + np.exp(1j * (1.5 * np.pi - 0.5)) * (quantities["com.x"] + 1j * quantities["com.y"])
    body = {
        "mass": quantities["mass"],
        "inertia": quantities["inertia"],
        "time": 0.0,
        "linear": quantities["vx"] + 1j * quantities["vy"],
        "angular": quantities["omega"],
        "arm": arm,
    }
    batch = {name: np.array([value]) for name, value in body.items()}
    table = motion(Robot(), closure, batch, times.tolist(), tuple(NOISE))[..., 0]
    return dict(zip(NOISE, table, strict=True))


def noisy(closure: str, quantities: dict[str, float], seed: int = 4) -> dict[str, Array]:
    random = np.random.default_rng([seed, 31])
    exact = shown(closure, quantities)
    return {name: x + NOISE[name] * random.normal(size=x.shape) for name, x in exact.items()}


def differ(one: dict[str, Array], other: dict[str, Array]) -> float:
    """How far apart two motions are: root of χ²."""
    return float(np.sqrt(sum((((one[n] - other[n]) / NOISE[n]) ** 2).sum() for n in NOISE)))


def write(path: Path, columns: dict[str, Array], times: Array = TIMES) -> Path:
    rows = [",".join(("time", *columns))]
    for k, time in enumerate(times):
        entries = ["" if np.isnan(x[k]) else repr(float(x[k])) for x in columns.values()]
        rows.append(",".join((repr(float(time)), *entries)))
    path.write_text("\n".join(rows) + "\n")
    return path


def scenario_file(folder: Path, closure: str) -> Path:
    """Simulation 1, or 2: they differ in the velocity only, which is left out."""
    lines = (SCENARIOS / "thesis-1.yaml").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("  velocity:")]
    path = folder / f"{closure}.yaml"
    path.write_text("\n".join(kept).replace("closure: pin", f"closure: {closure}") + "\n")
    return path


def answer(folder: Path, measured: Path, closure: str, unknown: str) -> dict[str, Any]:
    """As `identify.json` holds it."""
    (folder / "sensors.yaml").write_text(SENSORS)
    found = identify(
        load(scenario_file(folder, closure)),
        read_measured(measured),
        read_sensors(folder / "sensors.yaml"),
        unknown.split(","),
        advice=False,
    )
    return json.loads(json.dumps(found.document()))


def consistent(document: dict[str, Any], true: dict[str, float]) -> None:
    """Keys, their order, the covariance, and errors within 4 σ."""
    estimate, sigma = document["estimate"], document["sigma"]
    assert list(estimate) == list(sigma) == document["order"], "names in one order"
    covariance = np.array(document["covariance"]).reshape(len(estimate), len(estimate))
    assert np.allclose(covariance, covariance.T, rtol=1e-12, atol=0)
    assert np.allclose(np.sqrt(np.diag(covariance)), list(sigma.values()), rtol=1e-9)
    for name, value in estimate.items():
        off = (value - true[name]) / sigma[name]
        assert abs(off) < 4, f"{name} = {value} is {off:.1f} σ from the truth, {true[name]}"
    for hidden in document["unobservable"]:
        assert hidden["words"]
        assert not set(estimate) >= set(hidden["direction"])
    assert {"residual_rms", "degrees_of_freedom", "warnings"} <= set(document["fit"])


@pytest.mark.parametrize("closure", ["pin", "weld"])
def test_simulation_1_by_the_command_line(
    closure: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = write(tmp_path / "measured.csv", noisy(closure, truth(1)))
    sensors = tmp_path / "sensors.yaml"
    sensors.write_text(SENSORS)
    line = ["--scenario", scenario_file(tmp_path, closure), "--sensors", sensors, "--json"]
    out = tmp_path / "found"
    arguments = ["identify", measured, *line, "--unknown", "velocity", "--out", out]
    assert percuss_command(monkeypatch, *arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((out / "identify.json").read_text())
    consistent(document, truth(1))
    assert list(document["estimate"]) == list(AT_ONCE)
    assert np.allclose(list(document["sigma"].values()), CRAMER_RAO[closure], rtol=0.02)
    assert document["known"] == document["unobservable"] == document["fit"]["warnings"] == []
    assert document["fit"]["degrees_of_freedom"] == 2500 - 3
    assert abs(document["fit"]["residual_rms"] - 1) < 4 / np.sqrt(2 * 2497)


def test_everything_of_simulation_1_with_a_pin(tmp_path: Path) -> None:
    """Bounds hold at the truth; at an estimate 1 σ away that of the inertia is 2 % another."""
    true = truth(1)
    files = {"exact.csv": shown("pin", true), "noisy.csv": noisy("pin", true)}
    exact, found = (
        answer(tmp_path, write(tmp_path / name, columns), "pin", ALL)
        for name, columns in files.items()
    )
    for document in (exact, found):
        consistent(document, true)
        assert set(document["estimate"]) == {*AT_ONCE, *BODY}
        assert document["unobservable"] == []
    assert found["fit"]["warnings"] == []
    assert exact["sigma"]["mass"] == pytest.approx(0.00959, rel=0.02)
    assert exact["sigma"]["inertia"] == pytest.approx(0.0606, rel=0.02)
    for name, value in exact["estimate"].items():
        assert abs(value - true[name]) < 1e-3 * exact["sigma"][name], f"{name} without noise"


def test_the_spin_of_simulation_2_with_a_pin_is_no_number(tmp_path: Path) -> None:
    measured = write(tmp_path / "measured.csv", noisy("pin", truth(2)))
    document = answer(tmp_path, measured, "pin", "velocity")
    consistent(document, truth(2))
    assert document["order"] == ["vy"]
    (hidden,) = document["unobservable"]
    assert hidden["words"] == "rotation about the contact point"
    (known,) = document["known"]

    def moved(direction: dict[str, float], size: float) -> float:
        there = {n: x + size * direction.get(n, 0.0) for n, x in truth(2).items()}
        return differ(shown("pin", there), shown("pin", truth(2)))

    assert moved(hidden["direction"], 1e-3) < 0.05, "what is called hidden changes nothing"
    step = 10 * known["sigma"] / sum(x**2 for x in known["direction"].values())
    assert moved(known["direction"], step) > 9, "what is called known to σ shows at 10 σ"
    at_truth = sum(x * truth(2)[n] for n, x in known["direction"].items())
    assert abs(known["value"] - at_truth) < 4 * known["sigma"]


def test_a_spin_that_is_there_is_found_though_a_small_one_would_hide(tmp_path: Path) -> None:
    spinning = truth(2) | {"vx": -0.4, "omega": 0.4}
    measured = write(tmp_path / "measured.csv", noisy("pin", spinning))
    document = answer(tmp_path, measured, "pin", "velocity")
    consistent(document, spinning)
    assert set(document["estimate"]) == set(AT_ONCE)
    assert document["sigma"]["omega"] < 1e-3
    assert document["unobservable"] == []


def test_the_body_of_simulation_2_is_no_number_even_with_a_weld(tmp_path: Path) -> None:
    measured = write(tmp_path / "measured.csv", noisy("weld", truth(2)))
    document = answer(tmp_path, measured, "weld", ALL)
    consistent(document, truth(2))
    assert not set(document["estimate"]) & {*BODY, "vy", "omega"}
    assert len(document["unobservable"]) >= 4
    assert document["fit"]["warnings"] == []
    # Both go on together with the momentum of the target: 15 kg · −1 m/s = 135 kg · −1/9 m/s.
    words = "velocity of the contact point just after the impact along y"
    (known,) = (c for c in document["known"] if c["words"] == words)
    assert abs(known["value"] + 1 / 9) < 4 * known["sigma"] < 1e-3


@pytest.mark.parametrize(("true", "assumed"), [("pin", "weld"), ("weld", "pin")])
def test_a_wrong_closure_is_warned_of(true: str, assumed: str, tmp_path: Path) -> None:
    measured = write(tmp_path / "measured.csv", noisy(true, truth(1)))
    warnings = answer(tmp_path, measured, assumed, "velocity")["fit"]["warnings"]
    assert any("model is wrong" in warning for warning in warnings)


def test_a_fast_tumble_for_20_s_is_no_trap(tmp_path: Path) -> None:
    """A long record has many minima: beginning at rest finds the one that is true."""
    true = truth(1) | {"vx": 2.0, "vy": -1.0, "omega": 1.5}
    times = np.arange(1, 401) / 20
    exact = shown("pin", true, times)
    random = np.random.default_rng(8)
    columns = {name: x + NOISE[name] * random.normal(size=x.shape) for name, x in exact.items()}
    measured = write(tmp_path / "measured.csv", columns, times)
    document = answer(tmp_path, measured, "pin", "velocity")
    consistent(document, true)
    assert set(document["estimate"]) == set(AT_ONCE)
    assert document["fit"]["warnings"] == []


def test_forms_of_a_file_do_not_matter(tmp_path: Path) -> None:
    """Order of columns, names of joints, netCDF; blanks are samples that are missing."""
    import xarray

    columns = noisy("pin", truth(1))
    random = np.random.default_rng(1)
    holes = {n: np.where(random.random(x.shape) < 0.3, np.nan, x) for n, x in columns.items()}
    named = {n.replace("joint.", "joint.joint"): holes[n] for n in reversed(list(NOISE))}
    table = xarray.Dataset({n: ("time", x) for n, x in holes.items()}, {"time": TIMES})
    table.to_netcdf(tmp_path / "measured.nc")
    files = [write(tmp_path / "a.csv", holes), write(tmp_path / "b.csv", named)]
    found = [
        answer(tmp_path, path, "pin", "velocity") for path in (*files, tmp_path / "measured.nc")
    ]
    consistent(found[0], truth(1))
    count = sum(np.isfinite(x).sum() for x in holes.values())
    assert found[0]["fit"]["degrees_of_freedom"] == count - 3
    for other in found[1:]:
        for name, value in found[0]["estimate"].items():
            assert abs(other["estimate"][name] - value) < 1e-3 * found[0]["sigma"][name]


def test_measurements_in_memory_are_those_of_a_file(tmp_path: Path) -> None:
    columns = noisy("weld", truth(1))
    back = read_measured(write(tmp_path / "measured.csv", columns))
    same = Measured(TIMES, columns)
    assert np.array_equal(back.time, same.time)
    assert all(np.array_equal(back.columns[name], same.columns[name]) for name in NOISE)
