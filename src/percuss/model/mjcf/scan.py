"""A first look at an MJCF text: what it includes, and what must not reach MuJoCo's compiler.

MuJoCo opens any file that a model names and makes as many copies as it is told. Here the
files are looked up beside the model and nowhere else, and the counts are bounded.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from percuss.io.reading import file_bytes
from percuss.model.errors import ModelError
from percuss.model.urdf.log import Log
from percuss.model.urdf.xml import Element, parse_xml

_MOST_COPIES = 10_000
"""Bodies that one element may ask for; the largest of the public collections has some hundred."""

LARGEST_FILE = 64 * 2**20
"""Bytes of an XML file: the largest robots have about one megabyte."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

_OTHER = {
    "robot": " This is a URDF: read_urdf(...).",
    "sdf": " This is SDF, which no library that percuss uses can read: convert it to URDF or MJCF.",
}
"""What to do with files of other formats."""

_FILES = ("include", "model")
"""Elements whose `file` is MJCF that MuJoCo reads while it parses."""


@dataclass
class Scan:
    """The text of a model with the MJCF files that it includes, by the names it gives them."""

    text: str
    source: str
    folder: Path | None
    included: dict[str, bytes] = field(default_factory=dict)
    gravity: Element | None = None
    """The last <option> that sets gravity; MuJoCo's default is no statement of the file."""


def scan(data: str | bytes, source: str, folder: Path | None) -> Scan:
    """Look through a model and all that it includes; ModelError with the line of a problem."""
    text = _decoded(data, source)
    found = Scan(text, source, folder)
    root = _parsed(text, source)
    if root.tag != "mujoco":
        raise root.error(
            f"the root element of MJCF is <mujoco>, got <{root.tag}>.{_OTHER.get(root.tag, '')}"
        )
    _look(root, Path(), found)
    return found


def _decoded(data: str | bytes, source: str) -> str:
    if len(data) > LARGEST_FILE:
        raise ModelError(
            f"{source}: {len(data) / 2**20:.0f} MiB is too large for a robot; allowed are "
            f"{LARGEST_FILE // 2**20} MiB of XML"
        )
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"{source}: MJCF is UTF-8 text, but byte {error.start} is not") from error


def _parsed(text: str, source: str) -> Element:
    if not text.strip():
        raise ModelError(f"{source}, line 1: the file is empty; expected <mujoco>…</mujoco>")
    # Many files have "--" inside comments, which MuJoCo allows and XML does not.
    blank = _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    return parse_xml(blank, Log(source))


def _look(root: Element, at: Path, found: Scan) -> None:
    """Every element below, with what it includes; `at` is the file's place in the folder."""
    waiting: list[tuple[Element, int]] = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        for name, value in element.attributes.items():
            _refuse_nan(element, name, value)
        copies = _copies(element, copies)
        if element.tag == "option" and "gravity" in element.attributes:
            found.gravity = element
        if element.tag in _FILES and "file" in element.attributes:
            _include(element, at, found)
        waiting += [(child, copies) for child in reversed(element.children)]


def _refuse_nan(element: Element, name: str, value: str) -> None:
    if name == "name" or "nan" not in value.lower():
        return
    try:
        numbers = [float(word) for word in value.split()]
    except ValueError:
        return
    if any(math.isnan(number) for number in numbers):
        raise element.error(f"{name!r} must be finite numbers, got {value!r}")


def _copies(element: Element, inside: int) -> int:
    """How many bodies an element makes with those around it; refused when it would not fit."""
    given = element.attributes
    numbers = [given.get("count", "")]
    if element.tag == "size":
        numbers = [value for name, value in given.items() if name.startswith(("nuser", "nkey"))]
    copies = inside
    for word in " ".join(numbers).split():
        try:
            copies *= max(1, int(float(word)))
        except (ValueError, OverflowError):
            continue  # MuJoCo says what is wrong with it
    if copies > _MOST_COPIES:
        raise element.error(f"asks for {copies} entries; at most {_MOST_COPIES} are made")
    return 1 if element.tag == "size" else copies


def _include(element: Element, at: Path, found: Scan) -> None:
    """Take in one file, and what it includes: names are relative to the model, or to `at`."""
    name = element.text("file")
    if found.folder is None:
        raise element.error(
            f"the text includes {name!r}, but there is no folder to look in; give folder=…"
        )
    top = found.folder.resolve()
    for key in (name, (at.parent / name).as_posix()):
        path = (top / key).resolve()
        if not path.is_relative_to(top):
            raise element.error(
                f"{name!r} is outside the folder of the model; only files in it are read"
            )
        if path.is_file():
            break
    else:
        raise element.error(f"the file {name!r} does not exist in the folder of the model")
    if key in found.included:
        return  # MuJoCo refuses a second include of a file, and a loop of them
    found.included[key] = file_bytes(path, "a part of an MJCF file", LARGEST_FILE)
    _look(_parsed(_decoded(found.included[key], name), name), Path(key), found)
