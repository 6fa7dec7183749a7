"""Compiled code on disk: only what this user wrote for this very program is executed."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from percuss import kernel
from percuss.kernel.cache import load_code, save_code
from percuss.kernel.sources import kernel_version

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to other users")
CODE = b"machine code"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PERCUSS_CACHE", str(folder))
    return folder


def entry(folder: Path) -> Path:
    """The only entry of a cache."""
    (found,) = folder.glob("*.bin")
    return found


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_kept_is_found_again(cache: Path) -> None:
    save_code("text", "processor", CODE)
    assert load_code("text", "processor") == CODE
    assert load_code("text", "another") is None
    assert load_code("other", "processor") is None
    assert cache.is_dir()


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_folder_and_files_are_the_users_own_whatever_the_umask(
    umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERCUSS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    before = os.umask(umask)
    try:
        save_code("text", "processor", CODE)
    finally:
        os.umask(before)
    folder = tmp_path / "home" / ".cache" / "percuss" / "kernels"
    assert mode(folder) == 0o700
    assert [mode(path) for path in folder.iterdir()] == [0o600] * 2
    assert load_code("text", "processor") == CODE


def test_an_older_default_folder_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERCUSS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "percuss" / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    save_code("text", "processor", CODE)
    assert mode(folder) == 0o700


@pytest.mark.parametrize("bits", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_not_used(
    bits: int, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_code("text", "processor", CODE)
    cache.chmod(bits)
    with caplog.at_level(logging.WARNING, "percuss.kernel"):
        assert load_code("text", "processor") is None
        save_code("more", "processor", CODE)
        assert load_code("text", "processor") is None
    assert len(list(cache.glob("*.bin"))) == 1
    (said,) = [record.getMessage() for record in caplog.records]
    assert str(cache) in said
    assert "others" in said
    assert float(kernel.compile(lambda x: x + 1.0, 0.0)(1.0)) == 2.0


@needs_root
def test_a_folder_of_another_user_is_not_used(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_code("text", "processor", CODE)
    os.chown(cache, 4321, 4321)
    with caplog.at_level(logging.WARNING, "percuss.kernel"):
        assert load_code("text", "processor") is None
    assert "4321" in caplog.text
    assert str(cache) in caplog.text


@needs_root
def test_an_entry_of_another_user_is_not_used(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_code("text", "processor", CODE)
    os.chown(entry(cache), 4321, 4321)
    with caplog.at_level(logging.WARNING, "percuss.kernel"):
        assert load_code("text", "processor") is None
    assert entry(cache).name in caplog.text
    save_code("text", "processor", CODE)
    assert load_code("text", "processor") == CODE, "it is replaced by our own"


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_an_entry_that_others_can_write_is_not_used(bits: int, cache: Path) -> None:
    save_code("text", "processor", CODE)
    entry(cache).chmod(bits)
    assert load_code("text", "processor") is None


def test_an_entry_under_another_name_is_not_used(cache: Path) -> None:
    save_code("first", "processor", b"first")
    first = entry(cache)
    save_code("second", "processor", b"second")
    (second,) = set(cache.glob("*.bin")) - {first}
    second.write_bytes(first.read_bytes())
    assert load_code("first", "processor") == b"first"
    assert load_code("second", "processor") is None


def test_a_checksum_without_the_users_secret_does_not_count(cache: Path) -> None:
    """Whoever knows the format, but not the secret, cannot make an entry."""
    save_code("text", "processor", CODE)
    place = entry(cache)
    whole = place.read_bytes()
    header = whole[: whole.index(b"\n") + 1]
    for key in (b"", b"\0" * 32, place.stem.encode(), bytes.fromhex(place.stem)):
        evil = b"evil"
        for mac in (
            hashlib.sha256(evil).digest(),
            hmac.digest(key, header + bytes.fromhex(place.stem) + evil, "sha256"),
        ):
            place.write_bytes(header + mac + evil)
            assert load_code("text", "processor") is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "large"])
def test_an_entry_that_is_no_plain_file_is_not_used(
    kind: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_code("text", "processor", CODE)
    place = entry(cache)
    kept = place.read_bytes()
    place.unlink()
    if kind == "link":
        (tmp_path / "elsewhere").write_bytes(kept)
        place.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.write_bytes(kept)
        monkeypatch.setattr("percuss.kernel.cache_folder.MOST_BYTES", 20)
    assert load_code("text", "processor") is None


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 32, b"x" * 64])
def test_another_secret_makes_entries_worthless_not_errors(damage: bytes, cache: Path) -> None:
    save_code("text", "processor", CODE)
    (cache / "secret").write_bytes(damage)
    assert load_code("text", "processor") is None
    save_code("text", "processor", CODE)
    assert load_code("text", "processor") == CODE


def test_a_secret_that_others_can_read_is_replaced(cache: Path) -> None:
    save_code("text", "processor", CODE)
    old = (cache / "secret").read_bytes()
    (cache / "secret").chmod(0o644)
    assert load_code("text", "processor") is None
    save_code("text", "processor", CODE)
    assert (cache / "secret").read_bytes() != old
    assert mode(cache / "secret") == 0o600


def test_leftovers_and_stale_entries_are_removed(cache: Path) -> None:
    save_code("old", "processor", CODE)
    stale = entry(cache)
    left, fresh, foreign = cache / ".new-abc", cache / ".new-now", cache / "notes.txt"
    for path in (left, fresh, foreign):
        path.write_bytes(b"half")
    past = time.time() - 400 * 24 * 3600
    for path in (stale, left, foreign):
        os.utime(path, (past, past))
    code = f"from percuss.kernel.cache import save_code; save_code('new', 'processor', {CODE!r})"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not stale.exists(), "each process tidies when it first writes"
    assert not left.exists()
    assert fresh.exists(), "another process may be writing it"
    assert foreign.exists(), "what the cache did not write it does not remove"


def test_what_is_used_is_not_stale(cache: Path) -> None:
    save_code("old", "processor", CODE)
    place = entry(cache)
    past = time.time() - 30 * 24 * 3600
    os.utime(place, (past, past))
    assert load_code("old", "processor") == CODE
    assert place.stat().st_mtime > time.time() - 3600


def test_size_is_bounded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("percuss.kernel.cache_folder.MOST_BYTES", 10_000)
    for k in range(30):
        save_code(f"text {k}", "processor", b"x" * 900)
        for path in cache.glob("*.bin"):  # as if a minute had passed
            then = path.stat().st_mtime - 60
            os.utime(path, (then, then))
    sizes = [path.stat().st_size for path in cache.glob("*.bin")]
    assert 8 <= len(sizes) <= 11
    assert sum(sizes) <= 10_000
    assert load_code("text 29", "processor") is not None, "the newest stay"
    assert load_code("text 0", "processor") is None, "the oldest go"


def test_processes_at_the_same_time_do_no_harm(cache: Path) -> None:
    code = (
        "import sys\n"
        "from percuss.kernel.cache import load_code, save_code\n"
        "for k in range(150):\n"
        "    name = f'text {k % 10}'\n"
        "    save_code(name, 'p', name.encode() * 50)\n"
        "    found = load_code(name, 'p')\n"
        "    assert found in (None, name.encode() * 50), found\n"
        "    assert found is not None or k < 10, 'lost for good'\n"
    )
    line = [sys.executable, "-W", "error", "-c", code]
    running = [subprocess.Popen(line, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert ended == [("", 0)] * 4
    assert len(list(cache.glob("*.bin"))) == 10
    assert not list(cache.glob(".new-*"))
    assert all(load_code(f"text {k}", "p") == f"text {k}".encode() * 50 for k in range(10))


def test_compiled_code_uses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_version()  # whoever asks first keeps the hashes of the sources, wherever that is
    cache = tmp_path / "cache"
    monkeypatch.setenv("PERCUSS_CACHE", str(cache))

    def value() -> float:
        return float(kernel.compile(lambda x: np.cos(x) + 0.375, 0.0, key="use")(0.5))

    expected = value()
    kept = {path.name: path.read_bytes() for path in cache.glob("*.bin")}
    assert len(kept) == 2
    first, second = sorted(kept)
    (cache / first).write_bytes(kept[second])
    (cache / second).write_bytes(kept[first])
    assert value() == expected
    assert {path.name: path.read_bytes() for path in cache.glob("*.bin")} == kept


def test_without_a_home_the_temporary_folder_serves(tmp_path: Path) -> None:
    """No HOME, and a user that the system does not know."""
    code = (
        "import pwd\n"
        "def unknown(uid): raise KeyError(uid)\n"
        "pwd.getpwuid = unknown\n"
        "from percuss.kernel.cache import load_code, save_code\n"
        "for k in range(3):\n"
        "    save_code(f'text {k}', 'p', b'code')\n"
        "    assert load_code(f'text {k}', 'p') == b'code'\n"
    )
    place = tmp_path / "tmp"
    place.mkdir()
    gone = {"HOME", "XDG_CACHE_HOME", "PERCUSS_CACHE", "LOGNAME", "USER"}
    known = {name: value for name, value in os.environ.items() if name not in gone}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=known | {"TMPDIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1, "said once"
    (folder,) = place.iterdir()
    assert str(folder) in done.stderr
    assert mode(folder) == 0o700
