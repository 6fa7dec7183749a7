"""Changes to YAML documents that know keys, lists and values."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import yaml

from tests.fuzz.grammar import made_up, mapping_at
from tests.fuzz.values import UNITS, hostile_number, hostile_text, shifted

Path = tuple[Any, ...]

_RAW = "raw-yaml-stands-here"
"""A text in whose place YAML is written that no document gives when it is written out."""

RAW: tuple[str, ...] = (
    "&a [*a]", "&a {b: *a}", "*nobody", "!!python/object:os.system x", "!!int abc", "!!binary a",
    "!!timestamp 2001-99-99", "2001-01-01", "0x" + "f" * 4000, "9" * 5000, "1:2:3", "<<: 1",
    "{<<: {a: 1}}", "{a: 1, a: 2}", "{? [1] : 2}", "{1: 2}", "{null: 1}", "[" * 2000 + "]" * 2000,
    "{a: " * 500 + "1" + "}" * 500, "[" + "1, " * 60_000 + "1]", "|\n  text", "!a b", "0o17",
    "{a: &b [1, 1, 1], c: &d [*b, *b], e: [*d, *d]}", "1e-3", "+.inf", ".NaN", "- 1", "? a",
    "[&a [x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b,*b,*b], "
    "&d [*c,*c,*c,*c,*c,*c,*c,*c], &e [*d,*d,*d,*d,*d,*d,*d,*d], &f [*e,*e,*e,*e,*e,*e,*e,*e], "
    "&g [*f,*f,*f,*f,*f,*f,*f,*f], &h [*g,*g,*g,*g,*g,*g,*g,*g]]",
)  # fmt: skip


def places(node: Any, path: Path = ()) -> list[Path]:
    """Every place in a document but the whole."""
    found = [path] if path else []
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            found += places(value, (*path, key))
    return found


def at(node: Any, path: Path) -> Any:
    """The value at a place."""
    for part in path:
        node = node[part]
    return node


def changed_document(document: Any, rng: Random, others: Sequence[Any]) -> str:
    """The text of a document with one to four changes; parts may come from others."""
    document = copy.deepcopy(document)
    raw: list[str] = []
    for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 4))):
        rng.choice(_CHANGES)(document, rng, others, raw)
    return written(document, raw)


def gently_changed(document: Any, rng: Random) -> Any:
    """A document whose numbers and choices are others: most stay valid."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 2, 2, 3, 4))):
        rng.choice((*(_shift,) * 6, _add, _choose))(document, rng, (), [])
    return document


def one_value(document: Any, rng: Random) -> str:
    """`path=value` of a value of a document, another one of its kind: for `--set`."""
    path = rng.choice(places(document))
    changed = copy.deepcopy(document)
    while changed == document:
        rng.choice((_shift, _choose))(changed, rng, (), [])
    values = [(p, at(changed, p)) for p in places(changed) if p in places(document)]
    path, value = next(
        ((p, v) for p, v in values if not isinstance(v, dict | list) and v != at(document, p)),
        (path, at(document, path)),
    )
    dotted = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path)
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("\n...\n")
    return f"{dotted[1:]}={text.strip()}"


def written(document: Any, raw: Sequence[str] = ()) -> str:
    """The document as YAML."""
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=200)
    for value in raw:
        text = text.replace(_RAW, value, 1)
    return text


def _somewhere(document: Any, rng: Random) -> tuple[Any, Any] | None:
    """A holder and a key in it."""
    found = places(document)
    if not found:
        return None
    path = rng.choice(found)
    return at(document, path[:-1]), path[-1]


def _numbers(document: Any) -> list[Path]:
    return [p for p in places(document) if isinstance(at(document, p), int | float | str)]


