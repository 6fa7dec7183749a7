"""Laws of users in Python files: executed where that is allowed, and tried before they are used.

Whatever is wrong with such a file is told in a sentence with its line.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from percuss import kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.control import ControlLaw, user_law
from percuss.control.plant import Plant
from percuss.kernel import KernelError, trees
from percuss.kernel.errors import JaxMissingError, is_missing_jax
from percuss.kernel.tracing.writing import writer_of
from percuss.model.errors import ModelError
from percuss.scenario.code import allowed_code
from percuss.scenario.control import PythonBlock
from percuss.scenario.errors import ScenarioError
from percuss.scenario.model import Scenario

Law = Callable[..., Any]


def law_from_file(scenario: Scenario, control: PythonBlock, at: str, plant: Plant) -> ControlLaw:
    """The law in the Python file of a control block, for this plant.

    Args:
        at: the path of the block, such as "approach.control".

    Raises:
        ScenarioError: where the file is not allowed to run, fails, or holds a law that cannot
            be compiled; it names file and line.
    """
    path, code = allowed_code(scenario, control, tuple(at.split(".")))
    names = _executed(path, code, at)
    name = control.function
    function = names.get(name)
    if not callable(function):
        found = ", ".join(key for key, value in names.items() if callable(value) and key[0] != "_")
        raise ScenarioError(
            f"{at}.function: {path} has no function {name!r}; it has: {found or 'none'}"
        )
    guarded = _guarded(function, path, f"{at}.function: {name!r} in {path}")
    memory = None if control.memory is None else np.asarray(control.memory, float)
    law = user_law(guarded, memory, control.period)
    _try(law, plant, f"{at}.function: {name!r} in {path}{_first_line(function)}")
    return law


def _executed(path: Path, code: bytes, at: str) -> dict[str, Any]:
    """What a file defines."""
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(code, str(path), "exec"), names)
    except SystemExit as error:
        raise ScenarioError(
            f"{at}.file: {path}{_line(error, path)} ends the program; the file of a law only "
            "defines functions"
        ) from error
    except Exception as error:
        if is_missing_jax(error):
            raise ScenarioError(
                f"{at}.file: {path}{_line(error, path)}: {JaxMissingError()}"
            ) from error
        # Whatever the user's file raises is for the user to see.
        raise ScenarioError(
            f"{at}.file: {path}{_line(error, path)} fails with {_cause(error)}"
        ) from error
    return names


def _guarded(function: Law, path: Path, named: str) -> Law:
    """The function, whose failures are sentences with the line."""

    def law(t: Any, q: Coordinates, v: Rates, memory: Any) -> Any:
        try:
            return function(t, q, v, memory)
        except SystemExit as error:
            where = _line(error, path) or _first_line(function)
            raise ScenarioError(f"{named}{where} ends the program; a law returns") from error
        except Exception as error:
            # Late: a run whose kernels are on the disk loads no tracer.
            from percuss.kernel.tracing.function import asks_for_jax, refusal_behind

            if asks_for_jax(error):  # a law written in jax.numpy, which JAX shall trace
                raise
            where = _line(error, path) or _first_line(function)
            reason = refusal_behind(error, writer_of(t, q, v, memory))
            if isinstance(reason, KernelError):
                raise ScenarioError(f"{named}{where} cannot be compiled: {reason}") from error
            raise ScenarioError(f"{named}{where} fails with {_cause(reason)}") from error

    return law


def _try(law: ControlLaw, plant: Plant, named: str) -> None:
    """Trace the law alone; ScenarioError where it cannot be part of a compiled program."""

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> Any:
        result = law.command(t, q, v, memory)
        for what, value in zip(("the command", "the memory"), result, strict=True):
            _check_numbers(value, f"{named} returns {what}")
        u, after = result
        shape = _shape(u)
        if shape != (plant.own_rates,):
            raise ScenarioError(
                f"{named}: the command must have {plant.own_rates} entries, one for each of the "
                f"chaser's rates, got the shape {shape}"
            )
        if law.period is not None and _shapes(after) != _shapes(memory):
            raise ScenarioError(
                f"{named} returns a memory of shape {_shapes(after)[0]}; it was given one of "
                f"shape {_shapes(memory)[0]}, and a memory keeps its shape"
            )
        return result

    q, v = np.zeros(plant.coordinate_count), np.zeros(plant.rate_count)
    try:
        kernel.trace(command, 0.0, q, v, law.memory)
    except ScenarioError:
        raise
    except Exception as error:
        # JAX and the compiler refuse in many ways what is no function of real numbers.
        text = str(error) if isinstance(error, KernelError) else _cause(error)
        raise ScenarioError(f"{named} cannot be compiled: {text}") from error


def _check_numbers(value: Any, what: str) -> None:
    try:
        leaves, _ = trees.flatten(value)
    except TypeError as error:
        kind = type(value).__name__
        raise ScenarioError(f"{what} made of {kind}; it must be made of numbers") from error
    for leaf in leaves:
        dtype = getattr(leaf, "dtype", None) or np.asarray(leaf).dtype
        kind = np.dtype(dtype).kind
        if kind == "c":
            raise ScenarioError(f"{what} with complex numbers; forces and memories are real")
        if kind not in "fiub":
            raise ScenarioError(f"{what} made of {dtype}; it must be made of numbers")


def _shapes(value: Any) -> tuple[list[tuple[int, ...]], Any]:
    """Shapes of the arrays in nested containers, and how they are nested."""
    leaves, tree = trees.flatten(value)
    return [_shape(leaf) for leaf in leaves], tree


def _shape(value: Any) -> tuple[int, ...]:
    """The shape of an array, a number or a list of numbers.

    Traced values are not made NumPy arrays for it.
    """
    if isinstance(value, (list, tuple)):
        return (len(value), *(_shape(value[0]) if value else ()))
    return tuple(getattr(value, "shape", ()))


def _line(error: BaseException, path: Path) -> str:
    """ ", line n": where in this file it happened, empty when it did not happen there."""
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        return f", line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__, limit=None)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""


def _first_line(function: Law) -> str:
    """ ", line n": where a function begins, empty for what is no plain function."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f", line {code.co_firstlineno}"


def _cause(error: BaseException) -> str:
    first = (str(error).splitlines() or [""])[0]
    return first if isinstance(error, ModelError) else f"{type(error).__name__}: {first}"
