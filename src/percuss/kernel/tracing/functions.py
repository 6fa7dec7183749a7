"""NumPy's functions on traced arrays: those that a control law or a small model needs.

The modules beside this one say with `rule` what each function is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import registers_of
from percuss.kernel.tracing.writer import ProgramWriter

Rule = Callable[..., Any]
_RULES: dict[Any, Rule] = {}

FACTS = {np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj}
"""Functions of the shape and the type alone, which are known."""


def call_function(writer: ProgramWriter, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy asks for when one of its functions meets a traced value."""
    if function in FACTS:
        return function(registers_of(writer, args[0]), *args[1:], **kwargs)
    rule = _RULES.get(function)
    if rule is None:
        module = getattr(function, "__module__", "numpy")
        raise KernelError(
            f"{module}.{function.__name__} cannot be compiled{users_line()}. Compiled functions "
            "may use arithmetic, comparisons, where, clip, interp, sums, small dense algebra, "
            "stacking and indexing"
        )
    return rule(writer, *args, **{key: v for key, v in kwargs.items() if v is not np._NoValue})


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    """Says that these functions of NumPy are done by the decorated one, on a writer."""

    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(functions, rule))
        return rule

    return register
