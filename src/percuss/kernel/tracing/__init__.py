"""Tracing: functions run on values that write down what is done with them, as a program."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.kernel.tracing.derivatives import jvp
    from percuss.kernel.tracing.function import asks_for_jax

__all__ = ["asks_for_jax", "jvp"]

__getattr__, __dir__ = on_demand(__name__, {"derivatives": ("jvp",), "function": ("asks_for_jax",)})
"""A program that is read from the disk needs no tracer."""
