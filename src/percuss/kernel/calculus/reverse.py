"""Adjoints: derivatives of one combination of the outputs by all inputs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from percuss.kernel.builder import Builder
from percuss.kernel.calculus.flow import dependence
from percuss.kernel.calculus.inlining import expanded
from percuss.kernel.calculus.powers import power_rule, powers
from percuss.kernel.calculus.rules import RULES
from percuss.kernel.calculus.signed import Signed, SignedSums
from percuss.kernel.program import Program


def pull_back(
    builder: Builder,
    program: Program,
    inputs: Sequence[int],
    cotangents: Sequence[int | None],
    *,
    wanted: Collection[int] | None = None,
) -> tuple[list[int], list[int | None]]:
    """Emit a program and the derivatives of Σ cotangent · output by its inputs.

    Args:
        builder: what is emitted into; registers it already holds are shared.
        program: the function.
        inputs: the registers of its arguments.
        cotangents: the registers of the weights of the outputs, None for those that are zero.
            Weights of truth values are ignored.
        wanted: positions of the inputs whose derivatives are asked for; default all.

    Returns:
        The registers of the outputs and of the derivatives by the inputs, None for those that
        are zero whatever the inputs are, or not wanted.
    """
    program = expanded(program)
    registers = builder.registers_of(program, inputs)
    return (
        [registers[output] for output in program.outputs],
        Accumulation(builder, program, registers, wanted).of(cotangents),
    )


class Accumulation:
    """Reverse accumulation through a program that was emitted, for any number of weights."""

    def __init__(
        self,
        builder: Builder,
        program: Program,
        registers: Sequence[int],
        wanted: Collection[int] | None = None,
    ) -> None:
        self._linear = SignedSums(builder)
        self._program = program
        self._registers = registers
        self._powers = powers(program)
        self._varied = dependence(
            program, sorted(range(program.input_count) if wanted is None else wanted)
        )

    def of(self, cotangents: Sequence[int | None]) -> list[int | None]:
        """The registers of the derivatives of Σ cotangent · output by the inputs."""
        program, linear, varied = self._program, self._linear, self._varied
        if len(cotangents) != len(program.outputs):
            raise ValueError(
                f"the program has {len(program.outputs)} outputs, got {len(cotangents)} cotangents"
            )
        first = program.first_instruction
        gathered: list[Signed] = [None] * (first + len(program.instructions))
        for output, weight in zip(program.outputs, cotangents, strict=True):
            if weight is not None and varied[output]:
                gathered[output] = linear.plus(gathered[output], weight)
        for place in range(len(program.instructions) - 1, -1, -1):
            weight = gathered[first + place]
            if weight is not None:
                self._distribute(place, weight, gathered)
        slopes = gathered[: program.input_count]
        return [None if slope is None else linear.stored(slope) for slope in slopes]

    def _distribute(self, place: int, weight: int, gathered: list[Signed]) -> None:
        """Add what the weight of an instruction's result gives to its arguments."""
        register = self._program.first_instruction + place
        instruction = self._program.instructions[place]
        rules = RULES.get(instruction.operation)
        if rules is None:
            return
        registers, linear, varied = self._registers, self._linear, self._varied
        result = registers[register]
        root = self._powers.get(register)
        if root is not None:
            base = root.base
            if varied[base]:
                part = power_rule(linear, registers[base], result, root.exponent, t=weight)
                gathered[base] = linear.plus(gathered[base], part)
            return
        values = tuple([registers[a] for a in instruction.arguments])
        for argument, rule in zip(instruction.arguments, rules, strict=True):
            if rule is not None and varied[argument]:
                part = rule(linear, values, result, weight)
                gathered[argument] = linear.plus(gathered[argument], part)


def adjoint(program: Program) -> Program:
    """Inputs (x, weights of y), outputs (y, derivatives of Σ weight · y by x).

    There is a weight for every output; those of truth values are ignored.
    """
    count = program.input_count
    builder = Builder(count + len(program.outputs))
    weights = range(count, count + len(program.outputs))
    values, slopes = pull_back(builder, program, range(count), weights)
    zero = builder.constant(0.0)
    return builder.finish([*values, *(zero if slope is None else slope for slope in slopes)])
