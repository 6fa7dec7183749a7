"""Compiles JAX-style functions of scalars to vector machine code and CUDA, time loops included."""

from percuss.kernel.bridge import bridge, rollout_to_jax, to_jax
from percuss.kernel.compile import Kernel, compile
from percuss.kernel.derivatives import Jacobian, jacobian, jvp, vjp
from percuss.kernel.errors import KernelError, KernelNotice
from percuss.kernel.program import Program
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.result import RolloutResult
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Final, FirstCrossing, Integral, Maximum, Minimum
from percuss.kernel.rollouts.steppers import RK4, Adaptive
from percuss.kernel.trace import trace

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
