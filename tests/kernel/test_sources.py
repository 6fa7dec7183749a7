"""Hashes of sources: those of the contents, read again whenever a file may have changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from percuss.kernel import sources
from percuss.kernel.sources import hashes_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a part, and a cache of its own."""
    monkeypatch.setenv("PERCUSS_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "package"
    (package / "part").mkdir(parents=True)
    (package / "one.py").write_text("x = 1\n")
    (package / "part" / "two.py").write_text("y = 2\n")
    (package / "notes.txt").write_text("no code\n")
    return package


def both(folder: Path) -> tuple[bytes, bytes]:
    found = hashes_of(str(folder), str(folder / "part"))
    return found[str(folder)], found[str(folder / "part")]


@pytest.fixture(params=[True, False], ids=["settled", "just written"])
def settled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether files count as written long ago, so that their hashes are kept."""
    if request.param:
        monkeypatch.setattr(sources, "SETTLED", -1)
    return request.param


def test_whatever_is_written_is_seen(folder: Path, settled: bool) -> None:
    """Also where size and time of modification are what they were."""
    whole, part = both(folder)
    assert both(folder) == (whole, part)
    assert (folder.parent / "cache").exists() == settled
    file = folder / "one.py"
    before = file.stat()
    file.write_text("x = 3\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    other, same = both(folder)
    assert other != whole
    assert same == part


@pytest.mark.usefixtures("settled")
def test_only_contents_and_names_count(folder: Path) -> None:
    whole = both(folder)
    os.utime(folder / "one.py", (1.0, 1.0))
    (folder / "notes.txt").write_text("still none\n")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "one.py").write_text("x = 2\n")
    assert both(folder) == whole
    (folder / "one.py").rename(folder / "other.py")
    renamed = both(folder)
    assert renamed[0] != whole[0]
    assert renamed[1] == whole[1]
    (folder / "part" / "three.py").write_text("")
    more = both(folder)
    assert more[0] != renamed[0]
    assert more[1] != whole[1]
    (folder / "part" / "three.py").unlink()
    (folder / "other.py").rename(folder / "one.py")
    assert both(folder) == whole


def test_what_is_kept_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read where none has changed."""
    monkeypatch.setattr(sources, "SETTLED", -1)
    whole = both(folder)

    def refused(path: Path) -> bytes:
        raise AssertionError(f"{path} was read again")

    with monkeypatch.context() as context:
        context.setattr(Path, "read_bytes", refused)
        assert both(folder) == whole
        (folder / "one.py").write_text("x = 1\n")
        with pytest.raises(AssertionError, match="was read again"):
            both(folder)
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    assert both(folder) == whole
