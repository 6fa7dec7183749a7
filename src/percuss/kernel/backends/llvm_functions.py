"""LLVM assembly of the functions that are called from outside: a program, and an iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from percuss.kernel.backends.llvm_memory import MemoryOperations
from percuss.kernel.backends.llvm_programs import emit_program
from percuss.kernel.backends.llvm_target import LlvmTarget
from percuss.kernel.backends.llvm_text import Module
from percuss.kernel.collecting import without_collection
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import REAL, Program


@without_collection()
def program_text(program: Program, target: LlvmTarget) -> str:
    """`void evaluate(ptr inputs, ptr outputs, i64 first, i64 last)`.

    Inputs and outputs are tables of row pointers, one per register; cases first…last-1 are
    computed, a multiple of the lanes.
    """
    module = Module(target)
    lines = [
        "define void @evaluate(ptr noalias %inputs, ptr noalias %outputs, i64 %first, i64 %last)"
        " #0 {",
        "entry:",
        "  %some = icmp slt i64 %first, %last",
        "  br i1 %some, label %cases, label %done",
        "cases:",
        "  %case = phi i64 [ %first, %entry ], [ %next, %computed ]",
    ]
    block = MemoryOperations(module, lines)
    emit_program(
        block,
        program,
        lambda k: block.load_row("%inputs", k, case="%case"),
        lambda k, value, kind: block.store_row(value, kind, "%outputs", k, case="%case"),
    )
    lines += [
        "  br label %computed",
        "computed:",
        f"  %next = add i64 %case, {target.lanes}",
        "  %more = icmp slt i64 %next, %last",
        "  br i1 %more, label %cases, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    module.add_function(with_buffers(lines, block))
    return module.text()


def with_buffers(lines: Sequence[str], block: MemoryOperations) -> list[str]:
    """A function with the room that a block needs for its calls."""
    first = lines.index("entry:") + 1
    return [*lines[:first], *block.buffers, *lines[first:]]


@dataclass(frozen=True)
class FunctionFrame:
    """What of a function surrounds the work on one vector of cases, `%case` being the first.

    Attributes:
        opening: from the beginning of the function into the block `start`, where `%case` is known.
        before_step: what is done before every step; it may go to `%done`.
        closing: what follows when the cases are computed, to the end of the function.
        patience: a 64-bit integer: how many steps of cases that are finished, all together, a
            vector takes along before it goes on to the record; "" where it takes any number.
    """

    opening: tuple[str, ...]
    before_step: tuple[str, ...]
    closing: tuple[str, ...]
    patience: str = ""


@without_collection()
def iteration_text(iteration: Iteration, target: LlvmTarget) -> str:
    """`void iterate(ptr state, ptr parameters, ptr targets, ptr iterations, i64 segments,
    ptr records, ptr ends, i64 first, i64 last, ptr stop, i64 patience)`.

    State, parameters, records and ends are tables of row pointers; records has one row for every
    segment and recorded value, ends, with votes, one for every entry of the last state.
    Targets is a (segments, target_count) array of reals and iterations one 64-bit integer per
    segment. Before every step the 32-bit word `stop` is looked at: where it is not zero the
    function returns, and its records are worthless. Where cases vote, a vector goes on to the
    record, too, when those of its cases that are finished have been taken along for so many steps,
    all together, as `patience` says: the others had better go on among themselves.
    """
    opening = (
        "define void @iterate(ptr noalias %state, ptr noalias %parameters, ptr noalias %targets,"
        " ptr noalias %iterations, i64 %segments, ptr noalias %records, ptr noalias %ends,"
        " i64 %first, i64 %last, ptr %stop, i64 %patience)"
        " #0 {",
        "entry:",
        "  br label %cases",
        "cases:",
        "  %case = phi i64 [ %first, %entry ], [ %next, %case_done ]",
        "  %more = icmp slt i64 %case, %last",
        "  br i1 %more, label %start, label %done",
        "start:",
    )
    before_step = (
        "  %asked = load atomic volatile i32, ptr %stop monotonic, align 4",
        "  %halt = icmp ne i32 %asked, 0",
        "  br i1 %halt, label %done, label %count",
        "count:",
    )
    closing = (
        f"  %next = add i64 %case, {target.lanes}",
        "  br label %cases",
        "done:",
        "  ret void",
        "}",
    )
    module = Module(target)
    # Of a vector of one case none is finished while it goes on.
    patience = "%patience" if target.lanes > 1 else ""
    frame = FunctionFrame(opening, before_step, closing, patience)
    add_iteration(MemoryOperations(module, []), iteration, frame)
    return module.text()


def add_iteration(block: MemoryOperations, iteration: Iteration, frame: FunctionFrame) -> None:
    """Add the function of an iteration to a block's module, written into this block.

    Its arguments are named as those of `iteration_text`.
    """
    module, target, lines = block.module, block.target, block.lines
    count, votes = iteration.state_count, iteration.votes
    block.reserve("%now", count)
    block.reserve("%given", iteration.parameter_count)
    lines += frame.opening
    for k in range(count):
        block.store_vector(block.load_row("%state", k, case="%case"), REAL, "%now", k)
    for k in range(iteration.parameter_count):
        block.store_vector(block.load_row("%parameters", k, case="%case"), REAL, "%given", k)
    lines += [
        "  br label %segment",
        "segment:",
        "  %k = phi i64 [ 0, %start ], [ %k_next, %recorded ]",
        "  %in_range = icmp slt i64 %k, %segments",
        "  br i1 %in_range, label %prepare, label %case_done",
        "prepare:",
    ]
    base = block.new(f"mul i64 %k, {iteration.target_count}")
    far = target.far
    row = block.new(f"getelementptr inbounds {target.scalar}, {far} %targets, i64 {base}")
    place = block.new(f"getelementptr inbounds i64, {far} %iterations, i64 %k")
    limit = block.new(f"load i64, {far} {place}")

    def load(k: int, stage_row: str = "") -> str:
        """An input of a program of the iteration."""
        if k < count:
            return block.load_vector("%now", k)
        k -= count
        if k < iteration.target_count:
            return block.load_uniform(row, k)
        k -= iteration.target_count
        if k < iteration.parameter_count:
            return block.load_vector("%given", k)
        return block.load_uniform(stage_row, k - iteration.parameter_count)

    wanted: list[str] = []
    if iteration.due is not None:
        emit_program(
            block, iteration.due, load, lambda _, value, __: wanted.append(block.any_of(value))
        )
        lines += ["  br label %due", "due:"]
    votes_of_cases: list[str] = []

    def advance(k: int, value: str, kind: str) -> None:
        if k < count:
            block.store_vector(value, kind, "%now", k)
        else:
            votes_of_cases.append(value)

    stage, rows = iteration.stage, iteration.stage_rows
    first, last = "due" if wanted else "prepare", "stepped" if stage is None else "stages"
    idles = votes and bool(frame.patience)
    lines += [
        f"  br i1 {wanted[0]}, label %test, label %record" if wanted else "  br label %test",
        "test:",
        f"  %n = phi i64 [ 0, %{first} ], [ %n_next, %{last} ]",
        *([f"  %idle = phi i64 [ 0, %{first} ], [ %idle_next, %{last} ]"] if idles else []),
        *frame.before_step,
        f"  %go = icmp slt i64 %n, {limit}",
        "  br i1 %go, label %step, label %record",
        "step:",
    ]
    given = range(count + iteration.target_count, iteration.step.input_count)
    arrays = {range(count): "%now", given: "%given"}
    emit_program(block, iteration.step, load, advance, in_place=count, arrays=arrays)
    lines += ["  br label %stepped", "stepped:"]
    lines.append("  %n_next = add i64 %n, 1")
    if votes:
        again = block.any_of(votes_of_cases[0])
        if idles:
            going = block.count_of(votes_of_cases[0])
            more = block.new(f"sub i64 {target.lanes}, {going}")
            lines.append(f"  %idle_next = add i64 %idle, {more}")
            bearable = block.new(f"icmp slt i64 %idle_next, {frame.patience}")
            again = block.new(f"and i1 {again}, {bearable}")
        lines.append(f"  br i1 {again}, label %test, label %record")
    elif stage is None:
        lines.append("  br label %test")
    else:
        width = len(rows[0])
        table = module.table(tuple(value for row in rows for value in row))
        lines += [
            "  br label %stages",
            "stages:",
            "  %m = phi i64 [ 0, %stepped ], [ %m_next, %staged ]",
            f"  %to_do = icmp slt i64 %m, {len(rows)}",
            "  br i1 %to_do, label %stage, label %test",
            "stage:",
        ]
        base = block.new(f"mul i64 %m, {width}")
        stage_row = block.new(f"getelementptr inbounds {target.scalar}, {far} {table}, i64 {base}")
        emit_program(
            block, stage, lambda k: load(k, stage_row), advance, in_place=count, arrays=arrays
        )
        lines += [
            "  br label %staged",
            "staged:",
            "  %m_next = add i64 %m, 1",
            "  br label %stages",
        ]
    lines.append("record:")
    before = block.new(f"mul i64 %k, {iteration.record_count}")
    records = block.rows_from("%records", before)
    emit_program(
        block,
        iteration.observe,
        load,
        lambda k, value, kind: block.store_row(value, kind, records, k, case="%case"),
        arrays=arrays,
    )
    lines += ["  br label %recorded", "recorded:"]
    lines += ["  %k_next = add i64 %k, 1", "  br label %segment", "case_done:"]
    for k in range(count if votes else 0):
        block.store_row(block.load_vector("%now", k), REAL, "%ends", k, case="%case")
    lines += frame.closing
    module.add_function(with_buffers(lines, block))
