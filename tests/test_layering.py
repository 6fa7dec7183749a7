"""Lower folders never import higher ones, and the package starts quickly."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "percuss"

ORDER = (
    ("interruption", "exports"),
    ("version", "kernel"),
    ("algebra",),
    ("model.errors",),  # what every folder above raises
    ("io",),
    ("model",),
    ("kinematics",),
    ("dynamics",),
    ("impact", "control"),
    ("control.guidance", "percussion"),
    ("encounter",),
    ("sources.published",),  # what a document has of its own and a scenario may ask for
    ("scenario",),
    ("identification.options",),
    ("identification.data",),
    ("identification.forward",),
    ("identification.estimate",),
    ("identification.observability", "identification.posterior"),
    ("percussion.planner", "identification", "study"),
    ("report", "symbolic"),
    ("many",),
    ("result",),
    ("percuss",),  # the package itself: the public names, gathered in one place
    ("sources",),
    ("cli",),
    ("__main__",),
)
"""From low to high; parts on one level do not import each other."""

LEVEL = {part: level for level, parts in enumerate(ORDER) for part in parts}
FILES = sorted(SOURCE.rglob("*.py"))


def module_name(path: Path) -> str:
    """`percuss.model.joints` for src/percuss/model/joints.py."""
    parts = ("percuss", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """The folder (or top-level file) of the package that a module belongs to."""
    names = module.split(".")
    for depth in (3, 2):
        if ".".join(names[1:depth]) in LEVEL:
            return ".".join(names[1:depth])
    return names[1] if len(names) > 1 else "percuss"


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module of percuss) for every import, also inside functions and TYPE_CHECKING."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [alias.name for alias in node.names]
            found = [f"{base}.{name}" if is_module(base, name) else base for name in names]
        else:
            continue
        yield from ((node.lineno, name) for name in found if name.split(".")[0] == "percuss")


def is_module(base: str, name: str) -> bool:
    """Whether `from base import name` imports a module of the package."""
    folder = SOURCE.joinpath(*base.split(".")[1:])
    return base.split(".")[0] == "percuss" and (
        (folder / name).is_dir() or (folder / f"{name}.py").is_file()
    )


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_go_downwards(path: Path) -> None:
    importer = part_of(module_name(path))
    unknown = "is not in ORDER of tests/test_layering.py: add it there, at its level"
    assert importer in LEVEL, f"src/percuss/{importer} {unknown}"
    for line, module in imported_modules(path):
        imported = part_of(module)
        assert imported in LEVEL, f"{path}:{line}: percuss.{imported} {unknown}"
        if imported == importer:
            continue
        assert LEVEL[imported] < LEVEL[importer], (
            f"{path}:{line}: {importer} must not import {module}: {imported} is not below it. "
            "Move what both need to a lower folder."
        )
        assert importer != "algebra", f"{path}:{line}: algebra stands on nothing of percuss"


@pytest.mark.parametrize("folder", ["impact", "encounter", "identification", "runs"])
def test_the_engine_knows_no_document(folder: str) -> None:
    """A closure of a document plugs in as any other does."""
    for path in (path for path in FILES if path.is_relative_to(SOURCE / folder)):
        for line, module in imported_modules(path):
            assert not module.startswith("percuss.sources"), f"{path}:{line} imports {module}"


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import percuss.dynamics", ["percuss.dynamics"]),
        ("def f():\n    from percuss import study, System", ["percuss.study", "percuss"]),
        ("if TYPE_CHECKING:\n    from ..model.joints import Free", ["percuss.model.joints"]),
        ("from . import poses", ["percuss.algebra.poses"]),
        ("import numpy.percuss", []),
    ],
)
def test_every_way_to_import_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, modules: list[str]
) -> None:
    for folder in ("algebra", "study"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "poses.py").touch()
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    path = tmp_path / "algebra" / "scalars.py"
    path.write_text(code)
    assert [module for _, module in imported_modules(path)] == modules


def modules_of_a_run(name: str, folder: Path) -> set[str]:
    """What a process has imported that ran a scenario, its kernels kept in the folder."""
    scenario = SOURCE.parents[1] / "scenarios" / f"{name}.yaml"
    code = (
        "import atexit, sys; from percuss.cli.main import main; "
        "atexit.register(lambda: print(*sys.modules)); main()"
    )
    line = [sys.executable, "-c", code, "run", str(scenario), "--json", "--out", "out"]
    kept = {**os.environ, "PERCUSS_CACHE": str(folder / "kept")}
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=folder, env=kept)
    written = {path.name for path in (folder / "out").iterdir()}
    assert written == {"summary.json", "result.nc", "report.html"}
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", ["tumbling-3d", "mission-3d"])
def test_a_run_needs_none_of_the_heavy_libraries(tmp_path: Path, name: str) -> None:
    """They take longer to import than a capture takes to simulate, write and report."""
    loaded = modules_of_a_run(name, tmp_path)
    assert {"percuss", "numpy"} <= loaded
    heavy = {"jax", "sympy", "matplotlib", "scipy", "xarray", "pandas", "numpy.ma"} & loaded
    assert not heavy, f"`percuss run` imports {', '.join(sorted(heavy))}; import them where used"


def test_a_run_again_loads_neither_tracer_nor_compiler(tmp_path: Path) -> None:
    """Its kernels are on the disk."""
    at_first, again = (modules_of_a_run("tumbling-3d", tmp_path) for _ in range(2))
    makers = {
        "percuss.kernel.backends.llvm_functions",
        "percuss.kernel.builder",
        "percuss.kernel.rollouts.general_attempt",
        "percuss.kernel.tracing.values",
    }
    assert makers <= at_first
    assert not makers & again


@pytest.mark.parametrize("name", ["percuss", "percuss.result", "percuss.kernel", "percuss.cli"])
def test_start_up_leaves_heavy_libraries_alone(name: str) -> None:
    code = f"import sys, {name}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    heavy = {"jax", "sympy", "matplotlib", "scipy", "xarray"} & set(loaded)
    assert not heavy, f"`import {name}` imports {', '.join(sorted(heavy))}; import them where used"
