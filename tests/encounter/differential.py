"""Random encounters and every scenario through two trees of sources, number by number.

For a change of structure that is to change nothing: carry everything out with the old sources and
with the new ones, then compare.

    PYTHONPATH=OLD/src:. python -m tests.encounter.differential run old.jsonl
    PYTHONPATH=src:. python -m tests.encounter.differential run new.jsonl --no-shaking
    python -m tests.encounter.differential compare old.jsonl new.jsonl

A case whose outcome differs is carried out once more with its velocities changed by 1e-12: what
moves a case that much, as grazing and chattering do, is no difference between the trees.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import percuss
from tests.encounter.encounters import SLIDER
from tests.encounter.test_balances_random import (
    AFTER,
    APPROACHES,
    CLOSURES,
    MODES,
    control_after,
    possible,
)

Document = dict[str, Any]

STARTS = 5
"""Of each random system: what moves shares its machine code."""

TOLERANCE = 1e-9
"""Of what is integrated to 1e-10, relative to the largest entry of its vector."""

BETWEEN_STEPS = 1e-4
"""Of what is read off the steps, as peaks are: steps may lie elsewhere."""

PUSH = {"closure": "pulse", "force": [3.0, -2.0], "duration": 0.4}
SOFTER = {"closure": "compliant", "law": "bilateral", "stiffness": 500.0, "damping": 20.0}


def random_documents(count: int, seed: int, folder: Path) -> Iterator[Document]:
    """Scenarios of random bodies, closures, laws and starts, planar and spatial."""
    for system in range(-(-count // STARTS)):
        rng = np.random.default_rng([seed, system])
        make = _spatial if rng.random() < 0.2 else _planar
        document = make(rng, folder, system)
        for start in range(min(STARTS, count - system * STARTS)):
            yield _started(document, np.random.default_rng([seed, system, start]), start)


def _closure(rng: np.random.Generator, planar: bool, approaches: bool) -> Document:
    found: dict[str, Document] = dict(CLOSURES) | {"softer": SOFTER}
    if not approaches:
        force = PUSH["force"] if planar else [*PUSH["force"], 1.0]
        found["pulse"] = PUSH | {"force": force}
        if planar:
            found["published"] = {"closure": "published"}
    closure = dict(found[str(rng.choice(sorted(found)))])
    for key in ("restitution", "friction"):
        if key in closure:
            closure[key] = float(rng.uniform(0.05, 0.95))
    for key in ("stiffness", "damping"):
        if key in closure:
            closure[key] *= float(rng.uniform(0.5, 2.0))
    return closure


def _ways(rng: np.random.Generator, mode: str, planar: bool) -> Document:
    """The blocks `approach`, `impact`, `control` and `duration`."""
    approach = str(rng.choice([*APPROACHES, "at once", "at once", "at once"]))
    if not possible(mode, approach):
        approach = "match"
    blocks: Document = {"duration": float(rng.uniform(0.5, 2.0)), "output": {"samples": 21}}
    blocks["impact"] = _closure(rng, planar, approach != "at once")
    after = str(rng.choice(sorted(AFTER)))
    if blocks["impact"]["closure"] in ("pulse", "published"):
        after = str(rng.choice(["none", "pd", "computed-torque"]))
    wheels = [None, 0.05, 5.0][rng.integers(3)]
    blocks["control"] = control_after(mode, after, wheels, bool(rng.random() < 0.5))
    if blocks["impact"]["closure"] == "published":
        blocks["control"] = dict(AFTER[after])
    if approach != "at once":
        surface = planar and bool(rng.random() < 0.4)
        way: Document = {"contact": "surface"} if surface else {"capture-radius": 0.03}
        meets = "meet" in APPROACHES[approach]
        blocks["approach"] = {
            "timeout": 7.0,
            **way,
            **({"observe": 0.5} if meets else {}),
            **APPROACHES[approach],
        }
    return blocks


def _planar(rng: np.random.Generator, folder: Path, number: int) -> Document:
    del folder
    mode = str(rng.choice(MODES))
    disk = rng.random() < 0.5
    size = {"radius": 0.4} if disk else {"size": rng.uniform(0.4, 0.9, 2).tolist()}
    links = int(rng.integers(2, 4))
    chaser: Document = {
        "base": {"shape": "disk" if disk else "box", "mass": float(rng.uniform(30, 200)), **size},
        "mount": rng.uniform(-0.3, 0.3, 2).tolist(),
        "mode": mode,
        "arm": [
            {"length": float(rng.uniform(0.4, 1.2)), "mass": float(rng.uniform(1, 10))}
            for _ in range(links)
        ],
    }
    target = {
        "shape": "disk",
        "mass": float(np.exp(rng.uniform(0, 5))),
        "radius": 0.3,
        "contact": {"angle": float(rng.uniform(-3, 3))},
    }
    ways = _ways(rng, mode, planar=True)
    if rng.random() < 0.3 and ways["impact"]["closure"] != "published":
        ways["gravity"] = rng.uniform(-0.03, 0.03, 2).tolist()
    return {"name": f"planar {number}", "chaser": chaser, "target": target, **ways}


def _spatial(rng: np.random.Generator, folder: Path, number: int) -> Document:
    path = folder / "slider.urdf"
    path.write_text(SLIDER)
    mode = str(rng.choice(MODES))
    chaser = {"urdf": str(path), "mode": mode, "tool": {"link": "hand", "at": [0.5, 0, 0]}}
    moments = rng.uniform(2.0, 3.5, 3)
    target = {
        "mass": float(rng.uniform(10, 200)),
        "inertia": dict(zip(("xx", "yy", "zz"), moments.tolist(), strict=True)),
        "size": [0.6, 0.5, 0.4],
        "contact": rng.uniform(-0.3, 0.3, 3).tolist(),
    }
    ways = _ways(rng, mode, planar=False)
    if rng.random() < 0.3 and mode != "fixed":
        ways["orbit"] = {"altitude": "500 km"}
    return {"name": f"spatial {number}", "chaser": chaser, "target": target, **ways}


def _started(document: Document, rng: np.random.Generator, start: int) -> Document:
    planar = "arm" in document["chaser"]
    joints = len(document["chaser"]["arm"]) if planar else 2
    reach = rng.uniform(-1.2, 1.2, joints) if planar else rng.uniform(-0.4, 0.4, 2)
    chaser = document["chaser"] | {"joints": reach.tolist()}
    approaches = "approach" in document
    speed = 0.05 if approaches else 0.3
    axes = 2 if planar else 3
    velocity = rng.normal(0.0, speed, axes)
    if approaches:  # the contact point goes ahead
        ahead = _contact(document["target"])
        velocity = 0.2 * velocity + 0.05 * ahead / np.linalg.norm(ahead)
    spin = rng.normal(0.0, speed, () if planar else 3).tolist()
    target = document["target"] | {"velocity": {"linear": velocity.tolist(), "angular": spin}}
    if approaches:
        target["position"] = _on_its_way(chaser, target, velocity, rng, planar)
        target["angle" if planar else "orientation"] = 0.0 if planar else [1, 0, 0, 0]
    elif not planar:
        target["orientation"] = (rng.normal(size=4)).tolist()
    chosen = document | {"chaser": chaser, "target": target}
    return chosen | {"name": f"{document['name']}, start {start}"}


def _on_its_way(
    chaser: Document, target: Document, velocity: np.ndarray, rng: np.random.Generator, planar: bool
) -> list[float]:
    """A place from which the contact point comes near the tool, some seconds later."""
    q = np.asarray(chaser["joints"])
    if planar:
        tool, angle = np.asarray(chaser["mount"], float), 0.0
        for joint, link in zip(q, chaser["arm"], strict=True):
            angle += joint
            tool = tool + link["length"] * np.array([np.cos(angle), np.sin(angle)])
    else:
        tool = np.array([0.8 + q[0] + 0.5 * np.cos(q[1]), 0.1, 0.1 - 0.5 * np.sin(q[1])])
    beside = rng.normal(0.0, 0.01, len(tool))
    return (tool - _contact(target) - velocity * rng.uniform(2.0, 4.0) + beside).tolist()


def _contact(target: Document) -> np.ndarray:
    """The contact point from the centre of mass, target frame (m)."""
    contact = target["contact"]
    if isinstance(contact, list):
        return np.asarray(contact)
    return target["radius"] * np.array([np.cos(contact["angle"]), np.sin(contact["angle"])])


# --- carried out ------------------------------------------------------------------------------


def outcome(document: Document, folder: Path | None = None) -> Document:
    """What the summary of a run says, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if folder is None:
                scenario = percuss.Scenario(**document)
            else:
                scenario = percuss.load(folder / document["file"])
            return {"name": document["name"], "summary": percuss.run(scenario).summary}
        except Exception as error:  # compared like everything else
            return {"name": document["name"], "refused": f"{type(error).__name__}: {error}"}


