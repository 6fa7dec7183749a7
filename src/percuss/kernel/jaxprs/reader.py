"""Runs a jaxpr on registers: each array in it is an integer array of register numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax.extend import core as jax_core

from percuss.kernel.builder import Builder
from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.writer import ProgramWriter, Registers

_NOT_THE_USERS = ("/jax/_src/", "/jax/interpreters/", "/percuss/kernel/", "/percuss/algebra/")
"""Parts of file names that an error message should look behind."""


class JaxprReader(ProgramWriter):
    """Runs a jaxpr on registers."""

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
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


Rule = Callable[[JaxprReader, list[Registers], Any], "Registers | list[Registers]"]
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
