"""Derivatives of programs, which are programs again."""

from percuss.kernel.calculus.forward import push_forward, tangent
from percuss.kernel.calculus.inlining import inline, without_holds
from percuss.kernel.calculus.reverse import adjoint, pull_back

__all__ = ["adjoint", "inline", "pull_back", "push_forward", "tangent", "without_holds"]
