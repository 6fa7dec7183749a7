"""Files are read whole, and what is wrong with them is said with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from percuss.io.reading import file_bytes, size_text, utf8_text
from percuss.model.errors import ModelError


def test_text_has_no_byte_order_mark() -> None:
    assert utf8_text("name: ω\n".encode("utf-8-sig"), "a.yaml") == "name: ω\n"
    assert utf8_text("name: ω\n".encode(), "a.yaml") == "name: ω\n"


def test_the_first_byte_that_is_no_text_has_its_line_and_position() -> None:
    with pytest.raises(ModelError) as raised:
        utf8_text(b"a: 1\nb: \xe9\xff\n", "a.yaml")
    expected = "a.yaml, line 2: not text in UTF-8: byte 0xe9 at position 8"
    assert str(raised.value) == expected


def test_at_most_so_many_bytes_of_a_regular_file_are_read(tmp_path: Path) -> None:
    file = tmp_path / "numbers"
    file.write_bytes(b"12345")
    assert file_bytes(file, "numbers", 5) == b"12345"
    with pytest.raises(ModelError, match="is larger than 0 kB, the most that is read; expected"):
        file_bytes(file, "numbers", 4)
    with pytest.raises(ModelError, match="is a folder; expected numbers"):
        file_bytes(tmp_path, "numbers", 5)
    with pytest.raises(FileNotFoundError):
        file_bytes(tmp_path / "none", "numbers", 5)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="is a pipe or a device, not a file; expected numbers"):
        file_bytes(tmp_path / "pipe", "numbers", 5)


def test_sizes_in_words() -> None:
    assert (size_text(1_000_000), size_text(100_000_000)) == ("1000 kB", "100 MB")
