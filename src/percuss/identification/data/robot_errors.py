"""Errors of the robot's state at the impact: nuisance that widens what is known of the target."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from percuss.algebra.scalars import Scalar
from percuss.model.errors import ModelError, closest
from percuss.model.joints import Free, Planar
from percuss.model.systems import System

KINDS = (
    "joint",
    "joint_rate",
    "base.position",
    "base.attitude",
    "base.velocity",
    "base.rate",
)
"""Kinds of errors: rad (or m for sliding joints), rad/s (m/s), m, rad, m/s, rad/s."""


@dataclass(frozen=True)
class RobotError:
    """One error: `of_rate` tells a rate from a coordinate, `index` which of the chaser's it is."""

    name: str
    unit: str
    sigma: float
    of_rate: bool
    index: int


@dataclass(frozen=True)
class RobotErrors:
    """The errors of a chaser's coordinates and rates, on the axes of its rates."""

    entries: tuple[RobotError, ...]
    rate_count: int

    def split(self, values: tuple[Scalar, ...]) -> tuple[list[Scalar], list[Scalar]]:
        """Steps of the coordinates (see `integrate`) and changes of the rates."""
        steps: list[Scalar] = [0.0] * self.rate_count
        faster: list[Scalar] = [0.0] * self.rate_count
        for entry, value in zip(self.entries, values, strict=True):
            (faster if entry.of_rate else steps)[entry.index] = value
        return steps, faster


def robot_errors(chaser: System, sigmas: Mapping[str, float]) -> RobotErrors:
    """The errors of these kinds with their standard deviations (SI), see `KINDS`.

    Orientations are turned by rotation vectors along the world's axes.
    """
    for kind, sigma in sigmas.items():
        if kind not in KINDS:
            raise ModelError(
                f"robot: there is no kind of error {kind!r}.{closest(kind, KINDS)} There are: "
                f"{', '.join(KINDS)}"
            )
        if not (sigma > 0 and math.isfinite(sigma)):
            raise ModelError(f"robot: {kind} must be finite and > 0 (one sigma), got {sigma!r}")
    entries: list[RobotError] = []
    for of_rate in (False, True):
        for joint in chaser.joints:
            place = chaser.node(joint.child).rates
            is_base = isinstance(joint.motion, (Free, Planar))
            units = joint.motion.rate_units
            for k, unit in enumerate(units):
                kind = _kind(is_base, unit, of_rate)
                if kind not in sigmas:
                    continue
                shown = unit if of_rate else unit.removesuffix("/s")
                name = _name(joint.name, joint.motion.rate_names[k], is_base, of_rate)
                entries.append(
                    RobotError(
                        name=name,
                        unit=shown,
                        sigma=sigmas[kind],
                        of_rate=of_rate,
                        index=place.start + k,
                    )
                )
    return RobotErrors(tuple(entries), chaser.rate_count)


def _kind(is_base: bool, unit: str, of_rate: bool) -> str:
    if not is_base:
        return "joint_rate" if of_rate else "joint"
    if unit == "m/s":
        return "base.velocity" if of_rate else "base.position"
    return "base.rate" if of_rate else "base.attitude"


def _name(joint: str, entry: str, is_base: bool, of_rate: bool) -> str:
    if not is_base:
        stem = "joint_rate" if of_rate else "joint"
        return f"{stem}.{joint}" if not entry else f"{stem}.{joint}.{entry}"
    return f"base_rate.{entry}" if of_rate else f"base.{entry}"
