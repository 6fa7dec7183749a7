"""LLVM assembly of single operations: values of a whole vector of cases in registers."""

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
    registers: int = 16
    """Vectors that the processor holds."""
    fuses: bool = False
    """Whether it multiplies and adds in one instruction."""

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
        self.parts: dict[Program, str] = {}
        """The names of the functions of parts."""

    def declare(self, symbol: str, signature: str) -> str:
        self._declarations[symbol] = f"declare {signature} #0"
        return symbol

    def table(self, values: tuple[float, ...]) -> str:
        """A global array of constants."""
        return self._tables.setdefault(values, f"@table{len(self._tables)}")

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
    """Emits operations into a function."""

    def __init__(self, module: Module, lines: list[str]) -> None:
        self.module = module
        self.target = module.target
        self.lines = lines
        self.buffers: list[str] = []
        """Room in memory; it belongs to the beginning of the function."""
        self._count = 0
        self._slots: set[int] = set()
        self._argument_rooms: dict[Program, str] = {}
        self._rooms: dict[str, int] = {}
        self._rooms_left: dict[int, list[str]] = {}
        self._gathering_rooms: set[str] = set()
        self._loops = 0

    def new(self, text: str) -> str:
        """A fresh value defined by the text."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def emit(
        self, operation: str, a: list[str], truth: bool = False, table: tuple[float, ...] = ()
    ) -> str:
        """The value of an operation of programs; `truth` says of what kind it is."""
        real, bit = self.target.real, self.target.truth
        if operation in _ARITHMETIC:
            return self.new(f"{_ARITHMETIC[operation]} {real} {a[0]}, {a[1]}")
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

    def fused(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once."""
        return self._intrinsic("fma", [a, b, c])

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

    # What is volatile stays in its order: values are loaded where they are needed and not before,
    # which would take registers from others.

    def reserve(self, name: str, count: int) -> str:
        """Room for vectors on the stack."""
        kind = f"[{count} x {self.target.real}]"
        self.buffers.append(f"  {name} = alloca {kind}{self._aligned}")
        return name

    def slot(self, index: int) -> str:
        """Room for one value that has to leave its register."""
        name = f"%slot{index}"
        if index not in self._slots:
            self._slots.add(index)
            self.reserve(name, 1)
        return name

    def argument_room(self, part: Program) -> str:
        """Room for what a part is called with."""
        if part not in self._argument_rooms:
            name = f"%arguments{len(self._argument_rooms)}"
            self._argument_rooms[part] = self.reserve(name, part.input_count)
        return self._argument_rooms[part]

    def take_room(self, size: int) -> str:
        """Room for so many results of a call, until it is given back."""
        left = self._rooms_left.setdefault(size, [])
        if left:
            return left.pop()
        room = self.reserve(f"%results{len(self._rooms)}", size)
        self._rooms[room] = size
        return room

    def give_room_back(self, room: str) -> None:
        self._rooms_left[self._rooms[room]].append(room)

    def gathering_room(self, index: int, size: int) -> str:
        """Room for values that a map reads in a row."""
        name = f"%gathered{index}x{size}"
        if name not in self._gathering_rooms:
            self._gathering_rooms.add(name)
            self.reserve(name, size)
        return name

    def place(self, base: str, index: int) -> str:
        """The address of a vector in an array of them."""
        if not index:
            return base
        return self.new(f"getelementptr inbounds {self.target.real}, ptr {base}, i64 {index}")

    def begin_loop(self) -> str:
        """Begin what is done for every entry of arrays; returns the loop's name."""
        self._loops += 1
        loop = f"loop{self._loops}"
        self.lines += [f"  br label %{loop}_start", f"{loop}_start:", f"  br label %{loop}"]
        step = f"[ %{loop}_next, %{loop} ]"
        self.lines += [f"{loop}:", f"  %{loop}_at = phi i64 [ 0, %{loop}_start ], {step}"]
        return loop

    def end_loop(self, loop: str, count: int) -> None:
        """End it after so many entries."""
        size = self.target.vector_bytes
        self.lines += [
            f"  %{loop}_next = add nuw nsw i64 %{loop}_at, {size}",
            f"  %{loop}_more = icmp ult i64 %{loop}_next, {size * count}",
            f"  br i1 %{loop}_more, label %{loop}, label %{loop}_end",
            f"{loop}_end:",
        ]

    def load_entry(self, base: str, loop: str) -> str:
        """The vector of an array that a loop is at."""
        return self.load_vector(self._entry(base, loop))

    def store_entry(self, value: str, kind: str, base: str, loop: str) -> None:
        """A vector into an array, where a loop is at."""
        self.store_vector(value, kind, self._entry(base, loop))

    def copy(self, source: str, base: str, index: int, count: int) -> None:
        """So many vectors from an array into another, from its place `index` on."""
        target = self.place(base, index)
        loop = self.begin_loop()
        self.store_entry(self.load_entry(source, loop), REAL, target, loop)
        self.end_loop(loop, count)

    def _entry(self, base: str, loop: str) -> str:
        return self.new(f"getelementptr inbounds i8, ptr {base}, i64 %{loop}_at")

    def load_vector(self, base: str, index: int = 0) -> str:
        """A vector from an array of them."""
        place = self.place(base, index)
        return self.new(f"load volatile {self.target.real}, ptr {place}{self._aligned}")

    def store_vector(self, value: str, kind: str, base: str, index: int = 0) -> None:
        """A vector into an array of them; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self.emit("to_real", [value])
        place = self.place(base, index)
        real = self.target.real
        self.lines.append(f"  store volatile {real} {value}, ptr {place}{self._aligned}")

    @property
    def _aligned(self) -> str:
        return f", align {self.target.vector_bytes}"

    def load_row(self, rows: str, row: int, case: str) -> str:
        """A vector of cases from a row of a table of row pointers."""
        pointer = self._row(rows, row)
        place = self.new(f"getelementptr inbounds {self.target.scalar}, ptr {pointer}, i64 {case}")
        real = self.target.real
        return self.new(f"load volatile {real}, ptr {place}, align {self.target.bytes}")

    def store_row(self, value: str, kind: str, rows: str, row: int, case: str) -> None:
        """A vector of cases into a row; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self.emit("to_real", [value])
        pointer = self._row(rows, row)
        place = self.new(f"getelementptr inbounds {self.target.scalar}, ptr {pointer}, i64 {case}")
        self.lines.append(
            f"  store volatile {self.target.real} {value}, ptr {place}, align {self.target.bytes}"
        )

    def _row(self, rows: str, row: int) -> str:
        entry = self.new(f"getelementptr inbounds ptr, ptr {rows}, i64 {row}")
        return self.new(f"load ptr, ptr {entry}")

    def load_uniform(self, base: str, index: int) -> str:
        """One real for all cases, from an array of them."""
        target = self.target
        place = self.new(f"getelementptr inbounds {target.scalar}, ptr {base}, i64 {index}")
        value = self.new(f"load volatile {target.scalar}, ptr {place}")
        single = self.new(f"insertelement {target.real} poison, {target.scalar} {value}, i32 0")
        mask = f"<{target.lanes} x i32> zeroinitializer"
        return self.new(f"shufflevector {target.real} {single}, {target.real} poison, {mask}")
