"""Captures that most tests of the report look at."""

from __future__ import annotations

import pytest

from tests.report import captures
from tests.report.captures import Capture


@pytest.fixture(scope="package")
def planar() -> Capture:
    return captures.thesis("pin", samples=21)


@pytest.fixture(scope="package")
def spatial() -> Capture:
    return captures.spatial("weld", samples=9, duration=2.0)


@pytest.fixture(params=["planar", "spatial"])
def case(request: pytest.FixtureRequest) -> Capture:
    return request.getfixturevalue(request.param)
