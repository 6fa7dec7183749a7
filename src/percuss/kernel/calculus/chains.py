"""Sums of products in an order in which products are fused with the sum before them.

A processor computes a·b + c in one instruction. In (a·b + c·d) + (e·f + g·h) each bracket begins
with a product of its own, and an addition joins them: five instructions. As
((a·b + c·d) + e·f) + g·h it is four. A GPU, whose arithmetic is the bottleneck, makes a step of a
seven-joint arm 8 % sooner; a processor, which has to wait for the sum before, does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from percuss.kernel.builder import Builder
from percuss.kernel.program import Program

_SUMS = ("add", "sub")
_Terms = list[tuple[str, int]]
"""Products with how each is added, "add" or "sub"; the first is added."""

_FEW = 3
"""Products, of a dot product say, that are added one by one to what is not a product.

Where that is much larger than they are, each addition rounds to its digits. The sums over the
stages of an integrator are longer; they are small beside the state and stay in their brackets.
"""


def with_chained_sums(program: Program) -> Program:
    """The program, its parts too, with sums of products written as chains.

    A sum is taken apart only where nothing else reads it, it consists of products that nothing else
    reads, and it is added to another such sum or consists of few: each saves one addition. Numbers
    change by rounding.
    """
    changed: dict[Program, Program] = {}
    for part in program.parts:  # those that it calls come first
        changed[part] = _chained(part, changed)
    return _chained(program, changed)


def _chained(program: Program, changed: Mapping[Program, Program]) -> Program:
    """The program with such sums, and its parts replaced."""
    uses = Counter(a for i in program.instructions for a in i.arguments)
    uses.update(program.outputs)
    first = program.first_instruction
    added = {a for i in program.instructions if i.operation in _SUMS for a in i.arguments}
    builder = Builder(program.input_count)
    registers = [*range(program.input_count), *map(builder.constant, program.constants)]
    # Registers that are sums of products, not written yet.
    products: dict[int, _Terms] = {}
    for register, instruction in enumerate(program.instructions, first):
        moved = [registers[a] for a in instruction.arguments]
        lone = uses[register] == 1 and register in added
        if instruction.operation in _SUMS:
            left, right = (products.pop(a, None) for a in instruction.arguments)
            if right is not None and instruction.operation == "sub":
                right = [("sub" if how == "add" else "add", product) for how, product in right]
            if left is not None and right is not None and lone:
                products[register] = left + right
                registers.append(-1)  # read by the sum that takes it in
            else:
                registers.append(_sum(builder, instruction.operation, moved, left, right=right))
            continue
        if instruction.part is not None:
            instruction = instruction._replace(part=changed[instruction.part])
        registers.append(builder.repeat(instruction, moved))
        if instruction.operation == "mul" and lone:
            products[register] = [("add", registers[-1])]
    return builder.finish([registers[output] for output in program.outputs])


def _sum(
    builder: Builder, operation: str, moved: list[int], left: _Terms | None, *, right: _Terms | None
) -> int:
    """The register of a sum or difference; `right` has the signs with which it is added."""
    if left is not None and right is not None:
        return _chain(builder, left[0][1], left[1:] + right)
    if left is not None:
        if len(left) <= _FEW:
            return _chain(builder, builder.emit(operation, left[0][1], moved[1]), left[1:])
        return builder.emit(operation, _chain(builder, left[0][1], left[1:]), moved[1])
    if right is None:
        return builder.emit(operation, *moved)
    if len(right) <= _FEW:
        return _chain(builder, moved[0], right)
    # Its first product is added like the sum as a whole: the others relative to that.
    relative = [("add" if how == right[0][0] else "sub", product) for how, product in right[1:]]
    return builder.emit(operation, moved[0], _chain(builder, right[0][1], relative))


def _chain(builder: Builder, total: int, terms: _Terms) -> int:
    """The sum of a register and of products."""
    for how, product in terms:
        total = builder.emit(how, total, product)
    return total
