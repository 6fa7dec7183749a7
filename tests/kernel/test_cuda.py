"""The CUDA back end against the NumPy interpreter, on a GPU.

Needs NumPy, SciPy, CuPy and pytest only; random programs come from seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from percuss.kernel.backends import cuda
from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.builder import Builder
from percuss.kernel.iteration import Iteration, iterate_with_numpy
from percuss.kernel.program import BINARY, COMPARISONS, LOGICAL, REAL, UNARY, Program

pytestmark = pytest.mark.skipif(
    not cuda.available(),
    reason="needs CuPy and an NVIDIA GPU",
)

TOLERANCES = {np.float64: 1e-12, np.float32: 2e-5}
DTYPES = [np.float64, np.float32]
TABLE = (0.25, -1.5, float("inf"), 3.0, float("nan"), -0.0, 7.5)

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 0.75, -3.7]
SPECIAL += [1e-9, 40.0, -40.0, 1e8, 1e30, -1e30]

EXACT = "neg abs sign floor ceil round trunc min max copysign rem".split()
SMOOTH = (
    "sqrt cbrt exp exp2 expm1 log log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh erf erfc add sub mul div pow atan2"
).split()


def random_program(
    rng: np.random.Generator, input_count: int, size: int, exact_inputs: Sequence[int]
) -> Program:
    """A random program of about `size` operations, each within its domain and each an output.

    Operations that jump (floor, comparisons, lookups …) take values that every back end finds to
    the last bit, made of `exact_inputs`; otherwise one ulp more or less could send them apart.
    """
    b = Builder(input_count)
    c = b.constant
    reals = [*range(input_count), c(0.5), c(-1.25)]
    exact = [*exact_inputs, c(0.75), c(-2.0), c(3.0)]
    truths = [b.emit("lt", exact[0], exact[-1]), c(True)]

    def pick(registers: list[int]) -> int:
        # Recent registers more often, so that the program gets deep.
        return registers[-1 - int(len(registers) * rng.random() ** 2)]

    def emit_smooth(operation: str) -> int:
        x, y = pick(reals), pick(reals)
        wave, size_of_y = b.emit("sin", x), b.emit("abs", y)
        if operation in ("asin", "acos", "atanh"):
            return b.emit(operation, b.emit("mul", c(0.9), wave))
        if operation in ("exp", "exp2", "expm1", "sinh", "cosh", "tan"):
            return b.emit(operation, wave)
        if operation in ("log", "log2", "log1p", "sqrt", "cbrt"):
            return b.emit(operation, b.emit("add", size_of_y, c(0.5)))
        if operation == "acosh":
            return b.emit(operation, b.emit("add", size_of_y, c(1.5)))
        if operation == "mul":
            return b.emit(operation, wave, y)
        if operation in ("div", "atan2"):
            return b.emit(operation, x, b.emit("add", size_of_y, c(1.0)))
        if operation == "pow":
            return b.emit(operation, b.emit("add", b.emit("cos", y), c(1.5)), wave)
        if operation in BINARY:
            return b.emit(operation, x, y)
        return b.emit(operation, x)

    def emit_exact(operation: str) -> int:
        return b.emit(operation, pick(exact), *([pick(exact)] if operation in BINARY else []))

    for _ in range(size):
        kind = rng.choice(
            ["smooth", "exact", "truth", "select", "lookup"], p=[0.6, 0.15, 0.1, 0.1, 0.05]
        )
        if kind == "smooth":
            reals.append(emit_smooth(str(rng.choice(SMOOTH))))
        elif kind == "exact":
            exact.append(emit_exact(str(rng.choice(EXACT))))
            reals.append(exact[-1])
        elif kind == "truth":
            operation = str(rng.choice([*COMPARISONS, *LOGICAL, "not", "is_finite", "to_truth"]))
            pool = truths if operation in (*LOGICAL, "not") else exact
            pair = operation in (*COMPARISONS, *LOGICAL)
            truths.append(b.emit(operation, pick(pool), *([pick(pool)] if pair else [])))
            exact.append(b.emit("to_real", truths[-1]))
        elif kind == "select":
            reals.append(b.emit("select", pick(truths), pick(reals), pick(reals)))
        else:
            table = tuple(rng.normal(size=int(rng.integers(1, 6))).tolist())
            exact.append(b.emit("lookup", pick(exact), table=table))
            reals.append(exact[-1])
    return b.finish([*truths, *exact, *reals])


def every_operation() -> Program:
    """One output for each operation on inputs (x, y); truth values of x > 0 and y > 0."""
    b = Builder(2)
    truths = [b.emit("gt", register, b.constant(0.0)) for register in (0, 1)]
    outputs = [b.emit(operation, 0) for operation in UNARY]
    outputs += [b.emit(operation, 0, 1) for operation in (*BINARY, *COMPARISONS)]
    outputs += [b.emit(operation, *truths) for operation in LOGICAL]
    outputs += [b.emit("not", truths[0]), b.emit("select", truths[0], 1, 0)]
    outputs += [b.emit("to_real", truths[1]), b.emit("to_truth", 0)]
    outputs += [b.emit("lookup", 0, table=TABLE)]
    return b.finish(outputs)


def special_pairs(dtype: Any) -> np.ndarray:
    """(2, n²): every special value with every other."""
    return np.stack([grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL)]).astype(dtype)


def random_iteration(rng: np.random.Generator) -> Iteration:
    """Three states, two targets, two parameters; the state stays bounded."""
    inner = random_program(rng, 7, 25, exact_inputs=[3, 4, 5, 6])
    b = Builder(7)
    registers = [*range(7), *(b.constant(value) for value in inner.constants)]
    for i in inner.instructions:
        registers.append(b.emit(i.operation, *(registers[a] for a in i.arguments), table=i.table))
    values = [registers[r] for r in inner.outputs if inner.kinds[r] == REAL]
    new = []
    for j in range(3):
        total = b.constant(0.0)
        for value in values[j::3]:
            total = b.emit("add", total, value)
        wave = b.emit("sin", b.emit("mul", total, b.constant(0.1)))
        new.append(b.emit("add", b.emit("mul", b.constant(0.5), j), wave))
    step = b.finish([new[1], 0, new[2]])  # a permutation: old values must survive
    return Iteration(
        step=step,
        observe=random_program(rng, 7, 10, [3, 4, 5, 6]),
        state_count=3,
        target_count=2,
        parameter_count=2,
        votes=False,
    )


def voting_iteration() -> Iteration:
    """Newton's method for √p: (x, count) until x settles; each case takes its own number."""
    b = Builder(4)
    x, count, tolerance, p = range(4)
    better = b.emit("mul", b.constant(0.5), b.emit("add", x, b.emit("div", p, x)))
    change = b.emit("abs", b.emit("sub", better, x))
    again = b.emit("gt", change, b.emit("mul", tolerance, x))
    # A settled case holds its state, since a group with others may go on.
    step = [
        b.emit("select", again, better, x),
        b.emit("select", again, b.emit("add", count, b.constant(1.0)), count),
        again,
    ]
    observe = Builder(4)
    records = [x, count, observe.emit("mul", x, x)]
    return Iteration(
        step=b.finish(step),
        observe=observe.finish(records),
        state_count=2,
        target_count=1,
        parameter_count=1,
        votes=True,
    )


