"""Straight-line programs: what traced functions become and what every back end takes.

A program is a list of instructions on registers. Each register holds a real number or a truth
value; each instruction writes one new register, so the list is in static single assignment
form. A program may call another, its part, whose code is then in the kernel once: the register of
a `call` holds all its results, and each `result` takes one of them out. A `map` does so for every
entry of some vectors: `percuss.kernel.maps` says how they are laid out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from percuss.kernel.maps import layout_of

REAL, TRUTH, RESULTS = "real", "truth", "results"

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
`calculus.without_holds` removes it before code is made. `call`, `map` and `result` are not
among them.
"""

TRUTHS = {*COMPARISONS, *LOGICAL, "not", "is_finite", "to_truth"}
"""Operations whose result is a truth value."""


WHOLE = (1.0,)
"""Marks a call all of whose results are kept, in a row, also those that are inputs or constants."""


class Instruction(NamedTuple):
    """`operation` on registers.

    `table` holds the constants of a lookup, which `result` of a call is meant, the layout of a
    map, or `WHOLE` for a call whose results stay together; `part` is the program that is called.
    """

    operation: str
    arguments: tuple[int, ...]
    table: tuple[float, ...] = ()
    part: Program | None = None


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
        """REAL or TRUTH for every register, RESULTS for one that holds those of a call."""
        kinds = [REAL] * self.input_count
        kinds += [TRUTH if isinstance(c, bool) else REAL for c in self.constants]
        first = self.first_instruction
        for instruction in self.instructions:
            called = None
            if instruction.operation == "result":
                called = self.instructions[instruction.arguments[0] - first]
            kinds.append(result_kind(instruction, kinds, called))
        return tuple(kinds)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each operation is carried out, in parts too; calls themselves are free."""
        counts = Counter(instruction.operation for instruction in self.instructions)
        del counts["call"], counts["map"], counts["result"]
        for instruction in self.instructions:
            if instruction.part is not None:
                times = layout_of(instruction).entries if instruction.operation == "map" else 1
                inner = instruction.part.counts.items()
                counts.update({operation: times * count for operation, count in inner})
        return counts

    @cached_property
    def operation_count(self) -> int:
        """Operations that one evaluation carries out."""
        return self.counts.total()

    @cached_property
    def parts(self) -> tuple[Program, ...]:
        """The programs it calls, directly or not, each once and after those that it calls."""
        found: dict[Program, None] = {}
        for instruction in self.instructions:
            if instruction.part is not None:
                found |= dict.fromkeys((*instruction.part.parts, instruction.part))
        return tuple(found)

    @property
    def size(self) -> int:
        """Instructions in its machine code: each part counts once."""
        return len(self.instructions) + sum(len(part.instructions) for part in self.parts)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that determines the result."""
        hasher = hashlib.sha256()
        hasher.update(repr((self.input_count, self.outputs)).encode())
        hasher.update(repr([_exact(c) for c in self.constants]).encode())
        for i in self.instructions:
            hasher.update(repr((i.operation, i.arguments, [_exact(c) for c in i.table])).encode())
            if i.part is not None:
                hasher.update(i.part.digest.encode())
        return hasher.hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __str__(self) -> str:
        """One instruction a line, parts first."""
        names = {part: f"part {k}" for k, part in enumerate(self.parts)}
        texts = [f"{name}:\n{part._text(names)}" for part, name in names.items()]
        return "\n".join([*texts, self._text(names)])

    def _text(self, parts: Mapping[Program, str]) -> str:
        first = self.first_instruction

        def name(register: int) -> str:
            if register < self.input_count:
                return f"x{register}"
            if register < first:
                return repr(self.constants[register - self.input_count])
            return f"r{register - first}"

        lines = [f"inputs x0…x{self.input_count - 1}" if self.input_count else "no inputs"]
        for k, i in enumerate(self.instructions):
            what = "" if i.part is None else f" {parts[i.part]}"
            if i.operation == "result":
                what = f" {i.table[0]:.0f}"
            elif i.operation == "map":
                what += " on {} entries of {} vectors".format(*layout_of(i))
            elif i.operation == "lookup":
                what = f" in a table of {len(i.table)}"
            arguments = ", ".join(name(register) for register in i.arguments)
            lines.append(f"r{k} = {i.operation}({arguments}){what}")
        lines.append("outputs " + ", ".join(name(register) for register in self.outputs))
        return "\n".join(lines)


def result_kind(
    instruction: Instruction, kinds: Sequence[str], called: Instruction | None = None
) -> str:
    """What an instruction's register holds, from the kinds of the registers before it.

    `called` is the call whose result a `result` takes.
    """
    operation = instruction.operation
    if operation == "select":
        return kinds[instruction.arguments[1]]
    if operation == "hold":
        return kinds[instruction.arguments[0]]
    if operation == "result":
        assert called is not None
        assert called.part is not None
        return called.part.kinds[output_behind(called, int(instruction.table[0]))]
    if operation in ("call", "map"):
        return RESULTS
    return TRUTH if operation in TRUTHS else REAL


def output_behind(call: Instruction, place: int) -> int:
    """The register of its part in which one of the results of a call or a map is computed."""
    assert call.part is not None
    which = place // layout_of(call).entries if call.operation == "map" else place
    return call.part.outputs[which]


def _exact(value: float | bool) -> str:
    """Text that tells all values apart, -0.0 from 0.0 and NaN included."""
    return repr(value) if isinstance(value, bool) else float(value).hex()
