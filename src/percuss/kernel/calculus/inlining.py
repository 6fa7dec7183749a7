"""Programs emitted into a builder, and programs without holds."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.program import COMMUTATIVE, REAL, Builder, Program


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


def finish_without_holds(builder: Builder, outputs: Sequence[int]) -> Program:
    """The program with these outputs, every `hold` replaced by its argument.

    Everything the builder was told is told again to another, so that the result is, instruction
    for instruction, what it would have been had no hold been written.
    """
    again = Builder(builder.input_count)
    registers = list(range(builder.input_count))
    for register in range(builder.input_count, builder.register_count):
        node, value = builder.node(register), builder.value(register)
        if value is not None:
            registers.append(again.constant(value))
        elif node is not None:
            arguments = [registers[a] for a in node.arguments]
            held = node.operation == "hold"
            registers.append(
                arguments[0] if held else again.emit(node.operation, *arguments, table=node.table)
            )
    return again.finish([registers[output] for output in outputs])


def without_holds(program: Program) -> Program:
    """The program with every `hold` replaced by its argument, for the back ends.

    Instructions that differed in their holds alone are shared again, so that the operations
    are those of a trace without holds. Their order, too, unless something that no output needs
    was computed before (the program does not remember it): `finish_without_holds` is exact.
    """
    if "hold" not in program.counts:
        return program
    builder = Builder(program.input_count)
    registers: list[int] = [*range(program.input_count), *[-1] * len(program.constants)]
    created = 0
    ready = _creation(program)
    for place, instruction in enumerate(program.instructions):
        while created < len(ready) and ready[created] <= place:
            registers[program.input_count + created] = builder.constant(program.constants[created])
            created += 1
        arguments = [registers[a] for a in instruction.arguments]
        if instruction.operation == "hold":
            registers.append(arguments[0])
        else:
            registers.append(
                builder.emit(instruction.operation, *arguments, table=instruction.table)
            )
    for k in range(created, len(ready)):
        registers[program.input_count + k] = builder.constant(program.constants[k])
    return builder.finish([registers[output] for output in program.outputs])


def _creation(program: Program) -> list[int]:
    """For every constant the latest instruction before which it must have been created.

    Builders sort the operands of a sum or product by age: a constant that stands first is older
    than the other operand. Constants themselves are listed by age.
    """
    first, count = program.first_instruction, len(program.constants)
    latest = [len(program.instructions)] * count
    for place, instruction in enumerate(program.instructions):
        for position, register in enumerate(instruction.arguments):
            k = register - program.input_count
            if not 0 <= k < count:
                continue
            bound = place
            if position == 0 and instruction.operation in COMMUTATIVE:
                bound = min(bound, max(instruction.arguments[1] - first, 0))
            latest[k] = min(latest[k], bound)
    for k in range(count - 2, -1, -1):
        latest[k] = min(latest[k], latest[k + 1])
    return latest
