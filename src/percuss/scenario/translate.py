"""What pydantic found, in the words of a scenario file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic.fields import FieldInfo

from percuss.encounter.errors import Path, shown
from percuss.scenario.block import Block, content, dashed
from percuss.scenario.document import value_at
from percuss.scenario.errors import Problem, unknown_key
from percuss.scenario.variants import Needed, Variant


def problems_of(
    errors: Iterable[Any], root: type[Block], document: dict[str, Any]
) -> list[Problem]:
    """One problem per error, unknown keys first: a typo explains what is missing."""
    found = [_problem(error, root, document) for error in errors]
    rank = {"extra_forbidden": 0, "missing": 2}
    ordered = sorted(found, key=lambda pair: rank.get(pair[0], 1))
    return [problem for _, problem in ordered]


def _problem(error: Any, root: type[Block], document: dict[str, Any]) -> tuple[str, Problem]:
    kind, path = error["type"], tuple(error["loc"])
    if kind == "extra_forbidden":
        return kind, _unknown_key(path, root, document)
    if kind == "missing":
        return kind, _missing(path, root, document)
    if kind == "refused":
        return kind, Problem(path, error["ctx"]["text"])
    block, container = _expected(path, root)
    return kind, Problem(path, f"must be {_form(block, container)}, got {shown(error['input'])}")


def _unknown_key(path: Path, root: type[Block], document: dict[str, Any]) -> Problem:
    block, _ = _expected(path[:-1], root)
    keys = block.keys() if block else ()
    return unknown_key(path, value_at(document, path), keys)


def _missing(path: Path, root: type[Block], document: dict[str, Any]) -> Problem:
    block, _ = _expected(path[:-1], root)
    description = ""
    if block is not None:
        of = ""
        if issubclass(block, Variant):
            given = value_at(document, path[:-1])
            of, block = f"{block.tag} {block.kind_named(given)}", block.kind_of(given)
        field = _by_key(block)[path[-1]]
        for note in field.metadata:
            if isinstance(note, Needed):
                return Problem(path, f"is missing: {of} needs {note.what}")
        inner, container, reader = content(field)
        kind = _form(inner, container) if inner else (f"in {reader.unit}" if reader else "")
        kind = "" if kind == "in " else kind
        description = f"{field.description or ''}".rstrip(".")
        description = "; ".join(part for part in (description, kind) if part)
    return Problem(path, f"is missing. Give {path[-1]}: {description}".rstrip(": "))


def _expected(path: Path, root: type[Block]) -> tuple[type[Block] | None, str]:
    """The block, and "one", "list" or "mapping" of it, that belongs at a path."""
    block: type[Block] | None = root
    container = "one"
    for part in path:
        if container != "one":
            container = "one"
            continue
        fields = _by_key(block) if block else {}
        if part not in fields:
            return None, "one"
        block, container, _ = content(fields[part])
    return block, container


def _by_key(block: type[Block]) -> dict[str | int, FieldInfo]:
    return {dashed(name): field for name, field in block.fields().items()}


def _form(block: type[Block] | None, container: str) -> str:
    if block is None:
        return "as described in the reference"
    mapping = block.forms or f"a mapping with {', '.join(block.keys())}"
    if container == "list":
        return f"a list, each entry {mapping}"
    if container == "mapping":
        return f"a mapping by name, each entry {mapping}"
    return mapping
