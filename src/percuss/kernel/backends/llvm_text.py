"""LLVM assembly of programs: values of a whole vector of cases in registers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from percuss.kernel.errors import KernelError
from percuss.kernel.program import REAL, TRUTH, Program

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISON = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_INTRINSIC = {
    "abs": "fabs",
    "floor": "floor",
    "ceil": "ceil",
    "round": "rint",
    "trunc": "trunc",
    "sqrt": "sqrt",
    "min": "minimum",
    "max": "maximum",
    "copysign": "copysign",
}
LIBRARY = (
    "cbrt exp exp2 expm1 log log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh erf erfc pow atan2"
).split()
"""Operations that call the mathematics library."""

_ATTRIBUTES = '"stackrealign" "min-legal-vector-width"="512" "prefer-vector-width"="512"'
"""Without the widths some processors would split 512-bit vectors and break the library's calls.

Without the first, vectors kept on the stack lie across two cache lines: a sixth of the time.
"""


@dataclass(frozen=True)
class Target:
    """How wide a vector is, its kind of real, and which library functions take whole vectors."""

    lanes: int
    single: bool = False
    vector_functions: dict[str, str] = field(default_factory=dict)
    """Operation to the symbol of its vector version; others are called lane by lane."""

    @property
    def scalar(self) -> str:
        return "float" if self.single else "double"

    @property
    def real(self) -> str:
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def truth(self) -> str:
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """Of overloaded intrinsics."""
        return f"v{self.lanes}f{32 if self.single else 64}"

    @property
    def bytes(self) -> int:
        """Of one real."""
        return 4 if self.single else 8

    @property
    def vector_bytes(self) -> int:
        return self.lanes * self.bytes


class Module:
    """Text of a module under construction: functions, and what they declare on the way."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._declarations: dict[str, str] = {}
        self._tables: dict[tuple[float, ...], str] = {}
        self._functions: list[str] = []
        self._parts: dict[Program, str] = {}

    def declare(self, symbol: str, signature: str) -> str:
        self._declarations[symbol] = f"declare {signature} #0"
        return symbol

    def table(self, values: tuple[float, ...]) -> str:
        """A global array of constants."""
        return self._tables.setdefault(values, f"@table{len(self._tables)}")

    def part(self, program: Program) -> str:
        """The name of a part's function, which takes and fills an array of vectors."""
        if program not in self._parts:
            # Those that it calls come first.
            lines: list[str] = []
            block = Block(self, lines)
            inputs = [
                block.load_vector("%inputs", k, unchanged=True) for k in range(program.input_count)
            ]
            for k, value in enumerate(block.run(program, inputs)):
                block.store_vector(value, program.kinds[program.outputs[k]], "%outputs", k)
            name = self._parts[program] = f"@part{len(self._parts)}"
            signature = f"define internal void {name}(ptr noalias %inputs, ptr noalias %outputs)"
            head = [f"{signature} noinline #0 {{", "entry:", *block.buffers]
            self.add_function([*head, *lines, "  ret void", "}"])
        return self._parts[program]

    def add_function(self, lines: Sequence[str]) -> None:
        self._functions.append("\n".join(lines))

    def text(self) -> str:
        scalar = self.target.scalar
        tables = [
            f"{name} = private constant [{len(values)} x {scalar}] ["
            + ", ".join(f"{scalar} {number(v, self.target)}" for v in values)
            + "]"
            for values, name in self._tables.items()
        ]
        attributes = f"attributes #0 = {{ nounwind {_ATTRIBUTES} }}"
        parts = [*tables, *self._declarations.values(), *self._functions, attributes, "!0 = !{}"]
        return "\n".join(parts) + "\n"


def number(value: float, target: Target) -> str:
    """A real constant, exactly; LLVM writes single precision as the double it equals."""
    if target.single:
        value = struct.unpack("f", struct.pack("f", value))[0] if abs(value) < 3.5e38 else value
    return "0x" + struct.pack(">d", value).hex().upper()


