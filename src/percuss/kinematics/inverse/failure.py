"""Why a target was not reached."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from percuss.kinematics.inverse.chain import Array, Span, ToolChain, distance
from percuss.kinematics.inverse.descent import LaneDescent, Lanes
from percuss.kinematics.inverse.solutions import NoSolutionError, residual
from percuss.kinematics.inverse.steps import target_from
from percuss.kinematics.tasks import position_of

_AT_LIMIT = 1e-9


def explained(
    descent: LaneDescent, span: Span, starts: Array, target: Array, *, lanes: Lanes
) -> Any:
    """The error for a target that no start led to: out of reach, limits, or local minima."""
    chain = descent.chain
    nearest = int(np.argmin(lanes.cost(descent.length)))
    q = lanes.q[:, nearest]
    gap, angle = (float(x) for x in np.sqrt(lanes.squares[:, nearest]))
    left = residual(gap, angle, len(chain.task.rows) > chain.task.linear_count)
    facts: dict[str, Any] = {"q": q, "distance": gap, "angle": angle}
    tool = f"{chain.frame.name!r} of {chain.system.name!r} cannot reach its target"
    missing = _missing(chain, span, target)
    if missing is not None:
        by, words = missing
        return NoSolutionError(
            f"{tool}: out of reach by {by:.6g} m, {words}; nearest found: {left}",
            **facts,
            missing=by,
        )
    active = at_limits(chain, q)
    if active and _reached_without_limits(descent, starts, target):
        return NoSolutionError(
            f"{tool} within the limits of its joints: without limits there is a solution, and the "
            f"limits of {', '.join(active)} stand in the way; nearest found: {left}",
            **facts,
            limits=active,
        )
    at = f", with {', '.join(active)} at their limits there" if active else ""
    tried = f"{lanes.q.shape[1]} starts" if lanes.q.shape[1] > 1 else "one start"
    return NoSolutionError(
        f"{tool}: {tried} ended in local minima, the nearest {left} away{at}. More starts may "
        "find it, or the pose is out of reach although its distance is not",
        **facts,
        limits=active,
    )


def at_limits(chain: ToolChain, q: Array) -> tuple[str, ...]:
    """Moving joints that are at one of their limits."""
    found: list[str] = []
    for node in chain.nodes:
        limits = node.limits
        if not chain.limited or node.joint.motion.coordinate_count != 1:
            continue
        x = q[node.coordinates.start]
        if x <= limits.lower + _AT_LIMIT or x >= limits.upper - _AT_LIMIT:
            found.append(node.joint.name)
    return tuple(found)


def _missing(chain: ToolChain, span: Span, target: Array) -> tuple[float, str] | None:
    """What is lacking for certain (m), by the lengths of the links alone."""
    wanted = position_of(chain.task, target_from(chain.task, target))
    away = distance(chain.task, wanted, span.origin)
    slack = 1e-9 * max(1.0, away)
    from_joint = f"the target is {away:.6g} m from {span.joint!r}"
    if away > span.most + slack:
        return away - span.most, f"{from_joint} and the arm spans at most {span.most:.6g} m"
    if away < span.least - slack:
        return span.least - away, f"{from_joint} and the arm gets no nearer than {span.least:.6g} m"
    return None


def _reached_without_limits(descent: LaneDescent, starts: Array, target: Array) -> bool:
    free = replace(descent, chain=replace(descent.chain, limited=False), compiled=False)
    lanes = free.reach(starts, np.repeat(target[:, None], starts.shape[1], axis=1))
    return bool(lanes.reached(descent.tolerance).any())
