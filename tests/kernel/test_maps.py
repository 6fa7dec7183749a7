"""Maps over vectors compute what they compute with every entry written out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends import llvm, llvm_iteration
from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.backends.llvm_iteration import compiled_iteration
from percuss.kernel.backends.spilling import moves
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, sparsity, tangent, with_single_calls_inlined
from percuss.kernel.calculus.inlining import expanded, without_maps
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.iteration import Iteration, iterate_with_numpy
from percuss.kernel.program import Program
from percuss.kernel.store import program_from_json, program_to_json
from percuss.kernel.tracing.elementwise import elementwise
from percuss.kernel.tracing.function import trace
from percuss.kernel.tracing.parts import Part
from tests.kernel.programs_with_maps import program_with_maps
from tests.kernel.threads_on_host import run_iteration, run_program

SEEDS = st.integers(0, 2**31 - 1)
INPUTS = 9


def points(seed: int, count: int = INPUTS) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 16))


def values(program: Program, inputs: np.ndarray) -> np.ndarray:
    found = interpret(program, list(inputs))
    return np.array([np.broadcast_to(row, inputs.shape[1]) for row in found], float)


def operations(program: Program) -> set[str]:
    return {i.operation for each in (program, *program.parts) for i in each.instructions}


@settings(max_examples=60)
@given(SEEDS)
def test_maps_and_written_out_entries_give_the_same_bits(seed: int) -> None:
    program, x = program_with_maps(seed, INPUTS), points(seed)
    expected = values(expanded(program), x)
    np.testing.assert_array_equal(values(program, x), expected)
    np.testing.assert_array_equal(values(with_single_calls_inlined(program), x), expected)
    flat = without_maps(program)
    assert "map" not in operations(flat)
    np.testing.assert_array_equal(values(flat, x), expected)
    kept = program_from_json(program_to_json(program))
    assert kept == program
    np.testing.assert_array_equal(values(kept, x), expected)
    assert program.operation_count >= flat.operation_count


@settings(max_examples=20)
@given(SEEDS)
def test_derivatives_go_through_maps(seed: int) -> None:
    program, x = program_with_maps(seed, 4), points(seed, 8)
    flat = expanded(program)
    assert_close(values(tangent(program), x), values(tangent(flat), x))
    x = points(seed, 4 + len(program.outputs))
    assert_close(values(adjoint(program), x), values(adjoint(flat), x))
    assert sparsity(program) == sparsity(flat)
    assert jacobian(program)[0] == jacobian(flat)[0]


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    scale = 1.0 + np.abs(expected)
    assert np.all(same | (np.abs(found - expected) < 1e-9 * scale))


@contextmanager
def processor(**changed: Any) -> Iterator[None]:
    """Machine code for a processor that differs from this one so."""
    host = llvm.host_target()
    with pytest.MonkeyPatch.context() as patch:
        for module in (llvm, llvm_iteration):
            patch.setattr(module, "host_target", lambda *_: replace(host, **changed))
        yield


def compiled(program: Program, x: np.ndarray) -> np.ndarray:
    outputs = np.zeros((len(program.outputs), x.shape[1]))
    llvm.LlvmProgram(program)(list(x), list(outputs))
    return outputs


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([7, 16, 32]))
def test_machine_code_of_loops_has_the_bits_of_the_written_out_entries(
    seed: int, registers: int
) -> None:
    """Where nothing is fused: how often a product is used may differ when entries are shared."""
    program, x = program_with_maps(seed, INPUTS), points(seed)
    with processor(fuses=False, registers=registers):
        np.testing.assert_array_equal(compiled(program, x), compiled(expanded(program), x))


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.booleans())
def test_machine_code_of_arithmetic_has_the_bits_of_numpy(seed: int, votes: bool) -> None:
    """A state advanced in place by maps over it, by its results, and by entries from anywhere."""
    step = arithmetic_step(seed, votes)
    loop = Iteration(
        step=step,
        observe=Builder(8).finish(range(8)),
        state_count=5,
        target_count=1,
        parameter_count=2,
        votes=votes,
    )
    x = points(seed, 7)
    arrays = x[:5], x[5:], np.array([[0.5], [0.25]]), np.array([3, 2])
    with processor(fuses=False):
        found, ends = compiled_iteration(loop, np.dtype(float))(*arrays)
    expected, expected_ends = iterate_with_numpy(loop, *arrays)
    np.testing.assert_array_equal(found, expected)
    if votes:
        np.testing.assert_array_equal(ends, expected_ends)


def arithmetic_step(seed: int, votes: bool) -> Program:
    """Five states, one target and two parameters to five new states."""
    rng = np.random.default_rng(seed)
    body = Builder(3)
    mixed = body.emit("sub", body.emit("mul", 0, 2), body.emit("mul", 1, body.constant(0.3)))
    bounded = body.emit("div", mixed, body.emit("add", body.constant(2.0), body.emit("abs", mixed)))
    smooth = body.finish([bounded, body.emit("max", mixed, 1)])
    builder = Builder(8)
    state, rows = [*range(5)], [[*range(5)]]
    for _ in range(3):
        other = rows[int(rng.integers(len(rows)))]
        if rng.random() < 0.5:
            other = [int(r) for r in rng.choice(8, 5)]
        rows += builder.map(smooth, [rows[-1], other], [int(rng.integers(8))])
    order = rng.permutation(5) if rng.random() < 0.3 else np.arange(5)
    last = [rows[-2][k] for k in order]
    if rng.random() < 0.5:
        last[1] = state[int(rng.integers(5))]
    # All cases alike: which of them vote together depends on the processor.
    again = [builder.emit("lt", 5, builder.constant(0.3))] if votes else []
    return builder.finish([*last, *again])


@settings(max_examples=10)
@given(seed=SEEDS)
def test_text_for_the_gpu_agrees_with_numpy(seed: int) -> None:
    program, x = program_with_maps(seed, INPUTS), points(seed)
    found = run_program(program, x)
    np.testing.assert_allclose(found, values(program, x), rtol=1e-12, atol=1e-12)


def test_maps_over_the_state_of_an_iteration_on_a_gpu() -> None:
    program = program_with_maps(5, INPUTS)
    step = replace(program, outputs=program.outputs[:4])
    assert "map" in operations(step)
    loop = Iteration(
        step=step,
        observe=step,
        state_count=4,
        target_count=0,
        parameter_count=INPUTS - 4,
        votes=False,
    )
    start = points(5)
    schedule = np.zeros((2, 0)), np.array([2, 1])
    found, _ = run_iteration(loop, start[:4], start[4:], *schedule)
    expected, _ = iterate_with_numpy(loop, start[:4], start[4:], *schedule)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def sums() -> Program:
    """Three inputs to x·y + s, x - y, and x."""
    body = Builder(3)
    return body.finish(
        [body.emit("add", body.emit("mul", 0, 1), 2), body.emit("sub", 0, 1), 0],
    )


def test_a_map_counts_its_entries_and_its_code_counts_once() -> None:
    builder = Builder(9)
    first, second, same = builder.map(sums(), [[0, 1, 2, 3], [4, 5, 6, 7]], [8])
    assert same == [0, 1, 2, 3]
    assert builder.map(sums(), [[0, 1, 2, 3], [4, 5, 6, 7]], [8])[0] == first
    program = builder.finish([*first, *second])
    assert program.counts == {"mul": 4, "add": 4, "sub": 4}
    assert program.size == 1 + 8 + 3
    assert "map" in str(program)
    assert "4 entries of 2 vectors" in str(program)


def test_a_map_gives_only_what_is_needed() -> None:
    builder = Builder(9)
    _, second, _ = builder.map(sums(), [[0, 1, 2, 3], [4, 5, 6, 7]], [8])
    program = builder.finish([second[3], second[1]])
    assert program.counts == {"sub": 3}
    (made,) = [i for i in program.instructions if i.operation == "map"]
    assert made.arguments == (1, 2, 3, 5, 6, 7)


def test_vectors_in_a_row_are_not_copied() -> None:
    """Inputs in a row, results of a call and results of a map; a vector of others is, once."""
    builder = Builder(9)
    part = Builder(4)
    part = part.finish([part.emit("sin", 0), 2, part.emit("cos", 1), part.constant(3.0)])
    called = builder.call(part, [0, 1, 2, 3], whole=True)
    first, second, _ = builder.map(sums(), [[0, 1, 2, 3], called], [8])
    third, *_ = builder.map(sums(), [first, second], [8])
    program = builder.finish(third)
    plan = moves(program, 16, {}, arrays=[range(9)])
    assert not [move for move in plan if move.what == "gather"]
    mixed = [first[0], second[0], 8, first[1]]
    fourth, fifth, _ = builder.map(sums(), [mixed, first], [8])
    sixth, *_ = builder.map(sums(), [fifth, mixed], [8])
    program = builder.finish([*fourth, *sixth])
    plan = moves(program, 16, {}, arrays=[range(9)])
    assert len([move for move in plan if move.what == "gather"]) == 4


def test_whole_calls_for_different_results_are_calls_of_one_part() -> None:
    part = Builder(2)
    part = part.finish([part.emit("sin", 0), 1, part.emit("cos", 1), part.constant(3.0)])
    builder = Builder(2)
    first = builder.call(part, [0, 1], whole=True)
    second = builder.call(part, [1, 0], whole=True)
    assert len({*first, *second, 0, 1}) == 10
    program = builder.finish([first[0], first[1], second[2], second[3]])
    assert program.parts == (part,)
    x = points(0, 2)
    expected = [np.sin(x[0]), x[1], np.cos(x[0]), np.full(16, 3.0)]
    np.testing.assert_array_equal(values(program, x), expected)
    np.testing.assert_allclose(compiled(program, x), expected, rtol=1e-15)


def test_maps_of_the_wrong_inputs_are_refused() -> None:
    builder = Builder(9)
    with pytest.raises(ValueError, match="different lengths"):
        builder.map(sums(), [[0, 1], [2]], [3])
    with pytest.raises(ValueError, match="takes 3 inputs, got 2"):
        builder.map(sums(), [[0, 1], [2, 3]])
    with pytest.raises(ValueError, match="truth"):
        builder.map(sums(), [[0, 1], [2, builder.emit("lt", 0, 1)]], [3])
    caller = Builder(3)
    calls = caller.finish([caller.emit("sin", r) for r in caller.call(sums(), [0, 1, 2])[:2]])
    with pytest.raises(ValueError, match="cannot call parts"):
        builder.map(calls, [[0, 1], [2, 3]], [4])


def blend(x: Any, y: Any, share: Any, good: Any) -> tuple[Any, Any]:
    mixed = x + share * (np.sin(y) - x)
    return np.where(good, mixed, y), mixed * mixed


@pytest.mark.parametrize("count", [1, 2, 40])
def test_elementwise_is_the_function_itself(count: int) -> None:
    def whole(x: Any, y: Any, share: Any) -> Any:
        return elementwise(blend, x, y, shared=(share, share > 0.5))

    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, count))
    expected = blend(x, y, 0.7, True)
    for found in (whole(x, y, 0.7), run(whole, x, y, 0.7)):
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    program = trace(whole, x, y, 0.7).program
    assert ("map" in operations(program)) == (count == 40)


def run(function: Any, *arguments: Any) -> list[np.ndarray]:
    traced = trace(function, *arguments)
    flat = np.concatenate([np.ravel(a) for a in arguments])
    found = np.array(interpret(traced.program, list(flat)))
    return list(found.reshape(2, -1))


def test_elementwise_takes_numbers_and_writes_out_parts() -> None:
    """Known vectors, several axes, and a body that uses a function traced by itself."""

    @Part
    def long(x: Any) -> Any:
        for _ in range(60):
            x = np.sin(x) + 0.5 * x
        return x

    weights = np.arange(12.0).reshape(3, 4)

    def whole(x: Any) -> Any:
        return elementwise(lambda w, x: w * long(x) + long(w), weights, x)

    x = np.random.default_rng(2).normal(size=(3, 4))
    traced = trace(whole, x)
    assert traced.output_shapes == ((3, 4),)
    found = np.array(interpret(traced.program, list(x.ravel()))).reshape(3, 4)
    np.testing.assert_allclose(found, whole(x), rtol=1e-13)
