"""Machine code that several threads make side by side is that of one thread alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from percuss.kernel.backends.llvm import _machine, host_target
from percuss.kernel.backends.llvm_emission import assembly, object_code, parsed
from percuss.kernel.backends.llvm_functions import program_text
from percuss.kernel.program import Instruction, Program


def text_of(seed: int) -> str:
    """A program of two thousand operations that no other seed has."""
    many = tuple(Instruction("add" if k % 3 else "mul", (k, k // 2)) for k in range(1, 2001))
    program = Program(1, (seed + 0.5,), many, (2001,))
    return program_text(program, host_target())


def test_threads_do_not_disturb_one_another() -> None:
    texts = [text_of(seed) for seed in range(24)]

    def made(text: str) -> bytes:
        return object_code(_machine(), parsed(text))

    alone = [made(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(made, texts))
    assert together == alone


def test_assembly_names_what_is_defined() -> None:
    assert "evaluate:" in assembly(_machine(), parsed(text_of(1)))


def test_a_text_that_is_none_is_refused() -> None:
    with pytest.raises(RuntimeError, match="expected"):
        parsed("define nonsense")
