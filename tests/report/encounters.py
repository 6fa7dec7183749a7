"""Encounters for the report to show, drawn by hand: an arm of hinges, a target, their ways.

They move as bodies would, but nothing is integrated: numbers that a run would compute are
made up. `percuss.run` has its own tests; here only what a reader sees counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.encounter.record import Record, Track, Variable
from percuss.encounter.records.approach import ApproachRecord, ClosestApproach, ContactBy
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import (
    AngularMomentumChange,
    Axial,
    EnergyChange,
    ImpactRecord,
    JointReaction,
    LinearMomentumChange,
)
from percuss.encounter.records.result import (
    BalanceRecord,
    EncounterResult,
    EncounterStatus,
    FinalState,
    IntegrationRecord,
    PeakLoads,
    PhaseRecord,
    PlanarTargetState,
    SpatialTargetState,
)
from percuss.impact.verdict import ConservationLaw, State
from percuss.model.bodies import Visual
from percuss.report.overlays import turned_by
from tests.report.captures import Capture

LENGTH = 0.8
RADIUS = 0.5


@dataclass(frozen=True)
class Motion:
    """What an encounter is made of: joint angles (time, joints), rad, and the target's way."""

    time: np.ndarray
    joints: np.ndarray
    axes: str
    target: np.ndarray | None = None
    spin: np.ndarray | None = None


def about(axis: str, angle: np.ndarray) -> np.ndarray:
    """Quaternions (time, 4) of turns about x, y or z."""
    found = np.zeros((len(angle), 4))
    found[:, 0], found[:, 1 + "xyz".index(axis)] = np.cos(angle / 2), np.sin(angle / 2)
    return found


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a ⊗ b, row by row."""
    w, v, x, u = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    scalar = w * x - np.sum(v * u, axis=1, keepdims=True)
    return np.hstack([scalar, w * u + x * v + np.cross(v, u)])


def arm(joints: np.ndarray, axes: str) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Poses of the links of an arm on a base at the origin, and the way of the tool."""
    place, turn = np.zeros((len(joints), 3)), about("z", np.zeros(len(joints)))
    poses: list[tuple[np.ndarray, np.ndarray]] = []
    for axis, angles in zip(axes, joints.T, strict=True):
        turn = product(turn, about(axis, angles))
        poses.append((place, turn))
        place = place + turned_by(turn, np.tile([LENGTH, 0.0, 0.0], (len(joints), 1)))
    return poses, place


def scalar(values: np.ndarray, units: str) -> Variable:
    return Variable(
        dimensions=("time",), values=values, units=units, frame="world", title="made by hand"
    )


def vector(values: np.ndarray, units: str) -> Variable:
    return Variable(
        dimensions=("time", "axis"), values=values, units=units, frame="world", title="made by hand"
    )


def tool_of(joints: np.ndarray, axes: str) -> np.ndarray:
    return arm(np.atleast_2d(joints), axes)[1]


