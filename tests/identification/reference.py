"""What sensors show in a run of the simulation, computed without the forward model."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.identification.forward.model import ForwardModel
from percuss.kinematics.frames import frame_acceleration, frame_pose, frame_velocity
from percuss.model.systems import Frame
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate


def simulated(scenario: Scenario, model: ForwardModel) -> np.ndarray:
    """What an independent simulation shows at the model's times, (channels, times)."""
    run = simulate(scenario)
    observation = run.observation
    tree, target = run.assembly.tree, run.assembly.target
    assert tree is not None
    assert target is not None
    chaser, base = run.assembly.chaser, run.assembly.chaser.base.name
    table = np.empty((len(model.channels), len(model.times)))
    q_all, v_all, u_all = states_at(run, model.times)
    for k in range(len(model.times)):
        q, v, u = q_all[:, k], v_all[:, k], u_all[:, k]
        pose = frame_pose(tree, q, base)
        changes = observation.assembly.plant.accelerations(q, v, u)
        com = Frame.point(target.base.name, target.base.com)
        push = frame_acceleration(tree, q, v, changes, frame=com).linear * -target.base.mass
        for j, channel in enumerate(model.channels):
            if channel.part and channel.kind.startswith("joint"):
                node = chaser.node(chaser.joint(channel.part).child)
                source = {"joint": q[node.coordinates], "joint_rate": v[node.rates]}
                value = source.get(channel.kind, u[node.rates])[0]
            elif channel.kind == "base.position":
                value = pose.position.array()[channel.index]
            elif channel.kind == "base.angle":
                value = q[2]
            elif channel.kind == "base.orientation":
                value = q[3 + channel.index]
            elif channel.kind == "gyro":
                value = frame_velocity(tree, q, v, base, reference="body").angular.array()[
                    channel.index
                ]
            elif channel.kind == "tool_force":
                value = push.array()[channel.index]
            else:
                point = Frame.point(target.base.name, model.markers[channel.part].array())
                value = frame_pose(tree, q, point).position.array()[channel.index]
            table[j, k] = value
    return table


def states_at(run: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, rates and commands by integrating the run's own equations with SciPy."""
    from scipy.integrate import solve_ivp

    equations = run.observation.equations
    compiled = equations.compiled
    found = solve_ivp(
        lambda t, x: compiled(t, x)[0],
        (0.0, float(times[-1])),
        equations.start,
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=times,
        max_step=0.05,  # between steps SciPy interpolates, less exactly
    )
    u = np.stack([compiled(t, x)[1] for t, x in zip(times, found.y.T, strict=True)], axis=1)
    slices = equations.slices
    return found.y[slices["q"]], found.y[slices["v"]], u
