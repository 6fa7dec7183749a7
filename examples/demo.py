"""A seven-joint arm swings on a free satellite, catches a drifting cube, and swings back.

Nothing pushes the satellite: every newton is internal, so the base turns under the arm while
the momentum of the whole stays what it was. Run with `make demo`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sympy
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from scipy.integrate import solve_ivp

import percuss

OUT = Path("out/demo")
console = Console(highlight=False)


def main() -> None:
    started = time.perf_counter()
    one_physics()
    arm, cube = percuss.robot("demo-7"), percuss.robot("cube")
    flight = fly(arm, cube)
    report(flight)
    OUT.mkdir(parents=True, exist_ok=True)
    picture(flight, OUT / "free_floating.png")
    console.print(f"\nPicture: [bold]{OUT / 'free_floating.png'}[/bold]")
    console.print(f"Done in {time.perf_counter() - started:.0f} s. Next, or see README.md:")
    console.print(".venv/bin/percuss robots")


def one_physics() -> None:
    """The same function on numbers and on symbols."""
    console.rule("[bold]One physics, any scalar")
    thesis = percuss.robot("thesis")
    q = [1.0, 2.0, np.pi / 2, 0.0, 0.0]
    console.print("Mass matrix of the planar two-link arm on a free base, by numbers:")
    console.print(np.array2string(percuss.mass_matrix(thesis, q), precision=4, suppress_small=True))
    x, y, angle, q1, q2, m = sympy.symbols("x y theta q1 q2 m")
    loaded = thesis.with_parameters({"link2.mass": m})
    matrix = percuss.mass_matrix(loaded, [x, y, angle, q1, q2])
    console.print("The same call with symbols, link 2 of mass m:")
    console.print(f"M(joint 1, joint 2) = {sympy.nsimplify(sympy.expand(matrix[3, 4]))}\n")


@dataclass(frozen=True)
class Leg:
    """A stretch of motion of one system: times (s), coordinates and rates by row."""

    system: percuss.System
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray


@dataclass(frozen=True)
class Flight:
    """Swing out with the cube drifting beside the hand, catch it, swing back."""

    out: Leg
    cube: Leg
    back: Leg
    attachment: percuss.Attachment


def fly(arm: percuss.System, cube: percuss.System) -> Flight:
    console.rule("[bold]A free satellite moves its arm")
    start = percuss.neutral(arm)
    reach = np.array([0.6, 0.9, 0.3, 1.1, -0.4, 0.7, 0.2])
    at_rest = np.zeros(arm.rate_count)
    out = move(arm, start, at_rest, reach, 0.05 * reach, 20.0, "reaching out")

    # The cube is where the hand ends up and moves with it: a catch without an impact.
    q, v = out.q[-1], out.v[-1]
    tool = percuss.frame_pose(arm, q, "tool")
    grip = cube.frame("grip").placement
    facing = percuss.Pose.at(rpy=(0.0, np.pi / 2, 0.0))  # its grip looks at the palm
    seat = tool @ facing @ grip.inverse()
    hand = percuss.frame_velocity(arm, q, v, percuss.Frame("seat", "link7", _seen(arm, q, seat)))
    q_cube = np.array(cube.base_joint.motion.coordinates(seat))
    v_cube = hand.array()

    relative = percuss.relative_pose(arm, q, "tool", cube, q_cube)
    attachment = percuss.attach(arm, cube, "tool", relative, joint="fixed")
    q_joined = percuss.join_configuration(attachment, q, q_cube)
    v_joined = percuss.join_velocity(attachment, q_joined, v, v_cube)
    home = -0.4 * reach
    stop = np.zeros(7)
    back = move(attachment.joined, q_joined, v_joined, home, stop, 30.0, "carrying the cube")
    drift = Leg(cube, out.time, *_backwards(cube, q_cube, v_cube, out.time))
    return Flight(out, drift, back, attachment)


def move(
    system: percuss.System,
    q: Any,
    v: Any,
    goal: np.ndarray,
    goal_speed: np.ndarray,
    duration: float,
    title: str,
) -> Leg:
    """Joint motors follow a smooth path to a goal; the base is left alone."""
    nq, joints, angles = system.coordinate_count, slice(6, 13), slice(7, 14)
    ends = (q[angles], v[joints], goal, goal_speed)

    def motor_torques(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        # The wanted joint accelerations, the base accelerations they cause (no force acts on
        # the base), and the joint torques that go with both.
        wanted = path_acceleration(*ends, duration, t)
        mass, bias = percuss.mass_matrix(system, q), percuss.bias_forces(system, q, v)
        base = np.linalg.solve(mass[:6, :6], -bias[:6] - mass[:6, joints] @ wanted)
        tau = np.zeros(system.rate_count)
        tau[joints] = (mass @ np.concatenate([base, wanted]) + bias)[joints]
        return tau

    def rate_of_change(t: float, state: np.ndarray) -> np.ndarray:
        q, v = state[:nq], state[nq:]
        acceleration = percuss.forward_dynamics(system, q, v, motor_torques(t, q, v))
        return np.concatenate([percuss.coordinate_rates(system, q, v), acceleration])

    columns = (
        TextColumn("{task.description:>18}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=duration)

        def watched(t: float, state: np.ndarray) -> np.ndarray:
            progress.update(task, completed=max(t, progress.tasks[0].completed))
            return rate_of_change(t, state)

        times = np.linspace(0.0, duration, 61)
        solution = solve_ivp(
            watched,
            (0.0, duration),
            np.concatenate([q, v]),
            "DOP853",
            times,
            rtol=1e-11,
            atol=1e-13,
        )
        progress.update(task, completed=duration)
    if not solution.success:
        raise RuntimeError(solution.message)
    return Leg(system, times, solution.y[:nq].T, solution.y[nq:].T)


def path_acceleration(
    start: np.ndarray,
    start_speed: np.ndarray,
    goal: np.ndarray,
    goal_speed: np.ndarray,
    duration: float,
    t: float,
) -> np.ndarray:
    """Second derivative of the quintic between two states, zero at both ends (rad/s²)."""
    s = t / duration
    from_way = (goal - start) * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    from_start = start_speed * (-36 * s + 96 * s**2 - 60 * s**3) / duration
    from_goal = goal_speed * (-24 * s + 84 * s**2 - 60 * s**3) / duration
    return from_way + from_start + from_goal


def report(flight: Flight) -> None:
    """What a roboticist would check."""
    out, back, cube = flight.out, flight.back, flight.cube
    turned = np.degrees(np.linalg.norm(percuss.difference(out.system, out.q[0], out.q[-1])[3:6]))
    moved = np.linalg.norm(out.q[-1][:3] - out.q[0][:3])
    console.print(f"Reaching out turned the satellite by {turned:.2f}° and moved it {moved:.3f} m.")
    drift = np.abs(momenta(out)).max()
    console.print(
        f"Momentum of satellite and arm, zero at the start, stayed within {drift:.1e} N s.\n"
    )

    console.rule("[bold]It catches a 100 kg cube that drifts along")
    apart = momenta(out)[-1] + momenta(cube)[-1]
    together = momenta(back)
    rows = [
        (
            "mass, kg",
            percuss.total_mass(out.system) + percuss.total_mass(cube.system),
            percuss.total_mass(back.system),
        ),
        ("linear momentum, N s", np.linalg.norm(apart[:3]), np.linalg.norm(together[0][:3])),
        ("angular momentum, N m s", np.linalg.norm(apart[3:]), np.linalg.norm(together[0][3:])),
        ("kinetic energy, J", energy(out)[-1] + energy(cube)[-1], energy(back)[0]),
    ]
    console.print(f"{'':26}{'two systems':>16}{'one tree':>16}{'difference':>14}")
    for name, before, after in rows:
        console.print(f"{name:26}{before:16.10f}{after:16.10f}{after - before:14.1e}")
    change = np.abs(together - together[0]).max()
    console.print(
        f"\nCarrying it for 30 s changed no component of momentum by more than {change:.1e}."
    )


def momenta(leg: Leg) -> np.ndarray:
    """Linear and angular momentum about the world origin, one row per time."""
    return np.array(
        [percuss.momentum(leg.system, q, v).array() for q, v in zip(leg.q, leg.v, strict=True)]
    )


def energy(leg: Leg) -> np.ndarray:
    return np.array(
        [percuss.kinetic_energy(leg.system, q, v) for q, v in zip(leg.q, leg.v, strict=True)]
    )


def picture(flight: Flight, path: Path) -> None:
    """Strobe view of the capture, the satellite's turn, and the momentum that stays."""
    figure = plt.figure(figsize=(12, 6.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1])
    scene = figure.add_subplot(grid[:, 0], projection="3d")
    frames = [(flight.out, k, 0.15 + 0.3 * k / 60) for k in (0, 12, 24)]
    frames += [(flight.out, 60, 1.0), (flight.cube, 60, 1.0)]
    frames += [(flight.cube, 30, 0.3)]
    for leg, k, alpha in frames:
        draw(scene, leg.system, leg.q[k], alpha)
    scene.set(xlabel="x, m", ylabel="y, m", zlabel="z, m", title="Reaching for a drifting cube")
    scene.set(xlim=(-0.8, 2.6), ylim=(-1.2, 2.2), zlim=(-0.8, 2.6))
    scene.set_box_aspect((1, 1, 1))
    scene.view_init(elev=20, azim=-58)

    times = np.concatenate([flight.out.time, flight.out.time[-1] + flight.back.time])
    turn = figure.add_subplot(grid[0, 1])
    for leg, shift in ((flight.out, 0.0), (flight.back, flight.out.time[-1])):
        angles = np.array(
            [
                np.degrees(percuss.difference(leg.system, flight_start(flight, leg), q)[3:6])
                for q in leg.q
            ]
        )
        for axis, color in zip(range(3), ("C0", "C1", "C2"), strict=True):
            label = f"about {'xyz'[axis]}" if shift == 0.0 else None
            turn.plot(shift + leg.time, angles[:, axis], color=color, label=label)
    turn.axvline(flight.out.time[-1], color="0.6", lw=0.8)
    turn.set(ylabel="turn of the satellite, deg", title="Nothing pushes it, yet it turns")
    turn.legend(frameon=False)

    whole = np.concatenate([momenta(flight.out) + momenta(flight.cube), momenta(flight.back)])
    drift = figure.add_subplot(grid[1, 1], sharex=turn)
    residual = np.abs(whole - whole[0]).max(axis=1)
    drift.semilogy(times, np.maximum(residual, 1e-17), color="C3")
    drift.axvline(flight.out.time[-1], color="0.6", lw=0.8)
    drift.text(flight.out.time[-1] + 0.5, 3e-17, "caught", color="0.4")
    drift.set(
        xlabel="time, s",
        ylabel="N s, N m s",
        title="Change of total momentum, all three together",
        ylim=(1e-17, 1e-6),
    )
    figure.savefig(path, dpi=130)
    plt.close(figure)


