"""Documented once: each public name has one entry in the reference, whichever page it stands on."""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.test_documented_names import PACKAGES, public

PAGES = sorted((Path(__file__).parents[1] / "docs" / "reference").glob("*.md"))
OF_ONE = ("autofunction", "autoclass", "autoexception", "autodata", "py:data")


@dataclass(frozen=True)
class Directive:
    """A directive of a page: `kind`, what it is of, and its options."""

    kind: str
    of: str
    options: dict[str, str]
    place: str


def directives(text: str, page: str) -> Iterator[Directive]:
    """The directives in the eval-rst blocks of a page, in order."""
    for block in re.finditer(r"^```\{eval-rst\}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        before = text[: block.start(1)].count("\n") + 1
        lines = block.group(1).splitlines()
        for k, line in enumerate(lines):
            head = re.fullmatch(r"\.\. ([a-z:]+):: *(.*?)", line)
            if head is None:
                continue
            options: dict[str, str] = {}
            for below in lines[k + 1 :]:
                option = re.fullmatch(r" +:([a-z-]+): *(.*)", below)
                if option is None:
                    break
                options[option.group(1)] = option.group(2)
            yield Directive(*head.groups(), options=options, place=f"{page}:{before + k}")


def found(path: str) -> Any:
    """What a dotted path names in a module."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def described(module: ModuleType) -> set[str]:
    """Names of the values of a module, neither classes nor functions, that a string describes."""
    body = ast.parse(inspect.getsource(module)).body
    return {
        ast.unparse(target)
        for node, after in pairwise(body)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }


def members(module: ModuleType, options: dict[str, str]) -> Iterator[str]:
    """Names that `automodule` makes entries for, as docs/conf.py and the options tell it."""
    if "no-members" in options:
        return
    listed = options.get("members", "")
    if listed:
        yield from (name.strip() for name in listed.split(","))
        return
    for name in getattr(module, "__all__", vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or isinstance(value, ModuleType):
            continue
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            if name in described(module):
                yield name
        elif inspect.getdoc(value) and (
            hasattr(module, "__all__")
            or "no-imported-members" not in options
            or value.__module__ == module.__name__
        ):
            yield name


def entries(text: str, page: str) -> Iterator[tuple[Any, str]]:
    """What a page has entries for, and where."""
    current = ""
    for directive in directives(text, page):
        if directive.kind in ("currentmodule", "py:currentmodule"):
            current = directive.of
        elif directive.kind == "automodule":
            current = directive.of
            module = import_module(current)
            for name in members(module, directive.options):
                yield getattr(module, name), f"{directive.place} ({directive.of}.{name})"
        elif directive.kind in OF_ONE:
            path = directive.of
            is_whole = path.startswith("percuss.") and directive.kind != "py:data"
            whole = path if is_whole else f"{current}.{path}"
            yield found(whole), f"{directive.place} ({whole})"


def test_every_public_name_has_one_entry() -> None:
    places: dict[int, list[str]] = defaultdict(list)
    for page in PAGES:
        for value, place in entries(page.read_text(encoding="utf-8"), page.name):
            places[id(value)].append(place)
    missing, again = [], []
    for package in PACKAGES:
        for name in sorted(public(package) - {"__version__"}):
            there = places[id(getattr(import_module(package), name))]
            if not there:
                missing.append(f"{package}.{name}")
            elif len(there) > 1:
                again.append(f"{package}.{name}: {', '.join(there)}")
    assert not missing, "no entry in docs/reference:\n" + "\n".join(missing)
    assert not again, "more than one entry in docs/reference:\n" + "\n".join(again)


@pytest.mark.parametrize(
    ("directive", "entered"),
    [
        (".. automodule:: percuss.io", {"percuss.io.write_file"}),
        (".. automodule:: percuss.io\n   :no-members:", set()),
        (
            ".. automodule:: percuss.model\n   :members: box, rod",
            {"percuss.model.box", "percuss.model.rod"},
        ),
        (
            ".. automodule:: percuss.encounter.belief\n   :no-imported-members:",
            {"percuss.encounter.belief.Belief", "percuss.encounter.belief.believed_plant"},
        ),
        (".. autofunction:: percuss.run", {"percuss.run"}),
        (".. currentmodule:: percuss.model\n\n.. autoclass:: System", {"percuss.model.System"}),
        (".. automodule:: percuss.io\n\n.. py:data:: write_file", {"percuss.io.write_file"}),
        (".. autoattribute:: percuss.scenario.Scenario.text", set()),
    ],
)
def test_entries_are_those_that_the_pages_get(directive: str, entered: set[str]) -> None:
    text = f"Words.\n\n```{{eval-rst}}\n{directive}\n```\n"
    places = [place for _, place in entries(text, "page.md")]
    assert {place.partition("(")[2].rstrip(")") for place in places} == entered
