"""What cannot be asked of a value that is not known yet, and what to write instead."""

from __future__ import annotations

from typing import Any

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.writer import ProgramWriter


class UnknownValue:
    """A value without a number: Python may not ask for its truth, its size or its place."""

    __slots__ = ()
    writer: ProgramWriter

    def __bool__(self) -> bool:
        raise self._refusal(
            "whether a computed value is true is not known while a function is compiled",
            "Instead of `if`, `and`, `or`, `not`, `min`, `max` write np.where, &, |, ~, "
            "np.minimum, np.maximum; instead of 0 < x < 1 write (0 < x) & (x < 1); instead of "
            "np.array([…]) of computed values write np.stack([…])",
        )

    def __float__(self) -> float:
        raise self._refusal(
            "a computed value has no number while a function is compiled",
            "Instead of float() and functions of `math` use those of numpy; instead of assigning "
            "to an entry, or of np.array([…]) of computed values, build the array with "
            "np.stack([…])",
        )

    __complex__ = __float__

    def __int__(self) -> int:
        raise self._refusal(
            "a computed value has no whole number while a function is compiled",
            "Instead of int() write np.floor or np.trunc; read tables with "
            "np.choose(index, table) or np.interp",
        )

    def __index__(self) -> int:
        raise self._refusal(
            "a computed value cannot be the index of a list or of an array of numbers, nor a "
            "number of rounds",
            "Read tables with np.choose(index, table) or np.interp",
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        raise self._refusal(
            "arrays of computed values cannot be changed in place",
            "Build a new one with np.where, np.stack or np.concatenate",
        )

    def _refusal(self, what: str, instead: str) -> KernelError:
        """The error, which the writer remembers: NumPy raises others in its place."""
        where = users_line()
        error = KernelError(f"{what}{where}. {instead}")
        self.writer.refused = (where, error)
        return error
