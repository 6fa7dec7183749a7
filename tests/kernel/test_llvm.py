"""Machine code against the NumPy interpreter, operation by operation and at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.backends.llvm import LlvmProgram, host_lanes
from percuss.kernel.builder import Builder
from percuss.kernel.program import ARITY, LOGICAL, Program
from tests.kernel.random_programs import error_bound, random_program

EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-300, -1e-300, 5e-324, 1e300, -1e300,
     np.inf, -np.inf, np.nan, 0.49999999999999994, 1e6, -1e6, 3.0, 700.0, -700.0, 1e-10]
)  # fmt: skip
POSITIVE = {"log", "log2", "sqrt", "acosh"}
RANGES = {"asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1), "log1p": (-1, 50), "acosh": (1, 50)}


def run(
    program: Program, inputs: list[np.ndarray], dtype: type = np.float64, **options: int
) -> list[np.ndarray]:
    outputs = np.empty((len(program.outputs), len(inputs[0])), dtype)
    LlvmProgram(program, dtype, **options)(
        [np.ascontiguousarray(x, dtype) for x in inputs], list(outputs)
    )
    return list(outputs)


def single(operation: str) -> Program:
    builder = Builder(ARITY[operation])
    arguments = list(range(ARITY[operation]))
    if operation in ("select", "not", *LOGICAL):
        truths = arguments if operation != "select" else arguments[:1]
        arguments = [builder.emit("to_truth", r) if r in truths else r for r in arguments]
    if operation == "to_real":
        arguments = [builder.emit("to_truth", 0)]
    return builder.finish([builder.emit(operation, *arguments)])


@pytest.mark.parametrize("operation", [o for o in ARITY if o not in ("lookup", "hold")])
def test_every_operation_agrees_with_numpy_on_its_domain_and_its_edges(operation: str) -> None:
    rng = np.random.default_rng(0)
    low, high = RANGES.get(operation, (0 if operation in POSITIVE else -20, 20))
    smooth = rng.uniform(low, high, (ARITY[operation], 2000))
    edges = np.array(np.meshgrid(*[EDGES] * ARITY[operation])).reshape(ARITY[operation], -1)
    if operation == "pow":
        smooth[0] = np.abs(smooth[0])
    inputs = list(np.concatenate([smooth, edges], axis=1))
    program = single(operation)
    (found,) = run(program, inputs)
    (expected,) = interpret(program, inputs)
    expected = np.asarray(expected, float)
    scale = np.maximum(np.abs(expected), 1e-300)
    exactly = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        close = np.abs(found - expected) <= 1e-13 * scale
    wrong = ~(exactly | close)
    shown = (
        [(*(x[wrong][0] for x in inputs), found[wrong][0], expected[wrong][0])]
        if wrong.any()
        else []
    )
    assert not wrong.any(), f"{operation}: (inputs, machine code, NumPy) {shown}"


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 120))
def test_random_programs_stay_within_their_error_bound(seed: int, inputs: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, inputs, size)
    x = list(rng.normal(size=(inputs, 37)))
    found, expected = run(program, x), interpret(program, x)
    bounds = error_bound(program, x, unit=1e-15)
    for a, b, bound in zip(found, expected, bounds, strict=True):
        assert (np.abs(a - b) <= bound + 1e-300).all()


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_every_vector_width_gives_the_same_up_to_rounding(lanes: int) -> None:
    if lanes > host_lanes():
        pytest.skip(f"this processor has {host_lanes()} lanes")
    rng = np.random.default_rng(7)
    program = random_program(rng, 4, 80)
    x = list(rng.normal(size=(4, 29)))
    bounds = error_bound(program, x, unit=1e-15)
    for a, b, bound in zip(
        run(program, x, lanes=lanes), interpret(program, x), bounds, strict=True
    ):
        assert (np.abs(a - b) <= bound + 1e-300).all()


@pytest.mark.parametrize("batch", [0, 1, 7, 8, 9, 100])
def test_a_case_has_the_same_bits_wherever_it_stands(batch: int) -> None:
    rng = np.random.default_rng(3)
    program = random_program(rng, 3, 60)
    x = rng.normal(size=(3, 100))
    whole = np.array(run(program, list(x)))
    part = np.array(run(program, list(x[:, :batch]))).reshape(len(program.outputs), batch)
    np.testing.assert_array_equal(part, whole[:, :batch])
    order = rng.permutation(100)
    shuffled = np.array(run(program, list(x[:, order])))
    np.testing.assert_array_equal(shuffled, whole[:, order])


def test_threads_do_not_change_bits() -> None:
    rng = np.random.default_rng(4)
    program = random_program(rng, 3, 60)
    x = list(rng.normal(size=(3, 5001)))
    code = LlvmProgram(program)
    results = []
    for threads in (1, 2, 3, 7):
        outputs = np.empty((len(program.outputs), 5001))
        code(x, list(outputs), threads)
        results.append(outputs)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_a_bad_case_does_not_touch_its_neighbours() -> None:
    rng = np.random.default_rng(5)
    program = random_program(rng, 3, 60)
    x = rng.normal(size=(3, 16))
    clean = np.array(run(program, list(x)))
    x[:, 5], x[:, 11] = np.nan, np.inf
    dirty = np.array(run(program, list(x)))
    others = [k for k in range(16) if k not in (5, 11)]
    np.testing.assert_array_equal(dirty[:, others], clean[:, others])


def test_single_precision() -> None:
    rng = np.random.default_rng(6)
    program = random_program(rng, 3, 30)
    x = list(rng.normal(size=(3, 50)).astype(np.float32))
    bounds = error_bound(program, [a.astype(float) for a in x], unit=1e-6)
    for a, b, bound in zip(run(program, x, np.float32), interpret(program, x), bounds, strict=True):
        assert a.dtype == np.float32
        assert (np.abs(a - b) <= bound + 1e-30).all()
