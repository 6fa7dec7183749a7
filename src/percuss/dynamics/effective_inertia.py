"""The inertia that a driven rate feels while what nothing drives moves as it must.

With the mass matrix split into driven (d) and free (f) rates, and no force on the free ones,

    M_fd a_d + M_ff a_f = 0   ⇒   u_d = (M_dd - M_df M_ff⁻¹ M_fd) a_d = M* a_d   at rest.

M* is the inertia of the coupled system as its actuators feel it: a base that floats, and a target
that swings in the grasp, give way. Its diagonal belongs to one driven rate, the others held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.scalars import dot, pack, sub
from percuss.dynamics.composite import mass_matrix
from percuss.kinematics.matrices import rows_of
from percuss.model.errors import ModelError
from percuss.model.systems import System


def effective_inertias(system: System, q: Coordinates, driven: Iterable[bool]) -> Any:
    """M*_ii (kg or kg m²) of each rate of a system: what its actuator feels, 0 if it has none.

    The other driven rates are held, those that nothing drives are free. With everything driven,
    or nothing free to give way, it is the diagonal of the mass matrix; it is never more than that.

    Args:
        q: coordinates, shape (nq,), of any scalar.
        driven: for each rate, whether an actuator drives it; shape (nv,).

    Returns:
        Shape (nv,), in the rates' own axes.

    Example:
        >>> import percuss
        >>> robot = percuss.robot("thesis")
        >>> effective_inertias(robot, [0.0] * 5, [True] * 5).round(3)
        array([120.   , 120.   , 193.333, 143.333,  30.   ])
        >>> effective_inertias(robot, [0.0] * 5, [False] * 3 + [True] * 2).round(3)
        array([ 0.   ,  0.   ,  0.   , 35.832, 11.37 ])
    """
    mask = tuple(bool(one) for one in driven)
    if len(mask) != system.rate_count:
        raise ModelError(
            f"driven must say of each of the {system.rate_count} rates of {system.name!r} whether "
            f"an actuator drives it, got {len(mask)} values"
        )
    if not any(mask):
        return pack((0.0,) * len(mask))
    M = rows_of(mass_matrix(system, q))
    free = [k for k, is_driven in enumerate(mask) if not is_driven]
    inner = [[M[i][j] for j in free] for i in free]

    def felt(k: int) -> Any:
        coupling = [M[i][k] for i in free]
        # What the free rates take over when this one accelerates: M_kf M_ff⁻¹ M_fk.
        return sub(M[k][k], dot(coupling, solve_symmetric(inner, coupling)))

    return pack(felt(k) if is_driven else 0.0 for k, is_driven in enumerate(mask))
