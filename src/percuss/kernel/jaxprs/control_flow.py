"""Rules for cond, scan and loops: both branches are evaluated, rounds are unrolled."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.jaxprs.reader import JaxprReader, rule
from percuss.kernel.program import TRUTH
from percuss.kernel.tracing.writer import Registers

LONGEST_LOOP = 256
"""Loops of the user's function are unrolled up to this many rounds."""


@rule("cond")
def _cond(reader: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    index, *operands = inputs
    branches = [
        reader.run(branch.jaxpr, branch.consts, operands) for branch in equation.params["branches"]
    ]
    if reader.builder.kind(int(index)) == TRUTH:
        return [reader.each("select", index, yes, no) for no, yes in zip(*branches, strict=True)]
    return [reader.pick(choices, index) for choices in zip(*branches, strict=True)]


@rule("scan")
def _scan(reader: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    length = equation.params["length"]
    if length > LONGEST_LOOP:
        raise KernelError(
            f"a loop of {length} rounds is too long to unroll (at most {LONGEST_LOOP})"
            f"{reader.where(equation)}; put the time loop into a rollout"
        )
    const_count, carry_count = equation.params["num_consts"], equation.params["num_carry"]
    consts, carry = inputs[:const_count], inputs[const_count : const_count + carry_count]
    rows = inputs[const_count + carry_count :]
    body = equation.params["jaxpr"]
    collected: list[list[Registers]] = []
    rounds = range(length)[::-1] if equation.params["reverse"] else range(length)
    for k in rounds:
        results = reader.run(body.jaxpr, body.consts, [*consts, *carry, *(r[k] for r in rows)])
        carry = results[:carry_count]
        collected.append(results[carry_count:])
    if equation.params["reverse"]:
        collected.reverse()
    stacked = [np.stack(parts) for parts in zip(*collected, strict=True)]
    if not length:
        shapes = [var.aval.shape for var in equation.outvars[carry_count:]]
        stacked = [np.zeros(shape, np.int64) for shape in shapes]
    return [*carry, *stacked]


@rule("while")
def _while(reader: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    """Loops whose number of rounds is known while tracing (fori_loop) are unrolled."""
    parameters = equation.params
    cond_count, body_count = parameters["cond_nconsts"], parameters["body_nconsts"]
    cond_consts = inputs[:cond_count]
    body_consts = inputs[cond_count : cond_count + body_count]
    carry = inputs[cond_count + body_count :]
    test, body = parameters["cond_jaxpr"], parameters["body_jaxpr"]
    for _ in range(LONGEST_LOOP + 1):
        (go_on,) = reader.run(test.jaxpr, test.consts, [*cond_consts, *carry])
        known = reader.known(go_on)
        if known is None:
            raise KernelError(
                f"a while loop that depends on the inputs cannot be compiled"
                f"{reader.where(equation)}; use a fixed number of rounds"
            )
        if not bool(known):
            return carry
        carry = reader.run(body.jaxpr, body.consts, [*body_consts, *carry])
    raise KernelError(
        f"a loop of more than {LONGEST_LOOP} rounds is too long to unroll{reader.where(equation)}"
    )
