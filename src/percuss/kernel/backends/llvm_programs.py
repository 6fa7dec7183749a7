"""LLVM assembly of programs: each value in a register while it is needed, else in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from percuss.kernel.backends.llvm_memory import MemoryOperations
from percuss.kernel.backends.moves import Move, Room, fused_products
from percuss.kernel.backends.spilling import moves
from percuss.kernel.maps import layout_of
from percuss.kernel.program import REAL, TRUTH, Instruction, Program

Load = Callable[[int], str]
"""Emits the loading of a program's input; its value is returned."""

Give = Callable[[int, str, str], None]
"""Takes one of a program's outputs: which, its value, its kind."""

Arrays = Mapping[range, str]
"""Inputs of a program that lie in a row in memory, and where."""

_ON_THE_WAY = 4
"""Registers left for what an operation needs before its result is there, and for what the compiler
moves aside. Of 0 to 8 this gave the fastest code for forward dynamics and its derivatives, in the
least time."""


def emit_program(
    block: MemoryOperations,
    program: Program,
    load: Load,
    give: Give,
    *,
    in_place: int = 0,
    arrays: Arrays | None = None,
) -> None:
    """Emit a program's instructions into a block.

    The first `in_place` outputs are written over the inputs of the same number. `arrays` names the
    inputs that lie in a row.
    """
    _emit(
        block,
        program,
        load,
        give,
        in_place=in_place,
        arrays=arrays or {},
        taken=_Reserve(0, _ON_THE_WAY),
    )


class _Reserve(NamedTuple):
    """What surrounds a program has taken: slots in memory, and registers."""

    slots: int
    registers: int


def _emit(
    block: MemoryOperations,
    program: Program,
    load: Load,
    give: Give,
    *,
    in_place: int,
    arrays: Arrays,
    taken: _Reserve,
) -> None:
    fused = fused_products(program) if block.target.fuses else {}
    registers = block.target.registers
    if registers is not None:
        registers = max(registers - taken.registers, 4)
    plan = moves(program, registers, fused, in_place, arrays=tuple(arrays))
    stored = [move.slot + 1 for move in plan if move.what == "store"]
    slots = range(taken.slots, taken.slots + max(stored, default=0))
    body = _Body(block, program, load, give, fused=fused, arrays=arrays, slots=slots)
    for move in plan:
        body.follow(move)


def part_symbol(caller: MemoryOperations, program: Program) -> str:
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
            arrays={range(program.input_count): "%inputs"},
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
        self,
        block: MemoryOperations,
        program: Program,
        load: Load,
        give: Give,
        *,
        fused: dict[int, int],
        arrays: Arrays,
        slots: range,
    ) -> None:
        self._block = block
        self._program = program
        self._first = program.first_instruction
        self._load = load
        self._give = give
        self._fused = fused
        self._arrays = arrays
        self._slots = slots
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
        what, register, slot, part, rooms, length = move
        block, values = self._block, self._values
        if what == "do" and self._instruction(register).operation == "map":
            self._map(register, rooms)
        elif what == "do":
            self._do(register)
        elif what == "load":
            values[register] = self._loaded(register, slot)
        elif what == "store":
            block.store_vector(values[register], REAL, block.slot(self._slots[slot]))
        elif what == "copy":
            assert part is not None
            block.copy(self._row(register), block.argument_room(part), slot, length)
        elif what == "gather":
            block.store_vector(values[register], REAL, self._gathered(rooms[0]), slot)
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
            taken = self._rooms[register] = block.take_room(len(instruction.part.outputs))
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

    def _map(self, register: int, rooms: Sequence[Room | None]) -> None:
        """A loop over the entries of vectors."""
        block, instruction = self._block, self._instruction(register)
        layout, body = layout_of(instruction), instruction.part
        assert body is not None
        vectors = layout.vectors_in(instruction.arguments)
        read = [
            self._row(vector[0]) if room is None else self._gathered(room)
            for vector, room in zip(vectors, rooms, strict=True)
        ]
        shared = [self._values[r] for r in layout.shared_in(instruction.arguments)]
        taken = block.take_room(layout.entries * len(body.outputs))
        self._rooms[register] = taken
        written = [block.place(taken, k * layout.entries) for k in range(len(body.outputs))]
        loop = block.begin_loop()

        def load(k: int) -> str:
            return block.load_entry(read[k], loop) if k < len(read) else shared[k - len(read)]

        def give(k: int, value: str, kind: str) -> None:
            block.store_entry(value, kind, written[k], loop)

        reserve = _Reserve(self._slots.stop, _ON_THE_WAY + len(shared))
        _emit(block, body, load, give, in_place=0, arrays={}, taken=reserve)
        block.end_loop(loop, layout.entries)

    def _row(self, first: int) -> str:
        """Where a row of values lies that begins with a register."""
        if first < self._first:
            array = next(a for a in self._arrays if first in a)
            return self._block.place(self._arrays[array], first - array.start)
        result = self._instruction(first)
        return self._block.place(self._rooms[result.arguments[0]], int(result.table[0]))

    def _gathered(self, room: Room | None) -> str:
        assert room is not None
        return self._block.gathering_room(*room)

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
            return block.load_vector(block.slot(self._slots[slot]))
        if register < self._program.input_count:
            return self._load(register)
        call, which = self._instruction(register).arguments[0], self._instruction(register).table[0]
        value = block.load_vector(self._rooms[call], int(which))
        is_truth = self._program.kinds[register] == TRUTH
        return block.emit("to_truth", [value], truth=True) if is_truth else value

    def _forget(self, register: int) -> None:
        """Give up one result of a call; with the last of them, give the room of all back."""
        call = self._instruction(register).arguments[0]
        self._results_left[call] -= 1
        if not self._results_left[call]:
            self._block.give_room_back(self._rooms.pop(call))


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
