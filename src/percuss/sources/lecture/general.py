"""The lecture's general formulas, checked exactly on its own arm or on any link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.dynamics import bias_forces, inverse_dynamics, mass_matrix
from percuss.kinematics import frame_velocity, jacobian
from percuss.sources.comparison import Comparison
from percuss.sources.lecture.arm import letters, symbolic_arm
from percuss.sources.lecture.written import exact


def general_rows() -> tuple[Comparison, ...]:
    """Each formula of the general case: whether percuss's own route gives the same."""
    return tuple(_row(*entry) for entry in _FORMULAS)


def residuals() -> dict[str, Any]:
    """Formula less percuss, a SymPy matrix for each, zero if it is right."""
    return {name: residual() for name, _, _, residual in _FORMULAS}


def _row(name: str, text: str, other: str, residual: Callable[[], Any]) -> Comparison:
    from percuss.dynamics.formulations.identities import is_identically_zero

    right = is_identically_zero(residual())
    return Comparison(
        quantity=name,
        source=text,
        percuss=other,
        difference="0" if right else "not zero",
        remark="agrees" if right else "wrong",
    )


def _state() -> tuple[Any, Any, Any]:
    import sympy

    x = letters()
    return sympy.Matrix(x.theta), sympy.Matrix(x.rates), sympy.Matrix(x.accelerations)


def _link_matrix() -> Any:
    """Mᵢ = [m 1, −c×; c×, I] of any link, against ½ m v² + ½ ω I ω at the centre of mass."""
    import sympy

    inertia, body = _any_link()
    m, c, about = body
    v = sympy.Matrix(sympy.symbols("vx vy vz"))
    w = sympy.Matrix(sympy.symbols("wx wy wz"))
    center = c / m
    at_center = v + w.cross(center)
    moment = about - m * (center.dot(center) * sympy.eye(3) - center * center.T)
    T = m * at_center.dot(at_center) / 2 + (w.T * moment * w)[0] / 2
    whole = sympy.Matrix([*v, *w])
    return sympy.Matrix([T - (whole.T * sympy.Matrix(inertia.matrix()) * whole)[0] / 2])


def _prismatic() -> Any:
    """Mᵢ = D M Dᵀ with D = [1, 0; d 1₃×, 1], as the link slides by d along its axis 3."""
    import sympy

    inertia, _ = _any_link()
    d = sympy.Symbol("d")
    D = sympy.eye(6)
    D[3:, :3] = d * _cross(sympy.Matrix([0, 0, 1]))
    moved = Pose(position=Vector3(0.0, 0.0, d)).act(inertia)
    return exact(sympy.Matrix(moved.matrix()) - D * sympy.Matrix(inertia.matrix()) * D.T)


def _sum() -> Any:
    """M = Σ JᵢᵀMᵢJᵢ against the composite-rigid-body algorithm."""
    import sympy

    from percuss.dynamics.formulations.lecture import lecture_mass_matrix

    arm, (q, _, _) = symbolic_arm(), _state()
    return exact(sympy.Matrix(lecture_mass_matrix(arm, q)) - sympy.Matrix(mass_matrix(arm, q)))


def _nonlinear() -> Any:
    """h_k from Ṁ and ∂M/∂q, less fᵍ, against the recursive Newton-Euler algorithm."""
    import sympy

    from percuss.dynamics.formulations.lecture import lecture_bias_forces

    arm, (q, v, _) = symbolic_arm(), _state()
    summed = sympy.Matrix(lecture_bias_forces(arm, q, v))
    return exact(summed - sympy.Matrix(bias_forces(arm, q, v)))


def _lagrange() -> Any:
    """M, h − fᵍ by Lagrange's equations from T and V."""
    import sympy

    from percuss.dynamics.formulations.lagrange import lagrange_equations

    arm, (q, v, _) = symbolic_arm(), _state()
    found = lagrange_equations(arm, tuple(q), tuple(v))
    forces = found.bias_forces - sympy.Matrix(bias_forces(arm, q, v))
    return exact((found.mass_matrix - sympy.Matrix(mass_matrix(arm, q))).row_join(forces))


