"""Programs emitted into a builder, programs without holds, and programs whose calls are inlined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from percuss.kernel.builder import Builder
from percuss.kernel.program import Program


def inline(builder: Builder, program: Program, inputs: Sequence[int]) -> list[int]:
    """Emit a program's instructions, its inputs taken from these registers.

    Returns the registers of its outputs. Constants among the inputs are folded, and what the
    builder already holds is shared.
    """
    registers = builder.registers_of(program, inputs)
    return [registers[output] for output in program.outputs]


def without_holds(program: Program) -> Program:
    """The program with every `hold` replaced by its argument, for the back ends.

    Instructions that differed in their holds alone are shared again, so that the operations
    are those of a trace without holds; their order may differ where something that no output needs
    was computed before, which the program does not remember.
    """
    return program if "hold" not in program.counts else _without_holds(program)


@lru_cache(maxsize=16)
def _without_holds(program: Program) -> Program:
    builder = Builder(program.input_count)
    registers = [*range(program.input_count), *map(builder.constant, program.constants)]
    for instruction in program.instructions:
        moved = [registers[a] for a in instruction.arguments]
        if instruction.operation == "hold":
            registers.append(moved[0])
            continue
        if instruction.part is not None:
            instruction = instruction._replace(part=without_holds(instruction.part))
        registers.append(builder.repeat(instruction, moved))
    return builder.finish([registers[output] for output in program.outputs])


def expanded(program: Program) -> Program:
    """The program without calls: all parts are written out where they are used."""
    if not program.parts:
        return program
    return _with_inlined(program, program.parts)


def with_single_calls_inlined(program: Program) -> Program:
    """The program in which a part that is called at one place only is written out there.

    A call saves nothing then, and hides from the compiler what its surroundings know.
    """
    # What a part calls is called as often wherever the part is written out.
    calls = Counter(
        instruction.part
        for caller in (program, *program.parts)
        for instruction in caller.instructions
        if instruction.part is not None
    )
    single = {part for part, count in calls.items() if count == 1}
    return _with_inlined(program, single) if single else program


def _with_inlined(program: Program, chosen: Collection[Program]) -> Program:
    """The program with the chosen parts written out, in its other parts too."""
    changed: dict[Program, Program] = {}

    def of(part: Program) -> Program:
        if part not in changed:
            changed[part] = _inlined_here(part, chosen, of)
        return changed[part]

    return of(program)


def _inlined_here(
    program: Program, chosen: Collection[Program], of: Callable[[Program], Program]
) -> Program:
    if not program.parts:
        return program
    builder = Builder(program.input_count)
    registers = [*range(program.input_count), *map(builder.constant, program.constants)]
    written: dict[int, list[int]] = {}
    for place, instruction in enumerate(program.instructions, program.first_instruction):
        call = instruction.arguments[0] if instruction.operation == "result" else None
        if call in written:
            registers.append(written[call][int(instruction.table[0])])
            continue
        moved = [registers[a] for a in instruction.arguments]
        if instruction.part is not None:
            part = of(instruction.part)
            if instruction.part in chosen:
                written[place] = inline(builder, part, moved)
                registers.append(-1)  # read by its results alone
                continue
            instruction = instruction._replace(part=part)
        registers.append(builder.repeat(instruction, moved))
    return builder.finish([registers[output] for output in program.outputs])
