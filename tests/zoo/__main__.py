"""Every URDF below a folder, read and compared with Pinocchio: `python -m tests.zoo FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.zoo.comparison import TOLERANCE, Comparison, compare

_GENERATED = "random_urdfs"
"""A thousand bodies that a program made: not what people have."""


def main(folder: str) -> int:
    """Print a row a file and a summary; 1 if a file that Pinocchio reads is not read right."""
    root = Path(folder)
    paths = [path for path in sorted(root.rglob("*.urdf")) if _GENERATED not in path.parts]
    if not paths:
        print(f"zoo: there is no URDF below {root}", file=sys.stderr)
        return 1
    found = [compare(path) for path in paths]
    print(f"{'dof':>4} {'follow':>6} {'changes':>7} {'mass/kg':>10} {'error':>8}  file")
    for result in found:
        print(_row(result, root))
    known = [result for result in found if result.loads_in_pinocchio]
    right = [result for result in known if result.is_right]
    read = [result for result in found if not result.problem]
    worst = max((r.error for r in found if r.error == r.error), default=0.0)
    print(
        f"\n{len(found)} files: percuss reads {len(read)}, Pinocchio {len(known)}; "
        f"{len(right)} of these {len(known)} agree within {TOLERANCE:g} "
        f"(mass matrix, relative; worst {worst:.1e})"
    )
    return 0 if len(right) == len(known) else 1


def _row(result: Comparison, root: Path) -> str:
    name = str(result.path.relative_to(root))
    if result.problem:
        mark = "REFUSED" if result.loads_in_pinocchio else "refused by both"
        return f"{mark}: {name}: {result.problem.splitlines()[0]}"
    error = "kinematic" if result.error != result.error else f"{result.error:8.1e}"
    return (
        f"{result.joints:4d} {result.followers:6d} {result.changes:7d} {result.mass:10.4g} "
        f"{error:>8}  {name}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
