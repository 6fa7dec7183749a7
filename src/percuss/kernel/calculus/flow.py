"""Which registers a derivative can reach: dependence through differentiable paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from percuss.kernel.calculus.rules import RULES
from percuss.kernel.program import Instruction, Program


def carriers(program: Program, instruction: Instruction) -> tuple[int, ...]:
    """The arguments of an instruction through which a derivative passes."""
    rules = RULES.get(instruction.operation)
    if rules is None:
        return ()
    a = instruction.arguments
    if instruction.operation == "pow":
        place = a[1] - program.input_count
        if 0 <= place < len(program.constants) and program.constants[place] == 0.0:
            return (a[1],)
    if None not in rules:
        return a
    return tuple(r for r, rule in zip(a, rules, strict=True) if rule is not None)


def dependence(program: Program, inputs: Sequence[int]) -> list[int]:
    """For every register the inputs it depends on, as a set of bits.

    Bit k of a set stands for inputs[k]; inputs that are not listed count as constants.
    """
    reached = [0] * program.first_instruction
    for bit, register in enumerate(inputs):
        reached[register] |= 1 << bit
    for instruction in program.instructions:
        bits = 0
        for argument in carriers(program, instruction):
            bits |= reached[argument]
        reached.append(bits)
    return reached


def influence(program: Program, outputs: Iterable[int]) -> bytearray:
    """For every register whether some output given by its register depends on it."""
    first = program.first_instruction
    needed = bytearray(first + len(program.instructions))
    for register in outputs:
        needed[register] = 1
    for place in range(len(program.instructions) - 1, -1, -1):
        if needed[first + place]:
            for argument in carriers(program, program.instructions[place]):
                needed[argument] = 1
    return needed
