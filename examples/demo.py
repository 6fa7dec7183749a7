"""Two captures, from scenario to report: a planar one known from a thesis, and a mission in space.

Run with `make demo`. The reports are pages to open in a browser: they need nothing else.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import percuss
from percuss.cli.show import show_encounter

ROOT = Path(__file__).parents[1]
OUT = Path("out/demo")
console = Console(highlight=False)


def main() -> None:
    started = time.perf_counter()
    planar = where_the_momentum_went()
    spatial = tumbling_satellite()
    took = time.perf_counter() - started
    console.print(f"\nDone in {took:.0f} s. Open these in a browser:", style="bold")
    for folder, what in ((spatial, "the whole mission"), (planar, "the thesis's arm")):
        console.print(f"  {folder}/report.html   [dim]{what}[/]")
    console.print("\nNext, with a scenario of your own:", style="bold")
    console.print("  .venv/bin/percuss run scenarios/mission-3d.yaml --set target.mass=500")
    console.print("  .venv/bin/percuss run scenarios/three-bounces.yaml")
    console.print("  .venv/bin/percuss cop plan scenarios/pin-3d.yaml --out out/plan")
    console.print("  .venv/bin/percuss source thesis")


def where_the_momentum_went() -> Path:
    """The same impact by three closures: the published one does not keep momentum."""
    console.rule("[bold]A planar arm catches a passing disk", align="left")
    console.print(
        "A thesis computed this capture. Its closure makes the contact points move together, but "
        "momentum is missing afterwards; a pin and a rigid grasp keep it.\n"
    )
    scenario = percuss.load(ROOT / "scenarios" / "thesis-1.yaml")
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2))
    table.add_column("closure")
    for name in ("impulse, N s", "energy, J", "momentum x, N s", "angular, N m s"):
        table.add_column(name, justify="right")
    results = {}
    for closure in ("published", "pin", "weld"):
        result = percuss.run(percuss.with_overrides(scenario, {"impact.closure": closure}))
        impact = results.setdefault(closure, result).summary["impact"]
        table.add_row(
            closure,
            f"{np.linalg.norm(impact['impulse']):.4f}",
            _change(impact["energy"]["before"], impact["energy"]["after"]),
            _change(impact["linear_momentum"]["before"][0], impact["linear_momentum"]["after"][0]),
            _change(impact["angular_momentum"]["before"], impact["angular_momentum"]["after"]),
        )
    console.print(table)
    return results["pin"].save(OUT / "thesis")


def tumbling_satellite() -> Path:
    """A seven-joint arm meets a tumbling satellite, grasps it and brings it to rest."""
    scenario = percuss.load(ROOT / "scenarios" / "mission-3d.yaml")
    result = percuss.run(scenario)
    show_encounter(console, result.encounter)
    return result.save(OUT / "mission")


def _change(before: float, after: float) -> str:
    color = "" if np.isclose(before, after) else "[yellow]"
    return f"{color}{before:.4g} → {after:.4g}"


if __name__ == "__main__":
    main()
