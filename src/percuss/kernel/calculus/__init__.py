"""Derivatives of programs, which are programs again."""

from percuss.kernel.calculus.chains import with_chained_sums
from percuss.kernel.calculus.forward import push_forward, tangent
from percuss.kernel.calculus.inlining import (
    expanded,
    inline,
    with_single_calls_inlined,
    without_holds,
    without_maps,
)
from percuss.kernel.calculus.jacobians import jacobian
from percuss.kernel.calculus.reverse import adjoint, pull_back
from percuss.kernel.calculus.sparsity import (
    Pattern,
    decompressed,
    orthogonal_groups,
    seeds,
    sparsity,
)

__all__ = [
    "Pattern",
    "adjoint",
    "decompressed",
    "expanded",
    "inline",
    "jacobian",
    "orthogonal_groups",
    "pull_back",
    "push_forward",
    "seeds",
    "sparsity",
    "tangent",
    "with_chained_sums",
    "with_single_calls_inlined",
    "without_holds",
    "without_maps",
]
