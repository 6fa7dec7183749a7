"""Tangents: derivatives along a direction, computed beside the function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from percuss.kernel.builder import Builder
from percuss.kernel.calculus.flow import influence
from percuss.kernel.calculus.inlining import without_maps
from percuss.kernel.calculus.powers import Power, power_rule, powers
from percuss.kernel.calculus.rules import RULES, Rule, radius_squared
from percuss.kernel.calculus.signed import Signed, SignedSums, minus
from percuss.kernel.program import Instruction, Program

Movement = Callable[[SignedSums, tuple[int, ...], int, Sequence[Signed]], Signed]
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
    return _Pair(builder).of(program, inputs, tangents)


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
        self._linear = SignedSums(builder)
        self._program = program
        self._steps = _steps(program, registers)

    def along(self, tangents: Sequence[int | None]) -> list[int | None]:
        """The registers of the outputs' derivatives along a direction, None for zeros."""
        program, linear = self._program, self._linear
        _check_tangents(program, tangents)
        moved: list[Signed] = [None] * (program.first_instruction + len(program.instructions))
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
            arguments, move = _movement(instruction, hidden.get(register))
            values = tuple([registers[a] for a in arguments])
            steps.append(
                _Step(
                    register=register,
                    arguments=arguments,
                    values=values,
                    result=registers[register],
                    move=move,
                )
            )
    return steps


def _movement(instruction: Instruction, root: Power | None) -> tuple[tuple[int, ...], Movement]:
    """What the derivative of an instruction's result is made of, and how."""
    if root is not None:
        return (root.base,), _power(root.exponent)
    return instruction.arguments, MOVEMENTS[instruction.operation]


def _check_tangents(program: Program, tangents: Sequence[int | None]) -> None:
    if len(tangents) != program.input_count:
        raise ValueError(
            f"the program takes {program.input_count} inputs, got {len(tangents)} tangents"
        )


# --- one direction ------------------------------------------------------------------------------


class _Pair:
    """Emits a program and its derivative along one direction, instruction by instruction.

    So a value is not kept until the whole function is computed, which compilers and processors
    like better. A call whose arguments move becomes one call of the part's own tangent, which
    gives both.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._linear = SignedSums(builder)

    def of(
        self, program: Program, inputs: Sequence[int], tangents: Sequence[int | None]
    ) -> tuple[list[int], list[int | None]]:
        program = without_maps(program)
        builder, linear, hidden = self._builder, self._linear, powers(program)
        builder.check_inputs(program, inputs)
        _check_tangents(program, tangents)
        values = [*inputs, *map(builder.constant, program.constants)]
        moved: list[Signed] = [*tangents, *[None] * len(program.constants)]
        called: dict[int, tuple[list[int], list[int | None]]] = {}
        for register, instruction in enumerate(program.instructions, program.first_instruction):
            arguments = [values[a] for a in instruction.arguments]
            if instruction.operation == "result" and instruction.arguments[0] in called:
                results, slopes = called[instruction.arguments[0]]
                place = int(instruction.table[0])
                values.append(results[place])
                moved.append(slopes[place])
                continue
            if instruction.part is not None:
                along = [moved[a] for a in instruction.arguments]
                if any(t is not None for t in along):
                    called[register] = self._call(instruction.part, arguments, along)
                    values.append(-1)  # read by its results alone
                    moved.append(None)
                    continue
            values.append(builder.repeat(instruction, arguments))
            slope: Signed = None
            if instruction.operation in MOVEMENTS:
                read, move = _movement(instruction, hidden.get(register))
                known = [moved[a] for a in read]
                if any(t is not None for t in known):
                    slope = move(linear, tuple([values[a] for a in read]), values[-1], known)
            moved.append(slope)
        slopes = [moved[output] for output in program.outputs]
        return (
            [values[output] for output in program.outputs],
            [None if slope is None else linear.stored(slope) for slope in slopes],
        )

    def _call(
        self, part: Program, inputs: Sequence[int], tangents: Sequence[Signed]
    ) -> tuple[list[int], list[int | None]]:
        """Registers of a part's outputs and of their derivatives, None for zeros."""
        moving = tuple(t is not None for t in tangents)
        derived, places = part_and_tangent(part, moving)
        along = [self._linear.stored(t) for t in tangents if t is not None]
        results = self._builder.call(derived, [*inputs, *along])
        count = len(part.outputs)
        slopes: list[int | None] = [None] * count
        for register, place in zip(results[count:], places, strict=True):
            slopes[place] = register
        return results[:count], slopes


@lru_cache(maxsize=16)
def part_and_tangent(part: Program, moving: tuple[bool, ...]) -> tuple[Program, tuple[int, ...]]:
    """A part together with its derivative along directions in which some of its inputs move.

    Inputs are those of the part, then the directions of the inputs that move. Outputs are those
    of the part, then the derivatives of the outputs at the returned positions: the others do not
    move.
    """
    builder = Builder(part.input_count + sum(moving))
    directions = iter(range(part.input_count, builder.input_count))
    tangents = [next(directions) if moves else None for moves in moving]
    values, slopes = push_forward(builder, part, range(part.input_count), tangents)
    places = tuple(k for k, slope in enumerate(slopes) if slope is not None)
    return builder.finish([*values, *(s for s in slopes if s is not None)]), places


# --- how a result moves with its arguments ------------------------------------------------------


def _power(exponent: float) -> Movement:
    def move(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        assert t[0] is not None
        return power_rule(e, x[0], y, exponent, t=t[0])

    return move


def _partials(rules: Sequence[Rule | None]) -> Movement:
    """The sum over the arguments."""

    def move(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        total: Signed = None
        for rule, value in zip(rules, t, strict=True):
            if rule is not None and value is not None:
                total = e.plus(total, rule(e, x, y, value))
        return total

    return move


def _one(rule: Rule) -> Movement:
    def move(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        assert t[0] is not None
        return rule(e, x, y, t[0])

    return move


def _sum(e: SignedSums, _: tuple[int, ...], __: int, t: Sequence[Signed]) -> Signed:
    return e.plus(t[0], t[1])


def _difference(e: SignedSums, _: tuple[int, ...], __: int, t: Sequence[Signed]) -> Signed:
    return e.plus(t[0], minus(t[1]))


def _product(e: SignedSums, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
    return e.plus(e.times(x[1], t[0]), e.times(x[0], t[1]))


def _quotient(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
    """(dx - y dz) / z for y = x / z: three instructions."""
    return e.over(e.plus(t[0], minus(e.times(y, t[1]))), x[1])


def _angle(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
    """One division where both move."""
    if t[0] is None or t[1] is None:
        return _partials(RULES["atan2"])(e, x, y, t)
    turned = e.plus(e.times(x[1], t[0]), minus(e.times(x[0], t[1])))
    return e.over(turned, radius_squared(e, x))


def _extreme(operation: str, better: str) -> Movement:
    def move(e: SignedSums, x: tuple[int, ...], y: int, t: Sequence[Signed]) -> Signed:
        if t[0] is None or t[1] is None:
            return _partials(RULES[operation])(e, x, y, t)
        between = e.times(e.constant(0.5), e.plus(t[0], t[1]))
        clear = e.choose(e.emit(better, x[0], x[1]), t[0], t[1])
        return e.choose(e.emit("eq", x[0], x[1]), between, clear)

    return move


def _choice(e: SignedSums, x: tuple[int, ...], _: int, t: Sequence[Signed]) -> Signed:
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
