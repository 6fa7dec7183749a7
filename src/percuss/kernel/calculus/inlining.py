"""Programs emitted into a builder, without holds, and with their calls and maps written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from percuss.kernel.builder import Builder
from percuss.kernel.maps import MapLayout, layout_of
from percuss.kernel.program import Instruction, Program

Chosen = Callable[[Instruction, Program], bool]
"""Whether a call or a map is written out, from itself and from what its part has become."""


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
    """The program without calls and maps: all parts are written out where they are used."""
    if not program.parts:
        return program
    return _with_inlined(program, lambda _call, _part: True)


def without_maps(program: Program) -> Program:
    """The program with what its maps do written out, entry by entry."""
    return _without_maps(program) if _has_maps(program) else program


def _has_maps(program: Program) -> bool:
    return any(
        instruction.operation == "map"
        for caller in (program, *program.parts)
        for instruction in caller.instructions
    )


@lru_cache(maxsize=16)
def _without_maps(program: Program) -> Program:
    return _with_inlined(program, lambda instruction, _part: instruction.operation == "map")


def with_single_calls_inlined(program: Program, elsewhere: Collection[Program] = ()) -> Program:
    """The program in which a part that is called at one place only is written out there.

    A call saves nothing then, and hides from the compiler what its surroundings know. Parts that
    are called `elsewhere` in the same kernel, too, stay as they are.
    """
    # What a part calls is called as often wherever the part is written out.
    calls = Counter(
        instruction.part
        for caller in (program, *program.parts)
        for instruction in caller.instructions
        if instruction.operation == "call"
    )
    single = {part for part, count in calls.items() if count == 1}
    if not single:
        return program

    def chosen(call: Instruction, part: Program) -> bool:
        return call.operation == "call" and call.part in single and part not in elsewhere

    return _with_inlined(program, chosen)


def _with_inlined(program: Program, chosen: Chosen) -> Program:
    """The program with the chosen calls and maps written out, in its other parts too."""
    changed: dict[Program, Program] = {}

    def of(part: Program) -> Program:
        if part not in changed:
            changed[part] = _inlined_here(part, chosen, of)
        return changed[part]

    return of(program)


def _inlined_here(program: Program, chosen: Chosen, of: Callable[[Program], Program]) -> Program:
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
            if chosen(instruction, part):
                layout = layout_of(instruction) if instruction.operation == "map" else None
                written[place] = _written_out(builder, part, layout, moved)
                registers.append(-1)  # read by its results alone
                continue
            instruction = instruction._replace(part=part)
        registers.append(builder.repeat(instruction, moved))
    return builder.finish([registers[output] for output in program.outputs])


def _written_out(
    builder: Builder, part: Program, layout: MapLayout | None, arguments: Sequence[int]
) -> list[int]:
    """The registers of the results of a call, or of a map with a layout."""
    if layout is None:
        return inline(builder, part, arguments)
    entries = range(layout.entries)
    found = [inline(builder, part, layout.inputs_of(entry, arguments)) for entry in entries]
    return [register for registers in zip(*found, strict=True) for register in registers]
