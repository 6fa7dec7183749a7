"""The JSON Schema of scenario files, for editors."""

from __future__ import annotations

from typing import Any

from percuss.scenario.block import Block, Shorthand, content, dashed
from percuss.scenario.model import Scenario
from percuss.scenario.variants import Variant


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario: keys, descriptions, units, choices.

    It accepts every valid scenario; rules between keys are left to `percuss check`. Quantities
    are numbers in SI or texts with a unit, `x-unit` names the SI unit.
    """
    definitions: dict[str, Any] = {}
    root = _block(Scenario, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "percuss scenario",
        **root,
        "$defs": definitions,
    }


def _block(block: type[Block], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a mapping; the blocks inside it go to the definitions."""
    properties, required = {}, []
    for name, field in block.model_fields.items():
        inner, container, reader = content(field)
        schema = reader.schema() if reader else _reference(inner, container, definitions)
        properties[dashed(name)] = {"description": field.description, **schema}
        if field.is_required():
            required.append(dashed(name))
    schema = {
        "type": "object",
        "description": _summary(block),
        "properties": properties,
        "additionalProperties": False,
    }
    return schema | ({"required": required} if required else {})


def _kinds(block: type[Variant], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a block of several kinds, each of which goes to the definitions."""
    options = []
    for name, kind in block.kinds.items():
        schema = _block(kind, definitions)
        schema["properties"][block.tag] |= {"enum": [name]}
        if name != block.model_fields[block.tag].get_default():
            schema["required"] = list(dict.fromkeys([block.tag, *schema.get("required", [])]))
        definitions[kind.__name__] = schema
        options.append({"$ref": f"#/$defs/{kind.__name__}"})
    return {"description": _summary(block), "oneOf": options}


def _reference(
    block: type[Block] | None, container: str, definitions: dict[str, Any]
) -> dict[str, Any]:
    assert block is not None, "a field holds a block or what a reader reads"
    name = block.__name__
    if name not in definitions:
        definitions[name] = {}  # in its place before those inside it
        several = issubclass(block, Variant)
        schema = _kinds(block, definitions) if several else _block(block, definitions)
        if issubclass(block, Shorthand):
            schema = {"anyOf": [block.short, schema]}
        definitions[name] = schema
    reference = {"$ref": f"#/$defs/{name}"}
    if container == "list":
        return {"type": "array", "items": reference, "minItems": 1}
    if container == "mapping":
        return {"type": "object", "additionalProperties": reference, "minProperties": 1}
    return reference


def _summary(block: type[Block]) -> str:
    return (block.__doc__ or "").strip().splitlines()[0]
