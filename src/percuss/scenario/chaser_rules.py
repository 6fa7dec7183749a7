"""What the description of a chaser asks of its keys: one kind of robot, with what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from percuss.encounter.errors import Path, shown
from percuss.model.errors import closest
from percuss.scenario.block import Block
from percuss.scenario.body_rules import body_rules, orientation_rules
from percuss.scenario.chaser import Chaser
from percuss.scenario.errors import Problem
from percuss.scenario.fields import NumberWithUnit
from percuss.scenario.from_library import library_rules, name_of, system_of
from percuss.scenario.links import LinkBlock
from percuss.scenario.lists import FrozenDict
from percuss.scenario.units import in_words, parse_unit
from percuss.scenario.vehicle import MODELS, Arm, ModelSource

SOURCES = ("arm", "arms", "urdf", "robot", "mjcf", "system")
_SPATIAL_KEYS = ("orientation", "from", "joints", "locked")
"""Of an arm that is a model."""
_SHAPES = {"planar": ("disk", "box"), "spatial": ("box", "cylinder", "sphere")}


def is_composed(chaser: Chaser) -> bool:
    """Whether the chaser is put together from models: any of its arms, or its base, is one."""
    arms = (chaser.arms or {}).values()
    on_model = chaser.arms is not None and chaser.base is not None and bool(chaser.base.models)
    return on_model or any(arm.models for arm in arms)


def chaser_rules(chaser: Chaser) -> Iterator[Problem]:
    """One kind of robot, with what belongs to it."""
    at: Path = ("chaser",)
    given = [key for key in SOURCES if chaser.given(key)]
    if len(given) != 1:
        got = f"got {' and '.join(given)}" if given else "got none of them"
        hint = ". A model that carries arms is a base: {urdf: …}" if "arms" in given else ""
        yield Problem(at, f"must have exactly one of {', '.join(SOURCES)}, {got}{hint}")
        return
    (source,) = given
    composed = is_composed(chaser)
    from_links = source in ("arm", "arms") and not composed
    yield from _belongings(chaser, source, from_links, composed)
    if chaser.robot is not None:
        yield from library_rules(chaser.robot, "robot", (*at, "robot"))
    if chaser.orientation is not None:
        yield from orientation_rules(chaser.orientation, (*at, "orientation"))
    if source not in ("arm", "arms"):
        return
    yield from _base_rules(chaser, at, "spatial" if composed else "planar")
    if chaser.arms is not None and not chaser.arms:
        yield Problem((*at, "arms"), "must hold at least one arm, got {}")
    if chaser.arm is not None:
        yield from _link_rules(chaser.arm, (*at, "arm"))
    for name, arm in (chaser.arms or {}).items():
        yield from _arm_rules(arm, (*at, "arms", name), composed)
    if composed:
        yield from _joints_rules(chaser, at)
    else:
        yield from _mount_rules(chaser, at)


def _belongings(chaser: Chaser, source: str, from_links: bool, composed: bool) -> Iterator[Problem]:
    """Keys that go with one kind of robot only."""
    models = f"{', '.join(MODELS[:-1])} or {MODELS[-1]}"
    kind = f"not with {source}" if source != "arms" or composed else "not with arms of links"
    for key, belongs, allowed in (
        ("base", source in ("arm", "arms"), "arm or arms"),
        ("mount", from_links, "arm or arms of links"),
        ("parameters", not from_links, f"models ({models})"),
        ("strict", not from_links, f"models ({models})"),
    ):
        if chaser.given(key) and not belongs:
            more = "; give each arm its mount" if key == "mount" and composed else ""
            value = shown(_short(getattr(chaser, key)))
            yield Problem(("chaser", key), f"goes with {allowed}, {kind}, got {value}{more}")


def _base_rules(chaser: Chaser, at: Path, kind: str) -> Iterator[Problem]:
    base = chaser.base
    if base is None:
        if chaser.mode != "fixed":
            mode = chaser.mode or "free-floating"
            needs = f"is missing: mode {mode} needs a body under the arm"
            example = (
                "{shape: disk, mass: 100, radius: 1.0}"
                if kind == "planar"
                else "{shape: box, size: [1, 1, 1], mass: 500}"
            )
            yield Problem((*at, "base"), f"{needs}. Give base: {example}, or mode: fixed")
        return
    where = (*at, "base")
    if not base.models:
        yield from body_rules(base, where, _SHAPES[kind])
        if base.given("strict"):
            yield Problem((*where, "strict"), f"goes with a model file, got {shown(base.strict)}")
        return
    if kind == "planar":
        named = base.models[0]
        yield Problem(
            (*where, named),
            "is of a vehicle put together from models, which is spatial; under planar links give "
            f"{{shape: disk, mass: 100, radius: 1.0}}, got {shown(getattr(base, named))}",
        )
        return
    yield from source_rules(base, where)
    for key in ("shape", "mass", "radius", "length", "size", "inertia", "com"):
        if base.given(key):
            value = shown(_short(getattr(base, key)))
            named = base.models[0]
            yield Problem((*where, key), f"does not go with {named}, which has it, got {value}")


def source_rules(block: ModelSource, at: Path) -> Iterator[Problem]:
    """One model; a robot of the library that exists and moves in space."""
    if len(block.models) > 1:
        yield Problem(at, f"must name one model, got {' and '.join(block.models)}")
    if block.robot is None:
        return
    unknown = list(library_rules(block.robot, "robot", (*at, "robot")))
    yield from unknown
    if not unknown and system_of(block.robot).is_planar:
        yield Problem(
            (*at, "robot"),
            f"{name_of(block.robot)!r} is planar; a vehicle put together from models is spatial: "
            "planar and spatial parts do not mix",
        )


def _arm_rules(arm: Arm, at: Path, composed: bool) -> Iterator[Problem]:
    sources = [key for key in ("links", *MODELS) if arm.given(key)]
    if len(sources) != 1:
        got = f"got {' and '.join(sources)}" if sources else "got none of them"
        yield Problem(at, f"must have exactly one of links, {', '.join(MODELS)}, {got}")
        return
    mount = arm.mount
    if mount is not None and (mount.point is None) == (mount.frame is None):
        got = "both" if mount.point is not None else "neither"
        yield Problem((*at, "mount"), f"must be a point in m, or have frame: NAME, got {got}")
        return
    if arm.links is not None:
        yield from _planar_arm_rules(arm, at, composed)
        return
    yield from source_rules(arm, at)
    if arm.orientation is not None:
        yield from orientation_rules(arm.orientation, (*at, "orientation"))
    if arm.given("angle"):
        message = "is of a planar arm; give orientation: {rpy: [0, 0, …]}"
        yield Problem((*at, "angle"), f"{message}, got {arm.angle:g}")
    if mount is not None and mount.point is not None and len(mount.point) != 3:
        message = f"must have 3 entries in m: the arm is spatial ({sources[0]})"
        yield Problem((*at, "mount"), f"{message}, got {shown(list(mount.point))}")


def _planar_arm_rules(arm: Arm, at: Path, composed: bool) -> Iterator[Problem]:
    assert arm.links is not None
    if composed:
        yield Problem(
            at,
            "is a list of planar links beside models, which are spatial: planar and spatial parts "
            "do not mix",
        )
        return
    for key in (*_SPATIAL_KEYS, "strict"):
        if arm.given(key):
            yield Problem((*at, key), "goes with an arm that is a model, not with links")
    mount = arm.mount
    if mount is not None and (mount.point is None or len(mount.point) != 2):
        got = shown(mount.frame if mount.point is None else list(mount.point))
        yield Problem((*at, "mount"), f"must be a list of 2 numbers in m, got {got}")
    yield from _link_rules(arm.links, (*at, "links"))


def _joints_rules(chaser: Chaser, at: Path) -> Iterator[Problem]:
    """Joints stand at the chaser or at its arms."""
    if chaser.joints is None:
        return
    for name, arm in (chaser.arms or {}).items():
        if arm.joints is not None:
            yield Problem(
                (*at, "joints"),
                f"must stand at the chaser or at its arms, got both: arms.{name}.joints too",
            )
            return


def _mount_rules(chaser: Chaser, at: Path) -> Iterator[Problem]:
    where = (*at, "mount")
    by_name = isinstance(chaser.mount, FrozenDict)
    if chaser.mount is None:
        return
    if chaser.arm is not None and by_name:
        yield Problem(where, f"of one arm is a point [x, y] in m, got {shown(dict(chaser.mount))}")
    if chaser.arms is None:
        return
    if not by_name:
        message = "of several arms is a mapping by arm, {left: [x, y], …} in m"
        yield Problem(where, f"{message}, got {shown(chaser.mount)}")
        return
    for name in chaser.mount:
        if name not in chaser.arms:
            hint = closest(name, chaser.arms)
            there = ", ".join(chaser.arms)
            yield Problem((*where, name), f"there is no arm {name!r}.{hint} There are: {there}")
        elif chaser.arms[name].mount is not None:
            point = shown(chaser.mount[name])
            yield Problem((*where, name), f"the arm has its own mount already, got {point}")


def _link_rules(links: tuple[LinkBlock, ...], at: Path) -> Iterator[Problem]:
    if not links:
        yield Problem(at, "must hold at least one link {length: …, mass: …}, got []")
    for k, link in enumerate(links):
        where = (*at, k)
        angle, rate, effort, viscous = (
            (("rad",), ("rad/s",), ("N m",), ("N m s/rad", "N m s"))
            if link.joint == "revolute"
            else (("m",), ("m/s",), ("N",), ("N s/m",))
        )
        limits, friction = link.limits, link.friction
        checked: list[tuple[Path, Any, tuple[str, ...]]] = [(("torque",), link.torque, effort)]
        if limits is not None:
            checked += [
                (("limits", "lower"), limits.lower, angle),
                (("limits", "upper"), limits.upper, angle),
                (("limits", "speed"), limits.speed, rate),
            ]
            if limits.lower > limits.upper:
                bounds = f"{limits.lower:g} > {limits.upper:g}"
                yield Problem((*where, "limits"), f"lower must not exceed upper, got {bounds}")
        if friction is not None:
            checked += [
                (("friction", "viscous"), friction.viscous, viscous),
                (("friction", "coulomb"), friction.coulomb, effort),
                (("friction", "smoothing"), friction.smoothing, rate),
            ]
        for key, value, units in checked:
            yield from unit_rules(value, units, (*where, *key), f"of a {link.joint} joint")


def unit_rules(value: Any, units: tuple[str, ...], at: Path, what: str) -> Iterator[Problem]:
    """A number whose unit depends on another field; `what` names that."""
    values = value if isinstance(value, tuple) else (value,)
    allowed = [parse_unit(unit).dimension for unit in units]
    for entry in values:
        if isinstance(entry, NumberWithUnit) and entry.dimension not in (None, *allowed):
            given = in_words(entry.dimension)
            unit = " or ".join(units)
            yield Problem(at, f"{what} must be in {unit}, got {float(entry):g}, which is {given}")


def _short(value: Any) -> Any:
    return value.model_dump(exclude_unset=True) if isinstance(value, Block) else value
