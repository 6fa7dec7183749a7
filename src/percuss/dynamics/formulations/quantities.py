"""Names for the coordinates, rates and bodies of a system: x, theta0, q1, and labels 1, 2, b, t."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy

from percuss.model.joints import Planar, Prismatic, Revolute
from percuss.model.systems import Joint, System

GREEK = ("alpha", "beta", "theta", "omega")


@dataclass(frozen=True)
class SymbolQuantity:
    """A symbol with its LaTeX, what it stands for, its unit, and its value if it has one."""

    symbol: Any
    latex: str
    meaning: str
    unit: str
    value: float | None = None


def letter(name: str, label: str = "") -> tuple[str, str]:
    """Name and LaTeX of a letter with a label: m1 and m_{1}, I_b and I_{b}, ex1 and e_{x,1}."""
    head = next((greek for greek in GREEK if name.startswith(greek)), name[0])
    detail = name[len(head) :]
    plain = f"{name}{label}" if label[:1].isdigit() or not label else f"{name}_{label}"
    subscript = ",".join(part for part in (detail, label) if part)
    tall = f"\\{head}" if head in GREEK else head
    return plain, f"{tall}_{{{subscript}}}" if subscript else tall


def body_labels(system: System) -> dict[str, str]:
    """A label for each body: the number of its joint's coordinate, b for the base, t for a target.

    Bodies on joints of none or several coordinates are f1, f2 …
    """
    numbers = joint_numbers(system)
    labels: dict[str, str] = {}
    others = 0
    for joint in system.joints:
        if joint.name in numbers:
            labels[joint.child] = str(numbers[joint.name])
        elif joint is system.base_joint:
            labels[joint.child] = "b"
        else:
            others += 1
            labels[joint.child] = f"f{others}"
    if "target" in labels:
        labels["target"] = "t"
    return labels


def joint_numbers(system: System) -> dict[str, int]:
    """Revolute and prismatic joints counted in the order of the coordinates: q1, q2 …"""
    single = [j for j in system.joints if isinstance(j.motion, (Revolute, Prismatic))]
    return {joint.name: k for k, joint in enumerate(single, start=1)}


def coordinate_quantities(system: System, labels: dict[str, str]) -> tuple[SymbolQuantity, ...]:
    """A symbol for each coordinate: x, y, theta0 of a planar base, q1 … of the joints."""
    names = iter(system.coordinate_names)
    found = []
    for joint, suffix, symbol in _named(system, labels, "coordinate_names"):
        plain, latex = symbol
        found.append(SymbolQuantity(sympy.Symbol(plain), latex, next(names), _unit(joint, suffix)))
    return tuple(found)


def rate_quantities(system: System, labels: dict[str, str]) -> tuple[SymbolQuantity, ...]:
    """A symbol for each rate: q1_dot of q1; vx … wz of free and spherical joints."""
    names, units = iter(system.rate_names), iter(system.rate_units)
    found = []
    for joint, _, (plain, latex) in _named(system, labels, "rate_names"):
        if isinstance(joint.motion, (Revolute, Prismatic, Planar)):
            plain, latex = f"{plain}_dot", f"\\dot{{{latex.split('_')[0]}}}{_tail(latex)}"
        found.append(SymbolQuantity(sympy.Symbol(plain), latex, f"rate {next(names)}", next(units)))
    return tuple(found)


def _tail(latex: str) -> str:
    """The subscript of a LaTeX symbol, which does not belong under the dot."""
    _, mark, subscript = latex.partition("_")
    return mark + subscript


def _named(
    system: System, labels: dict[str, str], kind: str
) -> Iterator[tuple[Joint, str, tuple[str, str]]]:
    """(joint, suffix, (name, LaTeX)) of every coordinate or rate in order."""
    numbers = joint_numbers(system)
    for joint in system.joints:
        label = labels[joint.child]
        for suffix in getattr(joint.motion, kind):
            if not suffix:
                yield joint, suffix, letter("q", str(numbers[joint.name]))
                continue
            own = "" if label == "b" else label
            if suffix == "angle":
                yield joint, suffix, letter("theta", own or "0")
            else:
                yield joint, suffix, letter(suffix, own)


def _unit(joint: Joint, suffix: str) -> str:
    if suffix in ("x", "y", "z"):
        return "m"
    if suffix.startswith("q"):
        return "1"
    return "m" if isinstance(joint.motion, Prismatic) else "rad"
