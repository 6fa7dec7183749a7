"""Captures in the plane of which something is asked: truth, belief, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import sensors_of
from percuss.identification.identification import identify
from percuss.identification.result import Identification
from percuss.scenario import Scenario, with_overrides
from tests.identification.cases import NOISE, thesis
from tests.identification.plane_motion import Array, Body, Robot, motion, pair, tool_after

SENSORS = sensors_of({kind: {"noise": NOISE[kind]} for kind in list(NOISE)[:3]})


@dataclass(frozen=True)
class Target:
    """The target just before the impact: contact point and centre of mass in its own frame."""

    mass: float = 15.0
    inertia: float = 7.5
    contact: complex = complex(np.cos(0.5), np.sin(0.5))
    angle: float = 1.5 * np.pi - 0.5
    linear: complex = -1 + 0j
    angular: float = 0.0

    def described(self) -> dict[str, object]:
        """As a scenario's target."""
        return {
            "mass": self.mass,
            "inertia": self.inertia,
            "contact": pair(self.contact),
            "angle": self.angle,
            "velocity": {"linear": pair(self.linear), "angular": self.angular},
        }


@dataclass(frozen=True)
class Case:
    """A capture of which some quantities are asked for, and what is measured after it.

    Attributes:
        robot, closure: what happens, exactly as it is known.
        believed: where the search begins.
        truth: quantities by name, those that differ from what is believed.
        groups: what is asked for.
        channels: what is measured; default joints, and the base unless it is fixed.
        times: of the samples (s).
    """

    robot: Robot
    believed: Target
    closure: str
    groups: tuple[str, ...]
    truth: Mapping[str, float] = field(default_factory=dict)
    channels: tuple[str, ...] = ()
    times: tuple[float, ...] = tuple(np.arange(1, 101) / 25)
    seed: int = 0

    @cached_property
    def scenario(self) -> Scenario:
        """As the program gets it."""
        plain = thesis(1)
        return with_overrides(
            plain,
            {
                "chaser": self.robot.described(),
                "target": self.believed.described(),
                "impact.closure": self.closure,
                "duration": self.times[-1],
            },
        )

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Names of all channels that are measured."""
        joints = [f"joint.{k}" for k in range(1, 1 + len(self.robot.lengths))]
        base = [] if self.robot.fixed else ["base.x", "base.y", "base.angle"]
        return self.channels or (*joints, *base)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the quantities."""
        each = {
            "velocity": ["vx", "vy", "omega"],
            "attitude": ["angle"],
            "mass": ["mass"],
            "com": ["com.x", "com.y"],
            "inertia": ["inertia"],
            "contact": ["contact.x", "contact.y"],
            "time": ["time"],
        }
        return tuple(name for group in each if group in self.groups for name in each[group])

    @cached_property
    def believes(self) -> dict[str, float]:
        """All quantities of the target as they are believed."""
        body = self.believed
        return {
            "vx": body.linear.real,
            "vy": body.linear.imag,
            "omega": body.angular,
            "angle": body.angle,
            "mass": body.mass,
            "com.x": 0.0,
            "com.y": 0.0,
            "inertia": body.inertia,
            "contact.x": body.contact.real,
            "contact.y": body.contact.imag,
            "time": 0.0,
        }

    def body(self, quantities: Array) -> Body:
        """The targets that quantities (n, batch) stand for."""
        q = {name: np.full(quantities.shape[1:], x) for name, x in self.believes.items()}
        q |= dict(zip(self.names, quantities, strict=True))
        own = q["com.x"] - q["contact.x"] + 1j * (q["com.y"] - q["contact.y"])
        return {
            "mass": q["mass"],
            "inertia": q["inertia"],
            "time": q["time"],
            "linear": q["vx"] + 1j * q["vy"],
            "angular": q["omega"],
            "arm": np.exp(1j * q["angle"]) * own,
        }

    def tool_after(self, quantities: Array) -> complex:
        """Velocity of the tool just after the impact (m/s), of quantities (n,)."""
        return tool_after(self.robot, self.closure, self.body(quantities[:, None]))

    @cached_property
    def true(self) -> Array:
        """The quantities asked for as they are (n,)."""
        return np.array([(self.believes | dict(self.truth))[name] for name in self.names])

    @cached_property
    def ranges(self) -> Array:
        """Plausible ranges as the documentation states them (n,)."""
        body = self.believed
        size = max(abs(body.contact), float(np.sqrt(body.inertia / body.mass)))
        own = {"mass": body.mass, "inertia": body.inertia, "time": 0.05}
        own |= {f"{point}.{axis}": size for point in ("com", "contact") for axis in "xy"}
        return np.array([own.get(name, 1.0) for name in self.names])

    @cached_property
    def sigmas(self) -> Array:
        """Noise of each channel (channels,)."""
        kinds = {"base.x": "base.position", "base.y": "base.position", "base.angle": "base.angle"}
        return np.array([NOISE[kinds.get(name, "joint")] for name in self.shown])

    def values(self, quantities: Array) -> Array:
        """What is shown (channels, times, batch), of quantities (n, batch)."""
        return motion(self.robot, self.closure, self.body(quantities), self.times, self.shown)

    def rows(self, quantities: Array) -> Array:
        """What is shown in standard deviations (channels · times, batch), of (n, batch)."""
        values = self.values(quantities)
        return (values / self.sigmas[:, None, None]).reshape(-1, values.shape[2])

    def slopes(self, quantities: Array) -> Array:
        """Central differences by the quantities as shares of their ranges (rows, n)."""
        step = 1e-4 * np.diag(self.ranges)
        both = np.concatenate([step, -step], axis=1) + quantities[:, None]
        forth, back = np.split(self.rows(both), 2, axis=1)
        return (forth - back) / 2e-4

    def measured(self, noise: bool) -> Measured:
        """What the sensors show of the truth."""
        exact = self.values(self.true[:, None])[..., 0]
        if noise:
            random = np.random.default_rng([self.seed, 77])
            exact = exact + self.sigmas[:, None] * random.normal(size=exact.shape)
        return Measured(np.array(self.times), dict(zip(self.shown, exact, strict=True)))

    def identified(self, noise: bool = True, starts: int = 8) -> Identification:
        """What the program says of it."""
        return identify(
            self.scenario, self.measured(noise), SENSORS, self.groups, starts=starts, advice=False
        )


