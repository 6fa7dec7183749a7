"""Tangents: derivatives along a direction, computed beside the function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from percuss.kernel.calculus.flow import influence
from percuss.kernel.calculus.inlining import inlined_registers
from percuss.kernel.calculus.powers import power_rule, powers
from percuss.kernel.calculus.rules import RULES, radius_squared
from percuss.kernel.calculus.signed import Linear, Signed, minus
from percuss.kernel.program import Builder, Program


def push_forward(
    builder: Builder, program: Program, inputs: Sequence[int], tangents: Sequence[int | None]
) -> tuple[list[int], list[int | None]]:
    """Emit a program and its derivative along one direction.

    Args:
        builder: what is emitted into; registers it already holds are shared.
        program: the function.
        inputs: the registers of its arguments.
        tangents: the registers of the direction's entries, None for those that are zero: no
            instruction is spent on them.

    Returns:
        The registers of the outputs and of their derivatives, None for those that are zero
        whatever the inputs are (truth values among them).
    """
    registers = inlined_registers(builder, program, inputs)
    return (
        [registers[output] for output in program.outputs],
        Directional(builder, program, registers).along(tangents),
    )


class Directional:
    """The derivative of a program that was emitted, along any number of directions."""

    def __init__(self, builder: Builder, program: Program, registers: Sequence[int]) -> None:
        self._linear = Linear(builder)
        self._program = program
        self._registers = registers
        self._powers = powers(program)
        self._needed = influence(program, program.outputs)

    def along(self, tangents: Sequence[int | None]) -> list[int | None]:
        """The registers of the outputs' derivatives along a direction, None for zeros."""
        program, linear = self._program, self._linear
        if len(tangents) != program.input_count:
            raise ValueError(
                f"the program takes {program.input_count} inputs, got {len(tangents)} tangents"
            )
        moved: list[Signed] = [*tangents, *[None] * len(program.constants)]
        for place in range(len(program.instructions)):
            moved.append(self._moved(place, moved))
        slopes = [moved[output] for output in program.outputs]
        return [None if slope is None else linear.stored(slope) for slope in slopes]

    def _moved(self, place: int, moved: list[Signed]) -> Signed:
        """The tangent of the result of the instruction at a place."""
        register = self._program.first_instruction + place
        if not self._needed[register]:
            return None
        instruction = self._program.instructions[place]
        rules = RULES.get(instruction.operation)
        if rules is None:
            return None
        arguments = instruction.arguments
        known = [moved[a] for a in arguments]
        if all(t is None for t in known):
            return None
        registers, linear = self._registers, self._linear
        result = registers[register]
        root = self._powers.get(register)
        if root is not None:
            t = moved[root.base]
            if t is None:
                return None
            return power_rule(linear, registers[root.base], result, root.exponent, t)
        values = tuple([registers[a] for a in arguments])
        joint = JOINT.get(instruction.operation)
        if joint is not None and None not in known[-2:]:
            return joint(linear, values, result, known)
        total: Signed = None
        for rule, t in zip(rules, known, strict=True):
            if rule is not None and t is not None:
                total = linear.plus(total, rule(linear, values, result, t))
        return total


# --- operations that move more cheaply when both arguments move --------------------------------


def _quotient(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
    return e.over(e.plus(t[0], minus(e.times(y, t[1]))), x[1])


def _angle(e: Linear, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
    turned = e.plus(e.times(x[1], t[0]), minus(e.times(x[0], t[1])))
    return e.over(turned, radius_squared(e, x))


def _extreme(better: str) -> Callable[[Linear, tuple[int, ...], int, Sequence[Signed]], Signed]:
    def joint(e: Linear, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
        between = e.times(e.constant(0.5), e.plus(t[0], t[1]))
        clear = e.choose(e.emit(better, x[0], x[1]), t[0], t[1])
        return e.choose(e.emit("eq", x[0], x[1]), between, clear)

    return joint


def _choice(e: Linear, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
    return e.choose(x[0], t[1], t[2])


JOINT = {
    "div": _quotient,
    "atan2": _angle,
    "min": _extreme("lt"),
    "max": _extreme("gt"),
    "select": _choice,
}


def tangent(program: Program) -> Program:
    """Inputs (x, dx), outputs (y, dy) with dy the derivative of y along dx.

    A tangent of a truth value is zero.
    """
    count = program.input_count
    builder = Builder(2 * count)
    values, slopes = push_forward(builder, program, range(count), range(count, 2 * count))
    return builder.finish([*values, *(_stored(builder, slope) for slope in slopes)])


def _stored(builder: Builder, slope: int | None) -> int:
    return builder.constant(0.0) if slope is None else slope
