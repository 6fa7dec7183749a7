"""Hostile records of captures in space, whose truth is MuJoCo's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from percuss.identification.data.measured import Measured
from percuss.identification.data.sensors import Sensors, sensors_of
from percuss.scenario import Scenario, with_overrides
from tests.identification.adversary import Own
from tests.identification.mujoco_capture import QUATERNION, Array, Capture, mujoco_capture
from tests.identification.test_mujoco_truth import PLANS, Plan

VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")
IN_SPACE = {name: plan for name, plan in PLANS.items() if "base.orientation" in plan.noise}
STEP = 1e-3
"""Of the differences by the quantities, as a share of their ranges."""
FIRST = 0.04
"""From when on samples of a delayed record are kept (s): before the impact there is nothing."""


@dataclass(frozen=True)
class SpaceCase:
    """A capture in space, what is believed of it, and how it is measured.

    Attributes:
        plan: of which it is one: what is asked for, and the sensors' noise.
        world: as it is in MuJoCo.
        changes: what the scenario that is believed has otherwise.
        time: of the samples (s), in steps of 1 ms.
        shown: columns that are kept; none: all.
        late: by how much later than stated the samples are taken (s).
        noise_seed: of the sensors' noise.
    """

    plan: Plan
    world: Scenario
    changes: Mapping[str, object]
    time: Array
    shown: tuple[str, ...] = ()
    late: float = 0.0
    noise_seed: int = 0

    @cached_property
    def believed(self) -> Scenario:
        return with_overrides(self.world, self.changes)

    @cached_property
    def sensors(self) -> Sensors:
        return sensors_of({name: {"noise": sigma} for name, sigma in self.plan.noise.items()})

    @cached_property
    def capture(self) -> Capture:
        return mujoco_capture(self.world, self.time - self.late)

    @cached_property
    def record(self) -> Measured:
        """What is measured."""
        columns = self.capture.measured(self.plan.noise, self.noise_seed).columns
        kept = self.shown or tuple(columns)
        return Measured(self.time, {name: columns[name] for name in kept})

    @cached_property
    def true(self) -> dict[str, float]:
        """Of everything that is asked for."""
        found = dict(zip(VELOCITY, self.capture.velocity.tolist(), strict=True))
        return found | ({"mass": self._mass} if "mass" in self.plan.unknown else {})

    @property
    def _mass(self) -> float:
        target = self.world.target
        assert target is not None
        assert target.mass is not None
        return target.mass

    @cached_property
    def own(self) -> Own:
        """MuJoCo's own information about what is asked for, by differences of its records."""
        ranges = np.ones(len(self.true))
        target = self.believed.target
        if "mass" in self.true:
            assert target is not None
            assert target.mass is not None
            ranges[-1] = target.mass
        at = np.array(list(self.true.values()))
        steps = STEP * np.diag(ranges)
        rows = [self._rows(self._moved(at + step)) for step in steps]
        return Own(np.stack(rows, axis=1) / STEP, ranges)

    def _moved(self, quantities: Array) -> Capture:
        """The capture of a target with these quantities."""
        linear, angular = quantities[:3].tolist(), quantities[3:6].tolist()
        changes: dict[str, object] = {"target.velocity": {"linear": linear, "angular": angular}}
        if "mass" in self.true:
            changes["target.mass"] = float(quantities[6])
        return mujoco_capture(with_overrides(self.world, changes), self.time - self.late)

    def _rows(self, other: Capture) -> Array:
        """Another capture less this one, as the sensors show them, in standard deviations."""
        here, noise = self.capture.columns, self.plan.noise
        kept, rows = self.record.columns, []
        for name in kept:
            kind = _kind(name)
            if kind in noise:
                rows.append((other.columns[name] - here[name]) / noise[kind])
        if QUATERNION[0] in {name.removeprefix("base.") for name in kept}:
            between = _attitude(here).inv() * _attitude(other.columns)
            rows += list(between.as_rotvec().T / noise["base.orientation"])
        return np.nan_to_num(np.concatenate(rows))


def _attitude(columns: Mapping[str, Array]) -> Rotation:
    names = [f"base.{entry}" for entry in (*QUATERNION[1:], QUATERNION[0])]
    return Rotation.from_quat(np.stack([columns[name] for name in names], axis=1))


def _kind(name: str) -> str:
    """Of sensor, by a column's name; nothing known for a part of a quaternion."""
    stem, _, entry = name.partition(".")
    if stem != "base":
        return stem
    return "" if entry in QUATERNION else "base.position"


# --- how records come about ---------------------------------------------------------------------


def space_case(kind: str, random: np.random.Generator) -> SpaceCase:
    """Any capture of this kind, a key of `RECORDS`: in another pose, by another point of a target
    that is turned otherwise, and comes from anywhere."""
    names = [
        name
        for name, plan in IN_SPACE.items()
        if not (kind == "wrong mass" and "mass" in plan.unknown)
    ]
    plan = IN_SPACE[str(random.choice(names))]
    plain = plan.scenario()
    assert plain.target is not None
    assert plain.target.contact is not None
    contact = np.array(plain.target.contact.point)
    turned = Rotation.from_quat(random.normal(size=4)).as_quat()
    joints = np.array(plain.chaser.joints) + random.uniform(-0.5, 0.5, 7)
    linear, angular = (
        _direction(random) * random.uniform(*sizes) for sizes in (plan.linear, plan.angular)
    )
    world = with_overrides(
        plain,
        {
            "chaser.joints": joints.tolist(),
            "target.contact": (contact * random.uniform(0.5, 1.3, 3)).tolist(),
            "target.orientation": turned[[3, 0, 1, 2]].tolist(),
            "target.velocity": {"linear": linear.tolist(), "angular": angular.tolist()},
        },
    )
    moving = plain.target.velocity
    guess = {
        "linear": list(moving.linear or (0.0,) * 3),
        "angular": list(moving.angular or (0.0,) * 3),  # type: ignore[arg-type]
    }
    believed: dict[str, object] = {"target.velocity": guess}
    believed |= {name.replace("__", "."): value for name, value in plan.wrong.items()}
    time = np.arange(1, round(plan.duration * plan.rate) + 1) / plan.rate
    case = SpaceCase(plan, world, believed, time, noise_seed=int(random.integers(2**31)))
    return RECORDS[kind](case, random)


