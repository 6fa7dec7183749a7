"""Arms on a base that nothing holds: where the tool goes when the base reacts.

Momentum is conserved, so the base's velocity follows from the joint rates: with the mass matrix
split into base (b) and joints (m),

    M_bb v_b + M_bm q̇ = π,   π = X_bᵀ (p, L),

where (p, L) is the momentum about the world origin and X_b the base's Jacobian there. Eliminating
v_b gives the generalized Jacobian (Umetani & Yoshida 1989).

How much is eliminated depends on the base mode: all of v_b when free-floating; with the attitude
held by wheels (attitude-controlled) only the translation, from linear momentum; nothing for a
base held by thrusters (free-flying) or fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus, plus, solve_symmetric
from percuss.algebra.scalars import Scalar, pack, sub, unpack
from percuss.dynamics.composite import mass_matrix
from percuss.dynamics.given_momentum import checked_momentum
from percuss.kinematics.frames import Reference
from percuss.kinematics.jacobians import jacobian
from percuss.kinematics.matrices import (
    Rows,
    product,
    rows_of,
    solve_columns,
    times,
    transposed,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Scalars
from percuss.model.systems import BaseMode, Frame, System


@dataclass(frozen=True)
class Split:
    """Places of a system's rates: those of the base, and those of the joints."""

    base: tuple[int, ...]
    joints: tuple[int, ...]
    eliminated: tuple[int, ...]
    """Rates of the base that follow from momentum; the other base rates are held at zero."""


def split_rates(system: System, mode: BaseMode | str | None = None) -> Split:
    """Which rates are the base's, and which of them momentum decides in this base mode.

    Default is the system's own mode. The base must be on a free or planar joint and carry
    everything else, or the momentum of the rest would not concern it.
    """
    mode = BaseMode(mode) if mode is not None else system.mode
    joint = system.base_joint
    if not isinstance(joint.motion, (Free, Planar)):
        raise ModelError(
            f"system {system.name!r} has no base that moves: {joint.child!r} is on a "
            f"{joint.motion.kind} joint. system.with_mode('free-floating') sets it free"
        )
    others = [j.name for j in system.joints if j.parent == joint.parent and j is not joint]
    if others:
        raise ModelError(
            f"system {system.name!r} has more on the world than its base: joint {others[0]!r}; "
            "the momentum of the base and what it carries is not that of the system"
        )
    rates = system.node(joint.child).rates
    base = tuple(range(rates.start, rates.stop))
    joints = tuple(k for k in range(system.rate_count) if k not in base)
    if mode == BaseMode.FREE_FLOATING:
        eliminated = base
    elif mode == BaseMode.ATTITUDE_CONTROLLED:
        eliminated = tuple(k for k in base if system.rate_units[k] == "m/s")
    else:
        eliminated = ()
    return Split(base, joints, eliminated)


def base_motion_map(system: System, q: Coordinates, mode: BaseMode | str | None = None) -> Any:
    """B with base rates v_b = B q̇ at zero momentum: -M_bb⁻¹ M_bm, shape (base rates, joint rates).

    Rates in the system's order and axes: world axes for a base on the world's origin. Rows of
    rates that the mode holds are zero.
    """
    return pack(_base_rows(rows_of(mass_matrix(system, q)), split_rates(system, mode)))


def base_rates(
    system: System,
    q: Coordinates,
    joint_rates: Rates,
    momentum: Any = None,
    *,
    mode: BaseMode | str | None = None,
) -> Any:
    """The base's rates v_b when the joints move so and the momentum is given.

    Args:
        joint_rates: rates of the joints in the system's order, shape (joint rates,).
        momentum: (linear, angular about the world origin) in N s and N m s, world axes, as a
            `Force` or six scalars, or (px, py, Lz) of a planar system; default zero. A planar
            system must not be given any out of its plane. Attitude-controlled, only the linear
            part counts, and wheels take up the rest.
    """
    split = split_rates(system, mode)
    M = rows_of(mass_matrix(system, q))
    moving = _joint_rates(split, joint_rates)
    held = times([[M[i][j] for j in split.joints] for i in split.eliminated], moving)
    given = _conjugate(system, q, split, momentum)
    right = list(minus(given, held))
    found = solve_symmetric([[M[i][j] for j in split.eliminated] for i in split.eliminated], right)
    at = dict(zip(split.eliminated, found, strict=True))
    return pack(at.get(k, 0.0) for k in split.base)


