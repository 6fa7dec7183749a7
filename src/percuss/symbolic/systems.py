"""Which systems a file or a robot's name stands for, and their derivations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from percuss.dynamics.formulations.closed_forms import closed_forms
from percuss.dynamics.formulations.symbols import symbolic_system
from percuss.impact.closures import pinned
from percuss.impact.contact import Contact
from percuss.model.errors import ModelError, choices, closest
from percuss.model.files import model_kind, read_model
from percuss.model.library.registry import robot, robots
from percuss.model.systems import BaseMode, Frame, System
from percuss.model.yaml_text import load_yaml
from percuss.scenario import Scenario, ScenarioError, build, load, with_overrides
from percuss.symbolic.collect import collect
from percuss.symbolic.derivation import Derivation
from percuss.symbolic.recursive import derive_recursively

CAPTURES = {"pin": "pinned to the tool", "published": "pinned to the tool", "weld": "welded on"}
"""Closures after which the target hangs from the tool, and how."""


@dataclass(frozen=True)
class SystemPart:
    """A system to derive: `name` goes into names of functions, `frames` get Jacobians."""

    name: str
    title: str
    system: System
    frames: tuple[str, ...]
    labels: dict[str, str]


def derive_system(
    system: System,
    frames: Sequence[str] | None = None,
    *,
    name: str = "arm",
    title: str | None = None,
    labels: dict[str, str] | None = None,
) -> Derivation:
    """M, c, g and the Jacobians of frames of a system, in symbols.

    Args:
        frames: names of frames; default all of the system's own.
        name: put before the names of functions.
        labels: of bodies in the names of parameters; see `symbolic_system`.

    A planar system comes in closed form, sines and cosines of sums of angles and all recurring
    parts named. A spatial one comes as the recursion builds it.
    """
    wanted = tuple(frame.name for frame in system.frames) if frames is None else tuple(frames)
    symbolic = symbolic_system(system, wanted, labels)
    title = system.name if title is None else title
    if system.is_planar:
        return collect(closed_forms(symbolic, wanted), name, title)
    return derive_recursively(symbolic, wanted, name, title)


def derive(
    source: str | Path | Scenario, mode: BaseMode | str | None = None
) -> tuple[Derivation, ...]:
    """Derivations for a scenario (chaser, target, captured system) or a robot of the library.

    `mode` is what the robot's base can do, where it shall not be as the source has it.
    """
    return tuple(
        derive_system(
            part.system, part.frames, name=part.name, title=part.title, labels=part.labels
        )
        for part in parts(source, mode)
    )


def parts(
    source: str | Path | Scenario, mode: BaseMode | str | None = None
) -> tuple[SystemPart, ...]:
    """The systems that a scenario, its file or a robot's name stands for; `mode` of its base."""
    mode = None if mode is None else BaseMode(mode)
    if isinstance(source, Scenario):
        return _scenario_parts(_with_mode(source, mode))
    names = {entry.name: entry for entry in robots()}
    if str(source) in names:
        entry = names[str(source)]
        system = _in_mode(robot(entry.name), mode)
        kind = "arm" if entry.kind == "robot" else "target"
        return (_part(kind, f"{entry.name}: {entry.title}", system, system.frames),)
    path = Path(source)
    if path.suffix not in (".yaml", ".yml") and not path.exists():
        raise ModelError(
            f"{str(source)!r} is neither a file nor a robot of the library."
            f"{closest(source, names)} Give a scenario (YAML) or one of: {choices(source, names)}"
        )
    if path.is_file() and (model_kind(path) in ("urdf", "mjcf") or _is_system(path)):
        system = read_model(path, mode=mode)
        return (_part("arm", system.name, system, system.frames),)
    return _scenario_parts(_with_mode(load(path), mode))


def _in_mode(system: System, mode: BaseMode | None) -> System:
    return system if mode is None else system.with_mode(mode)


def _with_mode(scenario: Scenario, mode: BaseMode | None) -> Scenario:
    return scenario if mode is None else with_overrides(scenario, {"chaser.mode": str(mode)})


def _is_system(path: Path) -> bool:
    """Whether a YAML file holds a system as `save_system` writes it, not a scenario."""
    document = load_yaml(path)
    return isinstance(document, dict) and {"bodies", "joints"} <= set(document)


def _scenario_parts(scenario: Scenario) -> tuple[SystemPart, ...]:
    if scenario.orbit is not None:
        raise ScenarioError(
            "orbit: closed forms have no loads of an orbit, which change with time; leave orbit "
            "out of the scenario"
        )
    contact = _with_tool(build(scenario))
    target = {contact.target.base.name: "t"}
    chaser, free = contact.chaser, contact.target
    found = [
        _part("arm", f"{scenario.name}: the chaser", chaser, [contact.tool]),
        _part("target", f"{scenario.name}: the target", free, [contact.grip], labels=target),
    ]
    closure = scenario.impact.closure
    if closure in CAPTURES:
        held = contact.attached("fixed") if closure == "weld" else pinned(contact)
        title = f"{scenario.name}: captured, the target {CAPTURES[closure]}"
        found.append(_part("captured", title, held.joined, [contact.tool], labels=target))
    return tuple(found)


def _part(
    name: str,
    title: str,
    system: System,
    frames: Sequence[Frame],
    *,
    labels: dict[str, str] | None = None,
) -> SystemPart:
    return SystemPart(
        name=name,
        title=title,
        system=system,
        frames=tuple(frame.name for frame in frames),
        labels=labels or {},
    )


def _with_tool(contact: Contact) -> Contact:
    """The contact with its tool among the chaser's named frames."""
    tool: Any = contact.tool
    if tool in contact.chaser.frames:
        return contact
    taken = {f.name for f in contact.chaser.frames} | {b.name for b in contact.chaser.bodies}
    while tool.name in taken:
        tool = replace(tool, name=f"{tool.name} point")
    return replace(contact, chaser=contact.chaser.with_frames(tool), tool=tool)
