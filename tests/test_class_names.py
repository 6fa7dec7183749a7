"""One name, one class: whoever reads a name in one folder does not meet another thing by it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import percuss

SOURCE = Path(percuss.__file__).parent


def classes(folder: Path) -> dict[str, list[str]]:
    """Name to the places, file:line, at which a class of this name is defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(folder)}:{node.lineno}")
    return found


def test_every_class_has_a_name_of_its_own() -> None:
    again = {name: places for name, places in classes(SOURCE).items() if len(places) > 1}
    assert not again, "\n".join(f"{name}: {', '.join(places)}" for name, places in again.items())


def test_names_that_are_used_again_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Plan: ...\nclass Case: ...\n", encoding="utf-8")
    (tmp_path / "two.py").write_text("def f():\n    class Plan: ...\n", encoding="utf-8")
    assert classes(tmp_path) == {"Plan": ["one.py:1", "two.py:2"], "Case": ["one.py:2"]}
