"""The LLVM back end: machine code for this processor, through llvmlite."""

from __future__ import annotations

import ctypes
import logging
import platform
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from percuss.kernel.backends.llvm_text import LIBRARY, Target, iteration_text, program_text
from percuss.kernel.cache import load_code, save_code
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program

log = logging.getLogger("percuss.kernel")


def available() -> bool:
    """Whether llvmlite is installed."""
    try:
        import llvmlite  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _machine() -> Any:
    """The code generator for this processor, made once."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, reloc="pic", codemodel="jitdefault"
    )


@cache
def processor() -> str:
    """Name and features of this processor, as far as they change the code made for it."""
    import llvmlite
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return f"{llvm.get_host_cpu_name()} {features} llvmlite {llvmlite.__version__}"


@cache
def host_lanes() -> int:
    """Double-precision numbers in the widest vector of this processor: 8, 4, 2 or 1."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq"):
        return 8
    if features.get("avx2"):
        return 4
    return 2 if platform.machine() in ("x86_64", "AMD64", "aarch64", "arm64") else 1


@cache
def host_target(single: bool = False, lanes: int | None = None) -> Target:
    """The widest vector of this processor and the library functions that take it."""
    wide = lanes or host_lanes() * (2 if single else 1)
    return Target(wide, single, _vector_functions(wide, single))