def _direction(random: np.random.Generator) -> Array:
    drawn = random.normal(size=3)
    return drawn / np.linalg.norm(drawn)


Made = Callable[[SpaceCase, np.random.Generator], SpaceCase]


def _honest(case: SpaceCase, _: np.random.Generator) -> SpaceCase:
    return case


def _few(case: SpaceCase, random: np.random.Generator) -> SpaceCase:
    """Three to eight samples."""
    count = int(random.integers(3, 9))
    return replace(case, time=np.linspace(0.5, case.plan.duration, count).round(3))


def _one(case: SpaceCase, random: np.random.Generator) -> SpaceCase:
    """One kind of sensor alone, or one joint."""
    kind = str(random.choice([*case.plan.noise, "one joint"]))
    if kind == "one joint":
        return replace(case, shown=(f"joint.{int(random.integers(1, 8))}",))
    if kind == "base.orientation":
        return replace(case, shown=tuple(f"base.{entry}" for entry in QUATERNION))
    names = [name for name in case.record.columns if _kind(name) == kind]
    return replace(case, shown=tuple(names))


def _zero(case: SpaceCase, _: np.random.Generator) -> SpaceCase:
    """The record begins at the impact itself, with the poses there."""
    return replace(case, time=np.array([0.0, *case.time]))


def _drowned(case: SpaceCase, _: np.random.Generator) -> SpaceCase:
    """The first tenth of a second, in which the motion hardly leaves the noise."""
    return replace(case, time=np.arange(1, 21) * 5e-3)


def _closure(case: SpaceCase, _: np.random.Generator) -> SpaceCase:
    """A weld is taken for a pin, or a pin for a weld."""
    other = "weld" if case.world.impact.closure == "pin" else "pin"
    return replace(case, changes={**case.changes, "impact.closure": other})


def _shape(case: SpaceCase, random: np.random.Generator) -> SpaceCase:
    """The contact point is elsewhere than believed, by a tenth to half of its distance."""
    assert case.world.target is not None
    assert case.world.target.contact is not None
    contact = np.array(case.world.target.contact.point)
    moved = np.linalg.norm(contact) * random.uniform(0.1, 0.5) * _direction(random)
    return replace(case, changes={**case.changes, "target.contact": (contact + moved).tolist()})


def _mass(case: SpaceCase, random: np.random.Generator) -> SpaceCase:
    """The target is lighter or heavier than believed, by 5 to 50 %."""
    assert case.world.start.target is not None
    mass = float(case.world.start.target.base.mass)  # type: ignore[arg-type]
    factor = np.exp(random.choice([-1.0, 1.0]) * random.uniform(0.05, 0.4))
    return replace(case, changes={**case.changes, "target.mass": mass * factor})


def _delay(case: SpaceCase, random: np.random.Generator) -> SpaceCase:
    """All samples are later than stated, by 1 to 30 ms."""
    late = int(random.integers(1, 31)) * 1e-3
    return replace(case, time=case.time[case.time >= FIRST - 1e-9], late=late)


class _Biased(SpaceCase):
    """One column is off by 2 to 50 standard deviations of its noise; an attitude about one axis of
    the base."""

    @cached_property
    def record(self) -> Measured:
        random = np.random.default_rng([self.noise_seed, 4])
        plain = super().record
        columns = dict(plain.columns)
        names = [name for name in columns if _kind(name)] + ["attitude"] * 3
        name, off = str(random.choice(names)), random.uniform(2.0, 50.0)
        if name == "attitude":
            axis = np.eye(3)[int(random.integers(3))]
            turn = Rotation.from_rotvec(off * self.plan.noise["base.orientation"] * axis)
            turned = (_attitude(columns) * turn).as_quat()
            columns |= dict(
                zip(
                    [f"base.{entry}" for entry in (*QUATERNION[1:], QUATERNION[0])],
                    turned.T,
                    strict=True,
                )
            )
        else:
            columns[name] = columns[name] + off * self.plan.noise[_kind(name)]
        return Measured(plain.time, columns)


def _bias(case: SpaceCase, _: np.random.Generator) -> SpaceCase:
    fields = (case.plan, case.world, case.changes, case.time, case.shown, case.late)
    return _Biased(*fields, case.noise_seed)


RECORDS: dict[str, Made] = {
    "honest records": _honest,
    "few samples": _few,
    "one sensor only": _one,
    "records from t = 0": _zero,
    "within the noise": _drowned,
    "wrong closure": _closure,
    "wrong shape": _shape,
    "wrong mass": _mass,
    "delay": _delay,
    "bias": _bias,
}
"""How a record comes about, by kind."""
