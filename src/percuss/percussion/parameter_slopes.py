"""How the reactions of a robot's joints change with its parameters: automatic differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import plus
from percuss.algebra.scalars import pack
from percuss.kernel.tracing.derivatives import value_and_jacobian
from percuss.model.errors import ModelError
from percuss.model.parameters import parameters, with_parameters
from percuss.model.systems import Frame, System, unknown
from percuss.percussion.holding import Holding
from percuss.percussion.multibody import impact_reactions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReactionSlopes:
    """Reactions (6,) by joint (N s, N m s, link axes) and their derivatives.

    `by_parameter[joint]` (6, parameters) per unit of each parameter, in the order given;
    `by_coordinate[joint]` (6, nq) per unit of each coordinate of q; `by_impulse[joint]` (6, 3)
    per N s of impulse, world axes; `by_point[joint]` (6, 3) per metre the struck point moves, in
    the struck link's axes.
    """

    parameters: tuple[str, ...]
    reaction: dict[str, Array]
    by_parameter: dict[str, Array]
    by_coordinate: dict[str, Array]
    by_impulse: dict[str, Array]
    by_point: dict[str, Array]


def reaction_slopes(
    system: System,
    q: Coordinates,
    at: str | Frame,
    impulse: Any,
    *,
    names: Sequence[str] = (),
    holding: Holding | None = None,
) -> ReactionSlopes:
    """Exact derivatives of all joint reactions to an impulse (N s, world axes) at a frame.

    Args:
        names: parameters as `percuss.parameters` calls them, "link2.mass", "link1.com.x" …
    """
    frame = system.frame(at)
    known = parameters(system)
    for name in names:
        if name not in known:
            raise unknown("parameter", name, known, system)
    given = np.array([*impulse, 0.0][:3] if len(impulse) == 2 else impulse, float)
    if given.shape != (3,):
        raise ModelError(f"impulse must be two or three numbers (N s), got {impulse!r}")
    joints = tuple(impact_reactions(system, q, frame, given, holding=holding).joints)

    sizes = (len(names), system.coordinate_count, 3, 3)
    ends = np.cumsum(sizes)[:-1]

    def reactions(values: Any, coordinates: Any, push: Any, offset: Any) -> Any:
        changed = with_parameters(system, dict(zip(names, values, strict=True)))
        pushed_at = Frame.point(frame.body, list(plus(frame.placement.position, offset)))
        found = impact_reactions(changed, coordinates, pushed_at, push, holding=holding)
        return pack([tuple(found.joints[j].reaction) for j in joints])

    start = np.array([known[name] for name in names], float), np.array(q, float), given, np.zeros(3)
    value, slopes = value_and_jacobian(reactions, *start)
    parts = np.split(np.asarray(slopes), ends, axis=2)
    by_joint = [dict(zip(joints, part, strict=True)) for part in parts]
    return ReactionSlopes(
        tuple(names), dict(zip(joints, np.asarray(value), strict=True)), *by_joint
    )
