"""GPU kernels without a GPU: their assembly compiled for this processor, thread after thread.

What the text takes from a GPU is put in its place: the numbers of thread and block, a rough
reciprocal, and the functions of the mathematics library.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from percuss.kernel.backends.cuda_text import (
    FUNCTION_PREFIX,
    ITERATION_NAME,
    PROGRAM_NAME,
    text_of_iteration,
    text_of_program,
)
from percuss.kernel.backends.llvm import ENGINES
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program

BLOCK = 32

SURROUNDINGS = """
@tid = global i32 0
@ctaid = global i32 0
@ntid = global i32 0
define i32 @read.tid() { %v = load i32, ptr @tid ret i32 %v }
define i32 @read.ctaid() { %v = load i32, ptr @ctaid ret i32 %v }
define i32 @read.ntid() { %v = load i32, ptr @ntid ret i32 %v }
define double @rough_reciprocal(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %small = fcmp olt double %size, 0x0010000000000000
  %zero = call double @llvm.copysign.f64(double 0.0, double %x)
  %flushed = select i1 %small, double %zero, double %x
  %exact = fdiv double 1.0, %flushed
  %bits = bitcast double %exact to i64
  %kept = and i64 %bits, -536870912
  %rough = bitcast i64 %kept to double
  %length = call double @llvm.fabs.f64(double %rough)
  %tiny = fcmp olt double %length, 0x0010000000000000
  %none = call double @llvm.copysign.f64(double 0.0, double %rough)
  %there = select i1 %tiny, double %none, double %rough
  %is_number = fcmp ord double %exact, %exact
  %result = select i1 %is_number, double %there, double %exact
  ret double %result
}
"""
"""The approximation keeps 23 bits, and numbers too small to be normal are zero, as on a GPU."""

PAIR = """
define {{ {real}, {real} }} @host_sincos{suffix}({real} %x) {{
  %sine = call {real} @sin{suffix}({real} %x)
  %cosine = call {real} @cos{suffix}({real} %x)
  %first = insertvalue {{ {real}, {real} }} poison, {real} %sine, 0
  %both = insertvalue {{ {real}, {real} }} %first, {real} %cosine, 1
  ret {{ {real}, {real} }} %both
}}
"""

NEEDED = (
    "declare double @llvm.fabs.f64(double)",
    "declare double @llvm.copysign.f64(double, double)",
    "declare double @sin(double)",
    "declare double @cos(double)",
    "declare float @sinf(float)",
    "declare float @cosf(float)",
)


def launch(text: str, name: str, arguments: list[Any], batch: int) -> None:
    """Run a kernel in all threads that the batch needs, and some more."""
    with ENGINES:
        engine = _engine(text)
        function = ctypes.CFUNCTYPE(None, *map(type, arguments))(engine.get_function_address(name))
        numbers = {
            number: ctypes.c_int32.from_address(engine.get_global_value_address(number))
            for number in ("tid", "ctaid", "ntid")
        }
    numbers["ntid"].value = BLOCK
    for thread in range(batch + 40):
        numbers["ctaid"].value, numbers["tid"].value = divmod(thread, BLOCK)
        function(*arguments)


def _engine(text: str) -> Any:
    text = text.replace("ptx_kernel ", "").replace("@percuss_sincos", "@host_sincos")
    text = re.sub(r"@llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x", r"@read.\1", text)
    text = text.replace("@llvm.nvvm.rcp.approx.ftz.d", "@rough_reciprocal")
    kernels = "|".join(
        name.removeprefix(FUNCTION_PREFIX) for name in (PROGRAM_NAME, ITERATION_NAME)
    )
    text = re.sub(rf"@{FUNCTION_PREFIX}(?!{kernels})(\w+)", r"@\1", text)
    defined = re.compile(r"^declare .*@(read\.|rough_reciprocal|host_sincos).*\n", re.MULTILINE)
    text = defined.sub("", text)
    pairs = PAIR.format(real="double", suffix="") + PAIR.format(real="float", suffix="f")
    declared = [line for line in NEEDED if not re.search(f"^{re.escape(line)}", text, re.MULTILINE)]
    module = llvm.parse_assembly("\n".join([SURROUNDINGS, pairs, *declared, text]))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=0
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def run_program(program: Program, inputs: np.ndarray) -> np.ndarray:
    """The outputs of a program's kernel."""
    batch = inputs.shape[1]
    outputs = np.full((len(program.outputs), batch), -77, inputs.dtype)
    arguments = [pointer(inputs), pointer(outputs), ctypes.c_longlong(batch)]
    launch(text_of_program(program, inputs.dtype), PROGRAM_NAME, arguments, batch)
    return outputs


def run_iteration(iteration: Iteration, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The records and the last state of an iteration's kernel."""
    state, segments = arrays[0], len(arrays[3])
    batch = state.shape[1]
    records = np.full((segments, iteration.record_count, batch), -77, state.dtype)
    ends = np.full_like(state, -77)
    sizes = [ctypes.c_longlong(segments), ctypes.c_longlong(batch)]
    arguments = [*map(pointer, (*arrays, records, ends)), *sizes]
    launch(text_of_iteration(iteration, state.dtype), ITERATION_NAME, arguments, batch)
    return records, ends
