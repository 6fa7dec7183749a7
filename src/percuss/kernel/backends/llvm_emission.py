"""Code of LLVM modules, made by several threads side by side.

The library that brings LLVM lets one thread at a time into it. LLVM itself takes as many as there
are, each with a context, a module and a code generator of its own: the call in which nearly all
time is spent is made past that lock.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from percuss.kernel.errors import KernelError


def parsed(text: str) -> Any:
    """The module of an assembly text, in a context of its own.

    A context is not for several threads: what shares one must not be used side by side.
    """
    import llvmlite.binding as llvm

    return llvm.parse_assembly(text, llvm.create_context())


def object_code(machine: Any, module: Any) -> bytes:
    """Machine code of a module that `parsed` gave, by a code generator that no one else uses."""
    return _emitted(machine, module, as_object=True)


def assembly(machine: Any, module: Any) -> str:
    """Assembly of a module that `parsed` gave, by a code generator that no one else uses."""
    return _emitted(machine, module, as_object=False).decode()


def _emitted(machine: Any, module: Any, *, as_object: bool) -> bytes:
    from llvmlite.binding import ffi

    library = _library()
    with ffi.OutputString() as said:
        buffer = library.LLVMPY_TargetMachineEmitToMemory(machine, module, as_object, said)
        if not buffer:
            raise KernelError(f"LLVM could not write code: {said}")
    try:
        start = library.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, library.LLVMPY_GetBufferSize(buffer))
    finally:
        library.LLVMPY_DisposeMemoryBuffer(buffer)


@cache
def _library() -> ctypes.CDLL:
    """The functions of LLVM as they are, which other threads can call at the same time."""
    from llvmlite.binding import ffi

    pointer = ctypes.c_void_p
    library = ctypes.CDLL(ffi.lib._name)
    kinds = {
        "LLVMPY_TargetMachineEmitToMemory": ([pointer, pointer, ctypes.c_int, pointer], pointer),
        "LLVMPY_GetBufferStart": ([pointer], pointer),
        "LLVMPY_GetBufferSize": ([pointer], ctypes.c_size_t),
        "LLVMPY_DisposeMemoryBuffer": ([pointer], None),
    }
    for name, (arguments, result) in kinds.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library
