"""Polynomials in sines and cosines, in the one form that each of them has.

Every product of sines and cosines of sums of angles is a sum

    Σ_n  a_n cos(n · θ) + b_n sin(n · θ),    n integer vectors, first non-zero entry positive

with coefficients a_n, b_n that are polynomials over the rational numbers in all other symbols.
The functions 1, cos(n · θ), sin(n · θ) are linearly independent over such polynomials, so two
expressions are equal for all values exactly if they have the same coefficients: equality modulo
s² + c² = 1 is decided by comparing, not by simplifying.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm
from typing import Any

import sympy
from sympy.polys.domains import QQ
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyElement, PolyRing

from percuss.model.errors import ModelError

Harmonic = tuple[int, ...]
"""n of cos(n · θ) and sin(n · θ)."""

Pair = tuple[PolyElement, PolyElement]
"""Coefficients of cos(n · θ) and sin(n · θ)."""


@dataclass(frozen=True)
class TrigRing:
    """What the polynomials are made of: base angles θ, and a ring for the coefficients.

    A base angle is a symbol divided by a whole number, or 1 divided by one for constant angles
    (e^i is transcendental, so cos 1 and sin 1 obey no other relation than s² + c² = 1).
    """

    angles: tuple[tuple[Any, int], ...]
    """(symbol or 1, divisor) of each base angle."""
    coefficients: PolyRing
    accepts_floats: bool = False
    """Whether floating-point numbers are taken for the rationals they exactly are."""

    @staticmethod
    def of(
        expressions: Iterable[Any], symbols: Iterable[Any] = (), accepts_floats: bool = False
    ) -> TrigRing:
        """The smallest ring that holds these expressions, and these further symbols.

        Symbols given come before others, in the order given.
        """
        first = {symbol: k for k, symbol in enumerate(symbols)}
        every: set[Any] = set(first)
        divisors: dict[Any, int] = {}
        for expression in expressions:
            every |= expression.free_symbols
            for function in expression.atoms(sympy.sin, sympy.cos):
                for symbol, factor in _linear(function.args[0]):
                    divisors[symbol] = lcm(divisors.get(symbol, 1), int(factor.q))
        by_rank = lambda symbol: (first.get(symbol, len(first)), str(symbol))  # noqa: E731
        order = sorted(divisors, key=by_rank)
        generators = sorted(every, key=by_rank)
        return TrigRing(
            tuple((symbol, divisors[symbol]) for symbol in order),
            PolyRing(generators, QQ, lex),
            accepts_floats,
        )

    @property
    def zero(self) -> TrigPolynomial:
        return TrigPolynomial(self, {})

    def constant(self, value: Any) -> TrigPolynomial:
        """A polynomial without angles, from an element of the coefficient ring or a number."""
        element = self.coefficients(value)
        nothing = (0,) * len(self.angles)
        return TrigPolynomial(self, {nothing: (element, self.coefficients.zero)} if element else {})

    def cosine(self, angle: Any) -> TrigPolynomial:
        return self._wave(angle, self.coefficients.one, self.coefficients.zero)

    def sine(self, angle: Any) -> TrigPolynomial:
        return self._wave(angle, self.coefficients.zero, self.coefficients.one)

    def _wave(self, angle: Any, cosine: PolyElement, sine: PolyElement) -> TrigPolynomial:
        factors = dict(_linear(angle))
        harmonic = tuple(int(factors.get(symbol, 0) * unit) for symbol, unit in self.angles)
        terms: dict[Harmonic, Pair] = {}
        _put(terms, harmonic, cosine, sine)
        return TrigPolynomial(self, terms)

    def convert(self, expression: Any) -> TrigPolynomial:
        """The one form of a SymPy expression; ModelError where it is no such polynomial."""
        return _TrigonometricReader(self, {}).read(sympy.sympify(expression))

    def angle(self, harmonic: Harmonic) -> Any:
        """n · θ as an expression."""
        pairs = zip(harmonic, self.angles, strict=True)
        return sum((sympy.Rational(n, unit) * symbol for n, (symbol, unit) in pairs), sympy.S.Zero)


@dataclass(frozen=True, eq=False)
class TrigPolynomial:
    """Σ a_n cos(n · θ) + b_n sin(n · θ) in a ring; no pair (a_n, b_n) is zero."""

    ring: TrigRing
    terms: dict[Harmonic, Pair]

    def __bool__(self) -> bool:
        """Whether it is anything but zero for all values of its symbols."""
        return bool(self.terms)

    def __iter__(self) -> Iterator[tuple[Harmonic, Pair]]:
        """Harmonics in a fixed order, low before high."""
        return iter(sorted(self.terms.items(), key=lambda t: (sum(map(abs, t[0])), t[0])))

    def __add__(self, other: TrigPolynomial) -> TrigPolynomial:
        terms = dict(self.terms)
        for harmonic, (cosine, sine) in other.terms.items():
            _put(terms, harmonic, cosine, sine)
        return TrigPolynomial(self.ring, terms)

    def __neg__(self) -> TrigPolynomial:
        return TrigPolynomial(self.ring, {n: (-c, -s) for n, (c, s) in self.terms.items()})

    def __sub__(self, other: TrigPolynomial) -> TrigPolynomial:
        return self + (-other)

    def __mul__(self, other: TrigPolynomial) -> TrigPolynomial:
        terms: dict[Harmonic, Pair] = {}
        half = QQ(1, 2)
        for n, (c1, s1) in self.terms.items():
            for m, (c2, s2) in other.terms.items():
                cc, ss = _times(c1, c2) * half, _times(s1, s2) * half
                sc, cs = _times(s1, c2) * half, _times(c1, s2) * half
                _put(terms, tuple(a + b for a, b in zip(n, m, strict=True)), cc - ss, sc + cs)
                _put(terms, tuple(a - b for a, b in zip(n, m, strict=True)), cc + ss, sc - cs)
        return TrigPolynomial(self.ring, terms)

    def scaled(self, factor: Any) -> TrigPolynomial:
        """Times a number or an element of the coefficient ring."""
        element = self.ring.coefficients(factor)
        if not element:
            return self.ring.zero
        return TrigPolynomial(
            self.ring, {n: (c * element, s * element) for n, (c, s) in self.terms.items()}
        )

    def derivative(self, symbol: Any) -> TrigPolynomial:
        """∂/∂symbol, also where the symbol is an angle."""
        ring = self.ring
        units = [1 if s == symbol else 0 for s, _ in ring.angles]
        generator = ring.coefficients(symbol) if symbol in ring.coefficients.symbols else None
        terms: dict[Harmonic, Pair] = {}
        for n, (cosine, sine) in self.terms.items():
            speeds = zip(n, ring.angles, units, strict=True)
            speed = sum((QQ(k, unit) for k, (_, unit), is_it in speeds if is_it), QQ(0))
            if speed:
                _put(terms, n, sine * speed, -(cosine * speed))
            if generator is not None:
                _put(terms, n, cosine.diff(generator), sine.diff(generator))
        return TrigPolynomial(ring, terms)

    def as_expression(self) -> Any:
        """The polynomial as an expression of SymPy."""
        total = sympy.S.Zero
        for harmonic, (cosine, sine) in self:
            angle = self.ring.angle(harmonic)
            total += cosine.as_expr() * sympy.cos(angle) + sine.as_expr() * sympy.sin(angle)
        return total


def _times(a: PolyElement, b: PolyElement) -> PolyElement:
    return a * b if a and b else a.ring.zero


def _put(terms: dict[Harmonic, Pair], n: Harmonic, cosine: PolyElement, sine: PolyElement) -> None:
    """Add to the term of a harmonic, with cos(-a) = cos a, sin(-a) = -sin a and sin 0 = 0."""
    first = next((k for k in n if k), 0)
    if first < 0:
        n, sine = tuple(-k for k in n), -sine
    if first == 0:
        sine = sine.ring.zero
    if n in terms:
        cosine, sine = terms[n][0] + cosine, terms[n][1] + sine
    if cosine or sine:
        terms[n] = (cosine, sine)
    else:
        terms.pop(n, None)


def _linear(angle: Any) -> list[tuple[Any, Any]]:
    """(symbol or 1, rational factor) of an angle that is a sum of multiples of symbols."""
    found = []
    for symbol, factor in sympy.expand(angle).as_coefficients_dict().items():
        if not (symbol.is_Symbol or symbol == 1) or not factor.is_Rational:
            raise ModelError(
                f"the angle {angle} must be a sum of symbols and numbers with rational factors"
            )
        found.append((symbol, factor))
    return found


@dataclass(frozen=True)
class _TrigonometricReader:
    """Reads expressions from the inside out, each shared subexpression once."""

    ring: TrigRing
    known: dict[Any, TrigPolynomial]

    def read(self, x: Any) -> TrigPolynomial:
        if x not in self.known:
            self.known[x] = self._read(x)
        return self.known[x]

    def _read(self, x: Any) -> TrigPolynomial:
        ring = self.ring
        if x.is_Rational:
            return ring.constant(QQ(int(x.p), int(x.q)))
        if x.is_Float and ring.accepts_floats and x.is_finite:
            return ring.constant(QQ(*float(x).as_integer_ratio()))
        if x.is_Symbol:
            return ring.constant(ring.coefficients(x))
        if isinstance(x, sympy.cos):
            return ring.cosine(x.args[0])
        if isinstance(x, sympy.sin):
            return ring.sine(x.args[0])
        if x.is_Add:
            return sum((self.read(term) for term in x.args), ring.zero)
        if x.is_Mul or (x.is_Pow and x.exp.is_Integer and x.exp > 0):
            factors = x.args if x.is_Mul else [x.base] * int(x.exp)
            result = ring.constant(1)
            for factor in factors:
                result = result * self.read(factor)
            return result
        raise ModelError(_complaint(x))


def _complaint(x: Any) -> str:
    if x.is_Float:
        return (
            f"the number {x} is rounded, and nothing exact can be said about it; write it as a "
            "fraction, sympy.Rational('12.456'), or make it a symbol"
        )
    allowed = "sums and products of symbols, whole numbers, fractions, sines and cosines"
    return f"cannot read {x} exactly; allowed are {allowed}"
