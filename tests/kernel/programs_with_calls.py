"""Random programs that call parts, which call parts in turn."""

from __future__ import annotations

import numpy as np

from percuss.kernel.builder import Builder
from percuss.kernel.program import REAL, Program
from tests.kernel.calculus.programs import random_program


def program_with_calls(seed: int, inputs: int, size: int, depth: int = 2) -> Program:
    """A program whose parts are used several times, with outputs that nothing needs among them."""
    rng = np.random.default_rng(seed)
    parts = [_part(int(rng.integers(2**31)), size, depth - 1) for _ in range(2)]
    builder = Builder(inputs)
    reals = [*range(inputs), builder.constant(0.5)]
    for _ in range(4):
        part = parts[int(rng.integers(2))]
        given = [
            _tame(builder, reals[int(rng.integers(len(reals)))]) for _ in range(part.input_count)
        ]
        results = builder.call(part, given)
        reals += [r for r in results if builder.kind(r) == REAL]
        reals.append(builder.emit("add", reals[-1], reals[int(rng.integers(len(reals)))]))
        truths = [r for r in results if builder.kind(r) != REAL]
        if truths:
            reals.append(builder.emit("select", truths[0], reals[-1], reals[0]))
    chosen = rng.choice(len(reals) - inputs, 3, replace=False) + inputs
    return builder.finish([reals[k] for k in chosen])


def _part(seed: int, size: int, depth: int) -> Program:
    if depth:
        return program_with_calls(seed, 3, size, depth)
    return random_program(seed, 3, size)


def _tame(builder: Builder, register: int) -> int:
    """Between -1 and 1, so that values stay of moderate size."""
    return builder.emit("sin", register)
