"""Closed forms written the way a person would: c12 for cos(q1 + q2), letters for what recurs.

Named are the sines and cosines (c2, s01), the sums of rates that turn with them (w01), and those
combinations of parameters that occur more than once (k1, k2 …), longer ones in terms of shorter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.polys.rings import PolyElement

from percuss.dynamics.formulations.closed_forms import ClosedForms
from percuss.dynamics.formulations.quantities import SymbolQuantity, letter
from percuss.dynamics.formulations.trigonometric import Harmonic, TrigPolynomial
from percuss.symbolic.derivation import Definition, Derivation
from percuss.symbolic.naming import by_length, index_of, ratio, rational, subscript
from percuss.symbolic.terms import FourierTerm, terms_of

PLANAR_ROWS = (0, 1, 5)
ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


def collect(forms: ClosedForms, name: str, title: str) -> Derivation:
    """The closed forms with their recurring parts named."""
    names = _Names(forms)
    size = len(forms.coriolis_forces)
    lower = [forms.mass_matrix[i][j] for i in range(size) for j in range(i + 1)]
    rows = PLANAR_ROWS if forms.symbolic.system.is_planar else tuple(range(6))
    jacobians = {frame: [table[k] for k in rows] for frame, table in forms.jacobians.items()}
    entries = [*lower, *forms.coriolis_forces, *forms.gravity_forces]
    names.learn([*entries, *(x for table in jacobians.values() for row in table for x in row)])
    M = sympy.Matrix(size, size, lambda i, j: names.write(forms.mass_matrix[max(i, j)][min(i, j)]))
    c, g = (
        sympy.Matrix(size, 1, [names.write(entry) for entry in column])
        for column in (forms.coriolis_forces, forms.gravity_forces)
    )
    J = {
        frame: sympy.Matrix(len(rows), size, [names.write(x) for row in table for x in row])
        for frame, table in jacobians.items()
    }
    definitions = names.definitions()
    used: set[Any] = set()
    for x in (M, c, g, *J.values(), *(definition.expression for definition in definitions)):
        used |= x.free_symbols
    return Derivation(
        name=name,
        title=title,
        coordinates=forms.symbolic.coordinates,
        rates=forms.symbolic.rates,
        parameters=tuple(p for p in forms.symbolic.parameters if p.symbol in used),
        definitions=definitions,
        mass_matrix=M,
        coriolis_forces=c,
        gravity_forces=g,
        jacobians=J,
        jacobian_rows=tuple(ROWS[k] for k in rows),
    )


@dataclass
class _Names:
    """Names given so far to parts of one system's closed forms."""

    forms: ClosedForms
    waves: dict[tuple[Harmonic, bool], Definition] = field(default_factory=dict)
    speeds: dict[PolyElement, Definition] = field(default_factory=dict)
    constants: dict[PolyElement, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        symbolic = self.forms.symbolic
        self.rates = {quantity.symbol: quantity for quantity in symbolic.rates}
        coordinates = {quantity.symbol: quantity for quantity in symbolic.coordinates}
        self.state = frozenset({*self.rates, *coordinates})
        self.turning = {
            rate: index_of(coordinate)[0]
            for coordinate, rate in zip(symbolic.coordinates, self.rates, strict=True)
        }
        known = (*symbolic.coordinates, *symbolic.parameters)
        self.angles = {quantity.symbol: quantity for quantity in known}

    def learn(self, polynomials: Sequence[TrigPolynomial]) -> None:
        """Name what occurs in these more than once."""
        constants: Counter[PolyElement] = Counter()
        sums: Counter[PolyElement] = Counter()
        for polynomial in polynomials:
            for term in terms_of(polynomial, self.state):
                self._wave(term.harmonic, term.is_sine)
                if sum(sum(exponents) for exponents in term.parameters.itermonoms()) > 1:
                    constants[term.parameters] += 1
                for factor, _ in term.state.factor_list()[1]:
                    if self._is_rate_sum(factor):
                        sums[factor] += 1
        for factor in sorted((f for f, n in sums.items() if n > 1), key=by_length):
            self._name_speed(factor)
        # Shorter ones first, so that longer ones can be written with them.
        for number, parameters in enumerate(
            sorted((p for p, n in constants.items() if n > 1), key=by_length), start=1
        ):
            plain, latex = letter("k", str(number))
            quantity = SymbolQuantity(sympy.Symbol(plain), latex, "constant", "")
            self.constants[parameters] = Definition(quantity, self._sum(parameters))

    def definitions(self) -> tuple[Definition, ...]:
        waves = sorted(self.waves.items(), key=lambda item: (item[0][1], _order(item[0][0])))
        return (
            *(definition for _, definition in waves),
            *self.speeds.values(),
            *self.constants.values(),
        )

    def write(self, polynomial: TrigPolynomial) -> Any:
        """A closed form in terms of the names."""
        return sympy.Add(*(self._written(term) for term in terms_of(polynomial, self.state)))

    def _written(self, term: FourierTerm) -> Any:
        factors = [rational(term.number)]
        factors.append(self._factor(term.parameters))
        number, parts = term.state.factor_list()
        factors.append(rational(number))
        for factor, power in parts:
            known = self.speeds.get(factor)
            written = known.quantity.symbol if known else self._sum_of_rates(factor)
            factors.append(written**power)
        wave = self._wave(term.harmonic, term.is_sine)
        return sympy.Mul(*factors, *([wave] if wave is not None else []))

    def _sum(self, parameters: PolyElement) -> Any:
        """A polynomial of parameters, with the longest known part of it by its name."""
        known = [
            (part, definition)
            for part, definition in self.constants.items()
            if 1 < len(part) < len(parameters)
            and all(parameters.get(monomial) == number for monomial, number in part.terms())
        ]
        if known:
            part, definition = max(known, key=lambda pair: len(pair[0]))
            return definition.quantity.symbol + self._sum(parameters - part)
        number, factors = parameters.factor_list()
        if len(parameters) == 1 or len(factors) == 1:
            return parameters.as_expr()
        # e (m1 + m2) rather than e m1 + e m2.
        written = (self._factor(factor) ** power for factor, power in factors)
        return sympy.Mul(rational(number), *written)

    def _factor(self, parameters: PolyElement) -> Any:
        known = self.constants.get(parameters)
        return known.quantity.symbol if known else self._sum(parameters)

    def _sum_of_rates(self, factor: PolyElement) -> Any:
        """A sum of rates, with the longest known part of it by its name."""
        known = [
            (part, definition)
            for part, definition in self.speeds.items()
            if ratio(factor, part) is not None
        ]
        if not known:
            return factor.as_expr()
        part, definition = max(known, key=lambda pair: len(pair[0]))
        times = ratio(factor, part)
        rest = factor - part * times
        return rational(times) * definition.quantity.symbol + self._sum_of_rates(rest)

    def _is_rate_sum(self, factor: PolyElement) -> bool:
        """Whether it is a sum of two or more angular rates, each once."""
        symbols = factor.ring.symbols
        return len(factor) > 1 and all(
            number == 1 and sum(exponents) == 1 and symbols[exponents.index(1)] in self.rates
            for exponents, number in factor.terms()
        )

    def _name_speed(self, factor: PolyElement) -> None:
        present = factor.as_expr().free_symbols
        index = "".join(self.turning[rate] for rate in self.rates if rate in present)
        plain, latex = letter("omega", index)
        meaning = "sum of rates"
        quantity = SymbolQuantity(
            sympy.Symbol(plain.replace("omega", "w")), latex, meaning, "rad/s"
        )
        self.speeds[factor] = Definition(quantity, factor.as_expr())

    def _wave(self, harmonic: Harmonic, is_sine: bool) -> Any:
        """The name of a sine or cosine; None for the constant 1."""
        if not any(harmonic):
            return None
        key = (harmonic, is_sine)
        if key not in self.waves:
            ring = self.forms.ring
            angle = ring.angle(harmonic)
            pairs = zip(harmonic, ring.angles, strict=True)
            plain, latex = subscript(
                [(sympy.Rational(n, u), self.angles.get(s)) for n, (s, u) in pairs if n]
            )
            name = "s" if is_sine else "c"
            value = sympy.sin(angle) if is_sine else sympy.cos(angle)
            quantity = SymbolQuantity(
                sympy.Symbol(f"{name}{plain}"), f"{name}_{{{latex}}}", str(value), "1"
            )
            self.waves[key] = Definition(quantity, value)
        return self.waves[key].quantity.symbol


def _order(harmonic: Harmonic) -> tuple[int, tuple[int, ...]]:
    """Fewer angles first, earlier ones before later ones."""
    return sum(map(abs, harmonic)), tuple(-n for n in harmonic)
