"""The paper's arm: known numbers, its errors, and the physics of the free base."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.cli.source import reproduce as command
from percuss.dynamics import (
    floating_motion,
    generalized_task_jacobian,
    inverse_dynamics,
    kinetic_energy,
    momentum,
    singularities_along,
)
from percuss.kinematics import frame_pose
from percuss.model.library.registry import robot
from percuss.model.parameters import parameters
from percuss.sources import reproduction
from percuss.sources.comparison import HEADER
from percuss.sources.errata import errata_table, misprint_table
from percuss.sources.fixed_and_free_floating import on_free_base
from percuss.sources.fixed_and_free_floating.curves import without_drift
from percuss.sources.fixed_and_free_floating.errata import MISPRINTS, findings
from percuss.sources.fixed_and_free_floating.figures import FIGURES
from percuss.sources.fixed_and_free_floating.floating import (
    MASSES,
    error_by_mass,
    floating_arm,
    free_base_peaks,
    slopes,
)
from percuss.sources.fixed_and_free_floating.followed import followed_circle, smallest_determinant
from percuss.sources.fixed_and_free_floating.motion import arm_motion, torque_peaks, whole_motion
from percuss.sources.fixed_and_free_floating.paper import (
    CIRCLE,
    TABLE_1,
    TIMES,
    TwoLinks,
    input_tables,
)
from percuss.sources.fixed_and_free_floating.peaks import SAMPLES, largest
from percuss.sources.fixed_and_free_floating.printed import numeric_torques, torques
from percuss.sources.fixed_and_free_floating.singularities import (
    PUBLISHED,
    determinants,
    dynamic_singularities,
    published_singularity,
)
from percuss.sources.registry import Reproduction
from percuss.sources.table import number

DOCS = Path(__file__).parents[2] / "docs"
DIGITS = 5e-8
"""Half a unit of the eighth digit."""

WITHOUT = [
    (0.13721664, 0.33379309),
    (2.6521466, 0.14912135),
    (-4.5438725, -0.28537053),
    (2.0081454, 0.38288297),
    (-0.13721664, -0.33379309),
]
WITH = [
    (165.00783, 68.156654),
    (157.61649, 63.390895),
    (69.638824, 69.511062),
    (141.16958, 71.366752),
    (164.7334, 67.489068),
]
SIZE, ANGLE, RATE = st.floats(0.2, 3), st.floats(-3, 3), st.floats(-2, 2)


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduction("fixed-and-free-floating")


def test_table_1_is_the_library_robot() -> None:
    known, given = parameters(robot("2r-fixed")), parameters(TABLE_1.system(gravity=False))
    assert known == given
    assert "12.456" in str(input_tables()[0])


def test_known_angles_and_coefficients() -> None:
    np.testing.assert_allclose(CIRCLE.coefficients(), [0.18849556, -0.012566371], rtol=DIGITS)
    np.testing.assert_allclose(arm_motion(0.0, 1).q[:, 0], [0.31092686, 0.79539883], rtol=DIGITS)
    np.testing.assert_allclose(arm_motion(0.0, 2).q[:, 0], [1.1063257, -0.79539883], rtol=DIGITS)


def test_known_torques() -> None:
    m = arm_motion(TIMES)
    np.testing.assert_allclose(m.without_gravity.T, WITHOUT, rtol=DIGITS)
    np.testing.assert_allclose(m.with_gravity.T, WITH, rtol=DIGITS)


@pytest.mark.parametrize("case", [1, 2])
def test_the_tool_is_on_the_circle_and_moves_along_it(case: int) -> None:
    m = whole_motion(case)
    x, y, _ = frame_pose(robot("2r-fixed"), m.q, "tool").position
    np.testing.assert_allclose(np.array([x, y], float), m.tool, atol=4e-15)
    np.testing.assert_allclose(np.hypot(m.tool[0] - 1.2, m.tool[1] - 1.2), 0.2, rtol=1e-13)
    step = m.t[1] - m.t[0]
    for values, rates in ((m.q, m.v), (m.v, m.a)):
        slope = (values[:, 2:] - values[:, :-2]) / (2 * step)
        np.testing.assert_allclose(slope, rates[:, 1:-1], atol=2e-4)


@given(
    p=st.builds(TwoLinks, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE),
    q=st.tuples(ANGLE, ANGLE),
    v=st.tuples(RATE, RATE),
    a=st.tuples(RATE, RATE),
    gravity=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_corrected_equations_are_inverse_dynamics(
    p: TwoLinks,
    q: tuple[float, float],
    v: tuple[float, float],
    a: tuple[float, float],
    gravity: bool,
) -> None:
    general = np.asarray(inverse_dynamics(p.system(gravity), q, v, a), float)
    scale = max(1.0, float(np.abs(general).max()))
    right = torques(p, np.array(q), np.array(v), np.array(a), gravity=gravity)
    np.testing.assert_allclose(right, general, atol=1e-12 * scale)


def test_every_error_is_one_and_confirmed() -> None:
    found = findings()
    assert len(found) == 18
    for erratum in found:
        shown = erratum.evidence
        assert shown.difference > 1e-5 * shown.scale, erratum.where
        wanted = "wrong: shown by simulation" if erratum.where == "III.C" else "wrong: confirmed"
        assert shown.verdict == wanted, (erratum.where, shown)


@pytest.mark.parametrize(
    ("where", "printed", "right"),
    [
        ("(19)", [9.342], [4.152]),
        ("(23) and Table 1", [140.4, 58.418], [165.00783, 68.156654]),
        ("a3", [6.35, 0.02], [2 * np.pi, 0.0]),
        ("III.C", [0, 0, 0], [0.6176, 0.7943, 0.3026]),
        ("conclusion 5", [0.5], [0.75]),
    ],
)
def test_known_evidence(where: str, printed: list[float], right: list[float]) -> None:
    shown = next(e for e in findings() if e.where == where).evidence
    np.testing.assert_allclose(shown.printed, printed, rtol=2e-4, atol=1e-12)
    np.testing.assert_allclose(shown.right, right, rtol=2e-4, atol=1e-12)


def test_right_numbers_in_the_errata_are_computed_ones() -> None:
    text = {erratum.where: erratum.right for erratum in findings()}
    shown = {erratum.where: erratum.evidence for erratum in findings()}
    assert f"{CIRCLE.coefficients()[1]:.8g}".replace("-", "−") == text["a3"]
    angles = arm_motion(0.0).q[:, 0]
    for value in (*angles, *shown["numbers"].right):
        assert f"{value:.8g}".replace("-", "−") in text["case 2"] + text["numbers"]


def test_the_drift_of_the_jacobian_is_what_the_paper_leaves_out() -> None:
    m = whole_motion()
    ends = [0, -1]
    np.testing.assert_allclose(without_drift()[:, ends], m.a[:, ends], atol=1e-14)
    assert np.abs(without_drift() - m.a).max() > 0.05


def test_printed_numbers_miss_gravity_by_what_they_say() -> None:
    m = whole_motion()
    more = numeric_torques(m.q, m.v, m.a, True)[0] - numeric_torques(m.q, m.v, m.a, False)[0]
    right = m.gravity_effect[0]
    off = 9.81 * (22.084 - np.cos(m.q[0]) - 22.084 * np.cos(m.q[0]))
    np.testing.assert_allclose(more - right, off, atol=0.03)


# --- the free base -------------------------------------------------------------------------------


def test_known_numbers_of_the_free_base() -> None:
    free = on_free_base(100.0)
    assert [round(100 * x) for x in free.peaks.torque_error] == [62, 79]
    assert round(free.peaks.tool_error, 3) == 0.303
    np.testing.assert_allclose(determinants(), [-0.24725502, -0.71414284], rtol=DIGITS)
    np.testing.assert_allclose(dynamic_singularities(), [-2.9388798, 0.2718164], rtol=DIGITS)
    assert parameters(floating_arm(100.0)) == parameters(robot("2r-floating"))


def test_the_published_dynamic_singularity_is_found() -> None:
    q1, q2 = PUBLISHED
    assert (q1, q2) == (-65.0, -11.41)
    assert f"{published_singularity():.2f}" == f"{q2:.2f}", "all digits that they give"
    known = robot("papadopoulos")
    at = np.radians([0.0, 0.0, 0.0, q1, published_singularity()])
    general = np.asarray(generalized_task_jacobian(known, at, "tool", "planar position"), float)
    assert abs(np.linalg.det(general)) < 1e-14, "det J_g vanishes there"


# --- maxima ---------------------------------------------------------------------------------------


def test_known_peaks_of_torque() -> None:
    """Refined maxima: |τ1| at 4.8364 s and |τ2| at 4.0426 s, between samples."""
    peaks = free_base_peaks()
    np.testing.assert_allclose(peaks.fixed_torques, [4.6207283, 1.0107213], rtol=DIGITS)
    np.testing.assert_allclose(peaks.fixed_torques, torque_peaks().without_gravity, rtol=1e-14)
    for joint, t in ((0, 4.8364), (1, 4.0426)):
        near = np.abs(arm_motion(t).without_gravity[joint, 0])
        np.testing.assert_allclose(near, peaks.fixed_torques[joint], rtol=1e-7)


def test_peaks_are_maxima_and_close_to_the_largest_sample() -> None:
    free, peaks = on_free_base(), free_base_peaks()
    fixed = free.planned.without_gravity
    for refined, sampled in (
        (peaks.fixed_torques, fixed),
        (peaks.torques, free.torques),
        (peaks.torque_change, free.torques - fixed),
        (peaks.tool_error, free.tool_error[None]),
        (peaks.turn, free.q[2][None]),
    ):
        best = np.abs(sampled).max(axis=1)
        assert (refined >= best).all(), "no sample is larger than the maximum"
        np.testing.assert_allclose(refined, best, rtol=2e-4)


@pytest.mark.parametrize("samples", [2 * SAMPLES + 1, 10 * SAMPLES])
def test_a_finer_grid_changes_no_printed_digit_of_a_maximum(samples: int) -> None:
    """Eight digits are printed of the base of 100 kg, five in the errata, more in no text."""
    for mass in (10.0, 100.0, 1e8):
        coarse, fine = free_base_peaks(mass), free_base_peaks(mass, samples)
        for name in ("fixed_torques", "torques", "torque_error", "tool_error", "turn"):
            shown, again = (np.atleast_1d(getattr(x, name)) for x in (coarse, fine))
            assert list(map(number, shown)) == list(map(number, again)), (mass, name)
            np.testing.assert_allclose(shown, again, rtol=1e-9 if mass > 1e6 else 1e-13)
    for name in ("without_gravity", "with_gravity", "printed_surplus"):
        coarse, fine = (getattr(torque_peaks(n), name) for n in (SAMPLES, samples))
        np.testing.assert_allclose(coarse, fine, rtol=1e-13)
    np.testing.assert_allclose(smallest_determinant(), smallest_determinant(samples), rtol=1e-13)


@given(
    rate=st.floats(0.5, 12),
    phase=st.floats(-3, 3),
    decay=st.floats(0, 1),
    end=st.floats(1, 10),
)
@settings(max_examples=60, deadline=None)
def test_largest_finds_maxima_between_samples_and_at_ends(
    rate: float, phase: float, decay: float, end: float
) -> None:
    """e^(-d t) sin(w t + p) is largest at an end or where tan(w t + p) = w / d."""

    def wave(t: np.ndarray) -> np.ndarray:
        return np.exp(-decay * t) * np.sin(rate * t + phase)

    tops = (np.arctan2(rate, decay) - phase + 2 * np.pi * np.arange(-2, 25)) / rate
    inside = tops[(tops > 0) & (tops < end)]
    expected = [wave(np.array([0.0, end, *inside])).max(), -3.0]
    found = largest(lambda t: np.array([wave(t), np.full_like(t, -3.0)]), end)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mass", [10.0, 100.0, 1e4])
def test_momentum_stays_zero_and_torques_do_the_work(mass: float) -> None:
    free = on_free_base(mass)
    held = np.asarray(momentum(free.system, free.q, free.v).array(), float)
    size = mass * np.abs(free.v[0]).max()
    assert np.abs(held).max() < 1e-13 * max(1.0, size), "momentum is conserved"
    from scipy.integrate import cumulative_simpson

    power = np.einsum("kn,kn->n", free.torques, free.planned.v)
    work = cumulative_simpson(power, x=free.planned.t, initial=0)
    energy = np.asarray(kinetic_energy(free.system, free.q, free.v), float)
    np.testing.assert_allclose(work, energy, atol=1e-6)


def test_the_integrals_are_the_motion_that_an_integrator_finds() -> None:
    free = on_free_base(100.0)
    times = free.planned.t[::40]

    def joints(t: float) -> tuple[np.ndarray, ...]:
        m = arm_motion(t)
        return m.q[:, 0], m.v[:, 0], m.a[:, 0]

    found = floating_motion(free.system, free.q[:, 0], joints, times)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.q.T, free.q[:, ::40], atol=1e-11)
    np.testing.assert_allclose(found.positions("tool")[:, :2].T, free.tool[:, ::40], atol=1e-11)


def test_errors_fall_as_one_over_mass() -> None:
    torque, tool = error_by_mass(MASSES)
    assert MASSES[0] == 10
    np.testing.assert_allclose(MASSES[-1], 1e8)
    for errors in (*torque, tool):
        assert (np.diff(errors) < 0).all(), "a heavier base moves less"
    np.testing.assert_allclose(slopes(), -1.0, atol=1e-4)


def test_a_very_heavy_base_is_the_fixed_one() -> None:
    free = on_free_base(1e8)
    np.testing.assert_allclose(free.torques, free.planned.without_gravity, atol=2e-5)


def test_with_the_generalized_jacobian_the_tool_stays_on_the_circle() -> None:
    found = followed_circle()
    assert found.tool_error.max() < 1e-8
    assert (found.determinant < 0).all(), "no dynamic singularity on the way"
    assert abs(found.q[2, -1] - found.q[2, 0]) > 0.01, "the base does not come back"
    assert np.abs(found.q[3:, -1] - found.q[3:, 0]).max() > 0.01


def test_a_base_at_rest_has_the_singularities_of_the_arm() -> None:
    at = [0.0, 0.0, 0.0, np.pi / 2, 0.0]
    fixed = singularities_along(
        floating_arm(), at, "tool", "joint2", task="planar position", mode="fixed"
    )
    nearest = np.abs(np.subtract.outer(fixed, [-np.pi, 0.0, np.pi])).min(axis=1)
    assert len(fixed) > 0
    np.testing.assert_allclose(nearest, 0.0, atol=1e-12)


# --- what is written ------------------------------------------------------------------------------


def test_files_and_page(paper: Reproduction) -> None:
    names = {f"{figure.name}.{kind}" for figure in FIGURES for kind in ("png", "svg")}
    assert set(paper.files) == {"index.html", "summary.json", *names}
    assert {f"figure-{k}.svg" for k in range(5, 12)} <= names
    page = str(paper.files["index.html"])
    assert page.count('src="data:image/svg+xml;base64,') == len(FIGURES)
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    data = json.loads(str(paper.files["summary.json"]))
    assert data == json.loads(json.dumps(paper.summary))
    np.testing.assert_allclose(data["torques"]["with_gravity"], WITH, rtol=DIGITS)


def test_figures_are_opaque_and_captioned(paper: Reproduction) -> None:
    for figure in FIGURES:
        image = bytes(paper.files[figure.svg])  # type: ignore[arg-type]
        assert b"fill: #ffffff" in image[:3000], f"{figure.name}: white is behind it"
        assert bytes(paper.files[figure.png])[:4] == b"\x89PNG"  # type: ignore[arg-type]
        assert len(figure.caption) > 40
    assert paper.files["figure-5.svg"] == reproduction_again("figure-5")


def reproduction_again(name: str) -> bytes:
    from percuss.sources.style import svg

    return svg(next(figure for figure in FIGURES if figure.name == name).draw())


def test_headline_is_the_asked_table(paper: Reproduction) -> None:
    assert len(paper.headline) == 4
    for table in paper.headline:
        assert table.header == HEADER
    text = " ".join(paper.words)
    for words in ("62 % and 79 %", "0.303 m", "0.2718164 and −2.9388798", "18 errors"):
        assert words in text


def test_the_page_of_the_documentation_has_the_same_tables(paper: Reproduction) -> None:
    text = (DOCS / "sources" / "fixed-and-free-floating.md").read_text(encoding="utf-8")
    tables = (*paper.headline, errata_table(findings()), misprint_table(MISPRINTS))
    for table in (input_tables()[0], *tables):
        for row in table.markdown().splitlines():
            assert row in text, f"docs/sources/fixed-and-free-floating.md lacks the row\n{row}"
    for figure in FIGURES:
        assert f"floating-{figure.svg}" in text
        assert 10_000 < (DOCS / "_static" / f"floating-{figure.svg}").stat().st_size < 250_000


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command("fixed-and-free-floating", tmp_path / "result")
    shown, complaints = capsys.readouterr()
    assert complaints == ""
    published = ("q1 = −65°", "−11.41 ", "−11.410803")
    for words in (
        *published,
        "4.6207283",
        "1.0107213",
        "165.00783",
        "−0.24725502",
        "0.30258677",
        "result/index.html",
    ):
        assert words in shown
    assert "…" not in shown, "no number is cut off"
    assert (tmp_path / "result" / "figure-11.svg").is_file()
