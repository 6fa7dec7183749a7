"""What docs/architecture.md names is there: modules, folders and classes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import percuss
from tests.test_class_names import classes

SOURCE = Path(percuss.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
MODULES = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")}
FOLDERS = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.is_dir()}
CLASSES = set(classes(SOURCE))


def named(text: str) -> list[str]:
    """What stands between single backticks outside of blocks, in order, each once."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return list(dict.fromkeys(re.findall(r"`([^`\n]+)`", plain)))


def is_there(name: str) -> bool:
    """Whether a module (by the end of its path, `*` for any letters), folder or class exists."""
    if name.endswith(".py"):
        pattern = re.compile("(.*/)?" + re.escape(name).replace(r"\*", "[^/]*"))
        return any(pattern.fullmatch(module) for module in MODULES)
    if "/" in name:
        return any(f"/{folder}".endswith(f"/{name.rstrip('/')}") for folder in FOLDERS)
    return name in CLASSES


def is_a_place(name: str) -> bool:
    """Whether a name is that of a module, of a folder or of a class."""
    paths = r"[a-z_*/0-9]+\.py|[a-z_]+(/[a-z_]+)+/?|[a-z_]+/"
    return re.fullmatch(rf"{paths}|[A-Z][A-Za-z0-9]+", name) is not None


PLACES = [name for name in named(PAGE.read_text(encoding="utf-8")) if is_a_place(name)]


@pytest.mark.parametrize("name", PLACES)
def test_what_the_page_names_is_there(name: str) -> None:
    assert is_there(name), f"docs/architecture.md names {name}, which is not in src/percuss"


def test_the_folders_of_the_table_are_there() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    folders = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(folders) > 15
    for name in folders:
        assert (SOURCE / name).exists(), f"docs/architecture.md has a row for {name}"


def test_names_that_are_not_there_are_found() -> None:
    assert {"encounter/encounter.py", "Encounter", "ensemble/"} <= set(PLACES)
    text = "`nowhere.py`, `encounter/encounter.py`, `Nonsense`, `Encounter`\n```\n`x.py`\n```\n"
    assert [name for name in named(text) if not is_there(name)] == ["nowhere.py", "Nonsense"]
