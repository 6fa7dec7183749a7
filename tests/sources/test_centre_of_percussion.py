"""The paper on the centre of percussion: known numbers, its errors, and what is written."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from percuss.cli.source import reproduce as command
from percuss.dynamics import forward_dynamics
from percuss.model.library.registry import robot
from percuss.model.parameters import parameters
from percuss.model.systems import Frame
from percuss.percussion import impact_reactions, ratio_of
from percuss.sources import reproduction
from percuss.sources.centre_of_percussion import TABLE_1, blow, onset
from percuss.sources.centre_of_percussion.cases import PulseCase, felt, scenario_text, simulation_of
from percuss.sources.centre_of_percussion.compensation import (
    by_equations,
    by_force,
    compensated,
    free_joints,
    locked,
)
from percuss.sources.centre_of_percussion.errata import MISPRINTS, findings
from percuss.sources.centre_of_percussion.figures import FIGURES
from percuss.sources.centre_of_percussion.newton_euler import compensating
from percuss.sources.centre_of_percussion.numbers import LINKS, design, link_data
from percuss.sources.centre_of_percussion.paper import ANGLES, JOINTS, PLACES, input_tables
from percuss.sources.errata import errata_table, misprint_table
from percuss.sources.registry import Reproduction

DOCS = Path(__file__).parents[2] / "docs"
NAME = "centre-of-percussion"
TIP, COP = TABLE_1.link2.length, TABLE_1.link2.cop
NORMAL = math.pi / 2
Q = np.array([0.0, 0.0, 0.0, *JOINTS])


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduction(NAME)


# --- numbers -------------------------------------------------------------------------------------


def test_the_scenarios_have_the_library_robot() -> None:
    built = simulation_of(PulseCase(1.0)).assembly.chaser
    known = parameters(robot("percussion"))
    assert {path: known[path] for path in parameters(built)} == parameters(built)


def test_table_1() -> None:
    one, two = (link_data(link) for link in LINKS.values())
    names = ("cop", "inertia_about_joint", "mass_distribution", "impact_coefficient_at_tip")
    known = ((0.67, 6.03, 0.55223881, 1.4925373), (0.71666667, 4.3, 0.58139535, 1.3953488))
    for data, values in zip((one, two), known, strict=True):
        np.testing.assert_allclose([data[name] for name in names], values, rtol=5e-8)


def test_the_example_of_section_3_3() -> None:
    rows = {row.quantity: row for row in design()}
    assert rows["least C_ID at 70°, example"].percuss == "0.77927039"
    assert rows["largest C_ID at 70°, example"].percuss == "1.2207296"
    assert rows["largest C_ID at 70°, (39)"].source == "2.3968817"
    assert rows["φ_min for Ω = 0.4, degrees"].percuss == "66.421822"
    assert rows["Ω at 0.68 and 70°"].percuss == "0.45541108"
    for quantity in ("link 2 may be struck from, m", "link 2 may be struck to, m"):
        coefficient = float(rows[quantity].percuss) / COP
        assert ratio_of(coefficient, math.radians(70)) == pytest.approx(0.4, abs=1e-7)


@pytest.mark.parametrize(
    ("at", "angle", "force"),
    [
        (0.1, 90.0, 800.7),
        (0.5, 90.0, 281.3),
        (COP, 90.0, 0.0),
        (0.9, 90.0, 238.1),
        (1.0, 90.0, 367.9),
        (COP, 60.0, 115.0),
    ],
)
def test_section_6_1(at: float, angle: float, force: float) -> None:
    run = felt(PulseCase(at, angle))
    assert run.at_onset("joint2") == pytest.approx(force, abs=0.05)
    if (at, angle) == (COP, 90.0):
        assert run.peak("joint2") == pytest.approx(3.84, abs=5e-3)


@pytest.mark.parametrize("angle", ANGLES)
def test_joint_2_at_the_cop_of_link_1_shields_joint_1(angle: float) -> None:
    run = felt(PulseCase(COP, angle, joint_2=TABLE_1.with_joint_2_at_cop().joint_2))
    assert run.at_onset("joint1") < 1e-10, "no reaction at joint 1 under any angle"
    assert run.peak("joint1") < 1.1, "and about 1 N of 1 kN within the pulse"


@pytest.mark.parametrize(
    ("run", "joint2", "joint1"),
    [
        (lambda: free_joints(TIP), 36.79, 29.79),
        (lambda: compensated(TIP), 5.27, 0.83),
        (lambda: compensated(TIP, base_torque=False), 5.27, 9.56),
        (lambda: locked(TIP), 71.6, 39.3),
    ],
)
def test_section_6_2(run: Any, joint2: float, joint1: float) -> None:
    digit = 0.05 if joint2 > 50 else 5e-3
    assert run().peak("joint2") == pytest.approx(joint2, abs=digit)
    assert run().peak("joint1") == pytest.approx(joint1, abs=digit)


def test_at_the_centre_of_percussion_ic2_raises_the_reaction() -> None:
    assert free_joints(COP).peak("joint2") == pytest.approx(3.96, abs=5e-3)
    assert compensated(COP).peak("joint2") == pytest.approx(5.25, abs=5e-3)
    np.testing.assert_allclose(by_force(COP).torques, 0.0, atol=1e-12)


def test_torques_at_onset() -> None:
    for run in (compensated(TIP), by_equations(TIP), by_force(TIP)):
        np.testing.assert_allclose(run.torques[:, 0], 28.333333, rtol=5e-8)


# --- one computation against another -------------------------------------------------------------


@pytest.mark.parametrize("base_torque", [True, False])
@pytest.mark.parametrize("at", [TIP, COP])
def test_the_law_ic2_is_the_paper_s_equations(at: float, base_torque: bool) -> None:
    law, written = compensated(at, base_torque), by_equations(at, base_torque)
    # Integration steps differ by rounding; the regular samples between them are common.
    one, other = (np.round(run.time[run.during], 12) for run in (law, written))
    common, ours, theirs = np.intersect1d(one, other, return_indices=True)
    assert len(common) > 150
    np.testing.assert_allclose(law.torques[:, ours], written.torques[:, theirs], atol=1e-10)
    for joint in ("joint1", "joint2"):
        felt_by_law, felt_here = law.reactions[joint][ours], written.reactions[joint][theirs]
        np.testing.assert_allclose(felt_by_law, felt_here, atol=1e-9, err_msg=f"N at {joint}")


def test_at_rest_the_equations_have_the_solution_without_reactions() -> None:
    found = onset(TABLE_1, TIP, blow(NORMAL, 100.0), compensating(TABLE_1, TIP))
    assert found.sizes.max() < 1e-12
    np.testing.assert_allclose(found.torques, (TIP - COP) * 100.0, rtol=1e-12)


def test_locked_joints_do_not_turn() -> None:
    run = locked(TIP)
    assert run.torques[0].max() == 0.0, "nothing turns the base"
    assert run.torques[2, 0] > run.torques[1, 0] > 28.4, "brakes carry more than IC²'s motors"


@given(st.floats(-0.5, 1.5), st.floats(-3.1, 3.1), st.booleans())
@settings(max_examples=30, deadline=None)
def test_newton_and_euler_agree_with_the_recursive_algorithms(
    at: float, angle: float, moved: bool
) -> None:
    given_robot = TABLE_1.with_joint_2_at_cop() if moved else TABLE_1
    force, system = blow(angle, 1.0), given_robot.system
    found = onset(given_robot, at, force)
    loads = impact_reactions(system, Q, Frame.point("link2", (at, 0.0, 0.0)), force)
    bearings = [loads.joints[name].bearing for name in ("joint1", "joint2")]
    np.testing.assert_allclose(found.sizes, np.array(bearings, float), atol=1e-13)
    rates = np.array([*found.base, *np.diff([found.base[2], *found.turning])])
    np.testing.assert_allclose(rates, np.array(loads.rate_jump, float), atol=1e-13)


@given(st.floats(0.05, 1.2), st.booleans())
@settings(max_examples=20, deadline=None)
def test_torques_of_the_loop_are_consistent_with_the_accelerations_they_cause(
    at: float, base_torque: bool
) -> None:
    force, law = blow(NORMAL, 1.0), compensating(TABLE_1, at, base_torque)
    found = onset(TABLE_1, at, force, law)
    system, point = TABLE_1.system, Frame.point("link2", (at, 0.0, 0.0))
    jump = impact_reactions(system, Q, point, force).rate_jump  # of the force alone
    torques = np.array([0.0, 0.0, *found.torques])
    added = np.asarray(forward_dynamics(system, Q, np.zeros(5), torques), float)
    a = np.array(jump, float) + added
    np.testing.assert_allclose(law(a[2] + a[3], a[2:].sum()), found.torques, atol=1e-12)


def test_simulated_onsets_are_newton_and_euler_s() -> None:
    for case in (*(PulseCase(at) for at in PLACES), *(PulseCase(COP, angle) for angle in ANGLES)):
        expected = onset(TABLE_1, case.at, blow(math.radians(case.angle), case.force)).sizes
        got = [felt(case).at_onset(joint) for joint in ("joint1", "joint2")]
        np.testing.assert_allclose(got, expected, atol=1e-9)


def test_runs_balance_energy_and_momentum() -> None:
    for case in (PulseCase(TIP), PulseCase(COP, 30.0)):
        balance = simulation_of(case).balance
        assert abs(balance.energy) < 1e-9
        assert abs(balance.linear_momentum or 0.0) < 1e-9
    assert "law: none" in scenario_text(PulseCase(TIP))


# --- errata --------------------------------------------------------------------------------------


def test_every_error_is_shown_and_confirmed() -> None:
    found = findings()
    assert len(found) == 15
    for erratum in found:
        assert erratum.evidence.verdict == "wrong: confirmed", erratum.where
    by_place = {erratum.where: erratum.evidence for erratum in found}
    np.testing.assert_allclose(by_place["2.1 (2)"].printed, 395.3, atol=0.05)
    np.testing.assert_allclose(by_place["2.1 (2)"].right, 367.9, atol=0.05)
    np.testing.assert_allclose(by_place["(39)"].printed[1:], [2.3969, 1.356], atol=5e-4)
    np.testing.assert_allclose(by_place["3.3, example"].right, [0.45541, 75.33], atol=5e-3)
    np.testing.assert_allclose(by_place["(33)"].right, [0.1, 0.0], atol=1e-15)
    np.testing.assert_allclose(by_place["(51)–(52)"].right, 28.333333, rtol=5e-8)
    np.testing.assert_allclose(by_place["4.2"].printed, 3.96, atol=5e-3)
    np.testing.assert_allclose(by_place["4.2"].right, 5.25, atol=5e-3)


# --- what is written -----------------------------------------------------------------------------


def test_files_and_page(paper: Reproduction) -> None:
    names = {f"{figure.name}.{kind}" for figure in FIGURES for kind in ("png", "svg")}
    assert set(paper.files) == {"index.html", "summary.json", *names}
    wanted = ("4", "5", "6", "9", "10a", "10b", "10c", "11a", "11b", "12")
    assert {f"figure-{k}.svg" for k in wanted} <= names
    page = str(paper.files["index.html"])
    assert page.count('src="data:image/svg+xml;base64,') == len(FIGURES)
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    data = json.loads(str(paper.files["summary.json"]))
    assert data == json.loads(json.dumps(paper.summary))
    effects = {(run["struck"], run["motors"]): run for run in data["compensation"]}
    assert effects["tip", "IC²"]["peak_reaction"]["joint1"] == pytest.approx(0.83, abs=5e-3)
    assert len(data["pulses"]) == 15


def test_figures_are_opaque_and_captioned(paper: Reproduction) -> None:
    for figure in FIGURES:
        image = bytes(paper.files[figure.svg])  # type: ignore[arg-type]
        assert b"fill: #ffffff" in image[:3000], f"{figure.name}: white is behind it"
        assert bytes(paper.files[figure.png])[:4] == b"\x89PNG"  # type: ignore[arg-type]
        assert len(figure.caption) > 40


def test_words_carry_the_numbers(paper: Reproduction) -> None:
    text = " ".join(paper.words)
    for words in (
        "0.77927039 and 1.2207296, not 0.68 and 1.32",
        "367.9 N where the fixed axis gives 395.3 N",
        "28.333333 N m",
        "from 36.8 and 29.8 N to 5.27 and 0.833 N",
        "71.6 and 39.3 N",
        "raises N2 from 3.96 to 5.25 N",
        "15 errors",
    ):
        assert words in text, words


def test_the_page_of_the_documentation_has_the_same_tables(paper: Reproduction) -> None:
    text = (DOCS / "sources" / f"{NAME}.md").read_text(encoding="utf-8")
    tables = (*paper.headline, errata_table(findings()), misprint_table(MISPRINTS))
    for table in (*input_tables(), *tables):
        for row in table.markdown().splitlines():
            assert row in text, f"docs/sources/{NAME}.md lacks the row\n{row}"
    for figure in FIGURES:
        assert f"cop-{figure.svg}" in text
        assert 10_000 < (DOCS / "_static" / f"cop-{figure.svg}").stat().st_size < 250_000


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(NAME, tmp_path / "result")
    shown, complaints = capsys.readouterr()
    assert complaints == ""
    for words in ("0.71666667", "1.3953488", "395.3", "367.9", "5.266", "result/index.html"):
        assert words in shown
    lines = [line for line in shown.splitlines() if "index.html" not in line]
    assert max(map(cell_len, lines)) <= 80
    assert "…" not in shown, "no number is cut off"
    assert (tmp_path / "result" / "figure-10c.svg").is_file()
