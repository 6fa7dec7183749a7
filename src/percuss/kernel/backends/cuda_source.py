"""CUDA C++ text of the kernels of programs and iterations. Needs neither CuPy nor a GPU.

One thread takes one case. Arrays are structures of arrays, batch last, so that neighbouring
threads read neighbouring numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from percuss.kernel.backends.cuda_text import Writer, real_of_dtype
from percuss.kernel.calculus.inlining import without_maps
from percuss.kernel.errors import KernelError
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import Program

PROGRAM_NAME = "percuss_program"
ITERATION_NAME = "percuss_iteration"

OPERATION_LIMIT = 60_000
"""Operations a kernel may have.

Compiling is what limits: NVRTC took 2 s for 2,520 operations with 60 pairs of sine and cosine,
and had not finished 50,400 with 1,200 pairs when stopped after most of a minute.
"""


def source_of_program(program: Program, dtype: DTypeLike = np.float64) -> str:
    """A kernel `percuss_program(inputs, outputs, batch)`, one thread a case.

    `inputs` (input_count, batch) and `outputs` (output_count, batch) are contiguous, of `dtype`;
    truth values come out as 0 and 1. Any grid with at least `batch` threads is right.
    """
    program = without_maps(program)
    check_size(program.size)
    writer = Writer(real_of_dtype(dtype))
    real = writer.real.name
    lines, _ = writer.statements(
        program,
        [f"x{j}" for j in range(program.input_count)],
        load=lambda j: f"const {real} x{j} = inputs[{j}LL * batch + i];",
        store=lambda j, value: f"outputs[{j}LL * batch + i] = {value};",
    )
    return _text(
        writer,
        PROGRAM_NAME,
        [
            f"const {real}* __restrict__ inputs",
            f"{real}* __restrict__ outputs",
            "const long long batch",
        ],
        lines,
    )


def source_of_iteration(iteration: Iteration, dtype: DTypeLike = np.float64) -> str:
    """A kernel `percuss_iteration(state, parameters, targets, iterations, records, ends, K, n)`.

    `state` and `ends` (ns, n), `parameters` (np, n), `targets` (K, nt) and `records` (K, m, n)
    are of `dtype`, `iterations` (K,) and the two sizes of int64, all contiguous. The group that
    votes is one thread, so that each case stops when it wants to. Without votes `ends` is not
    written: to keep the last state costs registers that a loop of fixed length has better use for.
    """
    step, observe = without_maps(iteration.step), without_maps(iteration.observe)
    stage = None if iteration.stage is None else without_maps(iteration.stage)
    check_size(step.size + observe.size + (stage.size if stage is not None else 0))
    writer = Writer(real_of_dtype(dtype))
    real = writer.real.name
    states = [f"s{j}" for j in range(iteration.state_count)]
    targets = [f"t{j}" for j in range(iteration.target_count)]
    parameters = [f"p{j}" for j in range(iteration.parameter_count)]
    names = [*states, *targets, *parameters]

    def advanced(program: Program, inputs: list[str]) -> tuple[list[str], list[str]]:
        """Statements that replace the state by the program's results, and all its results."""
        lines, results = writer.statements(program, inputs)
        new_states = results[: iteration.state_count]
        # A result may be another state's old value: keep those before any is overwritten.
        lines += [
            f"const {real} old{j} = {value};"
            for j, value in enumerate(new_states)
            if value in states and value != states[j]
        ]
        lines += [
            f"{states[j]} = {f'old{j}' if value in states else value};"
            for j, value in enumerate(new_states)
            if value != states[j]
        ]
        return lines, results

    step_lines, results = advanced(step, names)
    if iteration.votes:
        step_lines.append(f"if (!{results[-1]}) break;")
    if stage is not None:
        rows = iteration.stage_rows
        row = [f"a{j}" for j in range(len(rows[0]))]
        stage_lines, _ = advanced(stage, [*names, *row])
        literal = writer.real.literal
        columns = [[literal(r[j]) for r in rows] for j in range(len(row))]
        loads = [
            f"const {real} {name} = {_by_index('m', column)};"
            for name, column in zip(row, columns, strict=True)
        ]
        step_lines = ["{", *_indented(step_lines, 2), "}"]
        step_lines += ["#pragma unroll 1", f"for (int m = 0; m < {len(rows)}; ++m) {{"]
        step_lines += [*_indented([*loads, *stage_lines], 2), "}"]

    count = iteration.record_count
    observe_lines, _ = writer.statements(
        observe,
        names,
        store=lambda j, value: f"records[(k * {count}LL + {j}LL) * batch + i] = {value};",
    )
    lines = [f"{real} {s} = state[{j}LL * batch + i];" for j, s in enumerate(states)]
    lines += [
        f"const {real} {p} = parameters[{j}LL * batch + i];" for j, p in enumerate(parameters)
    ]
    lines += ["#pragma unroll 1", "for (long long k = 0; k < segments; ++k) {"]
    lines += [
        f"  const {real} {t} = targets[k * {len(targets)}LL + {j}LL];"
        for j, t in enumerate(targets)
    ]
    lines += ["  const long long limit = iterations[k];", "  #pragma unroll 1"]
    lines += ["  for (long long n = 0; n < limit; ++n) {", *_indented(step_lines, 4), "  }"]
    lines += ["  {", *_indented(observe_lines, 4), "  }", "}"]
    if iteration.votes:
        lines += [f"ends[{j}LL * batch + i] = {s};" for j, s in enumerate(states)]
    return _text(
        writer,
        ITERATION_NAME,
        [
            f"const {real}* __restrict__ state",
            f"const {real}* __restrict__ parameters",
            f"const {real}* __restrict__ targets",
            "const long long* __restrict__ iterations",
            f"{real}* __restrict__ records",
            f"{real}* __restrict__ ends",
            "const long long segments",
            "const long long batch",
        ],
        lines,
    )


def _by_index(index: str, values: Sequence[str]) -> str:
    """One of a few constants, chosen by a number that is the same for all threads."""
    text = values[-1]
    for k in reversed(range(len(values) - 1)):
        text = f"{index} == {k} ? {values[k]} : {text}"
    return f"({text})"


def check_size(operations: int) -> None:
    """A KernelError when a kernel of so many operations is too large for a GPU."""
    if operations > OPERATION_LIMIT:
        raise KernelError(
            f"the kernel has {operations:,} operations, and the CUDA back end takes at most "
            f"{OPERATION_LIMIT:,}: split the function into smaller programs (one per body, or "
            "fewer directions of a derivative at a time), or run it on the CPU"
        )


def _text(writer: Writer, name: str, arguments: Sequence[str], body: Sequence[str]) -> str:
    """A source file with one kernel; `i` is the thread's case."""
    # 64-bit indices: a batch of 10⁷ cases with 300 numbers each is beyond 32.
    index = "blockIdx.x * (long long)blockDim.x + threadIdx.x"
    lines = [
        *writer.table_lines(),
        *writer.functions,
        f'extern "C" __global__ void {name}(',
        "    " + ",\n    ".join(arguments) + ")",
        "{",
        f"  const long long i = {index};",
        "  if (i >= batch) return;",
        *_indented(body, 2),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _indented(lines: Sequence[str], spaces: int) -> list[str]:
    return [" " * spaces + line for line in lines]
