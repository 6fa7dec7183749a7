"""Every error of the thesis is one, and what is called right is what percuss computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from percuss.dynamics import bias_forces, kinetic_energy, mass_matrix
from percuss.impact import pin
from percuss.kinematics import frame_velocity, jacobian
from percuss.sources.errata import errata_table, misprint_table
from percuss.sources.evidence import Evidence
from percuss.sources.published import published
from percuss.sources.thesis.errata import ERRATA, findings
from percuss.sources.thesis.evidence import ThesisErratum
from percuss.sources.thesis.formulas import ContactMatrices
from percuss.sources.thesis.matrices import VmsMatrices
from percuss.sources.thesis.misprints import MISPRINTS
from percuss.sources.thesis.sample import MOVING, SIMULATION_1, ThesisSample
from tests.sources.samples import samples

PAGE = Path(__file__).parents[2] / "docs" / "sources" / "thesis.md"

OF_STATES = [erratum for erratum in ERRATA if not erratum.simulated]
NAMES = {id(e): f"{e.where}: {e.evidence.__name__}" for e in ERRATA}


def name(erratum: ThesisErratum) -> str:
    return NAMES[id(erratum)]


def evidence(function: str) -> Evidence:
    return next(e for e in ERRATA if e.evidence.__name__ == function).found().evidence


@pytest.mark.parametrize("erratum", ERRATA, ids=name)
def test_printed_is_not_right(erratum: ThesisErratum) -> None:
    shown = erratum.found().evidence
    assert shown.differs, f"{erratum.where}: printed {shown.printed}, right {shown.right}"
    assert shown.difference > 1e-3 * max(abs(x) for x in (*shown.printed, *shown.right))
    assert shown.verdict.startswith("wrong: ")
    assert shown.verdict != "wrong: not confirmed"


@pytest.mark.parametrize("erratum", OF_STATES, ids=name)
@given(state=samples())
@settings(max_examples=12)
def test_right_is_what_general_functions_compute(
    erratum: ThesisErratum, state: ThesisSample
) -> None:
    shown = erratum.evidence(state)
    assert shown.general is not None
    scale = max(1.0, *(abs(x) for x in shown.general))
    np.testing.assert_allclose(shown.right, shown.general, rtol=1e-11, atol=1e-12 * scale)


@given(state=samples())
@settings(max_examples=20)
def test_printed_is_wrong_in_any_state(state: ThesisSample) -> None:
    """Where an error could vanish in a state it does so on a set of measure zero."""
    for erratum in OF_STATES:
        shown = erratum.evidence(state)
        assert shown.difference > 1e-7, f"{erratum.where}: {shown}"


@given(state=samples())
def test_homogeneous_matrices_agree_with_the_recursive_algorithms(state: ThesisSample) -> None:
    chain, chaser = VmsMatrices(state), state.contact.chaser
    energy = float(kinetic_energy(chaser, state.p, state.rates))  # type: ignore[arg-type]
    np.testing.assert_allclose(chain.kinetic_energy(chain.bodies), energy, rtol=1e-12)
    for body, link in (("1", "link1"), ("2", "link2")):
        W = chain.velocities[body]
        motion = frame_velocity(chaser, state.p, state.rates, link, reference="world-origin")
        np.testing.assert_allclose(W[:2, 3], motion.linear.array()[:2], atol=1e-12)
        np.testing.assert_allclose(W[1, 0], motion.angular.array()[2], atol=1e-14)
    pairs = zip(chain.directions, jacobian(chaser, state.p, "link2", "world-origin").T, strict=True)
    for L, column in pairs:
        np.testing.assert_allclose([*L[:2, 3], L[1, 0]], column[[0, 1, 5]], atol=1e-13)


@given(state=samples())
@settings(max_examples=30)
def test_formulas_of_chapter_4_agree_with_the_closures(state: ThesisSample) -> None:
    meeting = ContactMatrices(state.contact)
    for formula, closure in ((meeting.published, published), (meeting.pinned, pin)):
        jump = closure(state.contact)
        np.testing.assert_allclose(formula[0], jump.chaser_rates, atol=1e-11)
        np.testing.assert_allclose(formula[1], jump.target_rates, atol=1e-11)
    before = meeting.momentum((meeting.p_i, meeting.psi_i))
    scale = 100 * np.abs(before).max()
    np.testing.assert_allclose(meeting.momentum(meeting.pinned), before, atol=1e-13 * scale)


def test_matrices_of_table_4_2() -> None:
    """The values that are known of the initial pose."""
    meeting = ContactMatrices(MOVING.contact)
    np.testing.assert_allclose(
        meeting.M,
        [
            [120, 0, -45, -45, -15],
            [0, 120, 0, 0, 0],
            [-45, 0, 580 / 3, 430 / 3, 60],
            [-45, 0, 430 / 3, 430 / 3, 60],
            [-15, 0, 60, 60, 30],
        ],
        atol=1e-12,
    )
    np.testing.assert_allclose(meeting.J, [[1, 0, -5, -5, -3], [0, 1, 0, 0, 0]], atol=1e-14)
    np.testing.assert_allclose(meeting.J_O, [[1, 0, 1], [0, 1, 0]], atol=1e-14)
    np.testing.assert_allclose(meeting.C, [0, -2.7, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(meeting.M, mass_matrix(MOVING.contact.chaser, MOVING.p), atol=1e-14)
    np.testing.assert_allclose(
        meeting.C, bias_forces(MOVING.contact.chaser, MOVING.p, MOVING.rates), atol=1e-14
    )


@pytest.mark.parametrize(
    ("function", "printed", "right"),
    [
        ("freedoms", [2], [5]),
        ("lost_sign", [-1], [1]),
        ("base_pose", [1, 2], [1, 7]),
        ("doubled_translation", [240, 325.8333333, 52.5], [120, 193.3333333, 30]),
        ("rod_about_center", [40 / 3, 30], [10 / 3, 7.5]),
        ("momentum_lost", [-9.1466667, 0, 67.32], [-15, 0, 120]),
        ("least_squares", [5.8533333, 0, -5.8533333], [0, 0, 0]),
        ("carried_inertia", [5.625, 15], [5, 15]),
        ("welded_angle", [0.36622222, -0.43911111], [0.2455243, 0.2455243]),
        ("unactuated_swing", [0.00017942052], [0.7328696]),
        ("captions", [0, 0, 0, 0, 0], [15, 6.3875793, 75, 75, 45]),
    ],
)
def test_known_numbers(function: str, printed: list[float], right: list[float]) -> None:
    shown = evidence(function)
    np.testing.assert_allclose(shown.printed, printed, rtol=6e-8, atol=1e-12)
    np.testing.assert_allclose(shown.right, right, rtol=6e-8, atol=1e-12)


def test_printed_combinations_are_differences_of_torques() -> None:
    """(3.29): τ0 - τ2 and τ0 - τ1."""
    _, _, t0, t1, t2 = MOVING.forces
    np.testing.assert_allclose(evidence("wrong_bodies").printed, [t0 - t2, t0 - t1], atol=1e-15)


def test_published_answer_depends_on_the_unit_of_length() -> None:
    shown = evidence("unit_of_length")
    assert abs(shown.printed[0] - shown.printed[1]) > 0.1
    np.testing.assert_allclose(shown.right[0], shown.right[1], rtol=1e-12)


def test_evidence_that_shows_nothing_says_so() -> None:
    same = Evidence.of("mass", "kg", [1.0, 2.0], [1.0, 2.0], general=[1.0, 2.0])
    assert not same.differs
    assert same.verdict == "no difference"
    wrong = Evidence.of("mass", "kg", 2.0, 1.0, general=1.5)
    assert wrong.verdict == "wrong: not confirmed"


def test_samples_touch() -> None:
    for state in (MOVING, SIMULATION_1):
        np.testing.assert_allclose(state.object_center, [1, 8], atol=1e-14)


def test_the_page_of_the_documentation_has_the_same_tables() -> None:
    """Regenerate them with `errata_table(findings()).markdown()` where this fails."""
    text = PAGE.read_text(encoding="utf-8")
    for table in (errata_table(findings()), misprint_table(MISPRINTS)):
        for row in table.markdown().splitlines():
            assert row in text, f"docs/sources/thesis.md lacks the row\n{row}"
