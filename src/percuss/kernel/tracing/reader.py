"""Runs a jaxpr on registers: each array in it is an integer array of register numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.extend import core as jax_core

from percuss.kernel.errors import KernelError
from percuss.kernel.program import Builder

Registers = np.ndarray
"""Integer array of register numbers, shaped like the array it stands for."""

_NOT_THE_USERS = ("/jax/_src/", "/jax/interpreters/", "/percuss/kernel/", "/percuss/algebra/")
"""Parts of file names that an error message should look behind."""


class Reader:
    """Runs a jaxpr on registers."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._calls: list[Any] = []  # equations being inlined, outermost first

    def run(
        self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Registers]
    ) -> list[Registers]:
        environment: dict[Any, Registers] = {}

        def read(atom: Any) -> Registers:
            if isinstance(atom, jax_core.Literal):
                return self.constants(atom.val)
            return environment[atom]

        environment.update(zip(jaxpr.constvars, map(self.constants, consts), strict=True))
        environment.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            results = self.apply(equation, [read(atom) for atom in equation.invars])
            environment.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def apply(self, equation: Any, inputs: list[Registers]) -> list[Registers]:
        name = equation.primitive.name
        if name in INLINED:
            return self.inline(equation, inputs)
        if name in RULES:
            results = RULES[name](self, inputs, equation)
            return results if isinstance(results, list) else [results]
        raise KernelError(
            f"the primitive {name!r} cannot be compiled{self.where(equation)}. Compiled functions "
            "may use arithmetic, comparisons, where, clip, interp, cond, short scans, small "
            "dense algebra and indexing."
        )

    def inline(self, equation: Any, inputs: list[Registers]) -> list[Registers]:
        inner = equation.params[INLINED[equation.primitive.name]]
        self._calls.append(equation)
        if hasattr(inner, "jaxpr"):
            results = self.run(inner.jaxpr, inner.consts, inputs)
        else:
            results = self.run(inner, (), inputs)
        self._calls.pop()
        return results

    def where(self, equation: Any) -> str:
        """ ", used in function (file, line n)": the innermost line that is the user's own."""
        for call in (equation, *reversed(self._calls)):
            traceback = getattr(call.source_info, "traceback", None)
            for frame in traceback.frames if traceback else ():
                if not any(part in frame.file_name for part in _NOT_THE_USERS):
                    place = f"{frame.file_name}, line {frame.line_num}"
                    return f", used in {frame.function_name} ({place})"
        return ""

    # --- registers ------------------------------------------------------------------------

    def constants(self, value: Any) -> Registers:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise KernelError(f"constants of type {array.dtype} cannot be compiled")
        truth = array.dtype.kind == "b"
        flat = [self.builder.constant(bool(x) if truth else float(x)) for x in np.ravel(array)]
        return np.array(flat, dtype=np.int64).reshape(array.shape)

    def each(self, operation: str, *arrays: Registers) -> Registers:
        """The operation element by element; scalars are stretched."""
        arrays = tuple(np.broadcast_arrays(*arrays))
        flat = [
            self.builder.emit(operation, *map(int, registers))
            for registers in zip(*(np.ravel(a) for a in arrays), strict=True)
        ]
        return np.array(flat, dtype=np.int64).reshape(arrays[0].shape)

    def known(self, array: Registers) -> np.ndarray | None:
        """The numbers in registers that are all constants, else None."""
        values = [self.builder.value(int(r)) for r in np.ravel(array)]
        if any(value is None for value in values):
            return None
        return np.array(values).reshape(array.shape)

    def fold(self, operation: str, array: Registers, axes: Sequence[int], start: Any) -> Registers:
        """Reduce over axes, pairwise neighbours first, so that long sums stay accurate."""
        moved = np.moveaxis(array, tuple(axes), tuple(range(len(axes))))
        kept = moved.shape[len(axes) :]
        rows = list(moved.reshape((-1, *kept)))
        if not rows:
            return np.broadcast_to(self.constants(start), kept)
        while len(rows) > 1:
            paired = [
                self.each(operation, a, b) for a, b in zip(rows[::2], rows[1::2], strict=False)
            ]
            rows = paired + rows[len(rows) - len(rows) % 2 :]
        return rows[0]

    def pick(self, choices: Sequence[Registers], index: Registers) -> Registers:
        """choices[index] for an index register, clamped, by selects."""
        chosen = choices[0]
        for k, other in enumerate(choices[1:], start=1):
            reached = self.each("ge", index, self.constants(float(k)))
            chosen = self.each("select", reached, other, chosen)
        return chosen


Rule = Callable[[Reader, list[Registers], Any], "Registers | list[Registers]"]
RULES: dict[str, Rule] = {}

INLINED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
    "custom_lin": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}


def rule(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register
