"""The instantaneous estimate: what the jump of the robot's velocity tells of the target's.

Across a plastic impact the rates after are linear in the velocities before, v⁺ = A ψ̇ + b. With a
pin A has rank 2 in the plane and 3 in space, since a rotation of the target about the contact
point passes no impulse on; with a weld 3 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from percuss.dynamics.composite import mass_matrix
from percuss.identification.data.channels import AXES, Channel
from percuss.identification.forward.impact_motion import impact_and_motion_of
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT
from percuss.identification.options.searching import StartOptions
from percuss.kinematics.manifold import difference
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import System

_ROUNDING = 1e-9
"""Singular values below this share of the largest are zero."""


@dataclass(frozen=True)
class JumpEstimate:
    """Velocity of the target before the impact from that of the robot after it.

    `value` (n,) is the least-squares estimate, along `null_space` that of the encounter;
    `covariance` (n, n) is that of the rest, zero along the null space.
    """

    names: tuple[str, ...]
    value: np.ndarray
    covariance: np.ndarray
    null_space: np.ndarray


@dataclass(frozen=True)
class JumpMap:
    """v⁺ = A ψ̇ + b: the chaser's rates after the impact from the target's velocity before it.

    Attributes:
        names, units: of the target's velocity.
        matrix: A (rates, n).
        offset: b (rates,).
        metric: mass matrix of the chaser (rates, rates), in which rates are compared.
        start: the encounter's own velocity (n,).
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    matrix: np.ndarray
    offset: np.ndarray
    metric: np.ndarray
    start: np.ndarray

    @cached_property
    def _svd(self) -> tuple[np.ndarray, np.ndarray]:
        scaled = np.linalg.cholesky(self.metric).T @ self.matrix
        _, sizes, rows = np.linalg.svd(scaled)
        full = np.zeros(len(self.names))
        full[: len(sizes)] = sizes
        return full, rows

    @property
    def rank(self) -> int:
        """Independent combinations of the target's velocity that the jump shows."""
        sizes, _ = self._svd
        return int((sizes > _ROUNDING * max(sizes[0], 1e-300)).sum())

    @property
    def null_space(self) -> np.ndarray:
        """Velocities (n, k) of the target that change nothing, orthonormal columns."""
        return self._svd[1][self.rank :].T

    def estimate(self, rates: np.ndarray, sigmas: np.ndarray) -> JumpEstimate:
        """The velocity that rates of the chaser just after the impact tell.

        `rates` (rates,) have standard deviations `sigmas` (rates,), infinite where they are not
        measured.
        """
        rates, sigmas = np.asarray(rates, float), np.asarray(sigmas, float)
        if rates.shape != self.offset.shape or sigmas.shape != self.offset.shape:
            raise ModelError(
                f"rates and sigmas must have the shape {self.offset.shape}, got {rates.shape} and "
                f"{sigmas.shape}"
            )
        if not (sigmas > 0).all():
            raise ModelError(f"sigmas must be > 0, got {sigmas.tolist()}")
        there = np.isfinite(sigmas)
        weighted = self.matrix[there] / sigmas[there, None]
        gap = (rates - self.offset - self.matrix @ self.start)[there] / sigmas[there]
        u, sizes, rows = np.linalg.svd(weighted, full_matrices=False)
        # Columns have units of their own, but m/s and rad/s are of one size in such machines.
        observable = sizes > _ROUNDING * max(float(sizes[0]) if len(sizes) else 0.0, 1e-300)
        inverse = rows[observable].T / sizes[observable]
        value = self.start + inverse @ (u[:, observable].T @ gap)
        _, _, all_rows = np.linalg.svd(rows[observable], full_matrices=True)
        hidden = all_rows[int(observable.sum()) :].T
        return JumpEstimate(self.names, value, inverse @ inverse.T, hidden)


def jump_map(encounter: Described | KnownEncounter) -> JumpMap:
    """The map of an encounter whose closure is plastic, `pin` or `weld`."""
    return _jump_map(KnownEncounter.of(encounter))


