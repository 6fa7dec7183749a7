"""The models that a chaser names: read from files and the library, with what was changed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.provenance import Notice
from percuss.model.compose import rooted
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.files import READERS
from percuss.model.joints import Planar
from percuss.model.systems import System
from percuss.scenario.chaser import Chaser
from percuss.scenario.errors import Problem
from percuss.scenario.from_library import name_of, system_of
from percuss.scenario.vehicle import Arm, ModelSource


@dataclass(frozen=True)
class Models:
    """Every model that a chaser names, as it was read.

    `whole` is the chaser itself where one model is all of it; `base` and `arms` are the parts
    of one that is put together, each arm from where it begins.
    """

    whole: System | None = None
    base: System | None = None
    arms: Mapping[str, System] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def model_files(chaser: Chaser) -> dict[Path, str]:
    """The files of models that a chaser names, by their places in the document."""
    return {
        (*at, key): str(getattr(source, key))
        for at, source in _sources(chaser).items()
        for key in source.models
        if key != "robot"
    }


def _sources(chaser: Chaser) -> dict[Path, ModelSource]:
    """The blocks that may name a model, by their places."""
    sources: dict[Path, ModelSource] = {("chaser",): chaser}
    sources |= {} if chaser.base is None else {("chaser", "base"): chaser.base}
    arms = chaser.arms or {}
    return sources | {("chaser", "arms", name): arm for name, arm in arms.items()}


def read_models(chaser: Chaser, folder: FilePath) -> tuple[Models, list[Problem]]:
    """The models of a chaser, or every reason why one cannot be read.

    The base, or the chaser as a whole, is read for its base mode; arms as they stand on the
    world by their roots. Files are relative to `folder`.
    """
    found: dict[Path, System] = {}
    notices: list[Notice] = []
    problems: list[Problem] = []
    for at, source in _sources(chaser).items():
        if not source.models:
            continue
        strict = bool(chaser.strict or source.strict)
        mode = "fixed" if len(at) > 2 else chaser.mode
        try:
            system = _read(source, at, folder, mode, strict=strict)
            if source is not chaser:
                _refuse_planar(source, system, at)
            if isinstance(source, Arm):
                system = _rooted(source, system, at)
        except EncounterError as error:
            problems.append(Problem(error.path, error.message))
            continue
        found[at] = system
        named = name_of(getattr(source, source.models[0]))
        fresh = [Notice(named, change) for change in system.changes]
        # Two arms may be of one file: what was changed in it is told once.
        notices += [notice for notice in fresh if notice not in notices]
    models = Models(
        found.get(("chaser",)),
        found.get(("chaser", "base")),
        {str(at[2]): system for at, system in found.items() if len(at) > 2},
        tuple(notices),
    )
    return models, problems


def _read(
    source: ModelSource, at: Path, folder: FilePath, mode: str | None, *, strict: bool
) -> System:
    (key,) = source.models
    if source.robot is not None:
        return system_of(source.robot)
    given = str(getattr(source, key))
    path = folder / given
    # A saved system has a mode of its own, which is changed when the chaser is placed.
    wanted = None if key == "system" else mode or "free-floating"
    try:
        with warnings.catch_warnings():
            # What was changed is in `System.changes`, and is told with the file's name.
            warnings.simplefilter("ignore", ModelNotice)
            return READERS[key](path, mode=wanted, name=None, strict=strict)
    except FileNotFoundError:
        raise EncounterError((*at, key), f"there is no file {shown(str(path))}") from None
    except (OSError, ValueError, ImportError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise EncounterError((*at, key), f"{shown(given)} cannot be read: {reason}") from None


def _refuse_planar(source: ModelSource, system: System, at: Path) -> None:
    if isinstance(system.base_joint.motion, Planar):
        key = source.models[0]
        raise EncounterError(
            (*at, key),
            f"{shown(name_of(getattr(source, key)))} is planar; a vehicle put together from models "
            "is spatial: planar and spatial parts do not mix",
        )


def _rooted(arm: Arm, system: System, at: Path) -> System:
    """The model as an arm: from its root, or from the joint or frame at which it begins."""
    try:
        return rooted(system, arm.from_)
    except ModelError as error:
        key = arm.models[0] if arm.from_ is None else "from"
        raise EncounterError((*at, key), str(error)) from None
