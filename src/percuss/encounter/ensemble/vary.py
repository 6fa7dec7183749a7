"""Many cases of an encounter that differ in any of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack
from percuss.encounter.encounter import Described, Encounter
from percuss.encounter.ensemble.asked import Asked
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.joint_use import limit_numbers, single_joints
from percuss.encounter.ensemble.refusals import Refusals
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.encounter.ensemble.template import NUMBERS, Evaluated, Template
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.number import Number, Numbered
from percuss.kernel.duals import Dual, array_of
from percuss.kernel.rollouts.methods import Method
from percuss.kinematics.frames import frame_pose, frame_velocity, planar_angle
from percuss.kinematics.manifold import neutral
from percuss.model.joints import Fixed
from percuss.model.systems import Frame, System

KNOWS = ("nominal", "truth")
MANY_FOR_A_GPU = 32_768
"""Cases from which a GPU is taken where there is one and it is left open: fewer do not fill it."""
BLOCK = {"cuda": 1_048_576}
"""Cases that are computed together by back end: as many as keep a GPU busy while results return."""
BLOCK_ON_CORES = 65_536
"""The same on cores: a few hundred numbers of each are 0.2 GB, and progress shows every block."""
STATES = 1_048_576
"""States that are kept at a time where signals are wanted: 0.5 GB of 60 numbers each."""


@dataclass(frozen=True)
class Varied:
    """Values of numbers of an encounter, case by case, checked.

    Attributes:
        inputs: the numbers that differ.
        values: all of them one after the other, (entries, cases), SI units; perhaps as Duals.
    """

    inputs: tuple[Number, ...]
    values: Any

    @staticmethod
    def of(numbered: Numbered, vary: Mapping[str, Any]) -> Varied:
        """What values by name, (cases,) or (cases, entries), vary.

        A value without cases is the same in all.

        EncounterError, or what the encounter's maker raises, for a name that does not exist and
        for shapes that do not fit.
        """
        if not vary:
            raise EncounterError(("vary",), "is empty: give values of at least one number")
        for name, other in permutations(vary, 2):
            if name.startswith(f"{other}."):
                message = f"is part of {other}, which is given too: give one of them"
                raise EncounterError(tuple(name.split(".")), message)
        inputs = tuple(numbered.number(name) for name in vary)
        arrays = [_values(one, vary[one.name]) for one in inputs]
        counts = {
            one.name: a.shape[-1] for one, a in zip(inputs, arrays, strict=True) if a.ndim > 1
        }
        if len(set(counts.values())) > 1:
            said = ", ".join(f"{name} has {count}" for name, count in counts.items())
            raise EncounterError(("vary",), f"the numbers of cases differ: {said}")
        count = next(iter(counts.values()), 1)
        whole = [a if a.ndim > 1 else np.repeat(a[:, None], count, axis=1) for a in arrays]
        return Varied(inputs, np.concatenate(whole))

    def __len__(self) -> int:
        return self.values.shape[1]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.inputs)

    def of_each(self) -> dict[str, np.ndarray]:
        """Values by name, (cases,) or (entries, cases)."""
        found: dict[str, np.ndarray] = {}
        at = 0
        for one in self.inputs:
            rows = self.values[at : at + one.value.size]
            found[one.name] = rows if one.value.ndim else rows[0]
            at += one.value.size
        return found

    def refusals(self) -> np.ndarray:
        """Why cases cannot be, by their numbers alone, (cases,); empty for those that can."""
        reasons = np.full(len(self), "", object)
        for one, values in zip(self.inputs, self.of_each().values(), strict=True):
            with np.errstate(all="ignore"):
                wrong = np.flatnonzero(~np.asarray(one.allowed(values), bool) & (reasons == ""))
            for case in wrong:
                got = np.asarray(values)[..., case].tolist()
                reasons[case] = f"{one.name} must be {one.words}, got {shown(got)}"
        return reasons


def _values(number: Number, given: Any) -> np.ndarray:
    """Values of a number, (entries,) or (entries, cases)."""
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        message = f"must be numbers in {number.unit or 'no unit'}, got {shown(given)}"
        raise EncounterError(tuple(number.name.split(".")), message) from None
    own = number.value.shape
    if array.shape == own:
        return np.ravel(array)
    if array.ndim == len(own) + 1 and array.shape[1:] == own:
        return array[None] if not own else np.ascontiguousarray(array.T)
    wanted = f"(cases, {own[0]})" if own else "(cases,)"
    raise EncounterError(
        tuple(number.name.split(".")),
        f"must have the shape {wanted}, or {own} for all cases, got {array.shape}",
    )


@dataclass(frozen=True)
class ManyCases:
    """What became of many cases: the values they had, and what was found of each.

    `refused` (cases,) says why a case was not carried out, empty for those that were; `result` is
    of the others, which are at `places`; `times` (s) are those of its history; `bases` poses of
    bases that are fixed in a place of their own, as `ChaserView` lists them, (entries, cases);
    `numbers` are others of the encounters, (entries, cases): `limits` of joints, radius and mean
    motion of the `orbit`, and where its coordinates are not those of its centre of mass the
    `target` at the end: place (m), velocity (m/s) and angular velocity (rad/s) in world axes, and
    its angle (rad) or quaternion.
    """

    encounter: Encounter
    varied: Varied
    refused: np.ndarray
    places: np.ndarray
    result: EnsembleResult
    times: np.ndarray
    backend: str
    asked: Asked
    bases: np.ndarray | None = None
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


class Variation:
    """An encounter whose cases differ in some numbers, compiled for them.

    Args:
        encounter: the nominal one, or a scenario that describes it.
        numbered: makes encounters with other numbers.
        names: of the numbers in which cases differ.
        knows: "nominal", "truth", or the names that laws and plans know; see `percuss.simulate`.
        asked: what is found out about each case.
    """

    def __init__(
        self,
        encounter: Encounter | Described,
        numbered: Numbered,
        names: Sequence[str],
        *,
        knows: str | Collection[str] = "nominal",
        asked: Asked,
        backend: str = "auto",
        threads: int | None = None,
        method: Method | None = None,
        allow_code: bool = False,
    ) -> None:
        nominal = encounter
        if not isinstance(nominal, Encounter):
            nominal = nominal.encounter_with(allow_code=allow_code)
        known = frozenset(known_names(knows, names))
        self.template = Template(nominal, numbered, tuple(names), known)
        self.backend = backend
        self.asked = asked
        self._ensemble = Ensemble(
            encounter,
            threads=threads,
            backend=backend,
            method=method,
            reactions=asked.reactions,
            settling=asked.settling,
            impacts=asked.impacts,
            approach=asked.approach,
            limits=asked.limits,
            stabilisation=asked.stabilisation,
            allow_code=allow_code,
            template=self.template,
        )

    def __call__(
        self,
        varied: Varied,
        progress: Callable[[float], None] | None = None,
        histories: Histories | None = None,
    ) -> ManyCases:
        """Carry out all cases, some at a time.

        `progress` is told the share that is done; `histories` is what is wanted over time.
        """
        refused = self._refused(varied)
        return self._found(varied, refused, histories or Histories(), progress)

    def towards(
        self, varied: Varied, slopes: np.ndarray, histories: Histories | None = None
    ) -> ManyCases:
        """The cases as Duals, each along a direction of its values, (entries, cases)."""
        refused = self._refused(varied)
        along = Varied(varied.inputs, Dual(varied.values, slopes))
        return self._found(along, refused, histories or Histories())

    def along(
        self, found: ManyCases, rows: Sequence[int], histories: Histories | None = None
    ) -> ManyCases:
        """The cases that were not refused as Duals along each of some rows of their values.

        All cases along the first row come first.
        """
        values = np.tile(found.varied.values[:, found.places], len(rows))
        slopes = np.zeros_like(values)
        for part, row in zip(np.split(slopes, len(rows), axis=1), rows, strict=True):
            part[row] = 1.0
        varied = Varied(found.varied.inputs, Dual(values, slopes))
        refused = np.full(values.shape[1], "", object)
        return self._found(varied, refused, histories or Histories())

    def _refused(self, varied: Varied) -> np.ndarray:
        """Why cases cannot be, (cases,); empty for those that can."""
        refused = varied.refusals()
        could = np.flatnonzero(refused == "")
        refused[could] = self._refusals(varied.values[:, could])
        return refused

    def _found(
        self,
        varied: Varied,
        refused: np.ndarray,
        histories: Histories,
        progress: Callable[[float], None] | None = None,
    ) -> ManyCases:
        """Carry out the cases that are not refused."""
        places = np.flatnonzero(refused == "")
        size, results = self.block(len(histories.times)), []
        for first in range(0, max(1, len(places)), size):
            some = places[first : first + size]
            results.append(self._ensemble.of_numbers(varied.values[:, some], histories))
            if progress is not None:
                progress(min(1.0, (first + size) / max(1, len(places))))
        values, result = varied.values[:, places], EnsembleResult.joined(results)
        return ManyCases(
            encounter=self.template.nominal,
            varied=varied,
            refused=refused,
            places=places,
            result=result,
            times=np.array(histories.times),
            backend=self.backend,
            asked=self.asked,
            bases=self._bases(values),
            numbers=self._numbers(values, result),
        )

    def _numbers(self, values: np.ndarray, result: EnsembleResult) -> dict[str, np.ndarray]:
        """Numbers of the encounters of cases that what is told of them is read with."""
        nominal, wanted = self.template.nominal, dict[str, Callable[[Encounter], list[Any]]]()
        if self.asked.limits and single_joints(nominal.chaser):
            wanted["limits"] = limit_numbers
        if nominal.orbit is not None:
            wanted["orbit"] = _orbit_numbers
        if not values.shape[1]:
            counts = {name: len(what(nominal)) for name, what in wanted.items()}
            return {name: np.zeros((count, 0)) for name, count in counts.items()}
        p, count = {NUMBERS: values}, values.shape[1]
        found = {name: self._evaluated(name, what, p, count) for name, what in wanted.items()}
        q, v = result.target_coordinates, result.target_rates
        if nominal.target is not None and len(q) and self._is_placed(nominal.target):
            found["target"] = array_of(self._target_at(q, v, p))
        return found

    def _is_placed(self, target: System) -> bool:
        """Whether coordinates of the target are not, or may not be, those of its centre of mass."""
        if any(name.startswith("target.parameters") for name in self.template.names):
            return True
        root = target.base_joint
        placed = any(pose != Pose.identity() for pose in (root.placement, root.child_placement))
        return placed or any(float(np.asarray(x)) for x in target.base.com)

    @cached_property
    def _target_at(self) -> kernel.Kernel:
        """(coordinates, rates, inputs) of a target → its numbers as `ManyCases` has them."""
        template = self.template

        def found(q: Coordinates, v: Rates, p: Any) -> Any:
            target = template.truth(p).target
            assert target is not None
            return pack(_target_numbers(target, q, v))

        target = template.nominal.target
        assert target is not None
        like = np.zeros(target.coordinate_count), np.zeros(target.rate_count), template.like
        return kernel.compile(found, *like, backend="numpy")

    def _bases(self, values: np.ndarray) -> np.ndarray | None:
        """Poses of bases that cannot move, where they differ from case to case."""
        nominal = self.template.nominal
        if not isinstance(nominal.chaser.base_joint.motion, Fixed) or not values.shape[1]:
            return None
        return self._evaluated("bases", _base_pose, {NUMBERS: values}, values.shape[1])

    def block(self, times: int) -> int:
        """Cases that are computed together, so many that they fit into memory at so many times."""
        size = BLOCK.get(self._ensemble.machine.backend, BLOCK_ON_CORES)
        return max(1, min(size, STATES // max(1, times)))

    @cached_property
    def _evaluated(self) -> Evaluated:
        return Evaluated(self.template)

    @cached_property
    def _refusals(self) -> Refusals:
        return Refusals(self._evaluated, self.template.nominal)

    def explain(self, found: ManyCases) -> tuple[str, ...]:
        """Why cases failed, a text for each phase and reason; see `Ensemble.explain`."""
        return self._ensemble.explain(found.result)


def _orbit_numbers(encounter: Encounter) -> list[Any]:
    assert encounter.orbit is not None
    return [encounter.orbit.semi_major_axis, encounter.orbit.mean_motion]


def _target_numbers(target: System, q: Coordinates, v: Rates) -> list[Any]:
    """Place, velocity and angular velocity of a target's centre of mass, then how it is turned."""
    body = frame_pose(target, q, target.base.name)
    center = Frame("centre of mass", target.base.name, Pose(position=target.base.com))
    moving = frame_velocity(target, q, v, center)
    place = body.act(target.base.com)
    turned = (
        [planar_angle(target, q, target.base.name)]
        if target.is_planar
        else list(body.rotation.to_quaternion())
    )
    return [*place, *moving.linear, *moving.angular, *turned]


def _base_pose(encounter: Encounter) -> list[Any]:
    """Position and angle in the plane, position and quaternion in space."""
    pose = frame_pose(
        encounter.chaser, neutral(encounter.chaser), encounter.chaser.base_joint.child
    )
    if encounter.is_planar:
        return [pose.position.x, pose.position.y, pose.rotation.angle_about_z()]
    return [*pose.position, *pose.rotation.to_quaternion()]


def known_names(knows: str | Collection[str], names: Sequence[str]) -> tuple[str, ...]:
    """The numbers, among those in which cases differ, that laws and plans know."""
    if isinstance(knows, str) or not isinstance(knows, Collection):
        if knows not in KNOWS:
            allowed = "must be nominal, truth, or a list of names that are known"
            raise EncounterError(("knows",), f"{allowed}, got {shown(knows)}")
        return tuple(names) if knows == "truth" else ()
    found: list[str] = []
    for known in knows:
        # The name of a block stands for all numbers in it.
        inside = [name for name in names if name == known or name.startswith(f"{known}.")]
        if not inside:
            message = f"{known!r} is not among the numbers that vary: {', '.join(names)}"
            raise EncounterError(("knows",), message)
        found += inside
    return tuple(found)
