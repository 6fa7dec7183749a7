"""What sensors show too much, as far as it is known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.algebra.rotations import Quaternion
from percuss.algebra.vectors import Vector3
from percuss.identification.data.channels import QUATERNION, Channel, all_names
from percuss.identification.data.measured_columns import Measured
from percuss.identification.data.sensors import Sensors
from percuss.model.errors import ModelError
from percuss.model.systems import System


def bias_of(channel: Channel, chaser: System, sensors: Sensors) -> float:
    """The bias of a channel, in its unit.

    A list of biases has one entry for each channel that the kind has on this chaser, measured or
    not: joints in their order, axes x, y, z, markers in the order of the file.
    """
    bias = sensors[channel.kind].bias
    if not isinstance(bias, tuple):
        return bias
    if channel.kind == "marker":
        axes = "xy" if chaser.is_planar else "xyz"
        names = tuple(f"marker.{name}.{axis}" for name in sensors.markers for axis in axes)
    else:
        names = all_names(chaser, [channel.kind])
    _refuse_length(channel.kind, bias, len(names))
    return bias[names.index(channel.name)]


def orientation_bias(sensors: Sensors) -> np.ndarray:
    """Rotation vector (3,), rad, world axes: what is shown is exp(bias) ∘ what is true."""
    bias = sensors["base.orientation"].bias
    if not isinstance(bias, tuple):
        return np.full(3, bias)
    _refuse_length("base.orientation", bias, 3)
    return np.array(bias)


def unbiased(measured: Measured, sensors: Sensors, chaser: System) -> Measured:
    """Measurements without the biases that are known."""
    columns = dict(measured.columns)
    for channel in measured.channels(chaser):
        if channel.kind != "base.orientation":
            columns[channel.name] = columns[channel.name] - bias_of(channel, chaser, sensors)
    names = [f"base.{entry}" for entry in QUATERNION]
    if names[0] in columns and orientation_bias(sensors).any():
        shown = np.stack([columns[name] for name in names])
        back = np.broadcast_to(-orientation_bias(sensors)[:, None], (3, shown.shape[1]))
        columns |= dict(zip(names, turned(shown, back), strict=True))
    return replace(measured, columns=columns)


def unwound(measured: Measured, angle: float) -> Measured:
    """Measurements whose planar attitude has no leaps of whole turns, from `angle` (rad) on.

    An attitude between -π and π says nothing of turns; between samples it changes by less than
    half of one.
    """
    shown = measured.columns.get("base.angle")
    if shown is None or not np.isfinite(shown).any():
        return measured
    there = np.isfinite(shown)
    whole = np.unwrap(np.concatenate([[angle], shown[there]]))[1:]
    if np.array_equal(whole, shown[there]):
        return measured
    columns = dict(measured.columns)
    columns["base.angle"] = np.where(there, shown, np.nan)
    columns["base.angle"][there] = whole
    return replace(measured, columns=columns)


def turned(attitude: np.ndarray, turns: np.ndarray) -> list[np.ndarray]:
    """exp(turn) ∘ attitude: quaternions (4, times) turned along the world's axes by (3, times)."""
    small = Quaternion.from_rotation_vector(Vector3(*turns))
    return [np.asarray(x, float) for x in small @ Quaternion(*attitude)]


def _refuse_length(kind: str, bias: tuple[float, ...], count: int) -> None:
    if len(bias) != count:
        raise ModelError(
            f"{kind}.bias: must be one number, or one for each of {count} channels, got {len(bias)}"
        )
