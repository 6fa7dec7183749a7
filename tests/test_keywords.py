"""Beyond four arguments there are names: nobody counts positions to find out what a number is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import percuss

SOURCE = Path(percuss.__file__).parent
PLACES = ("encounter", "identification", "scenario", "report", "cli", "io", "many.py", "result.py")
"""Where the rule holds."""
MOST = 4
"""Positional parameters of a function, and positional arguments that make a value."""


def modules() -> Iterator[Path]:
    """The modules in which the rule holds."""
    for place in PLACES:
        path = SOURCE / place
        yield from [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """Name, definition, and whether it is a method, of each function that is not inside another.

    What is inside a function may be for the kernel, which passes arguments by position.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            for inside in node.body:
                if isinstance(inside, ast.FunctionDef):
                    yield f"{owner}{inside.name}", inside, bool(owner)


def positional(function: ast.FunctionDef, is_method: bool) -> int:
    """How many parameters may be passed by position, without the instance or class of a method."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    bound = is_method and bool(parameters) and parameters[0].arg in ("self", "cls")
    return len(parameters) - bound


def long_signatures(text: str) -> list[str]:
    """`name at line` for each function with too many positional parameters."""
    return [
        f"{name} at line {node.lineno}: {positional(node, is_method)} positional parameters"
        for name, node, is_method in functions(ast.parse(text))
        if positional(node, is_method) > MOST
    ]


def long_constructions(text: str) -> list[str]:
    """`Class at line` for each value of a class that is made of too many positional arguments."""
    return [
        f"{ast.unparse(node.func)} at line {node.lineno}: {len(node.args)} positional arguments"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2].lstrip("_")[:1].isupper()
        and len(node.args) > MOST
    ]


def test_functions_have_few_positional_parameters() -> None:
    found = {path: long_signatures(path.read_text(encoding="utf-8")) for path in modules()}
    assert not any(found.values()), told(found)


def test_values_are_made_of_few_positional_arguments() -> None:
    found = {path: long_constructions(path.read_text(encoding="utf-8")) for path in modules()}
    assert not any(found.values()), told(found)


def told(found: dict[Path, list[str]]) -> str:
    """What was found, a line each."""
    return "\n".join(f"{path.relative_to(SOURCE)}: {one}" for path in found for one in found[path])


def test_what_breaks_the_rule_is_found() -> None:
    text = (
        "def f(a, b, c, d, e): ...\n"
        "def g(a, b, c, d, *, e): ...\n"
        "class A:\n"
        "    def h(self, a, b, c, d): ...\n"
        "    def __init__(self, a, b, c, d, e): ...\n"
        "x = A(1, 2, 3, 4, 5), A(1, 2, 3, 4, e=5), f(1, 2, 3, 4, 5)\n"
    )
    assert [one.split(" ")[0] for one in long_signatures(text)] == ["f", "A.__init__"]
    assert [one.split(" ")[0] for one in long_constructions(text)] == ["A"]
