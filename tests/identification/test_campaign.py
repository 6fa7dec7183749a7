"""A few cases of the honesty campaign, of every kind: `make honesty` runs thousands."""

from __future__ import annotations

import numpy as np
import pytest

from percuss.identification.data.measured import Measured
from tests.identification.campaign import HONEST, KINDS, PLANAR, Counted, counted, table
from tests.identification.plane import random_case

SEED = 11


@pytest.mark.parametrize("index", [k for k in range(len(KINDS)) if KINDS[k] in HONEST])
def test_nothing_is_claimed_that_is_not_so(index: int) -> None:
    """What is withheld is counted by the campaign: its bar is a share of many cases."""
    one = counted(KINDS[index], SEED, index)
    assert one.outcome == "given", one.words
    assert one.beyond < 5.0


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
