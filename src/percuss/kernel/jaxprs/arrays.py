"""Rules for shapes and indices: they move register numbers and cost nothing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.jaxprs.reader import JaxprReader, rule
from percuss.kernel.tracing.writer import Registers


@rule("reshape", "expand_dims", "squeeze")
def _reshape(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return inputs[0].reshape(equation.outvars[0].aval.shape)


@rule("broadcast_in_dim")
def _broadcast(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    shape = equation.params["shape"]
    aligned = [1] * len(shape)
    for source, target in enumerate(equation.params["broadcast_dimensions"]):
        aligned[target] = inputs[0].shape[source]
    return np.broadcast_to(inputs[0].reshape(aligned), shape)


@rule("concatenate")
def _concatenate(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return np.concatenate(inputs, axis=equation.params["dimension"])


@rule("stack")
def _stack(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return np.stack(inputs, axis=equation.params["axis"])


@rule("transpose")
def _transpose(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return np.transpose(inputs[0], equation.params["permutation"])


@rule("iota")
def _iota(reader: JaxprReader, _: list[Registers], equation: Any) -> Registers:
    shape, dimension = equation.outvars[0].aval.shape, equation.params["dimension"]
    return reader.constants(np.indices(shape)[dimension].astype(float))


@rule("slice")
def _slice(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    given = equation.params
    strides = given["strides"] or (1,) * inputs[0].ndim
    ranges = zip(given["start_indices"], given["limit_indices"], strides, strict=True)
    return inputs[0][tuple(slice(*map(int, bounds)) for bounds in ranges)]


@rule("rev")
def _rev(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return np.flip(inputs[0], equation.params["dimensions"])


@rule("split")
def _split(_: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    ends = np.cumsum(equation.params["sizes"])[:-1]
    return np.split(inputs[0], ends, equation.params["axis"])


@rule("unstack")
def _unstack(_: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    return list(np.moveaxis(inputs[0], equation.params["axis"], 0))


@rule("pad")
def _pad(_: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return np.asarray(equation.primitive.bind(*map(np.asarray, inputs), **equation.params))


@rule("dynamic_slice")
def _dynamic_slice(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    array, *starts = inputs
    sizes = equation.params["slice_sizes"]
    limits = [n - size for n, size in zip(array.shape, sizes, strict=True)]
    return _at_starts(reader, array, starts, limits, sizes=sizes)


def _at_starts(
    reader: JaxprReader,
    array: Registers,
    starts: Sequence[Registers],
    limits: Sequence[int],
    *,
    sizes: Sequence[int],
) -> Registers:
    """array[start : start + size] along each axis; starts are clamped, and may be unknown."""
    for axis, (start, limit, size) in enumerate(zip(starts, limits, sizes, strict=True)):
        if limit == 0:
            continue
        known = reader.known(start)
        if known is not None:
            first = int(np.clip(int(known), 0, limit))
            array = np.take(array, range(first, first + size), axis)
            continue
        windows = [np.take(array, range(k, k + size), axis) for k in range(limit + 1)]
        array = reader.look_up(windows, int(start))
    return array


@rule("dynamic_update_slice")
def _dynamic_update_slice(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    array, update, *starts = inputs
    del equation
    result = array
    limits = [n - size for n, size in zip(array.shape, update.shape, strict=True)]
    for corner in itertools.product(*(range(limit + 1) for limit in limits)):
        placed = array.copy()
        window = tuple(slice(c, c + n) for c, n in zip(corner, update.shape, strict=True))
        placed[window] = update
        here = reader.constants(True)
        for start, c, limit in zip(starts, corner, limits, strict=True):
            clamped = reader.each("max", start, reader.constants(0.0))
            clamped = reader.each("min", clamped, reader.constants(float(limit)))
            here = reader.each("and", here, reader.each("eq", clamped, reader.constants(float(c))))
        result = reader.each("select", here, placed, result)
    return result


@rule("gather", "scatter")
def _indexed(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    indices = reader.known(inputs[1])
    if indices is None:
        if _picks_entries(equation):
            return _picked_entries(reader, inputs[0], inputs[1], equation)
        raise KernelError(
            f"indexing with an array that is computed cannot be compiled{reader.where(equation)}; "
            "only entries of a vector can be picked so. Use jnp.where or jnp.interp"
        )
    moved = [np.asarray(a) for a in inputs]
    moved[1] = indices.astype(equation.invars[1].aval.dtype)
    parameters = dict(equation.params)
    if equation.primitive.name == "gather":
        # What stands for an index out of range is a register too.
        fill = _fill_value(parameters["fill_value"], equation.invars[0].aval.dtype)
        parameters["fill_value"] = int(reader.constants(fill))
    return np.asarray(equation.primitive.bind(*moved, **parameters))


def _picks_entries(equation: Any) -> bool:
    """Whether a gather takes single entries of a vector, one for each index."""
    if equation.primitive.name != "gather":
        return False
    operand, indices = (var.aval for var in equation.invars)
    one_each = indices.shape[-1] == 1 and tuple(equation.params["slice_sizes"]) == (1,)
    return operand.ndim == 1 and one_each


def _picked_entries(
    reader: JaxprReader, vector: Registers, indices: Registers, equation: Any
) -> Registers:
    last = len(vector) - 1
    fills = "FILL" in str(equation.params["mode"]).upper()
    fill = reader.constants(
        _fill_value(equation.params["fill_value"], equation.invars[0].aval.dtype)
    )
    picked: list[int] = []
    for index in np.ravel(indices[..., 0]):
        at = np.asarray(index)
        entry = _at_starts(reader, vector, [at], [last], sizes=(1,))[0]
        if fills:
            below = reader.each("lt", at, reader.constants(0.0))
            above = reader.each("gt", at, reader.constants(float(last)))
            entry = reader.each("select", reader.each("or", below, above), fill, entry)
        picked.append(int(entry))
    return np.array(picked, dtype=np.int64).reshape(equation.outvars[0].aval.shape)


def _fill_value(given: Any, kind: Any) -> float | bool:
    """What JAX puts where an index is out of range: NaN, True, or the extreme whole number."""
    if given is None:
        if kind.kind == "f":
            return float("nan")
        if kind.kind == "b":
            return True
        given = np.iinfo(kind).min if kind.kind == "i" else np.iinfo(kind).max
    return bool(given) if kind.kind == "b" else float(given)


@rule("scatter-add", "scatter_add")
def _scatter_add(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    """Each update is added where a scatter of its number alone would put it."""
    operand, indices, updates = inputs
    known = reader.known(indices)
    if known is None:
        raise KernelError(f"a computed scatter index cannot be compiled{reader.where(equation)}")
    index = known.astype(equation.invars[1].aval.dtype)
    result = operand.copy().ravel()
    for k, register in enumerate(np.ravel(updates)):
        marks = np.zeros(updates.size, equation.invars[2].aval.dtype)
        marks[k] = 1
        placed = equation.primitive.bind(
            np.zeros(operand.shape, equation.invars[0].aval.dtype),
            index,
            marks.reshape(updates.shape),
            **equation.params,
        )
        for spot in np.flatnonzero(np.asarray(placed)):
            result[spot] = reader.builder.emit("add", int(result[spot]), int(register))
    return result.reshape(operand.shape)
