"""A system with letters for its numbers, as a person would name them: m1, l1, a1, I1, g.

======================  =====================================================================
letter                  stands for
======================  =====================================================================
m                       mass (kg)
a                       centre of mass along the link; with a second letter its axis (m)
I                       moment of inertia about the centre of mass (kg m²)
l                       length of a link: where the next joint or the tool sits on it (m)
e                       place of a joint on its parent, by axis (m)
r                       place of a body in its joint's moved frame, by axis (m)
p                       place of a frame on its body, by axis (m)
alpha, beta             how a joint's frame, a body in the moved frame is turned (rad)
g                       acceleration of free fall (m/s²)
======================  =====================================================================

Links are numbered as their joints are, in the order of the coordinates; b is the base and t the
target. What is zero stays zero, and right angles stay right, so that closed forms keep the shape
that the system gives them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from percuss.algebra.scalars import is_constant
from percuss.dynamics.formulations.quantities import (
    SymbolQuantity,
    body_labels,
    coordinate_quantities,
    letter,
    rate_quantities,
)
from percuss.model.joints import Mimic
from percuss.model.parameters import frame_key, parameters
from percuss.model.systems import WORLD, Frame, Joint, System

_ANGLES = {"roll": "x", "pitch": "y", "yaw": "z"}
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")

_ROUNDING = 1e-14
"""Relative size of what is left where two numbers should have cancelled."""


@dataclass(frozen=True)
class SymbolicSystem:
    """A system on symbols: its parameters that are not zero, its coordinates and its rates."""

    system: System
    coordinates: tuple[SymbolQuantity, ...]
    rates: tuple[SymbolQuantity, ...]
    parameters: tuple[SymbolQuantity, ...]

    @property
    def values(self) -> dict[Any, float]:
        """The number of each parameter."""
        return {p.symbol: p.value for p in self.parameters if p.value is not None}


def symbolic_system(
    system: System, frames: Iterable[str] = (), labels: Mapping[str, str] | None = None
) -> SymbolicSystem:
    """The system with symbols for its parameters, and symbols for coordinates and rates.

    Args:
        frames: names of the system's frames whose places get symbols too.
        labels: of bodies by name, where the usual one (a number, b, t) is not wanted.

    Parameters that are symbols already stay as they are. Joint axes, couplings and
    friction stay numbers.
    """
    known = {**body_labels(system), **(labels or {})}
    letters = _Letters(system, known, parameters(system))
    for body in system.bodies:
        letters.body(body.name)
    for joint in system.joints:
        letters.joint(joint)
    for name in frames:
        letters.frame(system.frame(name))
    letters.gravity()
    return SymbolicSystem(
        system.with_parameters(letters.replaced),
        coordinate_quantities(system, known),
        rate_quantities(system, known),
        tuple(letters.found.values()),
    )


@dataclass
class _Letters:
    """Gathers symbols for the parameters of a system."""

    system: System
    labels: dict[str, str]
    values: dict[str, Any]
    found: dict[str, SymbolQuantity] = field(default_factory=dict)
    replaced: dict[str, Any] = field(default_factory=dict)

    def body(self, name: str) -> None:
        label = self.labels[name]
        self._put(f"{name}.mass", "m", label, f"mass of {name}", unit="kg")
        com = self._used(f"{name}.com", "xyz")
        for axis in com:
            symbol = "a" if com == ["x"] else f"a{axis}"
            self._put(
                f"{name}.com.{axis}", symbol, label, f"centre of mass of {name}, {axis}", unit="m"
            )
        self._inertia(name, label)

    def _inertia(self, name: str, label: str) -> None:
        planar, about = self.system.is_planar, f"of {name} about its centre of mass"
        for key in self._used(f"{name}.inertia", ["zz"] if planar else _MOMENTS):
            symbol = "I" if planar else f"I{key}"
            self._put(
                f"{name}.inertia.{key}", symbol, label, f"inertia {key} {about}", unit="kg m²"
            )
        moment = self.replaced.get(f"{name}.inertia.zz")
        if planar and moment is not None and f"{name}.inertia.xx" in self.values:
            # In the plane nothing depends on the other moments: those of a flat plate will do.
            flat = {"xx": moment / 2, "yy": moment / 2, "xy": 0.0, "xz": 0.0, "yz": 0.0}
            self.replaced |= {f"{name}.inertia.{key}": value for key, value in flat.items()}

    def joint(self, joint: Joint) -> None:
        label = self.labels[joint.child]
        placement, carried = f"{joint.name}.placement", f"{joint.name}.child_placement"
        self._place(placement, joint.parent, "e", label, what=f"{joint.name} on {joint.parent}")
        self._turn(placement, "alpha", label, f"{joint.name} on {joint.parent}")
        self._place(carried, WORLD, "r", label, what=f"{joint.child} from {joint.name}")
        self._turn(carried, "beta", label, f"{joint.child} from {joint.name}")
        if isinstance(joint.motion, Mimic):
            # Angles are exact only with rational factors: those that the digits say.
            for key in (f"{joint.name}.mimic.multiplier", f"{joint.name}.mimic.offset"):
                if is_constant(self.values[key]):
                    self.replaced[key] = sympy.Rational(repr(float(self.values[key])))

    def frame(self, frame: Frame) -> None:
        key, label = frame_key(self.system, frame.name), self.labels[frame.body]
        self._place(key, frame.body, "p", label, what=f"{frame.name} on {frame.body}")

    def gravity(self) -> None:
        axes = self._used("gravity", "xyz")
        for axis in axes:
            value = float(self.values[f"gravity.{axis}"])
            downwards = len(axes) == 1 and value < 0
            meaning = f"free fall along {'-' if downwards else ''}{axis}"
            name = "g" if downwards else f"g{axis}"
            symbol = self._symbol(
                name, "", meaning, "m/s²", value=abs(value) if downwards else value
            )
            self.replaced[f"gravity.{axis}"] = -symbol if downwards else symbol

    def _place(self, key: str, parent: str, name: str, label: str, *, what: str) -> None:
        axes = self._without_rounding(key, self._used(key, "xyz"))
        carrier = self.labels.get(parent, "")
        if axes == ["x"] and carrier.isdigit():
            length = letter("l", carrier)[0]
            # Of several things at different places on a link only one sits at its end.
            if length not in self.found or self.found[length].value == self.values[f"{key}.x"]:
                self._put(f"{key}.x", "l", carrier, f"length of {parent}", unit="m")
                return
        for axis in axes:
            self._put(f"{key}.{axis}", name + axis, label, f"place of {what}, {axis}", unit="m")

    def _without_rounding(self, key: str, axes: list[str]) -> list[str]:
        """The entries that are not mere rounding of the largest; those that are become zero.

        A target that is attached as it lies has been turned to and fro.
        """
        largest = max((abs(self.values[f"{key}.{axis}"]) for axis in axes), default=0.0)
        small = [axis for axis in axes if abs(self.values[f"{key}.{axis}"]) < _ROUNDING * largest]
        self.replaced |= {f"{key}.{axis}": 0.0 for axis in small}
        return [axis for axis in axes if axis not in small]

    def _turn(self, key: str, name: str, label: str, what: str) -> None:
        for angle in self._used(key, _ANGLES):
            turns = self.values[f"{key}.{angle}"] / (math.pi / 2)
            if abs(turns - round(turns)) < _ROUNDING:
                self.replaced[f"{key}.{angle}"] = round(turns) * math.pi / 2
            else:
                symbol = name if self.system.is_planar else name + _ANGLES[angle]
                self._put(f"{key}.{angle}", symbol, label, f"{angle} of {what}", unit="rad")

    def _used(self, key: str, parts: Iterable[str]) -> list[str]:
        """Which of the entries are numbers other than zero."""
        entries = {part: self.values[f"{key}.{part}"] for part in parts}
        return [part for part, value in entries.items() if is_constant(value) and value != 0]

    def _put(self, key: str, name: str, label: str, meaning: str, *, unit: str) -> None:
        value = self.values[key]
        if is_constant(value):
            self.replaced[key] = self._symbol(name, label, meaning, unit, value=float(value))

    def _symbol(self, name: str, label: str, meaning: str, unit: str, *, value: float) -> Any:
        plain, latex = letter(name, label)
        known = self.found.get(plain)
        if known is not None and known.value != value:
            # Two frames of one body, say: the second gets a number behind.
            return self._symbol(name, f"{label}{len(self.found)}", meaning, unit, value=value)
        if known is None:
            self.found[plain] = SymbolQuantity(
                symbol=sympy.Symbol(plain), latex=latex, meaning=meaning, unit=unit, value=value
            )
        return self.found[plain].symbol
