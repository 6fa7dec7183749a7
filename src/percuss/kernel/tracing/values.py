"""Values that write down what is done with them: scalars and small arrays of a program.

They take part in NumPy's own protocols (`__array_ufunc__`, `__array_function__`,
`__array_namespace__`), so that a function written with `numpy` for numbers can be traced as it is.
What cannot be written down — a Python `if` on a value that is not known, its `float()` — is refused
with the line that asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.program import TRUTH
from percuss.kernel.tracing import (  # noqa: F401  what NumPy's functions are
    choices,
    elements,
    interpolation,
    linear,
    products,
    shapes,
    sums,
)
from percuss.kernel.tracing.functions import FACTS, call_function
from percuss.kernel.tracing.indexing import entries
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import JaxAskedError, is_number_like, not_real, reals
from percuss.kernel.tracing.refusals import UnknownValue
from percuss.kernel.tracing.ufuncs import call_ufunc, elementwise
from percuss.kernel.tracing.writer import ProgramWriter, Registers


def _method(function: Any) -> Callable[..., Any]:
    """A function of NumPy as a method.

    NumPy itself calls methods of these names on the elements of an array of objects.
    """
    return lambda self, *others, **options: function(self, *others, **options)


def _reflected(function: Any) -> Callable[..., Any]:
    """An operator's method for this value on the right side."""
    return lambda self, other: function(other, self)


class Value(UnknownValue):
    """What scalars and arrays of a program share: NumPy's protocols and methods."""

    __slots__ = ("writer",)
    writer: ProgramWriter

    __array_priority__ = 1000

    if TYPE_CHECKING:

        @property
        def registers(self) -> Registers:
            """Register numbers, shaped like the value; each kind keeps them in its own way."""
            ...

    @property
    def shape(self) -> tuple[int, ...]:
        return self.registers.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> np.dtype[Any]:
        """bool for truth values, else float64."""
        first = next(iter(np.ravel(self.registers).tolist()), None)
        truth = first is not None and self.writer.builder.kind(first) == TRUTH
        return np.dtype(bool if truth else float)

    @property
    def T(self) -> Any:  # noqa: N802  NumPy's name
        return wrapped(self.writer, self.registers.T)

    # --- NumPy's protocols --------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return _results(
            self.writer, call_ufunc(self.writer, ufunc, method, inputs, options=options)
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        del types
        found = call_function(self.writer, function, args, kwargs)
        return found if function in FACTS else _results(self.writer, found)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """NumPy, whose functions find their way back here."""
        del api_version
        return np

    @property
    def at(self) -> Any:
        raise JaxAskedError(f"`.at` belongs to JAX's arrays{users_line()}")

    # --- methods of arrays --------------------------------------------------------------------

    sum, prod, mean, var, std = map(_method, (np.sum, np.prod, np.mean, np.var, np.std))
    max, min, argmax, argmin = map(_method, (np.max, np.min, np.argmax, np.argmin))
    all, any, dot, clip, round = map(_method, (np.all, np.any, np.dot, np.clip, np.round))
    cumsum, cumprod, take, repeat = map(_method, (np.cumsum, np.cumprod, np.take, np.repeat))
    swapaxes, diagonal, trace = map(_method, (np.swapaxes, np.diagonal, np.trace))

    def reshape(self, *shape: Any) -> Any:
        return wrapped(self.writer, self.registers.reshape(*shape))

    def ravel(self) -> Any:
        return wrapped(self.writer, self.registers.ravel())

    flatten = ravel

    def squeeze(self, axis: Any = None) -> Any:
        return wrapped(self.writer, self.registers.squeeze(axis))

    def transpose(self, *axes: Any) -> Any:
        return wrapped(self.writer, self.registers.transpose(*axes))

    def copy(self) -> Any:
        """Itself: values of a program do not change."""
        return self

    def astype(self, dtype: Any, **options: Any) -> Any:
        """Truth values as 0 and 1, numbers as truth values or cut off to whole ones."""
        del options
        new = np.dtype(dtype)
        if new.kind == "b":
            return wrapped(self.writer, self.writer.each("to_truth", self.registers))
        real = reals(self.writer, self)
        if new.kind in "iu":
            return wrapped(self.writer, self.writer.whole(real, new))
        if new != np.dtype(float):
            raise KernelError(
                f"rounding to {new.name} inside a function cannot be compiled{users_line()}; "
                "compile the whole function with dtype=float32, or round to a step with "
                "np.round(x / step) * step"
            )
        return wrapped(self.writer, real)

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<computed value of shape {self.shape}>" if self.shape else "<computed value>"


