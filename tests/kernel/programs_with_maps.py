"""Random programs that map bodies over vectors, in rows or scattered, beside and within parts."""

from __future__ import annotations

import numpy as np

from percuss.kernel.builder import Builder
from percuss.kernel.calculus.inlining import without_holds
from percuss.kernel.program import REAL, Program
from tests.kernel.calculus.programs import random_program


def program_with_maps(seed: int, inputs: int, nested: bool = True) -> Program:
    """A program whose maps read inputs, results of calls and maps, and anything else.

    Some outputs of the bodies are truth values, some are inputs of theirs, and some are not used.
    """
    rng = np.random.default_rng(seed)
    builder = Builder(inputs)
    rows = [list(range(inputs))]
    reals = [*range(inputs), builder.constant(0.5)]
    for _ in range(int(rng.integers(2, 6))):
        if nested and rng.random() < 0.4:
            part = program_with_maps(int(rng.integers(2**31)), inputs, nested=False)
            given = [_tame(builder, r) for r in _vector(rng, rows, reals, inputs)]
            found = builder.call(part, given, whole=rng.random() < 0.5)
            rows.append([r for r in found if builder.kind(r) == REAL])
        else:
            count, vectors, shared = (int(rng.integers(1, high)) for high in (inputs + 1, 4, 3))
            body = _body(int(rng.integers(2**31)), vectors + shared)
            read = [_vector(rng, rows, reals, count) for _ in range(vectors)]
            common = [int(rng.choice(reals)) for _ in range(shared)]
            for found in builder.map(body, read, common):
                truths = [r for r in found if builder.kind(r) != REAL]
                if truths:
                    reals.append(builder.emit("select", truths[0], reals[0], reals[-1]))
                else:
                    rows.append(found)
        reals += rows[-1]
        reals.append(builder.emit("add", reals[-1], int(rng.choice(reals))))
    some = _vector(rng, rows, reals, inputs)
    return builder.finish([*some, _tame(builder, reals[-1])])


def _body(seed: int, inputs: int) -> Program:
    """A small program, with an output that is one of its inputs."""
    body = without_holds(random_program(seed, inputs, 8))
    return Program(body.input_count, body.constants, body.instructions, (*body.outputs, 0))


def _vector(
    rng: np.random.Generator, rows: list[list[int]], reals: list[int], count: int
) -> list[int]:
    """So many registers: from one row, in its order, or from anywhere."""
    row = rows[int(rng.integers(len(rows)))]
    if len(row) >= count and rng.random() < 0.7:
        first = int(rng.integers(len(row) - count + 1))
        return row[first : first + count]
    return [int(r) for r in rng.choice(reals, count)]


def _tame(builder: Builder, register: int) -> int:
    """Between -1 and 1, so that values stay of moderate size."""
    return builder.emit("sin", register)
