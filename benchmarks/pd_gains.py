"""Where the modes of a PD law lie when its gains come from a frequency: three inertias compared.

    python -m benchmarks.pd_gains

Prints the table of docs/theory/control.md: frequencies and poles in units of the frequency asked
for, with a damping ratio of 1, of library robots in random poses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

import percuss
from percuss.control import TreePlant
from percuss.impact.contact import Contact
from percuss.kinematics.frames import frame_pose

Array = NDArray[np.float64]

ROBOTS = (
    *("thesis", "papadopoulos", "air-bearing-3r", "two-arms", "demo-7", "demo-6", "iiwa-14"),
    *("ssrms", "srms", "ets-vii", "frend", "e-deorbit-like", "orbital-express-like", "spdm-like"),
)
POSES = 8
HEAVY = 10.0
"""Mass of the target, by that of the chaser."""
MOST = 20e3
"""Mass (kg) at which a chaser counts at most: a space station is no measure of a target."""


def main() -> None:
    """Print the table."""
    draw = np.random.default_rng(1)
    for grasp in ("nothing", "fixed", "pin"):
        found: dict[str, list[Array]] = {}
        for plant, q in plants(grasp, draw):
            for name, spread in modes(plant, q).items():
                found.setdefault(name, []).append(spread)
        print(f"free-floating, in the hand: {grasp}")
        for name, rows in found.items():
            slowest, fastest, decay = np.array(rows).T
            print(
                f"  {name:12} slowest mode {np.median(slowest):8.2g} ({slowest.min():8.2g})"
                f"  fastest pole {np.median(fastest):8.2g} ({fastest.max():8.2g})"
                f"  slowest decay {np.median(decay):8.2g} ({decay.min():8.2g})"
            )


def plants(grasp: str, draw: np.random.Generator) -> Iterator[tuple[TreePlant, Array]]:
    """Free-floating robots in random poses, with what they hold."""
    for name in ROBOTS:
        robot = percuss.robot(name).with_mode("free-floating")
        base = 3 if robot.is_planar else 6
        for _ in range(POSES):
            step = draw.uniform(-np.pi, np.pi, robot.rate_count)
            step[:base] = 0.0
            q = np.asarray(percuss.integrate(robot, percuss.neutral(robot), step), float)
            if grasp == "nothing":
                yield TreePlant(robot), q
                continue
            contact = _contact(robot, q)
            # A pin lets the target turn: about one axis in the plane, as a ball in space.
            turning = "pin" if robot.is_planar else "spherical"
            attachment = contact.attached(turning if grasp == "pin" else grasp)
            q = percuss.join_configuration(attachment, q, contact.target_coordinates)
            yield TreePlant(attachment.joined, robot.rate_count), np.asarray(q, float)


def _contact(robot: percuss.System, q: Array) -> Contact:
    """A disk or a cube, many times as heavy as the chaser, at its tool."""
    target = percuss.robot("disk" if robot.is_planar else "cube").prefixed("target_")
    mass = min(MOST, float(np.asarray(percuss.total_mass(robot))))
    scale = HEAVY * mass / float(np.asarray(percuss.total_mass(target)))
    changed = {
        name: scale * float(np.asarray(value))
        for name, value in percuss.parameters(target).items()
        if name.endswith(".mass") or ".inertia" in name
    }
    target = target.with_parameters(changed)
    tool = next((f for f in robot.frames if f.name == "tool"), robot.frames[-1])
    grip = target.frame("target_grip")
    there = np.array(percuss.neutral(target), float)
    gap = frame_pose(robot, q, tool).position - frame_pose(target, there, grip).position
    axes = 2 if robot.is_planar else 3
    there[:axes] += np.array(list(gap), float)[:axes]
    still = np.zeros(robot.rate_count), np.zeros(target.rate_count)
    return Contact(
        chaser=robot,
        target=target,
        tool=tool,
        grip=grip,
        chaser_coordinates=q,
        chaser_rates=still[0],
        target_coordinates=there,
        target_rates=still[1],
    )


def modes(plant: TreePlant, q: Array) -> dict[str, Array]:
    """Slowest frequency, fastest pole and slowest decay with each of the three inertias."""
    M = np.asarray(percuss.mass_matrix(plant.system, q), float)
    driven = np.array([*plant.actuated, *[False] * (plant.rate_count - plant.own_rates)])
    d, f = np.flatnonzero(driven), np.flatnonzero(~driven)
    felt = M[np.ix_(d, d)] - M[np.ix_(d, f)] @ np.linalg.solve(M[np.ix_(f, f)], M[np.ix_(f, d)])
    choices = {
        "M_ii": np.diag(M)[d],
        "M*_ii": np.diag(felt),
        "1/(M*^-1)_ii": 1.0 / np.diag(np.linalg.inv(felt)),
    }
    return {name: _spread(eigh(np.diag(D), felt, eigvals_only=True)) for name, D in choices.items()}


def _spread(mu: Array) -> Array:
    """Of λ² + 2 μ λ + μ = 0, for every μ."""
    root = np.sqrt(np.asarray(mu * mu - mu, complex))
    poles = np.concatenate([-mu + root, -mu - root])
    return np.array([np.sqrt(mu.min()), np.abs(poles).max(), (-poles.real).min()])


if __name__ == "__main__":
    main()
