"""A traced function: its program, and how its arguments and results are arranged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.kernel.program import Program


@dataclass(frozen=True)
class Traced:
    """A program with the structure (see `trees`) of the function's arguments and results."""

    program: Program
    input_tree: Any
    input_shapes: tuple[tuple[int, ...], ...]
    output_tree: Any
    output_shapes: tuple[tuple[int, ...], ...]
