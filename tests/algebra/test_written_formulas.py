"""Formulas of more than one operation are written with operators, as the textbooks print them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import percuss

SOURCE = Path(percuss.__file__).parent
FOLDING = {"add", "sub", "mul", "div", "neg"}
"""The functions behind the operators: single operations may call them."""
BELOW = {"algebra", "kernel"}
"""Packages in which the operators themselves are made."""
NOT_YET = {"identification"}


def nested(tree: ast.AST) -> list[int]:
    """Lines with a call of one of these functions within another's arguments."""

    def folds(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in FOLDING
        )

    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and folds(node) and any(folds(x) for x in node.args)
    ]


@pytest.mark.parametrize(
    "package",
    sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists()),
)
def test_formulas_have_operators(package: str) -> None:
    if package in BELOW | NOT_YET:
        return
    for path in sorted((SOURCE / package).rglob("*.py")):
        found = nested(ast.parse(path.read_text(encoding="utf-8")))
        assert not found, f"{path}: lines {found}"
