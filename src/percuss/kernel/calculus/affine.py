"""Outputs that depend on the inputs by constant coefficients: rows of a Jacobian that are known."""

from __future__ import annotations

from percuss.kernel.calculus.inlining import expanded
from percuss.kernel.program import Program

Form = dict[int, float]
"""Slopes by the inputs, zeros left out."""


def affine_forms(program: Program) -> list[Form | None]:
    """For each output its slopes by the inputs where they are constants, else None.

    Only sums, differences, signs and products with a constant are looked through.
    """
    program = expanded(program)
    numbers = dict(enumerate(program.constants, program.input_count))
    forms: list[Form | None] = [{k: 1.0} for k in range(program.input_count)]
    forms += [{} for _ in program.constants]
    for operation, arguments, _, _ in program.instructions:
        of = [forms[a] for a in arguments]
        form: Form | None = None
        if operation in ("add", "sub") and of[0] is not None and of[1] is not None:
            form = _sum(of[0], of[1], 1.0 if operation == "add" else -1.0)
        elif operation == "neg" and of[0] is not None:
            form = _sum({}, of[0], -1.0)
        elif operation == "mul":
            for k in (0, 1):
                other = of[1 - k]
                if arguments[k] in numbers and other is not None:
                    form = _sum({}, other, float(numbers[arguments[k]]))
        forms.append(form)
    return [forms[output] for output in program.outputs]


def _sum(a: Form, b: Form, factor: float) -> Form:
    total = dict(a)
    for key, slope in b.items():
        total[key] = total.get(key, 0.0) + factor * slope
    return {key: slope for key, slope in total.items() if slope}
