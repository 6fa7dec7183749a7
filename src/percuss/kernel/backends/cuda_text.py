"""LLVM assembly of GPU kernels of programs and iterations. Needs neither CuPy nor a GPU.

One thread takes one case. Arrays are structures of arrays, batch last, so that neighbouring
threads read neighbouring numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike

from percuss.kernel.backends.cuda_functions import (
    QUOTIENT,
    RECIPROCAL,
    SINES_AND_COSINES,
    quotient_lines,
    reciprocal_lines,
    sines_and_cosines_lines,
)
from percuss.kernel.backends.llvm_functions import FunctionFrame, add_iteration, with_buffers
from percuss.kernel.backends.llvm_memory import MemoryOperations
from percuss.kernel.backends.llvm_programs import emit_program
from percuss.kernel.backends.llvm_target import Thread
from percuss.kernel.backends.llvm_text import Module
from percuss.kernel.calculus import with_chained_sums
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program

PROGRAM_NAME = "percuss_program"
ITERATION_NAME = "percuss_iteration"
FUNCTION_PREFIX = "percuss_"
"""Of the names under which kernels call the functions of CUDA's mathematics library."""

LIBRARY_PAIR = f"{FUNCTION_PREFIX}sincos"

_DTYPES = (np.dtype(np.float64), np.dtype(np.float32))
_REGISTERS = "tid", "ntid", "ctaid"
"""Of a GPU: the thread in its block, threads of a block, the block."""


class ThreadBlock(MemoryOperations):
    """Emits what one thread of a GPU does."""

    def emit(
        self, operation: str, a: list[str], truth: bool = False, table: tuple[float, ...] = ()
    ) -> str:
        if operation == "div" and not self.target.single:
            return self._divided(*a)
        if operation not in ("min", "max"):
            return super().emit(operation, a, truth, table)
        # The intrinsics of a processor know negative zeros apart, in three times as many steps.
        real, kind = self.target.real, "olt" if operation == "min" else "ogt"
        first = self.new(f"fcmp {kind} {real} {a[0]}, {a[1]}")
        lost = self.new(f"fcmp uno {real} {a[0]}, {a[0]}")
        taken = self.new(f"or i1 {first}, {lost}")
        return self.new(f"select i1 {taken}, {real} {a[0]}, {real} {a[1]}")

    def _room_lines(self, name: str, count: int) -> list[str]:
        """Room in the thread's own memory."""
        target = self.target
        kind = f"[{count} x {target.real}]"
        return [
            f"  {name}.room = alloca {kind}, align {target.bytes}",
            f"  {name} = addrspacecast ptr {name}.room to {target.near}",
        ]

    def any_of(self, truth: str) -> str:
        return truth

    def _divided(self, n: str, d: str) -> str:
        """A quotient of doubles."""
        inverse = self.module.once(RECIPROCAL, lambda: reciprocal_lines(self._new_block()))
        if n == self.target.constant(1.0):
            return self.new(f"call double {inverse}(double {d})")
        quotient = self.module.once(QUOTIENT, lambda: quotient_lines(self._new_block()))
        return self.new(f"call double {quotient}(double {n}, double {d})")

    def sines_and_cosines(self, angles: list[str]) -> list[tuple[str, str]]:
        real, count = self.target.real, len(angles)
        library = LIBRARY_PAIR + ("f" if self.target.single else "")
        name = self.module.once(
            f"{SINES_AND_COSINES}_{count}",
            lambda: sines_and_cosines_lines(self._new_block(), count, library),
        )
        fields = f"{{ {', '.join([real] * 2 * count)} }}"
        arguments = ", ".join(f"{real} {angle}" for angle in angles)
        found = self.new(f"call {fields} {name}({arguments})")
        values = [self.new(f"extractvalue {fields} {found}, {k}") for k in range(2 * count)]
        return list(zip(values[::2], values[1::2], strict=True))

    def _new_block(self) -> ThreadBlock:
        return ThreadBlock(self.module, [])

    def rows_from(self, rows: str, first: str) -> str:
        before = self.new(f"mul i64 {first}, %batch")
        return self.new(
            f"getelementptr inbounds {self.target.scalar}, {self.target.far} {rows}, i64 {before}"
        )

    def _in_row(self, rows: str, row: int, case: str) -> str:
        """The place of a case; rows follow one another."""
        # 64-bit indices: a batch of 10⁷ cases with 300 numbers each is beyond 32.
        if row:
            before = self.new(f"mul i64 %batch, {row}")
            case = self.new(f"add i64 {before}, {case}")
        return self.new(
            f"getelementptr inbounds {self.target.scalar}, {self.target.far} {rows}, i64 {case}"
        )

    def _for_all(self, value: str) -> str:
        return value

    def _gathered(self, table: str, index: str) -> str:
        scalar, far = self.target.scalar, self.target.far
        spot = self.new(f"fptosi {scalar} {index} to i64")
        place = self.new(f"getelementptr inbounds {scalar}, {far} {table}, i64 {spot}")
        return self.new(f"load {scalar}, {far} {place}")

    def _lane_by_lane(self, function: str, a: list[str]) -> str:
        scalar, name = self.target.scalar, FUNCTION_PREFIX + function
        self.module.declare(f"@{name}", f"{scalar} @{name}({', '.join([scalar] * len(a))})")
        return self.new(f"call {scalar} @{name}({', '.join(f'{scalar} {x}' for x in a)})")


