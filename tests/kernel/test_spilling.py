"""Values in registers and in memory: few enough, at hand when needed, and the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.backends import llvm
from percuss.kernel.backends.interpreter import FUNCTIONS, interpret, look_up
from percuss.kernel.backends.moves import Move, Room, fused_products
from percuss.kernel.backends.spilling import QUIET, moves
from percuss.kernel.builder import Builder
from percuss.kernel.calculus.inlining import without_holds
from percuss.kernel.maps import layout_of
from percuss.kernel.program import REAL, Program
from tests.kernel.programs_with_calls import program_with_calls
from tests.kernel.programs_with_maps import program_with_maps
from tests.kernel.random_programs import random_program

seeds = st.integers(0, 2**32 - 1)
Values = Sequence[np.ndarray]


def some_program(seed: int) -> Program:
    if seed % 3 == 0:
        return program_with_maps(seed, 9)
    if seed % 2:
        return without_holds(program_with_calls(seed, 5, 30))
    return random_program(np.random.default_rng(seed), 5, 150)


class Machine:
    """Follows moves on plain numbers, and notes when each value was in a register."""

    def __init__(
        self, program: Program, fused: dict[int, int], inputs: Values, in_place: int
    ) -> None:
        self.program, self.fused, self.in_place = program, fused, in_place
        self.inputs = list(inputs)
        self.values: dict[int, np.ndarray] = {
            k: np.full(len(inputs[0]), constant)
            for k, constant in enumerate(program.constants, program.input_count)
        }
        self.slots: dict[int, np.ndarray] = {}
        self.arguments: dict[tuple[Program, int], np.ndarray] = {}
        self.rooms: dict[tuple[int, int], np.ndarray] = {}
        self.results: dict[int, list[np.ndarray]] = {}
        self.outputs: dict[int, np.ndarray] = {}
        self.stays: list[tuple[int, int, int]] = []
        """Register, when its value came, when it was last read."""
        self.open: dict[int, tuple[int, int]] = {}
        self.calls: list[int] = []
        self.now = 0

    def follow(self, move: Move) -> None:
        self.now += 1
        what, register, slot, part, rooms, length = move
        if what == "load":
            self._hold(register, self.slots[slot] if slot >= 0 else self._kept(register))
        elif what == "store":
            self.slots[slot] = self._read(register)
        elif what == "give":
            self.outputs[slot] = self._read(register)
            if slot < self.in_place:
                self.inputs[slot] = self.outputs[slot]
        elif what == "pass":
            assert part is not None
            self.arguments[part, slot] = self._read(register)
        elif what == "copy":
            assert part is not None
            for k, value in enumerate(self._row(register, length)):
                self.arguments[part, slot + k] = value
        elif what == "gather":
            assert rooms[0] is not None
            self.rooms[rooms[0].number, slot] = self._read(register)
        elif what == "do":
            self._do(register, rooms)

    def _kept(self, register: int) -> np.ndarray:
        """An input or a result of a call, which are in memory."""
        if register < self.program.input_count:
            return self.inputs[register]
        result = self.program.instructions[register - self.program.first_instruction]
        return self.results[result.arguments[0]][int(result.table[0])]

    def _row(self, register: int, count: int) -> list[np.ndarray]:
        """Values in a row in memory, beginning with a register's."""
        if register < self.program.input_count:
            return self.inputs[register : register + count]
        result = self.program.instructions[register - self.program.first_instruction]
        first = int(result.table[0])
        return self.results[result.arguments[0]][first : first + count]

    def _map(self, register: int, rooms: Sequence[Room | None]) -> None:
        instruction = self.program.instructions[register - self.program.first_instruction]
        layout, body = layout_of(instruction), instruction.part
        assert body is not None
        vectors = [
            self._row(vector[0], layout.entries)
            if room is None
            else [self.rooms[room.number, k] for k in range(layout.entries)]
            for vector, room in zip(layout.vectors_in(instruction.arguments), rooms, strict=True)
        ]
        shared = [self._read(r) for r in layout.shared_in(instruction.arguments)]
        found = [
            interpret(body, [*(vector[k] for vector in vectors), *shared])
            for k in range(layout.entries)
        ]
        self.results[register] = [np.asarray(r) for row in zip(*found, strict=True) for r in row]

    def _do(self, register: int, rooms: Sequence[Room | None]) -> None:
        instruction = self.program.instructions[register - self.program.first_instruction]
        if instruction.operation not in QUIET:
            self.calls.append(self.now)
        if instruction.operation == "map":
            self._map(register, rooms)
            return
        if instruction.part is not None:
            part = instruction.part
            given = [self.arguments[part, k] for k in range(part.input_count)]
            self.results[register] = [np.asarray(r) for r in interpret(part, given)]
            return
        product = self.fused.get(register)
        if product is not None:
            factors = self.program.instructions[product - self.program.first_instruction].arguments
            self.values[product] = self._read(factors[0]) * self._read(factors[1])
            self.open[product] = self.now, self.now
        values = [self._read(r) for r in instruction.arguments]
        if product is not None:
            del self.open[product]
        if instruction.operation == "lookup":
            self._hold(register, look_up(values[0], instruction.table))
        else:
            self._hold(register, FUNCTIONS[instruction.operation](*values))

    def _hold(self, register: int, value: np.ndarray) -> None:
        self._close(register)
        self.values[register] = value
        self.open[register] = self.now, self.now

    def _read(self, register: int) -> np.ndarray:
        if self.program.input_count <= register < self.program.first_instruction:
            return self.values[register]
        came, _ = self.open[register]
        self.open[register] = came, self.now
        return self.values[register]

    def _close(self, register: int) -> None:
        if register in self.open:
            came, read = self.open.pop(register)
            if self.program.kinds[register] == REAL:
                self.stays.append((register, came, read))

    def end(self) -> None:
        for register in list(self.open):
            self._close(register)


