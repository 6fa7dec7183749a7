"""The joints of a chaser at the start: which are locked, and where the others are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from percuss.encounter.errors import EncounterError, Path, shown
from percuss.model.errors import ModelError, choices, closest
from percuss.model.library.registry import entry
from percuss.model.lock import lock
from percuss.model.systems import System
from percuss.scenario.chaser import Chaser
from percuss.scenario.fields import plain
from percuss.scenario.lists import FrozenDict
from percuss.scenario.models import Models
from percuss.scenario.state import check_unit, joint_values
from percuss.scenario.vehicle import USUAL, Arm

_JOINTS: Path = ("chaser", "joints")


def locked_system(system: System, chaser: Chaser) -> System:
    """The system with the joints that are to be locked held where `joints` puts them by name."""
    given = _by_full_name(chaser)
    names = [joint.name for joint in (*system.movable_joints, *system.followers)]
    kinds = {joint.name: joint.motion.kind for joint in system.joints}
    positions: dict[str, Any] = {}
    for name, at in _locked(chaser).items():
        if name not in names:
            why = f"there is no joint {name!r}.{closest(name, names)}"
            if name in kinds:
                why = f"joint {name!r} is {kinds[name]} and cannot be locked."
            raise EncounterError(at, f"{why} There are: {choices(name, names)}")
        value = given.get(name, 0.0)
        check_unit(value, system.joint(name), _JOINTS, rates=False)
        positions[name] = plain(value)
    if not positions:
        return system
    try:
        return lock(system, positions)
    except ModelError as error:
        raise EncounterError(("chaser", "locked"), str(error)) from None


def start_joints(system: System, chaser: Chaser, models: Models) -> dict[str, Any]:
    """Coordinates at the start by joint name, of the joints that are not locked."""
    values = joint_values(system, _unlocked(_given(chaser, _JOINTS), "", chaser), _JOINTS)
    for name, arm in (chaser.arms or {}).items():
        if arm.joints is None:
            continue
        own = {f"{name}_{joint.name}" for joint in models.arms[name].joints}
        part = [joint for joint in system.movable_joints if joint.name in own]
        where: Path = ("chaser", "arms", name, "joints")
        given = _unlocked(_given(arm, where), f"{name}_", chaser)
        values |= joint_values(system, given, where, joints=part, prefix=f"{name}_")
    return values


def joint_settings(chaser: Chaser, values: Mapping[str, float], models: Models) -> dict[str, Any]:
    """What to set in a document, by path, so that joints start at these values (rad or m).

    `values` has every joint that has a coordinate, in order. Coordinates stay where they are
    given, at the chaser or at its arms, as a list or by name; those of locked joints stay.
    """
    held, given = _locked(chaser), _by_full_name(chaser)
    kept = {name: float(value) for name, value in given.items() if name in held}
    arms = chaser.arms or {}
    if all(arm.joints is None for arm in arms.values()):
        by_name = isinstance(_given(chaser, _JOINTS), FrozenDict)
        return {"chaser.joints": {**values, **kept} if by_name else list(values.values())}
    settings: dict[str, Any] = {}
    everything = {**values, **kept}
    for name in arms:
        own = [f"{name}_{joint.name}" for joint in models.arms[name].joints]
        entries = {n.removeprefix(f"{name}_"): v for n, v in everything.items() if n in own}
        settings[f"chaser.arms.{name}.joints"] = entries
    return settings


def with_named_joints(chaser: Chaser, values: Mapping[str, Any], models: Models) -> Chaser:
    """The chaser with the coordinates of all joints by name, where `joint_paths` has them.

    `values` (rad or m) has every joint that has a coordinate; those of locked joints stay.
    """
    held, given = _locked(chaser), _by_full_name(chaser)
    kept = {name: plain(value) for name, value in given.items() if name in held}
    everything = FrozenDict({**values, **kept})
    arms: dict[str, Arm] = dict(chaser.arms or {})
    own = {name: _of_arm(name, models, everything) for name in models.arms}
    if chaser.joints is None and set(everything) == {n for part in own.values() for n in part}:
        for name, part in own.items():
            joints = FrozenDict({n.removeprefix(f"{name}_"): v for n, v in part.items()})
            arms[name] = arms[name].model_copy(update={"joints": joints})
        return chaser.model_copy(update={"arms": FrozenDict(arms)})
    # Joints of the base itself have no other place than the chaser, and one place is for all.
    bare = {name: arm.model_copy(update={"joints": None}) for name, arm in arms.items()}
    update: dict[str, Any] = {"joints": everything}
    if chaser.arms is not None and models.arms:
        update["arms"] = FrozenDict(bare)
    return chaser.model_copy(update=update)


def _of_arm(name: str, models: Models, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an arm's joints, of values by joint name."""
    names = [f"{name}_{joint.name}" for joint in models.arms[name].joints]
    return {full: values[full] for full in names if full in values}


