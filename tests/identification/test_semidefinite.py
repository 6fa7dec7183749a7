"""Linear equations whose tables are singular to a computer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from percuss.identification.estimate.descent import decrement
from percuss.identification.estimate.objective import Local
from percuss.identification.estimate.semidefinite import solve_semidefinite
from percuss.identification.estimate.valley import Valley


@given(st.integers(0, 1000), st.floats(-3, 3))
def test_sound_tables_are_solved_as_ever(seed: int, size: float) -> None:
    random = np.random.default_rng(seed)
    root = random.standard_normal((2, 4, 4)) * 10.0**size
    tables = root @ np.swapaxes(root, 1, 2) + 1e-3 * np.eye(4)
    sides = random.standard_normal((2, 4, 1))
    np.testing.assert_array_equal(solve_semidefinite(tables, sides), np.linalg.solve(tables, sides))


def test_what_drowns_in_rounding_is_left_alone() -> None:
    tables = np.stack([np.full((3, 3), 1e40), np.eye(3)])
    sides = np.array([[3e40, 3e40, 3e40], [1.0, 2.0, 3.0]])[..., None]
    found = solve_semidefinite(tables, sides)[..., 0]
    np.testing.assert_allclose(found, [[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]], rtol=1e-12)


def test_a_search_that_has_run_away_goes_on() -> None:
    """One direction outweighs the others, and their ranges, by more digits than there are."""
    information = np.full((3, 3, 1), 1e40)
    gradient = np.full((3, 1), 1e20)
    nothing = np.zeros((1, 1))
    local = Local(np.ones(1), gradient, information, nothing, np.zeros((1, 3, 1)))
    np.testing.assert_allclose(decrement(local), [1.0], rtol=1e-12)


def test_a_valley_that_was_not_followed_does_not_flatten() -> None:
    one = Valley(
        direction=np.array([1.0, 0.0]),
        along=np.zeros(1),
        theta=np.zeros((2, 1)),
        rise=np.zeros(1),
        information=np.eye(2)[..., None],
        scale=np.ones(2),
        open=False,
    )
    assert not one.flattens
