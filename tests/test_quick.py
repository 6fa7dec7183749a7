"""What `make check` runs is there, and is of every package."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").split()
PACKAGES = sorted(
    path.name for path in (ROOT / "src" / "percuss").iterdir() if (path / "__init__.py").is_file()
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_checked(package: str) -> None:
    folder = f"tests/{package}"
    assert any(name == folder or name.startswith(f"{folder}/") for name in NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    assert (ROOT / path).exists()
    assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
