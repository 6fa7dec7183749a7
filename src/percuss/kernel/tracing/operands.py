"""Registers of what an operation is given: traced values, numbers, sequences of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.program import TRUTH
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.writer import ProgramWriter, Registers
from percuss.kernel.tracing.writing import is_traced


class JaxAskedError(KernelError):
    """A function uses what belongs to JAX: JAX has to trace it."""


class ForeignValueError(KernelError):
    """Values of two functions were used together; `writers` are those of both."""

    def __init__(self, *writers: ProgramWriter) -> None:
        super().__init__(
            f"a value computed while another function was compiled was used{users_line()}; "
            "pass it as an argument"
        )
        self.writers = writers


def is_number_like(value: object) -> bool:
    """Whether a value is made of known numbers, in an array, a sequence or alone."""
    return isinstance(value, (int, float, list, tuple)) or hasattr(value, "__array__")


def all_truths(writer: ProgramWriter, registers: Registers) -> bool:
    """Whether registers hold truth values, all of them."""
    kind = writer.builder.kind
    flat = registers.ravel().tolist()
    return bool(flat) and all(kind(r) == TRUTH for r in flat)


def is_truth(writer: ProgramWriter, value: Any) -> bool:
    """Whether an operand is made of truth values."""
    return all_truths(writer, registers_of(writer, value))


def registers_of(writer: ProgramWriter, value: Any) -> Registers:
    """Registers of a traced value, of numbers, or of nested sequences of both."""
    if is_traced(value):
        if value.writer is not writer:
            raise ForeignValueError(writer, value.writer)
        return value.registers
    if isinstance(value, (list, tuple)):
        parts = [registers_of(writer, part) for part in value]
        return np.stack(parts) if parts else np.zeros((0,), np.int64)
    if isinstance(value, np.ndarray) and value.dtype == object:
        flat = [registers_of(writer, part) for part in value.ravel()]
        return np.array(flat, np.int64).reshape(value.shape)
    if hasattr(value, "__array_namespace__") and not isinstance(value, (np.ndarray, np.generic)):
        # An array made by JAX outside of its own traces may have half the digits.
        raise JaxAskedError(f"an array of {type(value).__module__} was used{users_line()}")
    if np.asarray(value).dtype.kind not in "fiub":
        raise not_real(value)
    return writer.constants(value)


def not_real(value: object) -> KernelError:
    """The refusal of what is no real number."""
    is_complex = np.asarray(value).dtype.kind == "c"
    parts = ". Write a complex number as its real and imaginary part" if is_complex else ""
    return KernelError(
        f"{value!r} cannot be compiled{users_line()}: compiled functions compute with real numbers "
        f"and truth values{parts}"
    )


def reals(writer: ProgramWriter, value: Any) -> Registers:
    """Registers of a value as real numbers, truth values as 0 and 1."""
    return as_reals(writer, registers_of(writer, value))


def as_reals(writer: ProgramWriter, registers: Registers) -> Registers:
    """Registers of the same values, truth values as 0 and 1."""
    kind = writer.builder.kind
    if any(kind(r) == TRUTH for r in registers.ravel().tolist()):
        return writer.each("to_real", registers)
    return registers


def truths(writer: ProgramWriter, value: Any) -> Registers:
    """Registers of a value as truth values: numbers as whether they differ from zero."""
    return as_truths(writer, registers_of(writer, value))


def as_truths(writer: ProgramWriter, registers: Registers) -> Registers:
    """Registers of whether the values differ from zero; truth values as they are."""
    if all_truths(writer, registers):
        return registers
    return writer.each("ne", as_reals(writer, registers), writer.constants(0.0))


def of_one_kind(writer: ProgramWriter, *arrays: Registers) -> list[Registers]:
    """Arrays of truth values alone, or all of them as numbers."""
    kinds = {writer.builder.kind(r) for array in arrays for r in array.ravel().tolist()}
    return [writer.each("to_real", array) for array in arrays] if len(kinds) > 1 else [*arrays]
