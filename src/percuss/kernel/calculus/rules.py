"""Derivatives of every operation, one function for each argument.

A rule takes the emitter, the registers of the arguments and of the result, and a signed value
t, and returns (∂result/∂argument) t. Multiplication by a number is its own transpose, so the
same rule carries tangents forward and cotangents backward. What does not depend on t (cos x
for sin x, 1/√… for asin) is emitted as instructions of its own, so that other directions and
the function itself share it. Conventions at kinks are JAX's unless a comment says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from percuss.kernel.calculus.signed import Signed, SignedSums, minus

Rule = Callable[[SignedSums, tuple[int, ...], int, int], Signed]


def _same(_: SignedSums, __: tuple[int, ...], ___: int, t: int) -> Signed:
    return t


def _opposite(_: SignedSums, __: tuple[int, ...], ___: int, t: int) -> Signed:
    return ~t


def _slope(formula: Callable[[SignedSums, int, int], int], sign: int = 1) -> Rule:
    """The rule of a function of one argument from its derivative formula(x, y)."""

    def rule(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
        product = e.times(formula(e, x[0], y), t)
        return product if sign > 0 else minus(product)

    return rule


def _inverse_slope(formula: Callable[[SignedSums, int, int], int], sign: int = 1) -> Rule:
    """The rule of a function of one argument whose derivative is 1 / formula(x, y)."""

    def rule(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
        quotient = e.over(t, formula(e, x[0], y))
        return quotient if sign > 0 else minus(quotient)

    return rule


def _one_plus_square(e: SignedSums, x: int) -> int:
    return e.emit("add", e.constant(1.0), e.emit("mul", x, x))


def _one_minus_square(e: SignedSums, x: int) -> int:
    """(1 - x)(1 + x), which keeps its digits where |x| is close to 1 and 1 - x² does not."""
    one = e.constant(1.0)
    return e.emit("mul", e.emit("sub", one, x), e.emit("add", one, x))


def _square_minus_one(e: SignedSums, x: int) -> int:
    one = e.constant(1.0)
    return e.emit("mul", e.emit("sub", x, one), e.emit("add", x, one))


def _abs_slope(e: SignedSums, x: int, _: int) -> int:
    """1 from zero on, as JAX has it, -1 below."""
    upward = e.emit("ge", x, e.constant(0.0))
    return e.emit("select", upward, e.constant(1.0), e.constant(-1.0))


def _cbrt_slope(e: SignedSums, _: int, y: int) -> int:
    return e.emit("div", e.constant(1 / 3), e.emit("mul", y, y))


def _gauss(e: SignedSums, x: int, _: int) -> int:
    """2/√π exp(-x²)."""
    bell = e.emit("exp", e.emit("neg", e.emit("mul", x, x)))
    return e.emit("mul", e.constant(2 / math.sqrt(math.pi)), bell)


# --- two arguments --------------------------------------------------------------------------


def _product_left(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.times(x[1], t)


def _product_right(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.times(x[0], t)


def _numerator(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.over(t, x[1])


def _denominator(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
    return minus(e.times(y, e.over(t, x[1])))


def _divisor_of_remainder(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
    """-n with x = n d + y. JAX takes n = trunc(x / d), off by one where x / d rounds up."""
    whole = e.emit("round", e.emit("div", e.emit("sub", x[0], y), x[1]))
    return minus(e.times(whole, t))


def power(e: SignedSums, x: int, exponent: float) -> int:
    """x to a constant power, by multiplications where that is exact enough and cheaper."""
    if exponent == 2.0:
        return e.emit("mul", x, x)
    if exponent == -1.0:
        return e.emit("div", e.constant(1.0), x)
    return e.emit("pow", x, e.constant(exponent)) if exponent else e.constant(1.0)


def _base(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
    exponent = e.builder.value(x[1])
    if exponent is None:
        reduced = e.emit("pow", x[0], e.emit("sub", x[1], e.constant(1.0)))
        return e.times(e.emit("mul", x[1], reduced), t)
    if exponent == 0.0:
        return None  # x⁰ = 1 for every x; JAX gives 0 · x⁻¹, NaN at zero
    if exponent == 0.5:
        return e.times(e.emit("div", e.constant(0.5), y), t)
    return e.times(e.emit("mul", e.constant(exponent), power(e, x[0], exponent - 1.0)), t)


def _exponent(e: SignedSums, x: tuple[int, ...], y: int, t: int) -> Signed:
    """y log x, and zero where x is zero."""
    nothing = e.emit("eq", x[0], e.constant(0.0))
    logarithm = e.emit("log", e.emit("select", nothing, e.constant(1.0), x[0]))
    return e.times(e.emit("mul", logarithm, y), t)


def radius_squared(e: SignedSums, x: tuple[int, ...]) -> int:
    """x₀² + x₁²."""
    return e.emit("add", e.emit("mul", x[0], x[0]), e.emit("mul", x[1], x[1]))


def _ordinate(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.times(e.emit("div", x[1], radius_squared(e, x)), t)


def _abscissa(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return minus(e.times(e.emit("div", x[0], radius_squared(e, x)), t))


def _extreme(better: str, worse: str, argument: int) -> Rule:
    """All of t where the argument is chosen, half of it at a tie, nothing where it is not.

    Chosen, not multiplied by 0 or 1 as in JAX: an infinite t in the case not taken stays out.
    Where an argument is NaN neither comparison holds and the derivative means nothing.
    """

    def rule(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
        wins = e.emit(better if argument == 0 else worse, x[0], x[1])
        tie = e.emit("eq", x[0], x[1])
        return e.choose(wins, t, e.choose(tie, e.times(e.constant(0.5), t), None))

    return rule


def _copied_size(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    sign = e.emit("copysign", e.constant(1.0), x[1])
    return e.times(sign, e.times(_abs_slope(e, x[0], 0), t))


def _if_true(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.choose(x[0], t, None)


def _if_false(e: SignedSums, x: tuple[int, ...], _: int, t: int) -> Signed:
    return e.choose(x[0], None, t)


RULES: dict[str, tuple[Rule | None, ...]] = {
    "neg": (_opposite,),
    "abs": (_slope(_abs_slope),),
    "sqrt": (_slope(lambda e, _, y: e.emit("div", e.constant(0.5), y)),),
    "cbrt": (_slope(_cbrt_slope),),
    "exp": (_slope(lambda _, __, y: y),),
    "exp2": (_slope(lambda e, _, y: e.emit("mul", e.constant(math.log(2)), y)),),
    "expm1": (_slope(lambda e, _, y: e.emit("add", y, e.constant(1.0))),),
    "log": (_inverse_slope(lambda _, x, __: x),),
    "log2": (_inverse_slope(lambda e, x, _: e.emit("mul", e.constant(math.log(2)), x)),),
    "log1p": (_inverse_slope(lambda e, x, _: e.emit("add", x, e.constant(1.0))),),
    "sin": (_slope(lambda e, x, _: e.emit("cos", x)),),
    "cos": (_slope(lambda e, x, _: e.emit("sin", x), -1),),
    "tan": (_slope(lambda e, _, y: _one_plus_square(e, y)),),
    "asin": (_inverse_slope(lambda e, x, _: e.emit("sqrt", _one_minus_square(e, x))),),
    "acos": (_inverse_slope(lambda e, x, _: e.emit("sqrt", _one_minus_square(e, x)), -1),),
    "atan": (_inverse_slope(lambda e, x, _: _one_plus_square(e, x)),),
    "sinh": (_slope(lambda e, x, _: e.emit("cosh", x)),),
    "cosh": (_slope(lambda e, x, _: e.emit("sinh", x)),),
    "tanh": (_slope(lambda e, _, y: _one_minus_square(e, y)),),
    "asinh": (_inverse_slope(lambda e, x, _: e.emit("sqrt", _one_plus_square(e, x))),),
    "acosh": (_inverse_slope(lambda e, x, _: e.emit("sqrt", _square_minus_one(e, x))),),
    "atanh": (_inverse_slope(lambda e, x, _: _one_minus_square(e, x)),),
    "erf": (_slope(_gauss),),
    "erfc": (_slope(_gauss, -1),),
    "add": (_same, _same),
    "sub": (_same, _opposite),
    "mul": (_product_left, _product_right),
    "div": (_numerator, _denominator),
    "rem": (_same, _divisor_of_remainder),
    "pow": (_base, _exponent),
    "atan2": (_ordinate, _abscissa),
    "min": (_extreme("lt", "gt", 0), _extreme("lt", "gt", 1)),
    "max": (_extreme("gt", "lt", 0), _extreme("gt", "lt", 1)),
    "copysign": (_copied_size, None),
    "select": (None, _if_true, _if_false),
}
"""Rules by operation; operations that are not listed have the derivative zero."""

PIECEWISE_CONSTANT = frozenset(
    "sign floor ceil round trunc is_finite lt le gt ge eq ne and or xor not "
    "to_real to_truth lookup hold".split()
)
"""Operations with the derivative zero wherever they have one."""
