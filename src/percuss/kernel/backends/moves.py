"""Steps of a program whose values fit the registers of a processor, and which products it fuses."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from percuss.kernel.program import Program


class Room(NamedTuple):
    """Room in memory for a vector of some registers."""

    number: int
    size: int


class Move(NamedTuple):
    """One step: what to do, the program's register it is about, and a place in memory.

    - "load" brings an input, a result of a call or what was stored into a register;
    - "store" puts a value into a slot, in which it stays until its last use;
    - "do" carries out the instruction that defines the register; its arguments are at hand;
    - "pass" hands the register's value to the part that is called next, as its input `slot`; one
      that has it from the last call keeps it;
    - "copy" hands over `length` values that lie in a row in memory, this register's first;
    - "gather" puts the register's value into a room, as entry `slot` of a vector that a map reads;
      the map's "do" names the room of each of its vectors, None for those that lie in a row;
    - "give" hands over the register's value as the program's output `slot`;
    - "forget" says that a result of a call is not used any more.
    """

    what: str
    register: int
    slot: int = -1
    part: Program | None = None
    rooms: tuple[Room | None, ...] = ()
    length: int = 1


def fused_products(program: Program) -> dict[int, int]:
    """Products that are only added to or subtracted from something, by the sum that uses them.

    Such a pair is one instruction of the processor, a fused multiplication and addition. Of two
    products in one sum the second is fused.
    """
    first = program.first_instruction
    uses = Counter(a for i in program.instructions for a in i.arguments)
    uses.update(program.outputs)
    fused: dict[int, int] = {}
    for k, instruction in enumerate(program.instructions):
        if instruction.operation not in ("add", "sub"):
            continue
        for register in reversed(instruction.arguments):
            if (
                register >= first
                and uses[register] == 1
                and program.instructions[register - first].operation == "mul"
            ):
                fused[first + k] = register
                break
    return fused
