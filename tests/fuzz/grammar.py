"""What may stand in a scenario, taken from its own JSON Schema: keys and values in their places."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from tests.fuzz.values import UNITS, hostile_number

_DEEPEST = 4
"""Blocks inside each other that are made up."""


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema that percuss gives to editors."""
    from percuss.scenario import json_schema

    return json_schema()


def mapping_at(path: tuple[Any, ...]) -> dict[str, Any]:
    """The keys that are known at a place of a scenario, with their schemas; empty elsewhere."""
    found = _alternatives(schema())
    for part in path:
        step = [own for here in found for own in _inside(here, part)]
        found = [own for here in step for own in _alternatives(here)]
    keys: dict[str, Any] = {}
    for here in found:
        keys |= here.get("properties", {})
    return keys


def made_up(rng: Random, node: dict[str, Any], depth: int = 0) -> Any:
    """A value of the kind that a schema describes; not always one that it allows."""
    here = rng.choice(_alternatives(node) or [{}])
    if "enum" in here:
        return rng.choice(here["enum"])
    if "const" in here:
        return here["const"]
    kind = here.get("type")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object" and depth < _DEEPEST:
        return _mapping(rng, here, depth)
    if kind == "array" and depth < _DEEPEST:
        least, most = here.get("minItems", 0), here.get("maxItems", 3)
        return [
            made_up(rng, here.get("items", {}), depth + 1) for _ in range(rng.randint(least, most))
        ]
    if kind == "integer":
        return rng.choice((0, 1, 2, 3, 5, 100))
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "string":
        return rng.choice(
            ("a", "initial", "1 m", "2 s", "3 deg", f"{rng.uniform(0, 9):.3g}{rng.choice(UNITS)}")
        )
    if rng.random() < 0.1:
        return hostile_number(rng)
    return rng.choice((0.0, 1.0, 0.5, 10.0, 1e3, 1e-3, round(rng.uniform(-3, 3), 3)))


def _mapping(rng: Random, here: dict[str, Any], depth: int) -> dict[str, Any]:
    properties = here.get("properties", {})
    needed = set(here.get("required", ()))
    if not properties:
        inner = here.get("additionalProperties")
        inner = inner if isinstance(inner, dict) else {}
        return {name: made_up(rng, inner, depth + 1) for name in ("a", "b")[: rng.randint(0, 2)]}
    few = min(1.0, 3 / len(properties))
    return {
        key: made_up(rng, inner, depth + 1)
        for key, inner in properties.items()
        if key in needed or rng.random() < few
    }


def _inside(node: dict[str, Any], part: Any) -> list[dict[str, Any]]:
    if isinstance(part, int):
        return [node["items"]] if isinstance(node.get("items"), dict) else []
    own = node.get("properties", {}).get(part)
    if own is None and isinstance(node.get("additionalProperties"), dict):
        own = node["additionalProperties"]
    return [] if own is None else [own]


def _alternatives(node: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema without references: what it may be, one by one."""
    if "$ref" in node:
        return _alternatives(schema()["$defs"][node["$ref"].rpartition("/")[2]])
    several = node.get("anyOf") or node.get("oneOf")
    if several:
        return [own for one in several for own in _alternatives(one)]
    return [node]
