"""What tells traced values from others, where nothing may have been traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel import trees


class Writing:
    """What writes a program down: see `Writer`, which is imported where something is traced."""


def is_traced(value: object) -> bool:
    """Whether a value stands for registers of a program."""
    return isinstance(getattr(value, "writer", None), Writing)


def writer_of(*values: Any) -> Any:
    """The writer of the traced leaves among some values, None when there are none."""
    return next((leaf.writer for leaf in trees.leaves_of(values) if is_traced(leaf)), None)


def real(value: Any) -> Any:
    """A value as floating point: traced ones as they are, truth values as 0 and 1."""
    return value.astype(float) if is_traced(value) else np.asarray(value, float)
