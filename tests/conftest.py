"""Settings of every test: examples are the same in each run, and none has a deadline.

With the environment variable PERCUSS_TEST_WITHOUT_JAX=1 JAX cannot be imported, neither by the
tests nor by programs they start: tests that need it skip themselves, all others must pass.
"""

from __future__ import annotations

import os
import runpy
from pathlib import Path

from hypothesis import HealthCheck, settings

if os.environ.get("PERCUSS_TEST_WITHOUT_JAX", "0") not in ("", "0"):
    _FOLDER = Path(__file__).parent / "without_jax"
    runpy.run_path(str(_FOLDER / "sitecustomize.py"))
    _PATH = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_FOLDER), _PATH]))

settings.register_profile(
    "percuss",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("percuss")
