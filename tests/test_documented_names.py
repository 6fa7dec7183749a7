"""What the documents import is public: each name stands in `__all__` of `percuss` or a package.

Public names are counted by what they are names of: an object counts once, however many packages it
is public in, and two objects of one name count twice. Each stands in one package, and besides in
`percuss` where it is one of those that users need most.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

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

MOST_NAMES = 320
"""Public objects of all packages together: a user has to find their way among them."""

GATHERED_FOR_NEIGHBOURS = {"percuss.kernel.rollouts.methods", "percuss.identification.options"}
"""Inner folders that gather names which a package above has for users, for modules beside them."""

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


def is_there(path: str) -> bool:
    """Whether a dotted name leads to a module or what is in one, in packages by public names."""
    here: Any = percuss
    for name in path.split(".")[1:]:
        package = here.__name__ if isinstance(here, ModuleType) else ""
        if find_module(f"{package}.{name}") and not is_public(package, name):
            here = import_module(f"{package}.{name}")
        elif package not in PACKAGES or is_public(package, name):
            here = getattr(here, name, None)
        else:
            return False
    return here is not None


def find_module(path: str) -> bool:
    """Whether there is a module or package of this name."""
    file = PACKAGE.parent.joinpath(*path.split("."))
    return file.is_dir() or file.with_suffix(".py").is_file()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_in_sentences_are_there(path: Path) -> None:
    names = re.findall(r"`(percuss(?:\.[A-Za-z_]\w*)+)", path.read_text(encoding="utf-8"))
    wrong = [name for name in names if not is_there(name)]
    assert not wrong, f"not public, or not there: {', '.join(wrong)}"


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("percuss.System.with_parameters", True),
        ("percuss.kernel.compile", True),
        ("percuss.impact.verdict.State", True),
        ("percuss.impact.State", False),
        ("percuss.impact.nonsense", False),
        ("percuss.model.joints.nonsense", False),
    ],
)
def test_names_that_are_not_there_are_found(name: str, there: bool) -> None:
    assert is_there(name) == there


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


def doors() -> dict[int, list[str]]:
    """Each public object, by its identity, to the places where it is public."""
    found: dict[int, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for name in sorted(public(package)):
            found[id(getattr(import_module(package), name))].append(f"{package}.{name}")
    return found


def test_public_names_are_not_too_many() -> None:
    objects = len(doors())
    assert objects <= MOST_NAMES, (
        f"{objects} public objects; take those that users do not need out of __all__"
    )


def test_what_is_public_stands_in_one_package() -> None:
    inner = tuple(f"{package}." for package in ("percuss", *GATHERED_FOR_NEIGHBOURS))
    again = [
        names
        for found in doors().values()
        if len(names := [name for name in found if f"{name.rpartition('.')[0]}." not in inner]) > 1
    ]
    assert not again, "public in more than one package:\n" + "\n".join(map(", ".join, again))


@pytest.mark.parametrize("package", [package for package in PACKAGES if public(package)])
def test_completion_shows_public_names_and_packages_alone(package: str) -> None:
    if package in GATHERED_FOR_NEIGHBOURS:
        pytest.skip("no page leads here")
    shown = set(dir(import_module(package)))
    assert public(package) <= shown
    for name in shown - public(package):
        assert f"{package}.{name}" in PACKAGES
        assert public(f"{package}.{name}")