def with_other_outputs(program: Program, rng: np.random.Generator) -> Program:
    """As a step of an iteration may have them: inputs, at their place or another, and constants."""
    reals = [r for r, kind in enumerate(program.kinds) if kind == REAL]
    outputs = [int(rng.choice(reals)) for _ in range(program.input_count)]
    for k in range(program.input_count):
        if rng.random() < 0.5:
            outputs[k] = int(rng.integers(program.first_instruction))
        if rng.random() < 0.3:
            outputs[k] = k
    return replace(program, outputs=(*outputs, *program.outputs))


@given(seeds, st.sampled_from([4, 5, 8, 14, 30]), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_values_fit_the_registers_and_are_the_right_ones(
    seed: int, registers: int, fuses: bool, steps: bool
) -> None:
    program = some_program(seed)
    if steps:
        program = with_other_outputs(program, np.random.default_rng(seed))
    in_place = program.input_count if steps else 0
    fused = fused_products(program) if fuses else {}
    inputs = list(np.random.default_rng(seed).uniform(-2, 2, (program.input_count, 3)))
    machine = Machine(program, fused, inputs, in_place)
    rows = [range(program.input_count)] if seed % 2 else []
    for move in moves(program, registers, fused, in_place, arrays=rows):
        machine.follow(move)
    machine.end()
    for k, value in enumerate(interpret(program, inputs)):
        found = machine.inputs[k] if k < in_place else machine.outputs[k]
        np.testing.assert_array_equal(found, np.broadcast_to(value, 3))
    pressure = np.zeros(machine.now + 2, int)
    for _, came, read in machine.stays:
        pressure[came:read] += 1
    assert pressure.max() <= registers
    for call in machine.calls:
        crossing = [r for r, came, read in machine.stays if came < call < read]
        assert not crossing, "a value is kept in a register while a function is called"


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_bits_do_not_depend_on_the_number_of_registers(seed: int) -> None:
    program = some_program(seed)
    inputs = np.random.default_rng(seed).uniform(-2, 2, (program.input_count, 16))
    host, found = llvm.host_target(), []
    for registers in (6, 16, 32):
        with pytest.MonkeyPatch.context() as patch:
            target = replace(host, registers=registers)
            patch.setattr(llvm, "host_target", lambda *_, target=target: target)
            outputs = np.empty((len(program.outputs), 16))
            llvm.LlvmProgram(program)(list(inputs), list(outputs))
            found.append(outputs)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_a_product_that_is_only_added_is_fused_and_no_other() -> None:
    builder = Builder(3)
    once = builder.emit("mul", 0, 1)
    twice = builder.emit("mul", 1, 2)
    fused = builder.emit("sub", 2, once)
    plain = builder.emit("add", twice, fused)
    program = builder.finish([plain, twice])
    assert fused_products(program) == {fused: once}
