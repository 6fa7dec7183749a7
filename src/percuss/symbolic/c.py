"""Derivations as C99: functions of plain arrays that need the math library and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from percuss.symbolic.code import Function, functions
from percuss.symbolic.derivation import BASE_RATES, Derivation
from percuss.symbolic.writing import Code, Writer


def to_c(derivations: Sequence[Derivation], title: str) -> str:
    """A source file with a struct of parameters, its values and functions for each system."""
    head = [
        f"/* Closed forms of {_plain(title)}, derived by percuss. SI units.",
        " *",
        " * M(q) dv/dt + C(q, v) + G(q) = tau; matrices are written row by row.",
        *(f" * {line}" for line in wrap(BASE_RATES, 93)),
        " */",
        "#include <math.h>",
    ]
    return "\n".join([*head, *(line for d in derivations for line in _system(d))]) + "\n"


def _system(derivation: Derivation) -> Iterator[str]:
    name = derivation.name
    yield from ["", "", f"/* {_plain(derivation.title)}", f" * q = ({_names(derivation)}) */"]
    yield "typedef struct {"
    for q in derivation.parameters:
        yield f"    double {q.symbol}; /* {q.unit}, {_plain(q.meaning)} */"
    yield f"}} {name}_parameters;"
    values = ", ".join(repr(q.value) for q in derivation.parameters)
    yield from ["", f"const {name}_parameters {name}_values = {{{values}}};"]
    for function in functions(derivation):
        yield from ["", *_function(derivation, function)]


def _function(derivation: Derivation, function: Function) -> Iterator[str]:
    writer = Writer.of(derivation, Code())
    matrix = function.matrix
    arguments = [
        f"const {derivation.name}_parameters *p",
        f"const double q[{len(derivation.coordinates)}]",
    ]
    if function.takes_rates:
        arguments.append(f"const double v[{len(derivation.rates)}]")
    shape = f"{matrix.rows} by {matrix.cols}" if matrix.cols > 1 else f"{matrix.rows}"
    arguments.append(f"double out[{matrix.rows * matrix.cols}]")
    yield f"/* {_plain(function.words)}; {shape} */"
    yield f"void {function.name}({', '.join(arguments)})"
    yield "{"
    for q in function.parameters:
        yield f"    const double {q.symbol} = p->{q.symbol};"
    for k, q in function.coordinates:
        yield f"    const double {q.symbol} = q[{k}];"
    for k, q in function.rates:
        yield f"    const double {q.symbol} = v[{k}];"
    for definition in function.definitions:
        value = writer.write(definition.expression)
        yield f"    const double {definition.quantity.symbol} = {value};"
    for unused, is_read in (
        ("p", function.parameters),
        ("q", function.coordinates),
        ("v", function.rates or not function.takes_rates),
    ):
        if not is_read:
            yield f"    (void){unused};"
    for k, entry in enumerate(matrix):
        yield f"    out[{k}] = {writer.write(entry)};"
    yield "}"


def _names(derivation: Derivation) -> str:
    coordinates = ", ".join(str(q.symbol) for q in derivation.coordinates)
    return f"{coordinates}), v = ({', '.join(str(q.symbol) for q in derivation.rates)}"


def _plain(text: str) -> str:
    """Text for one comment."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())
