"""From a Python function to a straight-line program: the only module that reads jaxprs.

The function is traced by JAX in a 64-bit context. Each array in the trace becomes an integer
array of registers of the same shape, so that reshaping, slicing and indexing are done on
register numbers and cost nothing; arithmetic becomes one instruction per element.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend import core as jax_core

from percuss.kernel.errors import KernelError
from percuss.kernel.program import TRUTH, Builder, Program

Registers = np.ndarray
"""Integer array of register numbers, shaped like the array it stands for."""

_NOT_THE_USERS = ("/jax/_src/", "/jax/interpreters/", "/percuss/kernel/", "/percuss/algebra/")
"""Parts of file names that an error message should look behind."""

LONGEST_LOOP = 256
"""Loops of the user's function are unrolled up to this many rounds."""


@dataclass(frozen=True)
class Traced:
    """A program with the structure of the function's arguments and results."""

    program: Program
    input_tree: Any
    input_shapes: tuple[tuple[int, ...], ...]
    output_tree: Any
    output_shapes: tuple[tuple[int, ...], ...]


def trace(function: Callable[..., Any], *like: Any) -> Traced:
    """The program of `function` for arguments shaped like the given ones.

    `like` are pytrees of numbers, arrays or `jax.ShapeDtypeStruct`; only shapes matter. Registers
    0…n-1 are the entries of the arguments in order.
    """
    leaves, tree = jax.tree.flatten(like)
    shapes = tuple(tuple(np.shape(leaf)) for leaf in leaves)
    with jax.enable_x64(True):
        specimens = [jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes]

        def flat(*values: Any) -> Any:
            return function(*jax.tree.unflatten(tree, values))

        closed, result = jax.make_jaxpr(flat, return_shape=True)(*specimens)
        out_leaves, out_tree = jax.tree.flatten(result)
        sizes = [int(np.prod(shape)) for shape in shapes]
        reader = _Reader(Builder(sum(sizes)))
        numbers = iter(np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]))
        inputs = [next(numbers).reshape(shape) for shape in shapes]
        outputs = reader.run(closed.jaxpr, closed.consts, inputs)
    registers = [int(r) for array in outputs for r in np.ravel(array)]
    return Traced(
        reader.builder.finish(registers),
        tree,
        shapes,
        out_tree,
        tuple(tuple(leaf.shape) for leaf in out_leaves),
    )


