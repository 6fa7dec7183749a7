"""Derivatives of functions, ready to be compiled: a derivative is another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.backends.cuda import adopted
from percuss.kernel.calculus import orthogonal_groups, sparsity
from percuss.kernel.calculus.sparsity import Pattern, seeds
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

    The directions are lanes: a batch of n cases with m directions is one call on n·m cases. Inputs
    on which nothing depends need none, and inputs that no entry of the result has in common share
    one. A call returns, for every leaf of the result, the structure of the arguments with arrays of
    shape (result shape…, argument shape…, batch).
    """

    def __init__(self, function: Callable[..., Any], *like: Any, **options: Any) -> None:
        self.kernel: Kernel = compile(jvp(function), tuple(like), tuple(like), **options)
        leaves, self._tree = trees.flatten(tuple(like))
        self._shapes = [tuple(np.shape(leaf)) for leaf in leaves]
        program = self.kernel.program
        inputs, results = program.input_count // 2, len(program.outputs) // 2
        # The tangents of the results are linear in those of the inputs: who depends on whom is
        # where the Jacobian may differ from zero.
        whole = sparsity(program, range(inputs, 2 * inputs))
        entries = [(row - results, column) for row, column in whole.entries if row >= results]
        self.pattern = Pattern((results, inputs), tuple(entries))
        self._groups = orthogonal_groups(self.pattern) or ((),)
        self._filled = np.zeros(self.pattern.shape, bool)
        self._filled[tuple(np.array(entries, int).reshape(-1, 2).T)] = True
        self._group_of = np.zeros(inputs, int)
        for number, group in enumerate(self._groups):
            self._group_of[list(group)] = number

    @property
    def directions(self) -> int:
        """Jacobian-vector products for one case."""
        return len(self._groups)

    def __call__(self, *arguments: Any) -> Any:
        library, leaves = adopted(trees.leaves_of(arguments), self.kernel.dtype)
        batch = batch_size(leaves, self._shapes)
        cases = 1 if batch is None else batch
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        # Lane (direction d, case c) is number d·cases + c.
        spread = [
            self._spread(library, leaf, shape, cases)
            for leaf, shape in zip(leaves, self._shapes, strict=True)
        ]
        along = library.asarray(seeds(self.pattern, self._groups), self.kernel.dtype)
        parts = library.split(library.repeat(along, cases, axis=1), np.cumsum(sizes)[:-1].tolist())
        tangents = [
            part.reshape((*shape, -1)) for part, shape in zip(parts, self._shapes, strict=True)
        ]
        _, tangent = self.kernel(
            trees.unflatten(self._tree, spread), trees.unflatten(self._tree, tangents)
        )
        found, tree = trees.flatten(tangent)
        blocks: list[Any] = []
        row = 0
        for leaf in found:
            count = int(np.prod(leaf.shape[:-1]))
            filled = library.asarray(self._filled[row : row + count])
            blocks.append(self._blocks(library, leaf, filled, cases, single=batch is None))
            row += count
        return trees.unflatten(tree, blocks)

    def _spread(self, library: Any, leaf: Any, shape: tuple[int, ...], cases: int) -> Any:
        full = leaf[..., None] if tuple(leaf.shape) == shape else leaf
        full = library.broadcast_to(full, (*shape, cases))
        return library.tile(full, (1,) * len(shape) + (self.directions,))

    def _blocks(self, library: Any, leaf: Any, filled: Any, cases: int, *, single: bool) -> Any:
        """(result…, directions · cases) as one block per argument leaf."""
        shape = leaf.shape[:-1]
        products = leaf.reshape((len(filled), self.directions, cases))
        table = products[:, library.asarray(self._group_of), :]
        table = library.where(filled[:, :, None], table, library.zeros_like(table))
        blocks: list[Any] = []
        start = 0
        for argument in self._shapes:
            end = start + int(np.prod(argument))
            block = table[:, start:end, :].reshape((*shape, *argument, cases))
            blocks.append(block[..., 0] if single else block)
            start = end
        return trees.unflatten(self._tree, blocks)
