"""Programs that call parts compute what they compute with the parts written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.backends.llvm import LlvmProgram
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, sparsity, tangent, with_single_calls_inlined
from percuss.kernel.calculus.inlining import expanded, inline, without_holds
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program
from percuss.kernel.store import program_from_json, program_to_json
from percuss.kernel.tracing.function import trace
from percuss.kernel.tracing.parts import Part
from tests.kernel.programs_with_calls import program_with_calls
from tests.kernel.threads_on_host import run_iteration, run_program

SEEDS = st.integers(0, 2**31 - 1)
TOLERANCE = 1e-13
"""Back ends round a few dozen operations, some of them fused, on values of order one."""


def values(program: Program, inputs: np.ndarray) -> np.ndarray:
    found = interpret(program, list(inputs))
    return np.array([np.broadcast_to(row, inputs.shape[1]) for row in found], float)


def points(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 16))


@settings(max_examples=60)
@given(SEEDS)
def test_calls_and_written_out_parts_give_the_same_bits(seed: int) -> None:
    program = program_with_calls(seed, 3, 25)
    x = points(seed, 3)
    expected = values(expanded(program), x)
    np.testing.assert_array_equal(values(program, x), expected)
    np.testing.assert_array_equal(values(with_single_calls_inlined(program), x), expected)
    np.testing.assert_array_equal(values(without_holds(program), x), expected)
    kept = program_from_json(program_to_json(program))
    assert kept == program
    np.testing.assert_array_equal(values(kept, x), expected)


@settings(max_examples=40)
@given(SEEDS)
def test_derivatives_go_through_calls(seed: int) -> None:
    """Of first and second order, forward and in reverse, against the parts written out."""
    program = program_with_calls(seed, 3, 15)
    flat = expanded(program)
    assert_same(tangent(program), tangent(flat), points(seed, 6))
    assert_same(tangent(tangent(program)), tangent(tangent(flat)), points(seed, 12))
    assert_same(adjoint(program), adjoint(flat), points(seed, 3 + len(program.outputs)))
    assert sparsity(program) == sparsity(flat)
    assert jacobian(program)[0] == jacobian(flat)[0]


def assert_same(found: Program, expected: Program, x: np.ndarray) -> None:
    a, b = values(found, x), values(expected, x)
    scale = 1.0 + np.abs(b).max(axis=0)
    assert np.max(np.abs(a - b) / scale) < 1e-11


@settings(max_examples=25)
@given(SEEDS)
def test_machine_code_agrees_with_numpy(seed: int) -> None:
    program = without_holds(program_with_calls(seed, 3, 25))
    x = points(seed, 3)
    expected = values(program, x)
    np.testing.assert_allclose(compiled(program, x), expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_machine_code_in_single_precision() -> None:
    program = without_holds(program_with_calls(3, 3, 25))
    x = points(3, 3).astype(np.float32)
    np.testing.assert_allclose(compiled(program, x), values(program, x), rtol=1e-5, atol=1e-5)


def compiled(program: Program, x: np.ndarray) -> np.ndarray:
    outputs = np.zeros((len(program.outputs), x.shape[1]), x.dtype)
    LlvmProgram(program, x.dtype)(list(x), list(outputs))
    return outputs


@settings(max_examples=5)
@given(seed=SEEDS)
def test_text_for_the_gpu_agrees_with_numpy(seed: int) -> None:
    program = without_holds(program_with_calls(seed, 3, 25))
    x = points(seed, 3)
    found = run_program(program, x)
    np.testing.assert_allclose(found, values(program, x), rtol=TOLERANCE, atol=TOLERANCE)


def test_iterations_for_the_gpu_call_parts() -> None:
    step = without_holds(program_with_calls(7, 3, 25))
    loop = Iteration(
        step=step, observe=step, state_count=3, target_count=0, parameter_count=0, votes=False
    )
    x = points(7, 3)
    arrays = x, np.zeros((0, 16)), np.zeros((2, 0)), np.array([2, 1])
    found, _ = run_iteration(loop, *arrays)
    state = x
    for count, records in zip((2, 1), found, strict=True):
        for _ in range(count):
            state = values(step, state)
        np.testing.assert_allclose(records, values(step, state), rtol=1e-12, atol=1e-12)


def test_a_part_is_in_the_code_once_and_gives_only_what_is_needed() -> None:
    builder = Builder(3)
    swing = builder.finish([builder.emit("sin", 0), builder.emit("cos", 1), builder.emit("exp", 2)])
    outer = Builder(3)
    first = outer.call(swing, [0, 1, 2])
    second = outer.call(swing, [first[0], 1, 2])
    assert outer.call(swing, [0, 1, 2]) == first
    program = outer.finish([second[0], second[1], first[1]])
    assert len(program.parts) == 1
    (part,) = program.parts
    assert part.counts == {"sin": 1, "cos": 1}
    assert part.input_count == 2
    assert program.size == len(program.instructions) + 2
    assert program.operation_count == 4
    assert "exp" not in str(program)


def test_a_large_function_used_twice_is_called_and_a_small_one_written_out() -> None:
    @Part
    def large(x: Any) -> Any:
        for _ in range(60):
            x = np.sin(x) + x * x
        return x

    small = Part(lambda x: x * 2.0 + 1.0)
    program = trace(lambda x: small(large(x)) + large(small(x)), 0.0).program
    assert [len(part.instructions) for part in program.parts] == [180]
    assert trace(lambda x: small(large(x)), 0.0).program.parts == ()


def test_a_call_with_the_wrong_inputs_is_refused() -> None:
    builder = Builder(1)
    part = builder.finish([builder.emit("sin", 0)])
    with pytest.raises(ValueError, match="takes 1 inputs, got 2"):
        Builder(2).call(part, [0, 1])
    other = Builder(2)
    with pytest.raises(ValueError, match="truth"):
        other.call(part, [other.emit("lt", 0, 1)])


@settings(max_examples=20)
@given(SEEDS)
def test_programs_with_calls_can_be_inlined_into_others(seed: int) -> None:
    program = program_with_calls(seed, 3, 15)
    builder = Builder(3)
    outputs = inline(builder, program, [2, 0, 1])
    x = points(seed, 3)
    moved = builder.finish(outputs)
    np.testing.assert_array_equal(values(moved, x), values(program, x[[2, 0, 1]]))


def many(x: Any) -> Any:
    """Two results with much in common, and one that is computed apart."""
    for _ in range(60):
        x = np.sin(x)
    apart = x
    for _ in range(60):
        apart = np.cos(apart + 1.0)
    return np.stack([2.0 * x, 3.0 * x, apart])


def test_calls_that_want_nearly_the_same_share_their_code() -> None:
    """A call that wants much less than the others has its own, shorter one."""
    part = Part(many)

    def shared(x: Any) -> Any:
        return np.stack([part(x)[0], part(x + 1.0)[1], part(x + 2.0)[1]])

    def apart(x: Any) -> Any:
        return np.stack([part(x)[0], part(x + 1.0)[2], part(x + 2.0)[2], part(x + 3.0)[0]])

    def apart_last(x: Any) -> Any:
        return np.stack([part(x)[2], part(x + 1.0)[0], part(x + 2.0)[0], part(x + 3.0)[2]])

    x = points(0, 1)
    for function, count in ((shared, 1), (apart, 2), (apart_last, 2)):
        program = trace(function, 0.0).program
        assert len(program.parts) == count
        np.testing.assert_array_equal(values(program, x), values(expanded(program), x))
