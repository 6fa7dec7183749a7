"""Contact histories by other means: Pinocchio, Newton and Euler, and an implicit integrator.

Nothing here uses the dynamics, the contact laws or the integrators of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from percuss.model import System
from tests.oracles import to_pinocchio

pin: Any = import_module("pinocchio")
Array = np.ndarray


def quaternion_matrix(w: float, x: float, y: float, z: float) -> Array:
    """World ← body."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_rate(p: Array, omega: Array) -> Array:
    """ṗ = ½ (0, ω) p with ω in world axes."""
    w, v = p[0], p[1:]
    return 0.5 * np.concatenate([[-omega @ v], w * omega + np.cross(omega, v)])


class Reference:
    """A chaser in Pinocchio and a rigid target by Newton and Euler, with a force between them.

    `law(point, velocity)` gives the force on the tool in the target's axes from where the tool is
    and how it moves as seen from the target (m, m/s).
    """

    def __init__(
        self,
        chaser: System,
        tool_body: str,
        tool_at: Any,
        mass: float,
        inertia: Any,
        law: Callable[[Array, Array], Array],
    ) -> None:
        self.planar = chaser.is_planar
        self.twin = to_pinocchio(chaser)
        self.data = self.twin.model.createData()
        self.frame = self.twin.frame_ids[tool_body]
        self.at = np.asarray(tool_at, float)
        self.mass, self.law = mass, law
        self.inertia = np.asarray(inertia, float)
        self.nq, self.nv = chaser.coordinate_count, chaser.rate_count

    def tool(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and Jacobian (3, nv) of the tool's point, world axes."""
        model, data = self.twin.model, self.data
        theirs = self.twin.coordinates(q)
        pin.computeJointJacobians(model, data, theirs)
        pin.updateFramePlacements(model, data)
        place = data.oMf[self.frame]
        J = pin.getFrameJacobian(model, data, self.frame, pin.LOCAL_WORLD_ALIGNED)
        arm = place.rotation @ self.at
        J = (J[:3] - pin.skew(arm) @ J[3:]) @ self.twin.rate_matrix(q)
        return place.translation + arm, J @ v, J

    def target(self, y: Array) -> tuple[Array, Array, Array, Array]:
        """Centre, rotation, velocity and angular velocity, world axes."""
        place, moving = (
            y[self.nq + self.nv :][: self._places],
            y[self.nq + self.nv + self._places :],
        )
        if self.planar:
            c, s = np.cos(place[2]), np.sin(place[2])
            turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
            return (
                np.array([place[0], place[1], 0.0]),
                turn,
                np.array([moving[0], moving[1], 0.0]),
                np.array([0.0, 0.0, moving[2]]),
            )
        p = place[3:] / np.linalg.norm(place[3:])
        return place[:3], quaternion_matrix(*p), moving[:3], moving[3:]

    @property
    def _places(self) -> int:
        return 3 if self.planar else 7

    def force(self, y: Array) -> tuple[Array, Array, Array]:
        """On the tool (N, world axes), where it acts, and the tool seen from the target."""
        q, v = y[: self.nq], y[self.nq : self.nq + self.nv]
        at, moving, _ = self.tool(q, v)
        center, turn, speed, omega = self.target(y)
        seen = turn.T @ (at - center)
        relative = turn.T @ (moving - speed - np.cross(omega, at - center))
        return turn @ self.law(seen, relative), at, seen

    def rates(self, t: float, y: Array) -> Array:
        del t
        q, v = y[: self.nq], y[self.nq : self.nq + self.nv]
        force, at, _ = self.force(y)
        _, _, J = self.tool(q, v)
        tau = self.twin.forces(q, J.T @ force)
        their_q, their_v = self.twin.coordinates(q), self.twin.rates(q, v)
        a = pin.aba(self.twin.model, self.data, their_q, their_v, tau)
        own = self.twin.accelerations_back(q, v, a)
        if self.planar:
            dq = v
        else:
            spin = quaternion_rate(q[3:7], v[3:6])
            dq = np.concatenate([v[:3], spin, v[6:]])
        center, turn, speed, omega = self.target(y)
        moment = np.cross(at - center, -force)
        if self.planar:
            push = np.array([*(-force[:2] / self.mass), moment[2] / float(self.inertia)])
            return np.concatenate([dq, own, [speed[0], speed[1], omega[2]], push])
        tensor = turn @ self.inertia @ turn.T
        turning = np.linalg.solve(tensor, moment - np.cross(omega, tensor @ omega))
        place = y[self.nq + self.nv :][:7]
        moved = np.concatenate([speed, quaternion_rate(place[3:], omega)])
        return np.concatenate([dq, own, moved, -force / self.mass, turning])

    def history(self, start: Array, times: Array, method: str = "DOP853") -> Array:
        """States (entries, times)."""
        found = solve_ivp(
            self.rates,
            (times[0], times[-1]),
            start,
            method,
            times,
            rtol=1e-12,
            atol=1e-13,
            max_step=float(times[-1] - times[0]) / 50,
        )
        assert found.success, found.message
        return found.y
