"""Derivatives of programs, which are programs again."""

from percuss.exports import on_demand as _on_demand
from percuss.kernel.calculus.chains import with_chained_sums
from percuss.kernel.calculus.forward import tangent
from percuss.kernel.calculus.inlining import with_single_calls_inlined
from percuss.kernel.calculus.jacobians import jacobian
from percuss.kernel.calculus.sparsity import orthogonal_groups, sparsity

__all__ = [
    "jacobian",
    "orthogonal_groups",
    "sparsity",
    "tangent",
    "with_chained_sums",
    "with_single_calls_inlined",
]

__getattr__, __dir__ = _on_demand(__name__, {})
