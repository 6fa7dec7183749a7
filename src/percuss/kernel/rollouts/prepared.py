"""The programs and the machine code of a rollout's loop, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from percuss.kernel.iteration import Iteration
    from percuss.kernel.traced import Traced


@dataclass
class PreparedIteration:
    """An iteration with the arrangement of its records.

    Where its machine code is on the disk, the program of a step is not even read.

    Attributes:
        name: determines the iteration; None where it is not kept on disk.
        make_observe, make_iteration: give the program of a record, and all programs.
    """

    name: str | None
    make_observe: Callable[[], Traced]
    make_iteration: Callable[[], Iteration]
    _codes: dict[tuple[np.dtype[Any], str, int | None], Any] = field(default_factory=dict[Any, Any])

    @cached_property
    def observe(self) -> Traced:
        return self.make_observe()

    @cached_property
    def iteration(self) -> Iteration:
        return self.make_iteration()

    @property
    def record_count(self) -> int:
        """Reals that are recorded at the end of a segment."""
        return len(self.observe.program.outputs)

    def code(self, dtype: np.dtype[Any], backend: str, lanes: int | None) -> Any:
        """The machine code, which is being compiled perhaps; `lanes` is for LLVM alone."""
        kind = dtype, backend, lanes
        if kind not in self._codes:
            self._codes[kind] = self._found(*kind)
        return self._codes[kind]

    def _found(self, dtype: np.dtype[Any], backend: str, lanes: int | None) -> Any:
        if backend == "llvm" and self.name is not None:
            from percuss.kernel.backends.llvm_iteration import kept_iteration

            kept = kept_iteration(self.name, dtype, lanes)
            if kept is not None:
                return kept
        return _compiled(self.iteration, dtype, backend, lanes, name=self.name)


@lru_cache(maxsize=16)
def _compiled(
    iteration: Iteration, dtype: np.dtype[Any], backend: str, lanes: int | None, *, name: str | None
) -> Any:
    """Machine code of an iteration; the same for equal iterations made shortly after each other.

    A rollout keeps its own, so that no more than the last ones need to be kept for others.
    """
    if backend == "cuda":
        from percuss.kernel.backends import cuda

        return cuda.compiled_iteration(iteration, dtype)
    from percuss.kernel.backends.llvm_iteration import compiled_iteration

    return compiled_iteration(iteration, dtype, lanes, name)
