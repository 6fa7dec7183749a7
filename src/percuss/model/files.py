"""Model files of every kind through one door."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from percuss.io.reading import file_bytes
from percuss.model.document import system_from_dict
from percuss.model.errors import ModelError
from percuss.model.mjcf.read import read_mjcf
from percuss.model.mjcf.scan import LARGEST_FILE
from percuss.model.names import BaseMode
from percuss.model.systems import System
from percuss.model.urdf.read import MOST_BYTES, read_urdf
from percuss.model.yaml_text import load_yaml

_BY_SUFFIX = {".urdf": "urdf", ".xacro": "urdf", ".yaml": "system", ".yml": "system"}
_BY_ROOT = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}

_ROOT = re.compile(rb"(?:<\?.*?\?>|<!--.*?-->|<![^>-][^>]*>|\s)*<([A-Za-z_][\w.:-]*)", re.DOTALL)
"""The name of the first element, behind declarations and comments."""

_BEGINNING = 65536
"""Bytes among which the root element is looked for; licences before it can be long."""


def model_kind(path: str | Path) -> str | None:
    """ "urdf" (xacro too), "mjcf", "sdf" or "system", by suffix and then content; else None.

    Raises OSError where the file cannot be opened.
    """
    path = Path(path)
    expected = "a model file (URDF, xacro, MJCF, YAML)"
    beginning = file_bytes(path, expected, LARGEST_FILE)[:_BEGINNING]
    if path.suffix.lower() in _BY_SUFFIX:
        return _BY_SUFFIX[path.suffix.lower()]
    return _BY_ROOT.get(root_element(beginning))


def root_element(data: bytes) -> str:
    """The name of the first XML element, or nothing where the data do not begin with one."""
    found = _ROOT.match(data.removeprefix(b"\xef\xbb\xbf"))
    return found[1].decode("ascii", "replace") if found else ""


def read_model(
    path: str | Path,
    *,
    mode: BaseMode | str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> System:
    """A system from a model file: URDF, xacro, MJCF or a saved system (`save_system`).

    What the file holds is told by its suffix (.urdf, .xacro, .yaml) and otherwise by its root
    element (<robot>, <mujoco>).

    Args:
        mode: of the base; default what the file says, or the reader's own default.
        name: of the system; default the file's.
        strict: refuse what would have to be changed instead of changing and listing it. A
            saved system is always read so.
    """
    kind = model_kind(path)
    if kind not in READERS:
        what = "SDF, which is not read" if kind == "sdf" else "no model file that is known"
        raise ModelError(
            f"{path}: is {what}; expected URDF (.urdf), xacro (.xacro), MJCF (.xml) or a saved "
            "system (.yaml)"
        )
    return READERS[kind](path, mode=mode, name=name, strict=strict)


def is_xacro(path: str | Path) -> bool:
    """Whether a URDF file is made of macros, which are expanded when it is read."""
    path = Path(path)
    return path.suffix == ".xacro" or b"<xacro:" in file_bytes(path, "a URDF file", MOST_BYTES)


def _read_system(
    path: str | Path, *, mode: BaseMode | str | None, name: str | None, strict: bool
) -> System:
    del strict  # there is no other way
    document = load_yaml(path)
    if isinstance(document, Mapping) and "chaser" in document:
        raise ModelError(
            f"{path}: is a scenario, not a model of a robot; its robot is named under chaser"
        )
    if not isinstance(document, Mapping):
        raise ModelError(f"{path}: a saved system is a mapping with name, bodies, joints …")
    system = system_from_dict(document)
    system = system if mode is None else system.with_mode(mode)
    return replace(system, name=name or system.name, source=system.source or Path(path).name)


READERS: dict[str | None, Callable[..., System]] = {
    "urdf": lambda path, **options: read_urdf(path, **options),
    "mjcf": lambda path, **options: read_mjcf(path, **options),
    "system": _read_system,
}
"""By kind of file: `reader(path, mode=…, name=…, strict=…)`."""
