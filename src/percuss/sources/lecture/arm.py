"""The lecture's arm: the library's robot "lecture" with symbols, or with numbers that tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from percuss.model.library.registry import robot
from percuss.model.systems import System

Array = np.ndarray


@dataclass(frozen=True)
class Letters:
    """The lecture's symbols, SymPy. Moments of mass c and of inertia I are about the joints."""

    theta: tuple[Any, Any]
    rates: tuple[Any, Any]
    accelerations: tuple[Any, Any]
    m: tuple[Any, Any]
    inertia: tuple[Any, Any]
    """I1, I2 (kg m²)."""
    length: Any
    g: Any
    c2: Any
    """First moment of mass of link 2, ½ m2 l (kg m)."""


@lru_cache(maxsize=1)
def letters() -> Letters:
    """One set of symbols for all of it."""
    import sympy

    def pair(name: str) -> tuple[Any, Any]:
        return sympy.Symbol(f"{name}1"), sympy.Symbol(f"{name}2")

    return Letters(
        theta=pair("θ"),
        rates=pair("θ̇"),
        accelerations=pair("θ̈"),
        m=pair("m"),
        inertia=pair("I"),
        length=sympy.Symbol("l"),
        g=sympy.Symbol("g"),
        c2=sympy.Symbol("c2"),
    )


@lru_cache(maxsize=2)
def symbolic_arm(named_moment: bool = False) -> System:
    """The arm of the lecture: equal lengths l, masses m1, m2, moments I1, I2 about the joints.

    With `named_moment` link 2's first moment of mass is the symbol c2, as in the lecture's M and
    h; else its centre is at mid-link, as in its energies. Both are the same arm, c2 = ½ m2 l.
    """
    x = letters()
    (m1, m2), (I1, I2) = x.m, x.inertia
    first, second = x.length / 2, x.c2 / m2 if named_moment else x.length / 2
    values = {"joint2.placement.x": x.length, "tool.placement.x": x.length, "gravity.y": -x.g}
    for name, mass, center, about in (("link1", m1, first, I1), ("link2", m2, second, I2)):
        values[f"{name}.mass"] = mass
        values[f"{name}.com.x"] = center
        # A rod along x: the moments about y and z are the same.
        for axis in ("yy", "zz"):
            values[f"{name}.inertia.{axis}"] = about - mass * center**2
    return robot("lecture").with_parameters(values)


@dataclass(frozen=True)
class LectureSample:
    """Rods with numbers in which the printed and the right formulas differ.

    The library's arm has two equal links, with which V2 cannot be seen to have the wrong mass.
    Lengths in m, masses in kg, angles in rad, rates in rad/s.
    """

    m1: float = 2.0
    m2: float = 3.0
    length: float = 1.2
    g: float = 9.81
    theta: tuple[float, float] = (0.7, 1.1)
    rates: tuple[float, float] = (0.4, -0.9)

    @cached_property
    def system(self) -> System:
        """The library's robot with these numbers."""
        values = {
            "joint2.placement.x": self.length,
            "tool.placement.x": self.length,
            "gravity.y": -self.g,
        }
        for name, mass in (("link1", self.m1), ("link2", self.m2)):
            values[f"{name}.mass"] = mass
            values[f"{name}.com.x"] = self.length / 2
            for axis in ("yy", "zz"):
                values[f"{name}.inertia.{axis}"] = mass * self.length**2 / 12
        return robot("lecture").with_parameters(values)

    @property
    def c2(self) -> float:
        """½ m2 l (kg m)."""
        return self.m2 * self.length / 2

    def values(self) -> dict[Any, float]:
        """Numbers of the symbols, accelerations left out."""
        x = letters()
        inertia = [m * self.length**2 / 3 for m in (self.m1, self.m2)]
        names = (*x.theta, *x.rates, *x.m, *x.inertia, x.length, x.g, x.c2)
        numbers = (*self.theta, *self.rates, self.m1, self.m2, *inertia, self.length, self.g)
        return dict(zip(names, (*numbers, self.c2), strict=True))


SAMPLE = LectureSample()
