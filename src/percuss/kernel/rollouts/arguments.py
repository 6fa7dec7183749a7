"""Arguments of a rollout: checked, and laid out as rows of numbers, one column a case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.compiling import batch_size
from percuss.kernel.duals import slope_of
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.plan import SegmentPlan
from percuss.kernel.rollouts.problem import RolloutProblem, Tree


def rows_of(
    problem: RolloutProblem, backend: str, state: Tree, parameters: Tree, *, clocks: int | None
) -> tuple[Any, Any, Any, int | None, bool]:
    """NumPy or CuPy, state (n, batch), parameters (m, batch), batch size, whether results stay.

    The size is None when no argument has a batch axis; `clocks` is that of the times. Results stay
    where the rows are, unless these were brought from the host to a GPU.
    """
    leaves: list[Any] = []
    for name, value, tree in (
        ("state", state, problem.state_tree),
        ("parameters", parameters, problem.parameter_tree),
    ):
        found, structure = trees.flatten(value)
        if structure != tree:
            raise KernelError(f"{name} have the structure {structure}, compiled was {tree}")
        leaves += found
    library, leaves, stays = _adopted(leaves, problem.dtype, backend)
    shapes = [*problem.state_shapes, *problem.parameter_shapes]
    batch = batch_size(leaves, shapes)
    if clocks is not None and batch not in (None, clocks):
        raise KernelError(
            f"start or duration have {clocks} cases, state and parameters have {batch}"
        )
    batch = clocks if batch is None else batch
    table = _table(library, leaves, shapes, 1 if batch is None else batch)
    x, p = table[: problem.size], table[problem.size :]
    _check_quaternions(problem, library, x)
    return library, x, p, batch, stays


def slope_rows(
    problem: RolloutProblem, library: Any, state: Tree, parameters: Tree, *, count: int
) -> tuple[Any, Any]:
    """Derivatives of state (n, count) and parameters (m, count), laid out as `rows_of` does."""
    leaves = [
        library.asarray(slope_of(leaf), problem.dtype)
        for tree in (state, parameters)
        for leaf in trees.leaves_of(tree)
    ]
    table = _table(library, leaves, [*problem.state_shapes, *problem.parameter_shapes], count)
    return table[: problem.size], table[problem.size :]


def _table(library: Any, leaves: Sequence[Any], shapes: Sequence[Any], count: int) -> Any:
    """All entries of so many cases one below the other, (entries, count)."""
    rows = []
    for leaf, shape in zip(leaves, shapes, strict=True):
        whole = (
            library.broadcast_to(leaf[..., None], (*shape, count)) if leaf.shape == shape else leaf
        )
        rows.append(whole.reshape((math.prod(shape), count)))
    return library.concatenate(rows)


def _adopted(
    leaves: Sequence[Any], dtype: np.dtype[Any], backend: str
) -> tuple[Any, list[Any], bool]:
    """The library that computes, all arrays there, and whether results stay there."""
    if backend == "cuda":
        from percuss.kernel.backends.cuda import uploaded

        return uploaded(leaves, dtype)
    return np, [np.asarray(leaf, dtype) for leaf in leaves], True


def _check_quaternions(problem: RolloutProblem, library: Any, x: Any) -> None:
    for offset in problem.quaternions:
        with np.errstate(all="ignore"):
            norm = library.sqrt(library.sum(x[offset : offset + 4] ** 2, axis=0))
        wrong = library.flatnonzero(library.abs(norm - 1) > 1e-3)
        if wrong.size:
            case = int(wrong[0])
            raise KernelError(
                f"the quaternion at entry {offset} of the state must be unit, case {case} "
                f"has norm {float(norm[case]):.6g}; divide it by its norm"
            )


def table_of(library: Any, begin: Any, batch: int) -> Any:
    """The table (rows, batch) of what a loop keeps, as it is where its leaves are rows of one."""
    leaves = trees.leaves_of(begin)
    whole = leaves[0].base
    if whole is not None and whole.ndim == 2 and all(leaf.base is whole for leaf in leaves):
        return whole
    rows = [leaf.reshape((math.prod(leaf.shape[:-1]), batch)) for leaf in leaves]
    return library.concatenate(rows)


def begin_of(
    problem: RolloutProblem, loop: Any, library: Any, x: Any, *, plan: SegmentPlan
) -> dict[str, Any]:
    """Everything a loop keeps, per case, before the first step: rows of one table, in order."""
    dtype, batch = problem.dtype, x.shape[1]
    leaves, tree = trees.flatten(loop.start_state(problem))
    ends = np.cumsum([np.size(leaf) for leaf in leaves])
    table = library.empty((int(ends[-1]), batch), dtype)
    # All at once: to a GPU each array that is handed over takes a tenth of a millisecond.
    column = np.concatenate([np.ravel(leaf) for leaf in leaves])
    table[...] = library.asarray(column, dtype)[:, None]
    rows = [
        table[end - np.size(leaf) : end].reshape((*np.shape(leaf), batch))
        for leaf, end in zip(leaves, ends.tolist(), strict=True)
    ]
    begin = trees.unflatten(tree, rows)
    begin["x"][: len(x)] = x
    clocks = {"t": plan.begin, "begin": plan.begin, "finish": plan.finish, "most": plan.most}
    for key, values in clocks.items():
        if key in begin:
            # Directions of a derivative repeat the cases.
            whole = np.tile(values, batch // values.size) if values.ndim and batch else values
            begin[key][...] = library.asarray(whole, dtype)
    return begin
