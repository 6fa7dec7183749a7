"""A planar robot that catches a target, computed on its own in complex numbers.

Nothing of the program's dynamics and impacts is used. A body whose centre of mass is at
p + Σ_k d_k exp(i θ_k), θ_k the angles of base, links and target in the world, moves with
p' + Σ_k i d_k exp(i θ_k) θ_k'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP = 0.02
"""Longest step of the integration (s)."""
TURN = 0.01
"""By how much the fastest angle turns in a step at most (rad): arms that snap through a stretched
pose need shorter steps."""


def pair(z: complex) -> list[float]:
    return [float(z.real), float(z.imag)]


@dataclass(frozen=True)
class Robot:
    """A base and slender links just before the impact; SI, angles of joints in rad."""

    lengths: tuple[float, ...] = (2.0, 3.0)
    masses: tuple[float, ...] = (10.0, 10.0)
    base_mass: float = 100.0
    base_inertia: float = 50.0
    mount: complex = 0j
    position: complex = 1 + 2j
    angle: float = np.pi / 2
    joints: tuple[float, ...] = (0.0, 0.0)
    linear: complex = 0j
    angular: float = 0.0
    joint_rates: tuple[float, ...] = (0.0, 0.0)
    fixed: bool = False

    def described(self) -> dict[str, object]:
        """As a scenario's chaser."""
        links = [
            {"length": length, "mass": mass}
            for length, mass in zip(self.lengths, self.masses, strict=True)
        ]
        found: dict[str, object] = {
            "mode": "fixed" if self.fixed else "free-flying",
            "arm": links,
            "position": pair(self.position),
            "angle": self.angle,
            "joints": list(self.joints),
            "mount": pair(self.mount),
            "base": {"mass": self.base_mass, "inertia": self.base_inertia},
            "velocity": {
                "linear": pair(self.linear),
                "angular": self.angular,
                "joints": list(self.joint_rates),
            },
        }
        if self.fixed:
            del found["base"], found["velocity"]
        return found


@dataclass(frozen=True)
class _Chain:
    """Bodies on one branch: `arms` (bodies, angles, batch), masses and inertias (…, batch)."""

    arms: NDArray[np.complex128]
    mass: Array
    inertia: Array
    """(angles, batch), what turns with each angle."""
    held: int
    """Coordinates that cannot move, from the first: x, y and the base's angle, or none."""

    def jacobian(self, angles: Array) -> NDArray[np.complex128]:
        """Of the centres of mass by x, y and the angles (bodies, 2 + angles, batch)."""
        turned = 1j * self.arms * np.exp(1j * angles)
        ones = np.ones_like(turned[:, :1])
        return np.concatenate([ones, 1j * ones, turned], axis=1)

    def matrix(self, J: NDArray[np.complex128]) -> Array:
        """Of generalized masses (batch, c, c)."""
        table = np.einsum("bcm,bdm->mcd", self.mass[:, None] * J.conj(), J).real
        places = np.arange(2, table.shape[1])
        table[:, places, places] += self.inertia.T
        return table

    def solved(self, table: Array, force: Array) -> Array:
        """Rates (c, batch) with what is held left where it is."""
        found = np.zeros_like(force)
        free = slice(self.held, None)
        right = force[free].T[..., None]
        found[free] = np.linalg.solve(table[:, free, free], right)[..., 0].T
        return found

    def accelerations(self, angles: Array, rates: Array) -> Array:
        J = self.jacobian(angles)
        inward = -np.einsum("bkm,km->bm", self.arms * np.exp(1j * angles), rates[2:] ** 2 + 0j)
        push = -np.einsum("bcm,bm->cm", J.conj(), self.mass * inward).real
        return self.solved(self.matrix(J), push)


@dataclass(frozen=True)
class _After:
    """Just after the impact: coordinates x, y and angles (c, batch), their rates, when it was."""

    chain: _Chain
    coordinates: Array
    rates: Array
    time: Array


Body = Mapping[str, NDArray[Any]]
"""A batch of targets: mass, inertia, time of the impact, velocity `linear` of the centre of mass
(complex), `angular`, and `arm`, from the contact point to the centre of mass in the world
(complex); each (batch,)."""


