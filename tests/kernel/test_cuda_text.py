"""The CUDA back end without a GPU: its text, run on this processor, its PTX and its errors."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends import cuda, cuda_code
from percuss.kernel.backends.cuda_text import text_of_iteration, text_of_program
from percuss.kernel.builder import Builder
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import iterate_with_numpy
from percuss.kernel.program import Program
from tests.kernel.test_cuda import (
    assert_close,
    every_operation,
    outputs_of,
    random_iteration,
    random_program,
    special_pairs,
    voting_iteration,
)
from tests.kernel.threads_on_host import run_iteration, run_program

DTYPES = [np.float64, np.float32]
TOLERANCES = {np.float64: 1e-13, np.float32: 2e-5}


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_random_programs_agree_with_the_interpreter(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, 4, 40, range(4))
    inputs = rng.normal(scale=2.0, size=(4, 50)).astype(dtype)
    expected = outputs_of(program, inputs)
    assert_close(run_program(program, inputs), expected, TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_go_through_every_operation(dtype: Any) -> None:
    program, inputs = every_operation(), special_pairs(dtype)
    expected = outputs_of(program, inputs)
    assert_close(run_program(program, inputs), expected, TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_random_iterations_agree_with_the_oracle(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    iteration = random_iteration(rng)
    state, parameters = rng.normal(size=(3, 20)), rng.normal(size=(2, 20))
    targets = rng.normal(size=(4, 2)).astype(dtype)
    arrays = (state.astype(dtype), parameters.astype(dtype), targets, np.array([1, 0, 3, 2]))
    computed, _ = run_iteration(iteration, *arrays)
    assert_close(computed, iterate_with_numpy(iteration, *arrays)[0], TOLERANCES[dtype])


def test_each_case_stops_by_its_own_vote() -> None:
    iteration = voting_iteration()
    parameters = np.geomspace(1, 1e6, 30)[None]
    arrays = (np.ones((2, 30)), parameters, np.array([[1e-2], [1e-9]]), np.array([50, 3]))
    records, ends = run_iteration(iteration, *arrays)
    expected, last = iterate_with_numpy(iteration, *arrays)
    assert last is not None
    assert_close(records, expected, 1e-13)
    assert_close(ends, last, 1e-13)
    assert len(set(records[0, 1])) > 5


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_keep_every_bit(dtype: Any) -> None:
    information = np.finfo(dtype)
    values = [0.1, -math.pi, 1 / 3, -0.0, math.inf, -math.inf, math.nan, 1e300, -1e-300]
    values += [
        float(information.tiny),
        float(information.max),
        float(information.smallest_subnormal),
    ]
    b = Builder(1)
    constants = [b.constant(value) for value in values]
    looked_up = [b.emit("lookup", 0, table=(value,)) for value in values]
    outputs = run_program(b.finish([*constants, *looked_up]), np.zeros((1, 1), dtype))
    with np.errstate(over="ignore"):
        expected = np.array([*values, *values]).astype(dtype)
    bits = np.uint64 if dtype == np.float64 else np.uint32
    np.testing.assert_array_equal(outputs[:, 0].view(bits), expected.view(bits))


def both_of_sines(count: int) -> Program:
    """Sine and cosine of each input."""
    b = Builder(count)
    return b.finish([b.emit(name, k) for k in range(count) for name in ("cos", "sin")])


def test_sine_and_cosine_of_one_angle_are_taken_together() -> None:
    b = Builder(2)
    outputs = [b.emit("cos", 0), b.emit("sin", 1), b.emit("sin", 0)]
    for dtype, suffix in ((np.float64, ""), (np.float32, "f")):
        text = text_of_program(b.finish(outputs), dtype)
        assert text.count("@sines_and_cosines_1(") == 2  # defined and called
        assert text.count(f"call {'float' if suffix else 'double'} @percuss_sin{suffix}(") == 1


def test_angles_that_are_given_are_reduced_together() -> None:
    assert text_of_program(both_of_sines(3)).count("br i1") == 2  # of the cases, and of far angles


@pytest.mark.parametrize(
    ("dtype", "near", "rounding"), [(np.float64, 30, 53), (np.float32, 15, 24)]
)
def test_sines_and_cosines_are_right_to_the_last_bits(dtype: Any, near: int, rounding: int) -> None:
    rng = np.random.default_rng(3)
    sizes = 2.0 ** rng.uniform(-30, near + 5, 4000)
    turns = np.arange(-400, 401) * (np.pi / 2)
    angles = np.concatenate([sizes, -sizes, turns, np.nextafter(turns, 9.0)]).astype(dtype)
    cosine, sine = run_program(both_of_sines(1), angles[None])
    with mp.workdps(60):
        exact = np.array([[float(f(mp.mpf(float(x)))) for x in angles] for f in (mp.cos, mp.sin)])
    error = np.abs(np.stack([cosine, sine]) - exact) / np.maximum(np.abs(exact), 1e-300)
    assert error.max() < 1.5 * 2.0 ** (1 - rounding)


@pytest.mark.parametrize("numerator", [1.0, None])
def test_quotients_are_right_to_the_last_bit(numerator: float | None) -> None:
    rng = np.random.default_rng(4)
    sign = rng.choice([-1.0, 1.0], (2, 5000))
    values = sign * 2.0 ** rng.uniform(-400, 400, (2, 5000))
    b = Builder(2)
    n = 0 if numerator is None else b.constant(numerator)
    (found,) = run_program(b.finish([b.emit("div", n, 1)]), values)
    exact = (values[0] if numerator is None else numerator) / values[1]
    assert (np.abs(found - exact) <= np.spacing(np.abs(exact))).all()


def test_divisors_at_the_ends_of_the_range() -> None:
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1.7e308, 3.0, 2.0**-1000]
    pairs = np.array([(n, d) for n in (0.0, 1.0, -2.5, np.inf, np.nan, 1e300) for d in special]).T
    b = Builder(2)
    found, inverse = run_program(
        b.finish([b.emit("div", 0, 1), b.emit("div", b.constant(1.0), 1)]),
        np.ascontiguousarray(pairs),
    )
    # What has no normal reciprocal counts as zero or infinite.
    n, d = pairs
    d = np.where(np.abs(d) < 2.0**-1022, np.copysign(0.0, d), d)
    d = np.where(np.abs(d) > 2.0**1022, np.copysign(np.inf, d), d)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, n / d, rtol=3e-16)
        np.testing.assert_allclose(inverse, 1.0 / d, rtol=3e-16)


def test_inputs_that_are_not_used_are_not_read() -> None:
    b = Builder(3)
    text = text_of_program(b.finish([b.emit("add", 2, 2)]))
    assert text.count("load double") == 1


@pytest.mark.parametrize("capability", ["70", "80", "90", "100"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ptx_of_every_operation(dtype: Any, capability: str) -> None:
    ptx = cuda_code.ptx(text_of_program(every_operation(), dtype), capability)
    assert f".target sm_{capability}" in ptx
    assert ".visible .entry percuss_program" in ptx
    # Divisions and pairs of sine and cosine are in line.
    assert "quotient" not in ptx
    assert "sines_and_cosines" not in ptx


def test_states_of_an_iteration_are_in_registers() -> None:
    ptx = cuda_code.ptx(text_of_iteration(voting_iteration()), "90")
    assert "local" not in ptx


def test_types_that_are_not_floating_point_are_refused() -> None:
    with pytest.raises(KernelError, match="float64 or float32, not int64"):
        text_of_program(every_operation(), np.int64)


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert not cuda.available()
    cuda.start_gpu()  # leaves it to what needs the GPU to say what is missing
    with pytest.raises(KernelError, match=r"pip install 'percuss\[cuda\]'"):
        cuda.CudaProgram(every_operation())


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise RuntimeError("cudaErrorNoDevice")

    for count, reason in [(fail, "cudaErrorNoDevice"), (lambda: 0, "the driver counts none")]:
        runtime = SimpleNamespace(getDeviceCount=count)
        fake = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
        monkeypatch.setitem(sys.modules, "cupy", fake)
        assert not cuda.available()
        with pytest.raises(KernelError, match=f"no NVIDIA GPU was found.*{reason}"):
            cuda.CudaIteration(voting_iteration())


@pytest.mark.parametrize(
    ("registers", "batch", "expected"),
    [(40, 10**6, 128), (254, 10**6, 64), (254, 132 * 40, 32), (40, 1, 32)],
)
def test_block_sizes(registers: int, batch: int, expected: int) -> None:
    assert cuda.block_size(registers, batch, multiprocessors=132) == expected