def joint_paths(system: System, chaser: Chaser, models: Models) -> dict[str, Path]:
    """Where the coordinate of each joint that has one stands in a document, by joint name.

    At the chaser, or by the arms' own names at the arms of a chaser that is put together from
    models and has no coordinates of its own.
    """
    owners = _at_arms(chaser, models)
    names = [joint.name for joint in system.movable_joints]
    return {name: owners.get(name, (*_JOINTS, name)) for name in names}


def locked_paths(chaser: Chaser, models: Models) -> dict[str, Path]:
    """The places in a document that say at which coordinate each locked joint is held."""
    owners = _at_arms(chaser, models)
    return {name: owners.get(name, (*_JOINTS, name)) for name in _locked(chaser)}


def _at_arms(chaser: Chaser, models: Models) -> dict[str, Path]:
    """Joints whose coordinates stand at the arms, by their names in the chaser."""
    arms = {} if chaser.joints is not None else models.arms
    return {
        f"{name}_{joint.name}": ("chaser", "arms", name, "joints", joint.name)
        for name, arm in arms.items()
        for joint in arm.joints
    }


def _locked(chaser: Chaser) -> dict[str, Path]:
    """The joints to lock by their names in the chaser, and where the document says so."""
    at: Path = ("chaser",)
    found: dict[str, Path] = {
        name: (*at, "locked", k) for k, name in enumerate(chaser.locked or ())
    }
    for arm_name, arm in (chaser.arms or {}).items():
        found |= {
            f"{arm_name}_{name}": (*at, "arms", arm_name, "locked", k)
            for k, name in enumerate(arm.locked or ())
        }
    return found


def _by_full_name(chaser: Chaser) -> dict[str, Any]:
    """Every coordinate that is given by name, by the joint's name in the chaser."""
    own = _given(chaser, _JOINTS)
    found = dict(own) if isinstance(own, FrozenDict) else {}
    for name, arm in (chaser.arms or {}).items():
        given = _given(arm, ("chaser", "arms", name, "joints"))
        if isinstance(given, FrozenDict):
            found |= {f"{name}_{joint}": value for joint, value in given.items()}
    return found


def _given(source: Chaser | Arm, at: Path) -> Any:
    """What `joints` asks for, with the library's posture where it says `usual`."""
    if not isinstance(source.joints, str):
        return source.joints
    name = source.robot if isinstance(source.robot, str) else None
    posture = {} if name is None else entry(name).posture
    if not posture:
        which = "what is no robot of the library" if name is None else repr(name)
        raise EncounterError(
            at,
            f"{which} has no usual posture (percuss robots NAME tells it); give the positions of "
            f"the joints, got {shown(USUAL)}",
        )
    return FrozenDict(posture)


def _unlocked(joints: Any, prefix: str, chaser: Chaser) -> Any:
    """Coordinates without those of locked joints, which are not coordinates any more."""
    if not isinstance(joints, FrozenDict):
        return joints
    held = _locked(chaser)
    return FrozenDict({name: v for name, v in joints.items() if prefix + name not in held})