def motion(
    robot: Robot, closure: str, body: Body, times: Sequence[float], shown: Sequence[str]
) -> Array:
    """What the sensors show (channels, times, batch).

    Nothing drives the robot after the impact; before it the robot keeps its pose.
    """
    return _sampled(_impact(robot, closure, body), times, shown)


def tool_after(robot: Robot, closure: str, body: Body) -> complex:
    """Velocity of the tool just after the impact (m/s), of the first of a batch."""
    after = _impact(robot, closure, body)
    links = len(robot.lengths)
    arms = np.array([robot.mount, *robot.lengths]) + 0j
    turned = 1j * arms * np.exp(1j * after.coordinates[2 : 3 + links, 0])
    u = after.rates[:, 0]
    return complex(u[0] + 1j * u[1] + turned @ u[2 : 3 + links])


def _impact(robot: Robot, closure: str, body: Body) -> _After:
    """The momenta of all bodies before it, projected on the motions of robot and target joined."""
    batch, links = len(body["mass"]), len(robot.lengths)
    angles = np.cumsum([robot.angle, *robot.joints])
    rates = np.cumsum([robot.angular, *robot.joint_rates])
    pinned = closure == "pin"
    count = links + 1 + pinned
    arms = np.zeros((links + 2, count, batch), complex)
    arms[1:, 0] = robot.mount
    for k, length in enumerate(robot.lengths, 1):
        arms[k, k] = length / 2
        arms[k + 1 :, k] = length
    if pinned:
        arms[-1, -1] = body["arm"]
        angles, rates = np.append(angles, 0.0), np.append(rates, 0.0)
    else:
        arms[-1, -1] = arms[-1, -1] + body["arm"] * np.exp(-1j * angles[-1])
    rods = [m * s**2 / 12 for m, s in zip(robot.masses, robot.lengths, strict=True)]
    own = np.array([robot.base_inertia, *rods])
    inertia = np.zeros((count, batch))
    inertia[: links + 1] = own[:, None]
    inertia[-1] += body["inertia"]
    mass = np.array([robot.base_mass, *robot.masses])[:, None] * np.ones(batch)
    held = 3 if robot.fixed else 0
    chain = _Chain(arms, np.concatenate([mass, body["mass"][None]]), inertia, held)
    turned = np.tile(angles[:, None], batch)
    J = chain.jacobian(turned)
    before = np.concatenate([[robot.linear.real, robot.linear.imag], rates])
    velocities = np.einsum("bcm,c->bm", J, before)
    velocities[-1] = body["linear"]
    spin = np.zeros((2 + count, batch))
    spin[2 : 3 + links] = own[:, None] * rates[: links + 1, None]
    spin[-1] += body["inertia"] * body["angular"]
    momentum = np.einsum("bcm,bm->cm", J.conj(), chain.mass * velocities).real + spin
    place = np.array(pair(robot.position))[:, None] * np.ones(batch)
    return _After(
        chain,
        np.concatenate([place, turned]),
        chain.solved(chain.matrix(J), momentum),
        body["time"],
    )


def _sampled(after: _After, times: Sequence[float], shown: Sequence[str]) -> Array:
    """Classical Runge–Kutta from sample to sample, each of the batch from its own impact on."""

    q, u = after.coordinates, after.rates

    def change(q: Array, u: Array) -> tuple[Array, Array]:
        return u, after.chain.accelerations(q[2:], u)

    found = np.empty((len(shown), len(times), q.shape[1]))
    last = np.zeros(q.shape[1])
    for k, time in enumerate(times):
        now = np.maximum(time - after.time, 0.0)
        most = max(1.0 / STEP, float(np.abs(u[2:]).max()) / TURN)
        pieces = max(1, int(np.ceil((now - last).max() * most - 1e-9)))
        h = (now - last) / pieces
        last = now
        for _ in range(pieces):
            a, b = change(q, u)
            c, d = change(q + h / 2 * a, u + h / 2 * b)
            e, f = change(q + h / 2 * c, u + h / 2 * d)
            g, i = change(q + h * e, u + h * f)
            q = q + h / 6 * (a + 2 * c + 2 * e + g)
            u = u + h / 6 * (b + 2 * d + 2 * f + i)
        for row, name in enumerate(shown):
            kind, _, part = name.partition(".")
            if kind == "joint":
                found[row, k] = q[2 + int(part)] - q[1 + int(part)]
            else:
                found[row, k] = q[["x", "y", "angle"].index(part)]
    return found
