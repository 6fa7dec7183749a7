"""Everything of the package runs where JAX cannot be imported; what needs JAX says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCENARIOS = ROOT / "scenarios"

BLOCKED = (ROOT / "tests" / "without_jax" / "sitecustomize.py").read_text()


def run_without_jax(code: str, folder: Path) -> str:
    """What a program prints in an interpreter that has no JAX; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", BLOCKED + code],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def command(*arguments: str | Path, status: int = 0) -> str:
    """A program that runs one command of percuss."""
    return f"""
from percuss.cli.main import main
sys.argv = ["percuss", *{list(map(str, arguments))!r}]
try:
    main()
except SystemExit as ended:
    assert (ended.code or 0) == {status}, ended.code
assert "jax" not in sys.modules
"""


@pytest.mark.parametrize("name", ["thesis-1", "pin-3d"])
def test_runs(name: str, tmp_path: Path) -> None:
    arguments = "run", SCENARIOS / f"{name}.yaml", "--set", "duration=0.5 s", "--out", "out"
    run_without_jax(command(*arguments), tmp_path)
    assert (tmp_path / "out" / "summary.json").exists()


def test_commands(tmp_path: Path) -> None:
    folder = SCENARIOS / "identify"
    thesis = SCENARIOS / "thesis-1.yaml"
    few = "--starts", "1", "--samples", "64", "--out", tmp_path / "plan"
    code = "".join(
        [
            command("cop", "thesis"),
            command("cop", "plan", thesis, *few),
            command("approach", SCENARIOS / "mission-3d.yaml", "--count", "1"),
            command("derive", thesis),
            command(
                *("identify", folder / "measured.csv", "--scenario", folder / "capture.yaml"),
                *("--sensors", folder / "sensors.yaml", "--unknown", "velocity", "--out", "found"),
            ),
        ]
    )
    run_without_jax(code, tmp_path)
    assert (tmp_path / "plan" / "plan.yaml").exists()
    assert (tmp_path / "found" / "identify.json").exists()


def test_many_cases_and_a_law_in_numpy(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(
        "import numpy as np\n\n\ndef law(t, q, v, memory):\n"
        "    return np.clip(-2.0 * v[:5], -1.0, 1.0), memory\n"
    )
    text = (SCENARIOS / "thesis-1.yaml").read_text()
    (tmp_path / "own.yaml").write_text(
        text.replace("law: none", "law: python, file: law.py").replace("10 s", "0.2 s")
    )
    code = f"""
import percuss
result = percuss.run(percuss.load("own.yaml"), allow_code=True)
assert 0.0 < max(result.summary["peak"]["control"]) <= 1.0
scenario = percuss.load({str(SCENARIOS / "thesis-1.yaml")!r}, {{"duration": "0.2 s"}})
vary = {{"target.mass": [14.0, 15.0, 16.0], "target.velocity.angular": [0.0, 0.0, 0.1]}}
found = percuss.simulate(scenario, vary=vary)
assert found.attrs["outcomes"].startswith("3 captured"), found.attrs["outcomes"]
assert "jax" not in sys.modules
"""
    run_without_jax(code, tmp_path)


def test_what_needs_jax_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(
        "import jax.numpy as jnp\n\n\ndef law(t, q, v, memory):\n    return -v, memory\n"
    )
    text = (SCENARIOS / "thesis-1.yaml").read_text()
    (tmp_path / "own.yaml").write_text(text.replace("law: none", "law: python, file: law.py"))
    code = """
import importlib
import numpy as np
import percuss
from percuss import kernel

def refused(call):
    try:
        call()
    except (kernel.KernelError, percuss.ScenarioError) as error:
        assert "pip install 'percuss[jax]'" in str(error), error
        print(str(error))
    else:
        raise AssertionError("not refused")

def in_jax(x):
    import jax.numpy as jnp
    return jnp.sin(x)

refused(lambda: importlib.import_module("percuss.kernel.jaxprs"))
refused(lambda: kernel.to_jax)
refused(lambda: kernel.rollout_to_jax)
refused(lambda: kernel.compile(in_jax, 0.0))
refused(lambda: percuss.run(percuss.load("own.yaml"), allow_code=True))
try:
    importlib.import_module("percuss.kernel.bridging")
except ImportError as error:
    assert "percuss[jax]" in str(error)
compiled = kernel.compile(lambda x: np.sin(x), 0.0)
assert abs(float(compiled(0.5)) - np.sin(0.5)) < 1e-15
"""
    assert "law.py, line 1" in run_without_jax(code, tmp_path)