def shaken(document: Document) -> Document:
    """The same encounter with velocities changed by 1e-12."""
    target = document["target"]
    velocity = target["velocity"]
    linear = [value + 1e-12 for value in velocity["linear"]]
    spin = velocity["angular"]
    angular = [value + 1e-12 for value in spin] if isinstance(spin, list) else spin + 1e-12
    changed = target | {"velocity": {"linear": linear, "angular": angular}}
    return document | {"target": changed}


def carry_out(
    path: Path, first: int, count: int, seed: int, scenarios: Path | None, shakes: bool
) -> None:
    """Write the outcomes of all cases, one a line, going on where an earlier run stopped."""
    done = len(path.read_text().splitlines()) if path.exists() else 0
    with tempfile.TemporaryDirectory() as name, path.open("a") as file:
        documents = list(random_documents(first + count, seed, Path(name)))[first:]
        if scenarios is not None:
            files = [p for p in sorted(scenarios.rglob("*.yaml")) if "chaser:" in p.read_text()]
            documents = [{"name": str(p.relative_to(scenarios)), "file": p} for p in files]
        for number, document in enumerate(documents):
            if number < done:
                continue
            found = outcome(document, scenarios)
            if shakes and scenarios is None and "summary" in found:
                found["shaken"] = outcome(shaken(document)).get("summary")
            file.write(json.dumps(found).replace(name, "FOLDER") + "\n")
            file.flush()
            print(f"\r{number + 1} of {len(documents)}", end="", file=sys.stderr, flush=True)


