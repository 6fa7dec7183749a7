"""Compiles functions of scalars and small arrays to vector machine code and CUDA, time loops too."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from percuss.kernel.compiling import Kernel, compile
from percuss.kernel.errors import KernelError, KernelNotice
from percuss.kernel.program import Program

if TYPE_CHECKING:
    from percuss.kernel.bridging import bridge, rollout_to_jax, to_jax
    from percuss.kernel.derivatives import Jacobian, jacobian, jvp, vjp
    from percuss.kernel.rollouts.attempt import Status
    from percuss.kernel.rollouts.problem import Controller, Event
    from percuss.kernel.rollouts.result import RolloutResult
    from percuss.kernel.rollouts.rollout import Rollout, rollout
    from percuss.kernel.rollouts.statistics import (
        Final,
        FirstCrossing,
        Integral,
        Maximum,
        Minimum,
    )
    from percuss.kernel.rollouts.steppers import RK4, Adaptive
    from percuss.kernel.tracing.function import trace

__all__ = [
    "RK4",
    "Adaptive",
    "Controller",
    "Event",
    "Final",
    "FirstCrossing",
    "Integral",
    "Jacobian",
    "Kernel",
    "KernelError",
    "KernelNotice",
    "Maximum",
    "Minimum",
    "Program",
    "Rollout",
    "RolloutResult",
    "Status",
    "bridge",
    "compile",
    "jacobian",
    "jvp",
    "rollout",
    "rollout_to_jax",
    "to_jax",
    "trace",
    "vjp",
]

_LATER = {
    "bridging": ("bridge", "rollout_to_jax", "to_jax"),
    "derivatives": ("Jacobian", "jacobian", "jvp", "vjp"),
    "rollouts.attempt": ("Status",),
    "rollouts.problem": ("Controller", "Event"),
    "rollouts.result": ("RolloutResult",),
    "rollouts.rollout": ("Rollout", "rollout"),
    "rollouts.statistics": ("Final", "FirstCrossing", "Integral", "Maximum", "Minimum"),
    "rollouts.steppers": ("RK4", "Adaptive"),
    "tracing.function": ("trace",),
}
"""Names that take their time to load, or need JAX: imported when asked for."""


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"percuss.kernel.{module}"), name)
    raise AttributeError(f"module 'percuss.kernel' has no attribute {name!r}")
