"""Random programs that use every operation, each within its domain."""

from __future__ import annotations

import numpy as np

from percuss.kernel.builder import Builder
from percuss.kernel.program import BINARY, COMPARISONS, LOGICAL, UNARY, Program

TABLE = (1.5, -0.5, 0.25, 2.0)


class Draft:
    """A program under way: what it holds of either kind, and a source of chance."""

    def __init__(self, rng: np.random.Generator, inputs: int, holds: bool) -> None:
        self.rng = rng
        self.holds = holds
        self.builder = Builder(inputs)
        constants = [self.builder.constant(c) for c in (0.5, -1.25, 3.0)]
        self.reals = [*range(inputs), *constants]
        self.truths = [self.builder.emit("lt", 0, constants[0])]

    def real(self) -> int:
        """A register, the latest ones more often."""
        return self.reals[-1 - int(len(self.reals) * self.rng.random() ** 2)]

    def truth(self) -> int:
        return self.truths[int(self.rng.integers(len(self.truths)))]

    def e(self, operation: str, *arguments: int) -> int:
        return self.builder.emit(operation, *arguments)

    def number(self, value: float) -> int:
        return self.builder.constant(value)

    def tame(self, x: int) -> int:
        """Between -1 and 1."""
        return self.e("sin", x)

    def positive(self, x: int) -> int:
        return self.e("add", self.number(0.7), self.e("abs", self.tame(x)))

    def unary(self, operation: str) -> int:
        x = self.real()
        if operation in ("sqrt", "cbrt", "log", "log2"):
            x = self.positive(x)
        elif operation in ("asin", "acos", "atanh"):
            x = self.e("mul", self.number(0.9), self.tame(x))
        elif operation == "acosh":
            x = self.e("add", self.number(1.5), self.e("abs", self.tame(x)))
        elif operation in ("exp", "exp2", "expm1", "sinh", "cosh", "tan", "log1p"):
            x = self.e("mul", self.number(0.9), self.tame(x))
        return self.e(operation, x)

    def binary(self, operation: str) -> int:
        x, y = self.real(), self.real()
        if operation in ("div", "rem"):
            y = self.positive(y)
        elif operation == "pow":
            choices = (-1.0, -0.5, 0.0, 0.5, 1.5, 2.0, 3.0)
            constant = self.rng.random() < 0.5
            x = self.positive(x)
            y = self.number(float(self.rng.choice(choices))) if constant else self.tame(y)
        elif operation == "copysign":
            y = self.e("sub", y, self.number(0.3))  # zeros have signs, which JAX tells by bits
        elif operation == "atan2":
            x = self.positive(x)
        return self.e(operation, x, y)

    def grow(self) -> None:
        """One more operation, of any kind."""
        kind = self.rng.random()
        if kind < 0.3:
            name = str(self.rng.choice(UNARY))
            (self.truths if name == "is_finite" else self.reals).append(self.unary(name))
        elif kind < 0.45:
            name = str(self.rng.choice(["add", "sub", "mul"]))
            self.reals.append(self.e(name, self.real(), self.real()))
        elif kind < 0.7:
            self.reals.append(self.binary(str(self.rng.choice(BINARY))))
        elif kind < 0.75:
            name = str(self.rng.choice(COMPARISONS))
            self.truths.append(self.e(name, self.real(), self.real()))
        elif kind < 0.8:
            name = str(self.rng.choice(LOGICAL))
            self.truths.append(self.e(name, self.truth(), self.truth()))
        elif kind < 0.82:
            self.truths.append(self.e("not", self.truth()))
        elif kind < 0.92:
            self.reals.append(self.e("select", self.truth(), self.real(), self.real()))
        elif kind < 0.94:
            self.reals.append(self.e("to_real", self.truth()))
        elif kind < 0.95:
            self.truths.append(self.e("to_truth", self.real()))
        elif kind < 0.97:
            index = self.e("add", self.e("to_real", self.truth()), self.number(0.5))
            self.reals.append(self.builder.emit("lookup", index, table=TABLE))
        else:
            x = self.real()
            self.reals.append(self.e("hold", x) if self.holds else x)
        if self.rng.random() < 0.3:
            self.reals[-1] = self.tame(self.reals[-1])


def random_draft(
    seed: int, inputs: int, size: int, holds: bool = True
) -> tuple[Builder, list[int]]:
    """A builder with about `size` instructions, and five outputs, one of them a truth value.

    With `holds` false it is the same program without them, as if they had never been written.
    """
    draft = Draft(np.random.default_rng(seed), inputs, holds)
    for _ in range(size):
        draft.grow()
    return draft.builder, [*draft.reals[-4:], draft.truths[-1]]


def random_program(seed: int, inputs: int, size: int, holds: bool = True) -> Program:
    """The program of `random_draft`."""
    builder, outputs = random_draft(seed, inputs, size, holds)
    return builder.finish(outputs)
