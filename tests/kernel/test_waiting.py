"""What is being waited for is shown after a while, and only then."""

from __future__ import annotations

import threading

import pytest

from percuss.kernel import waiting


def test_what_takes_long_is_shown_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)
    said: list[str | None] = []
    spoken = threading.Event()

    def show(what: str | None) -> None:
        said.append(what)
        spoken.set()

    with waiting.shown_by(show), waiting.waiting("compiling 3 operations"):
        assert spoken.wait(20.0)
        assert said == ["compiling 3 operations"]
    assert said == ["compiling 3 operations", None]


def test_what_is_quick_is_not_shown_nor_what_fails() -> None:
    said: list[str | None] = []

    def fails() -> None:
        with waiting.shown_by(said.append), waiting.waiting("nothing"):
            raise KeyError("x")

    with pytest.raises(KeyError):
        fails()
    with waiting.shown_by(said.append), waiting.waiting("nothing"):
        pass
    assert said == []
