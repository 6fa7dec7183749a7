"""LLVM assembly of programs: each value in a register while it is needed, else in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from percuss.kernel.backends.llvm_text import Block, Module, number
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
    for move in moves(program, block.target.registers - _ON_THE_WAY, fused, in_place):
        body.follow(move)


def part_symbol(module: Module, program: Program) -> str:
    """The name of a part's function, which takes and fills an array of vectors."""
    if program not in module.parts:
        # Those that it calls come first.
        lines: list[str] = []
        block = Block(module, lines)
        emit_program(
            block,
            program,
            lambda k: block.load_vector("%inputs", k),
            lambda k, value, kind: block.store_vector(value, kind, "%outputs", k),
        )
        name = module.parts[program] = f"@part{len(module.parts)}"
        signature = f"define internal void {name}(ptr noalias %inputs, ptr noalias %outputs)"
        head = [f"{signature} noinline #0 {{", "entry:", *block.buffers]
        module.add_function([*head, *lines, "  ret void", "}"])
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
        self._values = dict(enumerate(map(self._constant, program.constants), program.input_count))
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

    def _constant(self, value: float | bool) -> str:
        if isinstance(value, bool):
            return f"splat (i1 {'true' if value else 'false'})"
        return f"splat ({self._block.target.scalar} {number(value, self._block.target)})"

    def _instruction(self, register: int) -> Instruction:
        return self._program.instructions[register - self._first]

    def _do(self, register: int) -> None:
        instruction = self._instruction(register)
        block, values = self._block, self._values
        if instruction.part is not None:
            symbol = part_symbol(block.module, instruction.part)
            given = block.argument_room(instruction.part)
            taken = self._rooms[register] = block.take_room(instruction.part)
            block.lines.append(f"  call void {symbol}(ptr {given}, ptr {taken})")
        elif register in self._fused:
            values[register] = self._sum(instruction, self._fused[register])
        else:
            truth = self._program.kinds[register] == TRUTH
            arguments = [values[a] for a in instruction.arguments]
            values[register] = block.emit(
                instruction.operation, arguments, truth, instruction.table
            )

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
