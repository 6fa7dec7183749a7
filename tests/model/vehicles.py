"""A vehicle twice: as parts to put together, and written as one URDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra import Pose
from percuss.model import Mounted, System, compose, parse_urdf
from tests.model.urdf_text import joint, link, robot

ROOTS = ("massive", "massless", "offset")
"""A root link with mass; one without, on which the first joint turns; `world` with a displaced
pedestal fixed to it."""

LIMIT = '<limit lower="-2" upper="2" effort="9" velocity="1"/>'


def triple(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def origin(xyz: Any, rpy: Any = (0.0, 0.0, 0.0)) -> str:
    return f'<origin xyz="{triple(xyz)}" rpy="{triple(rpy)}"/>'


def inertial(random: np.random.Generator, mass: float) -> str:
    """A mass somewhere, with the inertia of three rods in any directions."""
    rods = random.normal(size=(3, 3)) * 0.3
    tensor = mass * (float((rods * rods).sum()) * np.eye(3) - rods.T @ rods)
    keys = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    moments = " ".join(f'i{key}="{float(tensor[at])!r}"' for key, at in keys.items())
    return (
        f"<inertial>{origin(random.normal(size=3) * 0.2)}"
        f'<mass value="{mass!r}"/><inertia {moments}/></inertial>'
    )


@dataclass(frozen=True)
class Written:
    """The lines of an arm in a URDF, and the name of its root link."""

    lines: tuple[str, ...]
    root: str


def written_arm(seed: int, kind: str, prefix: str = "") -> Written:
    """Three joints and a tool, on a root of the given kind; names begin with the prefix."""
    random = np.random.default_rng(seed)
    root = f"{prefix}{'world' if kind == 'offset' else 'base_link'}"
    lines = [link(root, inertial(random, 4.0) if kind == "massive" else "")]
    parent = root
    if kind == "offset":
        parent = f"{prefix}pedestal"
        lines.append(link(parent, inertial(random, 6.0)))
        place = origin(random.normal(size=3), random.uniform(-1.4, 1.4, 3))
        lines.append(joint(f"{prefix}stand", root, parent, "fixed", place))
    for k, sort in enumerate(("revolute", "prismatic", "revolute")):
        child = f"{prefix}link{k}"
        place = origin(random.normal(size=3) * 0.5, random.uniform(-1.4, 1.4, 3))
        axis = random.normal(size=3)
        content = f'{place}<axis xyz="{triple(axis / np.linalg.norm(axis))}"/>{LIMIT}'
        lines.append(joint(f"{prefix}joint{k}", parent, child, sort, content))
        lines.append(link(child, inertial(random, float(random.uniform(0.5, 5.0)))))
        parent = child
    place = origin(random.normal(size=3) * 0.3, random.uniform(-1.4, 1.4, 3))
    lines += [
        link(f"{prefix}tool", ""),
        joint(f"{prefix}flange", parent, f"{prefix}tool", "fixed", place),
    ]
    return Written(tuple(lines), root)


@dataclass(frozen=True)
class Twice:
    """One vehicle, put together and written as one file."""

    composed: System
    whole: System
    text: str


def vehicle(seed: int, kinds: dict[str, str], on_frame: bool, mode: str = "free-floating") -> Twice:
    """A satellite with a bracket and arms of the given kinds, mounted anywhere."""
    random = np.random.default_rng(seed)
    bracket = origin(random.normal(size=3), random.uniform(-1.4, 1.4, 3))
    satellite = [
        link("satellite", inertial(random, 80.0)),
        link("bracket", ""),
        joint("bracket_joint", "satellite", "bracket", "fixed", bracket),
    ]
    arms, lines = {}, [*satellite]
    for k, (name, kind) in enumerate(kinds.items()):
        xyz, rpy = random.normal(size=3), random.uniform(-1.4, 1.4, 3)
        on = "bracket" if on_frame else None
        arm = parse_urdf(robot(*written_arm(seed + k, kind).lines), mode="fixed")
        arms[name] = Mounted(arm, Pose.at(xyz, rpy=rpy), on)
        written = written_arm(seed + k, kind, f"{name}_")
        lines += written.lines
        lines.append(
            joint(f"{name}_mount", on or "satellite", written.root, "fixed", origin(xyz, rpy))
        )
    text = robot(*lines)
    base = parse_urdf(robot(*satellite), mode=mode)
    return Twice(compose(base, arms), parse_urdf(text, mode=mode), text)
