"""The schema for editors accepts what is right and refuses plain mistakes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic.fields import FieldInfo

from percuss.scenario import json_schema, loads
from percuss.scenario.advice import warnings
from percuss.scenario.block import Block, content, dashed
from percuss.scenario.model import Scenario
from percuss.scenario.variants import Variant
from tests.scenario.examples import OTHERS, PLANAR, SHIPPED, SPATIAL

ROOT = Path(__file__).parents[2]
SCHEMA = json_schema()
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
}
KNOWN = {
    "$ref", "$defs", "$schema", "title", "description", "x-unit", "type", "enum", "anyOf", "oneOf",
    "properties", "additionalProperties", "required", "items", "minItems", "maxItems", "pattern",
    "minLength", "minProperties", "minimum", "maximum", "exclusiveMinimum",
}  # fmt: skip


def complaints(value: Any, schema: dict[str, Any], at: str = "") -> Iterator[str]:
    """What a document breaks of the part of JSON Schema that is used."""
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        yield from complaints(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], at)
    if "anyOf" in schema and not any(not [*complaints(value, s, at)] for s in schema["anyOf"]):
        yield f"{at}: none of {len(schema['anyOf'])} forms"
    if "oneOf" in schema:
        forms = [[*complaints(value, option, at)] for option in schema["oneOf"]]
        if forms.count([]) != 1:
            yield f"{at}: {forms.count([])} of {len(forms)} forms"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: not one of {schema['enum']}"
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not isinstance(value, tuple(_flat(TYPES[t] for t in types))) or value is True:
            yield f"{at}: not {schema['type']}"
            return
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key in schema.get("required", ()):
            if key not in value:
                yield f"{at}: {key} is missing"
        for key, entry in value.items():
            rest = schema.get("additionalProperties", True)
            if key in properties:
                yield from complaints(entry, properties[key], f"{at}.{key}")
            elif rest is False:
                yield f"{at}.{key}: unknown"
            elif isinstance(rest, dict):
                yield from complaints(entry, rest, f"{at}.{key}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 10**9):
            yield f"{at}: {len(value)} entries"
        for entry in value:
            yield from complaints(entry, schema.get("items", {}), f"{at}[]")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: not a quantity"
    if isinstance(value, (int, float)) and not (
        schema.get("minimum", -1e300) <= value <= schema.get("maximum", 1e300)
        and value > schema.get("exclusiveMinimum", -1e300)
    ):
        yield f"{at}: out of bounds"


def _flat(kinds: Iterator[Any]) -> list[type]:
    return [k for kind in kinds for k in (kind if isinstance(kind, tuple) else (kind,))]


@pytest.mark.parametrize(
    "text",
    [
        PLANAR,
        SPATIAL,
        PLANAR.partition("impact:")[0] + OTHERS + "duration: 10\n",
        *[p.read_text() for p in SHIPPED],
    ],
    ids=["planar", "spatial", "others", *[p.stem for p in SHIPPED]],
)
def test_right_documents_pass(text: str) -> None:
    # YAML 1.1 reads 1e5 as text, which a unit text may be, too.
    assert [*complaints(yaml.safe_load(text), SCHEMA)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mass: 15", "mas: 15"),
        ("mass: 15", "mass: -15"),
        ("mass: 15", "mass: heavy"),
        ("closure: pin", "closure: pinn"),
        ("closure: pin", "closure: bounce"),
        ("closure: pin ", "restitution: 0.5 "),
        ("law: none", "law: none, kp: 1"),
        ("law: none", "law: detumble"),
        ("law: none", "kp: 1"),
        ("position: [1, 2]", "position: [1]"),
        ("duration: 10 s", "name: x"),
        ("contact: {angle: 0.5}", "contact: {angel: 0.5}"),
        ("tool: {link: 2, at: 3.0}", "tool: {link: 0}"),
    ],
)
def test_plain_mistakes_are_found(old: str, new: str) -> None:
    assert [*complaints(yaml.safe_load(PLANAR.replace(old, new, 1)), SCHEMA)]


def test_it_is_plain_json_with_a_description_for_every_key() -> None:
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    blocks = [SCHEMA, *SCHEMA["$defs"].values()]
    for block in blocks:
        for option in block.get("anyOf", [block]):
            for key, schema in option.get("properties", {}).items():
                assert schema["description"].strip(), key
    assert SCHEMA["$defs"]["Target"]["properties"]["mass"]["x-unit"] == "kg"
    assert "demo-7" in SCHEMA["$defs"]["Chaser"]["properties"]["robot"]["anyOf"][0]["enum"]


def blocks_of(block: type[Block], seen: dict[type[Block], None]) -> dict[type[Block], None]:
    seen[block] = None
    for kind in block.kinds.values() if issubclass(block, Variant) else ():
        if kind not in seen:
            blocks_of(kind, seen)
    for field in block.model_fields.values():
        inner = content(field)[0]
        if inner is not None and inner not in seen:
            blocks_of(inner, seen)
    return seen


def row(name: str, field: FieldInfo) -> str:
    """The line of a key in the reference: key, unit, default, meaning."""
    reader = content(field)[2]
    unit = reader.unit if reader is not None else ""
    default = field.get_default()
    shown = "required" if field.is_required() else ""
    if isinstance(default, (int, float, str)):
        infinite = isinstance(default, float) and math.isinf(default)
        shown = (
            "none" if infinite else f"`{default:g}`" if not isinstance(default, str) else default
        )
    return f"| `{dashed(name)}` | {unit} | {shown} | {field.description} |"


def test_reference_page_lists_every_key() -> None:
    rows = (ROOT / "docs" / "reference" / "scenario.md").read_text().splitlines()
    for block in blocks_of(Scenario, {}):
        for name, field in block.model_fields.items():
            assert row(name, field) in rows, f"{block.__name__}: {row(name, field)}"


def test_scenarios_in_the_guide_are_right(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "howto" / "scenarios.md").read_text()
    found = re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(found) >= 2
    for text in found:
        (tmp_path / "law.py").touch()
        assert warnings(loads(text, folder=tmp_path)) == ()
