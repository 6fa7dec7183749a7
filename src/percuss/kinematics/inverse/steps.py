"""One step of Levenberg and Marquardt towards a target, for any scalar.

The step is a straight line of arithmetic, so that it runs on floats, on NumPy batches of many
starts, and compiled.
"""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import multiple, solve_symmetric
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import (
    Scalar,
    add,
    div,
    dot,
    mul,
    pack,
    plain,
    sqrt,
    terms,
    total,
    unpack,
    where,
)
from percuss.algebra.vectors import Matrix3, Vector3
from percuss.kinematics.frames import frame_acceleration
from percuss.kinematics.inverse.chain import ToolChain
from percuss.kinematics.inverse.objectives import Objective
from percuss.kinematics.matrices import Rows, gram, times, transposed
from percuss.kinematics.tasks import Task, task_error, task_jacobian, task_target
from percuss.model.joints import Scalars

_LONGEST = 1.0
"""Length of a step, in rad or in spans of the chain."""
_LEAST_DAMPING = 1e-13
_AT_LIMIT = 1e-12
_BEND = 0.4
"""Part of a step's length that its bend has at most."""


def target_entries(task: Task, target: Any) -> list[Any]:
    """A target as a flat list: a pose by the rows of its rotation, then its position."""
    wanted = task_target(task, target)
    if isinstance(wanted, Pose):
        return [*(x for row in wanted.rotation.matrix.rows for x in row), *wanted.position]
    return list(wanted)


def entry_count(task: Task) -> int:
    """How many entries a target has."""
    return 12 if task == Task.POSE else len(task.rows)


def target_from(task: Task, entries: Any) -> Any:
    """The inverse of `target_entries`."""
    if task != Task.POSE:
        return unpack(entries, len(task.rows), "the target")
    flat = unpack(entries, 12, "the target")
    rows = (Vector3(*flat[k : k + 3]) for k in (0, 3, 6))
    return Pose(Rotation(Matrix3(*rows)), Vector3(*flat[9:]))


def squared_errors(chain: ToolChain, q: Coordinates, target: Any) -> Any:
    """(distance² in m², angle² in rad²) between the tool and its target, shape (2,)."""
    error = task_error(
        chain.system, q, chain.frame, chain.task, target=target_from(chain.task, target)
    )
    return pack(_squares(chain, error))


def task_step(
    chain: ToolChain, length: Scalar, q: Coordinates, target: Any, *, factor: Scalar
) -> Any:
    """Coordinates one step nearer to the target, shape (nq,).

    The step solves (J Jᵀ + μ 1) y = e, δ = -Jᵀ y on rows and rates scaled by `length` (m), with
    μ = factor ½ |e|² (Sugihara 2011): strong far away, vanishing at the target. Joints at a limit
    that would leave it are held, and no step ends beyond one. Its bend -½ Jᵀ (J Jᵀ + μ 1)⁻¹ J̇(δ) δ
    follows the curvature (Transtrum & Sethna 2012).
    """
    values = unpack(q, chain.system.coordinate_count, "q", chain.system.coordinate_names)
    wanted = target_from(chain.task, target)
    error = task_error(chain.system, values, chain.frame, chain.task, target=wanted)
    scaled = _scaled_error(chain, length, error)
    jacobian = _scaled_jacobian(chain, length, values)
    downhill = [-g for g in times(transposed(jacobian), scaled)]
    free = _free(chain, values, downhill)
    held = [[mul(f, x) for f, x in zip(free, row, strict=True)] for row in jacobian]
    damping = plain(_LEAST_DAMPING + 0.5 * terms(factor) * dot(scaled, scaled))
    matrix, columns = gram(held, damping), transposed(held)
    step = [-d for d in times(columns, solve_symmetric(matrix, scaled))]
    curved = _scaled_error(chain, length, _curvature(chain, length, values, step))
    bend = list(multiple(-0.5, times(columns, solve_symmetric(matrix, curved))))
    # Valleys near singularities are narrow and curved; a bend that is no small correction of the
    # step says that the step is too long for it, and is left out.
    small = dot(bend, bend) <= mul(_BEND**2, dot(step, step))
    step = [add(d, where(small, b, 0.0)) for d, b in zip(step, bend, strict=True)]
    return pack(_integrated(chain, length, values, step))


def objective_step(
    chain: ToolChain, length: Scalar, objective: Objective, q: Coordinates, *, share: Scalar
) -> tuple[Any, Scalar]:
    """Coordinates after a step along the task's null space, and the step's squared length.

    δ = share (1 - W⁻¹Jᵀ (J W⁻¹Jᵀ)⁻¹ J) (-W⁻¹ ∇h), with the stiffness W of the objective h: the
    Newton step of h among the motions that leave the tool where it is.
    """
    values = unpack(q, chain.system.coordinate_count, "q", chain.system.coordinate_names)
    jacobian = _scaled_jacobian(chain, length, values)
    gradient, stiffness = objective.gradient(values), objective.stiffness
    scales = [length if slides else 1.0 for slides in chain.slides]
    slopes = [mul(gradient[k], scale) for k, scale in zip(chain.rates, scales, strict=True)]
    soft = [
        plain(1.0 / (stiffness[k] * (terms(scale) * scale)))
        for k, scale in zip(chain.rates, scales, strict=True)
    ]
    direction = _along_task(jacobian, soft, slopes)
    free = _free(chain, values, direction)
    soft = [mul(f, s) for f, s in zip(free, soft, strict=True)]
    direction = _along_task(jacobian, soft, slopes)
    step = list(multiple(share, direction))
    return pack(_integrated(chain, length, values, step)), dot(direction, direction)


