"""Statistical studies: `make test` runs a sample of each, `make studies` all their cases.

- A test marked `study` runs in `make studies` alone.
- A test marked `sampled` runs in both, with fewer cases in `make test`: it asks `cases` how many.
  What it asserts of them must hold for either number.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

FULL = os.environ.get("PERCUSS_STUDIES", "0") not in ("", "0")
"""Whether studies have all their cases."""


def cases(few: int, full: int) -> int:
    """The number of cases of a study: `few`, or `full` where studies run in full."""
    return full if FULL else few


def sampled(parameters: Sequence[Any], few: int) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: all but the first `few` are marked `study`.

    A parameter that is a tuple is one value for each name.
    """
    rest = [p if isinstance(p, tuple) else (p,) for p in parameters[few:]]
    return [*parameters[:few], *(pytest.param(*p, marks=pytest.mark.study) for p in rest)]