def random_case(seed: int) -> Case:
    """Any robot of one to three links in any pose, any target, any unknowns; truth away."""
    random = np.random.default_rng([seed, 5])

    def any_of(size: float) -> complex:
        return complex(*random.uniform(-size, size, 2))

    count = int(random.integers(1, 4))
    fixed = bool(random.random() < 0.2)
    moving = bool(random.random() < 0.3) and not fixed
    robot = Robot(
        lengths=tuple(random.uniform(0.5, 3.0, count)),
        masses=tuple(random.uniform(2.0, 15.0, count)),
        base_mass=random.uniform(20.0, 200.0),
        base_inertia=random.uniform(5.0, 80.0),
        mount=any_of(0.5),
        position=any_of(2.0),
        angle=random.uniform(-3.0, 3.0),
        joints=tuple(random.uniform(-1.5, 1.5, count)),
        linear=any_of(0.2) * moving,
        angular=random.uniform(-0.2, 0.2) * moving,
        joint_rates=tuple(random.uniform(-0.3, 0.3, count) * moving),
        fixed=fixed,
    )
    target = Target(
        mass=random.uniform(3.0, 60.0),
        inertia=random.uniform(1.0, 20.0),
        contact=any_of(1.0),
        angle=random.uniform(-3.0, 3.0),
        linear=any_of(0.5),
        angular=random.uniform(-0.6, 0.6),
    )
    closure = ("pin", "weld")[int(random.integers(2))]
    every = ("velocity", "attitude", "mass", "com", "inertia", "contact")
    groups = tuple(group for group in every if random.random() < 0.5) or ("velocity",)
    if random.random() < 0.2 and not moving:
        groups = (*groups, "time")
    case = Case(robot, target, closure, groups, seed=seed)
    return replace(case, truth=_away(case, random))


def _away(case: Case, random: np.random.Generator) -> dict[str, float]:
    """A truth that differs from what is believed in everything that is asked for."""
    truth: dict[str, float] = {}
    for name, span in zip(case.names, case.ranges, strict=True):
        believed = case.believes[name]
        if name in ("mass", "inertia"):
            truth[name] = float(believed * np.exp(random.uniform(-0.5, 0.5)))
        else:
            truth[name] = float(believed + random.uniform(-0.4, 0.4) * span)
    return truth
