"""Hybrid dynamics: some rates have known accelerations, the others known forces.

Featherstone 2008, section 9.2, by the recursion of `forward_dynamics`: an axis whose acceleration
is known is not released but carried along. Systems in which joints follow others are solved
through their mass matrix instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from percuss.algebra.arrays import Accelerations, Forces, Rates
from percuss.algebra.linear import minus
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.dynamics.coupled import coupled_accelerations
from percuss.dynamics.forward import ArticulatedMotion, articulated_motion, total_forces
from percuss.dynamics.inverse import inverse_dynamics
from percuss.dynamics.loads import Wrenches, body_wrenches, friction_forces
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    TreeVelocities,
    local_accelerations,
    rate_accelerations,
    tree_poses,
    tree_velocities,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Scalars, Spherical
from percuss.model.systems import System


def hybrid_dynamics(
    system: System,
    q: Configuration,
    v: Rates,
    tau: Forces | None,
    *,
    a: Accelerations,
    prescribed: Iterable[bool],
    wrenches: Wrenches | None = None,
) -> Any:
    """Accelerations v̇ when some of them are prescribed and the others follow from forces.

    With nothing prescribed this is `forward_dynamics`; with everything prescribed it is `a`.

    Args:
        q: coordinates, shape (nq,).
        v: rates, shape (nv,), m/s and rad/s.
        tau: generalized forces, shape (nv,), N and N m, used where nothing is prescribed;
            None for none.
        a: accelerations, shape (nv,), m/s² and rad/s², used where they are prescribed.
        prescribed: for each rate, whether its acceleration is given; shape (nv,). Of a planar
            or free joint the linear rates go together and so do the angular ones; a spherical
            joint is prescribed whole or not at all.
        wrenches: force and moment applied at frames, world axes, about the frame's origin.

    Returns:
        v̇, shape (nv,), in m/s² and rad/s².
    """
    if system.followers:
        return pack(_coupled(system, q, v, tau, a=a, prescribed=prescribed, wrenches=wrenches))
    problem = _Problem(system, q, v, tau, a=a, prescribed=prescribed, wrenches=wrenches)
    solved = rate_accelerations(problem.poses, problem.velocities, problem.motion.accelerations)
    return pack(_chosen(problem.mask, problem.given, solved))


def hybrid_forces(
    system: System,
    q: Configuration,
    v: Rates,
    tau: Forces | None,
    *,
    a: Accelerations,
    prescribed: Iterable[bool],
    wrenches: Wrenches | None = None,
) -> Any:
    """Generalized forces τ of the same motion: those given, and those the prescribed rates take.

    `inverse_dynamics` of what `hybrid_dynamics` returns, without a second recursion. Arguments
    as there; shape (nv,), in N and N m. With everything prescribed `inverse_dynamics` is shorter.
    """
    if system.followers:
        moving = _coupled(system, q, v, tau, a=a, prescribed=prescribed, wrenches=wrenches)
        return inverse_dynamics(system, q, v, moving, wrenches=wrenches)
    problem = _Problem(system, q, v, tau, a=a, prescribed=prescribed, wrenches=wrenches)
    taken = problem.poses.from_local(problem.motion.forces)
    driven = minus(taken, problem.friction)
    return pack(_chosen(problem.mask, driven, problem.applied))


def _coupled(
    system: System,
    q: Configuration,
    v: Rates,
    tau: Forces | None,
    *,
    a: Accelerations,
    prescribed: Iterable[bool],
    wrenches: Wrenches | None,
) -> Scalars:
    """v̇ of a system in which joints follow others."""
    mask = prescription(system, prescribed)
    applied, given = _asked(system, tau, a, mask)
    return coupled_accelerations(
        system, q, v, applied, wrenches=wrenches, given=given, prescribed=mask
    )


def _asked(
    system: System, tau: Forces | None, a: Accelerations, mask: tuple[bool, ...]
) -> tuple[Scalars, Scalars]:
    """Forces and accelerations where they count, zero elsewhere: nothing leaks in, not a NaN."""
    size, names = system.rate_count, system.rate_names
    nothing = (0.0,) * size
    applied = nothing if tau is None else unpack(tau, size, "tau", names)
    given = unpack(a, size, "a", names)
    return _chosen(mask, nothing, applied), _chosen(mask, given, nothing)


class _Problem:
    """The arguments of hybrid dynamics, checked, and the motion that solves them."""

    def __init__(
        self,
        system: System,
        q: Configuration,
        v: Rates,
        tau: Forces | None,
        *,
        a: Accelerations,
        prescribed: Iterable[bool],
        wrenches: Wrenches | None,
    ) -> None:
        self.mask = prescription(system, prescribed)
        rates = unpack(v, system.rate_count, "v", system.rate_names)
        self.applied, self.given = _asked(system, tau, a, self.mask)
        self.friction = friction_forces(system, rates)
        self.poses = tree_poses(system, q)
        self.velocities = tree_velocities(self.poses, rates)
        self.motion = self._solved(body_wrenches(self.poses, wrenches))

    def _solved(self, external: Any) -> ArticulatedMotion:
        system = self.poses.system
        forces = self.poses.to_local(total_forces(system, self.applied, self.friction))
        prescribed = _local(self.poses, self.velocities, self.given, self.mask)
        return articulated_motion(
            self.poses, self.velocities, forces, external, prescribed=prescribed
        )


def prescription(system: System, prescribed: Iterable[bool]) -> tuple[bool, ...]:
    """The mask, one truth value for each rate, if hybrid dynamics can follow it."""
    mask = tuple(bool(entry) for entry in prescribed)
    if len(mask) != system.rate_count:
        raise ModelError(
            f"prescribed must have {system.rate_count} entries "
            f"({', '.join(system.rate_names)}), got {len(mask)}"
        )
    for node in system.tree:
        units, own = node.joint.motion.rate_units, mask[node.rates]
        if not isinstance(node.joint.motion, (Free, Planar, Spherical)):
            continue
        for unit, kind in (("m/s", "linear"), ("rad/s", "angular")):
            part = {chosen for chosen, u in zip(own, units, strict=True) if u == unit}
            if len(part) > 1:
                raise ModelError(
                    f"joint {node.joint.name!r} is {node.joint.motion.kind}: its {kind} rates are "
                    "prescribed together or not at all, because they turn with the joint; "
                    f"got {own} for ({', '.join(system.rate_names[node.rates])})"
                )
    return mask


def _local(
    poses: TreePoses, velocities: TreeVelocities, given: Scalars, mask: tuple[bool, ...]
) -> tuple[tuple[Scalar | None, ...], ...] | None:
    """Prescribed accelerations along the joints' axes; None where forces decide.

    Blocks of linear and angular rates do not mix in Q nor in ω ×, so a prescribed block needs
    nothing of the other.
    """
    if not any(mask):
        return None
    local = local_accelerations(poses, velocities, given)
    return tuple(
        tuple(x if chosen else None for x, chosen in zip(part, mask[node.rates], strict=True))
        for node, part in zip(poses.system.tree, local, strict=True)
    )


def _chosen(mask: tuple[bool, ...], if_true: Scalars, if_false: Scalars) -> Scalars:
    return tuple(a if chosen else b for chosen, a, b in zip(mask, if_true, if_false, strict=True))
