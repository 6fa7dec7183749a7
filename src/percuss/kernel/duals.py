"""Arrays of cases that know how they change: values with a derivative along one direction each.

A `Dual` stands where an array of cases stands. NumPy's functions take it, compiled functions
(`Kernel`) and integrations (`Rollout`) called with one return others, so that code which carries
out many cases in NumPy and kernels gives the exact derivatives of what it computes, unchanged.
Comparisons, signs and counts are plain arrays: a decision has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from percuss.kernel.errors import KernelError

Array = Any


class Dual(NDArrayOperatorsMixin):
    """Values, and their derivatives along a direction, arrays of the same shape.

    A value that is NaN, which a case does not have, has no derivative: that is NaN, too.
    `np.full(shape, 0.0, like=dual)` makes room for others; what would lose derivatives without
    a word, as `np.asarray`, is refused.
    """

    __slots__ = ("slope", "value")

    def __init__(self, value: Array, slope: Array | None = None) -> None:
        self.value = np.asarray(value, float)
        self.slope = _constant(self.value) if slope is None else np.asarray(slope, float)
        if self.slope.shape != self.value.shape:
            raise KernelError(
                f"a derivative of shape {self.slope.shape} is none of values of shape "
                f"{self.value.shape}"
            )

    @staticmethod
    def of(value: Array, slope: Array) -> Dual:
        """Values and derivatives that were computed; a NaN, which is no value, gets none."""
        return Dual(value, np.where(np.isnan(value), np.nan, slope))

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.slope!r})"

    def __array__(self, *args: Any, **options: Any) -> Array:
        raise TypeError(
            "an array of a Dual would lose its derivative: take its value, or its slope"
        )

    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        """NumPy, whose functions find it: a batch of scalars, as an array of cases is."""
        del api_version
        return np

    # --- as an array ---------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype

    @property
    def T(self) -> Dual:  # noqa: N802 (the name arrays have for it)
        return Dual(self.value.T, self.slope.T)

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __iter__(self) -> Iterator[Dual]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Dual:
        return Dual(self.value[key], self.slope[key])

    def __setitem__(self, key: Any, other: Any) -> None:
        self.value[key], self.slope[key] = value_of(other), slope_of(other)

    def copy(self) -> Dual:
        return Dual(self.value.copy(), self.slope.copy())

    def reshape(self, *shape: Any) -> Dual:
        return Dual(self.value.reshape(*shape), self.slope.reshape(*shape))

    def ravel(self) -> Dual:
        return self.reshape(-1)

    def sum(self, axis: Any = None) -> Dual:
        return Dual(self.value.sum(axis=axis), self.slope.sum(axis=axis))

    # --- NumPy's functions -----------------------------------------------------------------------

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        if method != "__call__" or "where" in options:
            return NotImplemented
        values = [value_of(x) for x in inputs]
        if ufunc in _DECISIONS:
            return ufunc(*values, **options)
        if ufunc not in _RULES:
            raise KernelError(f"there is no rule for the derivative of np.{ufunc.__name__}")
        with np.errstate(all="ignore"):
            value = ufunc(*values, **options)
            slope = _RULES[ufunc](value, values, [slope_of(x) for x in inputs])
        found = Dual(value, np.broadcast_to(slope, np.shape(value)))
        if out is None:
            return found
        out[0][...] = found
        return out[0]

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        del types
        if any(isinstance(x, Dual) for x in kwargs.values()):
            raise KernelError(f"np.{func.__name__} takes a Dual by its place, not by a name")
        if func in _ARRANGING:
            return _paired(*(func(*_each(args, of), **kwargs) for of in (value_of, slope_of)))
        if func in _READING:
            return func(*_each(args, value_of), **kwargs)
        if func in _MAKING:
            if args and isinstance(args[0], Dual):
                return args[0].copy() if func is np.array else args[0]
            return Dual(func(*args, **kwargs))
        if func in _FUNCTIONS:
            return _FUNCTIONS[func](*args, **kwargs)
        raise KernelError(f"there is no rule for the derivative of np.{func.__name__}")


def is_dual(value: Any) -> bool:
    """Whether a value carries its derivative."""
    return isinstance(value, Dual)


def value_of(value: Any) -> Any:
    """A value without its derivative."""
    return value.value if isinstance(value, Dual) else value


def slope_of(value: Any) -> Any:
    """The derivative of a value, zero for one that has none; NaN where the value is."""
    return value.slope if isinstance(value, Dual) else _constant(value)


def array_of(values: Any) -> Any:
    """What a compiled function returned, as an array of the host; a Dual stays what it is."""
    return values if isinstance(values, Dual) else np.asarray(values)


def _constant(value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return np.zeros(array.shape)
    return np.where(np.isnan(array), np.nan, 0.0)


def _each(args: Any, of: Callable[[Any], Any]) -> Any:
    """Arguments, lists of them too, of which arrays and numbers are replaced.

    Shapes and axes, which are plain whole numbers, are left as they are.
    """

    def part(x: Any) -> Any:
        if isinstance(x, (list, tuple)) and any(isinstance(y, Dual) for y in x):
            return type(x)(of(y) for y in x)
        return of(x) if isinstance(x, Dual) else x

    return [part(x) for x in args]


def _paired(value: Any, slope: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [Dual(*both) for both in zip(value, slope, strict=True)]
    return Dual(value, slope)


# --- rules -------------------------------------------------------------------------------------

Rule = Callable[[Array, Sequence[Array], Sequence[Array]], Array]
"""(result, values, derivatives of the values) → derivative of the result."""


def _chosen(first: Callable[[Array, Array], Array]) -> Rule:
    """The derivative of whichever is chosen; of the first of equals."""

    def rule(value: Array, at: Sequence[Array], along: Sequence[Array]) -> Array:
        del value
        return np.where(first(at[0], at[1]), along[0], along[1])

    return rule


def _turn(value: Array, at: Sequence[Array], along: Sequence[Array]) -> Array:
    del value
    (y, x), (dy, dx) = at, along
    return (x * dy - y * dx) / (x * x + y * y)


def _power(value: Array, at: Sequence[Array], along: Sequence[Array]) -> Array:
    del value
    if np.any(np.nan_to_num(along[1])):
        raise KernelError("there is no rule for the derivative of an exponent")
    slope = at[1] * at[0] ** (at[1] - 1) * along[0]
    return np.where((at[0] == 0.0) & (along[0] == 0.0), 0.0, slope)


_COMPARING = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_JUDGING = (np.isnan, np.isfinite, np.isinf, np.sign)
_DECISIONS = frozenset((*_COMPARING, *_JUDGING))
_RULES: dict[np.ufunc, Rule] = {
    np.add: lambda z, x, d: d[0] + d[1],  # noqa: ARG005
    np.subtract: lambda z, x, d: d[0] - d[1],  # noqa: ARG005
    np.multiply: lambda z, x, d: d[0] * x[1] + x[0] * d[1],  # noqa: ARG005
    np.divide: lambda z, x, d: (d[0] - z * d[1]) / x[1],
    np.negative: lambda z, x, d: -d[0],  # noqa: ARG005
    np.power: _power,
    np.square: lambda z, x, d: 2.0 * x[0] * d[0],  # noqa: ARG005
    # At zero, where nothing changes, a root stays zero.
    np.sqrt: lambda z, x, d: np.where((x[0] == 0.0) & (d[0] == 0.0), 0.0, 0.5 * d[0] / z),
    np.absolute: lambda z, x, d: np.sign(x[0]) * d[0],  # noqa: ARG005
    np.maximum: _chosen(lambda a, b: (a >= b) | np.isnan(a)),
    np.minimum: _chosen(lambda a, b: (a <= b) | np.isnan(a)),
    np.fmax: _chosen(lambda a, b: (a >= b) | np.isnan(b)),
    np.fmin: _chosen(lambda a, b: (a <= b) | np.isnan(b)),
    np.sin: lambda z, x, d: np.cos(x[0]) * d[0],  # noqa: ARG005
    np.cos: lambda z, x, d: -np.sin(x[0]) * d[0],  # noqa: ARG005
    np.arctan2: _turn,
}


def _where(condition: Any, first: Any, second: Any) -> Dual:
    return Dual(
        np.where(condition, value_of(first), value_of(second)),
        np.where(condition, slope_of(first), slope_of(second)),
    )


def _joined(join: Callable[..., Array]) -> Callable[..., Dual]:
    """The rule by which arrays are joined, some of which may carry no derivative."""

    def together(parts: Sequence[Any], *args: Any, **options: Any) -> Dual:
        return Dual(
            *(join([of(part) for part in parts], *args, **options) for of in (value_of, slope_of))
        )

    return together


def _cross(a: Any, b: Any, **options: Any) -> Dual:
    first, second = value_of(a), value_of(b)
    along = np.cross(slope_of(a), second, **options) + np.cross(first, slope_of(b), **options)
    return Dual(np.cross(first, second, **options), along)


def _norm(x: Any, *, axis: int | None = None) -> Any:
    return np.sqrt((x * x).sum(axis=axis))


_MOVING = (np.split, np.broadcast_to, np.repeat, np.tile, np.moveaxis, np.reshape, np.ravel)
_KEEPING = (np.ascontiguousarray, np.copy)
_ARRANGING = frozenset((*_MOVING, *_KEEPING, np.sum, np.diff))
"""Functions that are linear, and of which the first argument alone holds numbers of cases."""
_READING = frozenset([np.ndim, np.shape, np.size, np.any, np.all, np.max, np.min, np.round])
"""Functions of the values: decisions, or what they are for."""
_MAKING = frozenset([np.full, np.zeros, np.ones, np.array, np.asarray])
"""Functions that make an array `like` a Dual."""
_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.where: _where,
    np.concatenate: _joined(np.concatenate),
    np.stack: _joined(np.stack),
    np.cross: _cross,
    np.linalg.norm: _norm,
    np.zeros_like: lambda a: Dual(np.zeros(a.shape)),
}


# --- functions that know no Duals --------------------------------------------------------------

_STEP = 1e-3
"""Step of differences, as a share of the size of what moves. Those of fourth order are off by about
1e-12 of the change over that size, times the fifth derivative, and by a thousand roundings."""
_LEAST = 1e-2
"""Size (SI) of what is zero in all cases."""


def same_in_all(values: Any) -> bool:
    """Whether all cases have the same values (…, cases), and none has a derivative."""
    plain = value_of(values)
    still = not is_dual(values) or not np.nan_to_num(values.slope, nan=1.0).any()
    return still and bool((plain == plain[..., :1]).all())


_SMOOTH = 0.05
"""Share by which the changes over one step and over two may differ, per step, where a function is
smooth; a search that finds another solution to one side makes them differ by far more."""
_ROUNDING = 1e-7
"""Share of a value, of which a step is a thousandth, by which they may differ besides."""
_CENTRAL = np.array([[1.0], [-1.0], [2.0], [-2.0]])
_ASIDE = np.array([[1.0], [2.0], [3.0], [4.0]])
"""Points at which a function is evaluated, in steps: on both sides of a case, or on one."""


def with_differences(
    function: Callable[..., Array], *arguments: Any, side: Callable[[Array], Array] | None = None
) -> Any:
    """A smooth function of arrays (…, cases) or numbers, of Duals too: of which by differences.

    For functions whose inside is neither NumPy nor a kernel, such as a search for a solution. The
    result is an array (…, cases). What is NaN at one of the points, or is not smooth between them,
    has no derivative.

    Args:
        side: steps (cases,) along the directions of cases → for each case 1 or -1 where the
            function is to be evaluated on that side alone, up to four steps, since two steps to
            the other are out of its bounds; 0 elsewhere.
    """
    if not any(map(is_dual, arguments)):
        return function(*arguments)
    values, slopes = ([of(x) for x in arguments] for of in (value_of, slope_of))
    steps = _steps(values, slopes)
    chosen = np.zeros(np.shape(steps)) if side is None else np.asarray(side(steps), float)
    points = np.where(chosen == 0.0, _CENTRAL, chosen * _ASIDE)

    def moved(count: Array) -> Array:
        pairs = zip(values, slopes, strict=True)
        return function(*(x + (count * steps) * d if np.any(d) else x for x, d in pairs))

    value = function(*values)
    f1, f2, f3, f4 = (moved(count) for count in points)
    one, two = (f1 - f2) / 2.0, (f3 - f4) / 4.0
    allowed = _SMOOTH * np.maximum(np.abs(one), np.abs(two)) + _ROUNDING * (np.abs(value) + _LEAST)
    both = np.where(np.abs(one - two) <= allowed, (4.0 * one - two) / 3.0, np.nan)
    aside = chosen * (48.0 * f1 - 36.0 * f2 + 16.0 * f3 - 3.0 * f4 - 25.0 * value) / 12.0
    return Dual.of(value, np.where(chosen == 0.0, both, aside) / steps)


def _steps(values: Sequence[Array], slopes: Sequence[Array]) -> Array:
    """The step of each case along its direction, (cases,): small for every entry that moves."""
    shares = []
    for value, slope in zip(values, slopes, strict=True):
        rows = np.abs(np.atleast_2d(slope)) / np.maximum(np.abs(np.atleast_2d(value)), _LEAST)
        shares.append(rows.max(axis=0, initial=0.0))
    share = np.max(np.broadcast_arrays(*shares), axis=0)
    return _STEP / np.where(share > 0.0, share, 1.0)
