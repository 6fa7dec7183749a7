"""Momentum that a caller says a system has: six numbers, checked for what the system can have."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.scalars import unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.inertias import body_inertias
from percuss.kinematics.manifold import neutral
from percuss.kinematics.trees import tree_poses
from percuss.model.checks import is_finite, known, shown, values, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import System

_NAMES = ("px", "py", "pz", "Lx", "Ly", "Lz")
_ROUNDING = 1e-12
"""Part of the largest entry, or kg m and kg m², that counts as zero."""


def checked_momentum(system: System, momentum: Any) -> Force:
    """A momentum (p, L) about the world origin, world axes (N s, N m s), refused if impossible.

    A `Force` or six scalars, finite; for a planar system also three, (px, py, Lz). Planar systems
    have no pz. They have no Lx and Ly either unless bodies lie beside the plane z = 0, or have
    products of inertia with z; then these two follow from the motion and are not looked at.
    """
    entries = _entries(system, momentum)
    if any(violates(x, is_finite) for x in entries):
        raise ModelError(_wanted(system, momentum))
    if system.is_planar:
        _refuse_out_of_plane(system, entries)
    return Force(Vector3(*entries[:3]), Vector3(*entries[3:]))


def _entries(system: System, momentum: Any) -> Scalars:
    given = tuple(momentum) if isinstance(momentum, Force) else momentum
    try:
        if system.is_planar and hasattr(given, "__len__") and len(given) == 3:
            px, py, Lz = unpack(given, 3, "momentum")
            return px, py, 0.0, 0.0, 0.0, Lz
        return unpack(given, 6, "momentum")
    except (TypeError, ValueError) as error:
        raise ModelError(_wanted(system, momentum)) from error


def _wanted(system: System, momentum: Any) -> str:
    fewer = ", or three of a planar system: px, py, Lz" if system.is_planar else ""
    return (
        "momentum must be six finite numbers: linear px, py, pz (N s), then angular about the "
        f"world origin Lx, Ly, Lz (N m s){fewer}, got {momentum!r}"
    )


def _refuse_out_of_plane(system: System, entries: Scalars) -> None:
    most = max((np.abs(values(x)).max(initial=0.0) for x in entries if known(x)), default=0.0)
    for name, unit in (("pz", "N s"), ("Lx", "N m s"), ("Ly", "N m s")):
        entry = entries[_NAMES.index(name)]
        if not violates(entry, lambda x: np.abs(x) <= _ROUNDING * most):
            continue
        if name == "pz" or _lies_in_plane(system):
            raise ModelError(
                f"momentum: {name} must be 0, as all of system {system.name!r} moves in the plane "
                f"z = {'constant' if name == 'pz' else '0'}, got {shown(entry)} {unit}"
            )


def _lies_in_plane(system: System) -> bool:
    """Whether bodies moving in the plane have no angular momentum along x and y, for certain."""
    poses = tree_poses(system, neutral(system)).world_poses()
    for body, pose in zip(body_inertias(system), poses, strict=True):
        inertia = pose.act(body)
        sides = (inertia.first_moment.z, inertia.second_moment.xz, inertia.second_moment.yz)
        if not all(known(x) and np.all(np.abs(values(x)) <= _ROUNDING) for x in sides):
            return False
    return True