class _Reader:
    """Runs a jaxpr on registers."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._calls: list[Any] = []  # equations being inlined, outermost first

    def run(
        self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Registers]
    ) -> list[Registers]:
        environment: dict[Any, Registers] = {}

        def read(atom: Any) -> Registers:
            if isinstance(atom, jax_core.Literal):
                return self.constants(atom.val)
            return environment[atom]

        environment.update(zip(jaxpr.constvars, map(self.constants, consts), strict=True))
        environment.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            results = self.apply(equation, [read(atom) for atom in equation.invars])
            environment.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def apply(self, equation: Any, inputs: list[Registers]) -> list[Registers]:
        name = equation.primitive.name
        if name in _INLINED:
            return self.inline(equation, inputs)
        if name in _RULES:
            results = _RULES[name](self, inputs, equation)
            return results if isinstance(results, list) else [results]
        raise KernelError(
            f"the primitive {name!r} cannot be compiled{self.where(equation)}. Compiled functions "
            "may use arithmetic, comparisons, where, clip, interp, cond, short scans, small "
            "dense algebra and indexing."
        )

    def inline(self, equation: Any, inputs: list[Registers]) -> list[Registers]:
        inner = equation.params[_INLINED[equation.primitive.name]]
        self._calls.append(equation)
        if hasattr(inner, "jaxpr"):
            results = self.run(inner.jaxpr, inner.consts, inputs)
        else:
            results = self.run(inner, (), inputs)
        self._calls.pop()
        return results

    def where(self, equation: Any) -> str:
        """ ", used in function (file, line n)": the innermost line that is the user's own."""
        for call in (equation, *reversed(self._calls)):
            traceback = getattr(call.source_info, "traceback", None)
            for frame in traceback.frames if traceback else ():
                if not any(part in frame.file_name for part in _NOT_THE_USERS):
                    place = f"{frame.file_name}, line {frame.line_num}"
                    return f", used in {frame.function_name} ({place})"
        return ""

    # --- registers ------------------------------------------------------------------------

    def constants(self, value: Any) -> Registers:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise KernelError(f"constants of type {array.dtype} cannot be compiled")
        truth = array.dtype.kind == "b"
        flat = [self.builder.constant(bool(x) if truth else float(x)) for x in np.ravel(array)]
        return np.array(flat, dtype=np.int64).reshape(array.shape)

    def each(self, operation: str, *arrays: Registers) -> Registers:
        """The operation element by element; scalars are stretched."""
        arrays = tuple(np.broadcast_arrays(*arrays))
        flat = [
            self.builder.emit(operation, *map(int, registers))
            for registers in zip(*(np.ravel(a) for a in arrays), strict=True)
        ]
        return np.array(flat, dtype=np.int64).reshape(arrays[0].shape)

    def known(self, array: Registers) -> np.ndarray | None:
        """The numbers in registers that are all constants, else None."""
        values = [self.builder.value(int(r)) for r in np.ravel(array)]
        if any(value is None for value in values):
            return None
        return np.array(values).reshape(array.shape)

    def fold(self, operation: str, array: Registers, axes: Sequence[int], start: Any) -> Registers:
        """Reduce over axes, pairwise neighbours first, so that long sums stay accurate."""
        moved = np.moveaxis(array, tuple(axes), tuple(range(len(axes))))
        kept = moved.shape[len(axes) :]
        rows = list(moved.reshape((-1, *kept)))
        if not rows:
            return np.broadcast_to(self.constants(start), kept)
        while len(rows) > 1:
            paired = [
                self.each(operation, a, b) for a, b in zip(rows[::2], rows[1::2], strict=False)
            ]
            rows = paired + rows[len(rows) - len(rows) % 2 :]
        return rows[0]

    def pick(self, choices: Sequence[Registers], index: Registers) -> Registers:
        """choices[index] for an index register, clamped, by selects."""
        chosen = choices[0]
        for k, other in enumerate(choices[1:], start=1):
            reached = self.each("ge", index, self.constants(float(k)))
            chosen = self.each("select", reached, other, chosen)
        return chosen


# --- rules: one per primitive, taking (reader, inputs, equation) --------------------------------

_Rule = Callable[[_Reader, list[Registers], Any], "Registers | list[Registers]"]
_RULES: dict[str, _Rule] = {}

_INLINED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
    "custom_lin": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}


