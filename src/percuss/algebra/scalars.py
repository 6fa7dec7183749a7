"""Scalars of any kind, with constants folded as the expression is built.

A *scalar* is a Python float, a SymPy expression, or a value of an array library that follows the
array API standard (`__array_namespace__`): a tracer of the kernel compiler, a JAX value, or a
NumPy array whose axes are a batch. The functions here are the only place where the kind matters.
A plain number is a *constant*: ``0 * x`` gives 0, ``1 * x`` gives x and ``0 + x``
gives x without touching x, so a planar model traced through the spatial code leaves no
arithmetic on zeros behind.

Between two plain numbers nothing is folded: IEEE rules hold, NaN included.

Operators fold as these functions do in a function marked as a `formula`, whose scalars are `Term`s:
``-(1.0 + e) * m * v``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, wraps
from typing import Any, ParamSpec, Protocol, TypeGuard, TypeVar, final

import numpy as np

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Scalar(Protocol):
    """Anything with arithmetic: float, SymPy expression, traced or JAX value, NumPy batch."""

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...

    # A comparison of numbers is a truth value, of other kinds a condition for `where`.
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...


def is_constant(x: object) -> TypeGuard[float]:
    """Whether x is a plain number, known while the expression is built."""
    return isinstance(x, (float, int))


def is_symbolic(x: object) -> bool:
    """Whether x is a SymPy expression."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(x, sympy.Basic)


def is_symbolic_matrix(x: object) -> bool:
    """Whether x is a SymPy matrix, which can be iterated over without saying so."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(x, sympy.MatrixBase)


def is_jax(x: object) -> bool:
    """Whether x is a JAX array or tracer."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.Array)


def is_traced(x: object) -> bool:
    """Whether x is a value whose number is not known yet: a tracer of ours, or JAX's value."""
    return hasattr(x, "__array_namespace__") and not isinstance(x, (np.ndarray, np.generic))


@cache
def _prepare_jax() -> None:
    """With the first JAX value our types become pytrees, so that they can leave `jit`."""
    from percuss.algebra.pytrees import register

    register()


# --- arithmetic ---------------------------------------------------------------------------


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b, with 0 + x = x."""
    if type(a) is float and type(b) is float:  # by far the commonest case, kept quick
        return a + b
    if is_constant(a):
        if is_constant(b):
            return a + b
        return b if a == 0 else _exact(a, b) + b
    if is_constant(b):
        return a if b == 0 else a + _exact(b, a)
    if type(a) is not type(b):
        _refuse_mixture(a, b)
    return a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """a - b, with x - 0 = x and 0 - x = -x."""
    if type(a) is float and type(b) is float:  # by far the commonest case, kept quick
        return a - b
    if is_constant(b):
        if is_constant(a):
            return a - b
        return a if b == 0 else a - _exact(b, a)
    if is_constant(a):
        return -b if a == 0 else _exact(a, b) - b
    if type(a) is not type(b):
        _refuse_mixture(a, b)
    return a - b


def mul(a: Scalar, b: Scalar) -> Scalar:
    """a b, with 0 x = 0, 1 x = x and -1 x = -x."""
    if type(a) is float and type(b) is float:  # by far the commonest case, kept quick
        return a * b
    if is_constant(a):
        if is_constant(b):
            return a * b
        return _scale(a, b)
    if is_constant(b):
        return _scale(b, a)
    if type(a) is not type(b):
        _refuse_mixture(a, b)
    return a * b


def div(a: Scalar, b: Scalar) -> Scalar:
    """a / b, with 0 / x = 0 and x / 1 = x; between numbers 1 / 0 is infinite as in IEEE 754."""
    if is_constant(b):
        if is_constant(a):
            return a / b if b != 0 else _divided_by_zero(a, b)
        return _scale(_reciprocal(b, a), a)
    if is_constant(a):
        return 0.0 if a == 0 else _exact(a, b) / b
    if type(a) is not type(b):
        _refuse_mixture(a, b)
    return a / b


def neg(a: Scalar) -> Scalar:
    """-a."""
    return -a


def total(terms: Iterable[Scalar]) -> Scalar:
    """Sum of the terms; 0 when there are none."""
    result: Scalar = 0.0
    for term in terms:
        result = add(result, term)
    return result


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Sum of the products of two sequences of the same length."""
    result: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        # As `add` and `mul` do it, quickly: most factors are numbers, and many of them zero.
        if type(x) is float:
            if type(y) is float:
                result = result + x * y if type(result) is float else add(result, x * y)
                continue
            if x == 0.0:
                continue
        elif type(y) is float and y == 0.0:
            continue
        result = add(result, mul(x, y))
    return result