def _vector_functions(lanes: int, single: bool) -> dict[str, str]:
    """Operation to symbol in glibc's vector mathematics library, where there is one."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return {}
    letter = {64: "e", 32: "d", 16: "b"}.get(lanes * (4 if single else 8))
    try:
        library = ctypes.CDLL("libmvec.so.1")
    except OSError:
        return {}
    import llvmlite.binding as llvm

    llvm.load_library_permanently("libmvec.so.1")
    found: dict[str, str] = {}
    for operation in LIBRARY:
        arguments = "vv" if operation in ("pow", "atan2") else "v"
        symbol = f"_ZGV{letter}N{lanes}{arguments}_{operation}{'f' if single else ''}"
        if letter and hasattr(library, symbol):
            found[operation] = symbol
    return found


_engine_lock = threading.Lock()
_engines: list[Any] = []
"""Engines own the machine code: they live as long as the process."""


def _load(text: str, symbol: str, arguments: int) -> Callable[..., None]:
    """The function `symbol` of an assembly text as a C function, from the disk if it is there."""
    import llvmlite.binding as llvm

    machine = _machine()
    started = time.perf_counter()
    code = load_code(text, processor())
    source = "disk"
    with _engine_lock:
        if code is None:
            source = "compiler"
            code = machine.emit_object(llvm.parse_assembly(text))
            save_code(text, processor(), code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _fresh_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        address = engine.get_function_address(symbol)
        _engines.append(engine)
    if not address:
        raise KernelError(f"the compiled code has no function {symbol!r}")
    log.debug("machine code from the %s in %.3f s", source, time.perf_counter() - started)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


def _fresh_machine() -> Any:
    """An engine takes its code generator with it, so each gets one."""
    return _machine.__wrapped__()


class LlvmProgram:
    """A program as machine code."""

    def __init__(self, program: Program, dtype: Any = np.float64, lanes: int | None = None) -> None:
        self.program = program
        self.dtype = np.dtype(dtype)
        self.target = host_target(self.dtype == np.float32, lanes)
        self._function = _load(program_text(program, self.target), "evaluate", 4)

    def __call__(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], threads: int = 1
    ) -> None:
        """Rows of cases in, rows of cases out: one contiguous array per register."""
        batch = len(outputs[0]) if outputs else 0

        def run(first: int, last: int, ins: Any, outs: Any) -> None:
            self._function(_table(ins), _table(outs), first, last)

        _in_blocks(run, batch, self.target.lanes, threads, inputs, outputs, self.dtype)

    def single(self) -> Callable[[np.ndarray], np.ndarray]:
        """One case after another with little ado: all inputs in a row to all outputs in a row.

        The pointers are set up once, which is most of the cost of a call on a single case. The
        function keeps its buffers: it is not for several threads at a time.
        """
        lanes = self.target.lanes
        inputs = np.zeros((self.program.input_count, lanes), self.dtype)
        outputs = np.empty((len(self.program.outputs), lanes), self.dtype)
        ins, outs = _table(list(inputs)), _table(list(outputs))
        function = self._function

        def evaluate(values: np.ndarray) -> np.ndarray:
            inputs[:] = values[:, None]
            function(ins, outs, 0, lanes)
            return outputs[:, 0].copy()

        return evaluate


class LlvmIteration:
    """An iteration as machine code: its loops run inside one call."""

    def __init__(
        self, iteration: Iteration, dtype: Any = np.float64, lanes: int | None = None
    ) -> None:
        self.iteration = iteration
        self.dtype = np.dtype(dtype)
        self.target = host_target(self.dtype == np.float32, lanes)
        self._function = _load(iteration_text(iteration, self.target), "iterate", 8)

    def __call__(
        self,
        state: np.ndarray,
        parameters: np.ndarray,
        targets: np.ndarray,
        iterations: np.ndarray,
        threads: int = 1,
    ) -> np.ndarray:
        """State (ns, batch), parameters (np, batch), targets (K, nt), iterations (K,).

        Returns records of shape (K, record_count, batch).
        """
        batch = state.shape[1]
        segments = len(iterations)
        uniform = np.ascontiguousarray(targets, self.dtype)
        counts = np.ascontiguousarray(iterations, np.int64)
        records = np.empty((segments, self.iteration.record_count, batch), self.dtype)
        inputs = [
            *np.ascontiguousarray(state, self.dtype),
            *np.ascontiguousarray(parameters, self.dtype),
        ]
        outputs = records.reshape(-1, batch)
        split = len(state)

        def run(first: int, last: int, ins: Any, outs: Any) -> None:
            self._function(
                _table(ins[:split]),
                _table(ins[split:]),
                uniform.ctypes.data,
                counts.ctypes.data,
                segments,
                _table(outs),
                first,
                last,
            )

        _in_blocks(run, batch, self.target.lanes, threads, inputs, outputs, self.dtype)
        return records


def _table(rows: Sequence[np.ndarray] | np.ndarray) -> Any:
    """A C array of pointers to rows."""
    if isinstance(rows, np.ndarray) and len(rows):
        # Thousands of rows of one array: their addresses are known without asking each.
        places = rows.ctypes.data + rows.strides[0] * np.arange(len(rows), dtype=np.uintp)
        return (ctypes.c_void_p * len(rows)).from_buffer(places.data)
    return (ctypes.c_void_p * max(1, len(rows)))(*(row.ctypes.data for row in rows))


def _in_blocks(
    run: Callable[[int, int, Any, Any], None],
    batch: int,
    lanes: int,
    threads: int,
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray] | np.ndarray,
    dtype: np.dtype[Any],
) -> None:
    """Whole vectors in place, shared among threads; what is left over padded to one vector.

    Every case goes through the same vector code, so its bits depend on nothing but itself.
    """
    whole = batch // lanes * lanes
    blocks = whole // lanes
    workers = max(1, min(threads, blocks))
    if workers == 1:
        if whole:
            run(0, whole, inputs, outputs)
    else:
        # More pieces than threads, so that a thread that is held up leaves less to wait for.
        pieces = min(blocks, 4 * workers)
        bounds = [blocks * k // pieces * lanes for k in range(pieces + 1)]
        pool = _pool(workers)
        jobs = [pool.submit(run, first, last, inputs, outputs) for first, last in pairwise(bounds)]
        for job in jobs:
            job.result()
    left = batch - whole
    if left:
        padded = np.zeros((len(inputs), lanes), dtype)
        for k, row in enumerate(inputs):
            padded[k, :left] = row[whole:]
            padded[k, left:] = row[-1]
        results = np.empty((len(outputs), lanes), dtype)
        run(0, lanes, list(padded), results)
        if isinstance(outputs, np.ndarray):
            outputs[:, whole:] = results[:, :left]
            return
        for k, row in enumerate(outputs):
            row[whole:] = results[k, :left]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="percuss-kernel")
