"""Modules do not import each other in circles, late imports inside functions included.

A circle means that none of its modules can be read, tested or moved without the others. What is
imported for type checkers alone does not count: it is never run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import pytest

from tests.test_layering import FILES, is_module, module_name

ALGEBRA = ("inertias", "motions", "poses", "pytrees", "rotations", "scalars", "vectors")
SCENARIO = ("law_files", "model", "overrides", "translation")
KNOWN = {
    frozenset(f"algebra.{name}" for name in ALGEBRA),
    frozenset({"kernel.builder", "kernel.trimming"}),
    frozenset({"kernel.compiling", "kernel.derivatives"}),
    frozenset({"model.parameters", "model.systems"}),
    frozenset(f"scenario.{name}" for name in SCENARIO),
}
"""The circles that are there, without `percuss.`. They are to become fewer and smaller."""


def run(tree: ast.AST) -> Iterator[ast.stmt]:
    """Import statements that are run at some time."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from run(other)
        else:
            yield from run(node)


def imports(text: str) -> set[str]:
    """Modules of percuss that a module imports by name, some only when a function is called."""
    found: set[str] = set()
    for node in run(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {
                f"{node.module}.{alias.name}" if is_module(node.module, alias.name) else node.module
                for alias in node.names
            }
    return {name for name in found if name.split(".")[0] == "percuss"}


def circles(edges: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The sets of two or more that lead to each other, each as large as can be."""
    reached: dict[str, set[str]] = {}
    for start in edges:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            new = edges.get(ahead.pop(), set()) - seen
            seen |= new
            ahead.extend(new)
        reached[start] = seen
    return {
        frozenset({name, *(x for x in reached[name] if name in reached.get(x, ()))})
        for name in edges
        if name in reached[name]
    }


def graph() -> dict[str, set[str]]:
    return {module_name(path): imports(path.read_text(encoding="utf-8")) for path in FILES}


def test_no_new_circles() -> None:
    found = {
        frozenset(name.removeprefix("percuss.") for name in circle) for circle in circles(graph())
    }
    new = found - KNOWN
    assert not new, (
        "import each other; move what both need into a module of its own:\n"
        + "\n".join(", ".join(sorted(circle)) for circle in new)
    )
    gone = KNOWN - found
    assert not gone, "no circles any more, to be taken out of KNOWN:\n" + "\n".join(
        ", ".join(sorted(circle)) for circle in gone
    )


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, ["ab"]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": {"d", "a"}}, ["abc", "de"]),
    ],
)
def test_circles_are_found(edges: dict[str, set[str]], found: list[str]) -> None:
    assert circles(edges) == set(map(frozenset, found))


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("def f():\n    from percuss.model import joints", {"percuss.model.joints"}),
        ("if TYPE_CHECKING:\n    from percuss.model import System", set()),
        ("import numpy, percuss.io", {"percuss.io"}),
    ],
)
def test_late_imports_count_and_those_for_type_checkers_do_not(
    text: str, imported: set[str]
) -> None:
    assert imports(text) == imported
