"""Which values of a program are in registers at which moment, and which in memory.

A compiler that allocates registers for thousands of instructions in a row spends most of its time
on it. In a straight line the answer is simple: where a register is needed, give up the value that
is needed again last (Belady, "A study of replacement algorithms for a virtual-storage computer",
1966). A program comes out of this module as a list of moves whose values fit the registers, and
the compiler only has to follow.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from percuss.kernel.backends.moves import Move, Room
from percuss.kernel.backends.vectors import Vector, length_of_row, scattered_vectors
from percuss.kernel.maps import layout_of
from percuss.kernel.program import REAL, Instruction, Program

NEVER = 1 << 60
"""Later than any instruction."""

LONG_ROW = 8
"""Values in a row that are copied by a loop and not one by one."""

QUIET = frozenset(
    "add sub mul div neg abs sign floor ceil round trunc sqrt min max copysign lt le gt ge eq ne "
    "and or xor not select to_real to_truth is_finite lookup".split()
)
"""Operations that leave the other registers alone: all others call a function."""


def moves(
    program: Program,
    registers: int | None,
    fused: dict[int, int],
    in_place: int = 0,
    *,
    arrays: Sequence[range] = (),
) -> list[Move]:
    """The program's instructions with the loads and stores between them.

    At most so many reals are in registers at a time, or as many as one instruction needs. Inputs
    and results of calls are in memory to begin with; constants belong to the instructions, and
    truth values have registers of their own, which are not counted. Where the number is None there
    are enough, and functions leave them alone.

    The first `in_place` outputs are written over the inputs of the same number: each is given when
    nothing reads that input any more, and not at all where it is that input. Inputs of each range
    of `arrays` lie in a row in memory.
    """
    return _Allocation(program, registers, fused, in_place, arrays=arrays).moves


class _Allocation:
    def __init__(
        self,
        program: Program,
        registers: int | None,
        fused: dict[int, int],
        in_place: int,
        *,
        arrays: Sequence[range],
    ) -> None:
        self.moves: list[Move] = []
        self._program = program
        self._capacity = registers
        self._products = set(fused.values())
        self._constants = range(program.input_count, program.first_instruction)
        self._arrays = arrays
        self._scattered = scattered_vectors(program, arrays)
        """Vectors of every map that have to be gathered."""
        self._readers = Counter(v for vectors in self._scattered.values() for v in vectors)
        self._gathered: dict[Vector, Room] = {}
        self._empty: dict[int, list[Room]] = {}
        """Rooms that hold nothing any more, by their size."""
        self._rooms = 0
        self._needs = self._all_needs(fused)
        self._later = self._all_uses()
        self._held: set[int] = set()
        """Reals in registers."""
        self._truths: set[int] = set()
        """Truth values that are at hand."""
        self._kept = set(range(program.input_count))
        """Inputs and results of calls: they are in memory anyway."""
        self._slots: dict[int, int] = {}
        """Where other values are in memory."""
        self._free: list[int] = []
        self._count = 0
        self._passed: dict[Program, dict[int, int]] = {}
        """What lies in each place that a part reads."""
        self._given, self._postponed = self._all_outputs(in_place)
        self._plan()
        self._give_the_rest(in_place)

    def _plan(self) -> None:
        program, first, later = self._program, self._program.first_instruction, self._later
        for register, instruction in enumerate(program.instructions, first):
            if register in self._products:
                continue
            if instruction.operation == "result":
                self._kept.add(register)
                if register in self._given:
                    self._fetch((register,))
                self._finish(register)
                continue
            needs = self._needs[register - first]
            rooms: tuple[Room | None, ...] = ()
            if instruction.operation == "map":
                rooms = self._gather(register, instruction)
            elif instruction.part is not None:
                self._pass(instruction.part, instruction.arguments)
            else:
                self._fetch(needs)
            for needed in needs:
                later[needed].pop()
            is_real = program.kinds[register] == REAL
            if instruction.operation not in QUIET and self._capacity is not None:
                self._clear()
            elif is_real:
                # What is read for the last time leaves its register to the result.
                self._make_room(1 - sum(not later[r] for r in needs if r in self._held), needs)
            self.moves.append(Move("do", register, rooms=rooms))
            for needed in needs:
                if not later[needed]:
                    self._drop(needed)
            self._empty_rooms(self._scattered.get(register, ()))
            if instruction.part is None:
                (self._held if is_real else self._truths).add(register)
                self._finish(register)

    def _finish(self, register: int) -> None:
        """A value is there: give what can be given of it."""
        self.moves += [Move("give", register, k) for k in self._given.get(register, ())]
        if not self._later[register]:
            self._drop(register)

    def _give_the_rest(self, in_place: int) -> None:
        """Outputs that had to wait for the end."""
        outputs = self._program.outputs
        for register in {r: None for r, _ in self._postponed}:
            if register < in_place and outputs[register] != register:
                # It is about to be written over.
                self._fetch((register,))
                self._kept.remove(register)
                self._save(register)
        for register, k in self._postponed:
            if register not in self._constants:
                self._fetch((register,))
            self.moves.append(Move("give", register, k))

    def _all_outputs(self, in_place: int) -> tuple[dict[int, list[int]], list[tuple[int, int]]]:
        """What is given when it is there, by register, and what at the end: (register, output)."""
        program, first = self._program, self._program.first_instruction
        end = len(program.instructions)
        given: dict[int, list[int]] = {}
        postponed: list[tuple[int, int]] = []
        chosen = [(r, k) for k, r in enumerate(program.outputs) if k >= in_place or r != k]
        read_at_the_end = {r for r, _ in chosen if r < program.input_count}
        for register, k in chosen:
            uses = self._later[k] if k < in_place else []
            must_wait = bool(uses) and uses[0] > register - first
            if register < first or must_wait or (k < in_place and k in read_at_the_end):
                postponed.append((register, k))
            else:
                given.setdefault(register, []).append(k)
        for register in {r: None for r, _ in postponed}:
            self._later[register].insert(0, end)
        return given, postponed

    def _all_needs(self, fused: dict[int, int]) -> list[tuple[int, ...]]:
        """The registers other than constants that each instruction reads."""
        program, first = self._program, self._program.first_instruction
        inputs = program.input_count
        needs: list[tuple[int, ...]] = []
        gathered: set[Vector] = set()
        for register, instruction in enumerate(program.instructions, first):
            read = instruction.arguments
            product = fused.get(register)
            if product is not None:
                others = tuple(r for r in read if r != product)
                read = (*program.instructions[product - first].arguments, *others)
            elif register in self._products or instruction.operation == "result":
                read = ()
            elif register in self._scattered:
                # What was gathered for a map before is not needed again.
                vectors = self._scattered[register]
                again = {v for v in vectors if v in gathered}
                gathered.update(vectors)
                layout = layout_of(instruction)
                kept = [v for v in layout.vectors_in(read) if v not in again]
                read = (*itertools.chain(*kept), *layout.shared_in(read))
            needs.append(tuple({r: None for r in read if not inputs <= r < first}))
        return needs

    def _all_uses(self) -> list[list[int]]:
        """The instructions that read each register, the last of them first."""
        size = self._program.first_instruction + len(self._program.instructions)
        uses: list[list[int]] = [[] for _ in range(size)]
        for k in reversed(range(len(self._needs))):
            for register in self._needs[k]:
                uses[register].append(k)
        return uses

    def _fetch(self, needs: tuple[int, ...]) -> None:
        """Have all these values at hand."""
        missing = [r for r in needs if r not in self._held and r not in self._truths]
        if not missing:
            return
        self._make_room(len(missing), needs)
        for register in missing:
            self.moves.append(Move("load", register, self._slots.get(register, -1)))
            is_real = self._program.kinds[register] == REAL
            (self._held if is_real else self._truths).add(register)

    def _pass(self, part: Program, arguments: tuple[int, ...]) -> None:
        """Hand over what a part is called with, one after another: it may be more than fits."""
        places = self._passed.setdefault(part, {})
        place = 0
        while place < len(arguments):
            register = arguments[place]
            row = length_of_row(self._program, arguments, place, self._arrays)
            if row < LONG_ROW:
                row = 1
            given = dict(enumerate(arguments[place : place + row], place))
            if given.items() <= places.items():
                place += row
                continue
            if row == 1:
                if register not in self._constants:
                    self._fetch((register,))
                self.moves.append(Move("pass", register, place, part))
            else:
                self.moves.append(Move("copy", register, place, part, length=row))
            places |= given
            place += row

    def _gather(self, register: int, instruction: Instruction) -> tuple[Room | None, ...]:
        """Have the vectors of a map in memory, each in a row, and what its entries share at hand.

        Returns where those are that had to be gathered.
        """
        layout, scattered = layout_of(instruction), self._scattered[register]
        for vector in dict.fromkeys(scattered):
            if vector in self._gathered:
                continue
            empty = self._empty.setdefault(layout.entries, [])
            room = empty.pop() if empty else Room(self._rooms, layout.entries)
            self._rooms = max(self._rooms, room.number + 1)
            self._gathered[vector] = room
            for place, entry in enumerate(vector):
                if entry not in self._constants:
                    self._fetch((entry,))
                self.moves.append(Move("gather", entry, place, rooms=(room,)))
        shared = layout.shared_in(instruction.arguments)
        self._fetch(tuple({r: None for r in shared if r not in self._constants}))
        return tuple(self._gathered.get(v) for v in layout.vectors_in(instruction.arguments))

    def _empty_rooms(self, vectors: Sequence[Vector]) -> None:
        """Give up the rooms of gathered vectors that no map reads any more."""
        for vector in vectors:
            self._readers[vector] -= 1
            if not self._readers[vector]:
                room = self._gathered.pop(vector)
                self._empty[room.size].append(room)

    def _make_room(self, count: int, keep: tuple[int, ...]) -> None:
        """Make room for so many values; those to be kept stay."""
        later = self._later
        if self._capacity is None:
            return
        for _ in range(len(self._held) + count - self._capacity):
            others = [r for r in self._held if r not in keep]
            if not others:
                return
            # Of those needed again at the same time, the first: the choice is always the same.
            last = max(others, key=lambda r: (later[r][-1] if later[r] else NEVER, -r))
            self._save(last)
            self._held.remove(last)

    def _clear(self) -> None:
        """Before a function is called, which may use all registers."""
        for register in sorted(self._held):
            self._save(register)
        self._held.clear()

    def _save(self, register: int) -> None:
        """Store a value that is used again and is not in memory yet."""
        if not self._later[register] or register in self._slots or register in self._kept:
            return
        if not self._free:
            self._free.append(self._count)
            self._count += 1
        slot = self._slots[register] = self._free.pop()
        self.moves.append(Move("store", register, slot))

    def _drop(self, register: int) -> None:
        """A value is not needed any more."""
        self._held.discard(register)
        self._truths.discard(register)
        if register in self._slots:
            self._free.append(self._slots.pop(register))
        elif register in self._kept and register >= self._program.first_instruction:
            self.moves.append(Move("forget", register))
