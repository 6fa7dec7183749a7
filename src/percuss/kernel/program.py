"""Straight-line programs: what traced functions become and what every back end takes.

A program is a list of instructions on registers. Each register holds a real number or a truth
value; each instruction writes one new register, so the list is in static single assignment
form. Building through `Builder` shares common subexpressions and folds constants; `finish`
drops what no output needs.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from percuss.kernel.errors import KernelError

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

PLACEHOLDER = "placeholder"
"""An operation that a builder knows and no program contains."""

COMMUTATIVE = {"add", "mul", "and", "or", "xor", "eq", "ne"}
"""Operations whose operands a builder sorts, so that a + b and b + a are one instruction."""

TRUTHS = {*COMPARISONS, *LOGICAL, "not", "is_finite", "to_truth"}
"""Operations whose result is a truth value."""


class Instruction(NamedTuple):
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
        self._values: list[float | bool | None] = [None] * input_count
        self._nodes: list[Instruction | None] = [None] * input_count
        self._kinds: list[str] = [REAL] * input_count
        # What has been asked for before, and where it is.
        self._constants: dict[tuple[type, float | bool | str, float], int] = {}
        self._made: dict[tuple[str, tuple[int, ...], tuple[float, ...]], int] = {}

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
        # Equal values may differ in their sign (zeros), and NaN is not equal to itself.
        known = value == value
        key = (type(value), value if known else "nan", math.copysign(1.0, value) if known else 1.0)
        register = self._constants.get(key)
        if register is None:
            kind = TRUTH if isinstance(value, bool) else REAL
            register = self._constants[key] = self._append(None, value, kind)
        return register

    def emit(self, operation: str, *arguments: int, table: tuple[float, ...] = ()) -> int:
        """The register of an operation's result."""
        if operation in COMMUTATIVE:
            # The older first and constants last, whenever those were first spoken of.
            a, b = arguments
            if self._values[a] is not None or (a > b and self._values[b] is None):
                arguments = (b, a)
        key = (operation, arguments, table)
        register = self._made.get(key)
        if register is None:
            register = self._made[key] = self._result(operation, arguments, table)
        return register

    def _result(self, operation: str, arguments: tuple[int, ...], table: tuple[float, ...]) -> int:
        """The register of an operation that was not asked for before."""
        if len(arguments) != ARITY[operation]:
            raise ValueError(f"{operation} takes {ARITY[operation]} registers, got {arguments}")
        values = [self._values[register] for register in arguments]
        shortcut = self._simplified(operation, arguments, values)
        if shortcut is not None:
            return shortcut
        if None not in values:
            return self.constant(evaluate_constant(operation, values, table))  # type: ignore[arg-type]
        kind = result_kind(operation, arguments, self._kinds)
        return self._append(Instruction(operation, arguments, table), None, kind)

    def _append(self, node: Instruction | None, value: float | bool | None, kind: str) -> int:
        self._nodes.append(node)
        self._values.append(value)
        self._kinds.append(kind)
        return len(self._nodes) - 1

    def _simplified(
        self, operation: str, arguments: tuple[int, ...], values: list[float | bool | None]
    ) -> int | None:
        """A register that already holds the result, for identities that hold bit by bit."""
        match operation:
            case "mul":
                for k in (0, 1):
                    if values[k] == 1.0 and not isinstance(values[k], bool):
                        return arguments[1 - k]
            case "div" | "pow":
                if values[1] == 1.0:
                    return arguments[0]
            case "sub":
                zero = values[1]
                if zero is not None and zero == 0.0 and math.copysign(1, zero) > 0:
                    return arguments[0]
            case "select":
                if values[0] is not None:
                    return arguments[1] if values[0] else arguments[2]
                if arguments[1] == arguments[2]:
                    return arguments[1]
            case "neg" | "not":
                inner = self._nodes[arguments[0]]
                if inner is not None and inner.operation == operation:
                    return inner.arguments[0]
            case "hold":
                inner = self._nodes[arguments[0]]
                held = inner is not None and inner.operation == "hold"
                # Numbers that do not move, and truth values, which never do.
                if held or values[0] is not None or self._kinds[arguments[0]] == TRUTH:
                    return arguments[0]
            case "to_truth" if self._kinds[arguments[0]] == TRUTH:
                return arguments[0]
            case "to_real" if self._kinds[arguments[0]] == REAL:
                return arguments[0]
        return None

    def placeholder(self) -> int:
        """A register that stands for a number to be put in later: see `excerpt`."""
        return self._append(Instruction(PLACEHOLDER, ()), None, REAL)

    def excerpt(self, places: Sequence[int], outputs: Sequence[int]) -> tuple[Program, list[int]]:
        """What computes these outputs from these placeholders, as a program of its own.

        Returns the program and the registers of further inputs: it takes the placeholders first,
        then those. What depends on no placeholder is such an input, unless it is a truth value.
        """
        moving = dict.fromkeys(places, True)
        for register in range(min(places, default=len(self._nodes)), len(self._nodes)):
            node = self._nodes[register]
            if node is not None and any(a in moving for a in node.arguments):
                moving[register] = True
        inner: set[int] = set()
        closed: dict[int, None] = {}
        waiting = list(outputs)
        while waiting:
            register = waiting.pop()
            node = self._nodes[register]
            if register in inner or self._values[register] is not None:
                continue
            if node is None or (register not in moving and self._kinds[register] == REAL):
                closed[register] = None
            elif node.operation != PLACEHOLDER:
                inner.add(register)
                waiting.extend(node.arguments)
        body = Builder(len(places) + len(closed))
        number = {register: k for k, register in enumerate((*places, *closed))}

        def numbered(register: int) -> int:
            if register not in number:
                value = self._values[register]
                assert value is not None
                number[register] = body.constant(value)
            return number[register]

        for register in sorted(inner):
            node = self._nodes[register]
            assert node is not None
            moved = [numbered(a) for a in node.arguments]
            number[register] = body.emit(node.operation, *moved, table=node.table)
        return body.finish([numbered(output) for output in outputs]), list(closed)

    def finish(self, outputs: Sequence[int]) -> Program:
        """The program with these outputs and nothing they do not need."""
        needed = bytearray(len(self._nodes))
        for register in outputs:
            needed[register] = 1
        for register in range(len(self._nodes) - 1, self._input_count - 1, -1):
            node = self._nodes[register]
            if needed[register] and node is not None:
                if node.operation == PLACEHOLDER:
                    raise KernelError(
                        "a value from inside a differentiated function was used outside of it; "
                        "return it, with has_aux=True beside what is differentiated"
                    )
                for argument in node.arguments:
                    needed[argument] = 1
        # Constants in the order in which they are used, so that it does not matter when they
        # were first spoken of.
        live = [r for r in range(self._input_count, len(self._nodes)) if needed[r]]
        number = {register: register for register in range(self._input_count)}
        constants: list[float | bool] = []
        used = (a for r in live if (node := self._nodes[r]) is not None for a in node.arguments)
        for register in itertools.chain(used, outputs):
            value = self._values[register]
            if value is not None and register not in number:
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