def _whole_equation() -> Any:
    """M q̈ + h − fᶠ − fᵍ − Jᵀfᵉᵉ = u with viscous friction and a force at the tool."""
    import sympy

    q, v, a = _state()
    b1, b2, fx, fy, n = sympy.symbols("b1 b2 fx fy n")
    arm = symbolic_arm().with_parameters(
        {"joint1.friction.viscous": b1, "joint2.friction.viscous": b2}
    )
    J = sympy.Matrix(jacobian(arm, q, "tool"))
    pull = (fx, fy, 0, 0, 0, n)
    rubbing = -sympy.Matrix([b1 * v[0], b2 * v[1]])
    M, h_less_gravity = sympy.Matrix(mass_matrix(arm, q)), sympy.Matrix(bias_forces(arm, q, v))
    u = M * a + h_less_gravity - rubbing - J.T * sympy.Matrix(pull)
    return exact(u - sympy.Matrix(inverse_dynamics(arm, q, v, a, wrenches={"tool": pull})))


def _link_frames() -> Any:
    """vᵢ = Jᵢ q̇ in the link's own axes, with Jᵢ the world's turned into them."""
    import sympy

    arm, (q, v, _) = symbolic_arm(), _state()
    J = sympy.Matrix(jacobian(arm, q, "link2"))
    angle = q[0] + q[1]
    c, s = sympy.cos(angle), sympy.sin(angle)
    turned = sympy.Matrix([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    both = sympy.diag(turned, turned)
    moving = frame_velocity(arm, q, v, "link2", reference="body")
    return exact(both * J * v - sympy.Matrix([*moving.linear, *moving.angular]))


def _any_link() -> tuple[SpatialInertia, tuple[Any, Any, Any]]:
    """A body with ten symbols: mass m, first moment c, second moment I about the frame origin."""
    import sympy

    m = sympy.Symbol("m", positive=True)
    c = sympy.Matrix(sympy.symbols("cx cy cz"))
    xx, yy, zz, xy, xz, yz = sympy.symbols("Ixx Iyy Izz Ixy Ixz Iyz")
    about = sympy.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    center = c / m
    central = about - m * (center.dot(center) * sympy.eye(3) - center * center.T)
    moments = Symmetric3(
        xx=central[0, 0],
        yy=central[1, 1],
        zz=central[2, 2],
        xy=central[0, 1],
        xz=central[0, 2],
        yz=central[1, 2],
    )
    inertia = SpatialInertia.about_center_of_mass(m, Vector3(*center), moments)
    return inertia, (m, c, about)


def _cross(a: Any) -> Any:
    import sympy

    return sympy.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


_FORMULAS: tuple[tuple[str, str, str, Callable[[], Any]], ...] = (
    (
        "Tᵢ of any link",
        "½ vᵢᵀ Mᵢ vᵢ with Mᵢ = [m 1, −c×; c×, I]",
        "½ m v² + ½ ω·Iω at the centre of mass",
        _link_matrix,
    ),
    (
        "Mᵢ of a sliding link",
        "D M Dᵀ with D = [1, 0; d 1₃×, 1]",
        "inertia moved by d along axis 3",
        _prismatic,
    ),
    (
        "vᵢ",
        "Jᵢ q̇ with Jᵢ = diag(C, C) J′ᵢ",
        "velocity of link 2 in its own axes",
        _link_frames,
    ),
    ("M", "Σ JᵢᵀMᵢJᵢ", "composite-rigid-body algorithm", _sum),
    (
        "h − fᵍ",
        "h_k = Σ_j (Ṁ_kj − ½ Σ_i ∂M_ij/∂q_k q̇_i) q̇_j",
        "recursive Newton–Euler algorithm",
        _nonlinear,
    ),
    ("M and h − fᵍ", "Lagrange's equations of T − V", "both recursive algorithms", _lagrange),
    (
        "u",
        "M q̈ + h − fᶠ − fᵍ − Jᵀfᵉᵉ",
        "inverse dynamics with friction and a force at the tool",
        _whole_equation,
    ),
)
