"""`make gpu-bench`: every figure that is promised for GPUs, a row each with its bar.

Run on a machine with an NVIDIA GPU. Counts of cases are arguments, and so is the level at which the
driver optimises: `--level 1` shows what it costs to have kernels sooner. Nothing is read from the
cache of compiled code, nor kept there.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterator, Sequence

from benchmarks import gpu_ensembles, many_cases
from benchmarks.table import Row
from percuss.kernel.backends import cuda_code


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What is measured, from a command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--backend", default="cuda", help="of the kernels; llvm to try the code")
    parser.add_argument("--level", type=int, default=cuda_code.OPTIMISATION, choices=range(5))
    parser.add_argument("--captures", type=int, default=1_048_576, help="cases of tumbling-3d")
    parser.add_argument("--bounces", type=int, default=131_072, help="cases of three-bounces")
    parser.add_argument("--failing", type=int, nargs="*", default=[65_536, 1_048_576])
    parser.add_argument("--missions", type=int, default=100_000, help="cases of mission-3d, drawn")
    parser.add_argument("--drawn", type=int, default=1_000_000, help="cases of tumbling-3d, drawn")
    parser.add_argument("--steps", type=int, default=1_048_576, help="cases of RK4; 0 for none")
    return parser.parse_args(arguments)


def rows(asked: argparse.Namespace) -> Iterator[Row]:
    """Each figure when it is known."""
    yield gpu_ensembles.kernels(asked.backend, asked.level)
    yield from itertools.chain(
        gpu_ensembles.captures(asked.backend, asked.captures),
        gpu_ensembles.bounces(asked.backend, asked.bounces),
        gpu_ensembles.failing(asked.backend, asked.failing),
    )
    yield from many_cases.on_gpu(asked.backend, asked.missions, asked.drawn)
    if asked.steps:
        from benchmarks.gpu_steps import steps

        yield from steps(asked.steps)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows, one line each: figure, bar, what ours and the peer's took, work."""
    asked = options(arguments)
    os.environ["PERCUSS_CACHE"] = "off"
    cuda_code.OPTIMISATION = asked.level
    print(f"back end {asked.backend}, driver at level {asked.level}")
    print(f"{'figure':>14}  {'bar':>14}  {'percuss':>14}  {'peer':>14}  work")
    for row in rows(asked):
        cells = (f"{cell:>14}" for cell in (row.figure, row.bar, row.ours, row.peer))
        print("  ".join(cells) + f"  {row.work}", flush=True)


if __name__ == "__main__":
    main()
