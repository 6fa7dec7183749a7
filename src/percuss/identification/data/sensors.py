"""How well things are measured: what stands in `sensors.yaml`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any

from percuss.encounter.errors import Path, shown
from percuss.identification.data.channels import all_kinds
from percuss.identification.data.reading import as_text, read_bytes
from percuss.identification.data.sensor_fields import robot_readers, sensor_readers
from percuss.model.errors import ModelError, closest
from percuss.scenario.document import Origin, located, tidy
from percuss.scenario.errors import Problem, RefusedError, ScenarioError, unknown_key
from percuss.scenario.fields import Reader
from percuss.scenario.loading import parse_document

RATE = 100.0
"""Samples a second where nothing is said (Hz)."""

MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class Sensor:
    """One kind of sensor.

    Attributes:
        noise: standard deviation of a sample, independent from sample to sample; in the unit of
            the channel, and rad for each component of the rotation vector of an orientation.
        bias: what a sample has too much, known beforehand; one number for all channels of the
            kind, or one for each in their order (an orientation has three, a rotation vector).
        delay: a sample taken at t shows what was at t - delay (s).
        rate: samples a second (Hz), where measurements are made from a scenario.
        missing: share of the samples that are lost then.
        points: of markers, by name: where they are in the target's frame (m).
    """

    noise: float
    bias: float | tuple[float, ...] = 0.0
    delay: float = 0.0
    rate: float = RATE
    missing: float = 0.0
    points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.noise > 0 and math.isfinite(self.noise)):
            raise ModelError(f"noise must be a finite number > 0 (one sigma), got {self.noise!r}")
        object.__setattr__(self, "points", MappingProxyType(dict(self.points)))

    def __hash__(self) -> int:
        points = tuple(sorted(self.points.items()))
        return hash((self.noise, self.bias, self.delay, self.rate, self.missing, points))

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.noise, self.bias, self.delay, self.rate, self.missing, dict(self.points))
        return Sensor, values


@dataclass(frozen=True, init=False)
class Sensors:
    """The sensors by kind of measurement (`percuss.identification.data.channels.all_kinds`).

    Args:
        kinds: by kind of measurement a `Sensor`, or a mapping with the keys of `sensors.yaml`,
            numbers in SI units or texts with a unit; what stands in it under `robot` is the same
            as the argument. ScenarioError names the key that is not right.
        robot: standard deviations of what is known of the robot's own state at the impact, by
            kind of error; empty where it is exact.

    Example:
        >>> Sensors({"joint": {"noise": "0.1 mrad"}})["joint"].noise
        0.0001
    """

    kinds: Mapping[str, Sensor]
    robot: Mapping[str, float]

    def __init__(
        self,
        kinds: Mapping[str, Sensor | Mapping[str, Any]],
        robot: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        own = {kind: given for kind, given in kinds.items() if isinstance(given, Sensor)}
        for kind in own:
            if kind not in all_kinds():
                raise ModelError(
                    f"there is no kind of sensor {kind!r}.{closest(kind, all_kinds())} There are: "
                    f"{', '.join(all_kinds())}"
                )
        described = {kind: given for kind, given in kinds.items() if kind not in own}
        if described:
            read, errors = _kinds_and_robot(described, Origin())
            together = {**own, **read}
            own = {kind: together[kind] for kind in kinds if kind != "robot"}
            robot = {**errors, **robot}
        object.__setattr__(self, "kinds", MappingProxyType(own))
        object.__setattr__(self, "robot", MappingProxyType(dict(robot)))

    def __getitem__(self, kind: str) -> Sensor:
        """The sensor of a kind of measurement; ModelError where nothing is said of it."""
        if kind not in self.kinds:
            raise ModelError(
                f"there is no sensor {kind!r}: its noise is needed to weigh its measurements. "
                f"Described are: {', '.join(self.kinds) or 'none'}"
            )
        return self.kinds[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self.kinds

    @property
    def markers(self) -> Mapping[str, tuple[float, ...]]:
        """Points on the target by name, target frame (m)."""
        return self.kinds["marker"].points if "marker" in self.kinds else MappingProxyType({})

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.kinds.items(), key=lambda x: x[0])), tuple(self.robot)))

    def __reduce__(self) -> tuple[object, ...]:
        return Sensors, (dict(self.kinds), dict(self.robot))


def read_sensors(path: str | FilePath) -> Sensors:
    """The sensors in a YAML file; ScenarioError with file, line and field if it is not right."""
    text = as_text(read_bytes(path, "sensors (YAML)", MOST_BYTES), str(path))
    document, origin = parse_document(text, str(path), FilePath(path).resolve().parent)
    return sensors_of(document, origin)


def sensors_of(document: Any, origin: Origin | None = None) -> Sensors:
    """The sensors of a document with the keys of `sensors.yaml`.

    Example:
        >>> sensors_of({"joint": {"noise": "0.1 mrad"}})["joint"].noise
        0.0001
    """
    origin = origin or Origin()
    if not isinstance(document, Mapping) or not document:
        where = f"{origin.file}: " if origin.file else ""
        raise ScenarioError(
            f"{where}sensors must be a mapping by kind ({', '.join(all_kinds())}), got "
            f"{shown(document)}"
        )
    kinds, robot = _kinds_and_robot(document, origin)
    if not kinds:
        raise ScenarioError(f"{origin.file or 'sensors'}: no sensor is described")
    return Sensors(kinds, robot)


def _kinds_and_robot(
    document: Mapping[str, Any], origin: Origin
) -> tuple[dict[str, Sensor], dict[str, float]]:
    """Sensors by kind and errors of the robot's state; ScenarioError names what is not right."""
    plain = tidy(document, origin)
    problems: list[Problem] = []
    kinds: dict[str, Sensor] = {}
    robot: dict[str, float] = {}
    for kind, given in plain.items():
        if kind == "robot":
            robot = _read(given, ("robot",), robot_readers(), (), problems=problems)
        elif kind not in all_kinds():
            problems.append(unknown_key((kind,), given, (*all_kinds(), "robot")))
        else:
            values = _read(given, (kind,), sensor_readers(kind), ("noise",), problems=problems)
            if "noise" in values:
                kinds[kind] = Sensor(**values)
    if problems:
        raise ScenarioError(located(problems, document, origin))
    return kinds, robot


def _read(
    given: Any,
    path: Path,
    readers: Mapping[str, Reader],
    needed: Iterable[str],
    *,
    problems: list[Problem],
) -> dict[str, Any]:
    """The values of a mapping with known keys; what is wrong goes to the problems."""
    if not isinstance(given, Mapping):
        keys = ", ".join(readers)
        problems.append(Problem(path, f"must be a mapping with {keys}, got {shown(given)}"))
        return {}
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in readers:
            problems.append(unknown_key((*path, key), value, tuple(readers)))
            continue
        try:
            read = readers[key].read(value)
        except RefusedError as error:
            problems.append(Problem((*path, key), str(error)))
            continue
        # A number that remembers its unit is a number like any other from here on.
        values[key] = float(read) if isinstance(read, float) else read
    for key in needed:
        if key not in given:
            unit = readers[key].unit
            text = f"is missing. Give {key}: one standard deviation, in {unit}"
            problems.append(Problem((*path, key), text))
    return values
