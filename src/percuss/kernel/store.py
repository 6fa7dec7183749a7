"""Traced programs and notes on disk, under names that the caller vouches for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.cache import load_code, save_code
from percuss.kernel.collecting import without_collection
from percuss.kernel.program import Instruction, Program
from percuss.kernel.traced import Traced


@without_collection()
def load_traced(key: str, like: Any) -> Traced | None:
    """The program kept under this name for arguments of this structure, or None."""
    leaves, tree = trees.flatten(like)
    shapes = tuple(tuple(np.shape(leaf)) for leaf in leaves)
    data = load_code(_name(key, tree, shapes), "trace")
    if data is None:
        return None
    entry = json.loads(data)
    output = _from_skeleton(entry["output_tree"])
    return Traced(
        program=program_from_json(entry["program"]),
        input_tree=tree,
        input_shapes=shapes,
        output_tree=trees.flatten(output)[1],
        output_shapes=tuple(tuple(shape) for shape in entry["output_shapes"]),
    )


def save_traced(key: str, traced: Traced) -> None:
    """Keep a program; results made of other than dicts, lists, tuples and None are not kept."""
    count = len(traced.output_shapes)
    skeleton = _skeleton(trees.unflatten(traced.output_tree, range(count)))
    if skeleton is None:
        return
    entry = {
        "program": program_to_json(traced.program),
        "output_tree": skeleton,
        "output_shapes": traced.output_shapes,
    }
    name = _name(key, traced.input_tree, traced.input_shapes)
    save_code(name, "trace", json.dumps(entry).encode())


def load_note(name: str, processor: str) -> dict[str, Any] | None:
    """Plain data kept under this name for this processor, or None."""
    data = load_code(name, f"note {processor}")
    return None if data is None else json.loads(data)


def save_note(name: str, processor: str, note: dict[str, Any]) -> None:
    """Keep plain data under a name."""
    save_code(name, f"note {processor}", json.dumps(note).encode())


def program_to_json(program: Program) -> dict[str, Any]:
    """Plain data; constants as exact text, the parts in a list of their own."""
    places = {part: k for k, part in enumerate(program.parts)}
    parts = [_to_json(part, places) for part in places]
    return _to_json(program, places) | ({"parts": parts} if parts else {})


def _to_json(program: Program, parts: dict[Program, int]) -> dict[str, Any]:
    def entry(i: Instruction) -> list[Any]:
        more: list[Any] = [list(i.table)] if i.table else []
        more += [] if i.part is None else [{"part": parts[i.part]}]
        return [i.operation, *i.arguments, *more]

    return {
        "inputs": program.input_count,
        "constants": [_constant(c) for c in program.constants],
        "instructions": [entry(i) for i in program.instructions],
        "outputs": program.outputs,
    }


def program_from_json(data: dict[str, Any]) -> Program:
    """The inverse of `program_to_json`."""
    parts: list[Program] = []
    for part in data.get("parts", []):
        parts.append(_from_json(part, parts))
    return _from_json(data, parts)


def _from_json(data: dict[str, Any], parts: list[Program]) -> Program:
    instructions: list[Instruction] = []
    for operation, *rest in data["instructions"]:
        part = parts[rest.pop()["part"]] if rest and isinstance(rest[-1], dict) else None
        table = tuple(rest.pop()) if rest and isinstance(rest[-1], list) else ()
        instructions.append(Instruction(operation, tuple(rest), table, part))
    constants = tuple(c if isinstance(c, bool) else float.fromhex(c) for c in data["constants"])
    return Program(data["inputs"], constants, tuple(instructions), tuple(data["outputs"]))


def _constant(value: float | bool) -> str | bool:
    return value if isinstance(value, bool) else float(value).hex()


def _name(key: str, tree: Any, shapes: Any) -> str:
    return f"{key}\n{tree}\n{shapes}"


def _skeleton(tree: Any) -> Any:
    """Nested plain data with leaves 0, 1, …; None when a node has another type."""
    if isinstance(tree, int):
        return tree
    if tree is None:
        return ["None"]
    if type(tree) in (list, tuple):
        parts = [_skeleton(part) for part in tree]
        return None if None in parts else [type(tree).__name__, *parts]
    if type(tree) is dict and all(isinstance(name, str) for name in tree):
        parts = {name: _skeleton(part) for name, part in tree.items()}
        return None if None in parts.values() else parts
    return None


def _from_skeleton(skeleton: Any) -> Any:
    if isinstance(skeleton, dict):
        return {name: _from_skeleton(part) for name, part in skeleton.items()}
    if skeleton == ["None"]:
        return None
    if isinstance(skeleton, list):
        parts = [_from_skeleton(part) for part in skeleton[1:]]
        return parts if skeleton[0] == "list" else tuple(parts)
    return skeleton
