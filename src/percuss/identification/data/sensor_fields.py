"""What the keys of a description of sensors take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from percuss.encounter.errors import shown
from percuss.identification.data.channels import all_kinds
from percuss.identification.data.robot_errors import KINDS as ROBOT_KINDS
from percuss.identification.data.vectors import VECTORS
from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Quantity, Reader
from percuss.scenario.lists import OneOrMore, Vector

_HERTZ = re.compile(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([kM]?)Hz\s*")
_UNITS: Mapping[str, str | tuple[str, ...]] = {
    "joint": ("rad", "m"),
    "joint_rate": ("rad/s", "m/s"),
    "joint_torque": ("N m", "N"),
    "base.position": "m",
    "base.angle": "rad",
    "base.orientation": "rad",
    "tool_force": "N",
    "marker": "m",
}
_ROBOT_UNITS: Mapping[str, str | tuple[str, ...]] = {
    "joint": ("rad", "m"),
    "joint_rate": ("rad/s", "m/s"),
    "base.position": "m",
    "base.attitude": "rad",
    "base.velocity": "m/s",
    "base.rate": "rad/s",
}


def _sigma(unit: str | tuple[str, ...]) -> Quantity:
    return Quantity(unit, above=0)


def sensor_readers(kind: str) -> dict[str, Reader]:
    """What the keys of a sensor take."""
    unit = VECTORS[kind].unit if kind in VECTORS else _UNITS[kind]
    keys: dict[str, Reader] = {
        "noise": _sigma(unit),
        "bias": OneOrMore(Quantity(unit)),
        "delay": Quantity("s", least=0, most=1e3),
        "rate": _Rate(),
        "missing": Quantity("", least=0, most=0.99),
    }
    return {**keys, "points": _Points()} if kind == "marker" else keys


def robot_readers() -> dict[str, Reader]:
    """What the keys of `robot` take."""
    return {kind: _sigma(unit) for kind, unit in _ROBOT_UNITS.items()}


class _Rate(Reader):
    """Samples a second; here Hz has one meaning."""

    @property
    def unit(self) -> str:
        return "Hz"

    def read(self, value: Any) -> float:
        number: Any = value
        if isinstance(value, str) and (found := _HERTZ.fullmatch(value)):
            number = float(found[1]) * {"": 1.0, "k": 1e3, "M": 1e6}[found[2]]
        try:
            return Quantity("1/s", above=0, most=1e6).read(number)
        except RefusedError:
            raise RefusedError(
                f"must be a number in Hz > 0 and ≤ 1e+06, got {shown(value)}"
            ) from None

    def schema(self) -> dict[str, Any]:
        return Quantity("1/s", above=0, most=1e6).schema()


class _Points(Reader):
    """Points by name."""

    def read(self, value: Any) -> dict[str, tuple[float, ...]]:
        if not isinstance(value, Mapping) or not value:
            raise RefusedError(
                "must be a mapping by name, each entry a point in the target's frame (m), got "
                f"{shown(value)}"
            )
        points: dict[str, tuple[float, ...]] = {}
        for name, point in value.items():
            try:
                points[name] = Vector(Quantity("m")).read(point)
            except RefusedError as error:
                raise RefusedError(f"{name!r} {error}") from None
        return points

    def schema(self) -> dict[str, Any]:
        point = Vector(Quantity("m")).schema()
        return {"type": "object", "additionalProperties": point}


assert {*_UNITS, *VECTORS} == set(all_kinds())
assert set(_ROBOT_UNITS) == set(ROBOT_KINDS)
