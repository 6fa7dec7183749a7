"""Derivatives of functions, ready to be compiled: a derivative is another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.backends.cuda import adopted
from percuss.kernel.compiling import Kernel, batch_size, compile
from percuss.kernel.tracing import derivatives


def jvp(function: Callable[..., Any]) -> Callable[..., Any]:
    """(arguments, tangents) → (result, its tangent): a function ready for `compile`."""

    def forward(arguments: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        return derivatives.jvp(function, tuple(arguments), tuple(tangents))

    return forward


def vjp(function: Callable[..., Any]) -> Callable[..., Any]:
    """(arguments, cotangent of the result) → (result, cotangents of the arguments)."""

    def backward(arguments: tuple[Any, ...], cotangent: Any) -> Any:
        return derivatives.vjp(function, tuple(arguments), cotangent)

    return backward


def jacobian(function: Callable[..., Any], *like: Any, **options: Any) -> Jacobian:
    """Compile the full Jacobian of a function of arrays; see `Jacobian`."""
    return Jacobian(function, *like, **options)


class Jacobian:
    """d result / d argument for every leaf of either, by Jacobian-vector products.

    The directions are lanes: a batch of n cases with m inputs is one call on n·m cases. A call
    returns, for every leaf of the result, the structure of the arguments with arrays of shape
    (result shape…, argument shape…, batch).
    """

    def __init__(self, function: Callable[..., Any], *like: Any, **options: Any) -> None:
        self.kernel: Kernel = compile(jvp(function), tuple(like), tuple(like), **options)
        leaves, self._tree = trees.flatten(tuple(like))
        self._shapes = [tuple(np.shape(leaf)) for leaf in leaves]

    def __call__(self, *arguments: Any) -> Any:
        library, leaves = adopted(trees.leaves_of(arguments), self.kernel.dtype)
        batch = batch_size(leaves, self._shapes)
        cases = 1 if batch is None else batch
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        directions = sum(sizes)
        # Lane (direction d, case c) is number d·cases + c.
        spread = [
            self._spread(library, leaf, shape, cases, directions)
            for leaf, shape in zip(leaves, self._shapes, strict=True)
        ]
        unit = library.repeat(library.eye(directions, dtype=self.kernel.dtype), cases, axis=1)
        parts = library.split(unit, np.cumsum(sizes)[:-1].tolist())
        tangents = [
            part.reshape((*shape, -1)) for part, shape in zip(parts, self._shapes, strict=True)
        ]
        _, tangent = self.kernel(
            trees.unflatten(self._tree, spread), trees.unflatten(self._tree, tangents)
        )
        return trees.map_leaves(
            lambda leaf: self._blocks(leaf, sizes, cases, batch is None), tangent
        )

    @staticmethod
    def _spread(
        library: Any, leaf: Any, shape: tuple[int, ...], cases: int, directions: int
    ) -> Any:
        full = leaf[..., None] if tuple(leaf.shape) == shape else leaf
        full = library.broadcast_to(full, (*shape, cases))
        return library.tile(full, (1,) * len(shape) + (directions,))

    def _blocks(self, leaf: Any, sizes: list[int], cases: int, single: bool) -> Any:
        """(result…, directions · cases) cut into one block per argument leaf."""
        shape = leaf.shape[:-1]
        table = leaf.reshape((*shape, sum(sizes), cases))
        ends = np.cumsum(sizes).tolist()
        blocks = [
            table[..., end - size : end, :].reshape((*shape, *argument, cases))
            for end, size, argument in zip(ends, sizes, self._shapes, strict=True)
        ]
        blocks = [block[..., 0] for block in blocks] if single else blocks
        return trees.unflatten(self._tree, blocks)
