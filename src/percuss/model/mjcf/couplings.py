"""Joints that another one leads, and joints that an equality holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from percuss.model.changes import Change
from percuss.model.joints import Mimic, Prismatic, Revolute
from percuss.model.mjcf.compiled import Compiled
from percuss.model.mjcf.joints import reference_of
from percuss.model.mjcf.leftovers import unused_equality
from percuss.model.systems import Joint


@dataclass
class Couplings:
    """What the equalities of a model do to its joints."""

    joints: list[Joint]
    """With those that follow another as `Mimic`."""
    held: dict[str, float] = field(default_factory=dict)
    """Coordinates (rad or m) of joints that stay, by name."""
    changes: list[Change] = field(default_factory=list)


def coupled(compiled: Compiled, joints: Sequence[Joint], names: list[str]) -> Couplings:
    """The active equalities of a model, those that are not linear or not of joints as changes.

    An equality of two joints says q₁ - ref₁ = c₀ + c₁ (q₂ - ref₂) + …: with c₂ and on zero joint 1
    follows joint 2, and without a joint 2 it stays.
    """
    found, model = Couplings(list(joints)), compiled.model
    single = {
        joint.name: k
        for k, joint in enumerate(joints)
        if isinstance(joint.motion, (Revolute, Prismatic))
    }
    for equality in range(model.neq):
        if model.eq_active0[equality] and not _couple(
            compiled, equality, names, single, found=found
        ):
            where = f"equality {model.equality(equality).name or equality!r}"
            found.changes.append(unused_equality(compiled, equality, where))
    return found


def _couple(
    compiled: Compiled, equality: int, names: list[str], single: dict[str, int], *, found: Couplings
) -> bool:
    """Whether the equality could be held by the joints, which are then coupled."""
    model = compiled.model
    constant, slope, *others = (float(x) for x in model.eq_data[equality][:5])
    if int(model.eq_type[equality]) != compiled.mujoco.mjtEq.mjEQ_JOINT or np.any(others):
        return False
    first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    name, leader = names[first], names[second] if second >= 0 else None
    if name not in single or name in found.held or (leader is not None and leader not in single):
        return False
    joint = found.joints[single[name]]
    if not isinstance(joint.motion, (Revolute, Prismatic)):
        return False  # it follows another joint already
    offset = reference_of(model, first) + constant
    if leader is None:
        found.held[name] = offset
        return True
    offset -= slope * reference_of(model, second)
    follower = replace(joint, motion=Mimic(joint.motion, leader, slope, offset))
    found.joints[single[name]] = follower
    return True
