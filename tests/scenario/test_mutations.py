"""Broken scenario files: refused with a message, or right; never anything else."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from percuss.scenario import ScenarioError, build, loads
from tests.scenario.examples import PLANAR, SHIPPED

TEXTS = {path.stem: path.read_text() for path in SHIPPED} | {"contract": PLANAR}
GARBAGE: list[Any] = [
    None, True, -1, 0, 1, 2, 3.5, 1e308, -1e308, 1e-308, float("nan"), float("inf"), 10**400, "",
    "abc", "70 deg", "5 kN", "3 m", "-2 s", "1e400 m", "1 m^^2", "\0", "é", "none", "pin", "bounce",
    "weld", "fixed", "initial", [], [1], [1, 2], [1, 2, 3], [[1, 2], [3, 4]], [None], ["a", "b"],
    {}, {"a": 1}, {"angle": 1}, {"xx": 1, "yy": 1, "zz": 1}, {"link": 1}, {1: 2}, [0, 0], [0, 0, 0],
    {"law": "pd"}, "demo-7", "cube", "envisat", "thesis",
]  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    found = [path] if path else []
    if isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            found += places(value, (*path, key))
    return found


def mutated(text: str, random_: random.Random) -> str:
    """The text with one to three changes."""
    if random_.random() < 0.2:
        return broken_text(text, random_)
    document = yaml.safe_load(text)
    for _ in range(random_.randint(1, 3)):
        found = places(document)
        if not found:
            break
        change(document, random_.choice(found), random_)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def broken_text(text: str, random_: random.Random) -> str:
    kind = random_.choice(["cut", "double", "swap", "insert"])
    lines = text.splitlines()
    k = random_.randrange(len(lines))
    if kind == "cut":
        return text[: random_.randrange(len(text))]
    if kind == "double":
        return "\n".join([*lines[: k + 1], *lines[k:]])
    if kind == "swap":
        old, new = random_.sample(["deg", " s", " m", "kg", "N m", "rad", "disk", ":", "[", "{"], 2)
        return text.replace(old, new)
    place = random_.randrange(len(text))
    return text[:place] + random_.choice("\t:{}[],&*!|>'\"%@`\n#-é\x07") + text[place:]


def change(document: Any, path: tuple[Any, ...], random_: random.Random) -> None:
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    kind = random_.choice(["delete", "garbage", "garbage", "retype", "rename", "copy"])
    if kind == "delete":
        del holder[key]
    elif kind == "garbage":
        holder[key] = copy.deepcopy(random_.choice(GARBAGE))
    elif kind == "retype":
        value = holder[key]
        holder[key] = random_.choice([str(value), [value], {"value": value}, [value, value]])
    elif kind == "rename" and isinstance(holder, dict):
        holder[str(key) + random_.choice(["s", "_", "-x"])] = holder.pop(key)
    else:
        other = document
        for part in random_.choice(places(document)):
            other = other[part]
        holder[key] = copy.deepcopy(other)


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize("seed", range(25))
def test_mutations(name: str, seed: int, tmp_path: Path) -> None:
    text = mutated(TEXTS[name], random.Random(f"{name} {seed}"))
    try:
        scenario = loads(text, "mutated.yaml", tmp_path)
        contact = build(scenario)
    except ScenarioError as error:
        message = str(error)
        assert message
        assert "pydantic" not in message
        for line in message.splitlines():
            assert len(line) < 1000, line
        return
    for values in (
        contact.chaser_coordinates,
        contact.chaser_rates,
        contact.target_coordinates,
        contact.target_rates,
    ):
        assert np.all(np.isfinite(np.asarray(values, float)))
    assert loads(scenario.text, folder=tmp_path) == scenario
