"""How fast targets are identified: fits, whole identifications, and the coverage study.

Run with `make bench`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.identification.studies import STUDIES, coverage_of

import percuss
from benchmarks.table import Row, best_of
from percuss.identification.data.channels import all_names
from percuss.identification.data.sensors import sensors_of
from percuss.identification.data.synthesis import synthesise
from percuss.identification.estimate.fit import fit
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.engine_model import EngineModel
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.identification import identify

SCENARIOS = Path(__file__).parents[1] / "scenarios"
NOISE = {"joint": 1e-4, "base.position": 1e-3, "base.angle": 1e-3, "base.orientation": 1e-3}


def _fitted(name: str, groups: list[str], rate: float, away: float) -> tuple[float, float]:
    """Seconds of a fit with eight starts after compiling, and its worst error in σ."""
    scenario = percuss.load(SCENARIOS / f"{name}.yaml")
    attitude = "base.angle" if scenario.is_planar else "base.orientation"
    names = all_names(scenario.start.chaser, ("joint", "base.position", attitude))
    unknowns = Unknowns(scenario, groups)
    model = ForwardModel(scenario, unknowns, names, np.arange(1, 501) / rate)
    truth = unknowns.start + away * unknowns.scale
    exact = model(truth).reshape(len(model.channels), len(model.times), 1)
    measured = Weighting(model, NOISE).disturbed(exact, np.random.default_rng(1))[..., 0]
    found = fit(model, measured, NOISE)
    gap = found.values - np.asarray(unknowns.quantities(truth), float)
    worst = float(np.abs(gap / found.sigmas).max()) if found.known.all() else float("inf")
    return best_of(lambda: fit(model, measured, NOISE), 3), worst


def fits() -> list[Row]:
    """Fits of 500 samples with eight starts, in the plane and in space."""
    rows: list[Row] = []
    for name, groups, rate, bar in (
        ("thesis-1", ["velocity"], 100.0, "≤ 0.2 s"),
        ("pin-3d", ["velocity", "inertia"], 50.0, "≤ 5 s"),
    ):
        seconds, worst = _fitted(name, groups, rate, 0.1)
        scenario = percuss.load(SCENARIOS / f"{name}.yaml")
        count = len(Unknowns(scenario, groups))
        work = f"fit of {name}, {count} unknowns, 500 samples, 8 starts, after compiling"
        figure = f"{seconds:.2f} s, errors up to {worst:.1f} σ"
        rows.append(Row(work, f"{seconds:.2f} s", "", figure, bar))
    return rows


COLD = """
from benchmarks.identification import identified
identified("thesis-1", ["velocity"], 1.01)()
"""
"""What a fresh process does that identifies once."""


def identified(name: str, groups: list[str], heavier: float) -> Callable[[], object]:
    """What identifies a record of 500 samples in ten seconds.

    The target is as many times as heavy as the scenario says if its mass is asked for; else it
    comes so much faster.
    """
    ten = {"duration": 10.0}
    scenario = percuss.with_overrides(percuss.load(SCENARIOS / f"{name}.yaml"), ten)
    attitude = "base.angle" if scenario.is_planar else "base.orientation"
    kinds = ("joint", "base.position", attitude)
    sensors = sensors_of({kind: {"noise": NOISE[kind]} for kind in kinds})
    target = scenario.start.target
    assert target is not None
    assert scenario.target is not None
    assert scenario.target.velocity.linear is not None
    faster = {"target.velocity.linear": [heavier * v for v in scenario.target.velocity.linear]}
    changed = {"target.mass": heavier * float(target.base.mass)} if "mass" in groups else faster  # type: ignore[arg-type]
    record = synthesise(percuss.with_overrides(scenario, changed), sensors, seed=1, rate=50.0)

    def work() -> object:
        return identify(scenario, record, sensors, groups, advice=False)

    return work


def whole() -> list[Row]:
    """Identifications from the record to the result."""
    rows: list[Row] = []
    for name, groups, bar in (
        ("thesis-1", ["velocity"], "≤ 0.1 s"),
        ("pin-3d", ["velocity", "mass", "inertia", "com"], "≤ 20 s"),
    ):
        work = identified(name, groups, 1.1)
        seconds = best_of(work, 3 if name == "thesis-1" else 1)
        count = len(Unknowns(percuss.load(SCENARIOS / f"{name}.yaml"), groups))
        what = f"identify in {name}, {count} unknowns, 500 samples, 8 starts, after compiling"
        rows.append(Row(what, f"{seconds:.2f} s", "", f"{seconds:.2f} s", bar))
    began = time.perf_counter()
    nothing_kept = {**os.environ, "PERCUSS_CACHE": "off"}
    subprocess.run([sys.executable, "-c", COLD], check=True, env=nothing_kept)
    seconds = time.perf_counter() - began
    what = "identify in thesis-1, 3 unknowns, a fresh process with nothing cached"
    rows.append(Row(what, f"{seconds:.2f} s", "", f"{seconds:.2f} s", "≤ 2 s"))
    return rows


def models() -> list[Row]:
    """Values and derivatives of 100 samples in fixed steps, beside the engine's own phases.

    The equations are the same; fixed steps are what lets a fit of a few unknowns take 0.1 s.
    """
    rows: list[Row] = []
    for name, groups in (("thesis-1", ["velocity", "mass"]), ("pin-3d", ["velocity", "mass"])):
        scenario = percuss.load(SCENARIOS / f"{name}.yaml")
        unknowns = Unknowns(scenario, groups)
        names = all_names(scenario.start.chaser, ("joint", "base.position"))
        for cases in (1, 32):
            theta = np.repeat(unknowns.start[:, None], cases, axis=1)
            seconds: list[float] = []
            for kind in (ForwardModel, EngineModel):
                model = kind(scenario, unknowns, names, np.arange(1, 101) / 20.0)
                model.linearised(theta)  # compiles
                seconds.append(best_of(lambda m=model, x=theta: m.linearised(x), 5))
            quick, engine = seconds
            work = f"what sensors show, {name}, {len(unknowns)} derivatives, cases: {cases}"
            ratio = f"fixed steps are {engine / quick:.1f}x as quick as the engine's phases"
            rows.append(Row(work, f"{1e3 * quick:.1f} ms", f"{1e3 * engine:.1f} ms", ratio, "≥ 1"))
    return rows


def study() -> list[Row]:
    """The coverage study of the tests."""
    started = time.perf_counter()
    found = [coverage_of(study) for study in STUDIES]
    seconds = time.perf_counter() - started
    cases = sum(study.cases for study in STUDIES)
    counts = [counted for one in found for counted in one.counts]
    share = sum(c.held for c in counts) / sum(c.given for c in counts)
    work = f"coverage study, {cases:,} targets identified with four starts or more"
    figure = f"{100 * share:.1f} % of 95 % intervals hold the truth"
    return [Row(work, f"{seconds:.0f} s", "", figure, "≤ 600 s")]


def jobs() -> list[tuple[str, Callable[[], list[Row]]]]:
    return [
        ("identification: fits", fits),
        ("identification: from record to result", whole),
        ("identification: models", models),
        ("identification: coverage", study),
    ]
