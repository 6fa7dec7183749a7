"""Nested containers of arrays: taken apart into leaves and put together again.

Nodes are tuples, lists, dicts with names as keys (in their sorted order), named tuples, None
(without leaves), and dataclasses all of whose fields are leaves or nodes. Other nodes that JAX
knows are left to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Structure:
    """What is left of a tree without its leaves."""

    kind: type | None
    """Of the node; None for a leaf."""
    parts: tuple[Structure, ...] = ()
    names: tuple[str, ...] = ()
    """Keys of a dict, fields of a dataclass."""

    def __str__(self) -> str:
        inner = [str(part) for part in self.parts]
        if self.kind is None:
            return "*"
        if self.kind is type(None):
            return "None"
        if self.kind is dict:
            inner = [f"{key!r}: {part}" for key, part in zip(self.names, inner, strict=True)]
        if self.names and self.kind is not dict:
            inner = [f"{key}={part}" for key, part in zip(self.names, inner, strict=True)]
        before, after = _MARKS.get(self.kind, (f"{self.kind.__name__}(", ")"))
        comma = "," if self.kind is tuple and len(inner) == 1 else ""
        return f"{before}{', '.join(inner)}{comma}{after}"


_MARKS = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}")}
_LEAF, _NONE = Structure(None), Structure(type(None))


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """(leaves, structure); the structure is JAX's where a node is of a type that only JAX knows."""
    if type(tree) is np.ndarray:  # mostly, and then nothing has to be looked for
        return [tree], _LEAF
    leaves: list[Any] = []
    structure = _gathered(tree, leaves)
    if structure is not None:
        return leaves, structure
    jax = sys.modules.get("jax")
    if jax is None:
        raise TypeError(f"not a number, an array, or a nested container of those: {tree!r}")
    return jax.tree.flatten(tree)


def unflatten(structure: Any, leaves: Iterable[Any]) -> Any:
    """The tree of this structure with these leaves."""
    if isinstance(structure, Structure):
        return _built(structure, iter(leaves))
    return sys.modules["jax"].tree.unflatten(structure, leaves)


def leaves_of(tree: Any) -> list[Any]:
    return flatten(tree)[0]


def structure_of(tree: Any) -> Any:
    return flatten(tree)[1]


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with function(leaf, leaves of the others at the same place…) for each leaf."""
    if not others and type(tree) is np.ndarray:
        return function(tree)
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in others:
        more, found = flatten(other)
        if found != structure:
            raise ValueError(f"trees have different structures: {structure} and {found}")
        columns.append(more)
    return unflatten(structure, [function(*row) for row in zip(*columns, strict=True)])


def _gathered(tree: Any, leaves: list[Any]) -> Structure | None:
    """The structure, its leaves appended; None when JAX has to look at it."""
    if tree is None:
        return _NONE
    kind = type(tree)
    if kind is np.ndarray or kind is float:
        leaves.append(tree)
        return _LEAF
    names: tuple[str, ...] = ()
    # What is met most is looked for first.
    if kind is tuple or kind is list:
        inner = tree
    elif kind is dict:
        if not set(map(type, tree)) <= {str}:
            return None
        names = tuple(sorted(tree))
        inner = [tree[name] for name in names]
    elif (hasattr(tree, "shape") and hasattr(tree, "dtype")) or isinstance(
        tree, (bool, int, float, complex, np.generic)
    ):
        leaves.append(tree)
        return _LEAF
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        inner = tree
    elif is_dataclass(kind):
        names = tuple(field.name for field in fields(kind))
        inner = [getattr(tree, name) for name in names]
    else:
        return None
    parts = [_gathered(part, leaves) for part in inner]
    if None in parts:
        return None
    return Structure(kind, tuple(part for part in parts if part is not None), names)


def _built(structure: Structure, leaves: Iterator[Any]) -> Any:
    kind = structure.kind
    if kind is None:
        return next(leaves)
    if structure is _NONE or kind is type(None):
        return None
    parts = [_built(part, leaves) for part in structure.parts]
    if kind is tuple or kind is list:
        return kind(parts)
    if structure.names:
        return kind(**dict(zip(structure.names, parts, strict=True)))
    return kind(*parts)  # a named tuple
