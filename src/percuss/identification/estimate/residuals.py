"""Measured minus predicted, in standard deviations: what a fit makes small."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.identification.data.channels import AXES, Channel
from percuss.identification.forward.choice import Model
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError, closest


@dataclass(frozen=True)
class Component:
    """One row of residuals at each time: a channel, or a component of a rotation vector.

    `channels` are the columns it comes from, `sigma` its noise in `unit`.
    """

    name: str
    kind: str
    unit: str
    sigma: float
    channels: tuple[int, ...]
    axis: int = 0


@dataclass(frozen=True)
class Weighting:
    """Residuals of a model's channels with noise of standard deviations by kind.

    An attitude's residual is the rotation vector (rad, world axes) that takes the predicted
    orientation to the measured one, q_measured q_predicted⁻¹, each component with the noise of
    `base.orientation`. Samples that are missing (NaN) count for nothing. `options` are how a fit of
    them is searched for and judged.
    """

    model: Model
    noise: Mapping[str, float]
    options: SearchOptions = DEFAULT

    def __post_init__(self) -> None:
        kinds = [channel.kind for channel in self.model.channels]
        for kind in kinds:
            if kind not in self.noise:
                raise ModelError(
                    f"noise: there is none for {kind!r}, which is measured."
                    f"{closest(kind, self.noise)} It takes one standard deviation by kind"
                )
        for kind, sigma in self.noise.items():
            if not (sigma > 0 and math.isfinite(sigma)):
                raise ModelError(f"noise: {kind} must be finite and > 0, got {sigma!r}")

    def of_model(self, model: Model) -> Weighting:
        """The same of another model of the same channels."""
        return Weighting(model, self.noise, self.options)

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The rows of residuals, in the order of the channels."""
        found: list[Component] = []
        channels = self.model.channels
        turned = tuple(_places(channels, "base.orientation"))
        for k, channel in enumerate(channels):
            sigma = self.noise[channel.kind]
            if channel.kind != "base.orientation":
                found.append(
                    Component(
                        name=channel.name,
                        kind=channel.kind,
                        unit=channel.unit,
                        sigma=sigma,
                        channels=(k,),
                    )
                )
            elif k == turned[0]:
                order = tuple(sorted(turned, key=lambda j: channels[j].index))
                found += [
                    Component(
                        name=f"base.orientation.{axis}",
                        kind=channel.kind,
                        unit="rad",
                        sigma=sigma,
                        channels=order,
                        axis=j,
                    )
                    for j, axis in enumerate(AXES)
                ]
        return tuple(found)

    def table(self, measured: Any) -> np.ndarray:
        """Measured values as (channels, times, batch), checked."""
        channels, times = len(self.model.channels), len(self.model.times)
        array = np.asarray(measured, float)
        if array.shape[:2] != (channels, times) or array.ndim not in (2, 3):
            raise ModelError(
                f"measured values must have the shape ({channels}, {times}) or ({channels}, "
                f"{times}, cases): channels and times of the model; got {array.shape}"
            )
        return array if array.ndim == 3 else array[..., None]

    def residuals(self, measured: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Shape (components · times, batch), in standard deviations; missing samples give 0.

        `measured` as of `table`, `values` (m, batch) of the model.
        """
        return self._rows(measured, values, None)[0]

    def whitened(
        self, measured: np.ndarray, values: np.ndarray, slopes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (rows, batch), and how the *prediction* changes with θ, (rows, n, batch)."""
        found, turned = self._rows(measured, values, slopes)
        assert turned is not None
        return found, turned

    def disturbed(self, exact: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Exact values (channels, times, batch) with the noise of the sensors; an attitude turns
        by a rotation vector (rad, world axes) of which each component is noise."""
        noisy = np.array(exact, float)
        for component in self.components:
            if len(component.channels) == 1:
                (j,) = component.channels
                noisy[j] += component.sigma * random.standard_normal(exact.shape[1:])
            elif component.axis == 0:
                order = list(component.channels)
                half = 0.5 * component.sigma * random.standard_normal((3, *exact.shape[1:]))
                angle = np.linalg.norm(half, axis=0)
                turn = np.concatenate([np.cos(angle)[None], half * np.sinc(angle / np.pi)])
                noisy[order] = _product(turn, exact[order])
        return noisy

    def counted(self, measured: np.ndarray) -> np.ndarray:
        """Samples that are there, shape (components, times, batch)."""
        there = np.isfinite(measured)
        return np.stack([there[list(c.channels)].all(axis=0) for c in self.components])

    # Motion that leaves all bounds overflows: what is no number then is no place to be.
    @np.errstate(over="ignore", invalid="ignore")
    def _rows(
        self, measured: np.ndarray, values: np.ndarray, slopes: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        channels, times, _ = measured.shape
        batch = values.shape[-1]
        predicted = values.reshape(channels, times, batch)
        count = 0 if slopes is None else slopes.shape[1]
        changes = None if slopes is None else slopes.reshape(channels, times, count, batch)
        there = self.counted(measured)
        rows = np.empty((len(self.components), times, batch))
        turned = np.empty((len(self.components), times, count, batch))
        for k, component in enumerate(self.components):
            present = there[k] / component.sigma
            if len(component.channels) == 1:
                (j,) = component.channels
                rows[k] = np.where(there[k], measured[j] - predicted[j], 0.0) / component.sigma
                if changes is not None:
                    np.multiply(changes[j], present[:, None, :], out=turned[k])
                continue
            if component.axis == 0:
                order = list(component.channels)
                shown = np.where(there[k], measured[order], predicted[order])
                vector = _turn(shown, predicted[order])
                rows[k : k + 3] = vector * present
                if changes is not None:
                    turned[k : k + 3] = (
                        _turning(vector, predicted[order], changes[order]) * present[:, None, :]
                    )
        flat = (len(self.components) * times, batch)
        if changes is None:
            return rows.reshape(flat), None
        return rows.reshape(flat), turned.reshape(flat[0], count, batch)


def _places(channels: tuple[Channel, ...], kind: str) -> list[int]:
    return [k for k, channel in enumerate(channels) if channel.kind == kind]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a ⊗ b of quaternions (4, …)."""
    w = a[0] * b[0] - np.sum(a[1:] * b[1:], axis=0)
    return np.concatenate(
        [w[None], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:], axis=0)], axis=0
    )


