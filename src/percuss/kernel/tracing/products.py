"""Products of small vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import all_truths, as_reals, reals, registers_of
from percuss.kernel.tracing.ufuncs import call_ufunc, refuse_options, ufunc_rule
from percuss.kernel.tracing.writer import ProgramWriter, Registers


@ufunc_rule(np.matmul)
def _matmul(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    x, y = registers_of(writer, a), registers_of(writer, b)
    if x.ndim == 0 or y.ndim == 0:
        raise KernelError(f"@ needs arrays, not numbers{users_line()}; use *")
    rows = x[None] if x.ndim == 1 else x
    columns = y[:, None] if y.ndim == 1 else y
    if rows.shape[-1] != columns.shape[-2]:
        raise KernelError(
            f"shapes {x.shape} and {y.shape} do not fit in a matrix product{users_line()}"
        )
    across = np.swapaxes(columns, -1, -2)[..., None, :, :]
    result = _contracted(writer, rows[..., :, None, :], across)
    result = result[..., 0] if y.ndim == 1 else result
    return np.squeeze(result, axis=-1 if y.ndim == 1 else -2) if x.ndim == 1 else result


def _contracted(writer: ProgramWriter, x: Registers, y: Registers) -> Registers:
    """Sums over the last axis of products; of truth values, whether any pair is true."""
    if all_truths(writer, x) and all_truths(writer, y):
        both = writer.each("and", x, y)
        return writer.fold("or", both, (both.ndim - 1,), False)
    products = writer.each("mul", as_reals(writer, x), as_reals(writer, y))
    return writer.fold("add", products, (products.ndim - 1,), 0.0)


@rule(np.linalg.matmul)
def _linalg_matmul(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    return _matmul(writer, a, b)


@ufunc_rule(np.vecdot)
def _vecdot(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    return _contracted(writer, registers_of(writer, a), registers_of(writer, b))


@rule(np.linalg.vecdot)
def _linalg_vecdot(writer: ProgramWriter, a: Any, b: Any, *, axis: int = -1) -> Registers:
    x, y = (np.moveaxis(registers_of(writer, v), axis, -1) for v in (a, b))
    return _contracted(writer, x, y)


@rule(np.dot)
def _dot(writer: ProgramWriter, a: Any, b: Any, out: Any = None) -> Registers:
    refuse_options("dot", {"out": out})
    x, y = registers_of(writer, a), registers_of(writer, b)
    if 0 in (x.ndim, y.ndim):
        return call_ufunc(writer, np.multiply, "__call__", (a, b), options={})
    if y.ndim > 2:
        raise KernelError(f"np.dot of more than two axes cannot be compiled{users_line()}; use @")
    return _matmul(writer, a, b)


@rule(np.inner)
def _inner(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    x, y = registers_of(writer, a), registers_of(writer, b)
    if 0 in (x.ndim, y.ndim):
        return call_ufunc(writer, np.multiply, "__call__", (a, b), options={})
    apart = (1,) * (y.ndim - 1)
    return _contracted(writer, x.reshape((*x.shape[:-1], *apart, x.shape[-1])), y)


@rule(np.vdot)
def _vdot(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    return _contracted(writer, registers_of(writer, a).ravel(), registers_of(writer, b).ravel())


@rule(np.outer, np.linalg.outer)
def _outer(writer: ProgramWriter, a: Any, b: Any, out: Any = None) -> Registers:
    refuse_options("outer", {"out": out})
    x, y = reals(writer, a).ravel(), reals(writer, b).ravel()
    return writer.each("mul", x[:, None], y[None, :])


@rule(np.kron)
def _kron(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    axes = max(x.ndim, y.ndim)
    x, y = (v.reshape((1,) * (axes - v.ndim) + v.shape) for v in (x, y))
    spread = x.reshape([n for size in x.shape for n in (size, 1)])
    across = y.reshape([n for size in y.shape for n in (1, size)])
    sizes = [n * m for n, m in zip(x.shape, y.shape, strict=True)]
    return writer.each("mul", spread, across).reshape(sizes)


@rule(np.tensordot)
def _tensordot(writer: ProgramWriter, a: Any, b: Any, axes: Any = 2) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    if isinstance(axes, int):
        axes = (range(x.ndim - axes, x.ndim), range(axes))
    left, right = ([int(k) for k in np.atleast_1d(places)] for places in axes)
    x, y = np.moveaxis(x, left, range(-len(left), 0)), np.moveaxis(y, right, range(len(right)))
    kept, size = x.shape[: x.ndim - len(left)], y.shape[: len(right)]
    rows = x.reshape((-1, int(np.prod(size))))
    columns = y.reshape((int(np.prod(size)), -1))
    products = writer.each("mul", rows[:, None, :], columns.T[None])
    total = writer.fold("add", products, (2,), 0.0)
    return total.reshape((*kept, *y.shape[len(right) :]))


@rule(np.cross, np.linalg.cross)
def _cross(writer: ProgramWriter, a: Any, b: Any, axis: int = -1, **options: Any) -> Registers:
    refuse_options("cross", options)
    x, y = (np.moveaxis(v, axis, -1) if v.ndim else v for v in (reals(writer, a), reals(writer, b)))
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise KernelError(
            f"np.cross is compiled for vectors of three, got shapes {x.shape} and {y.shape}"
            f"{users_line()}"
        )

    def entry(i: int, j: int) -> Registers:
        one = writer.each("mul", x[..., i], y[..., j])
        return writer.each("sub", one, writer.each("mul", x[..., j], y[..., i]))

    return np.moveaxis(np.stack([entry(1, 2), entry(2, 0), entry(0, 1)], axis=-1), -1, axis)


@rule(np.trace, np.linalg.trace)
def _trace(writer: ProgramWriter, array: Any, offset: int = 0) -> Registers:
    diagonal = np.diagonal(reals(writer, array), offset)
    return writer.fold("add", diagonal, (diagonal.ndim - 1,), 0.0)


@rule(np.linalg.norm)
def _norm(
    writer: ProgramWriter, array: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:
    x = reals(writer, array)
    if ord is None and axis is None:
        return _length(writer, x, None, tuple(range(x.ndim)), keepdims=keepdims)
    if axis is None and x.ndim != 1:
        raise KernelError(
            f"np.linalg.norm with ord={ord!r} is compiled for vectors, got the shape {x.shape}"
            f"{users_line()}; say which axis they lie along"
        )
    axes = (0,) if axis is None else tuple(range(x.ndim)[a] for a in np.atleast_1d(axis))
    if len(axes) > 1 and ord not in (None, "fro"):
        raise KernelError(
            f"np.linalg.norm of matrices with ord={ord!r} cannot be compiled{users_line()}"
        )
    return _length(writer, x, None if ord == "fro" else ord, axes, keepdims=keepdims)


@rule(np.linalg.vector_norm)
def _vector_norm(
    writer: ProgramWriter, array: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Registers:
    x = reals(writer, array)
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    return _length(writer, x, ord, tuple(range(x.ndim)[a] for a in axes), keepdims=keepdims)


def _length(
    writer: ProgramWriter, x: Registers, order: Any, axes: tuple[int, ...], *, keepdims: bool
) -> Registers:
    """Norm over some axes together: Euclidean (None, 2), of sums (1), largest or smallest (±∞)."""
    size = writer.each("abs", x)
    if order in (None, 2):
        found = writer.each("sqrt", writer.fold("add", writer.each("mul", x, x), axes, 0.0))
    elif order == 1:
        found = writer.fold("add", size, axes, 0.0)
    elif order in (np.inf, -np.inf):
        found = writer.fold("max" if order > 0 else "min", size, axes, 0.0)
    else:
        raise KernelError(
            f"a norm with ord={order!r} cannot be compiled{users_line()}; allowed are None, 1, 2, "
            "inf and -inf"
        )
    return np.expand_dims(found, axes) if keepdims else found


@rule(np.einsum)
def _einsum(writer: ProgramWriter, subscripts: str, *arrays: Any, **options: Any) -> Registers:
    refuse_options("einsum", {k: v for k, v in options.items() if k != "optimize"})
    if not isinstance(subscripts, str):
        raise KernelError(f"np.einsum is compiled with subscripts as text only{users_line()}")
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    names = inputs.split(",")
    if not output and "->" not in subscripts:
        letters = "".join(names)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if "." in subscripts or any(len(set(name)) < len(name) for name in names):
        raise KernelError(f"np.einsum({subscripts!r}) cannot be compiled{users_line()}")
    summed = [c for c in dict.fromkeys("".join(names)) if c not in output]
    order = [*output, *summed]
    product: Registers | None = None
    for name, array in zip(names, arrays, strict=True):
        registers = reals(writer, array)
        moved = np.transpose(registers, [name.index(c) for c in order if c in name])
        spread = moved[tuple(slice(None) if c in name else None for c in order)]
        product = spread if product is None else writer.each("mul", product, spread)
    assert product is not None
    return writer.fold("add", product, tuple(range(len(output), len(order))), 0.0)
