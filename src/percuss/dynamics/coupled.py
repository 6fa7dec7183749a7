"""Accelerations of systems in which joints follow others.

The articulated-body recursion gives each joint's axis away by itself and cannot hold a coupling.
With v_free = G v, which the tree knows, M = Gᵀ M_free G and h = Gᵀ h_free come from the other two
recursions, and a small dense system is left.
"""

from __future__ import annotations

from percuss.algebra.arrays import Rates
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.scalars import is_constant, sub, unpack
from percuss.dynamics.composite import mass_matrix
from percuss.dynamics.inverse import inverse_dynamics
from percuss.dynamics.loads import Wrenches
from percuss.kinematics.matrices import Rows, rows_of
from percuss.kinematics.trees import Configuration
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import System


def coupled_accelerations(
    system: System,
    q: Configuration,
    v: Rates,
    tau: Scalars,
    *,
    wrenches: Wrenches | None,
    given: Scalars | None = None,
    prescribed: tuple[bool, ...] | None = None,
) -> Scalars:
    """v̇ of the rates that forces decide, `given` on those prescribed, which are none by default.

    Args:
        tau: generalized forces on the rates, N and N m; not looked at where prescribed.
        given: accelerations of the prescribed rates, zero elsewhere.
    """
    size = system.rate_count
    known = given if given is not None else (0.0,) * size
    free = [k for k in range(size) if prescribed is None or not prescribed[k]]
    bias = unpack(inverse_dynamics(system, q, v, known, wrenches=wrenches), size, "forces")
    M = rows_of(mass_matrix(system, q))
    _refuse_unresisted(system, M, free)
    right = [sub(tau[k], bias[k]) for k in free]
    found = solve_symmetric([[M[i][j] for j in free] for i in free], right)
    at = dict(zip(free, found, strict=True))
    return tuple(at.get(k, known[k]) for k in range(size))


def _refuse_unresisted(system: System, M: Rows, free: list[int]) -> None:
    for k in free:
        felt = M[k][k]
        if is_constant(felt) and felt == 0:
            raise ModelError(
                f"nothing resists the rate {system.rate_names[k]!r}, so its acceleration is not "
                "determined: the bodies that it moves have no inertia about their axes, as a thin "
                "rod has none about its own"
            )