@lru_cache(maxsize=32)
def _jump_map(encounter: KnownEncounter) -> JumpMap:
    unknowns = Unknowns(encounter, ["velocity"])
    impact_motion = impact_and_motion_of(unknowns)
    if impact_motion.closure == "bounce":
        raise ModelError("impact.closure: the jump of a bounce is not linear; fit the motion")
    count = len(unknowns)

    def after(theta: np.ndarray) -> np.ndarray:
        return np.array(impact_motion.jump(theta.tolist()).chaser_rates, float)

    offset = after(np.zeros(count))
    columns = [after(axis) - offset for axis in np.eye(count)]
    start = encounter.start
    metric = np.array(mass_matrix(start.chaser, start.chaser_coordinates), float)
    return JumpMap(
        names=unknowns.names,
        units=unknowns.units,
        matrix=np.stack(columns, axis=1),
        offset=offset,
        metric=metric,
        start=unknowns.start,
    )


def rates_after(
    encounter: Described | KnownEncounter,
    channels: tuple[Channel, ...],
    times: np.ndarray,
    measured: np.ndarray,
    *,
    noise: Mapping[str, float],
    options: StartOptions = DEFAULT.starts,
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the chaser just after the impact and their standard deviations, from samples.

    A cubic through the known state at the impact is fitted to the samples (channels, times) of
    joints and base within `jump_window` (s), at least the first `jump_samples`. Rates that no
    channel shows have an infinite standard deviation. What a cubic cannot follow is an error that
    is not counted.
    """
    start = KnownEncounter.of(encounter).start
    chaser = start.chaser
    rates = np.zeros(chaser.rate_count)
    sigmas = np.full(chaser.rate_count, np.inf)
    for _, place, values, kind in displacements(
        chaser, np.asarray(start.chaser_coordinates), channels, measured
    ):
        use = np.isfinite(values) & (times > 0)
        last = min(options.jump_samples, len(times)) - 1
        use &= times <= max(options.jump_window, float(times[last]))
        if use.sum() < 3:
            continue
        t = times[use]
        terms = np.stack([t, t**2, t**3][: min(3, int(use.sum()))], axis=1)
        scale = np.linalg.norm(terms, axis=0)
        inverse = np.linalg.pinv(terms / scale)
        rates[place] = (inverse @ values[use])[0] / scale[0]
        sigmas[place] = noise[kind] * np.linalg.norm(inverse[0]) / scale[0]
    return rates, sigmas


def displacements(
    chaser: System, q: np.ndarray, channels: tuple[Channel, ...], measured: np.ndarray
) -> list[tuple[str, int, np.ndarray, str]]:
    """(name, rate, displacement since the impact, kind) of what is measured of the coordinates.

    `q` are the coordinates at the impact, `measured` (channels, times). An attitude gives the three
    components of a rotation vector, `base.orientation.x` ….
    """
    found: list[tuple[str, int, np.ndarray, str]] = []
    joint = chaser.base_joint
    node = chaser.node(joint.child)
    plain = joint.placement.is_identity and joint.child_placement.is_identity
    turned = {c.index: k for k, c in enumerate(channels) if c.kind == "base.orientation"}
    for channel, values in zip(channels, measured, strict=True):
        if channel.kind == "joint":
            own = chaser.node(chaser.joint(channel.part).child)
            away = values - q[own.coordinates.start]
            found.append((channel.name, own.rates.start, away, "joint"))
        elif channel.kind == "base.position" and isinstance(joint.motion, (Free, Planar)) and plain:
            at = node.coordinates.start + channel.index
            place = node.rates.start + channel.index
            found.append((channel.name, place, values - q[at], channel.kind))
        elif channel.kind == "base.angle" and isinstance(joint.motion, Planar) and plain:
            away = values - q[node.coordinates.start + 2]
            found.append((channel.name, node.rates.start + 2, away, channel.kind))
    if len(turned) == 4 and isinstance(joint.motion, Free) and plain:
        rows = measured[[turned[k] for k in range(4)]]
        begin = node.coordinates.start
        there = np.isfinite(rows).all(axis=0)
        steps = np.full((3, rows.shape[1]), np.nan)
        for k in np.flatnonzero(there):
            turned_q = np.array(q, float)
            turned_q[begin + 3 : begin + 7] = rows[:, k]
            steps[:, k] = np.asarray(difference(chaser, q, turned_q), float)[
                node.rates.start + 3 : node.rates.start + 6
            ]
        found += [
            (f"base.orientation.{axis}", node.rates.start + 3 + k, steps[k], "base.orientation")
            for k, axis in enumerate(AXES)
        ]
    return found
