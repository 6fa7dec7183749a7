"""Building programs: equal instructions are shared, constants folded, the unneeded dropped."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from percuss.kernel.errors import KernelError
from percuss.kernel.identities import evaluate_constant, known_register
from percuss.kernel.maps import MapLayout, layout_of
from percuss.kernel.program import (
    ARITY,
    REAL,
    RESULTS,
    TRUTH,
    WHOLE,
    Instruction,
    Program,
    output_behind,
    result_kind,
)
from percuss.kernel.trimming import trimmed, trimmed_call

PLACEHOLDER = "placeholder"
"""An operation that a builder knows and no program contains."""

NEARLY = 0.9
"""Share of a part's instructions from which less of it is not worth a second copy of its code. The
derivative of a seven-joint arm's rates, 8,500 instructions, was in a stiff step six times."""

COMMUTATIVE = {"add", "mul", "and", "or", "xor", "eq", "ne"}
"""Operations whose operands a builder sorts, so that a + b and b + a are one instruction."""


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
        self._calls: dict[Instruction, int] = {}

    @classmethod
    def holding(cls, program: Program) -> Builder:
        """A builder with the registers of a program, to be finished with other outputs."""
        builder = cls(program.input_count)
        builder._values += program.constants
        builder._values += [None] * len(program.instructions)
        builder._nodes += [None] * len(program.constants)
        builder._nodes += program.instructions
        return builder

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
        shortcut = known_register(self, operation, arguments)
        if shortcut is not None:
            return shortcut
        values = [self._values[register] for register in arguments]
        if None not in values:
            return self.constant(evaluate_constant(operation, values, table))  # type: ignore[arg-type]
        made = Instruction(operation, arguments, table)
        return self._append(made, None, result_kind(made, self._kinds))

    def call(self, part: Program, arguments: Sequence[int], whole: bool = False) -> list[int]:
        """The registers of a part's outputs, computed by its code and not written out here.

        The results of a `whole` call are all kept, so that they lie in a row for maps, and other
        calls of the part that need others of its outputs are calls of the same code.
        """
        table = WHOLE if whole else ()
        call = self._called(Instruction("call", tuple(arguments), table, part))
        return [self._result_of(call, k) for k in range(len(part.outputs))]

    def map(
        self, body: Program, vectors: Sequence[Sequence[int]], shared: Sequence[int] = ()
    ) -> list[list[int]]:
        """The registers of a body's outputs for every entry of vectors, computed by a loop.

        The body takes one entry of each vector, then what all entries share. Returns one vector
        for each of its outputs.
        """
        layout = MapLayout(len(vectors[0]), len(vectors))
        if any(len(vector) != layout.entries for vector in vectors):
            raise ValueError(f"vectors have different lengths: {[*map(len, vectors)]}")
        arguments = tuple(itertools.chain(*vectors, shared))
        made = self._called(Instruction("map", arguments, layout.table, body))
        return [
            [self._result_of(made, k * layout.entries + entry) for entry in range(layout.entries)]
            for k in range(len(body.outputs))
        ]

    def _called(self, made: Instruction) -> int:
        """The register that holds all results of a call or a map."""
        call = self._calls.get(made)
        if call is None:
            assert made.part is not None
            self._check_call(made, made.part)
            call = self._calls[made] = self._append(made, None, RESULTS)
        return call

    def _check_call(self, made: Instruction, part: Program) -> None:
        if made.operation == "call":
            self.check_inputs(part, made.arguments)
            return
        if part.parts:
            raise ValueError("the body of a map cannot call parts; write them out")
        layout = layout_of(made)
        for entry in range(layout.entries):
            self.check_inputs(part, layout.inputs_of(entry, made.arguments))

    def check_inputs(self, program: Program, inputs: Sequence[int]) -> None:
        """A ValueError when these registers cannot be the inputs of a program."""
        if len(inputs) != program.input_count:
            raise ValueError(f"the program takes {program.input_count} inputs, got {len(inputs)}")
        for position, register in enumerate(inputs):
            kind = self._kinds[register]
            if kind != REAL:
                raise ValueError(f"input {position} is a {kind} value; a program takes reals")

    def _result_of(self, call: int, place: int) -> int:
        node = self._nodes[call]
        assert node is not None
        assert node.part is not None
        part, output = node.part, output_behind(node, place)
        kept = node.table == WHOLE and node.operation == "call"
        if output < part.input_count and not kept:
            if node.operation == "map":
                layout = layout_of(node)
                output = layout.place_of_input(place % layout.entries, output)
            return node.arguments[output]
        if output < part.first_instruction and not kept:
            return self.constant(part.constants[output - part.input_count])
        key = ("result", (call,), (float(place),))
        register = self._made.get(key)
        if register is None:
            made = Instruction(*key)
            kind = result_kind(made, self._kinds, node)
            register = self._made[key] = self._append(made, None, kind)
        return register

    def registers_of(self, program: Program, inputs: Sequence[int]) -> list[int]:
        """Emit a program, its inputs taken from these registers: the registers for all of its own.

        Constants among the inputs are folded, and what the builder already holds is shared.
        """
        self.check_inputs(program, inputs)
        registers = [*inputs, *map(self.constant, program.constants)]
        repeat = self.repeat
        for instruction in program.instructions:
            registers.append(repeat(instruction, [registers[a] for a in instruction.arguments]))
        return registers

    def repeat(self, instruction: Instruction, arguments: Sequence[int]) -> int:
        """The register of an instruction of another program, on registers of this one."""
        if instruction.part is not None:
            return self._called(instruction._replace(arguments=tuple(arguments)))
        if instruction.operation == "result":
            return self._result_of(arguments[0], int(instruction.table[0]))
        if instruction.table:
            return self.emit(instruction.operation, *arguments, table=instruction.table)
        return self.emit(instruction.operation, *arguments)

    def _append(self, node: Instruction | None, value: float | bool | None, kind: str) -> int:
        self._nodes.append(node)
        self._values.append(value)
        self._kinds.append(kind)
        return len(self._nodes) - 1

    def placeholder(self) -> int:
        """A register that stands for a number to be put in later: see `excerpt`."""
        return self._append(Instruction(PLACEHOLDER, ()), None, REAL)

    def finish(self, outputs: Sequence[int]) -> Program:
        """The program with these outputs and nothing they do not need, in parts neither."""
        live, wanted = self._live(outputs, {})
        shared = self._shared(wanted)
        if shared:
            live, _ = self._live(outputs, shared)
        # Constants in the order in which they are used, so that it does not matter when they
        # were first spoken of.
        number = {register: register for register in range(self._input_count)}
        constants: list[float | bool] = []
        used = (a for _, node in live for a in node.arguments)
        for register in itertools.chain(used, outputs):
            value = self._values[register]
            if value is not None and register not in number:
                number[register] = self._input_count + len(constants)
                constants.append(value)
        first = self._input_count + len(constants)
        number |= {register: first + k for k, (register, _) in enumerate(live)}
        return Program(
            self._input_count,
            tuple(constants),
            tuple(
                Instruction(o, tuple([number[argument] for argument in arguments]), table, part)
                for _, (o, arguments, table, part) in live
            ),
            tuple(number[register] for register in outputs),
        )

    def _shared(self, wanted: dict[int, set[int]]) -> dict[Program, set[int]]:
        """Results that all calls of a part give, wanted or not, so that its code is there once.

        Only where some calls want others than others do, and what they do not want costs little.
        """
        by_part: dict[Program, list[set[int]]] = {}
        for call, found in wanted.items():
            node = self._nodes[call]
            assert node is not None
            assert node.part is not None
            if node.operation == "call" and node.table != WHOLE:
                by_part.setdefault(node.part, []).append(found)
        shared: dict[Program, set[int]] = {}
        for part, each in by_part.items():
            union = set[int]().union(*each)
            choices = {tuple(sorted(found)) for found in each}
            if len(choices) > 1:
                least = min(trimmed(part, choice).part.size for choice in choices)
                if least >= NEARLY * trimmed(part, tuple(sorted(union))).part.size:
                    shared[part] = union
        return shared

    def _live(
        self, outputs: Sequence[int], shared: dict[Program, set[int]]
    ) -> tuple[list[tuple[int, Instruction]], dict[int, set[int]]]:
        """The instructions that the outputs need, with their registers; calls without the rest.

        Also which results of each call are wanted, at least those that are `shared`.
        """
        needed = bytearray(len(self._nodes))
        for register in outputs:
            needed[register] = 1
        live: list[tuple[int, Instruction]] = []
        wanted: dict[int, set[int]] = {}
        places: dict[int, dict[int, int]] = {}
        for register in range(len(self._nodes) - 1, self._input_count - 1, -1):
            node = self._nodes[register]
            if not needed[register] or node is None:
                continue
            if node.operation == PLACEHOLDER:
                raise KernelError(
                    "a value from inside a differentiated function was used outside of it; "
                    "return it, with has_aux=True beside what is differentiated"
                )
            if node.operation == "result":
                wanted.setdefault(node.arguments[0], set()).add(int(node.table[0]))
            elif node.part is not None:
                if node.operation == "call":
                    wanted[register] |= shared.get(node.part, set())
                node, places[register] = trimmed_call(node, sorted(wanted[register]))
            for argument in node.arguments:
                needed[argument] = 1
            live.append((register, node))
        for k, (register, node) in enumerate(live):
            if node.operation == "result":
                place = places[node.arguments[0]][int(node.table[0])]
                live[k] = register, node._replace(table=(float(place),))
        live.reverse()
        return live, wanted
