"""A few cases of the honesty campaign, of every kind: `make honesty` runs thousands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from percuss.identification.data.measured import Measured
from tests.identification import mujoco_capture, mujoco_parts
from tests.identification.campaign import (
    HONEST,
    KINDS,
    PLANAR,
    Counted,
    counted,
    judged,
    kind_of,
    table,
)
from tests.identification.plane import random_case
from tests.identification.space import RECORDS, space_case

SEED = 11


@pytest.mark.parametrize("index", [k for k in range(len(KINDS)) if KINDS[k] in HONEST])
def test_nothing_is_claimed_that_is_not_so(index: int) -> None:
    """What is withheld is counted by the campaign: its bar is a share of many cases."""
    one = counted(KINDS[index], SEED, index)
    assert one.outcome == "given", one.words
    assert one.beyond < 5.0


@pytest.mark.parametrize(
    "index",
    [
        pytest.param(52, id="a bias that residuals do not show"),
        pytest.param(766, id="a pin taken for a weld that fits"),
        pytest.param(331, id="a valley that cannot be followed to its end"),
        pytest.param(632, id="a target that spins about the very point of contact fits best"),
        pytest.param(647, id="a motion that is lost in steps as long as between the samples"),
        pytest.param(897, id="a long tail of a bent valley"),
        pytest.param(1196, id="a mass that is wrong by a third and leaves nothing to be seen"),
        pytest.param(289, id="a mass that is wrong, of which the residuals have their doubts"),
        pytest.param(2498, id="a time that moves with what the record does not tell"),
    ],
)
def test_cases_that_mislead_are_told_or_not_answered(index: int) -> None:
    one = judged(SEED, index)
    assert one.outcome == "given", one.words
    assert one.beyond < 4.0


@pytest.mark.parametrize("kind", list(PLANAR))
def test_a_record_is_what_its_kind_says(kind: str) -> None:
    random = np.random.default_rng(3)
    truth, asked, record = PLANAR[kind][0](random_case(12), random)
    assert isinstance(record, Measured)
    assert set(record.columns) == set(truth.shown)
    is_believed = (asked.closure, asked.believed) == (truth.closure, truth.believed)
    plain = truth.measured(True)
    same = all(np.array_equal(record.columns[name], plain.columns[name]) for name in truth.shown)
    assert (is_believed and same) == (kind in HONEST)


@pytest.mark.parametrize("kind", list(PLANAR))
def test_a_record_in_space_is_what_its_kind_says(kind: str) -> None:
    case = space_case(kind, np.random.default_rng(4))
    plain = case.capture.measured(case.plan.noise, case.noise_seed)
    record, noisy = case.record, plain.columns
    # At the impact itself rates leap: nothing is measured of them.
    assert all(np.isfinite(column[1:]).all() for column in record.columns.values())
    same = case.late == 0.0 and all(
        np.allclose(column, noisy[name], rtol=0, atol=1e-12, equal_nan=True)
        for name, column in record.columns.items()
    )
    asked = {"target.velocity", *(name.replace("__", ".") for name in case.plan.wrong)}
    is_believed = set(case.changes) <= asked
    assert (is_believed and same) == (f"in space, {kind}" in HONEST)
    assert list(RECORDS) == list(PLANAR)


def test_the_truth_in_space_shares_no_mechanics_with_what_is_judged() -> None:
    for module in (mujoco_capture, mujoco_parts):
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        taken = {line.split()[1] for line in text.splitlines() if line.startswith("from percuss")}
        data = {"percuss.identification.data.measured", "percuss.model.systems", "percuss.scenario"}
        assert taken <= data


def test_every_fourth_case_is_in_space_and_kinds_come_alike_often() -> None:
    count = Counter(kind_of(index) for index in range(400))
    assert {count[kind] for kind in KINDS if kind in PLANAR} == {30}
    assert {count[kind] for kind in KINDS if kind not in PLANAR} == {10}


def test_the_table_counts_what_is_wrong_without_a_warning() -> None:
    kind = KINDS[0]
    cases = [
        Counted(kind, 0, "given", worst=6.0, sure=3, withheld=1),
        Counted(kind, 1, "given", warned=True, worst=60.0, sure=3),
        Counted(kind, 1, "given", hangs=True, worst=0.5, sure=0),
        Counted(kind, 2, "refused", sure=2, withheld=2),
        Counted(kind, 3, "given", worst=4.5, sure=2),
    ]
    row = table(cases).splitlines()[2]
    assert row == f"| {kind} | 5 | 1 | 2 | 1 | 1 | 1 | 3 of 10 (30.0 %) | 0 |"
