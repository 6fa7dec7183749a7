"""Compiles JAX-style functions of scalars to vector machine code and CUDA."""

from percuss.kernel.bridge import bridge, to_jax
from percuss.kernel.compile import Kernel, compile
from percuss.kernel.derivatives import Jacobian, jacobian, jvp, vjp
from percuss.kernel.errors import KernelError, KernelNotice
from percuss.kernel.program import Program
from percuss.kernel.trace import trace

__all__ = [
    "Jacobian",
    "Kernel",
    "KernelError",
    "KernelNotice",
    "Program",
    "bridge",
    "compile",
    "jacobian",
    "jvp",
    "to_jax",
    "trace",
    "vjp",
]
