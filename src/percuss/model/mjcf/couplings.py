"""Joints that another one leads, and joints that an equality holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.model.changes import Change
from percuss.model.errors import ModelError
from percuss.model.joints import Mimic, Prismatic, Revolute
from percuss.model.lock import held
from percuss.model.mjcf.compiled import Compiled
from percuss.model.mjcf.joints import reference_of
from percuss.model.mjcf.leftovers import unused_equality
from percuss.model.systems import Friction, Joint

Coupling = tuple[str | None, float, float]
"""Leader, multiplier and offset of q = multiplier · q_leader + offset; no leader: q = offset."""


def coupled(
    compiled: Compiled, joints: Sequence[Joint], names: list[str]
) -> tuple[list[Joint], list[Change]]:
    """The joints with those that follow another as `Mimic` and those that are held fixed.

    An active equality between two joints says
    q₁ - ref₁ = c₀ + c₁ (q₂ - ref₂) + …; with c₂ and on zero joint 1 follows joint 2, and
    without a joint 2 it stays. Every other active equality is listed as not used.
    """
    single = {j.name for j in joints if isinstance(j.motion, (Revolute, Prismatic))}
    model, couplings, changes = compiled.model, dict[str, Coupling](), list[Change]()
    for k in range(model.neq):
        if not model.eq_active0[k]:
            continue
        found = _coupling(compiled, k, names, single)
        if found is None or found[0] in couplings:
            where = f"equality {model.equality(k).name or k!r}"
            changes.append(unused_equality(compiled, k, where))
        else:
            couplings[found[0]] = found[1]
    resolved = {name: _resolved(name, couplings) for name in couplings}
    return [_follower(j, resolved) for j in joints], changes


def _coupling(
    compiled: Compiled, equality: int, names: list[str], single: set[str]
) -> tuple[str, Coupling] | None:
    model = compiled.model
    data = model.eq_data[equality]
    if model.eq_type[equality] != compiled.mujoco.mjtEq.mjEQ_JOINT or np.any(data[2:5] != 0):
        return None
    first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    if names[first] not in single or (second >= 0 and names[second] not in single):
        return None
    offset = reference_of(model, first) + float(data[0])
    if second < 0:
        return names[first], (None, 0.0, offset)
    multiplier = float(data[1])
    offset -= multiplier * reference_of(model, second)
    return names[first], (names[second], multiplier, offset)


def _resolved(name: str, couplings: dict[str, Coupling]) -> Coupling:
    """The coupling to a joint that itself follows none."""
    seen, (leader, multiplier, offset) = {name}, couplings[name]
    while leader in couplings:
        if leader in seen:
            raise ModelError(f"joints lead each other in a ring: {', '.join(sorted(seen))}")
        seen.add(leader)
        above, factor, shift = couplings[leader]
        leader, offset = above, offset + multiplier * shift
        multiplier *= factor
    return leader, multiplier, offset


def _follower(joint: Joint, couplings: dict[str, Coupling]) -> Joint:
    if joint.name not in couplings:
        return joint
    leader, multiplier, offset = couplings[joint.name]
    if leader is None:
        return held(joint, offset)
    motion: Any = joint.motion
    return replace(
        joint, motion=Mimic(motion, leader, multiplier, offset), friction=Friction()
    )
