"""What percuss's general functions say of a state: the measure of right and wrong."""

from __future__ import annotations

import numpy as np

from percuss.algebra import Pose, Vector3
from percuss.dynamics import kinetic_energy
from percuss.sources.thesis.sample import ThesisSample

Array = np.ndarray


def object_energy(state: ThesisSample) -> object:
    """Kinetic energy of the object, J."""
    return kinetic_energy(state.contact.target, state.psi, state.object_rates)


def generalized_forces(state: ThesisSample) -> Array:
    """(3.13): F turned from the base's axes into the world's, and the torques."""
    force = turned(state.p[2], np.array(state.forces[:2]))
    return np.array([*force, *state.forces[2:]])


def turned(angle: float, vector: Array) -> Array:
    """The vector (2,) turned by percuss's own rotation."""
    rotation = Pose.planar(0.0, 0.0, angle).rotation
    return np.asarray((rotation @ Vector3(vector[0], vector[1], 0.0)).array(), float)[:2]