def _along_task(jacobian: Rows, soft: list[Scalar], slopes: list[Scalar]) -> list[Scalar]:
    """-(1 - S Jᵀ (J S Jᵀ)⁻¹ J) S ∇h with S = W⁻¹."""
    wanted = [-mul(s, g) for s, g in zip(soft, slopes, strict=True)]
    roots = [sqrt(s) for s in soft]
    halved = [[mul(r, x) for r, x in zip(roots, row, strict=True)] for row in jacobian]
    y = solve_symmetric(gram(halved, _LEAST_DAMPING), times(jacobian, wanted))
    back = times(transposed(jacobian), y)
    return [plain(w - terms(s) * b) for w, s, b in zip(wanted, soft, back, strict=True)]


def _squares(chain: ToolChain, error: Scalars) -> tuple[Scalar, Scalar]:
    linear, angular = error[: chain.task.linear_count], error[chain.task.linear_count :]
    return dot(linear, linear), dot(angular, angular)


def _scaled_error(chain: ToolChain, length: Scalar, error: Scalars) -> list[Scalar]:
    count = chain.task.linear_count
    return [div(e, length) if k < count else e for k, e in enumerate(error)]


def _scaled_jacobian(chain: ToolChain, length: Scalar, q: Scalars) -> Rows:
    rows = task_jacobian(chain.system, q, chain.frame, chain.task)
    count = chain.task.linear_count
    scaled: Rows = []
    for k, row in enumerate(rows):
        size = div(1.0, length) if k < count else 1.0
        scaled.append(
            [
                mul(row[rate], mul(size, length) if slides else size)
                for rate, slides in zip(chain.rates, chain.slides, strict=True)
            ]
        )
    return scaled


def _curvature(chain: ToolChain, length: Scalar, q: Scalars, step: list[Scalar]) -> Scalars:
    """J̇(δ) δ on the task's rows: how the tool would accelerate if δ were constant rates."""
    scaled = dict(zip(chain.rates, zip(step, chain.slides, strict=True), strict=True))
    rates = [
        mul(scaled[k][0], length if scaled[k][1] else 1.0) if k in scaled else 0.0
        for k in range(chain.system.rate_count)
    ]
    still = [0.0] * chain.system.rate_count
    change = tuple(frame_acceleration(chain.system, q, rates, still, frame=chain.frame))
    return tuple(change[k] for k in chain.task.rows)


def _free(chain: ToolChain, q: Scalars, direction: list[Scalar]) -> list[Scalar]:
    """1 for each rate that may move so, 0 for a joint at a limit that would leave it."""
    coordinates = _coordinates(chain, q)
    free: list[Scalar] = []
    for (lower, upper), x, d in zip(chain.limits, coordinates, direction, strict=True):
        allowed: Scalar = 1.0
        if lower > -_INFINITY:
            allowed = where(x <= lower + _AT_LIMIT, where(d < 0.0, 0.0, allowed), allowed)
        if upper < _INFINITY:
            allowed = where(x >= upper - _AT_LIMIT, where(d > 0.0, 0.0, allowed), allowed)
        free.append(allowed)
    return free


_INFINITY = float("inf")


def _coordinates(chain: ToolChain, q: Scalars) -> list[Scalar]:
    """The coordinate of each moving rate; 0 for rates of joints without limits."""
    found: list[Scalar] = []
    for node in chain.nodes:
        own = q[node.coordinates]
        found += own if len(own) == 1 else [0.0] * node.joint.motion.rate_count
    return found


def _integrated(chain: ToolChain, length: Scalar, q: Scalars, step: list[Scalar]) -> list[Scalar]:
    """Coordinates after a scaled step, shortened where it is too long, within the limits."""
    size = total(mul(d, d) for d in step)
    long = size > _LONGEST**2
    factor = where(long, div(_LONGEST, sqrt(where(long, size, 1.0))), 1.0)
    values = list(q)
    start = 0
    for node in chain.nodes:
        stop = start + node.joint.motion.rate_count
        own = tuple(
            plain(terms(factor) * d * (length if slides else 1.0))
            for d, slides in zip(step[start:stop], chain.slides[start:stop], strict=True)
        )
        values[node.coordinates] = node.joint.motion.integrate(q[node.coordinates], own)
        if stop == start + 1:
            lower, upper = chain.limits[start]
            values[node.coordinates] = [_clipped(values[node.coordinates][0], lower, upper)]
        start = stop
    return values


def _clipped(x: Scalar, lower: float, upper: float) -> Scalar:
    if lower > -_INFINITY:
        x = where(x < lower, lower, x)
    if upper < _INFINITY:
        x = where(x > upper, upper, x)
    return x