# --- compared ---------------------------------------------------------------------------------

_OFF_THE_STEPS = ("peak", "settling", "limits", "closest", "stabilisation")
_LEFT_OUT = ("balance", "phases", "verdict", "laws", "warnings", "advice", "outcome", "steps")
"""What is left open by rounding, words that have numbers in them, and how many steps were taken."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, vector of numbers and word of a summary, by its path."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves(entry, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and not all(isinstance(x, (int, float)) for x in value):
        for number, entry in enumerate(value):
            yield from leaves(entry, f"{path}[{number}]")
    else:
        yield path, value


def difference(old: Any, new: Any) -> float:
    """Of two leaves, relative to the largest entry and to 1e-2 (SI); infinite for other words."""
    numbers = (int, float, list)
    if isinstance(old, bool) or not (isinstance(old, numbers) and isinstance(new, numbers)):
        return 0.0 if old == new else float("inf")
    a, b = np.atleast_1d(np.asarray(old, float)), np.atleast_1d(np.asarray(new, float))
    if a.shape != b.shape:
        return float("inf")
    size = max(float(np.abs(a).max(initial=0.0)), 1e-2)
    return float(np.abs(a - b).max(initial=0.0)) / size


def differences(old: Any, new: Any) -> tuple[dict[str, float], dict[str, float]]:
    """By path: of what is integrated, and of what is read off the steps."""
    first, second = dict(leaves(old)), dict(leaves(new))
    exact, loose = {}, {}
    for path in {**first, **second}:
        if any(word in path for word in _LEFT_OUT):
            continue
        absent = path not in first or path not in second
        found = float("inf") if absent else difference(first[path], second[path])
        (loose if any(word in path for word in _OFF_THE_STEPS) else exact)[path] = found
    return exact, loose


def compare(old: Path, new: Path) -> int:
    """Print how two files of outcomes differ; the number of cases that differ."""
    kinds: Counter[str] = Counter()
    told = 0
    largest = {"integrated": 0.0, "off the steps": 0.0}
    lines = zip(old.read_text().splitlines(), new.read_text().splitlines(), strict=True)
    for before, after in (tuple(map(json.loads, pair)) for pair in lines):
        if "refused" in before or "refused" in after:
            same = before.get("refused") == after.get("refused")
            kinds["refused alike" if same else "refused otherwise"] += 1
            if not same:
                told += 1
                reasons = [str(x.get("refused", "carried out"))[:300] for x in (before, after)]
                print(before["name"], *reasons, sep="\n    ")
            continue
        exact, loose = differences(before["summary"], after["summary"])
        path, off = max(exact.items(), key=lambda item: item[1])
        at, beside = max(loose.items(), key=lambda item: item[1], default=("", 0.0))
        if off <= TOLERANCE and beside <= BETWEEN_STEPS:
            kinds[f"alike, {before['summary']['status']}"] += 1
            largest["integrated"] = max(largest["integrated"], off)
            largest["off the steps"] = max(largest["off the steps"], beside)
            continue
        shaky = before.get("shaken")
        by_itself = max(differences(before["summary"], shaky)[0].values()) if shaky else 0.0
        if by_itself > 0.1 * off and by_itself > TOLERANCE:
            kinds["moved as much by 1e-12: grazing, chattering"] += 1
            continue
        kinds["different"] += 1
        told += 1
        print(f"{before['name']}: {path} {off:.1e}; {at} {beside:.1e}; shaken {by_itself:.1e}")
    for kind, count in sorted(kinds.items()):
        print(f"{count:6d} {kind}")
    for kind, off in largest.items():
        print(f"largest difference of cases alike, {kind}: {off:.1e}")
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description="Two trees of sources, case by case.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="carry out, and write what came of it")
    run.add_argument("file", type=Path)
    run.add_argument("--count", type=int, default=2200)
    run.add_argument("--first", type=int, default=0, help="skip that many cases")
    run.add_argument("--no-shaking", action="store_true", help="for one of the two trees")
    run.add_argument("--seed", type=int, default=18)
    run.add_argument("--scenarios", type=Path, help="a folder of scenarios instead")
    both = commands.add_parser("compare", help="tell how two such files differ")
    both.add_argument("old", type=Path)
    both.add_argument("new", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        shakes = not given.no_shaking
        carry_out(given.file, given.first, given.count, given.seed, given.scenarios, shakes)
        return 0
    return 1 if compare(given.old, given.new) else 0


if __name__ == "__main__":
    sys.exit(main())