def record_of(motion: Motion, planar: bool, extra: dict[str, Variable]) -> Record:
    """The record of a motion; `extra` variables come on top."""
    time, count = motion.time, len(motion.time)
    size = 2 if planar else 3
    poses, tool = arm(motion.joints, motion.axes)
    still = np.zeros((count, 3)), about("z", np.zeros(count))
    body = Visual("cylinder", (RADIUS, 0.1)) if planar else Visual("box", (0.9, 0.9, 0.9))
    link = Visual(
        "cylinder",
        (0.05, LENGTH),
        Pose.at((LENGTH / 2, 0.0, 0.0), rpy=(0.0, np.pi / 2, 0.0)),
    )
    tracks = [Track("base", "chaser", (body,), *still)]
    tracks += [Track(f"link{k + 1}", "chaser", (link,), *pose) for k, pose in enumerate(poses)]
    names = tuple(f"joint{k + 1}" for k in range(len(motion.axes)))
    rates = slope(motion.joints, time)
    base = ("x", "y", "angle") if planar else ("x", "y", "z", "qw", "qx", "qy", "qz")
    moved = ("x", "y", "angle") if planar else ("vx", "vy", "vz", "wx", "wy", "wz")
    zero = np.zeros((count, len(base)))
    zero[:, 3:4] = 1.0
    units = ",".join(["m"] * size + (["rad"] if planar else ["1"] * 4) + ["rad"] * len(names))
    speeds = ",".join(["m/s"] * size + ["rad/s"] * (len(moved) - size + len(names)))

    def over(values: np.ndarray, units: str, *dimensions: str) -> Variable:
        return Variable(
            dimensions=("time", *dimensions),
            values=values,
            units=units,
            frame="world",
            title="made by hand",
        )

    variables = {
        "time": over(time, "s"),
        "coordinates": over(np.hstack([zero, motion.joints]), units, "coordinate"),
        "rates": over(np.hstack([np.zeros((count, len(moved))), rates]), speeds, "rate"),
        "tool_position": over(tool[:, :size], "m", "axis"),
        "energy": over(np.sum(rates**2, axis=1) + 1.0, "J"),
        "energy_residual": over(1e-12 * (1 + np.arange(count)), "J"),
    }
    if motion.target is not None and motion.spin is not None:
        turn = about("z", motion.spin)
        own = Visual("cylinder", (RADIUS, 0.1)) if planar else Visual("box", (1.0, 0.8, 0.6))
        tracks.append(
            Track(
                name="target",
                owner="target",
                visuals=(own,),
                positions=motion.target,
                quaternions=turn,
            )
        )
        variables["target_position"] = over(motion.target[:, :size], "m", "axis")
        velocity = slope(motion.target, time)
        turning = slope(motion.spin, time)
        entries = np.column_stack([velocity[:, :size], turning])
        variables["target_velocity"] = over(
            entries, ",".join(["m/s"] * size + ["rad/s"]), "target_rate"
        )
    labels = {
        "coordinate": (*base, *names),
        "rate": (*moved, *names),
        "axis": tuple("xyz"[:size]),
        "target_rate": (*(f"v{a}" for a in "xyz"[:size]), "omega"),
    }
    return Record(
        labels=labels,
        variables=variables | extra,
        attributes={},
        tracks=tuple(tracks),
        planar=planar,
    )


