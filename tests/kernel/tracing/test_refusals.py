"""What cannot be traced is refused with the user's line and what to write instead."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.kernel.tracing.derivatives import jvp


def _branch(x: Any) -> Any:
    return x[0] if x[0] > 0 else x[1]


def _loop(x: Any) -> Any:
    while x[0] > 0:
        x = x - 1
    return x


def _assert(x: Any) -> Any:
    assert x[0] > 0
    return x


def _assign(x: Any) -> Any:
    result = np.zeros(3)
    result[0] = x[0]
    return result


def _assign_row(x: Any) -> Any:
    result = np.zeros((2, 3))
    result[0] = x
    return result


def _assign_slice(x: Any) -> Any:
    result = np.zeros(3)
    result[:2] = x[:2]
    return result


def _change(x: Any) -> Any:
    x[0] = 1.0
    return x


def _change_by(x: Any) -> Any:
    x[0] += 1.0
    return x


REFUSED: dict[str, tuple[Any, str]] = {
    "if": (_branch, "np.where"),
    "while": (_loop, "np.where"),
    "assert": (_assert, "np.where"),
    "and": (lambda x: (x[0] > 0) and (x[1] > 0), "&"),
    "or": (lambda x: (x[0] > 0) or (x[1] > 0), r"\|"),
    "not": (lambda x: not (x[0] > 0), "~"),
    "chained comparison": (lambda x: 0 < x[0] < 1, r"\(0 < x\) & \(x < 1\)"),
    "min": (lambda x: min(x[0], x[1]), "np.minimum"),
    "max of an array": (lambda x: max(x), "np.maximum"),
    "sorted": (lambda x: sorted(x), "np.where"),
    "in": (lambda x: x[0] in (1.0, 2.0), "np.where"),
    "truth of an array": (lambda x: bool(x > 0), "np.where"),
    "float": (lambda x: float(x[0]), "of numpy"),
    "np.float64": (lambda x: np.float64(x[0]), "of numpy"),
    "math": (lambda x: math.sin(x[0]), "of numpy"),
    "an array of floats": (lambda x: np.array([x[0], 1.0], float), r"np\.stack"),
    "asarray as floats": (lambda x: np.asarray(x, float), r"np\.stack"),
    "clip of an array of objects": (lambda x: np.clip(np.array([x[0]]), 0, 1), r"np\.stack"),
    "int": (lambda x: int(x[0]), "np.floor or np.trunc"),
    "range": (lambda x: [0.0 for _ in range(x[0])], "number of rounds"),
    "index of a list": (lambda x: [1.0, 2.0][x[0]], "np.choose"),
    "index of numbers": (lambda x: np.array([1.0, 2.0])[x[0]], "np.choose"),
    "take from numbers": (lambda x: np.take(np.ones(3), x[0].astype(int)), "np.choose"),
    "entry of an array of numbers": (_assign, r"np\.stack"),
    "row of an array of numbers": (_assign_row, r"np\.stack"),
    "slice of an array of numbers": (_assign_slice, r"np\.stack"),
    "entry of a traced array": (_change, "np.concatenate"),
    "entry changed": (_change_by, "np.concatenate"),
    "mask": (lambda x: x[x > 0], "np.where"),
    "complex": (lambda x: x * 1j, "real and imaginary part"),
    "complex on the left": (lambda x: np.exp(1j * x[0]), "real and imaginary part"),
    "complex()": (lambda x: complex(x[0]), "has no number"),
    "array of complex": (lambda x: x + np.array([1j, 0, 0]), "real and imaginary part"),
    "text": (lambda x: x + "a", "real numbers"),
    "text in NumPy": (lambda x: np.maximum(x, "a"), "real numbers"),
    "text in a list": (lambda x: np.stack([x[0], "a"]), "real numbers"),
    "numbers joined by &": (lambda x: x & (x > 0), r"\(x > 0\) & \(y > 0\)"),
    "inverted number": (lambda x: ~x, r"\(x > 0\) & \(y > 0\)"),
    "difference of truth values": (lambda x: (x > 0) - (x < 1), "astype"),
    "negative truth value": (lambda x: -(x > 0), "astype"),
    "half the digits": (lambda x: x.astype(np.float32), "dtype=float32"),
    "places of truth": (lambda x: np.where(x > 0), "how many entries"),
    "nonzero": (lambda x: np.nonzero(x), "may use arithmetic"),
    "sort": (lambda x: np.sort(x), "may use arithmetic"),
    "eigenvalues": (lambda x: np.linalg.eigvals(np.outer(x, x)), "may use arithmetic"),
    "out": (lambda x: np.add(x, 1.0, out=np.zeros(3)), "out="),
    "a ufunc that is not known": (lambda x: np.nextafter(x, 1.0), "np.nextafter cannot"),
    "accumulate": (lambda x: np.add.accumulate(x), "np.add.accumulate cannot"),
    "matrix product of numbers": (lambda x: x[0] @ x, r"use \*"),
    "shapes that do not fit": (lambda x: x @ np.eye(2), "do not fit"),
    "linear equations of no square": (lambda x: np.linalg.solve(x, x), "square matrix"),
    "largest of nothing": (lambda x: np.max(x[:0]), "initial="),
    "second index computed": (lambda x: np.outer(x, x)[0, np.argmax(x)], "np.take"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_line_and_what_to_write(name: str) -> None:
    function, instead = REFUSED[name]
    with pytest.raises(kernel.KernelError, match=instead) as caught:
        kernel.trace(function, np.zeros(3))
    place = rf"in {re.escape(function.__name__)} \({re.escape(__file__)}, line (\d+)\)"
    found = re.search(place, str(caught.value))
    assert found, str(caught.value)
    first = function.__code__.co_firstlineno
    assert first <= int(found[1]) <= first + 4


def test_values_that_leak_from_one_function_into_another() -> None:
    kept: list[Any] = []
    kernel.trace(lambda x: kept.append(x) or x, 0.0)
    for use in (lambda x: x + kept[0], lambda x: kept[0] * x, lambda x: np.stack([x, kept[0]])):
        with pytest.raises(kernel.KernelError, match=rf"another function .*{re.escape(__file__)}"):
            kernel.trace(use, 0.0)
    with pytest.raises(kernel.KernelError, match="another function"):
        kernel.trace(lambda _: kept[0], 0.0)


def test_values_that_leak_out_of_a_differentiated_function() -> None:
    def leaky(x: Any) -> Any:
        kept: list[Any] = []
        jvp(lambda y: kept.append(y) or y * y, (x,), (1.0,))
        return kept[0] + x

    with pytest.raises(kernel.KernelError, match="differentiated function was used outside"):
        kernel.trace(leaky, 0.0)


def test_errors_of_the_function_itself_are_its_own() -> None:
    def wrong(x: Any) -> Any:
        try:
            return x[0] if x[0] > 0 else x[1]
        except kernel.KernelError:
            pass
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        kernel.trace(wrong, np.zeros(2))
    with pytest.raises(IndexError, match="out of bounds"):
        kernel.trace(lambda x: x[5], np.zeros(3))
    with pytest.raises(TypeError):
        kernel.trace(lambda x: x + None, np.zeros(3))


def test_comparing_with_something_else_is_false_and_values_can_be_printed() -> None:
    def function(x: Any) -> Any:
        assert (x == "left") is False
        assert (x[0] == None) is False  # noqa: E711
        assert "computed value" in f"{x[0]:.3f} {x!r}"
        first = x[0]
        return {first: 1}[first] * x

    assert kernel.trace(function, np.zeros(2)).program.outputs == (0, 1)


@pytest.mark.parametrize("mode", ["off", "remove_frames", "quiet_remove_frames"])
def test_what_jax_refuses_is_traced_by_it_whatever_its_tracebacks_show(mode: str) -> None:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", mode)
    try:
        traced = kernel.trace(lambda x: jnp.array([x[0], 1.0]) @ jnp.abs(x), np.zeros(2))
        kernel.trace(lambda x: jnp.sin(x), 0.0)
        kernel.trace(lambda x: jax.lax.cond(x > 0, jnp.sin, jnp.cos, x), 0.0)
    finally:
        jax.config.update("jax_traceback_filtering", before)
    assert traced.program.operation_count == 4
