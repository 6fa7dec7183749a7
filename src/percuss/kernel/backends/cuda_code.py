"""Machine code of an NVIDIA GPU from LLVM assembly: LLVM writes PTX, the driver compiles it.

The functions of CUDA's mathematics library come from NVRTC, as PTX too. That front end of CUDA
takes three times as long for a large kernel as all the rest, so it sees nothing else.
"""

from __future__ import annotations

import ctypes
import logging
import re
import sys
import time
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from percuss.kernel.backends.aside import begun
from percuss.kernel.backends.cuda_text import FUNCTION_PREFIX, LIBRARY_PAIR
from percuss.kernel.backends.llvm import compiled_aside
from percuss.kernel.backends.llvm_emission import assembly, parsed
from percuss.kernel.cache import load_code, save_code
from percuss.kernel.errors import KernelError

log = logging.getLogger("percuss.kernel")

_TRIPLE = "nvptx64-nvidia-cuda"
_TWO_ARGUMENTS = ("pow", "atan2", "fmod")
_JIT_INPUT_PTX = 1
_JIT_ERROR_LOG = 5
_JIT_ERROR_LOG_SIZE = 6
_JIT_OPTIMIZATION_LEVEL = 7
"""Numbers of the driver's interface: CU_JIT_INPUT_PTX, CU_JIT_ERROR_LOG_BUFFER and its size,
CU_JIT_OPTIMIZATION_LEVEL."""
OPTIMISATION = 4
"""Level, 0 to 4, at which the driver optimises; 4 is its own choice. At 1 it takes half the time
for a large kernel and does not interleave as much, which `benchmarks.gpu` measures."""
_FUNCTION = re.compile(rf"^declare .*@{FUNCTION_PREFIX}(\w+)\(", re.MULTILINE)


def machine_code(
    cupy: Any, name: str, text: Callable[[], str], operations: int
) -> Callable[[], bytes]:
    """Begin to make that of an assembly text for the current GPU; what is returned waits for it.

    It comes from the disk if it is there under the name, and is compiled in another thread if not.
    `operations` is the size of what is compiled, for a note on an interruption.
    """
    started = time.perf_counter()
    processor = gpu_name(cupy)
    code = load_code(name, processor)
    if code is not None:
        log.debug("GPU code from the disk in %.3f s", time.perf_counter() - started)
        return lambda: code
    device = cupy.cuda.Device()
    capability = device.compute_capability
    work, written = f"compiling {operations:,} operations for the GPU", text()
    # NVRTC and LLVM at the same time: the driver needs what both have written.
    names = frozenset(_FUNCTION.findall(written))
    functions = begun(lambda: library_ptx(cupy, names, capability), work)

    def compiled() -> bytes:
        # A thread has a context of the driver only when it has used the device.
        cupy.cuda.runtime.setDevice(device.id)
        cupy.cuda.runtime.free(0)
        made = _linked(ptx(written, capability), functions())
        save_code(name, processor, made)
        return made

    return compiled_aside(compiled, work)


def gpu_name(cupy: Any) -> str:
    """The current GPU and its driver, as far as they change the code made for it."""
    import llvmlite

    capability = cupy.cuda.Device().compute_capability
    driver, library = cupy.cuda.runtime.driverGetVersion(), cupy.cuda.nvrtc.getVersion()
    return f"sm_{capability} driver {driver} nvrtc {library} llvmlite {llvmlite.__version__}"


def ptx(text: str, capability: str) -> str:
    """PTX of an assembly text for a compute capability, "90" say. Needs no GPU."""
    import llvmlite.binding as llvm

    machine = _machine(_known_to_llvm(capability))
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{_TRIPLE}"\n'
    module = parsed(head + text)
    # What a thread keeps goes into registers, but for what it hands to parts.
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return assembly(machine, module)


