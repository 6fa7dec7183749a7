"""Nested containers of arrays, flattened as JAX does it, without loading JAX for plain ones.

JAX takes half a second to load, and code that is found compiled on the disk does without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Plain:
    """The structure of nested tuples, lists and dicts: `shape` has None for every leaf."""

    kind: str
    parts: tuple[Plain, ...] = ()
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        inner = [str(part) for part in self.parts]
        if self.kind == "dict":
            inner = [f"{key!r}: {part}" for key, part in zip(self.keys, inner, strict=True)]
        marks = {"tuple": "()", "list": "[]", "dict": "{}"}.get(self.kind)
        if marks is None:
            return "*" if self.kind == "leaf" else "None"
        comma = "," if self.kind == "tuple" and len(inner) == 1 else ""
        return f"{marks[0]}{', '.join(inner)}{comma}{marks[1]}"


_LEAF, _NONE = Plain("leaf"), Plain("none")


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """(leaves, structure): a `Plain` one, or JAX's where the tree has nodes of other types."""
    leaves: list[Any] = []
    structure = _gathered(tree, leaves)
    if structure is not None:
        return leaves, structure
    import jax

    return jax.tree.flatten(tree)


def unflatten(structure: Any, leaves: Iterable[Any]) -> Any:
    """The tree of this structure with these leaves."""
    if isinstance(structure, Plain):
        return _built(structure, iter(leaves))
    import jax

    return jax.tree.unflatten(structure, leaves)


def _gathered(tree: Any, leaves: list[Any]) -> Plain | None:
    """The structure, its leaves appended; None when JAX has to look at it."""
    if tree is None:
        return _NONE
    kind = type(tree)
    if kind in (tuple, list):
        parts = [_gathered(part, leaves) for part in tree]
        return None if None in parts else Plain(kind.__name__, tuple(p for p in parts if p))
    if kind is dict and all(isinstance(key, str) for key in tree):
        keys = tuple(sorted(tree))
        parts = [_gathered(tree[key], leaves) for key in keys]
        return None if None in parts else Plain("dict", tuple(p for p in parts if p), keys)
    is_array = hasattr(tree, "shape") and hasattr(tree, "dtype")
    if not (is_array or isinstance(tree, (bool, int, float, complex, np.generic))):
        return None
    leaves.append(tree)
    return _LEAF


def _built(structure: Plain, leaves: Iterator[Any]) -> Any:
    if structure.kind == "leaf":
        return next(leaves)
    if structure.kind == "none":
        return None
    parts = [_built(part, leaves) for part in structure.parts]
    if structure.kind == "dict":
        return dict(zip(structure.keys, parts, strict=True))
    return tuple(parts) if structure.kind == "tuple" else parts
