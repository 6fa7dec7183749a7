"""Powers hidden in multiplications: x·x·x has the derivative 3 x², not three products' sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from percuss.kernel.calculus.signed import Signed, SignedSums, minus
from percuss.kernel.program import Instruction, Program


@dataclass(frozen=True, slots=True)
class Power:
    """A register that holds (register `base`) to the power `exponent`."""

    base: int
    exponent: float


def powers(program: Program) -> dict[int, Power]:
    """Registers written by multiplications and divisions alone that are powers of another.

    A square or a cube always is one. Of longer chains only those are, whose links nothing else
    reads: the derivative of a link that is needed anyway is the cheaper way.
    """
    first = program.first_instruction
    uses = _readers(program)
    found: dict[int, Power] = {}
    for register, instruction in enumerate(program.instructions, start=first):
        if instruction.operation == "mul":
            product = _product(instruction, found, uses)
            if product is not None:
                found[register] = product
        elif instruction.operation == "div" and _is_one(program, instruction.arguments[0]):
            found[register] = _reciprocal(program, instruction.arguments[1], found, uses)
    return found


def _readers(program: Program) -> list[int]:
    """How many instructions and outputs read each register."""
    uses = [0] * (program.first_instruction + len(program.instructions))
    for output in program.outputs:
        uses[output] += 1
    for instruction in program.instructions:
        a = instruction.arguments
        for position, register in enumerate(a):
            uses[register] += register not in a[:position]
    return uses


def _is_one(program: Program, register: int) -> bool:
    place = register - program.input_count
    return 0 <= place < len(program.constants) and program.constants[place] == 1.0


def _product(
    instruction: Instruction, found: dict[int, Power], uses: Sequence[int]
) -> Power | None:
    a, b = instruction.arguments
    if a != b and a not in found and b not in found:
        return None
    left, right = (found.get(r, Power(r, 1.0)) for r in (a, b))
    if left.base == right.base and left.exponent > 0 and right.exponent > 0:
        exponent = left.exponent + right.exponent
        if exponent <= 3.0 or all(uses[r] == 1 or r == left.base for r in (a, b)):
            return Power(left.base, exponent)
    return Power(a, 2.0) if a == b else None


def _reciprocal(
    program: Program, divisor: int, found: dict[int, Power], uses: Sequence[int]
) -> Power:
    if uses[divisor] == 1 and divisor >= program.first_instruction:
        inner = found.get(divisor)
        if inner is not None and inner.exponent > 0:
            return Power(inner.base, -inner.exponent)
        instruction = program.instructions[divisor - program.first_instruction]
        if instruction.operation == "sqrt":
            return Power(instruction.arguments[0], -0.5)
    return Power(divisor, -1.0)


def power_rule(e: SignedSums, x: int, y: int, exponent: float, *, t: int) -> Signed:
    """Exponent · y / x · t for y = x to the power `exponent`."""
    if exponent == -1.0:
        return minus(e.times(e.emit("mul", y, y), t))
    if exponent < 0.0:
        return e.times(e.emit("mul", e.constant(exponent), e.emit("div", y, x)), t)
    return e.times(e.emit("mul", e.constant(exponent), _whole_power(e, x, int(exponent) - 1)), t)


def _whole_power(e: SignedSums, x: int, exponent: int) -> int:
    """By squaring, in the order in which traced powers are computed, so that they are shared."""
    if exponent == 1:
        return x
    square = e.emit("mul", x, x)
    if exponent & 1:
        return _multiplied(e, x, square, exponent >> 1)
    return _whole_power(e, square, exponent >> 1)


def _multiplied(e: SignedSums, result: int, x: int, exponent: int) -> int:
    """Result · x to the power `exponent`."""
    while exponent:
        if exponent & 1:
            result = e.emit("mul", result, x)
        exponent >>= 1
        if exponent:
            x = e.emit("mul", x, x)
    return result