def _rule(*names: str) -> Callable[[_Rule], _Rule]:
    def register(rule: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


def _elementwise(primitive: str, operation: str) -> None:
    _RULES[primitive] = lambda reader, inputs, _: reader.each(operation, *inputs)


for _name in (
    "neg abs sign floor ceil sqrt cbrt exp exp2 expm1 log log1p sin cos tan asin acos atan "
    "sinh cosh tanh asinh acosh atanh erf erfc is_finite add sub mul rem pow atan2 min max"
).split():
    _elementwise(_name, _name)
_elementwise("add_any", "add")


@_rule("copy", "copy_p", "stop_gradient", "reduce_precision", "optimization_barrier", "pvary")
def _unchanged(_: _Reader, inputs: list[Registers], equation: Any) -> list[Registers]:
    del equation
    return inputs


def _is_integer(equation: Any) -> bool:
    return equation.outvars[0].aval.dtype.kind in "iu"


@_rule("div")
def _div(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    quotient = reader.each("div", *inputs)
    return reader.each("trunc", quotient) if _is_integer(equation) else quotient


@_rule("square")
def _square(reader: _Reader, inputs: list[Registers], _: Any) -> Registers:
    return reader.each("mul", inputs[0], inputs[0])


@_rule("rsqrt")
def _rsqrt(reader: _Reader, inputs: list[Registers], _: Any) -> Registers:
    return reader.each("div", reader.constants(1.0), reader.each("sqrt", inputs[0]))


@_rule("logistic")
def _logistic(reader: _Reader, inputs: list[Registers], _: Any) -> Registers:
    one = reader.constants(1.0)
    decay = reader.each("exp", reader.each("neg", inputs[0]))
    return reader.each("div", one, reader.each("add", one, decay))


@_rule("integer_pow")
def _integer_pow(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    exponent = equation.params["y"]
    result, base, left = None, inputs[0], abs(exponent)
    while left:
        if left & 1:
            result = base if result is None else reader.each("mul", result, base)
        left >>= 1
        if left:
            base = reader.each("mul", base, base)
    if result is None:
        return np.broadcast_to(reader.constants(1.0), inputs[0].shape)
    return reader.each("div", reader.constants(1.0), result) if exponent < 0 else result


@_rule("round")
def _round(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    if int(equation.params["rounding_method"]) == 1:
        return reader.each("round", inputs[0])
    # Halves away from zero: sign(x) floor(|x| + 0.5), but 0.49999999999999994 must give 0.
    size = reader.each("abs", inputs[0])
    low = reader.each("floor", size)
    up = reader.each("ge", reader.each("sub", size, low), reader.constants(0.5))
    one_more = reader.each("add", low, reader.constants(1.0))
    return reader.each("copysign", reader.each("select", up, one_more, low), inputs[0])


@_rule("and", "or", "xor", "not")
def _logical(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    if equation.outvars[0].aval.dtype.kind != "b":
        raise KernelError(
            f"bitwise {equation.primitive.name!r} on integers cannot be compiled"
            f"{reader.where(equation)}"
        )
    return reader.each(equation.primitive.name, *inputs)


@_rule("lt", "le", "gt", "ge", "eq", "ne", "lt_to", "le_to")
def _compare(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    operation = equation.primitive.name.removesuffix("_to")
    if equation.invars[0].aval.dtype.kind == "b":
        if operation in ("eq", "ne"):
            differs = reader.each("xor", *inputs)
            return differs if operation == "ne" else reader.each("not", differs)
        inputs = [reader.each("to_real", array) for array in inputs]
    return reader.each(operation, *inputs)


@_rule("select_n")
def _select_n(reader: _Reader, inputs: list[Registers], _: Any) -> Registers:
    which, *cases = inputs
    kinds = {reader.builder.kind(int(r)) for r in np.ravel(which)}
    if kinds == {TRUTH}:
        return reader.each("select", which, cases[1], cases[0])
    return reader.pick(cases, which)


@_rule("clamp")
def _clamp(reader: _Reader, inputs: list[Registers], _: Any) -> Registers:
    low, x, high = inputs
    return reader.each("min", reader.each("max", x, low), high)


@_rule("convert_element_type")
def _convert(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    old = equation.invars[0].aval.dtype.kind
    new = np.dtype(equation.params["new_dtype"]).kind
    if new == "b":
        return reader.each("to_truth", inputs[0])
    if old == "b":
        return reader.each("to_real", inputs[0])
    if old == "f" and new in "iu":
        return reader.each("trunc", inputs[0])
    return inputs[0]


# --- shapes -------------------------------------------------------------------------------------


@_rule("reshape", "expand_dims", "squeeze")
def _reshape(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    return inputs[0].reshape(equation.outvars[0].aval.shape)


@_rule("broadcast_in_dim")
def _broadcast(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    shape = equation.params["shape"]
    aligned = [1] * len(shape)
    for source, target in enumerate(equation.params["broadcast_dimensions"]):
        aligned[target] = inputs[0].shape[source]
    return np.broadcast_to(inputs[0].reshape(aligned), shape)


@_rule("concatenate")
def _concatenate(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    return np.concatenate(inputs, axis=equation.params["dimension"])


@_rule("stack")
def _stack(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    return np.stack(inputs, axis=equation.params["axis"])


@_rule("transpose")
def _transpose(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    return np.transpose(inputs[0], equation.params["permutation"])


@_rule("iota")
def _iota(reader: _Reader, _: list[Registers], equation: Any) -> Registers:
    shape, dimension = equation.outvars[0].aval.shape, equation.params["dimension"]
    return reader.constants(np.indices(shape)[dimension].astype(float))


@_rule("slice", "rev", "split", "unstack")
def _rearranged(_: _Reader, inputs: list[Registers], equation: Any) -> list[Registers]:
    # Rearranging register numbers is the same primitive on integers.
    results = equation.primitive.bind(np.ascontiguousarray(inputs[0]), **equation.params)
    results = results if equation.primitive.multiple_results else [results]
    return [np.asarray(result) for result in results]


@_rule("pad")
def _pad(_: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    return np.asarray(equation.primitive.bind(*map(np.asarray, inputs), **equation.params))


@_rule("dynamic_slice")
def _dynamic_slice(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    array, *starts = inputs
    sizes = equation.params["slice_sizes"]
    limits = [n - size for n, size in zip(array.shape, sizes, strict=True)]
    return _at_starts(reader, array, starts, limits, sizes)


def _at_starts(
    reader: _Reader,
    array: Registers,
    starts: Sequence[Registers],
    limits: Sequence[int],
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
        table = reader.known(np.stack(windows))
        if table is not None and table.dtype.kind != "b":
            columns = table.reshape(limit + 1, -1).T.astype(float)
            found = [
                reader.builder.emit("lookup", int(start), table=tuple(map(float, column)))
                for column in columns
            ]
            array = np.array(found, dtype=np.int64).reshape(windows[0].shape)
        else:
            array = reader.pick(windows, start)
    return array


@_rule("dynamic_update_slice")
def _dynamic_update_slice(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
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


@_rule("gather", "scatter")
def _indexed(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    indices = reader.known(inputs[1])
    if indices is None:
        raise KernelError(
            f"indexing with an array that is computed cannot be compiled{reader.where(equation)}; "
            "use a single index, jnp.where or jnp.interp"
        )
    moved = [np.asarray(a) for a in inputs]
    moved[1] = indices.astype(equation.invars[1].aval.dtype)
    if equation.primitive.name == "scatter":
        parameters = dict(equation.params)
        return np.asarray(equation.primitive.bind(*moved, **parameters))
    return np.asarray(equation.primitive.bind(*moved, **equation.params))


@_rule("scatter-add", "scatter_add")
def _scatter_add(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    """Each update is added where a scatter of its number alone would put it."""
    operand, indices, updates = inputs
    known = reader.known(indices)
    if known is None:
        raise KernelError(f"a computed scatter index cannot be compiled{reader.where(equation)}")
    index = known.astype(equation.invars[1].aval.dtype)
    result = operand.copy().ravel()
    for k, register in enumerate(np.ravel(updates)):
        marks = np.zeros(updates.size, np.int64)
        marks[k] = 1
        placed = equation.primitive.bind(
            np.zeros(operand.shape, np.int64),
            index,
            marks.reshape(updates.shape),
            **equation.params,
        )
        for spot in np.flatnonzero(np.asarray(placed)):
            result[spot] = reader.builder.emit("add", int(result[spot]), int(register))
    return result.reshape(operand.shape)


# --- reductions and products --------------------------------------------------------------------

_REDUCTIONS: dict[str, tuple[str, Any]] = {
    "reduce_sum": ("add", 0.0),
    "reduce_prod": ("mul", 1.0),
    "reduce_max": ("max", -np.inf),
    "reduce_min": ("min", np.inf),
    "reduce_and": ("and", True),
    "reduce_or": ("or", False),
}


@_rule(*_REDUCTIONS)
def _reduce(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    operation, start = _REDUCTIONS[equation.primitive.name]
    return reader.fold(operation, inputs[0], equation.params["axes"], start)


@_rule("argmax", "argmin")
def _arg_extreme(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    compare = "gt" if equation.primitive.name == "argmax" else "lt"
    (axis,) = equation.params["axes"]
    rows = list(np.moveaxis(inputs[0], axis, 0))
    best, index = rows[0], np.broadcast_to(reader.constants(0.0), rows[0].shape)
    for k, row in enumerate(rows[1:], start=1):
        better = reader.each(compare, row, best)
        best = reader.each("select", better, row, best)
        index = reader.each("select", better, reader.constants(float(k)), index)
    return index


@_rule("cumsum", "cumprod", "cummax", "cummin")
def _cumulative(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    operation = {"cumsum": "add", "cumprod": "mul", "cummax": "max", "cummin": "min"}[
        equation.primitive.name
    ]
    axis, backwards = equation.params["axis"], equation.params["reverse"]
    rows = list(np.moveaxis(inputs[0], axis, 0))
    rows = rows[::-1] if backwards else rows
    running = list(itertools.accumulate(rows, lambda a, b: reader.each(operation, a, b)))
    return np.moveaxis(np.stack(running[::-1] if backwards else running), 0, axis)


@_rule("dot_general")
def _dot_general(reader: _Reader, inputs: list[Registers], equation: Any) -> Registers:
    (left_sum, right_sum), (left_batch, right_batch) = equation.params["dimension_numbers"]
    left, right = inputs

    def arranged(array: Registers, batch: Sequence[int], summed: Sequence[int]) -> Registers:
        free = [k for k in range(array.ndim) if k not in (*batch, *summed)]
        order = np.transpose(array, [*batch, *free, *summed])
        sizes = [[array.shape[k] for k in part] for part in (batch, free, summed)]
        return order.reshape([int(np.prod(part)) for part in sizes])

    a = arranged(left, left_batch, left_sum)[:, :, None, :]
    b = arranged(right, right_batch, right_sum)[:, None, :, :]
    result = reader.fold("add", reader.each("mul", a, b), (3,), 0.0)
    return result.reshape(equation.outvars[0].aval.shape)


# --- control flow -------------------------------------------------------------------------------


@_rule("cond")
def _cond(reader: _Reader, inputs: list[Registers], equation: Any) -> list[Registers]:
    index, *operands = inputs
    branches = [
        reader.run(branch.jaxpr, branch.consts, operands) for branch in equation.params["branches"]
    ]
    if reader.builder.kind(int(index)) == TRUTH:
        return [reader.each("select", index, yes, no) for no, yes in zip(*branches, strict=True)]
    return [reader.pick(choices, index) for choices in zip(*branches, strict=True)]


@_rule("scan")
def _scan(reader: _Reader, inputs: list[Registers], equation: Any) -> list[Registers]:
    length = equation.params["length"]
    if length > LONGEST_LOOP:
        raise KernelError(
            f"a loop of {length} rounds is too long to unroll (at most {LONGEST_LOOP})"
            f"{reader.where(equation)}; put the time loop into a rollout"
        )
    const_count, carry_count = equation.params["num_consts"], equation.params["num_carry"]
    consts, carry = inputs[:const_count], inputs[const_count : const_count + carry_count]
    rows = inputs[const_count + carry_count :]
    body = equation.params["jaxpr"]
    collected: list[list[Registers]] = []
    rounds = range(length)[::-1] if equation.params["reverse"] else range(length)
    for k in rounds:
        results = reader.run(body.jaxpr, body.consts, [*consts, *carry, *(r[k] for r in rows)])
        carry = results[:carry_count]
        collected.append(results[carry_count:])
    if equation.params["reverse"]:
        collected.reverse()
    stacked = [np.stack(parts) for parts in zip(*collected, strict=True)]
    if not length:
        shapes = [var.aval.shape for var in equation.outvars[carry_count:]]
        stacked = [np.zeros(shape, np.int64) for shape in shapes]
    return [*carry, *stacked]


@_rule("while")
def _while(reader: _Reader, inputs: list[Registers], equation: Any) -> list[Registers]:
    """Loops whose number of rounds is known while tracing (fori_loop) are unrolled."""
    parameters = equation.params
    cond_count, body_count = parameters["cond_nconsts"], parameters["body_nconsts"]
    cond_consts = inputs[:cond_count]
    body_consts = inputs[cond_count : cond_count + body_count]
    carry = inputs[cond_count + body_count :]
    test, body = parameters["cond_jaxpr"], parameters["body_jaxpr"]
    for _ in range(LONGEST_LOOP + 1):
        (go_on,) = reader.run(test.jaxpr, test.consts, [*cond_consts, *carry])
        known = reader.known(go_on)
        if known is None:
            raise KernelError(
                f"a while loop that depends on the inputs cannot be compiled"
                f"{reader.where(equation)}; use a fixed number of rounds"
            )
        if not bool(known):
            return carry
        carry = reader.run(body.jaxpr, body.consts, [*body_consts, *carry])
    raise KernelError(
        f"a loop of more than {LONGEST_LOOP} rounds is too long to unroll{reader.where(equation)}"
    )