def _conjugate(q: np.ndarray) -> np.ndarray:
    return np.concatenate([q[:1], -q[1:]])


def _turn(measured: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Rotation vector (3, …) of q_measured q_predicted⁻¹ (rad)."""
    q = _product(measured, _conjugate(predicted))
    q = np.where(q[0] < 0.0, -q, q)
    sine = np.linalg.norm(q[1:], axis=0)
    small = sine < 1e-8
    angle = 2.0 * np.arctan2(sine, q[0])
    factor = np.where(small, 2.0, angle / np.where(small, 1.0, sine))
    return q[1:] * factor


def _turning(vector: np.ndarray, predicted: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """How much of the residual each change of the predicted quaternion takes away.

    δφ = 2 vec(δq q⁻¹) turns the prediction; Exp(r) Exp(-δφ) = Exp(r - J⁻¹(r) δφ) with
    J⁻¹(r) = 1 + ½ r× + c r× r×. Shapes (3, times, batch), (4, …), (4, times, n, batch).
    """
    inverse = _conjugate(predicted)[:, :, None, :]
    turn = 2.0 * _product(changes, np.broadcast_to(inverse, changes.shape))[1:]
    r = np.broadcast_to(vector[:, :, None, :], turn.shape)
    across = np.cross(r, turn, axis=0)
    angle = np.linalg.norm(vector, axis=0)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    full = (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2
    c = np.where(small, 1.0 / 12.0, full)[None, :, None, :]
    return turn + 0.5 * across + c * np.cross(r, across, axis=0)
