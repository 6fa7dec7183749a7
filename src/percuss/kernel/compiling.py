"""`compile`: a Python function becomes a function over arrays of cases.

What traces and what compiles is imported where it is used: kernels that are kept on the disk need
neither.
"""

from __future__ import annotations

import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.backends import llvm
from percuss.kernel.duals import Dual, slope_of, value_of
from percuss.kernel.errors import KernelError, KernelNotice
from percuss.kernel.program import TRUTH, Program
from percuss.kernel.store import load_traced, save_traced
from percuss.kernel.traced import Traced
from percuss.kernel.waiting import waiting

log = logging.getLogger("percuss.kernel")

BACKENDS = ("auto", "llvm", "cuda", "numpy")


def compile(  # the name users of compilers expect
    function: Callable[..., Any],
    *like: Any,
    backend: str = "auto",
    dtype: Any = np.float64,
    threads: int | None = None,
    key: str | None = None,
) -> Kernel:
    """Compile a function of scalars and small arrays, written as one writes NumPy, to a `Kernel`.

    Args:
        function: takes and returns numbers and small arrays, or nested containers of them. One
            written in `jax.numpy` is traced by JAX.
        like: one example per argument; only its structure and shapes matter.
        backend: "llvm" (machine code for this processor), "cuda", "numpy" (slow, the oracle),
            or "auto": llvm, and numpy with a notice where llvmlite is missing.
        dtype: float64 or float32, of all arithmetic.
        threads: at most this many; default all cores.
        key: a name that determines the function and every constant in it. With it the traced
            program is kept on disk too, and a second start does not trace at all.

    The kernel takes arrays shaped like the examples with one more axis, the batch, last; an
    argument without that axis is the same for every case. Called with a `Dual` in the place of any
    array it returns Duals: its derivative is compiled when that is first asked for.
    """
    started = time.perf_counter()
    traced = load_traced(key, like) if key is not None else None
    if traced is None:
        from percuss.kernel.tracing.function import trace

        with waiting("writing down a function's operations"):
            traced = trace(function, *like)
        if key is not None:
            save_traced(key, traced)
    log.debug(
        "%d operations traced in %.3f s",
        traced.program.operation_count,
        time.perf_counter() - started,
    )

    def derivative() -> Kernel:
        from percuss.kernel.derivatives import jvp

        name = None if key is None else f"derivative of {key}"
        options = {"backend": backend, "dtype": dtype, "threads": threads, "key": name}
        return compile(jvp(function), like, like, **options)

    return Kernel(traced, choose_backend(backend), np.dtype(dtype), threads, derivative=derivative)


def choose_backend(backend: str) -> str:
    """The back end to use; a fallback is never silent."""
    if backend not in BACKENDS:
        raise KernelError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")
    if backend == "llvm" and not llvm.available():
        raise KernelError("backend 'llvm' needs llvmlite: pip install llvmlite")
    if backend != "auto":
        return backend
    if llvm.available():
        return "llvm"
    warnings.warn(
        "llvmlite is not installed: kernels run in NumPy, a hundred times slower",
        KernelNotice,
        stacklevel=3,
    )
    return "numpy"


