"""What LLVM assembly is written for: vectors of a processor, or single threads of a GPU."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

LIBRARY = (
    "cbrt exp exp2 expm1 log log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh erf erfc pow atan2"
).split()
"""Operations that call the mathematics library."""


@dataclass(frozen=True)
class LlvmTarget:
    """How wide a vector is, its kind of real, and which library functions take whole vectors."""

    lanes: int
    single: bool = False
    vector_functions: dict[str, str] = field(default_factory=dict)
    """Operation to the symbol of its vector version; others are called lane by lane."""
    registers: int | None = 16
    """Vectors that the processor holds; None leaves it to the compiler which values are in
    registers."""
    fuses: bool = False
    """Whether products are to be fused with the sums that use them."""

    near: ClassVar[str] = "ptr"
    """Type of pointers to what a function keeps in memory."""
    far: ClassVar[str] = "ptr"
    """Type of pointers to what is given and returned, and to tables."""
    access: ClassVar[str] = " volatile"
    """How memory is read and written. What is volatile stays in its order: values are loaded where
    they are needed and not before, which would take registers from others."""
    freedom: ClassVar[str] = ""
    """What the compiler may do with sums and products."""
    pairs: ClassVar[bool] = False
    """Whether sine and cosine of one angle are computed together."""
    attributes: ClassVar[str] = (
        'nounwind "stackrealign" "min-legal-vector-width"="512" "prefer-vector-width"="512"'
    )
    """Of functions. Without the widths some processors would split 512-bit vectors and break the
    library's calls; without `stackrealign` vectors kept on the stack lie across two cache lines: a
    sixth of the time."""

    @property
    def scalar(self) -> str:
        return "float" if self.single else "double"

    @property
    def real(self) -> str:
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def truth(self) -> str:
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """What ends the names of overloaded intrinsics that take this vector, `v8f64` say."""
        return f"v{self.lanes}f{32 if self.single else 64}"

    @property
    def bytes(self) -> int:
        """How many bytes one real number takes."""
        return 4 if self.single else 8

    @property
    def vector_bytes(self) -> int:
        return self.lanes * self.bytes

    def number(self, value: float) -> str:
        """One real, exactly; LLVM writes single precision as the double it equals."""
        if self.single:
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return "0x" + struct.pack(">d", value).hex().upper()

    def constant(self, value: float | bool) -> str:
        """A value that is the same for all cases."""
        if isinstance(value, bool):
            return f"splat (i1 {'true' if value else 'false'})"
        return f"splat ({self.scalar} {self.number(value)})"


@dataclass(frozen=True)
class Thread(LlvmTarget):
    """One case a thread, as on a GPU of NVIDIA: numbers instead of vectors."""

    lanes: int = 1
    registers: int | None = None

    near: ClassVar[str] = "ptr addrspace(5)"
    far: ClassVar[str] = "ptr addrspace(1)"
    access: ClassVar[str] = ""
    freedom: ClassVar[str] = " contract"
    pairs: ClassVar[bool] = True
    attributes: ClassVar[str] = "nounwind"

    @property
    def real(self) -> str:
        return self.scalar

    @property
    def truth(self) -> str:
        return "i1"

    @property
    def suffix(self) -> str:
        return f"f{32 if self.single else 64}"

    def constant(self, value: float | bool) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return self.number(value)
