"""Docstrings stand alone: whoever meets one without the name above it reads a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import percuss

SOURCE = Path(percuss.__file__).parent
CONTINUING = {
    *(
        "About",
        "After",
        "Against",
        "Along",
        "At",
        "Between",
        "By",
        "From",
        "In",
        "Into",
        "Of",
        "On",
    ),
    *("Over", "Since", "That", "Through", "To", "Until", "Whose", "With", "Within", "Without"),
}
"""First words of docstrings that only continue a name: `rotation_matrix`, "Of a quaternion"."""


FOLDERS = sorted({path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py")})


def described(node: ast.AST, owner: str = "") -> Iterator[tuple[str, str]]:
    """Name and docstring of all public classes, functions and methods within a node."""
    for inside in ast.iter_child_nodes(node):
        if isinstance(inside, ast.ClassDef | ast.FunctionDef):
            if inside.name.startswith("_"):
                continue
            name = f"{owner}{inside.name}"
            yield name, ast.get_docstring(inside) or ""
            if isinstance(inside, ast.ClassDef):
                yield from described(inside, f"{name}.")
        elif isinstance(inside, ast.If | ast.Try):
            yield from described(inside, owner)


def continuing(text: str) -> list[str]:
    """`name: first line` for each docstring of a module that does not stand alone."""
    tree = ast.parse(text)
    found = [("module", ast.get_docstring(tree) or ""), *described(tree)]
    return [
        f"{name}: {docstring.splitlines()[0]}"
        for name, docstring in found
        if docstring and docstring.split()[0].strip(",.:;") in CONTINUING
    ]


@pytest.mark.parametrize("package", FOLDERS, ids=str)
def test_docstrings_stand_alone(package: Path) -> None:
    found = [
        f"{path.name}, {one}"
        for path in sorted((SOURCE / package).glob("*.py"))
        for one in continuing(path.read_text(encoding="utf-8"))
    ]
    assert not found, "say what it is, in a sentence of its own:\n" + "\n".join(found)


def test_what_does_not_stand_alone_is_found() -> None:
    text = (
        '"""From here to there."""\n'
        "class A:\n"
        '    """A thing."""\n'
        "    def inverse(self):\n"
        '        """Of the thing."""\n'
        "def _own():\n"
        '    """Of nobody."""\n'
    )
    assert continuing(text) == ["module: From here to there.", "A.inverse: Of the thing."]