def generalized_jacobian(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    reference: Reference | str = Reference.WORLD_ALIGNED,
    *,
    mode: BaseMode | str | None = None,
) -> Any:
    """J_g = J_m - J_b M_bb⁻¹ M_bm: frame velocity (linear, angular) = J_g q̇ + drift.

    Shape (6, joint rates), components as `reference` says. The drift comes from the momentum and
    is zero without it, see `momentum_drift`. In modes that hold the base it is the Jacobian of
    the arm on a base at rest.
    """
    split = split_rates(system, mode)
    J = rows_of(jacobian(system, q, frame, reference))
    following = _base_rows(rows_of(mass_matrix(system, q)), split)
    direct = _columns(J, split.joints)
    carried = product(_columns(J, split.base), following)
    rows = zip(direct, carried, strict=True)
    return pack([list(plus(one, other)) for one, other in rows])


def momentum_drift(
    system: System,
    q: Coordinates,
    frame: str | Frame,
    momentum: Any,
    *,
    reference: Reference | str = Reference.WORLD_ALIGNED,
    mode: BaseMode | str | None = None,
) -> Any:
    """Velocity of a frame with the joints at rest, J_b M_bb⁻¹ π, shape (6,): m/s, rad/s."""
    split = split_rates(system, mode)
    at_rest = (0.0,) * len(split.joints)
    moving = unpack(base_rates(system, q, at_rest, momentum, mode=mode), len(split.base), "v_b")
    J = rows_of(jacobian(system, q, frame, reference))
    return pack(times(_columns(J, split.base), moving))


def all_rates(
    system: System,
    q: Coordinates,
    joint_rates: Rates,
    momentum: Any = None,
    *,
    mode: BaseMode | str | None = None,
) -> Any:
    """Rates of base and joints together, shape (nv,), when the joints move so."""
    split = split_rates(system, mode)
    found = unpack(base_rates(system, q, joint_rates, momentum, mode=mode), len(split.base), "v_b")
    at = dict(zip(split.base, found, strict=True))
    at |= dict(zip(split.joints, _joint_rates(split, joint_rates), strict=True))
    return pack(at[k] for k in range(system.rate_count))


def _base_rows(M: Rows, split: Split) -> Rows:
    """-M_ee⁻¹ M_em on the rows of the base rates, e being those eliminated."""
    count = len(split.joints)
    found: dict[int, list[Scalar]] = {}
    if split.eliminated and count:
        inner = [[M[i][j] for j in split.eliminated] for i in split.eliminated]
        coupling = [[sub(0.0, M[i][j]) for j in split.joints] for i in split.eliminated]
        found = dict(zip(split.eliminated, solve_columns(inner, coupling), strict=True))
    return [found.get(k, [0.0] * count) for k in split.base]


def _conjugate(system: System, q: Coordinates, split: Split, momentum: Any) -> Scalars:
    """π = X_bᵀ (p, L) on the eliminated rates: the momentum as they see it."""
    if momentum is None:
        return (0.0,) * len(split.eliminated)
    wrench = checked_momentum(system, momentum)
    X = rows_of(jacobian(system, q, system.base.name, Reference.WORLD_ORIGIN))
    return times(transposed(_columns(X, split.eliminated)), tuple(wrench))


def _columns(rows: Rows, columns: tuple[int, ...]) -> Rows:
    return [[row[k] for k in columns] for row in rows]


def _joint_rates(split: Split, joint_rates: Rates) -> Scalars:
    return unpack(joint_rates, len(split.joints), "joint_rates")
