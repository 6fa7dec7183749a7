"""Sums of products as chains: fewer instructions, the same numbers but for rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.backends.moves import fused_products
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import with_chained_sums
from percuss.kernel.calculus.inlining import without_holds
from percuss.kernel.program import Program
from tests.kernel.programs_with_calls import program_with_calls


def steps(program: Program) -> int:
    """Instructions of a processor that fuses products with sums."""
    return len(program.instructions) - len(fused_products(program))


def products(b: Builder, operation: str, *factors: int) -> int:
    return b.emit(operation, b.emit("mul", *factors[:2]), b.emit("mul", *factors[2:]))


def test_sums_of_products_are_one_chain() -> None:
    b = Builder(8)
    outer = b.emit("sub", products(b, "add", 0, 1, 2, 3), products(b, "sub", 4, 5, 6, 7))
    program = b.finish([outer])
    chained = with_chained_sums(program)
    assert (steps(program), steps(chained)) == (5, 4)
    values = [np.float64(v) for v in (2, 3, 5, 7, 11, 13, 17, 19)]
    assert interpret(chained, values) == interpret(program, values)
    assert interpret(program, values) == [6.0 + 35.0 - (143.0 - 323.0)]


def test_few_products_are_added_one_by_one() -> None:
    b = Builder(5)
    program = b.finish([b.emit("sub", 0, products(b, "sub", 1, 2, 3, 4))])
    chained = with_chained_sums(program)
    assert (steps(program), steps(chained)) == (3, 2)
    values = [np.float64(v) for v in (1, 2, 3, 5, 7)]
    assert interpret(chained, values) == [1.0 - (6.0 - 35.0)]


@pytest.mark.parametrize("operation", ["add", "sub"])
@pytest.mark.parametrize("first", [True, False])
def test_many_products_are_summed_before_they_meet_a_large_number(
    operation: str, first: bool
) -> None:
    b = Builder(9)
    inner = b.emit("sub", products(b, "add", 1, 2, 3, 4), products(b, "sub", 5, 6, 7, 8))
    program = b.finish([b.emit(operation, *((0, inner) if first else (inner, 0)))])
    chained = with_chained_sums(program)
    values = list(map(np.float64, [1e16, 0.9, 1.0, 0.9, 1.0, 0.1, 1.0, 1.1, 1.0]))
    assert interpret(chained, values) == interpret(program, values)
    assert interpret(program, values) != [{"add": 1e16, "sub": 1e16 if first else -1e16}[operation]]


def test_what_others_read_stays() -> None:
    b = Builder(5)
    inner = products(b, "add", 1, 2, 3, 4)
    program = b.finish([b.emit("add", 0, inner), inner])
    assert with_chained_sums(program) == program


def test_sums_without_products_stay() -> None:
    b = Builder(4)
    program = b.finish([b.emit("add", b.emit("sub", 0, 1), b.emit("sub", 2, 3))])
    assert with_chained_sums(program) == program


@st.composite
def sums(draw: st.DrawFn) -> Program:
    """Random trees of sums over products and inputs, some of their values read twice."""
    b = Builder(6)
    values = list(range(6))
    for _ in range(draw(st.integers(1, 40))):
        operation = draw(st.sampled_from(["mul", "add", "sub", "add", "sub"]))
        pick = st.integers(max(0, len(values) - 8), len(values) - 1)
        values.append(b.emit(operation, values[draw(pick)], values[draw(pick)]))
    return b.finish([values[-1], values[draw(st.integers(0, len(values) - 1))]])


@settings(max_examples=200)
@given(program=sums(), seed=st.integers(0, 10**6))
def test_values_stay_and_instructions_do_not_grow(program: Program, seed: int) -> None:
    chained = with_chained_sums(program)
    assert steps(chained) <= steps(program)
    # Whole numbers: no sum is rounded, in whatever order.
    x = np.random.default_rng(seed).integers(-2, 3, (6, 5)).astype(float)
    before, after = interpret(program, list(x)), interpret(chained, list(x))
    small = np.abs(np.stack([np.broadcast_to(v, 5) for v in before])).max() < 2.0**50
    if small:
        for a, b in zip(before, after, strict=True):
            np.testing.assert_array_equal(a, b)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_parts_are_changed_too(seed: int) -> None:
    program = without_holds(program_with_calls(seed, 3, 25))
    x = np.random.default_rng(seed).normal(size=(3, 7))
    before, after = (interpret(p, list(x)) for p in (program, with_chained_sums(program)))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)
