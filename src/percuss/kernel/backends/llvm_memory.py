"""LLVM assembly of what is read and written: values in memory, rows of cases, tables."""

from __future__ import annotations

from percuss.kernel.backends.llvm_text import Module, Operations
from percuss.kernel.program import TRUTH, Program


class Block(Operations):
    """Emits operations and what they read and write into a function."""

    def __init__(self, module: Module, lines: list[str]) -> None:
        super().__init__(module, lines)
        self.buffers: list[str] = []
        """Room in memory; it belongs to the beginning of the function."""
        self._slots: set[int] = set()
        self._argument_rooms: dict[Program, str] = {}
        self._rooms_left: dict[Program, list[str]] = {}
        self._rooms = 0

    def reserve(self, name: str, count: int) -> str:
        """Room for vectors on the stack."""
        kind = f"[{count} x {self.target.real}]"
        self.buffers.append(f"  {name} = alloca {kind}{self._aligned}")
        return name

    def slot(self, index: int) -> str:
        """Room for one value that has to leave its register."""
        name = f"%slot{index}"
        if index not in self._slots:
            self._slots.add(index)
            self.reserve(name, 1)
        return name

    def argument_room(self, part: Program) -> str:
        """Room for what a part is called with."""
        if part not in self._argument_rooms:
            name = f"%arguments{len(self._argument_rooms)}"
            self._argument_rooms[part] = self.reserve(name, part.input_count)
        return self._argument_rooms[part]

    def take_room(self, part: Program) -> str:
        """Room for the results of one call of a part, until it is given back."""
        left = self._rooms_left.setdefault(part, [])
        if left:
            return left.pop()
        self._rooms += 1
        return self.reserve(f"%results{self._rooms}", len(part.outputs))

    def give_room_back(self, part: Program, room: str) -> None:
        self._rooms_left[part].append(room)

    def load_vector(self, base: str, index: int = 0) -> str:
        """A vector from an array of them."""
        target, place = self.target, self._vector(base, index)
        return self.new(f"load{target.access} {target.real}, {target.near} {place}{self._aligned}")

    def store_vector(self, value: str, kind: str, base: str, index: int = 0) -> None:
        """A vector into an array of them; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self.emit("to_real", [value])
        target, place = self.target, self._vector(base, index)
        self.lines.append(
            f"  store{target.access} {target.real} {value}, {target.near} {place}{self._aligned}"
        )

    def reserve_state(self, count: int) -> None:
        """Room for what an iteration carries from step to step."""
        self.reserve("%now", count)

    def load_state(self, index: int) -> str:
        return self.load_vector("%now", index)

    def store_state(self, value: str, kind: str, index: int) -> None:
        self.store_vector(value, kind, "%now", index)

    @property
    def _aligned(self) -> str:
        return f", align {self.target.vector_bytes}"

    def _vector(self, base: str, index: int) -> str:
        if not index:
            return base
        target = self.target
        return self.new(f"getelementptr inbounds {target.real}, {target.near} {base}, i64 {index}")

    def load_row(self, rows: str, row: int, case: str) -> str:
        """A vector of cases from one of several rows."""
        target, place = self.target, self._in_row(rows, row, case)
        return self.new(
            f"load{target.access} {target.real}, {target.far} {place}, align {target.bytes}"
        )

    def store_row(self, value: str, kind: str, rows: str, row: int, case: str) -> None:
        """A vector of cases into a row; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self.emit("to_real", [value])
        target, place = self.target, self._in_row(rows, row, case)
        self.lines.append(
            f"  store{target.access} {target.real} {value}, {target.far} {place}, "
            f"align {target.bytes}"
        )

    def _in_row(self, rows: str, row: int, case: str) -> str:
        """The place of a case; rows are a table of pointers to them."""
        entry = self.new(f"getelementptr inbounds ptr, ptr {rows}, i64 {row}")
        pointer = self.new(f"load ptr, ptr {entry}")
        return self.new(f"getelementptr inbounds {self.target.scalar}, ptr {pointer}, i64 {case}")

    def rows_from(self, rows: str, first: str) -> str:
        """The rows from a number on."""
        return self.new(f"getelementptr inbounds ptr, ptr {rows}, i64 {first}")

    def load_uniform(self, base: str, index: int) -> str:
        """One real for all cases, from an array of them."""
        target = self.target
        place = self.new(
            f"getelementptr inbounds {target.scalar}, {target.far} {base}, i64 {index}"
        )
        return self._for_all(self.new(f"load{target.access} {target.scalar}, {target.far} {place}"))

    def _for_all(self, value: str) -> str:
        """One real as a vector."""
        target = self.target
        single = self.new(f"insertelement {target.real} poison, {target.scalar} {value}, i32 0")
        mask = f"<{target.lanes} x i32> zeroinitializer"
        return self.new(f"shufflevector {target.real} {single}, {target.real} poison, {mask}")

    def any_of(self, truth: str) -> str:
        """Whether it is true for any case, one bit."""
        target, bits = self.target, f"i{self.target.lanes}"
        vote = self.new(f"bitcast {target.truth} {truth} to {bits}")
        return self.new(f"icmp ne {bits} {vote}, 0")