def _refuse_mixture(a: Scalar, b: Scalar) -> None:
    if isinstance(a, Term) or isinstance(b, Term):
        return  # a term looks at what it stands for
    if is_symbolic(a) is not is_symbolic(b):
        raise TypeError(
            "SymPy expressions cannot be combined with traced values, JAX values or NumPy batches; "
            "put numbers in for the symbols, or evaluate the expression with sympy.lambdify"
        )


def _scale(constant: float, x: Scalar) -> Scalar:
    if constant == 0:
        return 0.0
    if constant == 1:
        return x
    if constant == -1:
        return -x
    return x * _exact(constant, x)


def _exact(constant: float, partner: Scalar) -> Any:
    """The constant as a short exact rational next to a symbol: closed forms stay readable."""
    if is_symbolic(partner) and math.isfinite(constant):
        fraction = Fraction(constant)
        if fraction.denominator <= 1024:
            return sys.modules["sympy"].Rational(fraction.numerator, fraction.denominator)
    return constant


def _reciprocal(b: float, partner: Scalar) -> Any:
    if b == 0:
        return math.copysign(math.inf, b)
    if is_symbolic(partner):
        # 1/3 must not become 0.333… next to a symbol.
        exact = _exact(b, partner)
        return float(1 / b) if isinstance(exact, float) else 1 / exact
    return 1.0 / b


def _divided_by_zero(a: float, b: float) -> float:
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


# --- formulas -----------------------------------------------------------------------------