@cache
def _known_to_llvm(capability: str) -> str:
    """A compute capability, or the newest before it that this LLVM knows.

    Later ones run the PTX of earlier ones.
    """
    import llvmlite

    for known in dict.fromkeys((capability, f"{capability[:-1]}0", "90")):
        if int(known) > int(capability):
            continue
        # An unknown one is not refused: LLVM takes its oldest instead.
        if f".target sm_{known}\n" in assembly(_machine(known), parsed("")):
            return known
    raise KernelError(
        f"llvmlite {llvmlite.__version__} does not know GPUs of capability {capability}: "
        "pip install -U llvmlite"
    )


def _machine(capability: str) -> Any:
    """A code generator for a GPU."""
    return _target().create_target_machine(cpu=f"sm_{capability}", opt=1)


@cache
def _target() -> Any:
    """LLVM's writer of PTX."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(_TRIPLE)


@lru_cache(maxsize=64)
def library_ptx(cupy: Any, names: frozenset[str], capability: str) -> str:
    """PTX of functions of CUDA's mathematics library, by the names that kernels call them by."""
    if not names:
        return ""
    source = "\n".join(map(_wrapper, sorted(names)))
    nvrtc = cupy.cuda.nvrtc
    program = nvrtc.createProgram(source, "functions.cu", (), ())
    options = (f"--gpu-architecture=compute_{capability}", "--relocatable-device-code=true")
    try:
        nvrtc.compileProgram(program, options)
        return nvrtc.getPTX(program).decode()
    except nvrtc.NVRTCError as error:
        raise KernelError(
            f"NVRTC could not compile {', '.join(sorted(names))}: "
            f"{nvrtc.getProgramLog(program) or error}"
        ) from error
    finally:
        nvrtc.destroyProgram(program)


def _wrapper(name: str) -> str:
    """C++ text of a function of the library under the name that kernels call it by."""
    single = name.endswith("f") and name != "erf"
    real, symbol = "float" if single else "double", f"{FUNCTION_PREFIX}{name}"
    if symbol.startswith(LIBRARY_PAIR):
        return (
            f"struct Pair {{ {real} sine, cosine; }};\n"
            f'extern "C" __device__ Pair {symbol}({real} x)\n'
            f"{{ Pair both; {name}(x, &both.sine, &both.cosine); return both; }}"
        )
    two = name.removesuffix("f" if single else "") in _TWO_ARGUMENTS
    given, called = (f"{real} x, {real} y", "x, y") if two else (f"{real} x", "x")
    return f'extern "C" __device__ {real} {symbol}({given}) {{ return {name}({called}); }}'


def _linked(kernel: str, library: str) -> bytes:
    """Machine code of a kernel together with the functions that it calls.

    Through the driver itself: CuPy's linker would hold up all other threads meanwhile.
    """
    driver = _driver()
    linker = ctypes.c_void_p()
    log_text = ctypes.create_string_buffer(8192)
    asked = {
        _JIT_ERROR_LOG: ctypes.addressof(log_text),
        _JIT_ERROR_LOG_SIZE: len(log_text),
        _JIT_OPTIMIZATION_LEVEL: OPTIMISATION,
    }
    options = (ctypes.c_int * len(asked))(*asked)
    values = (ctypes.c_void_p * len(asked))(*asked.values())
    _check(driver.cuLinkCreate_v2(len(asked), options, values, ctypes.byref(linker)), log_text)
    try:
        for text in filter(None, (kernel, library)):
            data = text.encode() + b"\0"
            size, none = ctypes.c_size_t(len(data)), (0, None, None)
            added = driver.cuLinkAddData_v2(linker, _JIT_INPUT_PTX, data, size, b"kernel", *none)
            _check(added, log_text)
        code, length = ctypes.c_void_p(), ctypes.c_size_t()
        _check(driver.cuLinkComplete(linker, ctypes.byref(code), ctypes.byref(length)), log_text)
        assert code.value is not None
        return ctypes.string_at(code.value, length.value)
    finally:
        driver.cuLinkDestroy(linker)


def _driver() -> Any:
    """The driver's library."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise KernelError(f"NVIDIA's driver is not there: {name} ({error})") from error


def _check(result: int, log_text: Any) -> None:
    """A KernelError where the driver reports one."""
    if result:
        said = log_text.value.decode(errors="replace").strip()
        raise KernelError(f"the driver could not compile a kernel: error {result} {said}")
