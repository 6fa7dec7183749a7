"""NumPy's functions of arrays on traced values, against NumPy on numbers."""

# ruff: noqa: ARG005  all functions of a table take the same arguments

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel import trees
from tests.kernel.tracing.running import assert_as_numpy, run_traced
from tests.kernel.tracing.test_elements import arrays

FINITE = st.floats(-8.0, 8.0, width=32)
MASK = np.array([True, False, True])

MOVED: dict[str, Any] = {
    "reshape": lambda x, m: (x.reshape(3, 1), m.reshape(-1), np.reshape(m, (3, 2)), m.ravel()),
    "transpose": lambda x, m: (m.T, np.transpose(m), m.transpose(1, 0), m.swapaxes(0, 1), x.T),
    "flatten": lambda x, m: (m.flatten(), np.ravel(m), m[None].squeeze(), np.expand_dims(x, 0)),
    "flip": lambda x, m: (np.flip(m), np.fliplr(m), np.flipud(m), np.roll(x, 1), np.rot90(m)),
    "repeat": lambda x, m: (np.repeat(x, 2), np.tile(x, 2), m.repeat(2, axis=1)),
    "broadcast": lambda x, m: (np.broadcast_to(x, (2, 3)), np.broadcast_arrays(x, m)),
    "atleast": lambda x, m: (np.atleast_1d(x[0]), np.atleast_2d(x), np.atleast_1d(x, m)),
    "split": lambda x, m: (np.split(x, 3), np.array_split(x, 2), np.hsplit(m, 3)),
    "unpack": lambda x, m: (lambda a, b, c: (a * b, c, len(x) * a, len(m)))(*x),
    "iterate": lambda x, m: ([row * x for row in m], [y + 1 for y in x], x.tolist()),
    "stack": lambda x, m: (np.stack([x, m[0]]), np.stack([x[0], 1.0, 2]), np.vstack([x, m])),
    "stack axis": lambda x, m: (np.stack([x, m[0]], axis=1), np.column_stack([x, m[0]])),
    "concatenate": lambda x, m: (np.concatenate([x, [1.0, 2.0]]), np.hstack([x, 1.0, m[0]])),
    "truth and number": lambda x, m: (np.stack([x > 0, m[0]]), np.concatenate([x > 0, x])),
    "append": lambda x, m: (np.append(x, 1.0), np.insert(x, 1, m[0, 0]), np.delete(x, 1)),
    "pad": lambda x, m: (np.pad(x, 1), np.pad(x, (1, 2), constant_values=3.0), np.pad(m, 1)),
    "pad edge": lambda x, m: (np.pad(x, 1, mode="edge"), np.pad(m, 1, mode="wrap")),
    "block": lambda x, m: (np.block([x, m[0]]), np.block([[m], [x]])),
    "triangles": lambda x, m: (np.triu(m), np.tril(m, -1), np.diag(x), np.diag(x, 1), np.diag(m)),
    "diagonal": lambda x, m: (np.diagonal(m), m.diagonal(), np.linalg.diagonal(m), m.trace()),
    "like": lambda x, m: (np.zeros_like(x) + x, np.ones_like(m), np.full_like(m, 2.5) * m),
    "like truths": lambda x, m: (np.zeros_like(x > 0), np.ones_like(m > 0), np.full_like(x > 0, 2)),
    "like, of another kind": lambda x, m: (
        np.zeros_like(x, dtype=bool),
        np.ones_like(x > 0, float),
    ),
    "facts": lambda x, m: (np.shape(m), m.ndim * x, np.size(m) * x, m.shape, np.ndim(x)),
    "meshgrid": lambda x, m: np.meshgrid(x, m[0]),
    "copy": lambda x, m: (x.copy(), np.copy(m), x[:1].item(), x[1].item()),
}

CHOSEN: dict[str, Any] = {
    "where": lambda x, m: (np.where(x > 0, x, 0.0), np.where(m > x, 1, 0), np.where(x, x, m)),
    "where of scalars": lambda x, m: (np.where(x[0] > 0, m, x), np.where(MASK, x, 1.0)),
    "where of truths": lambda x, m: np.where(x > 0, m > 0, x < -1),
    "select": lambda x, m: np.select([x > 1, x > 0], [x, m], -1.0),
    "clip": lambda x, m: (np.clip(x, -1, 1), x.clip(0.1), np.clip(m, None, x), np.clip(m, x, 2.0)),
    "clip by name": lambda x, m: (np.clip(x, min=0.0), np.clip(m, a_min=-0.1, a_max=0.1)),
    "clip methods": lambda x, m: (x.clip(max=0.5), m.clip(-1.0, 1.0), np.ones(3).clip(x, 0.5)),
    "isclose": lambda x, m: (np.isclose(x, m), np.allclose(x, x), np.array_equal(x, m[0])),
    "nan_to_num": lambda x, m: (np.nan_to_num(x), np.nan_to_num(m, nan=1.0, posinf=2.0)),
    "argmax": lambda x, m: (np.argmax(x), m.argmax(), np.argmin(m, axis=1), np.argmax(m, axis=0)),
    "extremes": lambda x, m: (np.max(m), m.min(), m.max(axis=1, keepdims=True), np.amin(x)),
    "with a start": lambda x, m: (np.max(x, initial=0.5), np.sum(m, axis=0, initial=1.0)),
    "ptp": lambda x, m: (np.ptp(x), np.ptp(m, axis=1)),
    "count": lambda x, m: (np.count_nonzero(x), np.count_nonzero(m > 0, axis=1)),
    "digitize": lambda x, m: (np.digitize(x, [-1.0, 0.0, 2.0]), np.digitize(m, [0.0], right=True)),
    "searchsorted": lambda x, m: (
        np.searchsorted([-1.0, 0.0, 0.0, 2.0], m),
        np.searchsorted([-1.0, 0.0, 2.0], x, side="right"),
    ),
    "cumprod": lambda x, m: (np.cumprod(x), np.cumprod(m, axis=1)),
    "cumsum": lambda x, m: (np.cumsum(x), m.cumsum(), np.cumsum(m, axis=-1), np.diff(m, axis=0)),
}