@final
class Term:
    """A scalar in a formula: its operators are `add`, `sub`, `mul` and `div`, and give terms.

    Comparisons give what the scalars' own give. Functions of this module and of `namespace` give
    terms for terms. Terms do not leave the formula: `plain` gives the scalars they stand for.
    """

    __slots__ = ("value",)

    # NumPy arrays on the left of an operator must leave the operation to us.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Scalar) -> None:
        self.value = value

    def __add__(self, other: Any) -> Term:
        return Term(add(self.value, other.value if type(other) is Term else other))

    def __radd__(self, other: Any) -> Term:
        return Term(add(other, self.value))

    def __sub__(self, other: Any) -> Term:
        return Term(sub(self.value, other.value if type(other) is Term else other))

    def __rsub__(self, other: Any) -> Term:
        return Term(sub(other, self.value))

    def __mul__(self, other: Any) -> Any:
        if hasattr(other, "__iter__") and not hasattr(other, "__array_namespace__"):
            return NotImplemented  # a vector, which scales itself
        return Term(mul(self.value, other.value if type(other) is Term else other))

    def __rmul__(self, other: Any) -> Term:
        return Term(mul(other, self.value))

    def __truediv__(self, other: Any) -> Term:
        return Term(div(self.value, other.value if type(other) is Term else other))

    def __rtruediv__(self, other: Any) -> Term:
        return Term(div(other, self.value))

    def __neg__(self) -> Term:
        return Term(-self.value)

    def __lt__(self, other: Any) -> Any:
        return self.value < plain(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= plain(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > plain(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= plain(other)

    def __eq__(self, other: Any) -> Any:
        return self.value == plain(other)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of scalars, which give terms for terms."""
        del api_version
        return _FUNCTIONS_OF_TERMS

    def __repr__(self) -> str:
        return f"Term({self.value!r})"


class _FunctionsOfTerms:
    """Functions of scalars that give terms: those of this module, else those of the library."""

    def __getattr__(self, name: str) -> Callable[..., Term]:
        own = {"sin": sin, "cos": cos, "sqrt": sqrt, "atan2": atan2, "where": where}

        def function(*arguments: Any) -> Term:
            scalars = plain(arguments)
            if name in own:
                return Term(own[name](*scalars))
            if all(is_constant(x) for x in scalars):
                return Term(float(getattr(np, name)(*scalars)))
            return Term(getattr(namespace(*scalars), name)(*scalars))

        return function


_FUNCTIONS_OF_TERMS = _FunctionsOfTerms()


def terms(*scalars: Scalar) -> Any:
    """The scalars as terms: one term for one scalar, else a tuple of them."""
    found = tuple(x if isinstance(x, Term) else Term(x) for x in scalars)
    return found[0] if len(found) == 1 else found


def plain(values: Any) -> Any:
    """Terms as the scalars they stand for, in tuples, lists and dictionaries too."""
    if type(values) is Term:
        return values.value
    if type(values) is tuple:
        return tuple([plain(x) for x in values])
    if type(values) is list:
        return [plain(x) for x in values]
    if type(values) is dict:
        return {key: plain(x) for key, x in values.items()}
    return values


def _termed(argument: Any) -> Any:
    """Scalars as terms, in tuples and lists too."""
    kind = type(argument)
    if kind is float:
        return Term(argument)
    if kind is tuple:
        return tuple([_termed(x) for x in argument])
    if kind is list:
        return [_termed(x) for x in argument]
    if kind is Term:
        return argument
    if is_symbolic(argument) or hasattr(argument, "__array_namespace__"):
        return Term(argument)
    return argument


def formula(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """A function of scalars in which operators fold constants, as `add` and `mul` do.

    Its arguments that are scalars, also in tuples and lists, reach it as terms, but for whole
    numbers, which count something; what it returns has no terms. Fields of an object that it is
    given are scalars as before: `terms` makes them terms.
    """

    @wraps(function)
    def of_scalars(*arguments: Any, **options: Any) -> Any:
        given = [_termed(x) for x in arguments]
        named = {name: _termed(x) for name, x in options.items()}
        return plain(function(*given, **named))  # type: ignore[call-arg]

    return of_scalars


# --- functions ----------------------------------------------------------------------------


def sin(x: Scalar) -> Scalar:
    """Sine; NaN for an infinite number."""
    if is_constant(x):
        return math.sin(x) if math.isfinite(x) else math.nan
    return namespace(x).sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine; NaN for an infinite number."""
    if is_constant(x):
        return math.cos(x) if math.isfinite(x) else math.nan
    return namespace(x).cos(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root; NaN for a negative number."""
    if is_constant(x):
        return math.sqrt(x) if x >= 0 else math.nan
    return namespace(x).sqrt(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), in (-π, π]."""
    if is_constant(y) and is_constant(x):
        return math.atan2(y, x)
    module = namespace(y, x)
    return module.atan2(y, x)


def where(condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
    """if_true where the condition holds, else if_false, for any kind of condition.

    Both branches are evaluated: guard their *arguments*, or a division by zero in the
    branch not taken poisons the derivative.
    """
    if isinstance(condition, (bool, np.bool_)):
        return if_true if condition else if_false
    if isinstance(if_true, Term) or isinstance(if_false, Term):
        return Term(where(condition, plain(if_true), plain(if_false)))
    if is_symbolic(condition):
        sympy = sys.modules["sympy"]
        return sympy.Piecewise((if_true, condition), (if_false, True))
    return namespace(condition, if_true, if_false).where(condition, if_true, if_false)


def cos_sqrt(s: Scalar) -> Scalar:
    """cos(√s) for s ≥ 0, smooth at zero."""
    return _smooth_at_zero(
        s,
        near=lambda s: sub(1.0, mul(s, sub(0.5, mul(s, sub(1 / 24, div(s, 720.0)))))),
        far=lambda s: cos(sqrt(s)),
    )


def sinc_sqrt(s: Scalar) -> Scalar:
    """sin(√s) / √s for s ≥ 0, smooth at zero."""
    return _smooth_at_zero(
        s,
        near=lambda s: sub(1.0, mul(s, sub(1 / 6, mul(s, sub(1 / 120, div(s, 5040.0)))))),
        far=lambda s: div(sin(sqrt(s)), sqrt(s)),
    )


# Below this the series to s³ is exact to rounding: s⁴ / 9! < 1e-16.
_SERIES_BELOW = 1e-3


def _smooth_at_zero(s: Scalar, near: Any, far: Any) -> Scalar:
    if is_constant(s):
        return near(s) if s < _SERIES_BELOW else far(s)
    if is_symbolic(s):
        sympy = sys.modules["sympy"]
        return sympy.Piecewise((near(sympy.Integer(0)), sympy.Eq(s, 0)), (far(s), True))
    small = s < _SERIES_BELOW
    return where(small, near(s), far(where(small, 1.0, s)))


# --- kinds of scalars ---------------------------------------------------------------------


def namespace(*scalars: object) -> Any:
    """The library whose functions apply to these scalars: sympy, numpy or jax.numpy.

    Values that are being traced say `numpy` themselves, whose functions find them. Constants among
    the scalars follow the others.
    """
    found = None
    for x in scalars:
        if is_symbolic(x):
            return sys.modules["sympy"]
        if hasattr(x, "__array_namespace__"):
            library = x.__array_namespace__()  # type: ignore[attr-defined]
            found = library if found is None or found is np else found
    if found is not None:
        return found
    kinds = ", ".join(sorted({type(x).__name__ for x in scalars}))
    raise TypeError(
        f"not a scalar: {kinds}. Allowed are numbers, SymPy expressions, traced values, JAX values "
        "and NumPy arrays (a batch)."
    )


def to_scalar(x: Any) -> Scalar:
    """x as a scalar: numbers become floats, other kinds pass through unchanged."""
    if isinstance(x, (float, int, np.floating, np.integer)) or (
        isinstance(x, np.ndarray) and x.ndim == 0
    ):
        return float(x)
    if is_symbolic(x):
        return float(x) if isinstance(x, sys.modules["sympy"].Float) else x
    if is_jax(x):
        _prepare_jax()
    if hasattr(x, "__array_namespace__") and x.dtype.kind in "fiu":
        return x
    namespace(x)  # raises for what is no scalar at all
    raise TypeError(f"not a real scalar: {x!r}")


def unpack(values: Any, size: int, what: str, names: Sequence[str] = ()) -> tuple[Scalar, ...]:
    """The first axis of `values` as a tuple of `size` scalars; `what` names it in errors."""
    if is_jax(values):
        _prepare_jax()
        scalars = tuple(namespace(values).unstack(values)) if values.ndim else (values,)
    elif hasattr(values, "__iter__") or is_symbolic_matrix(values):
        scalars = tuple(_named_scalar(value, what) for value in values)
    else:
        raise TypeError(f"{what} must be a sequence of {size} scalars, got {values!r}")
    if len(scalars) != size:
        expected = f" ({', '.join(names)})" if names else ""
        raise ValueError(f"{what} must have {size} entries{expected}, got {len(scalars)}")
    return scalars


def _named_scalar(value: Any, what: str) -> Scalar:
    try:
        return to_scalar(value)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from error


def as_array(values: Any) -> Any:
    """A sequence of scalars as an array: floats where all are numbers, else of their kind."""
    if is_traced(values):
        return values
    if any(is_traced(x) or is_symbolic(x) for x in values):
        return pack(values)
    return np.asarray(values, float)


def pack(rows: Any) -> Any:
    """Scalars in a sequence, or a sequence of equally long rows, as one array of their kind.

    Numbers give a float64 NumPy array, symbols a SymPy matrix, traced and JAX values an array of
    their kind; batches are stacked with the batch as last axes.
    """
    rows = plain(list(rows))
    nested = bool(rows) and isinstance(rows[0], (list, tuple))
    flat = [x for row in rows for x in row] if nested else rows
    shape: tuple[int, ...] = (len(rows), len(rows[0])) if nested else (len(rows),)
    if any(is_symbolic(x) for x in flat):
        sympy = sys.modules["sympy"]
        exact = [_exact(x, sympy.Integer(1)) if is_constant(x) else x for x in flat]
        return sympy.Matrix(len(rows), shape[-1] if nested else 1, exact)
    if any(is_jax(x) for x in flat):
        jnp = namespace(*(x for x in flat if is_jax(x)))
        dtype = jnp.result_type(*(x for x in flat if not is_constant(x)))
        stacked = jnp.stack(jnp.broadcast_arrays(*(jnp.asarray(x, dtype) for x in flat)))
        return stacked.reshape(shape + stacked.shape[1:])
    if not flat:
        return np.zeros(shape)
    if all(is_constant(x) or isinstance(x, (np.ndarray, np.generic)) for x in flat):
        stacked = np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in flat)))
    else:
        stacked = np.stack(flat)
    return stacked.reshape(shape + stacked.shape[1:])
