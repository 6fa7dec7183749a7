"""The CUDA back end: compiles programs and iterations and launches them through CuPy.

Arrays of the host (NumPy, lists) are copied to the GPU and results come back as NumPy arrays.
Arrays already on a GPU (CuPy, JAX, PyTorch: whatever speaks DLPack or
`__cuda_array_interface__`) are read where they are and results stay there, as CuPy arrays.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from percuss.kernel.backends.aside import begun, leave_if_asked
from percuss.kernel.backends.cuda_code import machine_code
from percuss.kernel.backends.cuda_text import (
    ITERATION_NAME,
    PROGRAM_NAME,
    target_of,
    text_of_iteration,
    text_of_program,
)
from percuss.kernel.backends.llvm import name_of
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program

Array = Any
"""A NumPy or CuPy array, or one that can become one of them without a copy."""

DLPACK_CUDA = 2
"""DLPack's number for the memory of an NVIDIA GPU."""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes: registers and bytes of local memory a thread, shared bytes a block.

    Local memory holds what is spilled and what is handed to parts; about 40 bytes of it are the
    workspace of sines and cosines of very large angles.
    """

    registers: int
    local_bytes: int
    shared_bytes: int


def available() -> bool:
    """Whether CuPy is installed and sees a GPU."""
    try:
        load_cupy()
    except KernelError:
        return False
    return True


def load_cupy() -> Any:
    """The module cupy, or a KernelError that says what is missing."""
    try:
        cupy = importlib.import_module("cupy")
    except ImportError as error:
        raise KernelError(
            "the CUDA back end needs CuPy: pip install 'percuss[cuda]' "
            f"(importing it said: {error})"
        ) from error
    try:
        count, reason = cupy.cuda.runtime.getDeviceCount(), "the driver counts none"
    except Exception as error:  # the driver's own exception type, or that of a missing library
        count, reason = 0, str(error)
    if count < 1:
        raise KernelError(
            f"no NVIDIA GPU was found ({reason}): check `nvidia-smi` and CUDA_VISIBLE_DEVICES, "
            "or run on the CPU"
        )
    return cupy


@cache
def start_gpu() -> None:
    """Begin to start the GPU in another thread, which takes half a second, and go on meanwhile.

    What needs the GPU waits until it is there, and says so where it is not.
    """
    begun(_make_context, "starting the GPU")


def _make_context() -> None:
    """What the driver needs before it does anything for this process on the current GPU."""
    load_cupy().cuda.runtime.free(0)


class CudaProgram:
    """A program compiled for the GPU: inputs (input_count, batch) → outputs (output_count, batch).

    Truth values come out as 0 and 1.
    """

    def __init__(self, program: Program, dtype: DTypeLike = np.float64) -> None:
        self.program = program
        self.dtype = np.dtype(dtype)
        text = partial(text_of_program, program, dtype)
        self._kernel = _Kernel(
            program.digest, dtype, text, PROGRAM_NAME, operations=program.operation_count
        )

    @property
    def resources(self) -> Resources:
        return self._kernel.resources

    def __call__(self, inputs: Array) -> Array:
        """The outputs, shape (output_count, batch), on the side (host or GPU) of the inputs."""

        def launch(cupy: Any, values: Array) -> tuple[Array, ...]:
            _require_shape("inputs", values, (self.program.input_count, None))
            batch = values.shape[1]
            outputs = cupy.empty((len(self.program.outputs), batch), self.dtype)
            if outputs.size:
                self._kernel.launch(batch, (values, outputs, np.int64(batch)))
            return (outputs,)

        (outputs,) = _run(launch, [(inputs, self.dtype)])
        return outputs


class CudaIteration:
    """An iteration compiled for the GPU; see `Iteration` for what it computes."""

    def __init__(self, iteration: Iteration, dtype: DTypeLike = np.float64) -> None:
        self.iteration = iteration
        self.dtype = np.dtype(dtype)
        text, count = partial(text_of_iteration, iteration, dtype), iteration.outline.operations
        self._kernel = _Kernel(iteration.digest, dtype, text, ITERATION_NAME, operations=count)

    @property
    def resources(self) -> Resources:
        return self._kernel.resources

    def __call__(
        self, state: Array, parameters: Array, targets: Array, iterations: Array
    ) -> tuple[Array, Array | None]:
        """Records (K, record_count, batch) and, with votes, the state after the last segment.

        From state (ns, batch), parameters (np, batch), targets (K, nt) and iterations (K,). The
        results stay on the GPU when any of the four arrays is there.
        """
        sizes = self.iteration

        def launch(cupy: Any, s: Array, p: Array, t: Array, limits: Array) -> tuple[Array, ...]:
            _require_shape("state", s, (sizes.state_count, None))
            batch = s.shape[1]
            _require_shape("parameters", p, (sizes.parameter_count, batch))
            _require_shape("iterations", limits, (None,))
            segments = len(limits)
            _require_shape("targets", t, (segments, sizes.target_count))
            records = cupy.empty((segments, sizes.record_count, batch), self.dtype)
            ends = cupy.empty_like(s) if sizes.votes else records
            if batch:
                arguments = (s, p, t, limits, records, ends, np.int64(segments), np.int64(batch))
                self._kernel.launch(batch, arguments)
            return records, ends

        arrays = [(x, self.dtype) for x in (state, parameters, targets)]
        records, ends = _run(launch, [*arrays, (iterations, np.dtype(np.int64))])
        return records, ends if sizes.votes else None


@lru_cache(maxsize=128)
def compiled_program(program: Program, dtype: DTypeLike = np.float64) -> CudaProgram:
    """The compiled program; the same one for equal programs."""
    return CudaProgram(program, dtype)


@lru_cache(maxsize=128)
def compiled_iteration(iteration: Iteration, dtype: DTypeLike = np.float64) -> CudaIteration:
    """The compiled iteration; the same one for equal iterations."""
    return CudaIteration(iteration, dtype)


class _Kernel:
    """One kernel that takes one thread a case.

    It is compiled in another thread, and what needs it first waits for that.
    """

    def __init__(
        self, digest: str, dtype: DTypeLike, text: Callable[[], str], name: str, *, operations: int
    ) -> None:
        self._cupy = load_cupy()
        self._name = name
        kept = name_of(digest, target_of(dtype))
        self._begin = partial(machine_code, self._cupy, kept, text, operations)
        self._codes = {self._device: self._begin()}
        self._functions: dict[int, Any] = {}

    @property
    def _device(self) -> int:
        """The current one: each has code and a function of its own."""
        return self._cupy.cuda.runtime.getDevice()

    @property
    def _function(self) -> Any:
        device = self._device
        if device not in self._functions:
            if device not in self._codes:
                self._codes[device] = self._begin()
            module = self._cupy.cuda.function.Module()
            module.load(self._codes[device]())
            self._functions[device] = module.get_function(self._name)
        return self._functions[device]

    @property
    def resources(self) -> Resources:
        """What the kernel takes on the current device."""
        driver, function = self._cupy.cuda.driver, self._function
        attributes = (
            driver.CU_FUNC_ATTRIBUTE_NUM_REGS,
            driver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
            driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        )
        return Resources(*(driver.funcGetAttribute(a, function.ptr) for a in attributes))

    def launch(self, batch: int, arguments: tuple[Any, ...]) -> None:
        """Queue the kernel for `batch` cases on the current stream of the current device."""
        block = block_size(self.resources.registers, batch, multiprocessors(self._device))
        self._function(((batch + block - 1) // block,), (block,), arguments)


def block_size(registers: int, batch: int, multiprocessors: int) -> int:
    """Threads a block.

    With more than 128 registers a thread, a multiprocessor holds so few threads that small
    blocks fill it better; a small batch is spread over as many multiprocessors as it can reach.
    """
    block = 64 if registers > 128 else 128
    while block > 32 and batch < block * multiprocessors:
        block //= 2
    return block


@lru_cache(maxsize=64)
def multiprocessors(device: int) -> int:
    """How many a GPU has."""
    return load_cupy().cuda.Device(device).attributes["MultiProcessorCount"]


def _run(
    launch: Callable[..., tuple[Array, ...]], arrays: Sequence[tuple[Array, np.dtype]]
) -> tuple[Array, ...]:
    """launch(cupy, *arrays on one GPU, of these types); the results where the arrays were."""
    cupy = load_cupy()
    adopted = {k: adopt(cupy, array) for k, (array, _) in enumerate(arrays) if on_gpu(array)}
    devices = [array.device for array in adopted.values()]
    with devices[0] if devices else cupy.cuda.Device():
        values = [
            cupy.ascontiguousarray(adopted[k], dtype)
            if k in adopted
            else cupy.asarray(np.ascontiguousarray(array, dtype))
            for k, (array, dtype) in enumerate(arrays)
        ]
        results = launch(cupy, *values)
        if not adopted:
            wait(cupy)
            return tuple(map(cupy.asnumpy, results))
        if any(arrays[k][0] is not array for k, array in adopted.items()):
            # The owner of a foreign array does not know of our stream: it might reuse the
            # memory while the kernel still reads it.
            wait(cupy)
        return results


_AT_ONCE = 2e-4
"""Seconds in which the end of a kernel is looked for without a pause; afterwards every hundredth of
the time so far, but not more often than every `_PAUSE`. Threads that look without a pause keep
Python from those that prepare the next kernel."""
_PAUSE = 5e-5
"""Seconds; a system takes about as long again to wake a thread."""


def wait(cupy: Any) -> None:
    """Wait for what is queued on the current stream, where a signal can be answered.

    The library's own wait returns to Python only in the end.
    """
    event = cupy.cuda.Event(disable_timing=True)
    event.record()
    started = time.perf_counter()
    while not event.done:
        leave_if_asked()
        elapsed = time.perf_counter() - started
        # A pause of no length lets other threads of Python go on meanwhile.
        time.sleep(0.0 if elapsed < _AT_ONCE else min(max(0.01 * elapsed, _PAUSE), 0.02))


def adopted(arrays: Sequence[Array], dtype: np.dtype) -> tuple[Any, list[Array]]:
    """The library that holds the arrays, CuPy if any lies on a GPU, else NumPy, and all of them."""
    if not any(on_gpu(array) for array in arrays):
        return np, [np.asarray(array, dtype) for array in arrays]
    return uploaded(arrays, dtype)[:2]


def uploaded(arrays: Sequence[Array], dtype: np.dtype) -> tuple[Any, list[Array], bool]:
    """CuPy, all of the arrays on the GPU, and whether any was there before."""
    cupy, was_there = load_cupy(), any(on_gpu(array) for array in arrays)
    here = [adopt(cupy, array) if on_gpu(array) else np.asarray(array, dtype) for array in arrays]
    return cupy, [cupy.asarray(array, dtype) for array in here], was_there


def downloaded(array: Array) -> np.ndarray:
    """An array of CuPy on the host, awaited where a signal can be answered."""
    cupy = load_cupy()
    wait(cupy)
    return cupy.asnumpy(array)


def on_gpu(array: Array) -> bool:
    """Whether an array of any library lies in the memory of an NVIDIA GPU."""
    if hasattr(array, "__cuda_array_interface__"):
        return True
    return hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == DLPACK_CUDA


def adopt(cupy: Any, array: Array) -> Array:
    """A CuPy array over the same memory. DLPack first: it waits for the array's own stream."""
    if isinstance(array, cupy.ndarray):
        return array
    return cupy.from_dlpack(array) if hasattr(array, "__dlpack__") else cupy.asarray(array)


def _require_shape(name: str, array: Array, shape: tuple[int | None, ...]) -> None:
    """A KernelError unless the array has this shape; None stands for any size."""
    same = len(array.shape) == len(shape) and all(
        wanted is None or wanted == size for wanted, size in zip(shape, array.shape, strict=True)
    )
    if not same:
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise KernelError(f"{name} must have shape ({wanted}), got {tuple(array.shape)}")
