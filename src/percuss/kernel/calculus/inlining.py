"""Programs emitted into a builder, and programs without holds."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.program import REAL, Builder, Program


def inline(builder: Builder, program: Program, inputs: Sequence[int]) -> list[int]:
    """Emit a program's instructions, its inputs taken from these registers.

    Returns the registers of its outputs. Constants among the inputs are folded, and what the
    builder already holds is shared.
    """
    registers = inlined_registers(builder, program, inputs)
    return [registers[output] for output in program.outputs]


def inlined_registers(builder: Builder, program: Program, inputs: Sequence[int]) -> list[int]:
    """As `inline`, but the builder's registers for all of the program's registers."""
    if len(inputs) != program.input_count:
        raise ValueError(f"the program takes {program.input_count} inputs, got {len(inputs)}")
    for position, register in enumerate(inputs):
        if builder.kind(register) != REAL:
            raise ValueError(
                f"input {position} is a {builder.kind(register)} value; a program takes reals"
            )
    registers = [*inputs, *map(builder.constant, program.constants)]
    emit = builder.emit
    for instruction in program.instructions:
        arguments = [registers[a] for a in instruction.arguments]
        if instruction.table:
            registers.append(emit(instruction.operation, *arguments, table=instruction.table))
        else:
            registers.append(emit(instruction.operation, *arguments))
    return registers


def without_holds(program: Program) -> Program:
    """The program with every `hold` replaced by its argument, for the back ends.

    Instructions that differed in their holds alone are shared again, so that the operations
    are those of a trace without holds; their order may differ where something that no output needs
    was computed before, which the program does not remember.
    """
    if "hold" not in program.counts:
        return program
    builder = Builder(program.input_count)
    registers = [*range(program.input_count), *map(builder.constant, program.constants)]
    for operation, arguments, table in program.instructions:
        moved = [registers[a] for a in arguments]
        held = operation == "hold"
        registers.append(moved[0] if held else builder.emit(operation, *moved, table=table))
    return builder.finish([registers[output] for output in program.outputs])