def outputs_of(program: Program, inputs: np.ndarray) -> np.ndarray:
    """The interpreter's outputs as one array (n_out, batch)."""
    shape, dtype = inputs.shape[1:], inputs.dtype
    results = interpret(program, list(inputs))
    return np.stack([np.broadcast_to(result, shape).astype(dtype) for result in results])


def assert_close(computed: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Equal up to `tolerance` of each value, or of 1 for small ones; NaN and inf in place."""
    assert computed.dtype == expected.dtype
    np.testing.assert_allclose(computed, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree_with_the_interpreter(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, 5, 60, range(5))
    inputs = rng.normal(scale=2.0, size=(5, 300)).astype(dtype)
    computed = cuda.CudaProgram(program, dtype)(inputs)
    assert_close(computed, outputs_of(program, inputs), TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_go_through_every_operation(dtype: Any) -> None:
    program, inputs = every_operation(), special_pairs(dtype)
    computed = cuda.CudaProgram(program, dtype)(inputs)
    assert_close(computed, outputs_of(program, inputs), TOLERANCES[dtype])


@pytest.mark.parametrize("batch", [0, 1, 7, 1000])
def test_batches_of_any_size(batch: int) -> None:
    rng = np.random.default_rng(batch)
    program = random_program(rng, 3, 30, range(3))
    inputs = rng.normal(size=(3, batch))
    computed = cuda.compiled_program(program)(inputs)
    assert computed.shape == (len(program.outputs), batch)
    assert_close(computed, outputs_of(program, inputs), 1e-12)

    iteration = voting_iteration()
    state, parameters = np.ones((2, batch)), rng.uniform(1, 1e6, (1, batch))
    arguments = (state, parameters, np.array([[1e-2], [1e-9]]), np.array([50, 50]))
    found = cuda.compiled_iteration(iteration)(*arguments)
    assert found[0].shape == (2, 3, batch)
    for computed, expected in zip(found, iterate_with_numpy(iteration, *arguments), strict=True):
        assert computed is not None
        assert expected is not None
        assert_close(computed, expected, 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(6))
def test_iterations_agree_with_the_oracle(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(100 + seed)
    iteration = random_iteration(rng)
    state = rng.normal(size=(3, 200)).astype(dtype)
    parameters = rng.normal(size=(2, 200)).astype(dtype)
    targets, iterations = rng.normal(size=(4, 2)).astype(dtype), np.array([1, 0, 3, 2])
    arguments = (state, parameters, targets, iterations)
    computed, _ = cuda.CudaIteration(iteration, dtype)(*arguments)
    assert_close(computed, iterate_with_numpy(iteration, *arguments)[0], TOLERANCES[dtype])


def test_lanes_that_are_not_finite_do_not_disturb_their_neighbours() -> None:
    rng = np.random.default_rng(5)
    program = random_program(rng, 4, 60, range(4))
    kernel = cuda.CudaProgram(program)
    inputs = rng.normal(size=(4, 256))
    spoiled = inputs.copy()
    spoiled[:, ::3], spoiled[:, 1::9] = np.nan, np.inf
    untouched = np.isfinite(spoiled).all(axis=0)
    np.testing.assert_array_equal(kernel(spoiled)[:, untouched], kernel(inputs)[:, untouched])

    newton = cuda.CudaIteration(voting_iteration())
    state, parameters = np.ones((2, 256)), rng.uniform(1, 100, (1, 256))
    broken = np.where(untouched, parameters, np.nan)
    rest = (np.array([[1e-9]]), np.array([60]))
    np.testing.assert_array_equal(
        newton(state, broken, *rest)[0][..., untouched],
        newton(state, parameters, *rest)[0][..., untouched],
    )


def test_arrays_on_the_gpu_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = pytest.importorskip("cupy")
    program = random_program(np.random.default_rng(8), 3, 30, range(3))
    kernel, inputs = cuda.CudaProgram(program), np.random.default_rng(9).normal(size=(3, 100))
    on_gpu = cupy.asarray(inputs)
    newton = cuda.CudaIteration(voting_iteration())
    state, p = cupy.ones((2, 100)), cupy.linspace(1, 9, 100)[None]
    rest = (cupy.asarray([[1e-9]]), cupy.asarray([60]))

    with monkeypatch.context() as patch:
        patch.setattr(cupy, "asnumpy", None)  # nothing may come back to the host
        outputs, (records, _) = kernel(on_gpu), newton(state, p, *rest)
    assert isinstance(outputs, cupy.ndarray)
    assert isinstance(records, cupy.ndarray)
    np.testing.assert_array_equal(outputs.get(), kernel(inputs))
    on_host, _ = newton(state.get(), p.get(), *(array.get() for array in rest))
    assert isinstance(on_host, np.ndarray)
    np.testing.assert_array_equal(records.get(), on_host)

    # Rows that do not lie one after another, and another type, are converted on the GPU.
    np.testing.assert_array_equal(kernel(cupy.asfortranarray(on_gpu)).get(), kernel(inputs))
    single = kernel(on_gpu.astype(cupy.float32)).get()
    np.testing.assert_array_equal(single, kernel(inputs.astype(np.float32)))


def test_arrays_of_jax_on_the_gpu_are_read_in_place() -> None:
    if "gpu" not in {d.platform for d in _jax().devices()}:
        pytest.skip("JAX has no GPU here")
    cupy, jnp = pytest.importorskip("cupy"), _jax().numpy
    program = random_program(np.random.default_rng(8), 3, 30, range(3))
    inputs = np.random.default_rng(9).normal(size=(3, 100)).astype(np.float32)
    kernel = cuda.CudaProgram(program, np.float32)
    outputs = kernel(jnp.asarray(inputs) * 1)
    assert isinstance(outputs, cupy.ndarray)
    np.testing.assert_array_equal(outputs.get(), kernel(inputs))


def test_streams_other_than_the_first() -> None:
    cupy = pytest.importorskip("cupy")
    kernel = cuda.CudaProgram(random_program(np.random.default_rng(8), 3, 30, range(3)))
    inputs = np.random.default_rng(9).normal(size=(3, 100))
    with cupy.cuda.Stream(non_blocking=True):
        computed = kernel(inputs)
    np.testing.assert_array_equal(computed, kernel(inputs))


def test_resources_are_reported() -> None:
    resources = cuda.CudaProgram(every_operation()).resources
    assert 8 <= resources.registers <= 255
    assert resources.local_bytes >= 0
    assert resources.shared_bytes == 0


def test_wrong_shapes_are_refused() -> None:
    kernel = cuda.CudaProgram(every_operation())
    with pytest.raises(cuda.KernelError, match=r"inputs must have shape \(2, any\), got \(3, 4\)"):
        kernel(np.zeros((3, 4)))
    newton = cuda.CudaIteration(voting_iteration())
    with pytest.raises(cuda.KernelError, match=r"parameters must have shape \(1, 4\)"):
        newton(np.zeros((2, 4)), np.zeros((1, 5)), np.zeros((1, 1)), [1])


def _jax() -> Any:
    if "jax" not in sys.modules:
        # A share of the memory only, so that CuPy finds some too.
        import os

        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    return pytest.importorskip("jax")
