"""Folding constants leaves no arithmetic on zeros and ones: the traced programs are short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.algebra import Pose, Vector3
from percuss.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from percuss.model import WORLD, Body, Free, Joint, Planar, Revolute, System, box, disk, robot, rod
from tests.tracers import jax, jnp, needs_jax

MOVING_DATA = {
    "broadcast_in_dim",
    "concatenate",
    "convert_element_type",
    "copy",
    "dynamic_slice",
    "expand_dims",
    "gather",
    "reshape",
    "slice",
    "split",
    "squeeze",
    "stack",
    "transpose",
    "unstack",
}
"""Primitives that compute nothing."""


def planar_thesis_system() -> System:
    """A disk with two rods in the plane, joint 1 at its centre."""
    return System(
        "planar vehicle-manipulator",
        (disk("base", 1.0, 100.0), rod("link1", 2.0, 10.0), rod("link2", 3.0, 10.0)),
        (
            Joint("base", Planar(), WORLD, "base"),
            Joint("q1", Revolute(), "base", "link1"),
            Joint(
                name="q2",
                motion=Revolute(),
                parent="link1",
                child="link2",
                placement=Pose.at((2.0, 0.0)),
            ),
        ),
    )


def seven_joint_arm() -> System:
    """A box in space with an arm of seven joints along z, y, z, y, z, y, z."""
    axes = {"z": Vector3(0.0, 0.0, 1.0), "y": Vector3(0.0, 1.0, 0.0)}
    bodies: list[Body] = [box("base", (1.0, 1.2, 1.5), 200.0)]
    joints = [Joint("base", Free(), WORLD, "base")]
    for k, letter in enumerate("zyzyzyz", start=1):
        inertia = (0.4, 0.5, 0.1)
        bodies.append(Body(f"link{k}", 5.0, (0.0, 0.0, 0.25), inertia))  # type: ignore[arg-type]
        at = Pose.at((0.0, 0.0, 0.75 if k == 1 else 0.5))
        joints.append(
            Joint(
                name=f"q{k}",
                motion=Revolute(axes[letter]),
                parent=bodies[-2].name,
                child=f"link{k}",
                placement=at,
            )
        )
    return System("seven-joint arm", tuple(bodies), tuple(joints))


def program(function: Callable[..., Any], *sizes: int) -> Any:
    """The traced program without what its result does not need."""
    with jax.enable_x64(True):
        arguments = [jax.ShapeDtypeStruct((size,), jnp.float64) for size in sizes]
        traced = jax.make_jaxpr(function)(*arguments).jaxpr
    partial_eval: Any = import_module("jax.interpreters.partial_eval")
    return partial_eval.dce_jaxpr(traced, [True] * len(traced.outvars))[0]


def operations(jaxpr: Any) -> list[Any]:
    """Every arithmetic equation, also inside called programs."""
    found: list[Any] = []
    for equation in jaxpr.eqns:
        inner = equation.params.get("jaxpr")
        if inner is not None:
            found += operations(getattr(inner, "jaxpr", inner))
        elif equation.primitive.name not in MOVING_DATA:
            found.append(equation)
    return found


def forward_program(system: System) -> Any:
    nq, nv = system.coordinate_count, system.rate_count
    return program(lambda q, v, tau: forward_dynamics(system, q, v, tau), nq, nv, nv)


def forward_counts(system: System) -> list[Counter[str]]:
    """How often each operation is in forward dynamics: by our tracer, by JAX if it is there."""
    rest = np.zeros(system.rate_count)
    ours = kernel.trace(
        lambda q, v, tau: forward_dynamics(system, q, v, tau),
        np.zeros(system.coordinate_count),
        rest,
        rest,
    )
    found = [Counter(ours.program.counts)]
    if jax is not None:
        found.append(Counter(e.primitive.name for e in operations(forward_program(system))))
    return found


@pytest.mark.parametrize(
    ("system", "bar"),
    [
        (planar_thesis_system(), 300),
        (robot("thesis"), 300),
        (seven_joint_arm(), 2600),
        (robot("demo-7"), 2600),
    ],
    ids=["planar", "thesis", "spatial", "demo-7"],
)
def test_forward_dynamics_is_short(system: System, bar: int) -> None:
    for kinds in forward_counts(system):
        count = kinds.total()
        assert count <= bar, f"{system.name}: {count} operations, allowed {bar}: {kinds}"


@needs_jax
@pytest.mark.parametrize("name", ["forward", "inverse", "mass"])
def test_planar_programs_have_no_arithmetic_on_zeros_and_ones(name: str) -> None:
    system = planar_thesis_system()
    nq, nv = system.coordinate_count, system.rate_count
    jaxpr = {
        "forward": lambda: forward_program(system),
        "inverse": lambda: program(lambda *x: inverse_dynamics(system, *x), nq, nv, nv),
        "mass": lambda: program(lambda q: mass_matrix(system, q), nq),
    }[name]()
    found = operations(jaxpr)
    assert any(hasattr(x, "val") for equation in found for x in equation.invars), "no literals seen"
    for equation in found:
        if equation.primitive.name not in ("mul", "add", "sub", "add_any"):
            continue
        for operand in equation.invars:
            value = getattr(operand, "val", None)
            idle = value is not None and np.ndim(value) == 0 and float(value) in (0.0, 1.0)
            # 1 - x is work, 1 x and 0 + x are not.
            works = equation.primitive.name == "sub" and float(value or 0.0) == 1.0
            assert works or not idle, f"{name} dynamics does arithmetic on {value}: {equation}"


def test_planar_programs_do_not_leave_the_plane() -> None:
    """Two sines and cosines for two joints, one of each for the base, and no more."""
    for kinds in forward_counts(planar_thesis_system()):
        assert kinds["sin"] == kinds["cos"] == 3
