"""Derivatives, taken by JAX before anything is lowered: a derivative is another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from percuss.kernel.compile import Kernel, batch_size, compile
from percuss.kernel.errors import KernelError


def jvp(function: Callable[..., Any]) -> Callable[..., Any]:
    """(arguments, tangents) → (result, its tangent): a function ready for `compile`."""

    def forward(arguments: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        return jax.jvp(function, tuple(arguments), tuple(tangents))

    return forward


def vjp(function: Callable[..., Any]) -> Callable[..., Any]:
    """(arguments, cotangent of the result) → (result, cotangents of the arguments)."""

    def backward(arguments: tuple[Any, ...], cotangent: Any) -> Any:
        result, pull_back = jax.vjp(function, *arguments)
        return result, pull_back(cotangent)

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
        if self.kernel.backend == "cuda":
            raise KernelError("Jacobians run on the llvm and numpy back ends")
        leaves, self._tree = jax.tree.flatten(tuple(like))
        self._shapes = [tuple(np.shape(leaf)) for leaf in leaves]

    def __call__(self, *arguments: Any) -> Any:
        leaves = [np.asarray(leaf, self.kernel.dtype) for leaf in jax.tree.leaves(arguments)]
        batch = batch_size(leaves, self._shapes)
        cases = 1 if batch is None else batch
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        directions = sum(sizes)
        # Lane (direction d, case c) is number d·cases + c.
        spread = [
            self._spread(leaf, shape, cases, directions) for leaf, shape in self._pairs(leaves)
        ]
        unit = np.repeat(np.eye(directions, dtype=self.kernel.dtype), cases, axis=1)
        parts = np.split(unit, np.cumsum(sizes)[:-1])
        tangents = [
            part.reshape((*shape, -1)) for part, shape in zip(parts, self._shapes, strict=True)
        ]
        _, tangent = self.kernel(
            jax.tree.unflatten(self._tree, spread), jax.tree.unflatten(self._tree, tangents)
        )
        return jax.tree.map(lambda leaf: self._blocks(leaf, sizes, cases, batch is None), tangent)

    def _pairs(self, leaves: list[np.ndarray]) -> Any:
        return zip(leaves, self._shapes, strict=True)

    @staticmethod
    def _spread(
        leaf: np.ndarray, shape: tuple[int, ...], cases: int, directions: int
    ) -> np.ndarray:
        full = leaf[..., None] if leaf.shape == shape else leaf
        full = np.broadcast_to(full, (*shape, cases))
        return np.tile(full, (1,) * len(shape) + (directions,))

    def _blocks(self, leaf: np.ndarray, sizes: list[int], cases: int, single: bool) -> Any:
        """(result…, directions · cases) cut into one block per argument leaf."""
        shape = leaf.shape[:-1]
        table = leaf.reshape((*shape, sum(sizes), cases))
        parts = np.split(table, np.cumsum(sizes)[:-1], axis=len(shape))
        blocks = [
            part.reshape((*shape, *argument, cases))
            for part, argument in zip(parts, self._shapes, strict=True)
        ]
        blocks = [block[..., 0] for block in blocks] if single else blocks
        return jax.tree.unflatten(self._tree, blocks)
