"""Elimination without row exchanges on sparse structures, against dense solution with them."""

from __future__ import annotations

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss import kernel
from percuss.kernel.rollouts.methods.elimination import Elimination


def solution(
    elimination: Elimination, values: np.ndarray, g: float, right: np.ndarray
) -> np.ndarray:
    """y with (1 - g·J) y = b, as a program computes it."""

    def solved(values: np.ndarray, g: float, right: np.ndarray) -> np.ndarray:
        return elimination.solve(elimination.factor(values, g), g, right)

    return kernel.compile(solved, values, g, right, backend="numpy")(values, g, right)


def exactly(jacobian: np.ndarray, g: float, right: np.ndarray) -> np.ndarray:
    """The solution with 60 digits."""
    with mpmath.workdps(60):
        matrix = mpmath.eye(len(right)) - mpmath.mpf(g) * mpmath.matrix(jacobian.tolist())
        found = mpmath.lu_solve(matrix, mpmath.matrix(right.tolist()))
        return np.array([float(entry) for entry in found])


@settings(deadline=None, max_examples=60)
@given(
    size=st.integers(1, 9),
    density=st.floats(0.0, 1.0),
    known=st.floats(0.0, 1.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_structure(size: int, density: float, known: float, seed: int) -> None:
    """1 - g·J with a dominant diagonal, entries zero, constant or moving, at random."""
    rng = np.random.default_rng(seed)
    jacobian = np.where(rng.random((size, size)) < density, rng.normal(size=(size, size)), 0.0)
    g = 0.8 / max(np.abs(jacobian).sum(axis=1).max(), 1e-3)
    places = list(zip(*np.nonzero(jacobian), strict=True))
    fixed = rng.random(len(places)) < known
    constant = {p: float(jacobian[p]) for p, f in zip(places, fixed, strict=True) if f}
    moving = [p for p, f in zip(places, fixed, strict=True) if not f]
    elimination = Elimination(size, constant, moving)
    right = rng.normal(size=size)
    values = np.array([jacobian[p] for p in moving])
    found = solution(elimination, values, g, right)
    wanted = np.linalg.solve(np.eye(size) - g * jacobian, right)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)


@settings(deadline=None, max_examples=60)
@given(
    size=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
    stiff=st.floats(0.0, 9.0),
    soft=st.floats(0.0, 9.0),
    step=st.floats(-6.0, 2.0),
)
def test_damped_mechanical_systems_need_no_exchanges(
    size: int, seed: int, stiff: float, soft: float, step: float
) -> None:
    """q' = v, M v' = -K q - D v, with diagonal D and K over many powers of ten, any step.

    The right side is one that belongs to forces of size one: a stiff spring is pulled little. Then
    errors are those of rounding, as with row exchanges.
    """
    rng = np.random.default_rng(seed)
    shape = rng.normal(size=(size, size))
    mass = shape @ shape.T + 0.1 * np.eye(size)
    damping, stiffness = (10.0 ** rng.uniform(-2, top, size) for top in (stiff, soft))
    mobility = np.linalg.inv(mass)
    jacobian = np.block(
        [[np.zeros((size, size)), np.eye(size)], [-mobility * stiffness, -mobility * damping]]
    )
    constant = {(k, size + k): 1.0 for k in range(size)}
    moving = [(size + i, k) for i in range(size) for k in range(2 * size)]
    elimination = Elimination(2 * size, constant, moving)
    g = 10.0**step
    right = rng.normal(size=2 * size)
    right[:size] /= 1.0 + g * stiffness
    found = solution(elimination, jacobian[size:].ravel(), g, right)
    error = np.abs(found - exactly(jacobian, g, right)).max()
    assert error <= 1e-15 * np.linalg.cond(mass) * (np.abs(found).max() + np.abs(right).max())


def test_positions_come_first_and_cost_no_division() -> None:
    """Of q' = v and v' = f(q, v) only the rates' own block is factored."""
    size = 5
    constant = {(k, size + k): 1.0 for k in range(size)}
    moving = [(size + i, k) for i in range(size) for k in range(2 * size)]
    elimination = Elimination(2 * size, constant, moving)
    factored = kernel.trace(elimination.factor, np.zeros(len(moving)), 0.0).program
    assert factored.counts["div"] == size
    # Multipliers of the positions, both triangles of the rates, one entry a position.
    assert elimination.multiplications == size * size + size * (size - 1) + size


def test_what_nothing_depends_on_is_not_factored() -> None:
    """An integral is solved for after everything else, at the price of its own row."""
    chain = {(0, 0): -1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): -4.0}
    alone = Elimination(2, {}, list(chain))
    watched = Elimination(3, {}, [*chain, (2, 0), (2, 1)])
    count = [
        kernel.trace(e.factor, np.zeros(n), 0.0).program.operation_count
        for e, n in ((alone, 4), (watched, 6))
    ]
    assert count[1] - count[0] == 2, "its two entries times g"
    assert watched.multiplications - alone.multiplications == 2


def test_no_fill_in_an_arrow() -> None:
    """One variable that all others depend on, and that depends on all, is eliminated last."""
    size = 8
    moving = [(k, k) for k in range(size)]
    moving += [(0, k) for k in range(1, size)] + [(k, 0) for k in range(1, size)]
    assert Elimination(size, {}, moving).multiplications == 2 * (size - 1)
