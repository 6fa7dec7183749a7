"""The lecture's formulas, term by term, beside what percuss derives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from percuss.algebra.poses import Pose
from percuss.dynamics import (
    coriolis_forces,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
)
from percuss.kinematics import frame_pose, frame_velocity
from percuss.model.systems import Frame, System
from percuss.sources.comparison import Comparison
from percuss.sources.lecture.arm import letters, symbolic_arm
from percuss.sources.lecture.written import closed, exact, written


@dataclass(frozen=True)
class LectureTerm:
    """A formula as printed, as text and as an expression, and the one percuss derives."""

    quantity: str
    text: str
    printed: Any
    derived: Any
    remark: str = "agrees"

    @property
    def difference(self) -> Any:
        """Derived less printed, SymPy."""
        return exact(self.derived - self.printed)

    @property
    def agrees(self) -> bool:
        """Whether both are the same for all values of all symbols, decided exactly."""
        from percuss.dynamics.formulations.identities import is_identically_zero

        return is_identically_zero(_without_moment(self.difference))

    def row(self) -> Comparison:
        """This term as a row of the table; a wrong one says by how much."""
        import sympy

        apart = "0" if self.agrees else written(sympy.factor(closed(self.difference)))
        return Comparison(
            quantity=self.quantity,
            source=self.text,
            percuss=written(closed(self.derived)),
            difference=apart,
            remark=self.remark,
        )


def _without_moment(expression: Any) -> Any:
    """With c2 = ½ m2 l put in."""
    x = letters()
    return expression.subs(x.c2, x.m[1] * x.length / 2)


@lru_cache(maxsize=1)
def terms() -> tuple[LectureTerm, ...]:
    """Energies, M, h, fᵍ and the two equations of motion."""
    return (*_energies(), *_matrices(), *_equations())


def _energies() -> tuple[LectureTerm, ...]:
    import sympy

    x, arm = letters(), symbolic_arm()
    (q1, q2), (v1, v2), (m1, m2), (I1, I2) = x.theta, x.rates, x.m, x.inertia
    l, g, c2 = x.length, x.g, x.c2
    cos2, sin1, sin12 = sympy.cos(q2), sympy.sin(q1), sympy.sin(q1 + q2)
    speed = (l * v1) ** 2 + (l * (v1 + v2) / 2) ** 2 + l**2 * v1 * (v1 + v2) * cos2
    T2 = m2 * (l * v1) ** 2 / 2 + c2 * l * v1 * (v1 + v2) * cos2 + I2 * (v1 + v2) ** 2 / 2
    return (
        LectureTerm("T1", "½ I1 θ̇1²", I1 * v1**2 / 2, _kinetic(arm, "link1")),
        LectureTerm(
            "v²•,2",
            "(l θ̇1)² + (½ l (θ̇1 + θ̇2))² + l² θ̇1 (θ̇1 + θ̇2) cos θ2",
            speed,
            _squared_speed(arm),
        ),
        LectureTerm(
            "T2",
            "½ m2 (l θ̇1)² + c2 (l θ̇1)(θ̇1 + θ̇2) cos θ2 + ½ I2 (θ̇1 + θ̇2)²",
            T2,
            _kinetic(symbolic_arm(named_moment=True), "link2"),
        ),
        LectureTerm("V1", "½ m1 g l sin θ1", m1 * g * l * sin1 / 2, _potential(arm, "link1")),
        LectureTerm(
            quantity="V2",
            text="m1 g l (sin θ1 + ½ sin(θ1 + θ2))",
            printed=m1 * g * l * (sin1 + sin12 / 2),
            derived=_potential(arm, "link2"),
            remark="wrong: m1 for m2",
        ),
    )


def _matrices() -> tuple[LectureTerm, ...]:
    import sympy

    x = letters()
    (q1, q2), (v1, v2), (m1, m2), (I1, I2) = x.theta, x.rates, x.m, x.inertia
    l, g, c2 = x.length, x.g, x.c2
    moments, arm = symbolic_arm(named_moment=True), symbolic_arm()
    cos1, cos2, cos12 = sympy.cos(q1), sympy.cos(q2), sympy.cos(q1 + q2)
    M = mass_matrix(moments, sympy.Matrix([q1, q2]))
    h = coriolis_forces(moments, sympy.Matrix([q1, q2]), sympy.Matrix([v1, v2]))
    fall = -sympy.Matrix(gravity_forces(arm, sympy.Matrix([q1, q2])))
    coupled = I2 + c2 * l * cos2
    second = m2 * g * l * cos12 / 2
    return (
        LectureTerm(
            "M11",
            "I1 + I2 + m2 l² + 2 c2 l cos θ2",
            I1 + I2 + m2 * l**2 + 2 * c2 * l * cos2,
            M[0, 0],
        ),
        LectureTerm("M12", "I2 + c2 l cos θ2", coupled, M[0, 1]),
        LectureTerm("M21", "I2 + c2 l cos θ2", coupled, M[1, 0]),
        LectureTerm("M22", "I2", I2, M[1, 1]),
        LectureTerm(
            "h1",
            "−c2 l (2θ̇1 + θ̇2) θ̇2 sin θ2",
            -c2 * l * (2 * v1 + v2) * v2 * sympy.sin(q2),
            h[0],
        ),
        LectureTerm(
            quantity="h2",
            text="c2 l θ̇1² θ2",
            printed=c2 * l * v1**2 * q2,
            derived=h[1],
            remark="wrong: θ2 for sin θ2; right in the equation of motion",
        ),
        LectureTerm(
            "fᵍ, row 1",
            "−(½ m1 + m2) g l cos θ1 − ½ m2 g l cos(θ1 + θ2)",
            -(m1 / 2 + m2) * g * l * cos1 - second,
            fall[0],
        ),
        LectureTerm("fᵍ, row 2", "−½ m2 g l cos(θ1 + θ2)", -second, fall[1]),
    )


def _equations() -> tuple[LectureTerm, ...]:
    """Both equations of motion against inverse dynamics on symbols."""
    import sympy

    x = letters()
    (q1, q2), (v1, v2), (a1, a2) = x.theta, x.rates, x.accelerations
    (m1, m2), (I1, I2) = x.m, x.inertia
    l, g, c2 = x.length, x.g, x.c2
    cos2, sin2, cos12 = sympy.cos(q2), sympy.sin(q2), sympy.cos(q1 + q2)
    q, v, a = (sympy.Matrix(part) for part in (x.theta, x.rates, x.accelerations))
    tau = inverse_dynamics(symbolic_arm(named_moment=True), q, v, a)
    weight = m2 * g * l * cos12 / 2
    first = (I1 + I2 + m2 * l**2 + 2 * c2 * l * cos2) * a1 + (I2 + c2 * l * cos2) * a2
    first += -c2 * l * (2 * v1 + v2) * v2 * sin2 + (m1 / 2 + m2) * g * l * sympy.cos(q1) + weight
    second = (I2 + c2 * l * cos2) * a1 + I2 * a2 + c2 * l * v1**2 * sin2 + weight
    return (
        LectureTerm(
            quantity="τ1",
            text="(I1 + I2 + m2 l² + 2 c2 l cos θ2) θ̈1 + (I2 + c2 l cos θ2) θ̈2 "
            "− c2 l (2θ̇1 + θ̇2) θ̇2 sin θ2 + (½ m1 + m2) g l cos θ1 + ½ m2 g l cos(θ1 + θ2)",
            printed=first,
            derived=tau[0],
            remark="agrees; c2 = ½ m2 l",
        ),
        LectureTerm(
            quantity="τ2",
            text="(I2 + c2 l cos θ2) θ̈1 + I2 θ̈2 + c2 l θ̇1² sin θ2 + ½ m2 g l cos(θ1 + θ2)",
            printed=second,
            derived=tau[1],
            remark="agrees; c2 = ½ m2 l",
        ),
    )


def _state() -> tuple[Any, Any]:
    import sympy

    x = letters()
    return sympy.Matrix(x.theta), sympy.Matrix(x.rates)


def _kinetic(arm: System, link: str) -> Any:
    """The kinetic energy of one body, from the velocity of its frame and its inertia there."""
    moving = frame_velocity(arm, *_state(), link, reference="body")
    return arm.node(link).body.spatial_inertia.kinetic_energy(moving)


def _squared_speed(arm: System) -> Any:
    """The squared speed of link 2's centre of mass."""
    center = Frame("centre", "link2", Pose(position=arm.node("link2").body.com))
    moving = frame_velocity(arm, *_state(), center).linear
    return moving.dot(moving)


def _potential(arm: System, link: str) -> Any:
    """m g times the height of a body's centre of mass."""
    body = arm.node(link).body
    height = frame_pose(arm, _state()[0], link).act(body.com).y
    return body.mass * letters().g * height
