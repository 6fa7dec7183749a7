"""Cases of random encounters that differ in random numbers are their single runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.encounter.campaign import MOST_LEFT_OUT, Example, Tally
from tests.studies import cases

EXAMPLES = cases(4, 14)


@pytest.mark.sampled
def test_cases_of_random_encounters_are_single_runs(tmp_path: Path) -> None:
    """Any closure, law and base, any numbers; `tests.encounter.campaign` says what is compared."""
    tally = Tally()

    @settings(max_examples=EXAMPLES)
    @given(seed=st.integers(0, 2**31))
    def agrees(seed: int) -> None:
        told = len(tally.wrong)
        tally.check(Example.of(seed, tmp_path))
        assert not tally.wrong[told:], "\n".join(tally.wrong[told:])

    agrees()
    assert tally.left_out <= MOST_LEFT_OUT, f"too many cases are left out:\n{tally.table()}"
    assert tally.compared >= EXAMPLES, f"too few cases are compared:\n{tally.table()}"