class Block:
    """Emits a program's instructions into a function, on given values for its inputs."""

    def __init__(self, module: Module, lines: list[str]) -> None:
        self.module = module
        self.target = module.target
        self.lines = lines
        self.buffers: list[str] = []
        """Room for what calls take and give; it belongs to the beginning of the function."""
        self._rooms: dict[Program, tuple[str, str]] = {}
        self._given: dict[tuple[str, int], str] = {}
        """What calls have been handed since the beginning of a program, by room and place."""
        self._count = 0

    def new(self, text: str) -> str:
        """A fresh value defined by the text."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def run(self, program: Program, inputs: Sequence[str]) -> list[str]:
        """Values of the program's outputs."""
        target = self.target
        values = list(inputs)
        for constant in program.constants:
            if isinstance(constant, bool):
                values.append(f"splat (i1 {'true' if constant else 'false'})")
            else:
                values.append(f"splat ({target.scalar} {number(constant, target)})")
        kinds = program.kinds
        calls: dict[int, list[str]] = {}
        self._given.clear()
        for register, instruction in enumerate(program.instructions, program.first_instruction):
            if instruction.operation == "result":
                values.append(calls[instruction.arguments[0]][int(instruction.table[0])])
                continue
            arguments = [values[a] for a in instruction.arguments]
            if instruction.part is not None:
                calls[register] = self._call(instruction.part, arguments)
                values.append("")  # read by its results alone
                continue
            truth = kinds[register] == TRUTH
            values.append(self._emit(instruction.operation, arguments, truth, instruction.table))
        return [values[r] for r in program.outputs]

    def _call(self, part: Program, arguments: Sequence[str]) -> list[str]:
        """Values of the outputs of a part."""
        symbol = self.module.part(part)
        if part not in self._rooms:
            sizes = (part.input_count, len(part.outputs))
            rooms = tuple(f"%room{len(self._rooms)}_{way}" for way in ("in", "out"))
            self._rooms[part] = rooms[0], rooms[1]
            real = self.target.real
            self.buffers += [
                f"  {room} = alloca [{size} x {real}], align {self.target.vector_bytes}"
                for room, size in zip(rooms, sizes, strict=True)
            ]
        given, taken = self._rooms[part]
        for k, value in enumerate(arguments):
            # Parts leave what they are given as it is.
            if self._given.get((given, k)) != value:
                self._given[given, k] = value
                self.store_vector(value, REAL, given, k)
        self.lines.append(f"  call void {symbol}(ptr {given}, ptr {taken})")
        results = [self.load_vector(taken, k) for k in range(len(part.outputs))]
        return [
            self._emit("to_truth", [value], True, ()) if part.kinds[output] == TRUTH else value
            for value, output in zip(results, part.outputs, strict=True)
        ]

    def _emit(self, operation: str, a: list[str], truth: bool, table: tuple[float, ...]) -> str:
        real, bit = self.target.real, self.target.truth
        if operation in _ARITHMETIC:
            return self.new(f"{_ARITHMETIC[operation]} contract {real} {a[0]}, {a[1]}")
        if operation in _COMPARISON:
            return self.new(f"fcmp {_COMPARISON[operation]} {real} {a[0]}, {a[1]}")
        if operation in ("and", "or", "xor"):
            return self.new(f"{operation} {bit} {a[0]}, {a[1]}")
        if operation in _INTRINSIC:
            return self._intrinsic(_INTRINSIC[operation], a)
        if operation in LIBRARY:
            return self._library(operation, a)
        if operation == "select":
            kind = bit if truth else real
            return self.new(f"select {bit} {a[0]}, {kind} {a[1]}, {kind} {a[2]}")
        if operation == "neg":
            return self.new(f"fneg {real} {a[0]}")
        if operation == "not":
            return self.new(f"xor {bit} {a[0]}, splat (i1 true)")
        if operation == "to_real":
            return self.new(
                f"select {bit} {a[0]}, {real} {self._splat(1.0)}, {real} {self._splat(0.0)}"
            )
        if operation == "to_truth":
            return self.new(f"fcmp une {real} {a[0]}, {self._splat(0.0)}")
        if operation == "is_finite":
            size = self._intrinsic("fabs", a)
            return self.new(f"fcmp olt {real} {size}, {self._splat(float('inf'))}")
        if operation == "sign":
            above = self.new(f"fcmp ogt {real} {a[0]}, {self._splat(0.0)}")
            below = self.new(f"fcmp olt {real} {a[0]}, {self._splat(0.0)}")
            low = self.new(f"select {bit} {below}, {real} {self._splat(-1.0)}, {real} {a[0]}")
            return self.new(f"select {bit} {above}, {real} {self._splat(1.0)}, {real} {low}")
        if operation == "rem":
            return self._lane_by_lane("fmodf" if self.target.single else "fmod", a)
        if operation == "lookup":
            return self._lookup(a[0], table)
        raise KernelError(f"the LLVM back end does not know the operation {operation!r}")

    def _splat(self, value: float) -> str:
        return f"splat ({self.target.scalar} {number(value, self.target)})"

    def _intrinsic(self, name: str, a: list[str]) -> str:
        real = self.target.real
        symbol = f"@llvm.{name}.{self.target.suffix}"
        self.module.declare(symbol, f"{real} {symbol}({', '.join([real] * len(a))})")
        return self.new(f"call {real} {symbol}({', '.join(f'{real} {x}' for x in a)})")

    def _library(self, operation: str, a: list[str]) -> str:
        symbol = self.target.vector_functions.get(operation)
        if symbol is None:
            return self._lane_by_lane(operation + ("f" if self.target.single else ""), a)
        real = self.target.real
        self.module.declare(f"@{symbol}", f"{real} @{symbol}({', '.join([real] * len(a))})")
        return self.new(f"call {real} @{symbol}({', '.join(f'{real} {x}' for x in a)})")

    def _lane_by_lane(self, function: str, a: list[str]) -> str:
        real, scalar = self.target.real, self.target.scalar
        signature = f"{scalar} @{function}({', '.join([scalar] * len(a))})"
        self.module.declare(f"@{function}", signature)
        result = "poison"
        for lane in range(self.target.lanes):
            parts = [self.new(f"extractelement {real} {x}, i32 {lane}") for x in a]
            arguments = ", ".join(f"{scalar} {part}" for part in parts)
            value = self.new(f"call {scalar} @{function}({arguments})")
            result = self.new(f"insertelement {real} {result}, {scalar} {value}, i32 {lane}")
        return result

    def _lookup(self, index: str, table: tuple[float, ...]) -> str:
        target = self.target
        real, scalar = target.real, target.scalar
        low = self._intrinsic("maximum", [index, self._splat(0.0)])
        inside = self._intrinsic("minimum", [low, self._splat(float(len(table) - 1))])
        lost = self.new(f"fcmp uno {real} {inside}, {inside}")
        safe = self.new(f"select {target.truth} {lost}, {real} {self._splat(0.0)}, {real} {inside}")
        whole = self.new(f"fptosi {real} {safe} to <{target.lanes} x i64>")
        name = self.module.table(table)
        result = "poison"
        for lane in range(target.lanes):
            spot = self.new(f"extractelement <{target.lanes} x i64> {whole}, i32 {lane}")
            place = self.new(f"getelementptr inbounds {scalar}, ptr {name}, i64 {spot}")
            value = self.new(f"load {scalar}, ptr {place}")
            result = self.new(f"insertelement {real} {result}, {scalar} {value}, i32 {lane}")
        return result

    # --- memory -----------------------------------------------------------------------------

    def load_vector(self, base: str, index: int, unchanged: bool = False) -> str:
        """A vector from an array of them; one that nothing changes can be loaded again."""
        place = self._vector(base, index)
        more = ", !invariant.load !0" if unchanged else ""
        return self.new(f"load {self.target.real}, ptr {place}{self._aligned}{more}")

    def store_vector(self, value: str, kind: str, base: str, index: int) -> None:
        """A vector into an array of them; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self._emit("to_real", [value], False, ())
        place = self._vector(base, index)
        self.lines.append(f"  store {self.target.real} {value}, ptr {place}{self._aligned}")

    @property
    def _aligned(self) -> str:
        return f", align {self.target.vector_bytes}"

    def _vector(self, base: str, index: int) -> str:
        return self.new(f"getelementptr inbounds {self.target.real}, ptr {base}, i64 {index}")

    def load_row(self, rows: str, row: int, case: str) -> str:
        """A vector of cases from a row of a table of row pointers."""
        pointer = self._row(rows, row)
        place = self.new(f"getelementptr inbounds {self.target.scalar}, ptr {pointer}, i64 {case}")
        return self.new(f"load {self.target.real}, ptr {place}, align {self.target.bytes}")

    def store_row(self, value: str, truth: bool, rows: str, row: int, case: str) -> None:
        """A vector of cases into a row; truth values are stored as 0 and 1."""
        if truth:
            value = self._emit("to_real", [value], False, ())
        pointer = self._row(rows, row)
        place = self.new(f"getelementptr inbounds {self.target.scalar}, ptr {pointer}, i64 {case}")
        self.lines.append(
            f"  store {self.target.real} {value}, ptr {place}, align {self.target.bytes}"
        )

    def _row(self, rows: str, row: int) -> str:
        entry = self.new(f"getelementptr inbounds ptr, ptr {rows}, i64 {row}")
        return self.new(f"load ptr, ptr {entry}")

    def load_uniform(self, base: str, index: str) -> str:
        """One real for all cases."""
        target = self.target
        place = self.new(f"getelementptr inbounds {target.scalar}, ptr {base}, i64 {index}")
        value = self.new(f"load {target.scalar}, ptr {place}")
        single = self.new(f"insertelement {target.real} poison, {target.scalar} {value}, i32 0")
        mask = f"<{target.lanes} x i32> zeroinitializer"
        return self.new(f"shufflevector {target.real} {single}, {target.real} poison, {mask}")
