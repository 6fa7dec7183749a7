"""The lecture's formulas: right ones are right for all values, wrong ones are shown to be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.cli.source import reproduce as command
from percuss.dynamics import bias_forces, inverse_dynamics, mass_matrix
from percuss.dynamics.formulations.identities import is_identically_zero
from percuss.sources import reproduction
from percuss.sources.comparison import HEADER
from percuss.sources.errata import errata_table
from percuss.sources.lecture.arm import SAMPLE, LectureSample, letters
from percuss.sources.lecture.errata import (
    centrifugal_term,
    findings,
    jacobian_of_a_link,
    potential_of_link_2,
    zero_columns,
)
from percuss.sources.lecture.figures import FIGURES
from percuss.sources.lecture.general import residuals
from percuss.sources.lecture.swing import printed_surplus, swing
from percuss.sources.lecture.terms import LectureTerm, terms
from percuss.sources.lecture.written import closed, written
from percuss.sources.registry import Reproduction

DOCS = Path(__file__).parents[2] / "docs"
WRONG = {"V2", "h2"}
ANGLE, RATE, SIZE = st.floats(-3, 3), st.floats(-2, 2), st.floats(0.3, 4)


@pytest.fixture(scope="module")
def lecture() -> Reproduction:
    return reproduction("lecture")


def term(name: str) -> LectureTerm:
    return next(t for t in terms() if t.quantity == name)


@pytest.mark.parametrize("name", [t.quantity for t in terms()])
def test_terms_agree_for_all_values_except_the_two_wrong_ones(name: str) -> None:
    found = term(name)
    assert found.agrees == (name not in WRONG), f"{name}: difference {found.difference}"
    assert found.remark.startswith("wrong" if name in WRONG else "agrees")


def test_the_wrong_ones_differ_by_what_the_errata_say() -> None:
    x = letters()
    (q1, q2), (v1, _), (m1, m2) = x.theta, x.rates, x.m
    height = x.length * (sympy.sin(q1) + sympy.sin(q1 + q2) / 2)
    assert is_identically_zero(term("V2").difference - (m2 - m1) * x.g * height)
    surplus = x.c2 * x.length * v1**2 * (sympy.sin(q2) - q2)
    assert is_identically_zero(sympy.together(term("h2").difference - surplus))


@pytest.mark.parametrize("name", residuals())
def test_general_formulas_are_right(name: str) -> None:
    assert is_identically_zero(residuals()[name]), f"{name}: the lecture and percuss disagree"


@given(
    masses=st.tuples(SIZE, SIZE),
    length=SIZE,
    theta=st.tuples(ANGLE, ANGLE),
    rates=st.tuples(RATE, RATE),
    accelerations=st.tuples(RATE, RATE),
)
@settings(max_examples=40, deadline=None)
def test_printed_equations_of_motion_are_inverse_dynamics_on_numbers(
    masses: tuple[float, float],
    length: float,
    theta: tuple[float, float],
    rates: tuple[float, float],
    accelerations: tuple[float, float],
) -> None:
    """The same formulas by NumPy against the engine on numbers, no symbols in between."""
    state = LectureSample(*masses, length, 9.81, theta, rates)
    values = state.values() | dict(zip(letters().accelerations, accelerations, strict=True))
    printed = [float(term(name).printed.subs(values)) for name in ("τ1", "τ2")]
    tau = np.asarray(inverse_dynamics(state.system, theta, rates, accelerations), float)
    scale = max(1.0, float(np.abs(tau).max()))
    np.testing.assert_allclose(printed, tau, atol=1e-12 * scale)
    entries = {"M11": (0, 0), "M12": (0, 1), "M22": (1, 1)}
    M = np.asarray(mass_matrix(state.system, theta), float)
    for name, at in entries.items():
        np.testing.assert_allclose(float(term(name).printed.subs(values)), M[at], rtol=1e-13)


@given(
    masses=st.tuples(SIZE, SIZE),
    theta=st.tuples(ANGLE, ANGLE),
    rates=st.tuples(RATE, RATE),
)
@settings(max_examples=30, deadline=None)
def test_right_values_are_those_of_general_functions_in_any_state(
    masses: tuple[float, float], theta: tuple[float, float], rates: tuple[float, float]
) -> None:
    state = LectureSample(*masses, 1.2, 9.81, theta, rates)
    for show in (potential_of_link_2, centrifugal_term, jacobian_of_a_link, zero_columns):
        shown = show(state)
        assert shown.disagreement is not None
        assert shown.disagreement < 1e-12 * shown.scale, shown


def test_errata_are_errors_and_confirmed() -> None:
    found = findings()
    assert len(found) == 4
    for erratum in found:
        assert erratum.evidence.verdict == "wrong: confirmed", erratum.where
    energies, term_h2, velocity, column = (erratum.evidence for erratum in found)
    m1, m2 = SAMPLE.m1, SAMPLE.m2
    np.testing.assert_allclose(energies.printed[0] / energies.right[0], m1 / m2, rtol=1e-15)
    angle = SAMPLE.theta[1]
    np.testing.assert_allclose(
        term_h2.printed[0] / term_h2.right[0], angle / np.sin(angle), rtol=1e-14
    )
    assert velocity.printed == (0.0, 0.0, SAMPLE.rates[0]), "frame 1 turns in its place"
    assert (column.printed, column.right) == ((0.0,), (1.0,))


def test_the_library_arm_cannot_show_the_wrong_mass() -> None:
    equal = LectureSample(1.0, 1.0, 1.0)
    assert potential_of_link_2(equal).verdict == "no difference"


def test_a_free_fall_keeps_its_energy_unless_h2_is_as_printed() -> None:
    right, wrong = swing(as_printed=False), swing(as_printed=True)
    drift = np.abs(right.gain).max()
    assert drift < 1e-7, f"without torques energy is conserved; it drifted by {drift} J"
    assert wrong.gain.max() > 50
    # The work of the surplus is what is gained: dE = -(h_printed - h) · q̇ dt.
    power = -np.einsum("kn,kn->n", printed_surplus(wrong.q, wrong.v), wrong.v)
    from scipy.integrate import cumulative_simpson

    early = wrong.t < 3.0  # before it whirls too fast for Simpson's rule on these times
    gained = cumulative_simpson(power[early], x=wrong.t[early], initial=0)
    np.testing.assert_allclose(gained, wrong.gain[early], atol=1e-2)


def test_surplus_is_the_printed_error() -> None:
    q, v = np.array(SAMPLE.theta), np.array(SAMPLE.rates)
    values = SAMPLE.values()
    printed = float(term("h2").printed.subs(values))
    weight = np.asarray(bias_forces(SAMPLE.system, q, np.zeros(2)), float)
    right = np.asarray(bias_forces(SAMPLE.system, q, v), float) - weight
    np.testing.assert_allclose(right[1] + printed_surplus(q, v)[1], printed, rtol=1e-13)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("x**2*cos(y)", "x² cos y"),
        ("cos(y)**2", "cos(2 y) / 2 + 1 / 2"),
        ("-x/2 + 3*sin(x + y)", "−x / 2 + 3 sin(x + y)"),
        ("0.5*cos(x)*cos(y) - 0.5*sin(x)*sin(y)", "cos(x + y) / 2"),
    ],
)
def test_formulas_are_written_as_people_do(expression: str, text: str) -> None:
    assert written(closed(sympy.sympify(expression))) == text


def test_squares_are_written_on_the_function() -> None:
    assert written(sympy.sympify("3*cos(y)**2")) == "3 cos² y"


def test_files_and_page(lecture: Reproduction) -> None:
    names = {f"{figure.name}.{kind}" for figure in FIGURES for kind in ("png", "svg")}
    assert set(lecture.files) == {"index.html", "summary.json", *names}
    page = str(lecture.files["index.html"])
    assert page.count('src="data:image/svg+xml;base64,') == len(FIGURES)
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    assert "prefers-color-scheme: dark" in page
    for figure in FIGURES:
        assert figure.caption[:40] in page
    data = json.loads(str(lecture.files["summary.json"]))
    assert data == json.loads(json.dumps(lecture.summary))
    assert len(data["errata"]) == 4


def test_every_panel_with_two_curves_says_which_is_which() -> None:
    terms = next(figure for figure in FIGURES if figure.name == "terms").draw()
    panels = terms.axes
    assert len(panels) == 3
    for axes in panels:
        legend = axes.get_legend()
        assert legend is not None, f"{axes.get_title(loc='left')}: a legend of its own"
        assert "as printed" in [text.get_text() for text in legend.get_texts()]


def test_headline_is_the_asked_table(lecture: Reproduction) -> None:
    for table in lecture.headline:
        assert table.header == HEADER == ("quantity", "source", "percuss", "difference", "remark")
    rows = {row[0]: row for row in lecture.headline[0].rows}
    assert {name for name, row in rows.items() if row[3] != "0"} == WRONG
    assert rows["h2"][3] == "c2 l θ̇1² (−θ2 + sin θ2)"


def test_the_page_of_the_documentation_has_the_same_tables(lecture: Reproduction) -> None:
    text = (DOCS / "sources" / "lecture.md").read_text(encoding="utf-8")
    for table in (*lecture.headline, errata_table(findings())):
        for row in table.markdown().splitlines():
            assert row in text, f"docs/sources/lecture.md lacks the row\n{row}"
    for figure in FIGURES:
        assert f"lecture-{figure.svg}" in text
        assert 5_000 < (DOCS / "_static" / f"lecture-{figure.svg}").stat().st_size < 250_000
    gain = lecture.summary["swing"]["energy_gained_as_printed"]
    assert f"{gain:.0f} J" in text


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command("lecture", tmp_path / "result")
    shown, complaints = capsys.readouterr()
    assert complaints == ""
    lines = [line for line in shown.splitlines() if "index.html" not in line]
    assert max(map(len, lines)) <= 90, "combining dots add letters without width"
    assert "wrong: m1 for" in shown
    assert (tmp_path / "result" / "index.html").is_file()