def text_of_program(program: Program, dtype: DTypeLike = np.float64) -> str:
    """A kernel `percuss_program(inputs, outputs, batch)`, one thread a case.

    `inputs` (input_count, batch) and `outputs` (output_count, batch) are contiguous, of `dtype`;
    truth values come out as 0 and 1. Any grid with at least `batch` threads is right.
    """
    block = _block(dtype)
    block.lines += _opening(PROGRAM_NAME, ["inputs", "outputs"], ["batch"])
    emit_program(
        block,
        with_chained_sums(program),
        lambda k: block.load_row("%inputs", k, case="%case"),
        lambda k, value, kind: block.store_row(value, kind, "%outputs", k, case="%case"),
    )
    block.lines += ["  br label %done", *_CLOSING]
    block.module.add_function(with_buffers(block.lines, block))
    return block.module.text()


def text_of_iteration(iteration: Iteration, dtype: DTypeLike = np.float64) -> str:
    """A kernel `percuss_iteration(state, parameters, targets, iterations, records, ends, K, n)`.

    `state` and `ends` (ns, n), `parameters` (np, n), `targets` (K, nt) and `records` (K, m, n)
    are of `dtype`, `iterations` (K,) and the two sizes of int64, all contiguous. The group that
    votes is one thread, so that each case stops when it wants to. Without votes `ends` is not
    written.
    """
    block = _block(dtype)
    arrays = ["state", "parameters", "targets", "iterations", "records", "ends"]
    opening = _opening(ITERATION_NAME, arrays, ["segments", "batch"])
    chained = replace(
        iteration,
        step=with_chained_sums(iteration.step),
        # So that what it calls of the step's parts is the same code.
        observe=with_chained_sums(iteration.observe),
        stage=None if iteration.stage is None else with_chained_sums(iteration.stage),
    )
    add_iteration(block, chained, FunctionFrame(opening, (), ("  br label %done", *_CLOSING)))
    return block.module.text()


_CLOSING = ("done:", "  ret void", "}")


def target_of(dtype: DTypeLike) -> Thread:
    """A thread that computes in float64 or float32; a KernelError for any other type."""
    wanted = np.dtype(dtype)
    if wanted not in _DTYPES:
        raise KernelError(f"CUDA kernels compute in float64 or float32, not {wanted}")
    return Thread(single=wanted == np.float32)


def _block(dtype: DTypeLike) -> ThreadBlock:
    """The block of an empty module's only kernel."""
    module = Module(target_of(dtype))
    for register in _REGISTERS:
        symbol = f"@llvm.nvvm.read.ptx.sreg.{register}.x"
        module.declare(symbol, f"i32 {symbol}()")
    return ThreadBlock(module, [])


def _opening(name: str, arrays: list[str], sizes: list[str]) -> tuple[str, ...]:
    """The beginning of a kernel, up to where its thread has a case."""
    arguments = [f"{Thread.far} noalias %{array}" for array in arrays]
    arguments += [f"i64 %{size}" for size in sizes]
    lines = [f"define ptx_kernel void @{name}({', '.join(arguments)}) #0 {{", "entry:"]
    for register in _REGISTERS:
        lines.append(f"  %{register}.word = call i32 @llvm.nvvm.read.ptx.sreg.{register}.x()")
        lines.append(f"  %{register} = zext i32 %{register}.word to i64")
    return (
        *lines,
        "  %block = mul i64 %ctaid, %ntid",
        "  %case = add i64 %block, %tid",
        "  %some = icmp slt i64 %case, %batch",
        "  br i1 %some, label %start, label %done",
        "start:",
    )
