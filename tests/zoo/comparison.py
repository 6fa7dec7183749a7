"""One URDF file read by percuss and, as percuss repaired it, by Pinocchio."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from percuss.dynamics import mass_matrix, total_mass
from percuss.model import Mimic, ModelError, ModelNotice, System, read_urdf, write_urdf

pinocchio: Any = import_module("pinocchio")

TOLERANCE = 1e-10
"""Of the mass matrix, relative to its largest entry; 4e-12 was seen before files were repaired."""


@dataclass(frozen=True)
class Comparison:
    """What became of a file: who reads it, its size, and how far the two readers are apart."""

    path: Path
    loads_in_pinocchio: bool
    problem: str = ""
    """Why percuss does not read it, or why what it reads is not what Pinocchio reads."""
    joints: int = 0
    followers: int = 0
    changes: int = 0
    mass: float = math.nan
    error: float = math.nan
    """Largest difference of the mass matrices relative to the largest entry; NaN without mass."""

    @property
    def is_right(self) -> bool:
        """Whether percuss reads the file, if Pinocchio does, and to the same mass matrix."""
        if not self.loads_in_pinocchio:
            return True
        return not self.problem and not self.error > TOLERANCE


def compare(path: Path) -> Comparison:
    """Read a file with both, at a random configuration that the file's name decides."""
    known = _loads(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelNotice)
        try:
            system = read_urdf(path)
            text = write_urdf(system)
        except ModelError as error:
            return Comparison(path, known, str(error))
    followers = sum(isinstance(joint.motion, Mimic) for joint in system.joints)
    sizes = (system.rate_count, followers, len(system.changes))
    if system.is_massless:
        return Comparison(path, known, "", *sizes, mass=0.0)
    mass = float(total_mass(system))  # type: ignore[arg-type]
    model = pinocchio.buildModelFromXML(text)
    expected_mass = sum(inertia.mass for inertia in model.inertias)
    if abs(mass - expected_mass) > TOLERANCE * mass:
        problem = f"{mass:g} kg, Pinocchio has {expected_mass:g} kg"
        return Comparison(path, known, problem, *sizes, mass=mass)
    rng = np.random.default_rng(sum(path.name.encode()))
    q = rng.uniform(-1, 1, system.coordinate_count)
    expected = coupled_mass_matrix(system, model, q)
    ours = np.asarray(mass_matrix(system, q), float)
    if ours.shape != expected.shape:
        problem = f"{ours.shape[0]} degrees of freedom, Pinocchio has {expected.shape[0]}"
        return Comparison(path, known, problem, *sizes, mass=mass)
    scale = np.abs(expected).max(initial=0.0)
    error = float(np.abs(ours - expected).max(initial=0.0) / scale) if scale else 0.0
    return Comparison(path, known, "", *sizes, mass=mass, error=error)


def coupled_mass_matrix(system: System, model: Any, q: np.ndarray) -> np.ndarray:
    """Gᵀ M G with Pinocchio's M of the joints as if none followed another, fixed base."""
    place = {name: k for k, name in enumerate(system.coordinate_names)}
    followers = {j.name: j.motion for j in system.joints if isinstance(j.motion, Mimic)}
    full, coupling = pinocchio.neutral(model), np.zeros((model.nv, system.rate_count))
    for index, name in enumerate(model.names):
        if index == 0:  # the universe
            continue
        factor, offset, leader = 1.0, 0.0, name
        while leader in followers:
            motion = followers[leader]
            offset += factor * float(motion.offset)  # type: ignore[arg-type]
            factor *= float(motion.multiplier)  # type: ignore[arg-type]
            leader = motion.leader
        value = factor * q[place[leader]] + offset
        at, width = model.idx_qs[index], model.nqs[index]
        full[at : at + width] = (math.cos(value), math.sin(value)) if width == 2 else value
        coupling[model.idx_vs[index], place[leader]] = factor
    upper = pinocchio.crba(model, model.createData(), full)
    free = np.triu(upper) + np.triu(upper, 1).T
    return coupling.T @ free @ coupling


def _loads(path: Path) -> bool:
    with _quiet():
        try:
            pinocchio.buildModelFromUrdf(str(path))
        except ValueError:
            return False
    return True


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Pinocchio's parser, which is not Python, prints of a file off the terminal."""
    terminal = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
