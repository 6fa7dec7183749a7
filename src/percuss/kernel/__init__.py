"""Compiles functions of scalars to vector machine code and CUDA, time loops included."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand
from percuss.kernel.fingerprint import fingerprint

if TYPE_CHECKING:
    from percuss.kernel.bridging import rollout_to_jax, to_jax
    from percuss.kernel.compiling import Kernel, compile
    from percuss.kernel.derivatives import Jacobian, jacobian, jvp, vjp
    from percuss.kernel.duals import Dual
    from percuss.kernel.errors import KernelError
    from percuss.kernel.rollouts.attempt import Status
    from percuss.kernel.rollouts.methods import RK4, Adaptive, Dop853, Rosenbrock
    from percuss.kernel.rollouts.problem import Controller, Event
    from percuss.kernel.rollouts.rollout import Rollout, rollout
    from percuss.kernel.rollouts.statistics import FirstCrossing, Integral, Maximum, Minimum
    from percuss.kernel.rollouts.stiffness import stiffness
    from percuss.kernel.tracing.function import trace
    from percuss.kernel.tracing.parts import Part

__all__ = [
    "RK4",
    "Adaptive",
    "Controller",
    "Dop853",
    "Dual",
    "Event",
    "FirstCrossing",
    "Integral",
    "Jacobian",
    "Kernel",
    "KernelError",
    "Maximum",
    "Minimum",
    "Part",
    "Rollout",
    "Rosenbrock",
    "Status",
    "compile",
    "fingerprint",
    "jacobian",
    "jvp",
    "rollout",
    "rollout_to_jax",
    "stiffness",
    "to_jax",
    "trace",
    "vjp",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "bridging": ("rollout_to_jax", "to_jax"),
        "compiling": ("Kernel", "compile"),
        "derivatives": ("Jacobian", "jacobian", "jvp", "vjp"),
        "duals": ("Dual",),
        "errors": ("KernelError",),
        "rollouts.attempt": ("Status",),
        "rollouts.methods": ("RK4", "Adaptive", "Dop853", "Rosenbrock"),
        "rollouts.problem": ("Controller", "Event"),
        "rollouts.rollout": ("Rollout", "rollout"),
        "rollouts.statistics": ("FirstCrossing", "Integral", "Maximum", "Minimum"),
        "rollouts.stiffness": ("stiffness",),
        "tracing.function": ("trace",),
        "tracing.parts": ("Part",),
    },
    packages=("calculus",),
)
"""A program that is read from the disk needs neither tracer nor compiler; `to_jax` and its like
need JAX, an optional library that takes its time to load."""
