"""LLVM assembly of what is read and written: values in memory, rows of cases, tables."""

from __future__ import annotations

from percuss.kernel.backends.arena import Arena
from percuss.kernel.backends.llvm_text import Module, Operations
from percuss.kernel.program import REAL, TRUTH, Program

_RESULTS = "%results"
"""Of the names of room for the results of calls; the number of its first vector follows."""


class MemoryOperations(Operations):
    """Emits operations and what they read and write into a function."""

    def __init__(self, module: Module, lines: list[str]) -> None:
        super().__init__(module, lines)
        self._reserved: list[str] = []
        self._slots: set[int] = set()
        self._argument_rooms: dict[Program, str] = {}
        self._results = Arena()
        self._gathering_rooms: set[str] = set()
        self._loops = 0

    @property
    def buffers(self) -> list[str]:
        """Room in memory; it belongs to the beginning of the function, once all is written."""
        if not self._results.size:
            return self._reserved
        room = self._room_lines(_RESULTS, self._results.size)
        real, near = self.target.real, self.target.near
        places = [
            f"  {_RESULTS}{first} = getelementptr inbounds {real}, {near} {_RESULTS}, i64 {first}"
            for first in self._results.places
        ]
        return [*self._reserved, *room, *places]

    def reserve(self, name: str, count: int) -> str:
        """Room for vectors on the stack."""
        self._reserved += self._room_lines(name, count)
        return name

    def _room_lines(self, name: str, count: int) -> list[str]:
        kind = f"[{count} x {self.target.real}]"
        return [f"  {name} = alloca {kind}{self._aligned}"]

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

    def take_room(self, size: int) -> str:
        """Room for so many results of a call, until it is given back."""
        return f"{_RESULTS}{self._results.take(size)}"

    def give_room_back(self, room: str) -> None:
        self._results.give_back(int(room.removeprefix(_RESULTS)))

    def gathering_room(self, index: int, size: int) -> str:
        """Room for values that a map reads in a row."""
        name = f"%gathered{index}x{size}"
        if name not in self._gathering_rooms:
            self._gathering_rooms.add(name)
            self.reserve(name, size)
        return name

    def place(self, base: str, index: int) -> str:
        """The address of a vector in an array of them."""
        if not index:
            return base
        target = self.target
        return self.new(f"getelementptr inbounds {target.real}, {target.near} {base}, i64 {index}")

    def begin_loop(self) -> str:
        """Begin what is done for every entry of arrays; returns the loop's name."""
        self._loops += 1
        loop = f"loop{self._loops}"
        self.lines += [f"  br label %{loop}_start", f"{loop}_start:", f"  br label %{loop}"]
        step = f"[ %{loop}_next, %{loop} ]"
        self.lines += [f"{loop}:", f"  %{loop}_at = phi i64 [ 0, %{loop}_start ], {step}"]
        return loop

    def end_loop(self, loop: str, count: int) -> None:
        """End it after so many entries."""
        size = self.target.vector_bytes
        self.lines += [
            f"  %{loop}_next = add nuw nsw i64 %{loop}_at, {size}",
            f"  %{loop}_more = icmp ult i64 %{loop}_next, {size * count}",
            f"  br i1 %{loop}_more, label %{loop}, label %{loop}_end",
            f"{loop}_end:",
        ]

    def load_entry(self, base: str, loop: str) -> str:
        """The vector of an array that a loop is at."""
        return self.load_vector(self._entry(base, loop))

    def store_entry(self, value: str, kind: str, base: str, loop: str) -> None:
        """A vector into an array, where a loop is at."""
        self.store_vector(value, kind, self._entry(base, loop))

    def copy(self, source: str, base: str, index: int, count: int) -> None:
        """So many vectors from an array into another, from its place `index` on."""
        target = self.place(base, index)
        loop = self.begin_loop()
        self.store_entry(self.load_entry(source, loop), REAL, target, loop)
        self.end_loop(loop, count)

    def _entry(self, base: str, loop: str) -> str:
        return self.new(f"getelementptr inbounds i8, {self.target.near} {base}, i64 %{loop}_at")

    def load_vector(self, base: str, index: int = 0) -> str:
        """A vector from an array of them."""
        target, place = self.target, self.place(base, index)
        return self.new(f"load{target.access} {target.real}, {target.near} {place}{self._aligned}")

    def store_vector(self, value: str, kind: str, base: str, index: int = 0) -> None:
        """A vector into an array of them; truth values are stored as 0 and 1."""
        if kind == TRUTH:
            value = self.emit("to_real", [value])
        target, place = self.target, self.place(base, index)
        self.lines.append(
            f"  store{target.access} {target.real} {value}, {target.near} {place}{self._aligned}"
        )

    @property
    def _aligned(self) -> str:
        return f", align {self.target.vector_bytes}"

    def load_row(self, rows: str, row: int, case: str) -> str:
        """A vector of cases from one of several rows."""
        target, place = self.target, self._in_row(rows, row, case)
        return self.new(
            f"load{target.access} {target.real}, {target.far} {place}, align {target.bytes}"
        )

    def store_row(self, value: str, kind: str, rows: str, row: int, *, case: str) -> None:
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

    def count_of(self, truth: str) -> str:
        """For how many cases it is true, a 64-bit integer."""
        target, bits = self.target, f"i{self.target.lanes}"
        vote = self.new(f"bitcast {target.truth} {truth} to {bits}")
        symbol = f"@llvm.ctpop.{bits}"
        self.module.declare(symbol, f"{bits} {symbol}({bits})")
        count = self.new(f"call {bits} {symbol}({bits} {vote})")
        return self.new(f"zext {bits} {count} to i64")
