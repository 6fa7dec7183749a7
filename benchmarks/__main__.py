"""`make bench`: every measurement; prints a table and writes it to docs/theory/speed.md."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    captures,
    commands,
    compiling,
    failing,
    friction,
    identification,
    inverse_kinematics,
    kernels,
    many_cases,
    missions,
)
from benchmarks.table import Row
from percuss.kernel.backends.llvm import host_lanes

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "speed.md"


def main() -> None:
    console = Console(width=150)
    rows: list[Row] = []
    modules = (
        *(kernels, compiling, commands, captures, failing, friction),
        *(missions, many_cases, identification, inverse_kinematics),
    )
    for title, job in [job for module in modules for job in module.jobs()]:
        with console.status(title):
            result = job()
        rows += result if isinstance(result, list) else [result]
    title = f"double precision, {host_lanes()} lanes"
    table = Table("work", "percuss", "peer", "figure", "bar", title=title)
    for row in rows:
        table.add_row(row.work, row.ours, row.peer, row.figure, row.bar)
    console.print(table)
    lines = [f"Measured with `make bench`: {title}.", ""]
    lines += ["| work | percuss | peer | figure | bar |", "|---|---|---|---|---|"]
    lines += [f"| {r.work} | {r.ours} | {r.peer} | {r.figure} | {r.bar} |" for r in rows]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print(f"Written to {PAGE.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
