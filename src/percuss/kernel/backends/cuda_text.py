"""C++ text of straight-line programs, as the CUDA back end needs it: statements and literals.

Registers become local constants in the order in which the program needs them: an input is read
just before its first use and an output is written as soon as it is known, which keeps few of
them alive at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike

from percuss.kernel.errors import KernelError
from percuss.kernel.program import TRUTH, Instruction, Program

FORMS = {
    "neg": "-{0}",
    # As NumPy: zero (of positive sign) for either zero, NaN for NaN.
    "sign": "{0} > 0 ? 1 : {0} < 0 ? -1 : {0} == 0 ? 0 : {0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    # fmin and fmax of C drop a NaN; these return it, whichever of the two is one.
    "min": "{0} < {1} || {0} != {0} ? {0} : {1}",
    "max": "{0} > {1} || {0} != {0} ? {0} : {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "xor": "!{0} != !{1}",
    "not": "!{0}",
    "select": "{0} ? {1} : {2}",
    "to_truth": "{0} != 0",
    "is_finite": "isfinite({0})",
}
"""Operations that C++ writes with operators; arguments are names or literals in brackets."""

CALLS = {"abs": "fabs", "round": "rint", "rem": "fmod"}
"""Operations that C's mathematics calls by another name; all others keep theirs."""


@dataclass(frozen=True)
class Real:
    """The type of the numbers, as C++ knows it.

    `suffix` ends its functions and literals; `from_bits` is CUDA's function that makes one of
    an integer of the type `bits_name` (NumPy's `bits_dtype`).
    """

    name: str
    suffix: str
    dtype: np.dtype
    from_bits: str
    bits_name: str
    bits_dtype: np.dtype

    def rounded(self, value: float) -> np.ndarray:
        """The value in this type; infinite when it is too large for it."""
        with np.errstate(all="ignore"):
            return np.asarray(value, np.float64).astype(self.dtype)

    def bits(self, value: float) -> str:
        """The bits of a value, a C++ integer."""
        return hex(int(self.rounded(value).view(self.bits_dtype)))

    def literal(self, value: float | bool) -> str:
        """C++ text of exactly this value (rounded to the type), safe next to any operator."""
        if isinstance(value, bool):
            return "true" if value else "false"
        rounded = float(self.rounded(value))
        if not math.isfinite(rounded):
            # NVRTC has no header with INFINITY and NAN.
            return f"{self.from_bits}({self.bits(value)})"
        text = rounded.hex() + self.suffix
        return f"({text})" if text.startswith("-") else text


DOUBLE = Real(
    name="double",
    suffix="",
    dtype=np.dtype(np.float64),
    from_bits="__longlong_as_double",
    bits_name="unsigned long long",
    bits_dtype=np.dtype(np.uint64),
)
FLOAT = Real(
    name="float",
    suffix="f",
    dtype=np.dtype(np.float32),
    from_bits="__int_as_float",
    bits_name="unsigned int",
    bits_dtype=np.dtype(np.uint32),
)


def real_of_dtype(dtype: DTypeLike) -> Real:
    """The C++ type of float64 or float32; a KernelError for any other."""
    for real in (DOUBLE, FLOAT):
        if real.dtype == np.dtype(dtype):
            return real
    raise KernelError(f"CUDA kernels compute in float64 or float32, not {np.dtype(dtype)}")


@dataclass
class _Room:
    """An array that hands a part its inputs, and the text of what it holds so far."""

    name: str
    holds: dict[int, str] = field(default_factory=dict)


