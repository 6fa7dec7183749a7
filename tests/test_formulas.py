"""Formulas read like the paper: what has more than one operation is written with operators.

`add`, `sub`, `mul`, `div` and `neg` fold constants of scalars whose kind is not known. One such
call reads well; calls within calls do not. `formula` and `terms` give their scalars operators that
fold as the calls do.
"""

from __future__ import annotations

import ast
from pathlib import Path

import percuss

SOURCE = Path(percuss.__file__).parent
BELOW = ("algebra", "kernel")
"""Packages in which scalars get their operators, and values of the tracer theirs."""
OPERATIONS = {"add", "sub", "mul", "div", "neg"}


def is_operation(node: ast.AST, operations: set[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in operations
    )


def imported(tree: ast.Module) -> set[str]:
    """Names under which a module has the operations of scalars."""
    return {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "percuss.algebra.scalars"
        for name in node.names
        if name.name in OPERATIONS
    }


def nested(text: str) -> list[str]:
    """`line: call` for each operation whose argument is another one."""
    tree = ast.parse(text)
    operations = imported(tree)
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and is_operation(node, operations)
        and any(is_operation(argument, operations) for argument in node.args)
    ]


def test_operations_are_not_nested() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{one}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in BELOW
        for one in nested(path.read_text(encoding="utf-8"))
    ]
    assert not found, "write these with operators, see `formula` and `terms`:\n" + "\n".join(found)


def test_nested_operations_are_found() -> None:
    text = (
        "from percuss.algebra.scalars import add, mul as times\n"
        "x = add(a, times(b, c))\n"
        "y = [add(a, b), other(times(a, b)), found.add(times(a, b))]\n"
    )
    assert nested(text) == ["2: add(a, times(b, c))"]
