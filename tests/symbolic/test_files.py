"""What `percuss derive` reads and where it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import percuss
from percuss.symbolic import derive, to_c, to_latex, to_python
from tests.cli.test_run import THESIS, percuss_command


@pytest.mark.parametrize("language", ["latex", "python", "c"])
def test_own_output_is_replaced_and_nothing_else(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "forms.txt"
    for _ in range(2):
        arguments = ("derive", "2r-fixed", "--as", language, "--out", out)
        assert percuss_command(monkeypatch, *arguments) == 0
    assert out.read_text(encoding="utf-8").endswith("\n")
    source = tmp_path / "mine.yaml"
    source.write_bytes(THESIS.read_bytes())
    assert percuss_command(monkeypatch, "derive", source, "--out", source) == 2
    assert source.read_bytes() == THESIS.read_bytes(), "the scenario was overwritten"
    assert "holds something else" in capsys.readouterr().err
    below = ("derive", "2r-fixed", "--out", source / "x.tex")
    assert percuss_command(monkeypatch, *below) == 2
    assert [path.name for path in tmp_path.iterdir()].count(".forms.txt") == 0


def test_titles_stay_in_their_comments() -> None:
    scenario = percuss.with_overrides(
        percuss.load(THESIS), {"name": '"x\\n\\\\input{secret}\\n*/ /* \\"\\"\\""'}
    )
    derivations = derive(scenario)
    latex = to_latex(derivations, scenario.name)
    assert not [line for line in latex.splitlines() if line.startswith("\\input")]
    compile(to_python(derivations, scenario.name), "forms.py", "exec")
    assert "*/ /*" not in to_c(derivations, scenario.name)


def test_systems_and_urdf_are_derived_too(tmp_path: Path) -> None:
    system = percuss.robot("2r-fixed")
    percuss.save_system(system, tmp_path / "arm.yaml")
    percuss.write_urdf(percuss.robot("demo-7"), tmp_path / "arm.urdf")
    (planar,) = derive(tmp_path / "arm.yaml")
    (known,) = derive("2r-fixed")
    assert planar.mass_matrix == known.mass_matrix
    (spatial,) = derive(tmp_path / "arm.urdf")
    assert spatial.mass_matrix.rows == percuss.read_urdf(tmp_path / "arm.urdf").rate_count


def test_the_frame_of_base_rates_is_stated() -> None:
    derivations = derive("thesis")
    for write in (to_latex, to_python, to_c):
        text = " ".join(write(derivations, "thesis").replace(" * ", " ").split())
        assert "along world axes" in text