SUMMED: dict[str, Any] = {
    "sums": lambda x, m: (np.sum(m), m.sum(axis=0), m.sum(axis=(0, 1)), m.sum(1, keepdims=True)),
    "products": lambda x, m: (np.prod(m), m.prod(axis=1), np.prod(x)),
    "means": lambda x, m: (np.mean(m), m.mean(axis=0, keepdims=True), np.average(x)),
    "spread": lambda x, m: (np.var(x), np.std(m, axis=1), m.std(), np.var(m, ddof=1)),
    "weighted": lambda x, _: np.average(x, weights=[1.0, 2.0, 3.0]),
    "matmul": lambda x, m: (m @ x, x @ x, m @ m.T, x @ m.T, [[1.0, 2, 3]] @ x, m @ [1, 2, 3]),
    "of constants": lambda x, m: (np.array([[1.0, 2, 0], [0, 3, -1]]) @ x, np.eye(2) @ m),
    "stacks of matrices": lambda x, m: (np.stack([m, m]) @ x, np.stack([m, m]) @ m.T),
    "dot": lambda x, m: (np.dot(x, x), np.dot(m, x), m.dot(x), np.dot(2.0, x), np.vdot(m, m)),
    "inner": lambda x, m: (np.inner(x, x), np.inner(m, m), np.vecdot(m, x), np.linalg.vecdot(m, m)),
    "outer": lambda x, m: (np.outer(x, x), np.kron(x, x), np.kron(m, x[:2]), np.outer(m, x)),
    "tensordot": lambda x, m: (np.tensordot(m, x, 1), np.tensordot(m, m), np.tensordot(x, x, 0)),
    "cross": lambda x, m: (np.cross(x, x[::-1]), np.cross(m, x), np.cross(x, [0.0, 0, 1])),
    "einsum": lambda x, m: (np.einsum("ij,j->i", m, x), np.einsum("i,i", x, x)),
    "einsum of three": lambda x, m: np.einsum("ij,jk,k->i", m, m.T, x[:2]),
    "trace": lambda x, m: (np.trace(m), np.trace(m, offset=1)),
    "norm": lambda x, m: (np.linalg.norm(x), np.linalg.norm(m, axis=1), np.linalg.norm(m)),
    "norms": lambda x, m: [np.linalg.norm(x, order) for order in (1, 2, np.inf, -np.inf)],
    "vector norm": lambda x, m: (
        np.linalg.vector_norm(m),
        np.linalg.norm(m, axis=0, keepdims=True),
    ),
    "trapezoid": lambda x, m: (np.trapezoid(x), np.trapezoid(m, dx=0.5), np.trapezoid(m, x)),
    "polyval": lambda x, m: (np.polyval([1.0, 2.0, 3.0], x), np.polyval(x, 0.5)),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_moves_entries_is_exact(name: str) -> None:
    rng = np.random.default_rng(3)
    assert_as_numpy(MOVED[name], rng.normal(size=3), rng.normal(size=(2, 3)))


@pytest.mark.parametrize("name", CHOSEN)
@settings(max_examples=25)
@given(arrays((3,)), arrays((2, 3)))
def test_what_chooses_is_exact_and_knows_nan(name: str, x: Any, m: Any) -> None:
    assert_as_numpy(CHOSEN[name], x, m)


@pytest.mark.parametrize("name", SUMMED)
@settings(max_examples=15)
@given(arrays((3,), FINITE), arrays((2, 3), FINITE))
def test_sums_are_those_of_numpy_to_rounding(name: str, x: Any, m: Any) -> None:
    function = SUMMED[name]
    found = trees.leaves_of(run_traced(function, x, m))
    expected = trees.leaves_of(function(x, m))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == np.shape(theirs)
        # Taken in another order, of at most 9 terms of at most 8⁴.
        np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=9 * 8**4 * 1e-15)


