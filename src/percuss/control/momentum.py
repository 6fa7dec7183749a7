"""Where the momentum of a captured target goes: what joints cannot remove, and how to dump it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.dynamics.composite import total_inertia
from percuss.model.checks import is_positive
from percuss.model.errors import ModelError
from percuss.model.systems import System

_NOTHING = 1e-12
"""N s and N m s below which momentum is rounding."""


@dataclass(frozen=True)
class RestMotion:
    """How a tree moves once its joints are locked: as one rigid body with the momentum it has.

    World axes, arrays of shape (3,); angular quantities about the common centre of mass.
    """

    mass: float
    """kg."""
    center: np.ndarray
    """Centre of mass (m)."""
    inertia: np.ndarray
    """I_c, shape (3, 3), kg m²."""
    linear_momentum: np.ndarray
    """P, N s."""
    angular_momentum: np.ndarray
    """H_c, N m s."""
    spin: np.ndarray
    """ω = I_c⁻¹ H_c, rad/s."""

    @property
    def drift(self) -> np.ndarray:
        """P / m, m/s."""
        return self.linear_momentum / self.mass

    @cached_property
    def energy(self) -> float:
        """½ ω · H_c + P² / 2m (J): at this posture no motion with this momentum has less."""
        turning = 0.5 * float(self.spin @ self.angular_momentum)
        return turning + 0.5 * float(self.linear_momentum @ self.drift)

    @property
    def is_steady(self) -> bool:
        """Whether it turns about a principal axis; else it tumbles: ω changes, H_c does not."""
        across = np.linalg.norm(np.cross(self.spin, self.angular_momentum))
        scale = np.linalg.norm(self.spin) * np.linalg.norm(self.angular_momentum)
        return bool(across <= 1e-9 * scale)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences on the motion that remains; none when nothing moves."""
        said: list[str] = []
        turn, push = _length(self.angular_momentum), _length(self.linear_momentum)
        if turn > _NOTHING:
            way = "turns" if self.is_steady else "tumbles"
            said.append(
                f"With the joints locked the whole {way} at {_length(self.spin):.4g} rad/s: joints "
                f"cannot remove its angular momentum, {turn:.4g} N m s about the centre of mass."
            )
        if push > _NOTHING:
            said.append(
                f"Its centre of mass drifts at {_length(self.drift):.4g} m/s: only forces from "
                f"outside remove the linear momentum, {push:.4g} N s."
            )
        if said:
            said.append(f"{self.energy:.4g} J is the least energy at this posture.")
        return tuple(said)


def rest_motion(
    tree: System, q: Coordinates, linear_momentum: Any, angular_momentum_about_origin: Any
) -> RestMotion:
    """The motion of a tree of given momentum once all its joints are locked at q.

    It turns about its centre of mass c with ω = I_c⁻¹ H_c and drifts with P / m, where
    H_c = H_o - c × P. Any other motion at q with the same momentum is this one plus a motion
    without momentum, and has the kinetic energy of both: so this one has the least.

    Args:
        tree: everything that moves together, on a base that floats; shape of q (nq,).
        linear_momentum: P, N s, world axes; 3 entries, or 2 in the plane.
        angular_momentum_about_origin: H_o about the world's origin, N m s, of the bodies without
            the wheels; 3 entries, or 1 in the plane.
    """
    body = total_inertia(tree, q)
    mass = float(np.asarray(body.mass))
    if not (mass > 0 and math.isfinite(mass)):
        raise ModelError(f"{tree.name!r} has a mass of {mass:g} kg; a body that moves needs some")
    center = np.array([float(np.asarray(x)) for x in body.center_of_mass])
    inertia = np.asarray(body.central_inertia.array(), float)
    push = vector_of(linear_momentum, "linear_momentum (N s)", (0, 1))
    turn = vector_of(angular_momentum_about_origin, "angular_momentum_about_origin (N m s)", (2,))
    about = turn - np.cross(center, push)
    return RestMotion(
        mass=mass,
        center=center,
        inertia=inertia,
        linear_momentum=push,
        angular_momentum=about,
        spin=_spin(inertia, about, tree.name),
    )


