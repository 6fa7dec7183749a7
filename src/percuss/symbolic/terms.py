"""Closed forms taken apart into what a person names: (parameters) × (rates) × (one sine or cosine).

The coefficient of each sine or cosine is a polynomial in parameters and in the state. Its terms
with the same parameters are put together, so that (m1 a1 + m2 l1) (q1_dot + q2_dot)² is one
product and not six.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement

from percuss.dynamics.formulations.trigonometric import Harmonic, TrigPolynomial


@dataclass(frozen=True)
class FourierTerm:
    """number × parameters × state × wave: `parameters` and `state` are primitive polynomials."""

    number: Any
    parameters: PolyElement
    state: PolyElement
    harmonic: Harmonic
    is_sine: bool


def terms_of(polynomial: TrigPolynomial, state: frozenset[Any]) -> Iterator[FourierTerm]:
    """The terms of a closed form; `state` are the symbols of coordinates and rates."""
    for harmonic, pair in polynomial:
        for is_sine, coefficient in zip((False, True), pair, strict=True):
            for number, parameters, moving in _grouped(coefficient, state):
                yield FourierTerm(
                    number=number,
                    parameters=parameters,
                    state=moving,
                    harmonic=harmonic,
                    is_sine=is_sine,
                )


def _grouped(
    coefficient: PolyElement, state: frozenset[Any]
) -> Iterator[tuple[Any, PolyElement, PolyElement]]:
    """(number, parameters, state) whose products add up to the coefficient."""
    if not coefficient:
        return
    ring = coefficient.ring
    moving = [symbol in state for symbol in ring.symbols]
    by_state: dict[tuple[int, ...], PolyElement] = {}
    for exponents, number in coefficient.terms():
        kept = tuple(e if m else 0 for e, m in zip(exponents, moving, strict=True))
        rest = tuple(0 if m else e for e, m in zip(exponents, moving, strict=True))
        by_state[kept] = by_state.get(kept, ring.zero) + ring({rest: number})
    groups: dict[PolyElement, PolyElement] = {}
    for kept, parameters in by_state.items():
        number, primitive = split_number(parameters)
        groups[primitive] = groups.get(primitive, ring.zero) + ring({kept: number})
    for primitive, polynomial in groups.items():
        number, rest = split_number(polynomial)
        yield number, primitive, rest


def split_number(polynomial: PolyElement) -> tuple[Any, PolyElement]:
    """A number and a polynomial with whole coefficients, no common factor, the first positive."""
    content, primitive = polynomial.primitive()
    if primitive.LC < 0:
        return -content, -primitive
    return QQ(content), primitive