def flight_start(flight: Flight, leg: Leg) -> np.ndarray:
    """The satellite's first pose, written as coordinates of the leg's system."""
    reference = leg.q[0].copy()
    reference[:7] = flight.out.q[0][:7]
    return reference


def draw(axes: Any, system: percuss.System, q: np.ndarray, alpha: float) -> None:
    """Boxes as solids, an arm as a line through its joints."""
    found = percuss.poses(system, q)
    for body in system.bodies:
        for visual in body.visuals:
            if visual.shape == "box":
                _solid_box(axes, (found[body.name] @ visual.placement), visual.size, alpha)
    if "tool" in found:
        chain = [found[f"link{k}"].position.array() for k in range(1, 8)]
        line = np.array([*chain, found["tool"].position.array()])
        axes.plot(*line.T, "-o", color="C0", lw=3, ms=4, alpha=alpha, solid_capstyle="round")


def _solid_box(axes: Any, pose: percuss.Pose, size: Any, alpha: float) -> None:
    half = np.array(size) / 2
    color = "0.45" if half[2] > half[0] else "C1"
    faces: list[np.ndarray] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = np.full((4, 3), side)
            face[:, [k for k in range(3) if k != axis]] = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            corners = [pose.act(percuss.Vector3.of(corner)).array() for corner in face * half]
            faces.append(np.array(corners))
    axes.add_collection3d(
        Poly3DCollection(faces, facecolor=color, edgecolor="0.2", lw=0.7, alpha=0.45 * alpha)
    )


def _seen(arm: percuss.System, q: np.ndarray, pose: percuss.Pose) -> percuss.Pose:
    return percuss.frame_pose(arm, q, "link7").act_inverse(pose)


def _backwards(
    cube: percuss.System, q: Any, v: Any, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A homogeneous cube coasts and spins at constant rates: where it came from."""
    earlier = [percuss.integrate(cube, q, v, t - times[-1]) for t in times]
    return np.array(earlier), np.array([v] * len(times))


if __name__ == "__main__":
    main()
