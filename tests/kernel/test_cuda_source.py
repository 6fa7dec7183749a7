"""The CUDA back end without a GPU: its text, compiled as plain C++, and its errors."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends import cuda
from percuss.kernel.backends.cuda_source import (
    OPERATION_LIMIT,
    source_of_iteration,
    source_of_program,
)
from percuss.kernel.backends.cuda_text import DOUBLE, FLOAT
from percuss.kernel.builder import Builder
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import Iteration, iterate_with_numpy
from percuss.kernel.program import Instruction, Program
from tests.kernel.test_cuda import (
    assert_close,
    every_operation,
    outputs_of,
    random_iteration,
    random_program,
    special_pairs,
    voting_iteration,
)

COMPILER = shutil.which("g++") or shutil.which("c++")

needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="no C++ compiler (g++ or c++) to compile the text with"
)

DTYPES = [np.float64, np.float32]
TOLERANCES = {np.float64: 1e-13, np.float32: 2e-5}

SHIM = """
#include <math.h>
#include <string.h>
#define __global__
#define __device__
#define __noinline__
struct Index { long long x; };
static Index blockIdx = {0}, blockDim = {0}, threadIdx = {0};
static inline double __longlong_as_double(long long bits)
{ double x; memcpy(&x, &bits, sizeof x); return x; }
static inline float __int_as_float(int bits)
{ float x; memcpy(&x, &bits, sizeof x); return x; }
static inline void both(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
static inline void bothf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
#define sincos both
#define sincosf bothf
"""
"""What the kernels need of CUDA."""

LAUNCH = """
extern "C" void launch({arguments})
{{
  blockDim.x = 32;
  for (long long thread = 0; thread < batch + 40; ++thread) {{
    blockIdx.x = thread / 32;
    threadIdx.x = thread % 32;
    {name}({names});
  }}
}}
"""
"""All threads, and some beyond the batch, one after another."""


def launcher(source: str, folder: Path) -> Any:
    """The kernel as a function of this machine, compiled into `folder`."""
    assert COMPILER is not None
    head = source.split("__global__ void ", 1)[1]
    name, rest = head.split("(", 1)
    arguments = rest.split(")", 1)[0]
    names = ", ".join(argument.split()[-1] for argument in arguments.split(","))
    text = SHIM + source + LAUNCH.format(arguments=arguments, name=name, names=names)
    # A new name each time: a library that is loaded already would not be loaded again.
    path = folder / f"kernel{len(list(folder.iterdir()))}.cpp"
    path.write_text(text)
    library = path.with_suffix(".so")
    command = [
        COMPILER,
        "-std=c++17",
        "-O0",
        "-shared",
        "-fPIC",
        "-w",
        str(path),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return ctypes.CDLL(str(library)).launch


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def run_program(program: Program, inputs: np.ndarray, folder: Path) -> np.ndarray:
    """The outputs by the compiled text."""
    outputs = np.full((len(program.outputs), inputs.shape[1]), -77, inputs.dtype)
    launch = launcher(source_of_program(program, inputs.dtype), folder)
    launch(pointer(inputs), pointer(outputs), ctypes.c_longlong(inputs.shape[1]))
    return outputs


def run_iteration(
    iteration: Iteration, *arrays: np.ndarray, folder: Path
) -> tuple[np.ndarray, np.ndarray]:
    """The records and the last state by the compiled text."""
    state, segments = arrays[0], len(arrays[3])
    records = np.full((segments, iteration.record_count, state.shape[1]), -77, state.dtype)
    launch = launcher(source_of_iteration(iteration, state.dtype), folder)
    sizes = (ctypes.c_longlong(segments), ctypes.c_longlong(state.shape[1]))
    ends = np.full_like(state, -77)
    launch(*(pointer(array) for array in (*arrays, records, ends)), *sizes)
    return records, ends


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@needs_compiler
@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_random_programs_agree_with_the_interpreter(seed: int, dtype: Any, folder: Path) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, 4, 40, range(4))
    inputs = rng.normal(scale=2.0, size=(4, 50)).astype(dtype)
    expected = outputs_of(program, inputs)
    assert_close(run_program(program, inputs, folder), expected, TOLERANCES[dtype])


@needs_compiler
@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_go_through_every_operation(dtype: Any, folder: Path) -> None:
    program, inputs = every_operation(), special_pairs(dtype)
    expected = outputs_of(program, inputs)
    assert_close(run_program(program, inputs, folder), expected, TOLERANCES[dtype])


@needs_compiler
@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_random_iterations_agree_with_the_oracle(seed: int, dtype: Any, folder: Path) -> None:
    rng = np.random.default_rng(seed)
    iteration = random_iteration(rng)
    state, parameters = rng.normal(size=(3, 20)), rng.normal(size=(2, 20))
    targets = rng.normal(size=(4, 2)).astype(dtype)
    arrays = (state.astype(dtype), parameters.astype(dtype), targets, np.array([1, 0, 3, 2]))
    computed, _ = run_iteration(iteration, *arrays, folder=folder)
    assert_close(computed, iterate_with_numpy(iteration, *arrays)[0], TOLERANCES[dtype])


@needs_compiler
def test_each_case_stops_by_its_own_vote(folder: Path) -> None:
    iteration = voting_iteration()
    parameters = np.geomspace(1, 1e6, 30)[None]
    arrays = (np.ones((2, 30)), parameters, np.array([[1e-2], [1e-9]]), np.array([50, 3]))
    records, ends = run_iteration(iteration, *arrays, folder=folder)
    expected, last = iterate_with_numpy(iteration, *arrays)
    assert last is not None
    assert_close(records, expected, 1e-13)
    assert_close(ends, last, 1e-13)
    assert len(set(records[0, 1])) > 5


@needs_compiler
@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_keep_every_bit(dtype: Any, folder: Path) -> None:
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
    outputs = run_program(b.finish([*constants, *looked_up]), np.zeros((1, 1), dtype), folder)
    with np.errstate(over="ignore"):
        expected = np.array([*values, *values]).astype(dtype)
    bits = np.uint64 if dtype == np.float64 else np.uint32
    np.testing.assert_array_equal(outputs[:, 0].view(bits), expected.view(bits))


def test_literals() -> None:
    assert DOUBLE.literal(True) == "true"
    assert DOUBLE.literal(0.1) == "0x1.999999999999ap-4"
    assert DOUBLE.literal(-0.5) == "(-0x1.0000000000000p-1)"
    assert DOUBLE.literal(math.inf) == "__longlong_as_double(0x7ff0000000000000)"
    assert FLOAT.literal(0.1) == "0x1.99999a0000000p-4f"
    assert FLOAT.literal(1e300) == "__int_as_float(0x7f800000)"


def test_sine_and_cosine_of_one_angle_are_taken_together() -> None:
    b = Builder(2)
    outputs = [b.emit("cos", 0), b.emit("sin", 1), b.emit("sin", 0)]
    source = source_of_program(b.finish(outputs))
    assert source.count("sincos(") == 1
    assert source.count("sin(") == 1
    assert "sincosf(" in source_of_program(b.finish(outputs), np.float32)


def test_inputs_that_are_not_used_are_not_read() -> None:
    b = Builder(3)
    source = source_of_program(b.finish([b.emit("add", 2, 2)]))
    assert source.count("inputs[") == 1


def test_programs_that_are_too_large_are_refused() -> None:
    count = OPERATION_LIMIT + 1
    program = Program(1, (), tuple(Instruction("sin", (k,)) for k in range(count)), (count,))
    with pytest.raises(KernelError, match=r"60,001 operations.*at most 60,000: split"):
        source_of_program(program)
    with pytest.raises(KernelError, match="60,001 operations"):
        source_of_iteration(Iteration(program, Builder(1).finish([0]), 1, 0, 0, votes=False))


def test_types_that_are_not_floating_point_are_refused() -> None:
    with pytest.raises(KernelError, match="float64 or float32, not int64"):
        source_of_program(every_operation(), np.int64)


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert not cuda.available()
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
