"""Straight-line programs: what JAX traces become and what every back end takes.

A program is a list of instructions on registers. Each register holds a real number or a truth
value; each instruction writes one new register, so the list is in static single assignment
form. Building through `Builder` shares common subexpressions and folds constants; `finish`
drops what no output needs.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

REAL, TRUTH = "real", "truth"

UNARY = (
    "neg abs sign floor ceil round trunc sqrt cbrt exp exp2 expm1 log log2 log1p "
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc is_finite"
).split()
BINARY = "add sub mul div rem pow atan2 min max copysign".split()
COMPARISONS = "lt le gt ge eq ne".split()
LOGICAL = "and or xor".split()

ARITY = (
    dict.fromkeys(UNARY, 1)
    | dict.fromkeys(BINARY + COMPARISONS + LOGICAL, 2)
    | {"not": 1, "select": 3, "to_real": 1, "to_truth": 1, "lookup": 1, "hold": 1}
)
"""Operations and how many registers each reads.

`select` is (condition, if true, if false); `lookup` reads a table of constants at an index
that is clamped to it; `to_real` and `to_truth` convert between the two kinds of register.
`hold` returns its argument and has the derivative zero; back ends never see it, because
`calculus.without_holds` removes it before code is made.
"""

COMMUTATIVE = {"add", "mul", "and", "or", "xor", "eq", "ne"}
"""Operations whose operands a builder sorts, so that a + b and b + a are one instruction."""

TRUTHS = {*COMPARISONS, *LOGICAL, "not", "is_finite", "to_truth"}
"""Operations whose result is a truth value."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """`operation` on registers; `table` holds the constants of a lookup."""

    operation: str
    arguments: tuple[int, ...]
    table: tuple[float, ...] = ()


@dataclass(frozen=True)
class Program:
    """Registers are numbered: inputs first, then constants, then one per instruction."""

    input_count: int
    constants: tuple[float | bool, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    @property
    def first_instruction(self) -> int:
        return self.input_count + len(self.constants)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """REAL or TRUTH for every register."""
        kinds = [REAL] * self.input_count
        kinds += [TRUTH if isinstance(c, bool) else REAL for c in self.constants]
        for instruction in self.instructions:
            kinds.append(result_kind(instruction.operation, instruction.arguments, kinds))
        return tuple(kinds)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each operation occurs."""
        return Counter(instruction.operation for instruction in self.instructions)

    @property
    def operation_count(self) -> int:
        return len(self.instructions)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that determines the result."""
        hasher = hashlib.sha256()
        hasher.update(repr((self.input_count, self.outputs)).encode())
        hasher.update(repr([_exact(c) for c in self.constants]).encode())
        for i in self.instructions:
            hasher.update(repr((i.operation, i.arguments, [_exact(c) for c in i.table])).encode())
        return hasher.hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __str__(self) -> str:
        """One instruction a line."""
        first = self.first_instruction

        def name(register: int) -> str:
            if register < self.input_count:
                return f"x{register}"
            if register < first:
                return repr(self.constants[register - self.input_count])
            return f"r{register - first}"

        lines = [f"inputs x0…x{self.input_count - 1}" if self.input_count else "no inputs"]
        for k, i in enumerate(self.instructions):
            table = f" in a table of {len(i.table)}" if i.table else ""
            arguments = ", ".join(name(register) for register in i.arguments)
            lines.append(f"r{k} = {i.operation}({arguments}){table}")
        lines.append("outputs " + ", ".join(name(register) for register in self.outputs))
        return "\n".join(lines)


def result_kind(operation: str, arguments: tuple[int, ...], kinds: Sequence[str]) -> str:
    if operation == "select":
        return kinds[arguments[1]]
    if operation == "hold":
        return kinds[arguments[0]]
    return TRUTH if operation in TRUTHS else REAL


class Builder:
    """Builds a program instruction by instruction, sharing equal ones and folding constants."""

    def __init__(self, input_count: int) -> None:
        self._input_count = input_count
        self._constants: dict[tuple[str, str], int] = {}
        self._values: list[float | bool | None] = [None] * input_count
        self._made: dict[Instruction, int] = {}
        self._nodes: list[Instruction | None] = [None] * input_count
        self._kinds: list[str] = [REAL] * input_count

    @property
    def input_count(self) -> int:
        return self._input_count

    @property
    def register_count(self) -> int:
        """Registers so far: inputs, constants and results, in the order of their creation."""
        return len(self._nodes)

    def kind(self, register: int) -> str:
        return self._kinds[register]

    def value(self, register: int) -> float | bool | None:
        """The constant in a register, None when it is not one."""
        return self._values[register]

    def node(self, register: int) -> Instruction | None:
        """The instruction that writes a register, None for an input or a constant."""
        return self._nodes[register]

    def constant(self, value: float | bool) -> int:
        """The register of a constant."""
        value = value if isinstance(value, bool) else float(value)
        key = (type(value).__name__, _exact(value))
        if key not in self._constants:
            self._constants[key] = self._append(
                None, value, TRUTH if isinstance(value, bool) else REAL
            )
        return self._constants[key]

    def emit(self, operation: str, *arguments: int, table: tuple[float, ...] = ()) -> int:
        """The register of an operation's result."""
        if len(arguments) != ARITY[operation]:
            raise ValueError(f"{operation} takes {ARITY[operation]} registers, got {arguments}")
        shortcut = self._simplified(operation, arguments)
        if shortcut is not None:
            return shortcut
        values = [self._values[register] for register in arguments]
        if all(value is not None for value in values):
            return self.constant(evaluate_constant(operation, values, table))  # type: ignore[arg-type]
        if operation in COMMUTATIVE:
            arguments = tuple(sorted(arguments))
        node = Instruction(operation, arguments, table)
        if node not in self._made:
            kind = result_kind(operation, arguments, self._kinds)
            self._made[node] = self._append(node, None, kind)
        return self._made[node]

    def _append(self, node: Instruction | None, value: float | bool | None, kind: str) -> int:
        self._nodes.append(node)
        self._values.append(value)
        self._kinds.append(kind)
        return len(self._nodes) - 1

    def _simplified(self, operation: str, arguments: tuple[int, ...]) -> int | None:
        """A register that already holds the result, for identities that hold bit by bit."""
        values = [self._values[register] for register in arguments]
        if operation == "mul":
            for k in (0, 1):
                if values[k] == 1.0 and not isinstance(values[k], bool):
                    return arguments[1 - k]
        if operation in ("div", "pow") and values[1] == 1.0:
            return arguments[0]
        if operation == "sub" and values[1] == 0.0 and not math.copysign(1, values[1]) < 0:  # type: ignore[arg-type]
            return arguments[0]
        if operation == "select":
            if values[0] is not None:
                return arguments[1] if values[0] else arguments[2]
            if arguments[1] == arguments[2]:
                return arguments[1]
        if operation in ("neg", "not"):
            inner = self._nodes[arguments[0]]
            if inner is not None and inner.operation == operation:
                return inner.arguments[0]
        if operation == "hold":
            inner = self._nodes[arguments[0]]
            held = inner is not None and inner.operation == "hold"
            return arguments[0] if held or self._kinds[arguments[0]] == TRUTH else None
        if operation == "to_truth" and self._kinds[arguments[0]] == TRUTH:
            return arguments[0]
        if operation == "to_real" and self._kinds[arguments[0]] == REAL:
            return arguments[0]
        return None

    def finish(self, outputs: Sequence[int]) -> Program:
        """The program with these outputs and nothing they do not need."""
        needed = bytearray(len(self._nodes))
        for register in outputs:
            needed[register] = 1
        for register in range(len(self._nodes) - 1, self._input_count - 1, -1):
            node = self._nodes[register]
            if needed[register] and node is not None:
                for argument in node.arguments:
                    needed[argument] = 1
        number = {register: register for register in range(self._input_count)}
        constants: list[float | bool] = []
        live = [r for r in range(self._input_count, len(self._nodes)) if needed[r]]
        for register in live:
            value = self._values[register]
            if self._nodes[register] is None and value is not None:
                number[register] = self._input_count + len(constants)
                constants.append(value)
        instructions: list[Instruction] = []
        first = self._input_count + len(constants)
        for register in live:
            node = self._nodes[register]
            if node is not None:
                number[register] = first + len(instructions)
                arguments = tuple(number[argument] for argument in node.arguments)
                instructions.append(Instruction(node.operation, arguments, node.table))
        return Program(
            self._input_count,
            tuple(constants),
            tuple(instructions),
            tuple(number[register] for register in outputs),
        )


def evaluate_constant(
    operation: str, values: Sequence[float | bool], table: tuple[float, ...]
) -> float | bool:
    """The result of an operation on constants, by the same rules as at run time."""
    from percuss.kernel.backends.interpreter import FUNCTIONS, look_up

    with np.errstate(all="ignore"):
        if operation == "lookup":
            return float(look_up(np.float64(values[0]), table))
        arguments = [v if isinstance(v, bool) else np.float64(v) for v in values]
        result = FUNCTIONS[operation](*arguments)
    return (
        bool(result)
        if operation in TRUTHS or isinstance(result, (bool, np.bool_))
        else float(result)
    )


def _exact(value: float | bool) -> str:
    """Text that tells all values apart, -0.0 from 0.0 and NaN included."""
    return repr(value) if isinstance(value, bool) else float(value).hex()
