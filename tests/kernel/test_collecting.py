"""The search for reference cycles is as it was before, whatever happens meanwhile."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from percuss import kernel


@pytest.mark.parametrize("enabled", [True, False])
def test_it_is_left_as_it_was(enabled: bool) -> None:
    seen: list[bool] = []

    def noted(x: Any) -> Any:
        seen.append(gc.isenabled())
        return x + 1.0

    def failing(_: Any) -> Any:
        raise ValueError("on purpose")

    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        kernel.compile(noted, 0.0)
        assert gc.isenabled() == enabled
        with pytest.raises(ValueError, match="on purpose"):
            kernel.compile(failing, 0.0)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
    assert seen == [False]
