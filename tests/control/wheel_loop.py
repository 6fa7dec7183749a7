"""A captured tree under a law, with wheels that fill up and thrusters that empty them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import percuss
from percuss import kernel
from percuss.control import ControlLaw, TreePlant, wheel_limited
from percuss.control.wheels import dump_torques, joints_kept, wheel_rates
from percuss.impact.contact import Contact
from percuss.model import Frame
from tests.control.closed_loop import captured, small_robot, thesis_contact
from tests.impact.captures import placed, random_target
from tests.strategies import Array


@dataclass(frozen=True)
class WheelMotion:
    """One row for each time: coordinates, rates, wheel momentum, external impulse, torques."""

    q: Array
    v: Array
    h: Array
    given: Array
    """Angular impulse of the thrusters, world axes (N m s)."""
    u: Array


def wheel_motion(
    plant: TreePlant,
    law: ControlLaw,
    q: Any,
    v: Any,
    times: Any,
    *,
    h: Any = None,
    capacity: float | None = None,
    torque: float | None = None,
    kept: bool = False,
    tolerance: float = 1e-12,
) -> WheelMotion:
    """The motion by DOP853; `kept`: joints accelerate as without the limit."""
    ends = np.cumsum([plant.coordinate_count, plant.rate_count])
    count = len(wheel_rates(plant, np.zeros(plant.own_rates)))

    def rates(t: Any, x: Any) -> tuple[Any, Any]:
        q, v, stored, _ = np.split(x, [*ends, ends[-1] + count])
        u, _ = law.command(t, q, v, law.memory)
        d = np.zeros(plant.own_rates) if torque is None else dump_torques(plant, stored, torque)
        asked = np.asarray(u)
        if capacity is not None:
            u = wheel_limited(plant, asked - d, stored, capacity) + d
            u = joints_kept(plant, q, asked, u) if kept else u
        change = percuss.coordinate_rates(plant.system, q, v)
        u = np.asarray(u)
        parts = [change, plant.accelerations(q, v, u), wheel_rates(plant, u - d)]
        return np.concatenate([*parts, -wheel_rates(plant, d)]), u

    start = np.concatenate([q, v, np.zeros(count) if h is None else h, np.zeros(count)])
    step = kernel.compile(rates, 0.0, start)
    found = solve_ivp(
        lambda t, x: step(t, x)[0],
        (0.0, times[-1]),
        start,
        method="DOP853",
        t_eval=times,
        rtol=max(tolerance, 3e-14),
        atol=tolerance,
    )
    assert found.success, found.message
    q, v, h, given = np.split(found.y.T, [*ends, ends[-1] + count], axis=1)
    u = np.array([step(t, x)[1] for t, x in zip(times, found.y.T, strict=True)])
    return WheelMotion(q, v, h, given, u)


def spatial_contact(mode: str) -> Contact:
    """A three-joint robot in space, at work, touches a tumbling target."""
    rng = np.random.default_rng(4)
    robot = small_robot(mode, joints=3)
    q = percuss.neutral(robot).astype(float)
    q[-3:] = 0.4, -0.7, 0.9
    v = 0.1 * rng.normal(size=robot.rate_count)
    target = random_target(rng, False, robot.gravity)
    grip = Frame("touched", "target", percuss.Pose.at((0.3, -0.2, 0.1)))
    tool = robot.frame("tool")
    place = placed(target, grip, percuss.frame_pose(robot, q, tool).position, rng)
    return Contact(
        chaser=robot,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=q,
        chaser_rates=v,
        target_coordinates=place,
        target_rates=0.3 * rng.normal(size=6),
    )


def captured_plant(mode: str, closure: str, planar: bool) -> tuple[TreePlant, Array, Array]:
    """The plant after a capture in the plane or in space, its coordinates and rates."""
    contact = thesis_contact() if planar else spatial_contact(mode)
    if planar:
        contact = replace(contact, chaser=contact.chaser.with_mode(mode))
    attachment, q, v, _ = captured(contact, closure)
    plant = TreePlant(attachment.joined, contact.chaser.rate_count)
    return plant, np.asarray(q, float), np.asarray(v, float)
