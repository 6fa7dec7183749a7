"""The names of the package itself: all there, found by completion, imported when asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import percuss

ROOT = Path(percuss.__file__).parent
TREE = ast.parse(Path(percuss.__file__).read_text(encoding="utf-8"))
HOMES = {
    alias.name: str(node.module)
    for node in ast.walk(TREE)
    if isinstance(node, ast.ImportFrom) and str(node.module).startswith("percuss.")
    for alias in node.names
}
"""Name to module, as type checkers see it."""


def test_names_are_those_that_type_checkers_see() -> None:
    assert sorted(HOMES) == sorted(percuss.__all__)


@pytest.mark.parametrize("name", percuss.__all__)
def test_a_name_is_what_its_home_says(name: str) -> None:
    assert getattr(percuss, name) is getattr(import_module(HOMES[name]), name)
    assert name in dir(percuss)


PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT.parent).parts)
    for path in ROOT.rglob("__init__.py")
    if "_on_demand(" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_the_names_that_type_checkers_see(package: str) -> None:
    gathered = import_module(package)
    assert gathered.__file__ is not None
    tree = ast.parse(Path(gathered.__file__).read_text(encoding="utf-8"))
    homes = {
        alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{package}.")
        for alias in node.names
    }
    assert sorted(homes) == sorted(gathered.__all__)
    for home in homes.values():
        import_module(home)
    for name, home in homes.items():
        # Also where a module of the package has this name and was imported by another.
        assert getattr(gathered, name) is getattr(import_module(home), name)
        assert name in dir(gathered)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        _ = gathered.nonsense


def test_unknown_names_are_told() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = percuss.nonsense  # type: ignore[attr-defined]


def test_importing_is_quick() -> None:
    code = "import sys, percuss; print(*(m for m in sys.modules if m.startswith('percuss.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["percuss.version"]