INDEXED: dict[str, Any] = {
    "negative": lambda x, m, c: (x[-1], m[-1, -2], c[-1][0]),
    "slices": lambda x, m, c: (x[1:], x[::2], x[::-1], m[:, 1:], m[::-1, ::2], c[..., 0]),
    "new axes": lambda x, m, c: (x[None], x[:, None], m[..., None], m[None, :, 0], x[...]),
    "fancy": lambda x, m, c: (x[[0, 2]], m[:, [2, 0]], m[[0, 1], [1, 2]], x[np.array([1, 1])]),
    "masks": lambda x, m, c: (x[MASK], m[:, MASK], c[np.array([True, False])]),
    "ix": lambda x, m, c: m[np.ix_([0, 1], [1, 2])],
    "computed": lambda x, m, c: (x[np.argmax(x)], m[np.argmin(m[:, 0])], np.take(x, np.argmin(x))),
    "computed, then known": lambda x, m, c: (m[np.argmax(m[:, 0]), 1], m[np.argmax(m[:, 1]), ::2]),
    "computed axes": lambda x, m, c: np.take(m, np.argmax(x), axis=1),
    "from the end": lambda x, m, c: x[(np.argmax(x) - 3).astype(int)],
    "chosen": lambda x, m, c: np.choose(np.argmax(x), [x[0], 2.0, m[0, 0]]),
    "chosen from a table": lambda x, m, c: np.choose(np.argmax(m, axis=1), [1.5, 2.5, -1.0]),
    "methods": lambda x, m, c: (x.take([0, 2]), np.take(m, [1], axis=1)),
}


@pytest.mark.parametrize("name", INDEXED)
def test_indices(name: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(8):
        given_arrays = rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=(2, 2, 2))
        assert_as_numpy(INDEXED[name], *given_arrays)


@pytest.mark.parametrize(
    ("places", "values"),
    [
        ([0.0, 1.0, 2.0], [1.0, 3.0, -1.0]),
        ([-1.5, -1.0, 0.25, 0.5, 3.0, 7.5], [2.0, 0.0, 0.0, 5.0, -1.0, 4.0]),
        ([0.5], [2.0]),
        ([0.0, 2.0], [1.0, 5.0]),
        ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0]),
        ([0.0, 0.0, 1.0], [5.0, 1.0, 2.0]),
        ([0.0, 1.0, 1.0], [0.0, 1.0, 2.0]),
        (list(np.linspace(-2.0, 2.0, 33)), list(np.cos(np.linspace(-2.0, 2.0, 33)))),
    ],
    ids=["three", "six", "one", "two", "a jump", "a jump first", "a jump last", "many"],
)
@pytest.mark.parametrize("outside", [{}, {"left": -7.0, "right": 9.0}], ids=["ends", "given"])
def test_interpolation(places: list[float], values: list[float], outside: Any) -> None:
    at = np.array([*places, *np.linspace(-3, 8, 45), -np.inf, np.inf, np.nan, 1 - 1e-12, -0.0])
    assert_as_numpy(lambda x: np.interp(x, places, values, **outside), at, ulps=4)
    assert_as_numpy(lambda x: np.interp(x, places, values, **outside), np.float64(0.7), ulps=4)
    # Exact where a table says so.
    assert_as_numpy(lambda x: np.interp(x, places, values, **outside), np.array(places))
    # Tables may be computed too.
    table = np.array(values)
    assert_as_numpy(lambda x, y: np.interp(x, places, y, **outside), at, table, ulps=4)
    assert_as_numpy(
        lambda p, y: np.interp(np.array([0.3, 1.4]), p, y), np.array(places), table, ulps=4
    )


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_linear_equations(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, right = rng.normal(size=(size, size)), rng.normal(size=size)
    matrix[0, 0] = 0.0 if size > 1 else 2.0  # rows must be exchanged
    many = rng.normal(size=(size, 2))
    slack = 64 * np.linalg.cond(matrix)
    assert_as_numpy(np.linalg.solve, matrix, right, ulps=slack)
    assert_as_numpy(np.linalg.solve, matrix, many, ulps=slack)
    assert_as_numpy(lambda a: np.linalg.solve(a, right), matrix, ulps=slack)
    assert_as_numpy(lambda b: np.linalg.solve(matrix, b), right, ulps=slack)
    assert_as_numpy(np.linalg.inv, matrix, ulps=slack)
    assert_as_numpy(np.linalg.det, matrix, ulps=slack)
    pair = np.stack([matrix, matrix.T])
    assert_as_numpy(lambda a: (np.linalg.inv(a), np.linalg.solve(a, right)), pair, ulps=slack)


@pytest.mark.parametrize(
    "matrix", [np.zeros((3, 3)), np.ones((2, 2)), np.diag([1.0, 0.0, 2.0]), np.eye(3)[[1, 0, 2]]]
)
def test_determinants_of_singular_matrices_and_permutations(matrix: Any) -> None:
    assert_as_numpy(np.linalg.det, matrix)