def _spin(inertia: np.ndarray, momentum: np.ndarray, name: str) -> np.ndarray:
    """ω with I ω = H; bodies of a plane may have no inertia about axes that lie in it."""
    moments, axes = np.linalg.eigh(inertia)
    along = axes.T @ momentum
    solid = moments > 1e-12 * moments[-1]
    if np.linalg.norm(along[~solid]) > 1e-9 * max(_length(momentum), _NOTHING):
        raise ModelError(
            f"{name!r} has no inertia about an axis along which it has angular momentum: "
            f"moments {moments.tolist()} kg m², momentum {along.tolist()} N m s"
        )
    return axes[:, solid] @ (along[solid] / moments[solid])


# --- momentum dump ------------------------------------------------------------------------------


@dataclass(frozen=True)
class DumpPlan:
    """How long thrusters take to empty the wheels, and what it costs, if nothing loads them."""

    momentum: float
    """|h| that the wheels hold, N m s."""
    torque: float
    """Of the thrusters, N m."""
    lever_arm: float | None = None
    """Of the thrusters' force about the axis of h, m."""

    @property
    def duration(self) -> float:
        """|h| / torque, s."""
        return self.momentum / self.torque

    @property
    def angular_impulse(self) -> float:
        """The angular impulse that the thrusters give (N m s): all that the wheels hold."""
        return self.momentum

    @property
    def propellant_impulse(self) -> float | None:
        """∫ |F| dt = |h| / arm, N s; None without an arm."""
        return None if self.lever_arm is None else self.momentum / self.lever_arm

    @property
    def sentence(self) -> str:
        """A sentence on the momentum, and on what dumping it takes."""
        if self.momentum <= _NOTHING:
            return "The wheels hold no momentum: there is nothing to dump."
        cost = ""
        if self.lever_arm is not None:
            cost = (
                f" and {self.propellant_impulse:.4g} N s of propellant impulse at an arm of "
                f"{self.lever_arm:.4g} m"
            )
        return (
            f"To empty the wheels of {self.momentum:.4g} N m s, thrusters of {self.torque:.4g} N m "
            f"take {self.duration:.4g} s{cost}."
        )


def dump_plan(h: Any, torque: float, lever_arm: float | None = None) -> DumpPlan:
    """The plan to take the momentum h out of the wheels with a torque of thrusters.

    The wheels are turned down as fast as the thrusters hold the base: h(t) = h - torque t along
    h, which is zero after |h| / torque. A force at an arm a has the torque F a, so its impulse
    is |h| / a whatever the force: long arms save propellant, weak thrusters do not.

    Args:
        h: momentum of the wheels, N m s; 3 entries, 1 in the plane, or its size.
        torque: > 0, N m.
        lever_arm: > 0, m, if the propellant's impulse is asked for.
    """
    for value, what in ((torque, "torque (N m)"), (lever_arm, "lever_arm (m)")):
        if value is not None and not is_positive(value):
            raise ModelError(f"{what} must be finite and > 0, got {value!r}")
    size = _length(vector_of(h, "h (N m s)", (2,)))
    return DumpPlan(size, float(torque), None if lever_arm is None else float(lever_arm))


# --- vectors ------------------------------------------------------------------------------------


def vector_of(values: Any, what: str, places: tuple[int, ...]) -> np.ndarray:
    """Three finite numbers in world axes; in the plane only those at `places` may be given."""
    try:
        entries = np.atleast_1d(np.asarray(values, float))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be numbers, got {values!r}") from error
    vector = np.zeros(3)
    if entries.shape == (len(places),):
        vector[list(places)] = entries
    elif entries.shape == (3,):
        vector = entries
    else:
        raise ModelError(
            f"{what} must have 3 entries, or {len(places)} in the plane, got {values!r}"
        )
    if not np.isfinite(vector).all():
        raise ModelError(f"{what} must be finite, got {values!r}")
    return vector


def _length(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector))
