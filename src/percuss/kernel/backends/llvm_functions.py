"""LLVM assembly of the functions that are called from outside: a program, and an iteration."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.kernel.backends.llvm_text import Block, Module, Target
from percuss.kernel.iteration import Iteration
from percuss.kernel.program import TRUTH, Program


def program_text(program: Program, target: Target) -> str:
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
        "  %case = phi i64 [ %first, %entry ], [ %next, %cases ]",
    ]
    block = Block(module, lines)
    inputs = [block.load_row("%inputs", k, "%case") for k in range(program.input_count)]
    outputs = block.run(program, inputs)
    for k, value in enumerate(outputs):
        truth = program.kinds[program.outputs[k]] == TRUTH
        block.store_row(value, truth, "%outputs", k, "%case")
    lines += [
        f"  %next = add i64 %case, {target.lanes}",
        "  %more = icmp slt i64 %next, %last",
        "  br i1 %more, label %cases, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    module.add_function(with_buffers(lines, block))
    return module.text()


def with_buffers(lines: Sequence[str], block: Block) -> list[str]:
    """A function with the room that a block needs for its calls."""
    first = lines.index("entry:") + 1
    return [*lines[:first], *block.buffers, *lines[first:]]


def iteration_text(iteration: Iteration, target: Target) -> str:
    """`void iterate(ptr state, ptr parameters, ptr targets, ptr iterations, i64 segments,
    ptr records, ptr ends, i64 first, i64 last, ptr stop)`.

    State, parameters, records and ends are tables of row pointers; records has one row for every
    segment and recorded value, ends, with votes, one for every entry of the last state.
    Targets is a (segments, target_count) array of reals and iterations one 64-bit integer per
    segment. Before every step the 32-bit word `stop` is looked at: where it is not zero the
    function returns, and its records are worthless.
    """
    module = Module(target)
    real, count = target.real, iteration.state_count
    lines: list[str] = []
    block = Block(module, lines)
    lines += [
        "define void @iterate(ptr noalias %state, ptr noalias %parameters, ptr noalias %targets,"
        " ptr noalias %iterations, i64 %segments, ptr noalias %records, ptr noalias %ends,"
        " i64 %first, i64 %last, ptr %stop)"
        " #0 {",
        "entry:",
        "  br label %cases",
        "cases:",
        "  %case = phi i64 [ %first, %entry ], [ %next, %case_done ]",
        "  %more = icmp slt i64 %case, %last",
        "  br i1 %more, label %start, label %done",
        "start:",
    ]
    initial = [block.load_row("%state", k, "%case") for k in range(count)]
    parameters = [
        block.load_row("%parameters", k, "%case") for k in range(iteration.parameter_count)
    ]
    lines += ["  br label %segment", "segment:"]
    lines.append("  %k = phi i64 [ 0, %start ], [ %k_next, %record ]")
    lines += [
        f"  %s{n} = phi {real} [ {initial[n]}, %start ], [ %x{n}, %record ]" for n in range(count)
    ]
    lines += ["  %in_range = icmp slt i64 %k, %segments"]
    lines += ["  br i1 %in_range, label %prepare, label %case_done", "prepare:"]
    base = block.new(f"mul i64 %k, {iteration.target_count}")
    uniform = [
        block.load_uniform("%targets", block.new(f"add i64 {base}, {n}"))
        for n in range(iteration.target_count)
    ]
    place = block.new("getelementptr inbounds i64, ptr %iterations, i64 %k")
    limit = block.new(f"load i64, ptr {place}")
    lines += ["  br label %test", "test:"]
    stage, rows = iteration.stage, iteration.stage_rows
    back = "staged" if stage is not None else "advance"
    after = "w" if stage is not None else "z"
    lines.append(f"  %n = phi i64 [ 0, %prepare ], [ %n_next, %{back} ]")
    lines += [
        f"  %y{n} = phi {real} [ %s{n}, %prepare ], [ %{after}{n}, %{back} ]" for n in range(count)
    ]
    lines += [
        "  %asked = load atomic volatile i32, ptr %stop monotonic, align 4",
        "  %halt = icmp ne i32 %asked, 0",
        "  br i1 %halt, label %done, label %count",
        "count:",
        f"  %go = icmp slt i64 %n, {limit}",
        "  br i1 %go, label %step, label %record",
        "step:",
    ]
    now = [f"%y{n}" for n in range(count)]
    results = block.run(iteration.step, [*now, *uniform, *parameters])
    lines += ["  br label %advance", "advance:"]
    # Results may be constants or repeated, so each gets a name of its own.
    lines += [
        f"  %z{n} = select i1 true, {real} {results[n]}, {real} {results[n]}" for n in range(count)
    ]
    lines.append("  %n_next = add i64 %n, 1")
    if iteration.votes:
        bits = f"i{target.lanes}"
        vote = block.new(f"bitcast {target.truth} {results[-1]} to {bits}")
        again = block.new(f"icmp ne {bits} {vote}, 0")
        lines.append(f"  br i1 {again}, label %test, label %record")
    elif stage is None:
        lines.append("  br label %test")
    else:
        width = len(rows[0])
        table = module.table(tuple(value for row in rows for value in row))
        lines += ["  br label %stages", "stages:"]
        lines.append("  %m = phi i64 [ 0, %advance ], [ %m_next, %stage ]")
        lines += [
            f"  %w{n} = phi {real} [ %z{n}, %advance ], [ %g{n}, %stage ]" for n in range(count)
        ]
        lines.append(f"  %to_do = icmp slt i64 %m, {len(rows)}")
        lines += ["  br i1 %to_do, label %stage, label %staged", "stage:"]
        base = block.new(f"mul i64 %m, {width}")
        row = [block.load_uniform(table, block.new(f"add i64 {base}, {n}")) for n in range(width)]
        states = [f"%w{n}" for n in range(count)]
        staged = block.run(stage, [*states, *uniform, *parameters, *row])
        lines += [
            f"  %g{n} = select i1 true, {real} {staged[n]}, {real} {staged[n]}"
            for n in range(count)
        ]
        lines += ["  %m_next = add i64 %m, 1", "  br label %stages", "staged:"]
        lines.append("  br label %test")
    lines.append("record:")
    if iteration.votes:
        lines += [
            f"  %x{n} = phi {real} [ %y{n}, %count ], [ %z{n}, %advance ]" for n in range(count)
        ]
    else:
        lines += [f"  %x{n} = phi {real} [ %y{n}, %count ]" for n in range(count)]
    observed = block.run(
        iteration.observe, [*(f"%x{n}" for n in range(count)), *uniform, *parameters]
    )
    width = iteration.record_count
    row = block.new(f"mul i64 %k, {width}")
    rows = block.new(f"getelementptr inbounds ptr, ptr %records, i64 {row}")
    for k, value in enumerate(observed):
        truth = iteration.observe.kinds[iteration.observe.outputs[k]] == TRUTH
        block.store_row(value, truth, rows, k, "%case")
    lines += ["  %k_next = add i64 %k, 1", "  br label %segment", "case_done:"]
    for n in range(count if iteration.votes else 0):
        block.store_row(f"%s{n}", False, "%ends", n, "%case")
    lines += [f"  %next = add i64 %case, {target.lanes}", "  br label %cases"]
    lines += ["done:", "  ret void", "}"]
    module.add_function(with_buffers(lines, block))
    return module.text()
