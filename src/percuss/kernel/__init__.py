"""Compiles functions of scalars to vector machine code and CUDA, time loops included."""

from typing import TYPE_CHECKING, Any

from percuss.kernel.compiling import Kernel, compile
from percuss.kernel.derivatives import Jacobian, jacobian, jvp, vjp
from percuss.kernel.errors import KernelError, KernelNotice
from percuss.kernel.fingerprint import fingerprint
from percuss.kernel.program import Program
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Dop853, Rosenbrock
from percuss.kernel.rollouts.pieces import Pieces
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.result import RolloutResult
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Final, FirstCrossing, Integral, Maximum, Minimum
from percuss.kernel.rollouts.stiffness import Stiffness, stiffness
from percuss.kernel.tracing.derivatives import hold
from percuss.kernel.tracing.function import Part, trace

if TYPE_CHECKING:
    from percuss.kernel.bridging import bridge, rollout_to_jax, to_jax

__all__ = [
    "RK4",
    "Adaptive",
    "Controller",
    "Dop853",
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
    "Part",
    "Pieces",
    "Program",
    "Rollout",
    "RolloutResult",
    "Rosenbrock",
    "Status",
    "Stiffness",
    "bridge",
    "compile",
    "fingerprint",
    "hold",
    "jacobian",
    "jvp",
    "rollout",
    "rollout_to_jax",
    "stiffness",
    "to_jax",
    "trace",
    "vjp",
]

_WITH_JAX = ("bridge", "rollout_to_jax", "to_jax")
"""Names that need JAX, an optional library that takes its time to load: imported when asked for."""


def __getattr__(name: str) -> Any:
    if name in _WITH_JAX:
        from percuss.kernel import bridging

        return getattr(bridging, name)
    raise AttributeError(f"module 'percuss.kernel' has no attribute {name!r}")
