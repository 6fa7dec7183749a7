"""Tangents: derivatives along a direction, computed beside the function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from percuss.kernel.calculus.flow import influence
from percuss.kernel.calculus.inlining import inlined_registers
from percuss.kernel.calculus.powers import power_rule, powers
from percuss.kernel.calculus.rules import RULES, Rule, radius_squared
from percuss.kernel.calculus.signed import Linear, Signed, minus
from percuss.kernel.program import Builder, Program

Movement = Callable[[Linear, tuple[int, ...], int, Sequence[Signed]], Signed]
"""The tangent of a result from the registers of arguments and result and their tangents."""


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


@dataclass(frozen=True, slots=True)
class _Step:
    """An instruction that carries derivatives: where it is, what it reads and how it moves."""

    register: int
    arguments: tuple[int, ...]
    values: tuple[int, ...]
    result: int
    move: Movement


class Directional:
    """The derivative of a program that was emitted, along any number of directions."""

    def __init__(self, builder: Builder, program: Program, registers: Sequence[int]) -> None:
        self._linear = Linear(builder)
        self._program = program
        self._steps = _steps(program, registers)

    def along(self, tangents: Sequence[int | None]) -> list[int | None]:
        """The registers of the outputs' derivatives along a direction, None for zeros."""
        program, linear = self._program, self._linear
        if len(tangents) != program.input_count:
            raise ValueError(
                f"the program takes {program.input_count} inputs, got {len(tangents)} tangents"
            )
        moved: list[Signed] = [None] * (program.first_instruction + program.operation_count)
        moved[: program.input_count] = tangents
        for step in self._steps:
            known = [moved[argument] for argument in step.arguments]
            for t in known:
                if t is not None:
                    moved[step.register] = step.move(linear, step.values, step.result, known)
                    break
        slopes = [moved[output] for output in program.outputs]
        return [None if slope is None else linear.stored(slope) for slope in slopes]


def _steps(program: Program, registers: Sequence[int]) -> list[_Step]:
    """Only for instructions that move an output."""
    hidden, needed = powers(program), influence(program, program.outputs)
    steps: list[_Step] = []
    for register, instruction in enumerate(program.instructions, program.first_instruction):
        if needed[register] and instruction.operation in MOVEMENTS:
            root = hidden.get(register)
            if root is None:
                arguments, move = instruction.arguments, MOVEMENTS[instruction.operation]
            else:
                arguments, move = (root.base,), _power(root.exponent)
            values = tuple([registers[a] for a in arguments])
            steps.append(_Step(register, arguments, values, registers[register], move))
    return steps


# --- how a result moves with its arguments ------------------------------------------------------


def _power(exponent: float) -> Movement:
    def move(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        assert t[0] is not None
        return power_rule(e, x[0], y, exponent, t[0])

    return move


def _partials(rules: Sequence[Rule | None]) -> Movement:
    """The sum over the arguments."""

    def move(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        total: Signed = None
        for rule, value in zip(rules, t, strict=True):
            if rule is not None and value is not None:
                total = e.plus(total, rule(e, x, y, value))
        return total

    return move


def _one(rule: Rule) -> Movement:
    def move(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        assert t[0] is not None
        return rule(e, x, y, t[0])

    return move


def _sum(e: Linear, _: tuple[int, ...], __: int, t: Sequence[Signed]) -> Signed:
    return e.plus(t[0], t[1])


def _difference(e: Linear, _: tuple[int, ...], __: int, t: Sequence[Signed]) -> Signed:
    return e.plus(t[0], minus(t[1]))


def _product(e: Linear, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
    return e.plus(e.times(x[1], t[0]), e.times(x[0], t[1]))


def _quotient(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
    """(dx - y dz) / z for y = x / z: three instructions."""
    return e.over(e.plus(t[0], minus(e.times(y, t[1]))), x[1])


def _angle(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
    """One division where both move."""
    if t[0] is None or t[1] is None:
        return _partials(RULES["atan2"])(e, x, y, t)
    turned = e.plus(e.times(x[1], t[0]), minus(e.times(x[0], t[1])))
    return e.over(turned, radius_squared(e, x))


def _extreme(operation: str, better: str) -> Movement:
    def move(e: Linear, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        if t[0] is None or t[1] is None:
            return _partials(RULES[operation])(e, x, y, t)
        between = e.times(e.constant(0.5), e.plus(t[0], t[1]))
        clear = e.choose(e.emit(better, x[0], x[1]), t[0], t[1])
        return e.choose(e.emit("eq", x[0], x[1]), between, clear)

    return move


def _choice(e: Linear, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
    return e.choose(x[0], t[1], t[2])


MOVEMENTS: dict[str, Movement] = (
    {name: _one(rules[0]) for name, rules in RULES.items() if len(rules) == 1 and rules[0]}
    | {name: _partials(rules) for name, rules in RULES.items() if len(rules) > 1}
    | {
        "add": _sum,
        "sub": _difference,
        "mul": _product,
        "div": _quotient,
        "atan2": _angle,
        "min": _extreme("min", "lt"),
        "max": _extreme("max", "gt"),
        "select": _choice,
    }
)
"""By operation; some results move more cheaply with all arguments at once than with each."""


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