def slope(values: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Rates of change; beside a border, where samples are a rounding apart, the neighbour's."""
    far = np.append(np.diff(time) > 1e-9, True)
    found = np.gradient(values[far], time[far], axis=0)
    return found[np.cumsum(far) - far]


def smooth(time: np.ndarray, begin: float, end: float) -> np.ndarray:
    """From 0 to 1 between two times, at rest at both."""
    s = np.clip((time - begin) / (end - begin), 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def times(borders: Sequence[float], counts: Sequence[int]) -> np.ndarray:
    """Samples of each stretch; the last before a border is one rounding earlier."""
    parts = [
        np.linspace(begin, end if k == len(counts) - 1 else np.nextafter(end, -np.inf), count)
        for k, (begin, end, count) in enumerate(zip(borders[:-1], borders[1:], counts, strict=True))
    ]
    return np.concatenate(parts)


def phases(*given: tuple[str, float, float]) -> tuple[PhaseRecord, ...]:
    """Phases as an encounter has them."""
    codes = {"observe": 0, "approach": 0, "contact": 1, "flight": 0, "after": 2}
    return tuple(
        PhaseRecord(
            name=name,
            phase=codes[name],
            begin=begin,
            end=end,
            steps=120,
            energy=3e-12,
            linear_momentum=2e-13,
            angular_momentum=5e-13,
        )
        for name, begin, end in given
    )


def impact(time: float, closure: str, impulse: Sequence[float], **more: Any) -> ImpactRecord:
    """An impact as an encounter has it."""
    size, given = float(np.linalg.norm(impulse)), tuple(impulse)
    plane = len(given) == 2
    turning: Axial = 2.0 if plane else (0.0, 0.0, 2.0)
    made = ImpactRecord(
        time=time,
        duration=0.0,
        closure=closure,
        chaser_velocity=(0.0,) * (5 if plane else 13),
        target_velocity=(0.0,) * (3 if plane else 6),
        relative_velocity=(-0.02 * size, *(0.0,) * (len(given) - 1)),
        impulse=given,
        moment=None,
        base_impulse=(0.0,) * len(given),
        base_moment=0.0 if plane else (0.0, 0.0, 0.0),
        effective_mass=12.5,
        normal=(1.0, 0.0) if plane else (1.0, 0.0, 0.0),
        normal_speed=0.02 * size,
        surface=None,
        energy=EnergyChange(before=1.0 + 0.2 * size, after=1.0 + 0.1 * size),
        linear_momentum=LinearMomentumChange(before=given, after=given),
        angular_momentum=AngularMomentumChange(before=turning, after=turning),
        joint_reactions={
            name: JointReaction(force=given, moment=0.0, magnitude=size / k)
            for k, name in enumerate(("joint1", "joint2"), start=1)
        },
    )
    return replace(made, **more)


def approach(time: float | None, distance: float, by: str = "point", **more: Any) -> ApproachRecord:
    """An approach that touches at a time, or whose closest distance was at 12 s."""
    touched = time is not None
    made = ApproachRecord(
        touched=touched,
        time=time,
        by=ContactBy(by),
        distance=distance,
        relative_speed=0.25,
        relative_velocity=(0.25, 0.0),
        closest=ClosestApproach(distance=distance, time=12.0 if time is None else time),
        capture_radius=None,
        control=None,
        timeout=20.0,
        meet=None,
        arrival=None,
    )
    return replace(made, **more)


def encounter_of(
    record: Record, name: str, status: str, sentence: str, **more: Any
) -> EncounterResult:
    """An encounter with what every status has; `impacts` say the rest."""
    impacts = tuple(more.pop("impacts", ()))
    laws = tuple(
        ConservationLaw(law, State.KEPT, f"{law}: conserved (change 2.5e-15 of 16.56)")
        for law in ("linear momentum", "angular momentum")
    )
    made = replace(
        nothing_happens(record.planar),
        name=name,
        closure=impacts[-1].closure if impacts else "weld",
        mode="free-flying",
        status=EncounterStatus(status),
        outcome=sentence,
        impacts=impacts,
        final=FinalState(
            time=float(record.time[-1]),
            coordinates=tuple(record["coordinates"][-1].tolist()),
            rates=tuple(record["rates"][-1].tolist()),
            names=tuple(record.labels["coordinate"]),
            units=tuple(record.variables["coordinates"].units.split(",")),
            base_turn=0.0,
            target=target_state(record),
        ),
        balance=BalanceRecord(energy=3e-12, linear_momentum=2e-13, angular_momentum=None),
        peak=PeakLoads(
            control=(0.0,) * len(record.labels["rate"]),
            joint_reaction={"joint1": 12.0, "joint2": 8.5},
        ),
        laws=laws if impacts else (),
    )
    return replace(made, **more)


def target_state(record: Record) -> PlanarTargetState | SpatialTargetState | None:
    """The last state of the target of a record; None where it has none."""
    if "target_position" not in record.variables:
        return None
    position = tuple(record["target_position"][-1].tolist())
    linear = tuple(record["target_velocity"][-1, : len(position)].tolist())
    if record.planar:
        return PlanarTargetState(position=position, angle=0.3, linear=linear, angular=0.1)
    return SpatialTargetState(
        position=position,
        orientation=(1.0, 0.0, 0.0, 0.0),
        linear=linear,
        angular=(0.0, 0.0, 0.1),
    )


def capture(record: Record, name: str, status: str, sentence: str, **more: Any) -> Capture:
    return Capture(record, encounter_of(record, name, status, sentence, **more))


def nothing_happens(planar: bool = False) -> EncounterResult:
    """An encounter of a chaser without a target, joints or impacts."""
    return EncounterResult(
        name="nothing",
        closure="pulse",
        planar=planar,
        mode="free-floating",
        status=EncounterStatus.BOUNCED,
        outcome="The points did not touch.",
        phases=(),
        approach=None,
        impacts=(),
        contact=None,
        stabilisation=None,
        final=FinalState(
            time=1.0, coordinates=(), rates=(), names=(), units=(), base_turn=0.0, target=None
        ),
        balance=BalanceRecord(energy=0.0, linear_momentum=None, angular_momentum=None),
        control=ControlRecord({"law": "none"}),
        peak=PeakLoads(control=(), joint_reaction={}),
        limits=None,
        integration=IntegrationRecord(method="dop853", steps=1),
        laws=(),
        warnings=(),
        advice=(),
        notices=(),
        orbit=None,
    )