def _shift(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    """Another number, in the same unit where there is one."""
    found = _numbers(document)
    if not found:
        return
    path = rng.choice(found)
    holder, key = at(document, path[:-1]), path[-1]
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int | float):
        holder[key] = shifted(rng, value)
    else:
        number, _, unit = value.partition(" ")
        try:
            holder[key] = f"{shifted(rng, float(number)):.6g} {unit}"
        except ValueError:
            return


def _hostile(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    found = _numbers(document)
    if found:
        path = rng.choice(found)
        value = at(document, path)
        number = hostile_number(rng, value if isinstance(value, float) else None)
        text = f"{number}{rng.choice(UNITS)}"
        at(document, path[:-1])[path[-1]] = rng.choice((number, number, text))


def _garbage(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    place = _somewhere(document, rng)
    if place:
        place[0][place[1]] = rng.choice(
            (hostile_text(rng), hostile_text(rng), hostile_number(rng), None, [], {}, [[]], [None])
        )


def _wrap(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    place = _somewhere(document, rng)
    if place:
        holder, key = place
        value = holder[key]
        holder[key] = rng.choice(
            ([value], {"value": value}, [value] * rng.choice((2, 3, 1000)), str(value)[:500])
        )


def _delete(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    place = _somewhere(document, rng)
    if place:
        del place[0][place[1]]


def _rename(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    place = _somewhere(document, rng)
    if place and isinstance(place[0], dict):
        holder, key = place
        new = rng.choice((f"{key}s", str(key)[:-1], str(key).upper(), hostile_text(rng), 3, True))
        holder[new] = holder.pop(key)


def _splice(document: Any, rng: Random, others: Sequence[Any], _raw: list[str]) -> None:
    """A part of this document or of another one, at the place where it belongs or elsewhere."""
    place = _somewhere(document, rng)
    other = rng.choice((document, *others))
    found = places(other)
    if not place or not found:
        return
    same = [path for path in found if path[-1] == place[1]]
    path = rng.choice(same if same and rng.random() < 0.7 else found)
    place[0][place[1]] = copy.deepcopy(at(other, path))


def _add(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    """A key that is known at its place, with a value of its kind."""
    blocks = [p for p in [(), *places(document)] if isinstance(at(document, p), dict)]
    blocks = [path for path in blocks if mapping_at(path)]
    if not blocks:
        return
    path = rng.choice(blocks)
    known = mapping_at(path)
    key = rng.choice(sorted(known))
    at(document, path)[key] = made_up(rng, known[key])


def _choose(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    """Another of the words that are allowed at a place."""
    found = []
    for path in places(document):
        known = mapping_at(path[:-1]) if isinstance(path[-1], str) else {}
        if isinstance(at(document, path), str) and path[-1] in known:
            found.append((path, known[path[-1]]))
    if found:
        path, node = rng.choice(found)
        at(document, path[:-1])[path[-1]] = made_up(rng, node)


def _lengthen(document: Any, rng: Random, _others: Sequence[Any], _raw: list[str]) -> None:
    found = [path for path in places(document) if isinstance(at(document, path), list)]
    if not found:
        return
    values = at(document, rng.choice(found))
    if not values or rng.random() < 0.2:
        values.append(hostile_number(rng))
    elif rng.random() < 0.3:
        values.pop(rng.randrange(len(values)))
    else:
        values += [copy.deepcopy(rng.choice(values)) for _ in range(rng.choice((1, 2, 10, 200)))]


def _write_raw(document: Any, rng: Random, _others: Sequence[Any], raw: list[str]) -> None:
    place = _somewhere(document, rng)
    if place and _RAW not in str(document):
        place[0][place[1]] = _RAW
        raw.append(rng.choice(RAW))


Change = Callable[[Any, Random, Sequence[Any], list[str]], None]

_CHANGES: tuple[Change, ...] = (
    _shift, _shift, _shift, _hostile, _hostile, _garbage, _wrap, _delete, _rename, _splice, _splice,
    _add, _add, _add, _choose, _choose, _lengthen, _write_raw,
)  # fmt: skip
