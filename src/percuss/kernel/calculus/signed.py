"""Linear arithmetic on signed registers: what tangents and cotangents are computed with.

A *signed register* is None for a structural zero, r for the value in register r, and ~r (the
bitwise complement, a negative integer) for minus that value. Signs travel for free and become
an instruction only where a value is stored; zeros never do.
"""

from __future__ import annotations

from percuss.kernel.builder import Builder

Signed = int | None


def minus(value: Signed) -> Signed:
    """-value; costs nothing."""
    return None if value is None else ~value


class SignedSums:
    """Emits sums and products of signed registers into a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.emit = builder.emit
        self.constant = builder.constant

    def plus(self, a: Signed, b: Signed) -> Signed:
        """a + b."""
        if a is None:
            return b
        if b is None:
            return a
        if a >= 0:
            return self.emit("add", a, b) if b >= 0 else self.emit("sub", a, ~b)
        return self.emit("sub", b, ~a) if b >= 0 else ~self.emit("add", ~a, ~b)

    def times(self, factor: int, value: Signed) -> Signed:
        """The value in register `factor` times a signed value."""
        if value is None:
            return None
        register, negative = (value, False) if value >= 0 else (~value, True)
        known = self.builder.value(factor)
        if known is not None:
            if known == -1.0:
                return ~value
            if negative:
                return self.emit("mul", self.constant(-known), register)
        elif self.builder.value(register) == -1.0:
            return factor if negative else ~factor
        product = self.emit("mul", factor, register)
        return ~product if negative else product

    def over(self, value: Signed, divisor: int) -> Signed:
        """A signed value divided by the value in register `divisor`."""
        if value is None:
            return None
        return (
            self.emit("div", value, divisor) if value >= 0 else ~self.emit("div", ~value, divisor)
        )

    def choose(self, condition: int, yes: Signed, no: Signed) -> Signed:
        """`yes` where the truth value in register `condition` holds, else `no`."""
        if yes is None and no is None:
            return None
        if (yes is None or yes < 0) and (no is None or no < 0):
            return minus(self.choose(condition, minus(yes), minus(no)))
        return self.emit("select", condition, self.stored(yes), self.stored(no))

    def stored(self, value: Signed) -> int:
        """The register of a signed value, its sign carried out."""
        if value is None:
            return self.constant(0.0)
        if value >= 0:
            return value
        node = self.builder.node(~value)
        if node is not None and node.operation == "sub":
            # Swapping costs no more than a sign, and less where the difference is not used.
            return self.emit("sub", node.arguments[1], node.arguments[0])
        return self.emit("neg", ~value)
