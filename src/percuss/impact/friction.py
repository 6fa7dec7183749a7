"""Dry friction during an instantaneous impact, in impulse space (Routh, Stronge, Batlle).

The normal impulse p grows from zero; nothing moves meanwhile, only velocities change. With the
slip s (tangential) and the normal velocity v of the target's contact point relative to the
chaser's, and the tangential force f per normal force,

    ds/dp = b + T f,    dv/dp = c + b · f,    |f| ≤ μ,

where T, b and c are the blocks of W = J M⁻¹ Jᵀ of both systems together. While the points slide
f = -μ s/|s|. Where slip ends they stick if f = -T⁻¹ b is within the cone, and slide again along
the one direction that leads away from rest otherwise. The impact is over when the work that the
normal impulse gives back is e² times the work that it took in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 8 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Law:
    """Mobility of the contact point by blocks (1/kg), and the two coefficients.

    `tangential` T has shape (d, d) and `coupling` b (d,): d = 1 in the plane, 2 in space.
    """

    tangential: Array
    coupling: Array
    normal: float
    friction: float
    restitution: float

    def along(self, direction: Array) -> tuple[float, float]:
        """How slip in a unit direction changes with p: its speed, and speed times its turning."""
        change = self.coupling - self.friction * self.tangential @ direction
        grows = float(direction @ change)
        turns = float(_left_of(direction) @ change) if len(direction) == 2 else 0.0
        return grows, turns

    def stiffness(self, force: Array) -> float:
        """dv/dp at a tangential force per normal force."""
        return self.normal + float(self.coupling @ force)

    def force_at_rest(self) -> Array:
        """The force per normal force once slip has ended: sticking, or sliding away."""
        sticking = np.asarray(-np.linalg.solve(self.tangential, self.coupling), float)
        if float(np.linalg.norm(sticking)) <= self.friction:
            return sticking
        return -self.friction * self._leaving_direction()

    def _leaving_direction(self) -> Array:
        """The unit vector s with b - μ T s = λ s, λ > 0: the only way out of rest.

        |(μ T + λ)⁻¹ b| falls with λ from more than 1 (or rest would last) to 0, so λ is unique.
        """
        values, axes = np.linalg.eigh(self.tangential)
        pull = axes.T @ self.coupling
        # |(μ T + λ)⁻¹ b| ≥ |b| / (μ max T + λ) bounds λ from below.
        shift = max(float(np.linalg.norm(pull)) - self.friction * float(values[-1]), 0.0)
        for _ in range(100):
            # Newton on 1/|…|, which is concave in λ: from the left it never overshoots.
            resisted = self.friction * values + shift
            size = float(np.linalg.norm(pull / resisted))
            slope = float(np.sum(pull**2 / resisted**3)) / size**3
            step = (1.0 - 1.0 / size) / slope
            shift += step
            if step <= _ROUNDING * shift:
                break
        direction = axes @ (pull / (self.friction * values + shift))
        return direction / np.linalg.norm(direction)


@dataclass(frozen=True)
class Progress:
    """How far an impact has come: impulse (N s), velocities (m/s), work of the normal impulse (J).

    `absorbed` is what compression took, `returned` what restitution has given back.
    """

    slip: Array
    velocity: float
    impulse: float
    tangential_impulse: Array
    absorbed: float = 0.0
    returned: float = 0.0
    over: bool = False

    def owed(self, law: Law) -> float:
        """Work that is still to be given back (J)."""
        return law.restitution**2 * self.absorbed - self.returned


def frictional_impulse(law: Law, slip: Array, velocity: float) -> tuple[float, Array]:
    """Normal and tangential impulse on the target (N s) that end an approach, velocity < 0."""
    # In units of the speed and of the normal mobility every number is about one: work is a
    # square, which might vanish or overflow. Powers of two, so that nothing is rounded.
    speed = _power_of_two(max(-velocity, float(np.max(np.abs(slip)))))
    unit = _power_of_two(law.normal)
    scaled = replace(
        law,
        tangential=law.tangential / unit,
        coupling=law.coupling / unit,
        normal=law.normal / unit,
    )
    state = Progress(slip / speed, velocity / speed, 0.0, np.zeros_like(slip))
    if float(np.linalg.norm(state.slip)) > 0.0:
        state = _slide(scaled, state)
    if not state.over:
        state = straight(scaled, state, scaled.force_at_rest(), math.inf)
    return state.impulse / unit * speed, state.tangential_impulse / unit * speed


def _power_of_two(size: float) -> float:
    return math.ldexp(1.0, math.frexp(size)[1])


def _slide(law: Law, state: Progress) -> Progress:
    """Until slip has ended or the impact is over."""
    from percuss.impact.turning_slip import turning

    direction = state.slip / np.linalg.norm(state.slip)
    if not is_turning(law, direction):
        return straight_slide(law, state)
    return turning(law, state)


def is_turning(law: Law, direction: Array) -> bool:
    """Whether slip in this direction turns, beyond rounding."""
    size = float(np.linalg.norm(law.coupling))
    size += law.friction * float(np.linalg.norm(law.tangential))
    return abs(law.along(direction)[1]) > _ROUNDING * size


def straight_slide(law: Law, state: Progress) -> Progress:
    """Slip along a direction that stays: until it has ended or the impact is over."""
    speed = float(np.linalg.norm(state.slip))
    direction = state.slip / speed
    grows, _ = law.along(direction)
    span = -speed / grows if grows < 0.0 else math.inf
    after = straight(law, state, -law.friction * direction, span)
    return after if after.over else replace(after, slip=np.zeros_like(state.slip))


def straight(law: Law, state: Progress, force: Array, span: float) -> Progress:
    """A constant force per normal force over `span` of normal impulse, or to the end: exact."""
    stiffness = law.stiffness(force)
    at, passed = state, 0.0
    while passed < span and not at.over:
        compressing = at.velocity < 0.0 or (at.velocity == 0.0 and stiffness < 0.0)
        owed = at.owed(law)
        step = _span_of_work(at.velocity, stiffness, owed)
        ends = not compressing and step <= span - passed
        if not ends and (compressing or math.isinf(step)):
            # To zero velocity, where compression ends or, after a while of release, begins.
            step = -at.velocity / stiffness if at.velocity * stiffness < 0.0 else math.inf
        reached = step <= span - passed
        step = step if reached else span - passed
        if math.isinf(step):
            raise ArithmeticError(
                "the contact points never separate: the mobility of the contact is not positive "
                f"definite (normal {law.normal!r}, coupling {law.coupling.tolist()!r} 1/kg)"
            )
        work = step * (at.velocity + 0.5 * stiffness * step)
        velocity = 0.0 if reached and not ends else at.velocity + stiffness * step
        passed = passed + step if reached else span
        at = replace(
            at,
            velocity=velocity,
            absorbed=at.absorbed - work if compressing else at.absorbed,
            returned=at.returned if compressing else at.returned + work,
            over=ends,
        )
    return replace(
        at,
        slip=state.slip + (law.coupling + law.tangential @ force) * passed,
        impulse=state.impulse + passed,
        tangential_impulse=state.tangential_impulse + force * passed,
    )


def _span_of_work(velocity: float, stiffness: float, work: float) -> float:
    """The impulse p > 0 with v p + ½ k p² = work ≥ 0, for v ≥ 0; infinite if there is none."""
    if work <= 0.0:
        return 0.0
    square = velocity**2 + 2.0 * stiffness * work
    if velocity < 0.0 or square < 0.0:
        return math.inf
    size = velocity + math.sqrt(square)
    return 2.0 * work / size if size > 0.0 else math.inf


def _left_of(direction: Array) -> Array:
    return np.array([-direction[1], direction[0]])
