"""LLVM assembly of single operations: values of a whole vector of cases in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from percuss.kernel.backends.llvm_target import LIBRARY, LlvmTarget
from percuss.kernel.errors import KernelError
from percuss.kernel.program import Program

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


class Module:
    """Text of a module under construction: functions, and what they declare on the way."""

    def __init__(self, target: LlvmTarget) -> None:
        self.target = target
        self._declarations: dict[str, str] = {}
        self._tables: dict[tuple[float, ...], str] = {}
        self._functions: list[str] = []
        self._added: set[str] = set()
        self.parts: dict[Program, str] = {}
        """The names of the functions of parts."""

    def declare(self, symbol: str, signature: str) -> str:
        self._declarations[symbol] = f"declare {signature} #0"
        return symbol

    def table(self, values: tuple[float, ...]) -> str:
        """A global array of constants."""
        return self._tables.setdefault(values, f"@table{len(self._tables)}")

    def once(self, name: str, lines: Callable[[], Sequence[str]]) -> str:
        """A function of this name, added when it is first asked for."""
        if name not in self._added:
            self._added.add(name)
            self.add_function(lines())
        return name

    def add_function(self, lines: Sequence[str]) -> None:
        self._functions.append("\n".join(lines))

    def text(self) -> str:
        scalar, space = self.target.scalar, self.target.far.removeprefix("ptr")
        tables = [
            f"{name} = private{space} constant [{len(values)} x {scalar}] ["
            + ", ".join(f"{scalar} {self.target.number(v)}" for v in values)
            + "]"
            for values, name in self._tables.items()
        ]
        attributes = f"attributes #0 = {{ {self.target.attributes} }}"
        parts = [*tables, *self._declarations.values(), *self._functions, attributes, "!0 = !{}"]
        return "\n".join(parts) + "\n"


class Operations:
    """Emits operations into a function."""

    def __init__(self, module: Module, lines: list[str]) -> None:
        self.module = module
        self.target = module.target
        self.lines: list[str] = lines
        self._count = 0

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
        real, bit, constant = self.target.real, self.target.truth, self.target.constant
        if operation in _ARITHMETIC:
            return self.new(f"{_ARITHMETIC[operation]}{self.target.freedom} {real} {a[0]}, {a[1]}")
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
            return self.new(f"xor {bit} {a[0]}, {constant(True)}")
        if operation == "to_real":
            return self.new(f"select {bit} {a[0]}, {real} {constant(1.0)}, {real} {constant(0.0)}")
        if operation == "to_truth":
            return self.new(f"fcmp une {real} {a[0]}, {constant(0.0)}")
        if operation == "is_finite":
            size = self._intrinsic("fabs", a)
            return self.new(f"fcmp olt {real} {size}, {constant(float('inf'))}")
        if operation == "sign":
            above = self.new(f"fcmp ogt {real} {a[0]}, {constant(0.0)}")
            below = self.new(f"fcmp olt {real} {a[0]}, {constant(0.0)}")
            low = self.new(f"select {bit} {below}, {real} {constant(-1.0)}, {real} {a[0]}")
            return self.new(f"select {bit} {above}, {real} {constant(1.0)}, {real} {low}")
        if operation == "rem":
            return self._lane_by_lane("fmodf" if self.target.single else "fmod", a)
        if operation == "lookup":
            return self._lookup(a[0], table)
        raise KernelError(f"the LLVM back end does not know the operation {operation!r}")

    def fused(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once."""
        return self._intrinsic("fma", [a, b, c])

    def sines_and_cosines(self, angles: list[str]) -> list[tuple[str, str]]:
        """Both of each angle."""
        return [(self.emit("sin", [x]), self.emit("cos", [x])) for x in angles]

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
        target, real, constant = self.target, self.target.real, self.target.constant
        low = self._intrinsic("maximum", [index, constant(0.0)])
        inside = self._intrinsic("minimum", [low, constant(float(len(table) - 1))])
        lost = self.new(f"fcmp uno {real} {inside}, {inside}")
        safe = self.new(f"select {target.truth} {lost}, {real} {constant(0.0)}, {real} {inside}")
        return self._gathered(self.module.table(table), safe)

    def _gathered(self, table: str, index: str) -> str:
        """The entries of a table at indices within it."""
        target = self.target
        real, scalar = target.real, target.scalar
        whole = self.new(f"fptosi {real} {index} to <{target.lanes} x i64>")
        result = "poison"
        for lane in range(target.lanes):
            spot = self.new(f"extractelement <{target.lanes} x i64> {whole}, i32 {lane}")
            place = self.new(f"getelementptr inbounds {scalar}, ptr {table}, i64 {spot}")
            value = self.new(f"load {scalar}, ptr {place}")
            result = self.new(f"insertelement {real} {result}, {scalar} {value}, i32 {lane}")
        return result
