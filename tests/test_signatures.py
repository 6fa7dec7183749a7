"""What is passed by place: at most four arguments, so that a call can be read without its function.

Beyond the fourth, parameters are keywords. Textbook algorithms keep `(system, q, v, τ, …)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import percuss

SOURCE = Path(percuss.__file__).parent
BY_PLACE = 4
CLEAN = (
    "algebra",
    "control",
    "dynamics",
    "identification",
    "impact",
    "io",
    "kernel",
    "kinematics",
    "model",
    "percussion",
    "sources",
    "symbolic",
)
"""Packages that hold the rule."""
HANDED_OVER = {
    "control.guidance.plans_of_many": {"wanted"},
    "control.ic2": {"command"},
    "control.ic2_sensing": {"command"},
    "kernel.backends.blocks": {"_run_padded"},
    "kernel.backends.cuda": {"launch"},
    "kernel.calculus.jacobians": {"_by_columns", "_by_groups", "_along", "_by_rows"},
    "kernel.rollouts.accumulation": {"_highest_between"},
    "kernel.rollouts.roots": {"narrowed"},
    "kernel.rollouts.staged_step": {"stage"},
}
"""Functions that are arguments of others, which call them by place: laws, traced programs, jobs."""
ONE_MAPPING = {
    "impact.compliant_mass": {"damping_for", "restitution_of", "duration_of", "peak_force_of"},
    "kernel.backends.llvm_iteration": {"__call__"},
    "kernel.iteration": {"iterate_with_numpy"},
    "kernel.rollouts.problem": {"call", "command", "rates", "_rates_at", "value_and_slope"},
    "kernel.rollouts.jets": {"jet"},
}
"""Functions of numbers alone: a law's four, or (t, z, held, memory, p), by which rollouts call."""
ENDS = {
    "control.goals": {"_cubic"},
    "kernel.rollouts.methods.dense": {"hermite"},
    "kernel.rollouts.roots": {
        "_cubic",
        "hermite_crossing",
        "hermite_maximum",
        "hermite_root",
        "hermite_top",
        "hermite_value",
    },
    "kernel.rollouts.statistics": {"crossed_between", "crossed_by_jump", "crossed_on_course"},
    "kinematics.polynomials": {"_cubic_piece", "_hermite"},
}
"""Polynomials between values and slopes at both ends, in the order in which they are printed."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in CLEAN:
        for path in sorted((SOURCE / package).rglob("*.py")):
            name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def by_place(function: ast.FunctionDef) -> list[str]:
    """Parameters that can be passed by place, but for the object itself."""
    names = [x.arg for x in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def rules_of_numpy(function: ast.FunctionDef) -> bool:
    """Whether it stands for a function of NumPy, whose signature it has."""
    return any(ast.unparse(x).startswith("rule(np.") for x in function.decorator_list)


def excused(module: str) -> set[str]:
    return set().union(*(group.get(module, set()) for group in (HANDED_OVER, ONE_MAPPING, ENDS)))


def test_at_most_four_parameters_by_place() -> None:
    long = [
        f"{module}.{node.name}({', '.join(by_place(node))})"
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and len(by_place(node)) > BY_PLACE
        and not rules_of_numpy(node)
        and node.name not in excused(module)
    ]
    assert not long, "give these a * after the fourth parameter:\n" + "\n".join(long)


@pytest.mark.parametrize("group", [HANDED_OVER, ONE_MAPPING, ENDS])
def test_what_is_excused_exists(group: dict[str, set[str]]) -> None:
    found = {
        (module, node.name)
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and len(by_place(node)) > BY_PLACE
    }
    assert {(module, name) for module, names in group.items() for name in names} <= found


def test_values_of_many_fields_are_made_by_keywords() -> None:
    classes = {
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    long = [
        f"{module}, line {node.lineno}: {node.func.id}"
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in classes
        and len(node.args) > BY_PLACE
    ]
    assert not long, "\n".join(long)
