"""Iterations as machine code of the LLVM back end, made or read from the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from percuss.kernel.backends.aside import StopWord, is_main, share
from percuss.kernel.backends.blocks import Rows, Run, make_jobs, row_table, worthwhile_threads
from percuss.kernel.backends.llvm import (
    LlvmCode,
    code_from_disk,
    host_target,
    load,
    name_of,
    processor,
)
from percuss.kernel.backends.llvm_target import LlvmTarget
from percuss.kernel.iteration import Iteration, Outline
from percuss.kernel.store import load_note, save_note

_LONG = 10**8
"""Operations, over all steps and cases, from which an iteration is run in another thread. That
costs some 50 µs, and so many operations as long as those of a piece."""

_ENTRY = "iterate", 11
"""The function that is called, and how many arguments it takes."""

_ENDLESS = 2**62
"""More steps than are ever taken."""


class LlvmIteration:
    """An iteration as machine code: its loops run inside one call.

    Where it is compiled, that is done in another thread, and the first call waits for it.
    """

    def __init__(
        self,
        outline: Outline,
        dtype: np.dtype[Any],
        target: LlvmTarget,
        loaded: Callable[[], LlvmCode],
    ) -> None:
        self.outline = outline
        self.dtype = dtype
        self.target = target
        self._loaded = loaded

    @cached_property
    def _code(self) -> LlvmCode:
        return self._loaded()

    def __call__(
        self,
        state: np.ndarray,
        parameters: np.ndarray,
        targets: np.ndarray,
        iterations: np.ndarray,
        patience: int | None = None,
        threads: int = 1,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """State (ns, batch), parameters (np, batch), targets (K, nt), iterations (K,).

        Returns records of shape (K, record_count, batch) and, with votes, the state after the last
        segment. With `patience` a vector of cases ends a segment before all of them are finished,
        as soon as lanes that are have idled for as long as all its lanes take for so many steps.
        Of a single vector that would be of no use.
        """
        batch, lanes = state.shape[1], self.target.lanes
        bearable = _ENDLESS if patience is None or batch <= lanes else patience * lanes
        segments = len(iterations)
        uniform = np.ascontiguousarray(targets, self.dtype)
        counts = np.ascontiguousarray(iterations, np.int64)
        split = segments * self.outline.record_count
        carried = len(state) if self.outline.votes else 0
        begins = np.ascontiguousarray(state, self.dtype)
        given = np.ascontiguousarray(parameters, self.dtype)
        if few := batch < lanes:
            # One vector, filled up at once: row by row that takes as long as a short motion.
            begins, given = (_filled_up(table, lanes) for table in (begins, given))
        outputs = np.empty((split + carried, lanes if few else batch), self.dtype)
        held = outputs.shape[1]
        # Looked at row by row where some are left over from whole vectors.
        inputs = [*begins, *given] if held % lanes else []
        states = len(state)
        stop = StopWord()

        def bound(ins: Rows, outs: Rows) -> Run:
            whole = ins is inputs
            begin = row_table(begins if whole else ins[:states])
            steady = row_table(given if whole else ins[states:])
            schedule = uniform.ctypes.data, counts.ctypes.data, segments
            found = row_table(outs[:split]), row_table(outs[split:])
            kept = ins, begins, given, outs, uniform, counts, stop, self._code
            after = stop.address, bearable
            return Run(self._code.call, (begin, steady, *schedule, *found), after, kept)

        operations = int(counts.sum()) * max(1, self.outline.operations) * batch
        threads = worthwhile_threads(threads, operations)
        jobs = make_jobs(bound, held, lanes, threads, inputs=inputs, outputs=outputs, piece=held)
        workers = min(threads, len(jobs))
        is_long = operations > _LONG
        if workers > 1 or (is_long and is_main()):
            share(jobs, workers, stop, "running compiled code")
        else:
            for job in jobs:
                job()
        records = outputs[:split].reshape(segments, self.outline.record_count, held)[..., :batch]
        return records, outputs[split:, :batch] if carried else None


def _filled_up(table: np.ndarray, lanes: int) -> np.ndarray:
    """Fewer cases (rows, batch) than a vector has lanes, and the last of them again as filler."""
    filler = np.repeat(table[:, -1:], lanes - table.shape[1], axis=1)
    return np.concatenate([table, filler], axis=1)


def compiled_iteration(
    iteration: Iteration,
    dtype: np.dtype[Any],
    lanes: int | None = None,
    name: str | None = None,
) -> LlvmIteration:
    """Begin to compile an iteration; with a name it is found again by `kept_iteration`."""
    target = _target(dtype, lanes)
    outline, code = iteration.outline, name_of(iteration.digest, target)
    if name is not None:
        note = {"outline": asdict(outline), "code": code}
        save_note(_full_name(name, target), processor(), note)

    def text() -> str:
        from percuss.kernel.backends.llvm_functions import iteration_text

        return iteration_text(iteration, target)

    return LlvmIteration(
        outline, dtype, target, load(code, text, *_ENTRY, operations=outline.operations)
    )


def kept_iteration(
    name: str, dtype: np.dtype[Any], lanes: int | None = None
) -> LlvmIteration | None:
    """The iteration that was compiled under this name, None where its code is not on the disk."""
    target = _target(dtype, lanes)
    note = load_note(_full_name(name, target), processor())
    if note is None:
        return None
    code = code_from_disk(note["code"], *_ENTRY)
    if code is None:
        return None
    return LlvmIteration(Outline(**note["outline"]), dtype, target, lambda: code)


def _target(dtype: np.dtype[Any], lanes: int | None) -> LlvmTarget:
    return host_target(dtype == np.float32, lanes)


def _full_name(name: str, target: LlvmTarget) -> str:
    return f"iteration {target}\n{name}"