class Kernel:
    """A compiled function. Calls take and return arrays with the batch as last axis."""

    def __init__(
        self,
        traced: Traced,
        backend: str,
        dtype: np.dtype[Any],
        threads: int | None = None,
        *,
        derivative: Callable[[], Kernel] | None = None,
    ) -> None:
        if dtype not in (np.float64, np.float32):
            raise KernelError(f"dtype must be float64 or float32, got {dtype}")
        self.traced = traced
        self.backend = backend
        self.dtype = dtype
        self.threads = threads or os.cpu_count() or 1
        self._make_derivative = derivative
        self._code: llvm.LlvmProgram | None = None
        self._run = self._compiled()

    @property
    def program(self) -> Program:
        """The straight-line program behind it."""
        return self.traced.program

    def __call__(self, *arguments: Any) -> Any:
        leaves, tree = trees.flatten(arguments)
        if tree != self.traced.input_tree:
            raise KernelError(
                f"arguments have the structure {tree}, compiled was {self.traced.input_tree}"
            )
        if any(isinstance(leaf, Dual) for leaf in leaves):
            return self._with_slopes(leaves)
        if self.backend == "cuda":
            return self._call_on_gpu(leaves)
        arrays = [np.asarray(leaf, self.dtype) for leaf in leaves]
        batch = batch_size(arrays, self.traced.input_shapes)
        rows = input_rows(
            arrays, self.traced.input_shapes, 1 if batch is None else batch, self.dtype
        )
        outputs = self._run(rows, 1 if batch is None else batch)
        return self._arranged(outputs, batch)

    @cached_property
    def derivative(self) -> Kernel:
        """(arguments, tangents) → (result, its tangent)."""
        if self._make_derivative is None:
            raise KernelError("this kernel does not know its function, and so no derivative")
        return self._make_derivative()

    def _with_slopes(self, leaves: Sequence[Any]) -> Any:
        """The result as Duals, of arguments some of which are Duals; truth values are plain."""
        tree = self.traced.input_tree
        parts = (trees.unflatten(tree, map(of, leaves)) for of in (value_of, slope_of))
        values, slopes = map(trees.leaves_of, self.derivative(*parts))
        both = [
            value if value.dtype == bool else Dual.of(value, slope)
            for value, slope in zip(values, slopes, strict=True)
        ]
        return trees.unflatten(self.traced.output_tree, both)

    def single(self) -> Callable[[np.ndarray], np.ndarray]:
        """The compiled function for one case after another, quickly, as in an integrator's loop.

        It takes all inputs in a row, shape (inputs,), and returns all outputs in a row, in the
        order of the leaves. It is not for several threads at a time.
        """
        if self.backend == "cuda":
            raise KernelError("a GPU is for many cases; single ones need backend='llvm'")
        if self._code is not None:
            return self._code.single()
        return lambda values: np.asarray(
            self._run(list(np.asarray(values, self.dtype)[:, None]), 1)
        )[:, 0]

    def _compiled(self) -> Callable[[Sequence[np.ndarray], int], np.ndarray]:
        program = self.program
        if self.backend == "numpy":
            from percuss.kernel.backends.interpreter import interpret

            def interpreted(rows: Sequence[np.ndarray], batch: int) -> np.ndarray:
                outputs = np.empty((len(program.outputs), batch), self.dtype)
                for k, value in enumerate(interpret(program, rows)):
                    outputs[k] = value
                return outputs

            return interpreted
        if self.backend == "llvm":
            code = self._code = llvm.LlvmProgram(program, self.dtype)

            def native(rows: Sequence[np.ndarray], batch: int) -> np.ndarray:
                outputs = np.empty((len(program.outputs), batch), self.dtype)
                code(rows, list(outputs), self.threads)
                return outputs

            return native
        from percuss.kernel.backends.cuda import compiled_program

        gpu = compiled_program(program, self.dtype)
        return lambda rows, batch: gpu(rows)  # noqa: ARG005

    def _call_on_gpu(self, leaves: Sequence[Any]) -> Any:
        """Arrays already on the GPU stay there; if all are on the host, so is the result.

        They are laid out on the GPU in any case: there it costs little.
        """
        from percuss.kernel.backends.cuda import downloaded, uploaded

        library, arrays, stays = uploaded(leaves, self.dtype)
        shapes = self.traced.input_shapes
        batch = batch_size(arrays, shapes)
        cases = 1 if batch is None else batch
        rows = library.empty((self.program.input_count, cases), self.dtype)
        start = 0
        for array, shape in zip(arrays, shapes, strict=True):
            size = int(np.prod(shape))
            full = array[..., None] if tuple(array.shape) == shape else array
            rows[start : start + size] = library.broadcast_to(full, (*shape, cases)).reshape(
                size, cases
            )
            start += size
        outputs = self._run(rows, cases)
        return self._arranged(outputs if stays else downloaded(outputs), batch)

    def _arranged(self, outputs: Any, batch: int | None) -> Any:
        """Rows of results in the structure of the function's own result."""
        results: list[Any] = []
        for rows, shape, is_truth in self._results:
            values = outputs[rows].reshape((*shape, outputs.shape[-1]))
            if is_truth:
                values = values != 0
            results.append(values[..., 0] if batch is None else values)
        return trees.unflatten(self.traced.output_tree, results)

    @cached_property
    def _results(self) -> list[tuple[slice, tuple[int, ...], bool]]:
        """Rows, shape, and whether it is a truth value, of each result."""
        kinds = [self.program.kinds[r] == TRUTH for r in self.program.outputs]
        found: list[tuple[slice, tuple[int, ...], bool]] = []
        start = 0
        for shape in self.traced.output_shapes:
            end = start + math.prod(shape)
            found.append((slice(start, end), shape, any(kinds[start:end])))
            start = end
        return found


def batch_size(arrays: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> int | None:
    """The common batch size; None when no argument has a batch axis."""
    batch: int | None = None
    for array, shape in zip(arrays, shapes, strict=True):
        found = tuple(array.shape)
        if found == shape:
            continue
        if len(found) != len(shape) + 1 or found[:-1] != shape:
            raise KernelError(
                f"an argument has shape {found}; allowed are {shape} (the same for every case) "
                f"and {shape} with the batch as one more, last axis"
            )
        if batch is not None and found[-1] != batch:
            raise KernelError(f"arguments have different batch sizes: {batch} and {found[-1]}")
        batch = found[-1]
    return batch


def input_rows(
    arrays: Sequence[np.ndarray],
    shapes: Sequence[tuple[int, ...]],
    batch: int,
    dtype: np.dtype[Any],
) -> list[np.ndarray]:
    """One contiguous row of cases per input register."""
    rows: list[np.ndarray] = []
    for array, shape in zip(arrays, shapes, strict=True):
        if array.shape == shape:
            array = np.broadcast_to(array[..., None], (*shape, batch))
        flat = np.ascontiguousarray(array, dtype).reshape(int(np.prod(shape)), batch)
        rows.extend(flat)
    return rows
