"""The LLVM back end: machine code for this processor, through llvmlite."""

from __future__ import annotations

import ctypes
import logging
import platform
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np

from percuss.kernel.backends.aside import StopWord, begun, share
from percuss.kernel.backends.blocks import Rows, Run, make_jobs, row_table, worthwhile_threads
from percuss.kernel.backends.llvm_emission import object_code, parsed
from percuss.kernel.backends.llvm_target import LIBRARY, LlvmTarget
from percuss.kernel.cache import load_code, save_code
from percuss.kernel.errors import KernelError
from percuss.kernel.fingerprint import kernel_fingerprint
from percuss.kernel.program import Program
from percuss.kernel.waiting import waiting

log = logging.getLogger("percuss.kernel")

T = TypeVar("T")

_PIECE = 10**8
"""Operations, over all cases, of one call of a program: 4 ms in whole vectors, 0.1 s where a
function is called lane by lane. Between calls Python can answer a signal."""


def available() -> bool:
    """Whether llvmlite is installed."""
    try:
        import llvmlite  # noqa: F401
    except ImportError:
        return False
    return True


def _machine() -> Any:
    """A code generator for this processor.

    It is for one thread alone, and an engine takes its own with it.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    # Registers are given out before: more optimisation takes longer and gives code no smaller.
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=1, reloc="pic", codemodel="jitdefault"
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
def host_target(single: bool = False, lanes: int | None = None) -> LlvmTarget:
    """The widest vector of this processor and the library functions that take it."""
    import llvmlite.binding as llvm

    wide = lanes or host_lanes() * (2 if single else 1)
    features = llvm.get_host_cpu_features()
    is_arm = platform.machine() in ("aarch64", "arm64")
    return LlvmTarget(
        wide,
        single,
        _vector_functions(wide, single),
        registers=32 if is_arm or features.get("avx512f") else 16,
        fuses=is_arm or bool(features.get("fma")),
    )


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


ENGINES = threading.Lock()
"""Held by who makes machine code ready to be called: the modules of engines share one context."""


class LlvmCode:
    """A function of machine code, called with addresses and integers of 64 bits.

    It keeps the engine that owns the code: with the last reference the memory is given back.
    """

    def __init__(self, engine: Any, symbol: str, arguments: int) -> None:
        address = engine.get_function_address(symbol)
        if not address:
            raise KernelError(f"the compiled code has no function {symbol!r}")
        self._engine = engine
        self.call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


def name_of(digest: str, target: LlvmTarget) -> str:
    """The name under which machine code is kept, of the digest of what it was made of.

    With the sources that made it, this determines the assembly text: it need not be written to
    find the code.
    """
    name = kernel_fingerprint("machine code", digest, target)
    assert name is not None
    return name


def code_from_disk(name: str, symbol: str, arguments: int) -> LlvmCode | None:
    """The function `symbol` of the machine code of this name, None where it is not there."""
    started = time.perf_counter()
    code = load_code(name, processor())
    if code is None:
        return None
    loaded = _linked(code, symbol, arguments)
    log.debug("machine code after %.3f s: from the disk", time.perf_counter() - started)
    return loaded


def load(
    name: str, text: Callable[[], str], symbol: str, arguments: int, *, operations: int
) -> Callable[[], LlvmCode]:
    """Begin to load the function `symbol` of an assembly text; what is returned waits for it.

    It comes from the disk if it is there under the name, and is compiled in another thread if not.
    `operations` is the size of what is compiled, for a note on an interruption.
    """
    found = code_from_disk(name, symbol, arguments)
    if found is not None:
        return lambda: found
    written = text()
    return compiled_aside(
        lambda: _linked(_machine_code(name, written), symbol, arguments),
        f"compiling {operations:,} operations",
    )


def compiled_aside(compiler: Callable[[], T], work: str) -> Callable[[], T]:
    """Begin to compile in another thread; what is returned waits for it, and says so if it is long.

    `work` says what is compiled.
    """
    started = time.perf_counter()
    compiled = begun(compiler, work)

    def awaited() -> T:
        with waiting(work):
            result = compiled()
        log.debug("machine code after %.3f s: %s", time.perf_counter() - started, work)
        return result

    return awaited


def _machine_code(name: str, text: str) -> bytes:
    """The machine code of an assembly text, which is also kept on the disk under `name`."""
    code = object_code(_machine(), parsed(text))
    save_code(name, processor(), code)
    return code


def _linked(code: bytes, symbol: str, arguments: int) -> LlvmCode:
    """Machine code ready to be called."""
    import llvmlite.binding as llvm

    with ENGINES:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return LlvmCode(engine, symbol, arguments)


class LlvmProgram:
    """A program as machine code."""

    def __init__(self, program: Program, dtype: Any = np.float64, lanes: int | None = None) -> None:
        self.program = program
        self.dtype = np.dtype(dtype)
        self.target = host_target(self.dtype == np.float32, lanes)
        name = name_of(program.digest, self.target)
        self._code = load(name, self._text, "evaluate", 4, operations=program.operation_count)()

    def _text(self) -> str:
        # Machine code that is found on the disk needs nothing of what writes assembly.
        from percuss.kernel.backends.llvm_functions import program_text

        return program_text(self.program, self.target)

    def __call__(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], threads: int = 1
    ) -> None:
        """Rows of cases in, rows of cases out: one contiguous array per register."""
        batch = len(outputs[0]) if outputs else 0

        def bound(ins: Rows, outs: Rows) -> Run:
            return Run(
                self._code.call, (row_table(ins), row_table(outs)), (), (ins, outs, self._code)
            )

        operations = max(1, self.program.operation_count)
        piece, threads = (
            max(1, _PIECE // operations),
            worthwhile_threads(threads, operations * batch),
        )
        jobs = make_jobs(
            bound, batch, self.target.lanes, threads, inputs=inputs, outputs=outputs, piece=piece
        )
        workers = min(threads, len(jobs))
        if workers > 1:
            share(jobs, workers, StopWord(), "running compiled code")
        else:
            for job in jobs:
                job()

    def single(self) -> Callable[[np.ndarray], np.ndarray]:
        """One case after another with little ado: all inputs in a row to all outputs in a row.

        The pointers are set up once, which is most of the cost of a call on a single case. The
        function keeps its buffers: it is not for several threads at a time.
        """
        lanes = self.target.lanes
        inputs = np.zeros((self.program.input_count, lanes), self.dtype)
        outputs = np.empty((len(self.program.outputs), lanes), self.dtype)
        ins, outs = row_table(inputs), row_table(outputs)
        code = self._code

        def evaluate(values: np.ndarray) -> np.ndarray:
            inputs[:] = values[:, None]
            code.call(ins, outs, 0, lanes)
            return outputs[:, 0].copy()

        return evaluate