@dataclass
class Writer:
    """Writes the statements of programs that share one source file and its tables."""

    real: Real
    tables: dict[str, str] = field(default_factory=dict)
    """Names of the tables under their entries, written as bits."""
    parts: dict[Program, str] = field(default_factory=dict)
    """Names of the functions of parts."""
    functions: list[str] = field(default_factory=list)
    """Their lines, those that are called by others first."""

    def statements(
        self,
        program: Program,
        inputs: Sequence[str],
        load: Callable[[int], str] | None = None,
        store: Callable[[int, str], str] | None = None,
    ) -> tuple[list[str], list[str]]:
        """The lines of a program, and the text of each of its outputs.

        `inputs` names the input registers. `load(j)` is the line that declares input j, placed
        before its first use; `store(j, value)` the line that writes output j, placed as soon as
        the value is known.
        """
        first = program.first_instruction
        names = [*inputs, *(self.real.literal(constant) for constant in program.constants)]
        names += [f"r{k}" for k in range(len(program.instructions))]
        positions: dict[int, list[int]] = {}
        for j, register in enumerate(program.outputs):
            positions.setdefault(register, []).append(j)

        lines: list[str] = []
        rooms: dict[Program, _Room] = {}
        ready: set[int] = set()

        def require(register: int) -> None:
            if load is not None and register < program.input_count and register not in ready:
                lines.append(load(register))
                ready.add(register)

        def release(register: int) -> None:
            ready.add(register)
            if store is not None:
                lines.extend(store(j, names[register]) for j in positions.get(register, ()))

        pairs = _sines_with_cosines(program)
        for k, instruction in enumerate(program.instructions):
            register = first + k
            if register in ready:  # computed together with its partner
                continue
            if instruction.operation == "result":
                call, place = instruction.arguments[0], int(instruction.table[0])
                names[register] = f"{names[call]}[{place}]"
                if program.kinds[register] == TRUTH:
                    names[register] = f"({names[register]} != 0)"
                release(register)
                continue
            for argument in instruction.arguments:
                require(argument)
            arguments = [names[argument] for argument in instruction.arguments]
            if instruction.part is not None:
                room = rooms.setdefault(instruction.part, _Room(f"given{register}"))
                lines += self._call(instruction.part, room, names[register], arguments)
            elif register in pairs:
                sine, cosine = pairs[register]
                lines.append(f"{self.real.name} {names[sine]}, {names[cosine]};")
                results = f"&{names[sine]}, &{names[cosine]}"
                lines.append(f"sincos{self.real.suffix}({arguments[0]}, {results});")
                release(sine)
                release(cosine)
            else:
                kind = "bool" if program.kinds[register] == TRUTH else self.real.name
                expression = self._expression(instruction, arguments)
                lines.append(f"const {kind} {names[register]} = {expression};")
                release(register)
        for register in positions:
            if register < first:  # an input or a constant handed through
                require(register)
                release(register)
        return lines, [names[register] for register in program.outputs]

    def _expression(self, instruction: Instruction, arguments: Sequence[str]) -> str:
        """C++ text of one operation."""
        operation = instruction.operation
        if operation in FORMS:
            return FORMS[operation].format(*arguments)
        if operation == "to_real":
            return f"{self.real.name}({arguments[0]})"
        if operation == "lookup":
            entries = ", ".join(self.real.bits(value) for value in instruction.table)
            table = self.tables.setdefault(entries, f"table{len(self.tables)}")
            last, index = len(instruction.table) - 1, arguments[0]
            # Compared before the conversion: that of a NaN or a large number is undefined.
            entry = f"{table}[{index} > 0 ? {index} < {last} ? int({index}) : {last} : 0]"
            return f"{self.real.from_bits}({entry})"
        return f"{CALLS.get(operation, operation)}{self.real.suffix}({', '.join(arguments)})"

    def _call(self, part: Program, room: _Room, name: str, arguments: Sequence[str]) -> list[str]:
        """The lines that leave the outputs of a part in an array of this name."""
        function, real = self.part(part), self.real.name
        lines = [] if room.holds else [f"{real} {room.name}[{max(1, part.input_count)}];"]
        # Parts leave what they are given as it is: only what has changed is handed over again.
        lines += [
            f"{room.name}[{k}] = {argument};"
            for k, argument in enumerate(arguments)
            if room.holds.get(k) != argument
        ]
        room.holds.update(enumerate(arguments))
        lines.append(f"{real} {name}[{max(1, len(part.outputs))}];")
        lines.append(f"{function}({room.name}, {name});")
        return lines

    def part(self, program: Program) -> str:
        """The name of a part's function, which is written when it is first asked for."""
        if program not in self.parts:
            real = self.real.name
            lines, _ = self.statements(
                program,
                [f"x{j}" for j in range(program.input_count)],
                load=lambda j: f"const {real} x{j} = inputs[{j}];",
                store=lambda j, value: f"outputs[{j}] = {value};",
            )
            name = self.parts[program] = f"part{len(self.parts)}"
            self.functions += [
                f"static __device__ __noinline__ void {name}(",
                f"    const {real}* __restrict__ inputs, {real}* __restrict__ outputs)",
                "{",
                *(f"  {line}" for line in lines),
                "}",
            ]
        return self.parts[program]

    def table_lines(self) -> list[str]:
        """Definitions of the tables, as bits.

        In global memory, since threads read different entries; as bits, since a variable there
        may not be initialised by the function that makes a NaN or an infinity.
        """
        return [
            f"__device__ const {self.real.bits_name} {name}[] = {{{entries}}};"
            for entries, name in self.tables.items()
        ]


def _sines_with_cosines(program: Program) -> dict[int, tuple[int, int]]:
    """(sine, cosine) under both registers, where one angle has both.

    They share the reduction of the angle: about a quarter faster on an H200, and less to compile,
    in a kernel of 2,520 operations with 60 such pairs.
    """
    found: dict[str, dict[int, int]] = {"sin": {}, "cos": {}}
    for k, instruction in enumerate(program.instructions):
        if instruction.operation in found:
            found[instruction.operation][instruction.arguments[0]] = program.first_instruction + k
    pairs = [
        (found["sin"][angle], found["cos"][angle])
        for angle in found["sin"].keys() & found["cos"].keys()
    ]
    return {register: pair for pair in pairs for register in pair}