def _operator(operation: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator of scalars, and the one for its right side."""

    def forward(self: TracedScalar, other: Any) -> Any:
        kind = type(other)
        builder = self.writer.builder
        if kind is TracedScalar and other.writer is self.writer:
            return TracedScalar(self.writer, builder.emit(operation, self.register, other.register))
        if kind is float or kind is int:
            constant = builder.constant(other)
            return TracedScalar(self.writer, builder.emit(operation, self.register, constant))
        return combined(operation, self, other)

    def backward(self: TracedScalar, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            builder = self.writer.builder
            constant = builder.constant(other)
            return TracedScalar(self.writer, builder.emit(operation, constant, self.register))
        return combined(operation, other, self)

    return forward, backward


def _comparison(operation: str) -> Callable[..., Any]:
    """A comparison of scalars."""

    def compare(self: TracedScalar, other: Any) -> Any:
        kind = type(other)
        builder = self.writer.builder
        if kind is TracedScalar and other.writer is self.writer:
            return Truth(self.writer, builder.emit(operation, self.register, other.register))
        if kind is float or kind is int:
            constant = builder.constant(other)
            return Truth(self.writer, builder.emit(operation, self.register, constant))
        return combined(operation, self, other)

    return compare


def _general(operation: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operation's methods, with the value on either side, of any traced values."""

    def forward(self: Any, other: Any) -> Any:
        return combined(operation, self, other)

    def backward(self: Any, other: Any) -> Any:
        return combined(operation, other, self)

    return forward, backward


class _Operators(Value):
    """Operators of arrays and truth values; scalars have quicker ones."""

    __slots__ = ()

    __add__, __radd__ = _general("add")
    __sub__, __rsub__ = _general("sub")
    __mul__, __rmul__ = _general("mul")
    __truediv__, __rtruediv__ = _general("div")
    __lt__, __gt__, __le__ = _general("lt")[0], _general("gt")[0], _general("le")[0]
    __ge__, __eq__, __ne__ = _general("ge")[0], _general("eq")[0], _general("ne")[0]
    __and__, __rand__ = _general("and")
    __or__, __ror__ = _general("or")
    __xor__, __rxor__ = _general("xor")
    __hash__ = Value.__hash__

    def __neg__(self) -> Any:
        return wrapped(self.writer, elementwise(self.writer, "neg", self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return wrapped(self.writer, elementwise(self.writer, "abs", self))

    def __invert__(self) -> Any:
        return wrapped(self.writer, elementwise(self.writer, "not", self))

    __pow__, __rpow__ = _method(np.power), _reflected(np.power)
    __mod__, __rmod__ = _method(np.remainder), _reflected(np.remainder)
    __floordiv__, __rfloordiv__ = _method(np.floor_divide), _reflected(np.floor_divide)
    __divmod__, __rdivmod__ = _method(np.divmod), _reflected(np.divmod)
    __matmul__, __rmatmul__ = _method(np.matmul), _reflected(np.matmul)


class TracedScalar(_Operators):
    """One real number of a program."""

    __slots__ = ("register",)
    register: int

    def __init__(self, writer: ProgramWriter, register: int) -> None:
        self.writer = writer
        self.register = register

    @property
    def registers(self) -> Registers:
        return np.asarray(self.register)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub")
    __mul__, __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div")
    __lt__, __gt__, __le__ = _comparison("lt"), _comparison("gt"), _comparison("le")
    __ge__, __eq__, __ne__ = _comparison("ge"), _comparison("eq"), _comparison("ne")
    __hash__ = Value.__hash__

    def __neg__(self) -> Any:
        return TracedScalar(self.writer, self.writer.builder.emit("neg", self.register))

    sqrt, cbrt, exp, exp2, expm1 = map(_method, (np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1))
    log, log2, log10, log1p = map(_method, (np.log, np.log2, np.log10, np.log1p))
    sin, cos, tan, arcsin, arccos = map(_method, (np.sin, np.cos, np.tan, np.arcsin, np.arccos))
    arctan, arctan2, hypot = map(_method, (np.arctan, np.arctan2, np.hypot))
    sinh, cosh, tanh, arcsinh = map(_method, (np.sinh, np.cosh, np.tanh, np.arcsinh))
    arccosh, arctanh, floor, ceil = map(_method, (np.arccosh, np.arctanh, np.floor, np.ceil))
    trunc, rint, isfinite, isnan = map(_method, (np.trunc, np.rint, np.isfinite, np.isnan))
    deg2rad, rad2deg, square = map(_method, (np.deg2rad, np.rad2deg, np.square))
    logical_not = _method(np.logical_not)

    __round__, __floor__, __ceil__, __trunc__ = map(
        _method, (np.round, np.floor, np.ceil, np.trunc)
    )

    def item(self) -> Any:
        return self


class Truth(TracedScalar):
    """One truth value of a program; in arithmetic it counts as 0 or 1."""

    __slots__ = ()

    __add__, __radd__ = _general("add")
    __sub__, __rsub__ = _general("sub")
    __mul__, __rmul__ = _general("mul")
    __truediv__, __rtruediv__ = _general("div")
    __lt__, __gt__, __le__ = _Operators.__lt__, _Operators.__gt__, _Operators.__le__
    __ge__, __eq__, __ne__ = _Operators.__ge__, _Operators.__eq__, _Operators.__ne__
    __hash__ = Value.__hash__
    __neg__ = _Operators.__neg__


class Array(_Operators):
    """A small array of numbers or truth values of a program; its shape is known."""

    __slots__ = ("_registers",)

    def __init__(self, writer: ProgramWriter, registers: Registers) -> None:
        self.writer = writer
        self._registers = registers

    @property
    def registers(self) -> Registers:
        return self._registers

    # Numbers have no entries: with them NumPy would take each for a sequence.
    def __getitem__(self, index: Any) -> Any:
        return wrapped(self.writer, entries(self.writer, self._registers, index))

    def __len__(self) -> int:
        return len(self._registers)

    def __iter__(self) -> Iterator[Any]:
        if self._registers.ndim == 1:
            return iter([wrapped_scalar(self.writer, r) for r in self._registers.tolist()])
        return iter([wrapped(self.writer, row) for row in self._registers])

    def item(self) -> Any:
        """The one entry of an array of one."""
        return wrapped(self.writer, self._registers.reshape(()))

    def tolist(self) -> list[Any]:
        return [part.tolist() if isinstance(part, Array) else part for part in self]


def wrapped_scalar(writer: ProgramWriter, register: int) -> TracedScalar:
    truth = writer.builder.kind(register) == TRUTH
    return Truth(writer, register) if truth else TracedScalar(writer, register)


def wrapped(writer: ProgramWriter, registers: Registers) -> Any:
    """The value in these registers."""
    if np.ndim(registers) == 0:
        return wrapped_scalar(writer, int(registers))
    return Array(writer, registers)


def _results(writer: ProgramWriter, found: Any) -> Any:
    """The values of a function with one result or with several."""
    if isinstance(found, (list, tuple)):
        return type(found)(wrapped(writer, part) for part in found)
    return wrapped(writer, found)


def combined(operation: str, a: Any, b: Any) -> Any:
    """An operation on two values, at least one of them traced, element by element."""
    writer = a.writer if isinstance(a, Value) else b.writer
    other = b if isinstance(a, Value) else a
    if not (is_number_like(other) or isinstance(other, Value)):
        if isinstance(other, (complex, str)) and operation not in ("eq", "ne"):
            raise not_real(other)
        return NotImplemented
    return wrapped(writer, elementwise(writer, operation, a, b))
