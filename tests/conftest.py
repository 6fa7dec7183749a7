"""Settings of every test: examples are the same in each run, and none has a deadline.

- Under the profile `explore` (`make explore`) Hypothesis draws new examples in every run, ten
  times as many, and prints with each failure the blob that brings it back.
- With the environment variable PERCUSS_TEST_WITHOUT_JAX=1 JAX cannot be imported, neither by the
  tests nor by programs they start: tests that need it skip themselves, all others must pass.
- With PERCUSS_STUDIES=1 (`make studies`) statistical studies have all their cases, see
  `tests.studies`.
"""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if os.environ.get("PERCUSS_TEST_WITHOUT_JAX", "0") not in ("", "0"):
    _FOLDER = Path(__file__).parent / "without_jax"
    runpy.run_path(str(_FOLDER / "sitecustomize.py"))
    _PATH = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_FOLDER), _PATH]))

EXAMPLES = 60
"""Examples of a test that asks for no other number."""
MORE = 10
"""How many times as many examples there are when exploring."""

settings.register_profile(
    "percuss",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=EXAMPLES,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore",
    settings.get_profile("percuss"),
    derandomize=False,
    max_examples=EXAMPLES * MORE,
    print_blob=True,
)
settings.load_profile("percuss")

_KEPT = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps the settings of a test that has its own."""


LONGEST = "test_docs_build.py"
"""The longest test in one piece: begun last it would leave all cores but one without work."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test first; when exploring, tests with a number of examples have more of them."""
    items.sort(key=lambda item: item.path.name != LONGEST)
    if settings.get_current_profile_name() != "explore":
        return
    seen = set()
    for item in items:
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        own = getattr(test, _KEPT, None)
        if own is None or test in seen or own.max_examples == EXAMPLES * MORE:
            continue
        seen.add(test)
        setattr(test, _KEPT, settings(own, max_examples=own.max_examples * MORE))
