"""The algebraic loop of impact compensation: torques that depend on the accelerations they cause.

The law asks for n = K v̇ + k on the turning rates, and the dynamics for M v̇ = n + b. Both together
are the linear equations (M - K) v̇ = k + b.
"""

from __future__ import annotations

from collections.abc import Sequence

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar, add, dot, formula, plain, sub, terms, unpack
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.control.ic2_chain import ImpactChain, axes_now, links_now, turn_of_force
from percuss.control.plant import TreePlant
from percuss.dynamics.composite import mass_matrix
from percuss.dynamics.inverse import inverse_dynamics
from percuss.model.joints import Scalars


def loop_torques(
    plant: TreePlant,
    chain: ImpactChain,
    q: Coordinates,
    v: Rates,
    *,
    force: Vector3,
    given: Scalars,
) -> Scalars:
    """n_i = -r_i × m_i (ω̇_i × r_C,i) + n_{i+1} on every driven axis, (51)–(53), N m.

    ω̇ is that which these torques cause, together with the `force` (N, world axes) at the chain's
    point and what is `given` on the chaser's rates besides (N, N m). Returns the torques alone,
    one for each of the chaser's rates.
    """
    own = plant.own_rates
    links = links_now(chain, q, v)
    axes = axes_now(chain, q)
    sums = _sums([link.moment for link in links])
    carried = _carried([link.moment @ link.drift for link in links])
    gain: list[list[Scalar]] = [[0.0] * own for _ in range(own)]
    drift: list[Scalar] = [0.0] * own
    for axis, direction in zip(chain.axes, axes, strict=True):
        if not axis.driven:
            continue
        for other, turned in zip(chain.axes, axes, strict=True):
            moment = sums[max(axis.first, other.first)]
            gain[axis.rate][other.rate] = direction.dot(moment @ turned)
        drift[axis.rate] = direction.dot(carried[axis.first])
    still = (0.0,) * chain.system.rate_count
    needed = inverse_dynamics(
        chain.system, q, v, still, wrenches=[(chain.point, Force(force, _ZERO))]
    )
    push = unpack(needed, chain.system.rate_count, "forces")[:own]
    matrix = mass_matrix(chain.system, q)
    felt = [[sub(matrix[i, j], gain[i][j]) for j in range(own)] for i in range(own)]
    right = [plain(drift[i] + (terms(given[i]) - push[i])) for i in range(own)]
    accelerations = solve(felt, right)
    return tuple(add(dot(gain[i], accelerations), drift[i]) for i in range(own))


def force_torques(plant: TreePlant, chain: ImpactChain, q: Coordinates, force: Vector3) -> Scalars:
    """n_N = -r_N × F on every driven axis (N m): the same where the joints stay unmoved.

    No loop: the force itself says how the last link would turn if its joint felt nothing.
    """
    last = links_now(chain, q)[-1]
    axes = axes_now(chain, q)
    own = axes[chain.last_axis]
    moment = last.inertia.second_moment @ turn_of_force(last, own, force) - last.arm.cross(force)
    # About other axes the link cannot turn, and what its bearings pass on is not asked for.
    moment = own * own.dot(moment)
    values: list[Scalar] = [0.0] * plant.own_rates
    for axis, direction in zip(chain.axes, axes, strict=True):
        if axis.driven:
            values[axis.rate] = direction.dot(moment)
    return tuple(values)


@formula
def solve(matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]) -> Scalars:
    """x with A x = b by elimination from the first unknown on, for any scalar.

    Without pivots, which scalars that are no numbers could not choose: meant for a mass matrix
    with terms added, whose leading blocks are regular.
    """
    size = len(right)
    rows = [list(row) for row in matrix]
    values = list(right)
    for k in range(size):
        pivot = 1.0 / rows[k][k]
        for i in range(k + 1, size):
            factor = rows[i][k] * pivot
            for j in range(k + 1, size):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
            values[i] = values[i] - factor * values[k]
    for k in reversed(range(size)):
        known = dot(rows[k][k + 1 :], values[k + 1 :])
        values[k] = (values[k] - known) / rows[k][k]
    return tuple(values)


_ZERO = Vector3.zero()
_NONE = Matrix3(_ZERO, _ZERO, _ZERO)


def _sums(moments: list[Matrix3]) -> list[Matrix3]:
    """Σ of each with all after it, and of none."""
    sums = [_NONE]
    for moment in reversed(moments):
        sums.insert(0, moment + sums[0])
    return sums


def _carried(moments: list[Vector3]) -> list[Vector3]:
    """Sums of vectors from each of them to the last, and zero."""
    sums = [_ZERO]
    for moment in reversed(moments):
        sums.insert(0, moment + sums[0])
    return sums
