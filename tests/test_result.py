"""Results: the names that stay stable, and files that are whole or not there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import percuss
from percuss.io.folders import write_folder
from percuss.result import Result
from tests.encounter.scenes import SPATIAL, THESIS, TRACKING, scene

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "planar pin": (THESIS, {}),
    "planar published": (THESIS, {"impact__closure": "published", "control": TRACKING}),
    "planar bounce": (THESIS, {"impact": {"closure": "bounce", "restitution": 0.3}}),
    "planar fixed": (THESIS, {"chaser__mode": "fixed"}),
    "spatial weld": (SPATIAL, {"control": TRACKING}),
    "spatial pin": (SPATIAL, {"impact__closure": "pin", "chaser__mode": "free-floating"}),
    "spatial fixed": (SPATIAL, {"chaser__mode": "fixed", "chaser__velocity": None}),
    "spatial bounce": (
        SPATIAL,
        {"impact": {"closure": "bounce", "restitution": 0.5, "friction": 0.3}},
    ),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request: pytest.FixtureRequest) -> Result:
    base, changes = CASES[request.param]
    return percuss.run(scene(base, duration=1.0, output={"samples": 21}, **changes))


def test_summary_has_the_stable_names(result: Result) -> None:
    summary = result.summary
    planar, impact = summary["planar"], summary["impact"]
    axes, joints = (2, 2) if planar else (3, 7)
    base = (3, 3) if planar else (7, 6)
    assert len(impact["chaser_velocity"]) == base[1] + joints
    assert len(impact["target_velocity"]) == (3 if planar else 6)
    assert len(impact["impulse"]) == len(impact["base_impulse"]) == axes
    assert (impact["moment"] is not None) == (summary["closure"] == "weld")
    assert (impact["effective_mass"] is not None) == (summary["closure"] == "bounce")
    assert (impact["normal"] is not None) == (summary["closure"] == "bounce")
    assert impact["energy"]["after"] <= impact["energy"]["before"] * (1 + 1e-12)
    assert len(impact["linear_momentum"]["before"]) == axes
    turning = impact["angular_momentum"]["after"]
    assert isinstance(turning, float) if planar else len(turning) == 3
    assert len(impact["joint_reactions"]) >= joints
    for load in impact["joint_reactions"].values():
        assert load["magnitude"] == pytest.approx(np.linalg.norm(load["force"]))
        assert np.ndim(load["moment"]) == (0 if planar else 1)
    assert summary["impacts"] == [impact]
    final = summary["final"]
    assert final["time"] == 1.0
    assert len(final["coordinates"]) == len(final["names"]) == base[0] + joints
    assert len(final["rates"]) == base[1] + joints
    assert set(final["target"]) == {
        "position",
        "angle" if planar else "orientation",
        "linear",
        "angular",
    }
    assert set(summary["balance"]) == {"energy", "linear_momentum", "angular_momentum"}
    assert len(summary["peak"]["control"]) == base[1] + joints
    assert len(summary["peak"]["joint_reaction"]) == joints
    assert len(summary["verdict"]) >= 3
    json.dumps(summary, allow_nan=False)


def test_variables_have_units_and_frames(result: Result) -> None:
    planar = result.summary["planar"]
    expected = {
        "coordinates",
        "rates",
        "control",
        "joint_reaction_force",
        "joint_reaction_moment",
        "target_position",
        "target_angle" if planar else "target_orientation",
        "target_velocity",
        "tool_position",
        "energy",
        "linear_momentum",
        "angular_momentum",
        "phase",
    }
    data = result.data
    assert expected <= set(data.data_vars)
    for name, variable in data.data_vars.items():
        assert {"units", "frame"} <= set(variable.attrs), f"{name} has no units or frame"
        assert variable.dims[0] == "time"
        assert np.isfinite(variable.values).all(), f"{name} has values that are not finite"
    assert set(data.dims) >= {"time", "coordinate", "rate", "joint", "axis"}
    assert {"scenario", "percuss_version", "seed", "hash"} <= set(data.attrs)
    entries = data["coordinates"].attrs["units"].split(",")
    assert len(entries) == data.sizes["coordinate"]


def test_history_starts_with_the_impact_and_ends_with_the_summary(result: Result) -> None:
    impact, final, record = result.summary["impact"], result.summary["final"], result.record
    np.testing.assert_allclose(record["rates"][0], impact["chaser_velocity"], atol=1e-13)
    np.testing.assert_allclose(record["target_velocity"][0], impact["target_velocity"], atol=1e-12)
    assert record["energy"][0] == pytest.approx(impact["energy"]["after"], rel=1e-12)
    np.testing.assert_allclose(record["coordinates"][-1], final["coordinates"])
    for track in record.tracks:
        assert track.positions.shape == (len(record.time), 3)
        np.testing.assert_allclose(np.linalg.norm(track.quaternions, axis=1), 1.0, atol=1e-12)


def test_files_hold_the_same(result: Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == [
        "report.html",
        "result.nc",
        "summary.json",
    ]
    stored = json.loads((folder / "summary.json").read_text())
    assert stored == result.summary | {"files": ["report.html", "result.nc", "summary.json"]}
    with xarray.open_dataset(folder / "result.nc", engine="h5netcdf") as file:
        file.load()
        assert set(file.data_vars) == set(result.data.data_vars)
        for name in result.data.variables:
            ours, theirs = result.data[name], file[name]
            assert ours.dims == theirs.dims
            assert (ours.values == theirs.values).all(), f"{name} differs in result.nc"
            assert ours.attrs == theirs.attrs
        assert file.attrs == result.data.attrs
    again = percuss.loads(result.data.attrs["scenario"])
    assert again.duration == 1.0, "the stored scenario runs again"


def test_report_and_plot(result: Result, tmp_path: Path) -> None:
    path = result.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>")
    figure = result.plot()
    figure.savefig(tmp_path / "plot.png", dpi=40)
    assert (tmp_path / "plot.png").stat().st_size > 5000


# --- folders ----------------------------------------------------------------------------------


def folder_files(**more: str) -> dict[str, str | bytes]:
    """Files of a result, as small as they can be."""
    return {"summary.json": "{}", **more}


def test_a_result_replaces_an_older_one(tmp_path: Path) -> None:
    place = tmp_path / "out"
    write_folder(place, folder_files(old="old"))
    write_folder(place, folder_files(new="new"))
    assert sorted(p.name for p in place.iterdir()) == ["new", "summary.json"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("sign", [None, "{}", "[]", '{"files": ["summary.json"]}', "not JSON"])
def test_other_peoples_files_are_left_alone(tmp_path: Path, sign: str | None) -> None:
    place = tmp_path / "precious"
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")
    if sign is not None:
        (place / "summary.json").write_text(sign)
    with pytest.raises(percuss.ModelError, match="holds other files"):
        write_folder(place, folder_files())
    assert (place / "thesis.tex").read_text() == "years of work"
    with pytest.raises(percuss.ModelError, match="is not a folder"):
        write_folder(place / "thesis.tex", folder_files())


def test_pipes_and_links_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(percuss.ModelError, match="is not a folder"):
        write_folder(pipe, folder_files())
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    write_folder(link, folder_files(a="a"))
    assert link.is_symlink()
    assert (real / "a").read_text() == "a", "a link to a folder leads there"
    monkeypatch.chdir(real)
    with pytest.raises(percuss.ModelError, match="where you are"):
        write_folder(".", folder_files())


def test_failure_leaves_the_older_result(tmp_path: Path) -> None:
    place = tmp_path / "out"
    write_folder(place, folder_files(old="old"))
    # A name that cannot be created: the second file fails after the first was written.
    with pytest.raises(OSError, match="out could not be written: File name too long"):
        write_folder(place, {**folder_files(), "x" * 300: "never"})
    assert (place / "old").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out"], "something half-written was left"


def test_interruption_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", pressed)
    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "out", folder_files(a="a"))
    assert list(tmp_path.iterdir()) == [], "something half-written was left"


def test_nothing_moves_and_nothing_breaks(tmp_path: Path) -> None:
    """A target at rest before a chaser at rest: no impulse, no energy, still a report."""
    still = scene(THESIS, target__velocity__linear=[0, 0], duration=0.5)
    result = percuss.run(still)
    assert result.summary["impact"]["energy"] == {"before": 0.0, "after": 0.0}
    result.save(tmp_path / "out")
    result.plot()
