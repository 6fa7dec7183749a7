"""LLVM assembly of programs: each value in a register while it is needed, else in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from percuss.kernel.backends.llvm_memory import Block
from percuss.kernel.backends.spilling import Move, fused_products, moves
from percuss.kernel.program import REAL, TRUTH, Instruction, Program

Load = Callable[[int], str]
"""Emits the loading of a program's input; its value is returned."""

Give = Callable[[int, str, str], None]
"""Takes one of a program's outputs: which, its value, its kind."""

_ON_THE_WAY = 4
"""Registers left for what an operation needs before its result is there, and for what the compiler
moves aside. Of 0 to 8 this gave the fastest code for forward dynamics and its derivatives, in the
least time."""


def emit_program(block: Block, program: Program, load: Load, give: Give, in_place: int = 0) -> None:
    """Emit a program's instructions into a block.

    The first `in_place` outputs are written over the inputs of the same number.
    """
    fused = fused_products(program) if block.target.fuses else {}
    body = _Body(block, program, load, give, fused)
    registers = block.target.registers
    free = None if registers is None else registers - _ON_THE_WAY
    for move in moves(program, free, fused, in_place):
        body.follow(move)


def part_symbol(caller: Block, program: Program) -> str:
    """The name of a part's function, which takes and fills an array of vectors."""
    module = caller.module
    if program not in module.parts:
        # Those that it calls come first.
        lines: list[str] = []
        block = type(caller)(module, lines)
        emit_program(
            block,
            program,
            lambda k: block.load_vector("%inputs", k),
            lambda k, value, kind: block.store_vector(value, kind, "%outputs", k),
        )
        name = module.parts[program] = f"@part{len(module.parts)}"
        near = module.target.near
        arguments = f"{near} noalias %inputs, {near} noalias %outputs"
        head = [f"define internal void {name}({arguments}) noinline #0 {{", "entry:"]
        module.add_function([*head, *block.buffers, *lines, "  ret void", "}"])
    return module.parts[program]


class _Body:
    """The values of one program while it is emitted."""

    def __init__(
        self, block: Block, program: Program, load: Load, give: Give, fused: dict[int, int]
    ) -> None:
        self._block = block
        self._program = program
        self._first = program.first_instruction
        self._load = load
        self._give = give
        self._fused = fused
        self._angles = _angles_with_both(program) if block.target.pairs else {}
        self._pairs = {register for pair in self._angles.values() for register in pair}
        self._values = dict(
            enumerate(map(block.target.constant, program.constants), program.input_count)
        )
        self._rooms: dict[int, str] = {}
        """Where the results of a call lie, by its register."""
        called = (i.arguments[0] for i in program.instructions if i.operation == "result")
        self._results_left = Counter(called)

    def follow(self, move: Move) -> None:
        what, register, slot, part = move
        block, values = self._block, self._values
        if what == "do":
            self._do(register)
        elif what == "load":
            values[register] = self._loaded(register, slot)
        elif what == "store":
            block.store_vector(values[register], REAL, block.slot(slot))
        elif what == "give":
            self._give(slot, values[register], self._program.kinds[register])
        elif what == "pass":
            assert part is not None
            block.store_vector(values[register], REAL, block.argument_room(part), slot)
        else:
            self._forget(register)

    def _instruction(self, register: int) -> Instruction:
        return self._program.instructions[register - self._first]

    def _do(self, register: int) -> None:
        instruction = self._instruction(register)
        block, values = self._block, self._values
        if instruction.part is not None:
            symbol = part_symbol(block, instruction.part)
            given = block.argument_room(instruction.part)
            taken = self._rooms[register] = block.take_room(instruction.part)
            near = block.target.near
            block.lines.append(f"  call void {symbol}({near} {given}, {near} {taken})")
        elif register in self._pairs:
            if register not in values:
                self._take_sines(instruction.arguments[0])
        elif register in self._fused:
            values[register] = self._sum(instruction, self._fused[register])
        else:
            truth = self._program.kinds[register] == TRUTH
            arguments = [values[a] for a in instruction.arguments]
            values[register] = block.emit(
                instruction.operation, arguments, truth, instruction.table
            )

    def _take_sines(self, angle: int) -> None:
        """Sine and cosine of an angle, of all angles that are inputs together."""
        together = [angle]
        if angle < self._program.input_count:
            together = sorted({a for a in self._angles if a < self._program.input_count})
        given = [self._values[a] if a == angle else self._load(a) for a in together]
        found = self._block.sines_and_cosines(given)
        for angle, both in zip(together, found, strict=True):
            for register, value in zip(self._angles[angle], both, strict=True):
                self._values[register] = value

    def _sum(self, instruction: Instruction, product: int) -> str:
        """A sum or difference with a product in it."""
        block, values = self._block, self._values
        a, b = (values[r] for r in self._instruction(product).arguments)
        first, second = instruction.arguments
        if second == product:
            if instruction.operation == "sub":
                a = block.emit("neg", [a])
            return block.fused(a, b, values[first])
        other = values[second]
        if instruction.operation == "sub":
            other = block.emit("neg", [other])
        return block.fused(a, b, other)

    def _loaded(self, register: int, slot: int) -> str:
        block = self._block
        if slot >= 0:
            return block.load_vector(block.slot(slot))
        if register < self._program.input_count:
            return self._load(register)
        call, which = self._instruction(register).arguments[0], self._instruction(register).table[0]
        value = block.load_vector(self._rooms[call], int(which))
        is_truth = self._program.kinds[register] == TRUTH
        return block.emit("to_truth", [value], truth=True) if is_truth else value

    def _forget(self, register: int) -> None:
        """Of the results of a call one is not needed any more: with the last, nor is their room."""
        call = self._instruction(register).arguments[0]
        self._results_left[call] -= 1
        if not self._results_left[call]:
            part = self._instruction(call).part
            assert part is not None
            self._block.give_room_back(part, self._rooms.pop(call))


def _angles_with_both(program: Program) -> dict[int, tuple[int, int]]:
    """The registers of sine and cosine of each angle that has both.

    They share the reduction of the angle: about a quarter faster on an H200, and less to compile,
    in a kernel of 2,520 operations with 60 such pairs.
    """
    found: dict[str, dict[int, int]] = {"sin": {}, "cos": {}}
    for k, instruction in enumerate(program.instructions):
        if instruction.operation in found:
            found[instruction.operation][instruction.arguments[0]] = program.first_instruction + k
    both = found["sin"].keys() & found["cos"].keys()
    return {angle: (found["sin"][angle], found["cos"][angle]) for angle in sorted(both)}
