"""What a rollout is made of, kept on disk under a name that determines it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.fingerprint import kernel_fingerprint
from percuss.kernel.program import Program
from percuss.kernel.store import load_traced, save_traced
from percuss.kernel.traced import Traced


@dataclass(frozen=True)
class Shelf:
    """A place on disk. Without a name nothing is kept, and everything is made anew."""

    name: str | None = None

    @classmethod
    def of(cls, key: str | None, *settings: Any) -> Shelf:
        """For functions that the key determines, and settings that are made of plain data.

        Settings that cannot be told apart from others leave it without a name.
        """
        return cls(None if key is None else kernel_fingerprint("rollout", key, *settings))

    def named(self, what: str) -> str | None:
        """The name of one of its things."""
        return None if self.name is None else f"{what} of the rollout {self.name}"

    def traced(self, what: str, like: Any, make: Callable[[], Traced]) -> Traced:
        """A program for arguments of this structure, made and kept where it is not there."""
        name = self.named(what)
        found = None if name is None else load_traced(name, like)
        if found is None:
            found = make()
            if name is not None:
                save_traced(name, found)
        return found

    def zeros(self, what: str, make: Callable[[], Any]) -> Any:
        """Zeros arranged as what is made, of which nothing but that is kept."""

        def arrangement() -> Traced:
            leaves, tree = trees.flatten(make())
            shapes = tuple(leaf.shape for leaf in leaves)
            return Traced(
                program=Program(0, (), (), ()),
                input_tree=trees.structure_of(()),
                input_shapes=(),
                output_tree=tree,
                output_shapes=shapes,
            )

        kept = self.traced(what, (), arrangement)
        return trees.unflatten(kept.output_tree, map(np.zeros, kept.output_shapes))


def settings_of(things: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    """Dataclasses without the functions in them, each by its class and its other fields."""
    named = things.items() if isinstance(things, Mapping) else enumerate(things)
    return [(name, type(thing), *_plain(thing)) for name, thing in named]


def _plain(thing: Any) -> list[tuple[str, Any]]:
    found = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
    return [(name, "a function" if callable(value) else value) for name, value in found]
