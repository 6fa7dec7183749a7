"""What the documents import is public: each name stands in `__all__` of `percuss` or a package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import percuss
from tests.test_documents import DOCUMENTS, ROOT, blocks

INTERNAL = {
    "CONTRIBUTING.md": {
        "percuss.algebra.scalars",
        "percuss.encounter.actuation",
        "percuss.encounter.approach",
        "percuss.encounter.laws.common",
        "percuss.encounter.phase_machine",
        "percuss.identification.data.vectors",
        "percuss.model.joint_motion",
        "percuss.model.joints",
        "percuss.model.library",
        "percuss.model.library.entry",
        "percuss.scenario.control",
        "percuss.scenario.impact",
    },
}
"""Modules that a page may import from because it explains how to write what stands beside them."""

MOST_NAMES = 651
"""Public names of all packages together: a user has to find their way among them."""

PACKAGE = Path(percuss.__file__).parent
PACKAGES = sorted(
    ".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in PACKAGE.rglob("__init__.py")
)


def public(package: str) -> set[str]:
    """The names that a package has for users."""
    return set(getattr(import_module(package), "__all__", ()))


def is_public(module: str, name: str) -> bool:
    """Whether `from module import name` imports a public name, or a package of public names."""
    if module not in PACKAGES:
        return False
    return name in public(module) or bool(
        f"{module}.{name}" in PACKAGES and public(f"{module}.{name}")
    )


def not_public(code: str) -> Iterator[str]:
    """What an example uses of percuss that is not public."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "percuss":
            for alias in node.names:
                if not is_public(str(node.module), alias.name):
                    yield f"from {node.module} import {alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "percuss" and not (
                    alias.name in PACKAGES and public(alias.name)
                ):
                    yield f"import {alias.name}"
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "percuss"
            and not is_public("percuss", node.attr)
        ):
            yield f"percuss.{node.attr}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_use_public_names(path: Path) -> None:
    document = str(path.relative_to(ROOT))
    allowed = INTERNAL.get(document, set())
    wrong = [
        f"{document}:{block.line}: {found}"
        for block in blocks(path.read_text(encoding="utf-8"))
        if block.kind == "python"
        for found in not_public(block.content)
        if not any(found.startswith(f"from {module} import") for module in allowed)
    ]
    assert not wrong, "not in __all__ of a package:\n" + "\n".join(wrong)


def test_what_a_page_may_import_besides_is_used_and_is_there() -> None:
    for document, modules in INTERNAL.items():
        text = (ROOT / document).read_text(encoding="utf-8")
        for module in modules:
            assert f"from {module} import" in text, f"{document} does not need {module} any more"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (
            "from percuss.encounter.failure import SimulationError",
            ["from percuss.encounter.failure import SimulationError"],
        ),
        ("from percuss import kernel\nfrom percuss.kernel import calculus", []),
        ("from percuss.control import nonsense", ["from percuss.control import nonsense"]),
        ("import percuss\nimport percuss.exports", ["import percuss.exports"]),
        ("percuss.identify(percuss.nonsense)", ["percuss.nonsense"]),
    ],
)
def test_names_that_are_not_public_are_found(code: str, found: list[str]) -> None:
    assert list(not_public(code)) == found


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_there(package: str) -> None:
    gathered = import_module(package)
    for name in public(package):
        assert getattr(gathered, name) is not None


def test_public_names_are_not_too_many() -> None:
    names = {name for package in PACKAGES for name in public(package)}
    assert len(names) <= MOST_NAMES, (
        f"{len(names)} names; take those that users do not need out of __all__"
    )
