"""Derivations as a Python module that needs NumPy and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from percuss.symbolic.code import Function, functions
from percuss.symbolic.derivation import BASE_RATES, Derivation
from percuss.symbolic.writing import Code, Writer


def to_python(derivations: Sequence[Derivation], title: str) -> str:
    """A module with functions (q, parameters) and (q, v, parameters) for each system."""
    head = [
        f'"""Closed forms of {_quoted(title)}, derived by percuss. SI units.',
        "",
        "M(q) dv/dt + C(q, v) + G(q) = tau; each system has its own functions and parameters.",
        *wrap(BASE_RATES, 96),
        '"""',
        "",
        "import numpy as np",
    ]
    return "\n".join([*head, *(line for d in derivations for line in _system(d))]) + "\n"


def _system(derivation: Derivation) -> Iterator[str]:
    constant = f"{derivation.name.upper()}_PARAMETERS"
    yield from ["", "", f"# {_plain(derivation.title)}", f"{constant} = {{"]
    for q in derivation.parameters:
        yield f'    "{q.symbol}": {q.value!r},  # {q.unit}, {_plain(q.meaning)}'
    yield "}"
    for function in functions(derivation):
        yield from ["", "", *_function(derivation, function, constant)]


def _function(derivation: Derivation, function: Function, constant: str) -> Iterator[str]:
    writer = Writer.of(derivation, Code("np."))
    states = "q, v" if function.takes_rates else "q"
    names = ", ".join(str(q.symbol) for q in derivation.coordinates)
    rates = ", ".join(str(q.symbol) for q in derivation.rates)
    yield f"def {function.name}({states}, parameters={constant}):"
    yield f'    """{_quoted(function.words)}.'
    yield ""
    yield f"    q = ({names})" + (f"; v = ({rates})." if function.takes_rates else ".")
    yield '    """'
    for k, q in function.coordinates:
        yield f"    {q.symbol} = q[{k}]"
    for k, q in function.rates:
        yield f"    {q.symbol} = v[{k}]"
    for q in function.parameters:
        yield f'    {q.symbol} = parameters["{q.symbol}"]'
    for definition in function.definitions:
        yield f"    {definition.quantity.symbol} = {writer.write(definition.expression)}"
    yield "    return np.array("
    yield "        ["
    for i in range(function.matrix.rows):
        entries = ", ".join(_entry(writer.write(x)) for x in function.matrix.row(i))
        yield f"            {entries}," if function.is_vector else f"            [{entries}],"
    yield "        ]"
    yield "    )"


def _entry(text: str) -> str:
    """Whole numbers as floats, so that the array is one of floats."""
    return f"{text}.0" if text.lstrip("-").isdigit() else text


def _plain(text: str) -> str:
    """Text for one comment line."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """Text inside a docstring."""
    return _plain(text).replace("\\", "/").replace('"', "'")
