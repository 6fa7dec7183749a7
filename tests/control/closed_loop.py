"""Closed loops for the tests: a plant under a law, integrated tightly on compiled dynamics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import percuss
from percuss import kernel
from percuss.control import ControlLaw, TreePlant
from percuss.impact.closures import pin, pinned, weld
from percuss.impact.contact import Contact
from percuss.model import WORLD, Body, Fixed, Frame, Free, Joint, Revolute
from tests.strategies import Array

GOAL = np.array([1.0, 2.0, math.pi / 2, 0.0, 0.0])
"""The thesis's initial pose, where its controller returns to."""


def motion(
    plant: TreePlant, law: ControlLaw, q: Any, v: Any, times: Any, *, tolerance: float = 1e-12
) -> tuple[Array, Array, Array]:
    """Coordinates, rates and commands at the times, one row for each, by DOP853."""
    nq = plant.coordinate_count
    step = kernel.compile(
        lambda t, x: _rates(plant, law, t, x), 0.0, np.zeros(nq + plant.rate_count)
    )

    def rates(t: float, x: Array) -> Array:
        return step(t, x)[0]

    found = solve_ivp(
        rates,
        (0.0, times[-1]),
        np.concatenate([q, v]),
        method="DOP853",
        t_eval=times,
        rtol=max(tolerance, 3e-14),
        atol=tolerance,
    )
    assert found.success, found.message
    commands = np.array([step(t, x)[1] for t, x in zip(times, found.y.T, strict=True)])
    return found.y[:nq].T, found.y[nq:].T, commands


def _rates(plant: TreePlant, law: ControlLaw, t: Any, x: Any) -> tuple[Any, Any]:
    q, v = x[: plant.coordinate_count], x[plant.coordinate_count :]
    u, _ = law.command(t, q, v, law.memory)
    change = percuss.coordinate_rates(plant.system, q, v)
    return np.concatenate([change, plant.accelerations(q, v, u)]), np.asarray(u)


def errors(plant: TreePlant, goal: Any, q: Array) -> Array:
    """The plant's error at each row of coordinates."""
    return np.array([plant.error(goal, row) for row in q])


def linear_error(e: Array, rate: Array, kp: float, kd: float, times: Array) -> Array:
    """e(t) of ë + kd ė + kp e = 0 in closed form, one row for each time."""
    t = np.asarray(times)[:, None]
    half = 0.5 * kd
    spread = half**2 - kp
    decay = np.exp(-half * t)
    if abs(spread) < 1e-12:
        return decay * (e + (rate + half * e) * t)
    if spread > 0:
        root = math.sqrt(spread)
        return decay * (e * np.cosh(root * t) + (rate + half * e) * np.sinh(root * t) / root)
    root = math.sqrt(-spread)
    return decay * (e * np.cos(root * t) + (rate + half * e) * np.sin(root * t) / root)


def thesis_contact() -> Contact:
    """Simulation 1 of the thesis: the object meets the tool at -1 m/s in x."""
    robot = percuss.robot("thesis")
    target = percuss.robot("thesis-target").prefixed("target_")
    place = np.array([1.0, 8.0, math.pi / 2 + math.pi - 0.5])
    return Contact(
        chaser=robot,
        target=target,
        tool=robot.frame("tool"),
        grip=target.frame("target_grip"),
        chaser_coordinates=GOAL,
        chaser_rates=np.zeros(5),
        target_coordinates=place,
        target_rates=np.array([-1.0, 0.0, 0.0]),
    )


def captured(contact: Contact, closure: str) -> tuple[percuss.Attachment, Array, Array, Any]:
    """The tree after the capture, its coordinates and rates, and the jump."""
    attachment = pinned(contact) if closure == "pin" else contact.attached("fixed")
    jump = (pin if closure == "pin" else weld)(contact)
    q = percuss.join_configuration(
        attachment, contact.chaser_coordinates, contact.target_coordinates
    )
    v = percuss.join_velocity(attachment, q, jump.chaser_rates, jump.target_rates)
    return attachment, q, v, jump


def small_robot(mode: str, joints: int = 2) -> percuss.System:
    """A box in space with an arm that bends about different axes."""
    axes = [(0.0, 1.0, 0.0), (1.0, 0.0, 0.3), (0.0, 0.0, 1.0)]
    base = Fixed() if mode == "fixed" else Free()
    bodies = [Body("base", 20.0, (0.1, 0.0, 0.05), (3.0, 4.0, 5.0))]  # type: ignore[arg-type]
    links = [Joint("base", base, WORLD, "base")]
    for k in range(joints):
        name = f"link{k + 1}"
        bodies.append(Body(name, 3.0, (0.3, 0.05, 0.0), (0.2, 0.4, 0.3)))  # type: ignore[arg-type]
        placement = percuss.Pose.at((0.5, 0.1, 0.2) if k == 0 else (0.7, 0.0, 0.0))
        links.append(
            Joint(
                name=f"joint{k + 1}",
                motion=Revolute(axes[k % 3]),
                parent=bodies[-2].name,
                child=name,
                placement=placement,
            )
        )
    tool = Frame("tool", bodies[-1].name, percuss.Pose.at((0.7, 0.0, 0.0)))
    return percuss.System(
        name="small robot",
        bodies=tuple(bodies),
        joints=tuple(links),
        frames=(tool,),
        mode=mode,  # type: ignore[arg-type]
    )
